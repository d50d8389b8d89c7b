#include <gtest/gtest.h>

#include <array>
#include <cmath>

#include "catalogue/encodings/log_cpb.h"
#include "core/error.h"
#include "encodings/made.h"
#include "encodings/seeded.h"

namespace posproof::log_cpb_test {
namespace {

using Place = std::vector<Position>;

Bias bias_of(std::string_view parameters, bool exact) {
  const Parameters all = with(encodings::log_cpb, Case::parse(parameters));
  return as<Bias>(exact ? encodings::log_cpb.oracle(all) : encodings::log_cpb.make(all));
}

// Of the last head.
double entry(std::string_view parameters, const Place& query, const Place& key, bool exact) {
  return bias_of(parameters, exact).bias({query, 2}, {key, 2}).data.back();
}

// By numpy in double precision, in the steps of Swin V2's code: the table of all offsets, and from it the
// entries by its index.
TEST(LogCpb, has_the_entries_of_swin_v2) {
  for (const bool exact : {false, true}) {
    EXPECT_NEAR(entry("heads=1", {0, 0}, {0, 0}, exact), 4.269757984924337, 1e-13);
    EXPECT_NEAR(entry("heads=4", {0, 0}, {7, 7}, exact), 6.726395938405774, 1e-13);
    EXPECT_NEAR(entry("heads=3", {7, 7}, {0, 7}, exact), 1.4772030710732105, 1e-13);
    const std::string small = "heads=2 hidden=4 height=3 width=2 std=0.5 ";
    EXPECT_NEAR(entry(small, {0, 0}, {2, 1}, exact), 8.746230057938545, 1e-13);
    EXPECT_NEAR(entry(small, {2, 0}, {0, 1}, exact), 13.010234748161741, 1e-13);
    EXPECT_NEAR(entry(small + "pretrained=[4,6]", {0, 0}, {2, 1}, exact), 7.889567306762679, 1e-13);
    EXPECT_NEAR(entry(small + "pretrained=[4,6]", {2, 0}, {0, 1}, exact), 11.101074155172288, 1e-13);
    const std::string paper = small + "coordinates=raw limit=none mlp_seed=2";
    EXPECT_NEAR(entry(paper, {0, 0}, {2, 1}, exact), -0.4947956247318425, 1e-15);
    EXPECT_NEAR(entry(paper, {2, 0}, {0, 1}, exact), 0.7897582094011435, 1e-15);
  }
}

// By Python's decimal at 50 digits, in the steps of timm's RelPosMlp in its modes cr and rw.
TEST(LogCpb, has_the_entries_of_timm) {
  const std::string small = "heads=2 hidden=4 height=3 width=2 std=0.5 last_biases=trained ",
                    cr = small + "coordinates=raw limit=none",
                    rw = small + "coordinates=edge_at_1 limit=tanh";
  for (const bool exact : {false, true}) {
    EXPECT_NEAR(entry(cr, {0, 0}, {2, 1}, exact), 0.568833437269154252, 1e-14);
    EXPECT_NEAR(entry(cr, {2, 0}, {0, 1}, exact), 1.73620183121093596, 1e-14);
    EXPECT_NEAR(entry(cr, {1, 1}, {1, 1}, exact), 0.652188234324071359, 1e-14);
    EXPECT_NEAR(entry(rw, {0, 0}, {2, 1}, exact), 2.68072548632276941, 1e-14);
    EXPECT_NEAR(entry(rw, {2, 0}, {0, 1}, exact), 3.86373184856799368, 1e-14);
    EXPECT_NEAR(entry(rw, {1, 1}, {1, 1}, exact), 2.29256491311318511, 1e-14);
    EXPECT_EQ(entry(rw + " pretrained=[4,6]", {0, 0}, {2, 1}, exact), entry(rw, {0, 0}, {2, 1}, exact));
  }
}

// A class token's entries are 0, exactly, and the others are what they are without one.
TEST(LogCpb, has_zeros_for_a_class_token) {
  const std::array<double, 2> token = {-1, -1}, other = {0, 1};
  for (const bool exact : {false, true}) {
    const std::string words = "heads=3 class_token=zero";
    EXPECT_EQ(entry(words, {-1, -1}, {2, 1}, exact), 0);
    EXPECT_EQ(entry(words, {2, 1}, {-1, 0}, exact), 0);
    EXPECT_EQ(entry(words, {-1, -1}, {-1, -1}, exact), 0);
    EXPECT_EQ(entry(words, {0, 1}, {2, 1}, exact), entry("heads=3", {0, 1}, {2, 1}, exact));
    const Bias bias = bias_of(words, exact);
    EXPECT_EQ(bias.positions.lo, -1);
    EXPECT_EQ(bias_of("heads=3", exact).positions.lo, 0);
    EXPECT_EQ(bias.error(0, token, other, 0, all_f32), 0);
    EXPECT_EQ(bias.error(0, other, token, 0, all_f32), 0);
    EXPECT_GT(bias.error(0, other, other, 0, all_f32), 0);
  }
}

// One hidden unit of two coordinates: each corner of the window has the coordinate log2(9) / 3 along both
// axes, and an offset of one in a window of 9 is 1.
TEST(LogCpb, has_these_coordinates) {
  const auto number = [](std::size_t at) { return seeded(14, at, at < 3 ? 1.0 : 0.5); };
  const auto of = [&](double y, double x) {
    return number(3) * std::max(number(0) * y + number(1) * x + number(2), 0.0);
  };
  const auto found = [](std::string_view words, const Place& query, const Place& key, bool exact) {
    return entry("heads=1 hidden=1 std=0.5 mlp_seed=14 " + std::string(words), query, key, exact);
  };
  const double corner = std::log2(9.0) / 3, ln2 = std::log(2.0), ln4 = std::log(4.0);
  ASSERT_NE(of(corner, corner), 0);
  for (const bool exact : {false, true}) {
    EXPECT_NEAR(found("limit=none height=5 width=3", {4, 2}, {0, 0}, exact), of(corner, corner), 1e-15);
    EXPECT_NEAR(found("limit=none height=5 width=3", {0, 2}, {4, 0}, exact), of(-corner, corner), 1e-15);
    EXPECT_NEAR(found("limit=none height=5 width=3", {4, 0}, {0, 2}, exact), of(corner, -corner), 1e-15);
    EXPECT_NEAR(found("limit=none height=9 width=15", {3, 7}, {2, 7}, exact), of(1.0 / 3, 0), 1e-15);
    EXPECT_NEAR(found("limit=none height=9 width=15 pretrained=[5,9]", {3, 8}, {2, 7}, exact),
                of(std::log2(3.0) / 3, 1.0 / 3), 1e-15);
    const std::string to_1 = "limit=none height=5 width=3 coordinates=edge_at_1";
    EXPECT_NEAR(found(to_1, {4, 2}, {0, 0}, exact), of(1, 1), 1e-15);
    EXPECT_NEAR(found(to_1, {0, 2}, {1, 1}, exact), of(-0.5, std::log(5.0) / std::log(9.0)), 1e-15);
    EXPECT_NEAR(found("limit=tanh", {7, 7}, {0, 0}, exact), 4 * std::tanh(of(corner, corner)), 1e-14);
    EXPECT_NEAR(found("limit=none coordinates=raw", {1, 3}, {0, 0}, exact), of(ln2, ln4), 1e-15);
    EXPECT_NEAR(found("limit=none coordinates=raw", {0, 3}, {1, 0}, exact), of(-ln2, ln4), 1e-15);
    EXPECT_NEAR(found("", {7, 7}, {0, 0}, exact), 16 / (1 + std::exp(-of(corner, corner))), 1e-14);
  }
}

TEST(LogCpb, ends_with_its_window) {
  for (const bool exact : {false, true}) {
    const Bias bias = bias_of("height=3 width=5", exact);
    EXPECT_EQ(bias.positions.last_on_axis, (Place{2, 4}));
    EXPECT_EQ(bias.positions.hi, 4);
    EXPECT_EQ(bias.positions.axes, 2);
  }
}

// One hidden unit: its numbers are those of the seed, and each step's loss counts as the steps after it have
// it.
TEST(LogCpb, allows_what_its_roundings_lose) {
  const double u = unit_f32;
  const auto number = [](std::size_t at) { return std::abs(seeded(14, at, at < 3 ? 1.0 : 0.5)); };
  const std::array<double, 2> query = {4, 2}, key = {1, 0};  // 3 of 4 rows, 2 of 2 columns
  const double y = 6, x = 8, ln8 = std::log(8.0);
  const auto at = [&](double inside) { return std::log1p(inside) / ln8; };
  const auto of = [&](double inside) {
    return (2 * inside / (1 + inside) + 1 + 2 * std::log1p(inside)) / ln8 + 3 * at(inside);
  };
  const double w = number(0) * at(y), v = number(1) * at(x), b = number(2);
  const double sum = seeded(14, 0, 1.0) * at(y) + seeded(14, 1, 1.0) * at(x) + seeded(14, 2, 1.0);
  ASSERT_GT(sum, 0);
  const double hidden =
      number(0) * of(y) + number(1) * of(x) + 2 * (w + v) + b + sum + (w + v + b);  // in units of f32
  const double right = number(3) * (hidden + 2 * sum + sum) * u;
  for (const bool exact : {false, true}) {
    const Bias bias = bias_of("heads=1 hidden=1 std=0.5 mlp_seed=14 height=5 width=3 limit=none", exact);
    EXPECT_NEAR(bias.error(0, query, key, 0.5, all_f32), right, 1e-9 * right);
    EXPECT_NEAR(bias.error(0, query, key, 0.5, {unit_f32, unit_bf16}), right + 0.5 * unit_bf16, 1e-9 * right);
    const Bias limited = bias_of("heads=1 hidden=1 std=0.5 mlp_seed=14 height=5 width=3", exact);
    const double z = seeded(14, 3, 0.5) * sum, s = 1 / (1 + std::exp(-z));
    const double of_sigmoid =
        16 * (s * (1 - s) * std::expm1(right) + u * std::max(4 * s, std::abs(2 * s - 1) + s));
    EXPECT_NEAR(limited.error(0, query, key, 0.5, all_f32), of_sigmoid, 1e-9 * of_sigmoid);
    // 4 tanh(z): the slope within what z is off by, and 2 units of the library's tanh.
    const Bias by_tanh = bias_of("heads=1 hidden=1 std=0.5 mlp_seed=14 height=5 width=3 limit=tanh", exact);
    const double t = std::tanh(z),
                 of_tanh = 4 * ((1 - t * t) * std::expm1(2 * right) / 2 + 2 * u * std::abs(t));
    EXPECT_NEAR(by_tanh.error(0, query, key, 0.5, all_f32), of_tanh, 1e-9 * of_tanh);
  }
}

// Of numbers that a format cannot hold, and of a coordinate that is kept in a narrow one.
TEST(LogCpb, allows_what_a_narrow_format_loses) {
  const std::array<double, 2> query = {601, 0}, near = {600, 0}, far = {0, 0};
  const auto error = [&](std::string_view words, const std::array<double, 2>& key, const Precision& p) {
    return bias_of(
               "heads=1 hidden=1 limit=none mlp_seed=14 std=0.5 height=1024 width=2 " + std::string(words),
               true)
        .error(0, query, key, 0, p);
  };
  const Precision wide{unit_f32, unit_f32}, narrow = Precision::parse("bf16/bf16");
  const double scale = unit_bf16 / unit_f32;
  // 1 is held, 601 is not: that counts 601 / 602 of a unit, on top of what is the same.
  const double weight = std::abs(seeded(14, 0, 1.0) * seeded(14, 3, 0.5));
  const double of_far = error("coordinates=raw", far, narrow) - scale * error("coordinates=raw", far, wide);
  EXPECT_NEAR(of_far, weight * unit_bf16 * 601 / 602, 1e-3 * of_far);
  const double of_near =
      error("coordinates=raw", near, narrow) - scale * error("coordinates=raw", near, wide);
  EXPECT_NEAR(of_near, 0, 1e-12);
  // The table in bf16, all else in f32: the coordinate is one of the numbers that are kept.
  const Precision kept = Precision::parse("f32+table=bf16");
  const double more = unit_bf16 - unit_f32, last = std::abs(seeded(14, 3, 0.5)),
               hidden = weight * std::log(602.0) + last * std::abs(seeded(14, 2, 1.0));
  EXPECT_NEAR(error("coordinates=raw", far, kept) - error("coordinates=raw", far, wide),
              2 * hidden * more + weight * std::log(602.0) * unit_bf16, 1e-6);
}

TEST(LogCpb, refuses_what_makes_no_sense) {
  const std::string allowed = "; allowed: none, or two whole numbers from 2";
  EXPECT_EQ(refused(encodings::log_cpb, "height=1"), "`height=1`; allowed: whole numbers from 2 to 4096");
  for (const std::string words : {"pretrained=[1,6]", "pretrained=[6]", "pretrained=[6,6.5]"})
    EXPECT_NE(refused(encodings::log_cpb, words).find(allowed), std::string::npos) << words;
  EXPECT_EQ(refused(encodings::log_cpb, "pretrained=[2,4096]"), "not refused");
}

}  // namespace
}  // namespace posproof::log_cpb_test
