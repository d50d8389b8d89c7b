#include "report/accuracy.h"

#include <gtest/gtest.h>

#include <limits>

#include "report/json.h"

namespace posproof::report {
namespace {

Accuracy found() {
  Accuracy out;
  out.format = Format::f32;
  out.first = 0;
  out.last = 99;
  out.columns = 4;
  out.of_angles = true;
  out.rows = 100;
  out.entries = 400;
  out.wrong = 100;
  out.ulp = 3.5;
  out.ulp_at = {7, 2};
  out.largest = 0.25;
  out.largest_at = Entry{98, 0};
  out.profile = {{0, 0, 0x1p-25, 0x1p-22, 0}, {2, 2, 0.125, 0.5, 2}, {3, 3, 0.25, 0.75, 3.5}};
  out.against = {{Format::f32, 20}};
  out.worst = {0.25, 0.5, 2};
  out.worst_at = Case::parse("rows=1 t=98 n=100");
  return out;
}

TEST(ReportAccuracy, says_how_many_how_far_where_and_whether_that_is_allowed) {
  EXPECT_EQ(
      summary(found(), all_f32, {}),
      "  400 entries in f32, positions 0 to 99: 100 (25 %) are not the exact value correctly rounded\n"
      "  largest error  3.5 ulp at position 7, column 2\n"
      "  largest error  0.25 at position 98, column 0: an angle of which this is the sine or cosine is off by that many radians at least\n"
      "  HOLDS  every entry is within what rounding in f32 allows, at most 50 % of it\n");
}

TEST(ReportAccuracy, says_what_is_the_first_beyond) {
  Accuracy wrong = found();
  wrong.beyond = Accuracy::Beyond{{98, 0}, Case::parse("rows=1 t=98 n=100"), {0.25, 0.125, 2}};
  wrong.largest = std::numeric_limits<double>::infinity();
  const std::string said = summary(wrong, all_f32, {});
  EXPECT_NE(said.find("REFUTED  position 98, column 0 is the first beyond what rounding in f32 allows\n"
                      "    off by 0.25, bound 0.125\n    at  rows=1 t=98 n=100\n"),
            std::string::npos)
      << said;
  EXPECT_NE(said.find("infinite, or not a number"), std::string::npos) << said;
}

TEST(ReportAccuracy, nothing_compared_is_never_a_pass) {
  Accuracy none;
  none.stopped = "no position in common";
  EXPECT_EQ(summary(none, all_f32, {}), "  no position in common\n  nothing was compared\n");
}

TEST(ReportAccuracy, names_the_pair_and_the_head_of_a_bias) {
  Accuracy bias = found();
  bias.keys = 2;
  bias.ulp_at = {7, 3};
  EXPECT_NE(summary(bias, all_f32, {}).find("query 7, key 1, head 1"), std::string::npos);
}

TEST(ReportAccuracy, has_the_whole_curve_as_data_and_one_line_an_octave) {
  const Subject subject{"table:x.npy", "[100, 4] in F32", Table{}, all_f32, false};
  const Parameters parameters = Case::parse("dim=4");
  const Accuracy all = found();
  const AccuracyReport measured{"sinusoidal", parameters, subject, all};
  std::string data = json(measured);
  std::erase_if(data, [](char c) { return c == ' ' || c == '\n'; });
  EXPECT_EQ(
      data,
      R"({"encoding":"sinusoidal","parameters":{"dim":4.0},"subject":"table:x.npy",)"
      R"("description":"[100,4]inF32","kind":"table","precision":"f32","format":"f32","first":0,"last":99,)"
      R"("rows":100,"declined":0,"entries":400,"not_correctly_rounded":100,"stopped":"",)"
      R"("largest_ulp":{"ulp":3.5,"at":{"position":7,"column":2}},)"
      R"("largest_error":{"error":0.25,"bound_only":false,"at":{"position":98,"column":0}},)"
      R"("within_bound":true,"worst":{"case":"rows=1t=98n=100","residual":{"error":0.25,"bound":0.5}},)"
      R"("against_rounded_frequencies":[{"frequencies":"f32","not_correctly_rounded":20}],)"
      R"("curve":[{"first":0,"last":0,"error":2.9802322387695313e-08,"bound":2.384185791015625e-07,"ulp":0.0},)"
      R"({"first":2,"last":2,"error":0.125,"bound":0.5,"ulp":2.0},)"
      R"({"first":3,"last":3,"error":0.25,"bound":0.75,"ulp":3.5}]})");
  const std::string said = accuracy(measured, {});
  EXPECT_NE(said.find("against frequencies first rounded to f32: 5 % are not correctly rounded"),
            std::string::npos)
      << said;
  EXPECT_NE(said.find("2 to 3          0.25          0.75             3.5"), std::string::npos) << said;
}

}  // namespace
}  // namespace posproof::report
