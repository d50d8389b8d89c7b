#include "report/figure.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <vector>

#include "core/bounded.h"
#include "report/figure_data.h"

namespace posproof::report {
namespace {

using document::Curve;
using document::FigureAxis;
using document::HeatMap;
using document::Plot;

struct Colours {
  std::string_view page, text, muted, grid;
  std::array<std::string_view, 6>
      curves;  // after Okabe and Ito 2008: told apart by every kind of colour vision
};

constexpr Colours light{"#ffffff",
                        "#1f2328",
                        "#59636e",
                        "#e4e7eb",
                        {"#0072b2", "#d55e00", "#009e73", "#a3498f", "#8a6d00", "#5b5b5b"}};
constexpr Colours dark{"#0d1117",
                       "#e6edf3",
                       "#9198a1",
                       "#262c36",
                       {"#56b4e9", "#ff8c42", "#2fc79b", "#e29ac6", "#f0d442", "#b5bcc4"}};

const Colours& colours(Theme theme) {
  return theme == Theme::light ? light : dark;
}

constexpr double letter = 6.6;  // pixels: the mean width of a letter at 12 pixels
constexpr double line = 15;     // pixels between two labels

struct Range {
  double lo, hi;
};

Range span(const FigureAxis& axis, const std::vector<Curve>& curves, bool upright) {
  if (axis.range) return {axis.range->first, axis.range->second};
  Range range{std::numeric_limits<double>::infinity(), -std::numeric_limits<double>::infinity()};
  for (const Curve& curve : curves)
    for (const auto& [x, y] : curve.points) {
      const double value = upright ? y : x;
      if (axis.logarithmic && value <= 0) continue;
      range = {std::min(range.lo, value), std::max(range.hi, value)};
    }
  if (upright)
    for (const Curve& curve : curves)
      for (const auto& [low, high] : curve.band) range = {std::min(range.lo, low), std::max(range.hi, high)};
  if (!(range.lo <= range.hi)) return {1, 2};
  if (axis.logarithmic) return range.lo < range.hi ? range : Range{range.lo / 2, range.hi * 2};
  const double margin = range.lo < range.hi ? (upright ? 0.05 * (range.hi - range.lo) : 0) : 1;
  return {range.lo - margin, range.hi + margin};
}

// Where the axes are, in pixels from the top left, and what they show.
struct Frame {
  double width, height;
  double left, right, top, bottom;
  Range x, y;
  bool log_x = false, log_y = false;

  static double part(double value, const Range& range, bool logarithmic) {
    if (logarithmic) return std::log(value / range.lo) / std::log(range.hi / range.lo);
    return (value - range.lo) / (range.hi - range.lo);
  }
  double across(double value) const { return left + (right - left) * part(value, x, log_x); }
  double down(double value) const { return bottom - (bottom - top) * part(value, y, log_y); }
  bool shows(double at_x, double at_y) const {
    if ((log_x && at_x <= 0) || (log_y && at_y <= 0)) return false;
    const double u = part(at_x, x, log_x), v = part(at_y, y, log_y);
    return u >= -1e-9 && u <= 1 + 1e-9 && v >= -1e-9 && v <= 1 + 1e-9;
  }
};

// A label beside the end of its curve, or wherever there was room for it.
struct Label {
  double x, y;  // pixels
  std::string text;
  std::string_view colour;
};

std::string in_gnuplot_quotes(std::string_view text) {
  std::string out;
  for (const char c : text) out.append(c == '\'' ? 2 : 1, c);
  return fmt::format("'{}'", out);
}

std::string placed(const Frame& frame, double x, double y, std::string_view text, std::string_view colour,
                   std::string_view font, std::string_view side = "left") {
  return fmt::format(
      "set label {} at screen {:.5f},{:.5f} {} noenhanced front textcolor rgb '{}' font '{}'\n",
      in_gnuplot_quotes(text), x / frame.width, 1 - y / frame.height, side, colour, font);
}

std::string_view colour(const Colours& palette, const std::vector<Curve>& curves, std::size_t at) {
  if (curves[at].dashed) return palette.muted;
  std::size_t solid = 0;
  for (std::size_t c = 0; c < at; ++c) solid += !curves[c].dashed;
  return palette.curves[solid % palette.curves.size()];
}

// The labels of all curves, none over another: those that end in the same place are pushed apart, downwards
// first.
std::vector<Label> labels(const Plot& plot, const Frame& frame, const Colours& palette) {
  std::vector<Label> out;
  for (std::size_t c = 0; c < plot.curves.size(); ++c) {
    const Curve& curve = plot.curves[c];
    if (curve.label.empty()) continue;
    for (auto point = curve.points.rbegin(); point != curve.points.rend(); ++point)
      if (frame.shows(point->first, point->second)) {
        const double x = frame.across(point->first), y = frame.down(point->second);
        const std::string_view ink = colour(palette, plot.curves, c);
        if (x > frame.right - 20)
          out.push_back({x + 7, y, curve.label, ink});
        else  // under the end of a curve that stops early, where the others go on
          out.push_back({x - letter * static_cast<double>(curve.label.size()), y + line, curve.label, ink});
        break;
      }
  }
  std::stable_sort(out.begin(), out.end(), [](const Label& a, const Label& b) { return a.y < b.y; });
  const auto together = [](const Label& a, const Label& b) { return std::abs(a.x - b.x) < 60; };
  for (std::size_t i = 0; i < out.size(); ++i)
    for (std::size_t before = 0; before < i; ++before)
      if (together(out[i], out[before])) out[i].y = std::max(out[i].y, out[before].y + line);
  double lowest = frame.bottom - 2;
  for (std::size_t i = out.size(); i-- > 0;) {
    if (out[i].y > lowest) out[i].y = lowest;
    for (std::size_t after = i + 1; after < out.size(); ++after)
      if (together(out[i], out[after])) out[i].y = std::min(out[i].y, out[after].y - line);
  }
  return out;
}

std::string opening(const Frame& frame, const Colours& palette) {
  return fmt::format(
      "set terminal svg size {:.0f},{:.0f} dynamic font 'Helvetica,12' background rgb '{}'\n"
      "set encoding utf8\n"
      "set minussign\n"
      "unset key\n"
      "set lmargin at screen {:.5f}\nset rmargin at screen {:.5f}\n"
      "set tmargin at screen {:.5f}\nset bmargin at screen {:.5f}\n"
      "set tics textcolor rgb '{}'\n",
      frame.width, frame.height, palette.page, frame.left / frame.width, frame.right / frame.width,
      1 - frame.top / frame.height, 1 - frame.bottom / frame.height, palette.muted);
}

// A letter of the title is 9 units wide in the widest fonts that stand for Helvetica: a longer title is cut.
std::string_view fitting(std::string_view title, double width) {
  const auto letters = std::ranges::count_if(title, [](char c) { return (c & 0xC0) != 0x80; });  // of UTF-8
  const auto most = static_cast<std::ptrdiff_t>((width - 2 * 16) / 9);
  if (letters > most)
    throw std::invalid_argument(
        bounded("the title of a figure has {} letters; at most {} fit: `{}`", letters, most, title));
  return title;
}

// The title above, what is measured upright under it (not rotated on its side), what it is measured against
// below.
std::string words(const Frame& frame, const Colours& palette, std::string_view title, const FigureAxis& x,
                  const FigureAxis& y) {
  return placed(frame, 16, 24, fitting(title, frame.width), palette.text, "Helvetica:Bold,15") +
         placed(frame, 16, 48, y.label, palette.muted, "Helvetica,12") +
         placed(frame, (frame.left + frame.right) / 2, frame.height - 14, x.label, palette.muted,
                "Helvetica,12", "center");
}

std::string scale(std::string_view name, const FigureAxis& axis, const Range& range) {
  std::string out = fmt::format("set {}range [{:.10g}:{:.10g}]\n", name, range.lo, range.hi);
  if (!axis.logarithmic) return out;
  return out + fmt::format("set logscale {0} {1}\nset format {0} '{1}^{{%L}}'\n", name, axis.log_base);
}

std::string data(std::size_t at, const Plot& plot) {
  std::string out = fmt::format("$curve{} << END\n", at);
  for (const auto& [x, y] : printed(plot, plot.curves[at])) out += fmt::format("{} {}\n", x, y);
  return out + "END\n";
}

// The areas of all bands; the lines are drawn over them.
std::string bands(const Plot& plot) {
  std::string out;
  for (std::size_t at = 0; at < plot.curves.size(); ++at) {
    const auto points = printed(plot, plot.curves[at]), band = printed_band(plot, plot.curves[at]);
    if (band.empty()) continue;
    out += fmt::format("$band{} << END\n", at);
    for (std::size_t n = 0; n < band.size(); ++n)
      out += fmt::format("{} {} {}\n", points[n].first, band[n].first, band[n].second);
    out += "END\n";
  }
  return out;
}

// The colours of a heat map: from one end to the other, or from both ends to 0 in the middle.
std::string_view ramp(const HeatMap& map, Theme theme) {
  const bool both_signs = map.lo < 0 && map.hi > 0;
  if (theme == Theme::light)
    return both_signs ? "0 '#1a5a9e', 0.5 '#f7f7f7', 1 '#b8471b'" : "0 '#f7fbff', 1 '#08306b'";
  return both_signs ? "0 '#6cb6f5', 0.5 '#12161c', 1 '#ff9a55'" : "0 '#12161c', 1 '#a9d4f5'";
}

// The values, each as so many points a side.
std::string cells(const HeatMap& map, std::size_t fine) {
  std::string out;
  for (const auto& row : map.values) {
    std::string points;
    for (const double value : row)
      for (std::size_t n = 0; n < fine; ++n) points.append(document::fixed(value, map.decimals)).append(" ");
    points.back() = '\n';
    for (std::size_t n = 0; n < fine; ++n) out += points;
  }
  return out;
}

Frame frame_of(const Plot& plot) {
  std::size_t longest = 0;
  for (const Curve& curve : plot.curves) longest = std::max(longest, curve.label.size());
  const double room = 24 + letter * static_cast<double>(longest);
  Frame frame{.width = 760, .height = 420, .left = 64, .right = 0, .top = 68, .bottom = 0, .x = {}, .y = {}};
  frame.x = span(plot.x, plot.curves, false);
  frame.y = span(plot.y, plot.curves, true);
  frame.log_x = plot.x.logarithmic;
  frame.log_y = plot.y.logarithmic;
  frame.right = frame.width - room;
  if (plot.square) {
    // One unit is equally long on both: the height follows from the width.
    frame.right = std::min(frame.right, frame.left + 440);
    frame.width = frame.right + room;
    const double unit = (frame.right - frame.left) / (frame.x.hi - frame.x.lo);
    frame.height = frame.top + unit * (frame.y.hi - frame.y.lo) + 54;
  }
  frame.bottom = frame.height - 54;
  return frame;
}

}  // namespace

std::string script(const Plot& plot, Theme theme) {
  const Colours& palette = colours(theme);
  const Frame frame = frame_of(plot);
  std::string out = opening(frame, palette) + words(frame, palette, plot.title, plot.x, plot.y);
  out += fmt::format("set border 3 linecolor rgb '{}'\n", palette.muted);
  out += "set tics nomirror out scale 0.5,0\n";
  out += fmt::format("set grid xtics ytics back linetype 1 linewidth 1 linecolor rgb '{}'\n", palette.grid);
  out += scale("x", plot.x, frame.x) + scale("y", plot.y, frame.y);
  for (const Label& label : labels(plot, frame, palette))
    out += placed(frame, label.x, label.y, label.text, label.colour, "Helvetica,12");
  for (const document::Note& note : plot.notes)
    out +=
        placed(frame, frame.across(note.x) + 7, frame.down(note.y), note.text, palette.muted, "Helvetica,12");
  for (std::size_t c = 0; c < plot.curves.size(); ++c) out += data(c, plot);
  out += bands(plot);
  std::string drawn;
  for (std::size_t c = 0; c < plot.curves.size(); ++c)
    if (!plot.curves[c].band.empty())
      drawn += fmt::format(
          "{}$band{} using 1:2:3 with filledcurves linecolor rgb '{}' fillstyle transparent solid 0.18 noborder notitle",
          drawn.empty() ? "plot " : ", ", c, colour(palette, plot.curves, c));
  for (std::size_t c = 0; c < plot.curves.size(); ++c) {
    const Curve& curve = plot.curves[c];
    const std::string style = curve.dots ? "points pointtype 7 pointsize 0.45"
                                         : fmt::format("lines linewidth {} dashtype {}",
                                                       curve.dashed ? "1.4" : "2", curve.dashed ? 2 : 1);
    drawn += fmt::format("{}$curve{} using 1:2 with {} linecolor rgb '{}' notitle",
                         drawn.empty() ? "plot " : ", ", c, style, colour(palette, plot.curves, c));
  }
  return out + drawn + "\n";
}

std::string script(const HeatMap& map, Theme theme) {
  const Colours& palette = colours(theme);
  const double rows = static_cast<double>(map.values.size());
  const double columns = map.values.empty() ? 0 : static_cast<double>(map.values.front().size());
  const double left = first_cell(map.x), top = first_cell(map.y);
  Frame frame{.width = 760,
              .height = 0,
              .left = 64,
              .right = 670,
              .top = 68,
              .bottom = 0,
              .x = {left - 0.5, left + columns - 0.5},
              .y = {top + rows - 0.5, top - 0.5}};
  // Cells are square as long as the figure is no taller than it is wide.
  frame.bottom = frame.top + std::clamp((frame.right - frame.left) * rows / columns, 160.0, 520.0);
  frame.height = frame.bottom + 54;

  std::string out = opening(frame, palette) + words(frame, palette, map.title, map.x, map.y);
  out += fmt::format("set border 15 linecolor rgb '{}'\nset tics nomirror out scale 0.5,0\n", palette.grid);
  out += scale("x", {}, frame.x) + scale("y", {}, frame.y);
  out += fmt::format("set palette maxcolors 65 defined ({})\nset cbrange [{:.10g}:{:.10g}]\n",
                     ramp(map, theme), map.lo, map.hi);
  out += fmt::format("set colorbox user origin screen {:.5f},{:.5f} size screen {:.5f},{:.5f} noborder\n",
                     690 / frame.width, 1 - frame.bottom / frame.height, 12 / frame.width,
                     (frame.bottom - frame.top) / frame.height);
  // Each cell is written as several points a side: programs that smooth images then blur its edge only.
  const auto fine =
      std::max<std::size_t>(1, 256 / std::max<std::size_t>(1, static_cast<std::size_t>(columns)));
  out += "set cbtics scale 0\n$map << END\n" + cells(map, fine);
  return out +
         fmt::format(
             "END\nplot $map matrix using (($1 + 0.5) / {0} + {1}):(($2 + 0.5) / {0} + {2}):3 with image notitle\n",
             fine, left - 0.5, top - 0.5);
}

}  // namespace posproof::report
