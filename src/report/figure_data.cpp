#include "report/figure_data.h"

#include <fmt/format.h>

#include <algorithm>
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

bool shown(const Plot& plot, double x, double y) {
  return !(plot.x.logarithmic && x <= 0) && !(plot.y.logarithmic && y <= 0);
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
    if (shown(plot, x, y))
      out.emplace_back(number(x, plot.decimals, plot.x.logarithmic),
                       number(y, plot.decimals, plot.y.logarithmic));
  return out;
}

std::vector<std::pair<std::string, std::string>> printed_band(const Plot& plot, const Curve& curve) {
  std::vector<std::pair<std::string, std::string>> out;
  if (curve.band.empty()) return out;
  if (curve.band.size() != curve.points.size())
    throw std::logic_error(fmt::format("figure `{}`: a band of {} ends around {} points", plot.name,
                                       curve.band.size(), curve.points.size()));
  for (std::size_t at = 0; at < curve.band.size(); ++at) {
    const auto& [low, high] = curve.band[at];
    if (!shown(plot, curve.points[at].first, curve.points[at].second)) continue;
    if (!shown(plot, 1, low))
      throw std::logic_error(
          fmt::format("figure `{}`: a band down to {} on a logarithmic axis", plot.name, low));
    out.emplace_back(number(low, plot.decimals, plot.y.logarithmic),
                     number(high, plot.decimals, plot.y.logarithmic));
  }
  return out;
}

std::string csv(const Plot& plot) {
  const bool bands = std::ranges::any_of(plot.curves, [](const Curve& curve) { return !curve.band.empty(); });
  std::string out = fmt::format("series,{},{}{}\n", field(plot.x.label), field(plot.y.label),
                                bands ? ",lower end of the band,upper end of the band" : "");
  for (const Curve& curve : plot.curves) {
    const auto points = printed(plot, curve), band = printed_band(plot, curve);
    for (std::size_t at = 0; at < points.size(); ++at) {
      out += fmt::format("{},{},{}", field(series(plot, curve)), points[at].first, points[at].second);
      if (bands) out += band.empty() ? ",," : fmt::format(",{},{}", band[at].first, band[at].second);
      out += '\n';
    }
  }
  return out;
}

double first_cell(const document::FigureAxis& axis) {
  return axis.range ? axis.range->first : 0;
}

std::string csv(const HeatMap& map) {
  std::string out = fmt::format("{},{},value\n", field(map.y.label), field(map.x.label));
  for (std::size_t row = 0; row < map.values.size(); ++row)
    for (std::size_t column = 0; column < map.values[row].size(); ++column)
      out += fmt::format("{},{},{}\n", first_cell(map.y) + static_cast<double>(row),
                         first_cell(map.x) + static_cast<double>(column),
                         document::fixed(map.values[row][column], map.decimals));
  return out;
}

}  // namespace posproof::report
