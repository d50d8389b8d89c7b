#pragma once

#include "core/parameter.h"

// Parameters in a line each, as specs declare them.
namespace posproof {

// No encoding is asked for with more heads: a bias of 4 x 4 tokens takes 2 MiB with so many.
constexpr type::Whole any_heads{1, std::int64_t{1} << 14};

Parameter whole(std::string_view name, type::Whole range, double standard, std::vector<double> grid,
                std::string_view meaning, std::string_view unit = "");

// Of finite numbers above 0.
Parameter above_0(std::string_view name, double standard, std::vector<double> grid, std::string_view meaning,
                  std::string_view unit = "");

// A parameter of these words: the first is standard, all are searched.
Parameter of_words(std::string_view name, std::vector<std::string_view> words, std::string_view meaning);
// The same, and projects disagree on it.
Parameter convention(std::string_view name, std::vector<std::string_view> words, std::string_view meaning);

// One that projects disagree on.
Parameter disputed(Parameter parameter);

// One that the encoding looks at there only.
Parameter where(Condition condition, Parameter parameter);

}  // namespace posproof
