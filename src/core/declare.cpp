#include "core/declare.h"

#include <utility>

namespace posproof {

Parameter whole(std::string_view name, type::Whole range, double standard, std::vector<double> grid,
                std::string_view meaning, std::string_view unit) {
  return {name, range, standard, {grid.begin(), grid.end()}, meaning, unit};
}

Parameter above_0(std::string_view name, double standard, std::vector<double> grid, std::string_view meaning,
                  std::string_view unit) {
  return {name, type::Real{}, standard, {grid.begin(), grid.end()}, meaning, unit};
}

Parameter of_words(std::string_view name, std::vector<std::string_view> words, std::string_view meaning) {
  std::vector<Value> grid;
  for (const std::string_view word : words) grid.emplace_back(std::string(word));
  return {name, type::Word{std::move(words)}, grid.front(), grid, meaning};
}

Parameter convention(std::string_view name, std::vector<std::string_view> words, std::string_view meaning) {
  return disputed(of_words(name, std::move(words), meaning));
}

Parameter disputed(Parameter parameter) {
  parameter.convention = true;
  return parameter;
}

Parameter where(Condition condition, Parameter parameter) {
  parameter.matters_where = std::move(condition);
  return parameter;
}

}  // namespace posproof
