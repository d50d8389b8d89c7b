#include "core/declare.h"

namespace posproof {

Parameter whole(std::string_view name, type::Whole range, double standard, std::vector<double> grid,
                std::string_view meaning, std::string_view unit) {
  return {name, range, standard, {grid.begin(), grid.end()}, meaning, unit};
}

Parameter above_0(std::string_view name, double standard, std::vector<double> grid, std::string_view meaning,
                  std::string_view unit) {
  return {name, type::Real{}, standard, {grid.begin(), grid.end()}, meaning, unit};
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
