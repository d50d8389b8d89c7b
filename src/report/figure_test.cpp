// What gnuplot is asked to draw, and how a drawing is published, byte for byte.
#include "report/figure.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>

#include "report/figure_data.h"

namespace posproof::report::figure_test {
namespace {

using namespace document;

Plot mixed() {
  return {.name = "p",
          .title = "It's a title",
          .description = "",
          .x = {"position", true, {}, 2},
          .y = {"error", false},
          .curves = {{"one", {{0, 5}, {1, 0}, {1024, 10}}},
                     {"limit", {{1, 2}, {1024, 2}}, false, true},
                     {"two", {{2, 4}, {32, 8}}, true},
                     {.label = "", .points = {{1, 1}}, .name = "hidden"}},
          .decimals = 3,
          .notes = {{32, 5, "here"}}};
}
Plot square() {
  return {.name = "s",
          .title = "S",
          .description = "",
          .x = {"x", false, std::pair{-1.0, 1.0}},
          .y = {"y", false, std::pair{-2.0, 2.0}},
          .curves = {{"", {{0, 0}, {1, 1}}, false, false, "c"}},
          .square = true,
          .decimals = 1};
}
HeatMap heat(double lo) {
  return {.name = "m",
          .title = "M",
          .description = "",
          .x = {"channel"},
          .y = {"position"},
          .values = {{0, 0.5}, {-1, 1}},
          .lo = lo,
          .hi = 1,
          .decimals = 2};
}

TEST(Figure, refuses_a_title_that_would_be_cut) {
  Plot plot = mixed();
  plot.title = std::string(79, 'x') + "π";
  EXPECT_NO_THROW(script(plot, Theme::light));
  plot.title += "y";
  try {
    script(plot, Theme::light);
    ADD_FAILURE() << "not refused";
  } catch (const std::invalid_argument& error) {
    EXPECT_EQ(error.what(), "the title of a figure has 81 letters; at most 80 fit: `" + plot.title + "`");
  }
  HeatMap map = heat(-1);
  map.title = std::string(81, 'x');
  EXPECT_THROW(script(map, Theme::light), std::invalid_argument);
}

// A line, a limit, dots that end early and a curve without a label; a logarithmic axis; a note.
TEST(Figure, of_a_plot_has_every_curve_label_and_note_in_its_place) {
  EXPECT_EQ(
      script(mixed(), Theme::light),
      "set terminal svg size 760,420 dynamic font 'Helvetica,12' background rgb '#ffffff'\n"
      "set encoding utf8\n"
      "set minussign\n"
      "unset key\n"
      "set lmargin at screen 0.08421\n"
      "set rmargin at screen 0.92500\n"
      "set tmargin at screen 0.83810\n"
      "set bmargin at screen 0.12857\n"
      "set tics textcolor rgb '#59636e'\n"
      "set label 'It''s a title' at screen 0.02105,0.94286 left noenhanced front textcolor rgb '#1f2328' font 'Helvetica:Bold,15'\n"
      "set label 'error' at screen 0.02105,0.88571 left noenhanced front textcolor rgb '#59636e' font 'Helvetica,12'\n"
      "set label 'position' at screen 0.50461,0.03333 center noenhanced front textcolor rgb '#59636e' font 'Helvetica,12'\n"
      "set border 3 linecolor rgb '#59636e'\n"
      "set tics nomirror out scale 0.5,0\n"
      "set grid xtics ytics back linetype 1 linewidth 1 linecolor rgb '#e4e7eb'\n"
      "set xrange [1:1024]\n"
      "set logscale x 2\n"
      "set format x '2^{%L}'\n"
      "set yrange [-0.5:10.5]\n"
      "set label 'one' at screen 0.93421,0.80584 left noenhanced front textcolor rgb '#0072b2' font 'Helvetica,12'\n"
      "set label 'two' at screen 0.47855,0.64113 left noenhanced front textcolor rgb '#d55e00' font 'Helvetica,12'\n"
      "set label 'limit' at screen 0.93421,0.28983 left noenhanced front textcolor rgb '#59636e' font 'Helvetica,12'\n"
      "set label 'here' at screen 0.51382,0.48333 left noenhanced front textcolor rgb '#59636e' font 'Helvetica,12'\n"
      "$curve0 << END\n"
      "1.000e+00 0.000\n"
      "1.024e+03 10.000\n"
      "END\n"
      "$curve1 << END\n"
      "1.000e+00 2.000\n"
      "1.024e+03 2.000\n"
      "END\n"
      "$curve2 << END\n"
      "2.000e+00 4.000\n"
      "3.200e+01 8.000\n"
      "END\n"
      "$curve3 << END\n"
      "1.000e+00 1.000\n"
      "END\n"
      "plot $curve0 using 1:2 with lines linewidth 2 dashtype 1 linecolor rgb '#0072b2' notitle, $curve1 using 1:2 with lines linewidth 1.4 dashtype 2 linecolor rgb '#59636e' notitle, $curve2 using 1:2 with points pointtype 7 pointsize 0.45 linecolor rgb '#d55e00' notitle, $curve3 using 1:2 with lines linewidth 2 dashtype 1 linecolor rgb '#009e73' notitle\n");
}

TEST(Figure, for_dark_pages_has_other_colours_and_nothing_else) {
  std::string dark = script(mixed(), Theme::dark);
  for (const auto& [there, here] : {std::pair{"#0d1117", "#ffffff"},
                                    {"#e6edf3", "#1f2328"},
                                    {"#9198a1", "#59636e"},
                                    {"#262c36", "#e4e7eb"},
                                    {"#56b4e9", "#0072b2"},
                                    {"#ff8c42", "#d55e00"},
                                    {"#2fc79b", "#009e73"}})
    for (auto at = dark.find(there); at != std::string::npos; at = dark.find(there))
      dark.replace(at, 7, here);
  EXPECT_EQ(dark, script(mixed(), Theme::light));
}

// One unit is equally long on both axes: 440 pixels for two across, 880 for four down.
TEST(Figure, that_is_square_is_as_high_as_its_width_says) {
  EXPECT_EQ(
      script(square(), Theme::light),
      "set terminal svg size 528,1002 dynamic font 'Helvetica,12' background rgb '#ffffff'\n"
      "set encoding utf8\n"
      "set minussign\n"
      "unset key\n"
      "set lmargin at screen 0.12121\n"
      "set rmargin at screen 0.95455\n"
      "set tmargin at screen 0.93214\n"
      "set bmargin at screen 0.05389\n"
      "set tics textcolor rgb '#59636e'\n"
      "set label 'S' at screen 0.03030,0.97605 left noenhanced front textcolor rgb '#1f2328' font 'Helvetica:Bold,15'\n"
      "set label 'y' at screen 0.03030,0.95210 left noenhanced front textcolor rgb '#59636e' font 'Helvetica,12'\n"
      "set label 'x' at screen 0.53788,0.01397 center noenhanced front textcolor rgb '#59636e' font 'Helvetica,12'\n"
      "set border 3 linecolor rgb '#59636e'\n"
      "set tics nomirror out scale 0.5,0\n"
      "set grid xtics ytics back linetype 1 linewidth 1 linecolor rgb '#e4e7eb'\n"
      "set xrange [-1:1]\n"
      "set yrange [-2:2]\n"
      "$curve0 << END\n"
      "0.0 0.0\n"
      "1.0 1.0\n"
      "END\n"
      "plot $curve0 using 1:2 with lines linewidth 2 dashtype 1 linecolor rgb '#0072b2' notitle\n");
}

// Twice as high as wide, in points: what labels leave of the width is less than 440 here.
TEST(Figure, that_is_square_stays_within_its_width) {
  Plot plot = square();
  plot.curves.front().label = std::string(48, 'm');
  const std::string all = script(plot, Theme::light);
  const auto number = [&](const std::string& before) {
    return std::stod(all.substr(all.find(before) + before.size()));
  };
  const double width = number("svg size "), height = number(fmt::format("svg size {:.0f},", width)),
               inner = width * (number("rmargin at screen ") - number("lmargin at screen ")),
               outer = height * (number("tmargin at screen ") - number("bmargin at screen "));
  EXPECT_LE(width, 760);
  EXPECT_LT(inner, 400);
  EXPECT_NEAR(outer, 2 * inner, 1);  // the size is in whole points
}

// What stands before the values of a heat map.
std::string opening(const HeatMap& map, Theme theme) {
  const std::string all = script(map, theme);
  return all.substr(0, all.find("$map << END\n"));
}

TEST(Figure, of_a_heat_map_has_its_colours_from_one_end_to_the_other_or_from_both_to_0) {
  EXPECT_EQ(
      opening(heat(-1), Theme::light),
      "set terminal svg size 760,642 dynamic font 'Helvetica,12' background rgb '#ffffff'\n"
      "set encoding utf8\n"
      "set minussign\n"
      "unset key\n"
      "set lmargin at screen 0.08421\n"
      "set rmargin at screen 0.88158\n"
      "set tmargin at screen 0.89408\n"
      "set bmargin at screen 0.08411\n"
      "set tics textcolor rgb '#59636e'\n"
      "set label 'M' at screen 0.02105,0.96262 left noenhanced front textcolor rgb '#1f2328' font 'Helvetica:Bold,15'\n"
      "set label 'position' at screen 0.02105,0.92523 left noenhanced front textcolor rgb '#59636e' font 'Helvetica,12'\n"
      "set label 'channel' at screen 0.48289,0.02181 center noenhanced front textcolor rgb '#59636e' font 'Helvetica,12'\n"
      "set border 15 linecolor rgb '#e4e7eb'\n"
      "set tics nomirror out scale 0.5,0\n"
      "set xrange [-0.5:1.5]\n"
      "set yrange [1.5:-0.5]\n"
      "set palette maxcolors 65 defined (0 '#1a5a9e', 0.5 '#f7f7f7', 1 '#b8471b')\n"
      "set cbrange [-1:1]\n"
      "set colorbox user origin screen 0.90789,0.08411 size screen 0.01579,0.80997 noborder\n"
      "set cbtics scale 0\n");
  EXPECT_EQ(
      opening(heat(0), Theme::dark),
      "set terminal svg size 760,642 dynamic font 'Helvetica,12' background rgb '#0d1117'\n"
      "set encoding utf8\n"
      "set minussign\n"
      "unset key\n"
      "set lmargin at screen 0.08421\n"
      "set rmargin at screen 0.88158\n"
      "set tmargin at screen 0.89408\n"
      "set bmargin at screen 0.08411\n"
      "set tics textcolor rgb '#9198a1'\n"
      "set label 'M' at screen 0.02105,0.96262 left noenhanced front textcolor rgb '#e6edf3' font 'Helvetica:Bold,15'\n"
      "set label 'position' at screen 0.02105,0.92523 left noenhanced front textcolor rgb '#9198a1' font 'Helvetica,12'\n"
      "set label 'channel' at screen 0.48289,0.02181 center noenhanced front textcolor rgb '#9198a1' font 'Helvetica,12'\n"
      "set border 15 linecolor rgb '#262c36'\n"
      "set tics nomirror out scale 0.5,0\n"
      "set xrange [-0.5:1.5]\n"
      "set yrange [1.5:-0.5]\n"
      "set palette maxcolors 65 defined (0 '#12161c', 1 '#a9d4f5')\n"
      "set cbrange [0:1]\n"
      "set colorbox user origin screen 0.90789,0.08411 size screen 0.01579,0.80997 noborder\n"
      "set cbtics scale 0\n");
  const auto palette = [](double lo, double hi, Theme theme) {
    HeatMap map = heat(lo);
    map.hi = hi;
    const std::string text = script(map, theme);
    const auto at = text.find("defined (") + 9;
    return text.substr(at, text.find(")", at) - at);
  };
  EXPECT_EQ(palette(0, 1, Theme::light), "0 '#f7fbff', 1 '#08306b'");
  EXPECT_EQ(palette(-1, 0, Theme::light), "0 '#f7fbff', 1 '#08306b'");
  EXPECT_EQ(palette(-1, 1, Theme::dark), "0 '#6cb6f5', 0.5 '#12161c', 1 '#ff9a55'");
}

// Each cell as so many points a side that there are 256 across.
TEST(Figure, of_a_heat_map_has_every_value_as_a_square_of_points) {
  const auto values = [](std::size_t rows, std::size_t columns) {
    HeatMap map = heat(-1);
    map.values.assign(rows, std::vector<double>(columns));
    for (std::size_t r = 0; r < rows; ++r)
      for (std::size_t c = 0; c < columns; ++c) map.values[r][c] = static_cast<double>(10 * r + c % 10);
    const std::string text = script(map, Theme::light);
    const std::string begin = "\n$map << END\n", end = "\nEND\nplot $map matrix using ";
    const auto from = text.find(begin) + begin.size(), to = text.find(end);
    return std::pair{text.substr(from, to - from), text.substr(to + end.size())};
  };
  const auto expected = [](std::size_t rows, std::size_t columns, std::size_t fine) {
    std::string out;
    for (std::size_t r = 0; r < rows * fine; ++r) {
      if (r > 0) out += "\n";
      for (std::size_t c = 0; c < columns * fine; ++c)
        out +=
            fmt::format("{}{:.2f}", c > 0 ? " " : "", static_cast<double>(10 * (r / fine) + c / fine % 10));
    }
    return out;
  };
  for (const auto& [columns, fine] : {std::pair{64u, 4u}, {100u, 2u}, {256u, 1u}, {300u, 1u}}) {
    const auto [points, drawn] = values(2, columns);
    EXPECT_EQ(points, expected(2, columns, fine)) << columns;
    EXPECT_EQ(drawn, fmt::format("(($1 + 0.5) / {0} + -0.5):(($2 + 0.5) / {0} + -0.5):3 with image notitle\n",
                                 fine));
  }
}

std::string size_of(const std::string& text) {
  const std::string begin = "svg size ";
  const auto at = text.find(begin) + begin.size();
  return text.substr(at, text.find(' ', at) - at);
}

TEST(Figure, of_a_heat_map_has_square_cells_within_limits) {
  const auto size = [](std::size_t rows, std::size_t columns) {
    HeatMap map = heat(-1);
    map.values.assign(rows, std::vector<double>(columns, 0));
    return size_of(script(map, Theme::light));
  };
  EXPECT_EQ(size(1, 2), "760,425");    // 606 across, 303 down, 68 above and 54 below
  EXPECT_EQ(size(1, 100), "760,282");  // 160 at least
  EXPECT_EQ(size(3, 2), "760,642");    // 520 at most
}

std::string line_of(const std::string& text, const std::string& begin) {
  const auto at = text.find("\n" + begin);
  return at == std::string::npos ? "none" : text.substr(at + 1, text.find('\n', at + 1) - at - 1);
}

TEST(Figure, of_a_heat_map_numbers_its_cells_from_where_the_axes_begin) {
  HeatMap map = heat(-1);
  map.x.range = {{1, 2}};
  map.y.range = {{8, 9}};
  const std::string text = script(map, Theme::light);
  EXPECT_EQ(line_of(text, "set xrange"), "set xrange [0.5:2.5]");
  EXPECT_EQ(line_of(text, "set yrange"), "set yrange [9.5:7.5]");
  EXPECT_EQ(line_of(text, "plot"),
            "plot $map matrix using (($1 + 0.5) / 128 + 0.5):(($2 + 0.5) / 128 + 7.5):3 with image notitle");
  EXPECT_EQ(csv(map), "position,channel,value\n8,1,0.00\n8,2,0.50\n9,1,-1.00\n9,2,1.00\n");
}

// Of what an axis shows: all points and a margin above and below, but of a logarithmic one what it can show.
TEST(Figure, shows_all_points_of_an_axis_that_has_no_range) {
  const auto ranges = [](std::vector<std::pair<double, double>> points, bool log_x = false,
                         bool log_y = false) {
    const Plot plot{.name = "p",
                    .title = "",
                    .description = "",
                    .x = {"x", log_x},
                    .y = {"y", log_y, {}, 2},
                    .curves = {{"a", std::move(points)}}};
    const std::string text = script(plot, Theme::light);
    return line_of(text, "set xrange") + " " + line_of(text, "set yrange");
  };
  EXPECT_EQ(ranges({{-3, 2}, {5, 12}, {1, 7}}), "set xrange [-3:5] set yrange [1.5:12.5]");
  EXPECT_EQ(ranges({{4, 3}}), "set xrange [3:5] set yrange [2:4]");
  EXPECT_EQ(ranges({}), "set xrange [1:2] set yrange [1:2]");
  EXPECT_EQ(ranges({{0, -1}, {4, 8}, {16, 2}}, true, true), "set xrange [4:16] set yrange [2:8]");
  EXPECT_EQ(ranges({{4, 8}}, true, true), "set xrange [2:8] set yrange [4:16]");
  EXPECT_EQ(ranges({{0, 0}}, true, true), "set xrange [1:2] set yrange [1:2]");
}

// Those that end in the same place are pushed apart by a line, and none leaves the frame below.
TEST(Figure, labels_that_would_lie_over_each_other_are_a_line_apart) {
  const auto heights = [](std::vector<double> ends) {
    Plot plot{.name = "p",
              .title = "",
              .description = "",
              .x = {"x"},
              .y = {"y", false, std::pair{0.0, 1.0}},
              .curves = {}};
    for (std::size_t n = 0; n < ends.size(); ++n)
      plot.curves.push_back({std::string(1, static_cast<char>('a' + n)), {{0, 0.5}, {1, ends[n]}}});
    const std::string text = script(plot, Theme::light);
    std::vector<long> out;
    for (std::size_t n = 0; n < ends.size(); ++n) {
      const std::string line = line_of(text, fmt::format("set label '{}'", static_cast<char>('a' + n)));
      out.push_back(std::lround(420 * (1 - std::stod(line.substr(line.find(',') + 1)))));
    }
    return out;
  };
  EXPECT_EQ(heights({1, 0.5, 0}), (std::vector<long>{68, 217, 364}));
  EXPECT_EQ(heights({0.5, 0.5}), (std::vector<long>{217, 232}));
  EXPECT_EQ(heights({0.49, 0.5, 0.51}), (std::vector<long>{244, 229, 214}));
  EXPECT_EQ(heights({0, 0, 0}), (std::vector<long>{334, 349, 364}));
  EXPECT_EQ(heights({0.5, 0.4}), (std::vector<long>{217, 247}));
}

// A point that an axis does not show has no label beside it: the last one that is shown has.
TEST(Figure, a_label_stands_at_the_last_point_that_is_shown) {
  const Plot plot{.name = "p",
                  .title = "",
                  .description = "",
                  .x = {"x", false, std::pair{0.0, 1.0}},
                  .y = {"y", false, std::pair{0.0, 1.0}},
                  .curves = {{"a", {{0, 0.5}, {1, 0.25}, {1, 2}}}, {"b", {{0, 2}}}}};
  const std::string text = script(plot, Theme::light);
  EXPECT_EQ(line_of(text, "set label 'a'").find("set label 'a' at screen 0.96895,0.30595 "), 0u) << text;
  EXPECT_EQ(line_of(text, "set label 'b'"), "none");
}

// Bands lie under all lines, in the colour of their own; the axis has room for them.
TEST(Figure, a_band_is_an_area_under_the_lines) {
  const Plot plot{.name = "p",
                  .title = "",
                  .description = "",
                  .x = {"x"},
                  .y = {"y"},
                  .curves = {{"one", {{0, 1}, {1, 2}}},
                             {.label = "two", .points = {{0, 3}, {1, 4}}, .band = {{2, 5}, {3, 11}}}},
                  .decimals = 1};
  const std::string text = script(plot, Theme::light);
  EXPECT_NE(text.find("set yrange [0.5:11.5]\n"), std::string::npos) << text;
  EXPECT_NE(
      text.find("$band1 << END\n0.0 2.0 5.0\n1.0 3.0 11.0\nEND\n"
                "plot $band1 using 1:2:3 with filledcurves linecolor rgb '#d55e00' fillstyle transparent "
                "solid 0.18 noborder notitle, "
                "$curve0 using 1:2 with lines linewidth 2 dashtype 1 linecolor rgb '#0072b2' notitle, "
                "$curve1 using 1:2 with lines linewidth 2 dashtype 1 linecolor rgb '#d55e00' notitle\n"),
      std::string::npos)
      << text;
  EXPECT_EQ(text.find("$band0"), std::string::npos);
}

TEST(Figure, curves_take_the_colours_in_turn_and_limits_none) {
  Plot plot{.name = "p", .title = "", .description = "", .x = {"x"}, .y = {"y"}, .curves = {}};
  for (int n = 0; n < 8; ++n)
    plot.curves.push_back({"", {{0, 0}, {1, 1}}, false, n == 1, fmt::format("c{}", n)});
  const std::string drawn = line_of(script(plot, Theme::light), "plot ");
  std::string colours;
  for (auto at = drawn.find('#'); at != std::string::npos; at = drawn.find('#', at + 1))
    colours += drawn.substr(at, 7);
  EXPECT_EQ(colours, "#0072b2#59636e#d55e00#009e73#a3498f#8a6d00#5b5b5b#0072b2");
}

TEST(Figure, a_limit_before_the_curves_takes_no_colour_from_them) {
  Plot plot{.name = "p", .title = "", .description = "", .x = {"x"}, .y = {"y"}, .curves = {}};
  for (int n = 0; n < 4; ++n)
    plot.curves.push_back({"", {{0, 0}, {1, 1}}, false, n % 2 == 0, fmt::format("c{}", n)});
  const std::string drawn = line_of(script(plot, Theme::light), "plot ");
  std::string colours;
  for (auto at = drawn.find('#'); at != std::string::npos; at = drawn.find('#', at + 1))
    colours += drawn.substr(at, 7);
  EXPECT_EQ(colours, "#59636e#0072b2#59636e#d55e00");
}

// Only labels that lie over each other are moved: those of curves that end elsewhere stay at their height.
TEST(Figure, labels_that_stand_apart_stay_where_they_are) {
  const auto height = [](double end_of_b, double value = 0.5) {
    const Plot plot{.name = "p",
                    .title = "",
                    .description = "",
                    .x = {"x", false, std::pair{0.0, 1.0}},
                    .y = {"y", false, std::pair{0.0, 1.0}},
                    .curves = {{"a", {{0, 0.5}, {1, 0.5}}}, {"b", {{0, 0.5}, {end_of_b, value}}}}};
    const std::string line = line_of(script(plot, Theme::light), "set label 'b'");
    return std::lround(420 * (1 - std::stod(line.substr(line.find(',') + 1))));
  };
  EXPECT_EQ(height(1), 232) << "below that of a";
  EXPECT_EQ(height(0.5), 232) << "below its own end";
  EXPECT_EQ(height(0.5, 0.5235), 225) << "though that of a stands 8 higher";
}

const std::string by_gnuplot =
    "<svg \n width=\"9\">\n<title>Gnuplot</title>\n<desc>Produced by GNUPLOT 5.4 patchlevel 4 </desc>\n"
    "<g><title>gnuplot_plot_1</title><image x='1'/><title>gnuplot_plot_2</title></g>\n"
    "<text font-family=\"Helvetica\"><tspan font-family=\"Helvetica\" >a</tspan></text>\n"
    "<text font-family=\"Helvetica:Bold\"><tspan font-family=\"Helvetica:Bold\" >b</tspan></text>\n</svg>\n\n\n";

TEST(Figure, is_published_with_a_title_a_description_and_the_version_that_drew_it) {
  const std::string svg = published(by_gnuplot, "A & B", "1 < 2 > \"0\"");
  EXPECT_EQ(
      svg,
      "<svg role=\"img\"\n width=\"9\">\n<title>A &amp; B</title>\n<desc>1 &lt; 2 &gt; \"0\"</desc>\n"
      "<!-- gnuplot 5.4 patchlevel 4 -->\n"
      "<g><image style=\"image-rendering:pixelated\" x='1'/></g>\n"
      "<text font-family=\"Helvetica, Arial, sans-serif\"><tspan>a</tspan></text>\n"
      "<text font-weight=\"bold\" font-family=\"Helvetica, Arial, sans-serif\"><tspan>b</tspan></text>\n</svg>\n");
  EXPECT_EQ(drawn_by(svg), "gnuplot 5.4 patchlevel 4");
  EXPECT_EQ(drawn_by(by_gnuplot), "");
  EXPECT_EQ(drawn_by(""), "");
  EXPECT_THROW(published("<svg></svg>", "a", "b"), std::runtime_error);
  EXPECT_THROW(published("<title>Gnuplot</title>\n<desc>Produced by GNUPLOT 5.4", "a", "b"),
               std::runtime_error);
  EXPECT_THROW(published(" </desc>\n<title>Gnuplot</title>\n<desc>Produced by GNUPLOT 5.4", "a", "b"),
               std::runtime_error);
}

}  // namespace
}  // namespace posproof::report::figure_test
