#include "diagnosis/other_extents.h"

#include <fmt/format.h>

#include <utility>
#include <variant>
#include <vector>

#include "diagnosis/measured_words.h"

namespace posproof {

std::string another_extent(const Parameters& parameters, const Domain& domain, std::size_t axis,
                           const Function<bool(double factor)>& is) {
  if (!parameters.has("normalize") || parameters.word("normalize") == "none" || !parameters.has("grid"))
    return "";
  const auto* grid = std::get_if<std::vector<double>>(parameters.find("grid"));
  if (grid == nullptr || grid->size() != domain.axes) return "";
  const double own = grid->at(axis);
  std::vector<std::pair<double, std::string>> others;
  for (std::size_t other = 0; other < grid->size(); ++other)
    if (other != axis)
      others.emplace_back(grid->at(other),
                          fmt::format("the extent of the {}", axis_name(other, grid->size())));
  others.emplace_back(own - 1, "the extent less 1");
  others.emplace_back(own + 1, "the extent and 1");
  for (const auto& [extent, what] : others)
    if (extent >= 1 && extent != own && is(own / extent))
      return fmt::format("{:g}, {}, not by {:g}", extent, what, own);
  return "";
}

}  // namespace posproof
