#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

// How measured numbers are written in sentences.
namespace posproof {

// As many digits as are known, from 2 to 7, without zeros at the end: `21.3`.
std::string number(double value, double relative_error);

// Two numbers that differ, the second declared: the first as above, with as many more digits as it takes to
// say by how much, and where they would be written alike, both with so many that they are not.
std::pair<std::string, std::string> told_apart(double value, double relative_error, double declared,
                                               double declared_error = 1e-6);

// The same of a ratio that is not 1, which is never written as 1: `(1 + 1e-05)`.
std::string ratio(double value, double relative_error);

// A ratio to what was declared: `1/8 of`, `twice`, `3 times`, `0.75 times`.
std::string times(double ratio, double relative_error);

// Numbered things, rising, by their runs: `pair 3`, `pairs 61 and 62`, `pairs 20 to 31`, `pairs 0, 2 and 4 to
// 7`, `channels 1, 3, 5, .., 63`.
std::string numbered(std::string_view what, const std::vector<std::size_t>& rising);

// Heads of so many, rising: `heads 1 and 3 of 4`; where all of them are so many again, and alike, those:
// `head 1 of 2`.
std::string numbered_heads(const std::vector<std::size_t>& rising, std::size_t all, std::size_t own);

// What one of the numbers of a position is called: `row` and `column` of two, `time` before them of three.
std::string_view axis_name(std::size_t axis, std::size_t axes);

}  // namespace posproof
