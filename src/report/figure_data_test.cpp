#include "report/figure_data.h"

#include <gtest/gtest.h>

#include <stdexcept>

#include "report/figure.h"

namespace posproof::report::figure_data_test {
namespace {

using namespace document;

Plot small() {
  return {.name = "p",
          .title = "P",
          .description = "",
          .x = {"offset k, positions", true},
          .y = {"the \"norm\"", false},
          .curves = {{"width 8", {{0, 5}, {2, -0.0000001}, {1024, 1.23456789}}},
                     {.label = "", .points = {{1, 1}}, .name = "limit"}},
          .decimals = 3};
}

TEST(FigureData, of_a_plot_is_a_line_for_each_point_that_is_drawn) {
  EXPECT_EQ(csv(small()),
            "series,\"offset k, positions\",\"the \"\"norm\"\"\"\n"
            "width 8,2.000e+00,0.000\n"
            "width 8,1.024e+03,1.235\n"
            "limit,1.000e+00,1.000\n");
}

TEST(FigureData, has_the_digits_that_are_drawn) {
  EXPECT_NE(script(small(), Theme::light).find("$curve0 << END\n2.000e+00 0.000\n1.024e+03 1.235\nEND\n"),
            std::string::npos);
}

TEST(FigureData, of_a_heat_map_is_a_line_for_each_cell) {
  const HeatMap map{.name = "m",
                    .title = "M",
                    .description = "",
                    .x = {"channel"},
                    .y = {"position"},
                    .values = {{0, 0.5}, {-1, 0.00004}},
                    .lo = -1,
                    .hi = 1};
  EXPECT_EQ(csv(map), "position,channel,value\n0,0,0.0000\n0,1,0.5000\n1,0,-1.0000\n1,1,0.0000\n");
}

// A point that the axis cannot show takes its ends of the band along.
TEST(FigureData, of_a_band_is_both_its_ends_beside_the_point) {
  Plot plot = small();
  plot.curves[0].band = {{4, 6}, {-1, 0.5}, {1.25, 2}};
  EXPECT_EQ(
      csv(plot),
      "series,\"offset k, positions\",\"the \"\"norm\"\"\",lower end of the band,upper end of the band\n"
      "width 8,2.000e+00,0.000,-1.000,0.500\n"
      "width 8,1.024e+03,1.235,1.250,2.000\n"
      "limit,1.000e+00,1.000,,\n");
}

TEST(FigureData, refuses_a_band_that_does_not_fit_its_points) {
  Plot plot = small();
  plot.curves[0].band = {{4, 6}};
  EXPECT_THROW(csv(plot), std::logic_error);
  plot.curves[0].band = {{4, 6}, {0, 1}, {0, 2}};
  EXPECT_NO_THROW(csv(plot));
  plot.y.logarithmic = true;
  EXPECT_THROW(csv(plot), std::logic_error);  // 0 has no place on a logarithmic axis
}

TEST(FigureData, refuses_a_curve_without_a_name) {
  Plot plot = small();
  plot.curves[1].name = "";
  EXPECT_THROW(csv(plot), std::logic_error);
}

}  // namespace
}  // namespace posproof::report::figure_data_test
