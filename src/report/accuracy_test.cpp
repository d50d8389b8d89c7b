#include "report/accuracy.h"

#include <gtest/gtest.h>

#include <limits>

#include "report/json.h"

namespace posproof::report::report_accuracy_test {
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

TEST(ReportAccuracy, of_one_entry_that_is_not_rounded_correctly_says_where) {
  Accuracy one = found();
  one.wrong = 1;
  EXPECT_NE(summary(one, all_f32, {}).find("  largest error  3.5 ulp at position 7, column 2\n"),
            std::string::npos);
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

TEST(ReportAccuracy, names_the_channel_of_a_rotation_and_counts_both_vectors) {
  Accuracy rotary = found();
  rotary.of_rotations = true;
  EXPECT_TRUE(
      summary(rotary, all_f32, {})
          .starts_with("  400 entries of rotations, with each cosine and sine of a pair twice, in f32, "
                       "positions 0 to 99: 100 (25 %) are not the exact value correctly rounded\n"
                       "  largest error  3.5 ulp at position 7, channel 2\n"));
}

TEST(ReportAccuracy, says_that_later_keys_are_hidden) {
  Accuracy bias = found();
  bias.keys = 2;
  EXPECT_EQ(summary(bias, all_f32, {}).find("not compared"), std::string::npos);
  bias.hides_later_keys = true;
  EXPECT_NE(summary(bias, all_f32, {})
                .find("correctly rounded\n  keys after the query are not compared: a causal mask hides them\n"
                      "  largest error"),
            std::string::npos);
}

TEST(ReportAccuracy, names_places_of_a_grid_and_the_head_of_a_rotation) {
  Accuracy grid = found();
  grid.places = Places{{0, 0}, {2, 3}};
  grid.last = 11;
  grid.ulp_at = {7, 2};
  grid.largest_at = {};
  grid.declined = 2;
  grid.first_declined = 10;
  grid.channels = grid.columns;  // of one head
  const std::string said = summary(grid, all_f32, {});
  EXPECT_EQ(said.find("  400 entries in f32, places (0, 0) to (2, 3): 100 (25 %) are not the exact value "
                      "correctly rounded\n  largest error  3.5 ulp at (1, 3), column 2\n"),
            0u)
      << said;
  EXPECT_TRUE(said.ends_with("  NOT CHECKED  2 places were declined, the first is (2, 2)\n")) << said;
  grid.channels = 2;
  grid.ulp_at = {7, 3};
  EXPECT_NE(summary(grid, all_f32, {}).find("3.5 ulp at (1, 3), head 1, column 1\n"), std::string::npos);
  grid.channels = 0;
  grid.keys = 2;
  grid.first = 4;
  EXPECT_NE(summary(grid, all_f32, {}).find("3.5 ulp at query (1, 3), key (1, 1), head 1\n"),
            std::string::npos);
  const Subject subject{"x", "y", Table{}, all_f32, false};
  const Parameters parameters = Case::parse("dim=4");
  EXPECT_NE(accuracy({"sinusoidal", parameters, subject, grid}, {})
                .find("\n       largest number           error         bound     largest ulp\n"),
            std::string::npos);
}

std::string said(const Accuracy& found, const Precision& precision = all_f32) {
  return summary(found, precision, {});
}

bool holds(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST(ReportAccuracy, gives_a_share_in_percent_with_three_digits) {
  Accuracy some = found();
  some.entries = 3000;
  some.wrong = 1;
  EXPECT_TRUE(holds(said(some),
                    "  3000 entries in f32, positions 0 to 99: 1 (0.0333 %) are not the exact value "
                    "correctly rounded\n"))
      << said(some);
  some.entries = 100000;
  some.wrong = 99999;
  EXPECT_TRUE(holds(said(some), ": 99999 (99.999 %) are not")) << said(some);
  some.wrong = 100000;
  EXPECT_TRUE(holds(said(some), ": 100000 (100 %) are not")) << said(some);
  some.wrong = 0;
  EXPECT_TRUE(
      holds(said(some), ": all of them are the exact value correctly rounded\n  largest error  0.25 at "))
      << "and no unit in the last place: " << said(some);
}

// Angles are meant where an entry is a sine or cosine itself.
TEST(ReportAccuracy, says_what_the_largest_error_is_of) {
  Accuracy some = found();
  some.amplitude = 0.5;
  EXPECT_TRUE(holds(said(some), "\n  largest error  0.25 at position 98, column 0\n  HOLDS")) << said(some);
  some = found();
  some.of_angles = false;
  EXPECT_TRUE(holds(said(some), "\n  largest error  0.25 at position 98, column 0\n  HOLDS")) << said(some);
  some.largest_at = {};
  EXPECT_TRUE(holds(said(some), "\n  largest error  0.25\n  HOLDS")) << said(some);
  some.of_angles = true;
  some.amplitude = 0.5;
  some.wrong = 0;
  EXPECT_TRUE(holds(
      said(some),
      "\n  largest error  at most 0.25 (what correct rounding leaves of numbers up to 0.5, rounded up)\n  HOLDS"))
      << said(some);
  some.amplitude = 0.17677669529663687;
  EXPECT_TRUE(holds(said(some), " of numbers up to 0.176777, rounded up)")) << said(some);
  some.amplitude = 0.1767773;
  EXPECT_TRUE(holds(said(some), " of numbers up to 0.176778, rounded up)")) << said(some);
  some.amplitude = 0.5;
  some.wrong = 1;
  EXPECT_TRUE(
      holds(said(some),
            "\n  largest error  at most 0.25 (half a unit in the last place of 0.5, rounded up)\n  HOLDS"))
      << said(some);
}

// The exact value is known to f64: what is compared with it in f64 is off by the rounding of either.
TEST(ReportAccuracy, says_that_errors_in_f64_are_from_a_rounded_value) {
  Accuracy bias = found();
  bias.of_angles = false;
  bias.largest_at = {};
  bias.largest = 0;
  EXPECT_TRUE(holds(said(bias), "\n  largest error  0\n")) << said(bias);
  bias.format = Format::f64;
  EXPECT_TRUE(holds(said(bias), "\n  largest error  0 from the exact value rounded to f64\n")) << said(bias);
  bias.largest = 0.25;
  bias.largest_at = Entry{98, 0};
  EXPECT_TRUE(holds(said(bias),
                    "\n  largest error  0.25 from the exact value rounded to f64 at position 98, column 0\n"))
      << said(bias);
  bias.of_angles = true;
  EXPECT_FALSE(holds(said(bias), "rounded to f64")) << said(bias);
}

TEST(ReportAccuracy, says_what_was_not_compared_and_why) {
  Accuracy some = found();
  some.declined = 5;
  some.first_declined = 95;
  some.failed = Refuted{Case::parse("t=4"), {0, 0, 0}, 1, 0, true, {}, "it raised \x1b", "x"};
  some.errored = Errored{"late \x1b", Case::parse("t=5")};
  some.stopped = "out of time";
  EXPECT_TRUE(
      said(some).ends_with("at most 50 % of it\n"
                           "  NOT CHECKED  5 positions were declined, the first is 95\n"
                           "  REFUTED  it raised \\x1b\n    at  t=4\n"
                           "  ERRORED  late \\x1b\n    at  t=5\n"
                           "  out of time\n"))
      << said(some);
  some.entries = 0;
  EXPECT_EQ(said(some),
            "  NOT CHECKED  5 positions were declined, the first is 95\n"
            "  REFUTED  it raised \\x1b\n    at  t=4\n"
            "  ERRORED  late \\x1b\n    at  t=5\n"
            "  out of time\n"
            "  nothing was compared\n");
  EXPECT_EQ(summary(some, all_f32, {.colour = true}).find("  \x1b[33mNOT CHECKED\x1b[0m  5 "), 0u);
}

TEST(ReportAccuracy, names_the_precision_in_which_rounding_is_allowed) {
  EXPECT_TRUE(
      holds(said(found(), Precision::parse("bf16/f32")), "what rounding in bf16 over f32 allows, at most "));
  Accuracy wrong = found();
  wrong.beyond = Accuracy::Beyond{{98, 0}, Case::parse("t=98"), {1.0 / 3, 1.0 / 7, 2}};
  EXPECT_TRUE(holds(said(wrong, Precision::parse("bf16/f32")),
                    "position 98, column 0 is the first beyond what rounding in bf16 over f32 allows\n"
                    "    off by 0.333333, bound 0.142857\n    at  t=98\n"));
}

TEST(ReportAccuracy, is_a_page_from_its_heading_to_its_last_octave) {
  Subject subject{"cmd:x \x1b", "y \x1b", Table{}, all_f32, true};
  subject.containment = {{"no network"}, {"reading files"}};
  const Parameters parameters = Case::parse("dim=4 base=10000");
  Accuracy some = found();
  // Not correctly rounded, and not known to be further off than half a unit in the last place of 1: a bound.
  some.rounding = 0x1p-24;
  some.profile = {{0, 0, 0x1p-25, 0x1p-22, 0},
                  {1, 1, 0x1p-24, 0x1p-21, 0.75},
                  {2, 2, 0.125, 0.5, 2},
                  {3, 3, 0.25, 0.75, 3.51234}};
  some.against = {{Format::f32, 20}, {Format::f16, 400}};
  const auto page = [&] { return accuracy({"sinusoidal", parameters, subject, some}, {}); };
  EXPECT_EQ(page(),
            "accuracy sinusoidal --dim 4 of cmd:x \\x1b\n"
            "  y \\x1b gives table in f32\n"
            "  contained: no network\n"
            "  not contained: reading files\n" +
                said(some) +
                "  against frequencies first rounded to f32: 5 % are not correctly rounded\n"
                "  against frequencies first rounded to f16: 100 % are not correctly rounded\n"
                "            positions           error         bound     largest ulp\n"
                "                    0  <= 2.98024e-08   2.38419e-07         correct\n"
                "                    1  <= 5.96047e-08   4.76837e-07            0.75\n"
                "               2 to 3            0.25          0.75           3.512\n");
  // What is no sine or cosine is measured, correctly rounded or not.
  some.of_angles = false;
  EXPECT_NE(page().find("                    0     2.98023e-08   2.38419e-07         correct\n"),
            std::string::npos)
      << page();
  some.entries = 0;
  EXPECT_TRUE(page().ends_with("  not contained: reading files\n  nothing was compared\n")) << page();
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
      R"("within_bound":true,"worst":{"case":"rows=1t=98n=100","residual":{"error":0.25,"bound":0.5,"bound_only":false}},)"
      R"("against_rounded_frequencies":[{"frequencies":"f32","not_correctly_rounded":20}],)"
      R"("curve":[{"first":0,"last":0,"error":2.9802322387695313e-08,"bound_only":false,"bound":2.384185791015625e-07,"ulp":0.0},)"
      R"({"first":2,"last":2,"error":0.125,"bound_only":false,"bound":0.5,"ulp":2.0},)"
      R"({"first":3,"last":3,"error":0.25,"bound_only":false,"bound":0.75,"ulp":3.5}]})");
  const std::string said = accuracy(measured, {});
  EXPECT_NE(said.find("against frequencies first rounded to f32: 5 % are not correctly rounded"),
            std::string::npos)
      << said;
  EXPECT_NE(said.find("2 to 3            0.25          0.75             3.5"), std::string::npos) << said;
}

// Entries of a row are those of one head, key by key, and then those of the next.
TEST(ReportAccuracy, names_the_first_key_of_the_second_head) {
  Accuracy bias = found();
  bias.keys = 2;
  bias.ulp_at = {7, 2};
  EXPECT_NE(summary(bias, all_f32, {}).find("query 7, key 0, head 1"), std::string::npos);
}

TEST(ReportAccuracy, says_of_a_single_position_that_it_was_declined) {
  Accuracy some = found();
  some.declined = 1;
  some.first_declined = 95;
  EXPECT_NE(summary(some, all_f32, {}).find("the first is 95"), std::string::npos);
}

}  // namespace
}  // namespace posproof::report::report_accuracy_test
