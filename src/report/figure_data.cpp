#include "report/figure_data.h"

#include <fmt/format.h>

#include <stdexcept>

namespace posproof::report {
namespace {

using document::Curve;
using document::HeatMap;
using document::Plot;

std::string number(double value, int decimals, bool logarithmic) {
  return logarithmic ? document::scientific(value, decimals + 1) : document::fixed(value, decimals);
}

std::string field(const std::string& text) {
  if (text.find_first_of(",\"\n") == std::string::npos) return text;
  std::string out;
  for (const char c : text) out.append(c == '"' ? 2 : 1, c);
  return fmt::format("\"{}\"", out);
}

const std::string& series(const Plot& plot, const Curve& curve) {
  if (curve.label.empty() && curve.name.empty())
    throw std::logic_error(
        fmt::format("figure `{}`: a curve without a label needs a name for its data", plot.name));
  return curve.name.empty() ? curve.label : curve.name;
}

}  // namespace

std::vector<std::pair<std::string, std::string>> printed(const Plot& plot, const Curve& curve) {
  std::vector<std::pair<std::string, std::string>> out;
  for (const auto& [x, y] : curve.points)
    if (!(plot.x.logarithmic && x <= 0) && !(plot.y.logarithmic && y <= 0))
      out.emplace_back(number(x, plot.decimals, plot.x.logarithmic),
                       number(y, plot.decimals, plot.y.logarithmic));
  return out;
}

std::string csv(const Plot& plot) {
  std::string out = fmt::format("series,{},{}\n", field(plot.x.label), field(plot.y.label));
  for (const Curve& curve : plot.curves)
    for (const auto& [x, y] : printed(plot, curve))
      out += fmt::format("{},{},{}\n", field(series(plot, curve)), x, y);
  return out;
}

std::string csv(const HeatMap& map) {
  std::string out = fmt::format("{},{},value\n", field(map.y.label), field(map.x.label));
  for (std::size_t row = 0; row < map.values.size(); ++row)
    for (std::size_t column = 0; column < map.values[row].size(); ++column)
      out += fmt::format("{},{},{}\n", row, column, document::fixed(map.values[row][column], map.decimals));
  return out;
}

}  // namespace posproof::report
