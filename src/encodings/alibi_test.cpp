#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "catalogue/encodings/alibi.h"
#include "core/error.h"
#include "encodings/made.h"

namespace posproof::alibi_test {
namespace {

std::vector<double> log2_slopes(std::string_view parameters) {
  std::vector<double> out;
  for (const double m : made<Bias>(encodings::alibi, parameters).slopes) out.push_back(std::log2(m));
  return out;
}

using Doubles = std::vector<double>;

TEST(Alibi, has_the_slopes_of_the_official_rule) {
  EXPECT_EQ(log2_slopes("heads=1"), (Doubles{-8}));
  EXPECT_EQ(log2_slopes("heads=2"), (Doubles{-4, -8}));
  EXPECT_EQ(log2_slopes("heads=3"), (Doubles{-4, -8, -2}));
  EXPECT_EQ(log2_slopes("heads=5"), (Doubles{-2, -4, -6, -8, -1}));
  EXPECT_EQ(log2_slopes("heads=8"), (Doubles{-1, -2, -3, -4, -5, -6, -7, -8}));
  EXPECT_EQ(made<Bias>(encodings::alibi, "heads=12").slopes,
            (Doubles{0.5, 0.25, 0.125, 0.0625, 0.03125, 0.015625, 0.0078125, 0.00390625, 0.7071067811865476,
                     0.3535533905932738, 0.1767766952966369, 0.08838834764831845}));
}

TEST(Alibi, has_one_ladder_under_the_geometric_rule) {
  const auto slopes = made<Bias>(encodings::alibi, "heads=3 rule=geometric").slopes;
  for (std::size_t h = 0; h < 3; ++h) EXPECT_DOUBLE_EQ(slopes[h], std::exp2(-8.0 * double(h + 1) / 3));
  EXPECT_EQ(log2_slopes("heads=8 rule=geometric"), log2_slopes("heads=8"));
  EXPECT_EQ(log2_slopes("heads=4 max_bias=4"), (Doubles{-1, -2, -3, -4}));
}

// IBM's foundation-model-stack: from 1/2 to the last, both included, in equal ratios.
TEST(Alibi, has_slopes_of_equal_ratios_under_the_log_linear_rule) {
  EXPECT_EQ(log2_slopes("heads=2 rule=log_linear"), (Doubles{-1, -8}));
  EXPECT_EQ(log2_slopes("heads=8 rule=log_linear"), log2_slopes("heads=8"));
  EXPECT_EQ(log2_slopes("heads=4 rule=log_linear max_bias=7"), (Doubles{-1, -3, -5, -7}));
  const auto slopes = made<Bias>(encodings::alibi, "heads=12 rule=log_linear").slopes;
  for (std::size_t h = 0; h < 12; ++h) EXPECT_DOUBLE_EQ(slopes[h], std::exp2(-1 - 7 * double(h) / 11));
}

TEST(Alibi, gives_a_bias_to_its_first_heads_alone) {
  EXPECT_EQ(made<Bias>(encodings::alibi, "heads=4 biased_heads=2").slopes, (Doubles{0x1p-4, 0x1p-8, 0, 0}));
  EXPECT_EQ(made<Bias>(encodings::alibi, "heads=3 biased_heads=3").slopes,
            made<Bias>(encodings::alibi, "heads=3").slopes);
  const std::array<Position, 1> query = {5}, key = {1};
  for (const bool exact : {false, true}) {
    const Parameters all = with(encodings::alibi, Case::parse("heads=3 biased_heads=2"));
    const auto bias = as<Bias>(exact ? encodings::alibi.oracle(all) : encodings::alibi.make(all));
    EXPECT_EQ(bias.bias(query, key).data, (Doubles{-4 * 0x1p-4, -4 * 0x1p-8, 0}));
    EXPECT_FALSE(std::signbit(bias.bias(query, key).data[2]));
  }
}

// Falcon scales product and bias together.
TEST(Alibi, is_divided_by_the_root_of_the_width_where_it_is_scaled_with_the_product) {
  EXPECT_EQ(log2_slopes("heads=2 head_dim=64"), (Doubles{-7, -11}));
  EXPECT_DOUBLE_EQ(made<Bias>(encodings::alibi, "heads=1 head_dim=10").slopes[0], 0x1p-8 / std::sqrt(10));
  for (const std::string words : {"heads=3 head_dim=10", "heads=16 head_dim=128", "heads=5 head_dim=36"}) {
    const Parameters all = with(encodings::alibi, Case::parse(words));
    const auto here = encodings::alibi.make<Bias>(all), there = encodings::alibi.oracle<Bias>(all);
    const std::array<Position, 2> at = {0, 1000003};
    const Tensor a = here.bias(at, at), b = there.bias(at, at);
    for (std::size_t n = 0; n < a.data.size(); ++n)
      EXPECT_DOUBLE_EQ(a.data[n], b.data[n]) << words << " " << n;
  }
}

TEST(Alibi, counts_later_keys_by_themselves_where_it_is_asymmetric) {
  const std::array<Position, 1> query = {3};
  const std::array<Position, 3> keys = {1, 3, 7};
  for (const bool exact : {false, true}) {
    const auto entries = [&](std::string_view words) {
      const Parameters all = with(encodings::alibi, Case::parse(words));
      return as<Bias>(exact ? encodings::alibi.oracle(all) : encodings::alibi.make(all))
          .bias(query, keys)
          .data;
    };
    EXPECT_EQ(entries("heads=1 form=asymmetric"), entries("heads=1 form=symmetric"));
    EXPECT_EQ(entries("heads=2 form=asymmetric future_factor=0.75 future_offset=2"),
              (Doubles{-2. / 16, 0, -0.75 * 6 / 16, -2. / 256, 0, -0.75 * 6 / 256}));
    EXPECT_EQ(entries("heads=1 future_factor=2"), entries("heads=1"));
    EXPECT_EQ(entries("heads=1 form=symmetric future_offset=2"), entries("heads=1 form=symmetric"));
  }
  const Bias bias = made<Bias>(encodings::alibi, "heads=1 form=asymmetric");
  EXPECT_FALSE(bias.causal);
  // A later key's entry may be off by 3 units more: offset, factor and product.
  const double here = 3, later = 4;
  const double of_later = bias.error(0, {&here, 1}, {&later, 1}, -0.75, all_f32),
               of_earlier = bias.error(0, {&later, 1}, {&here, 1}, -0.75, all_f32);
  EXPECT_DOUBLE_EQ(of_earlier, bias_error(all_f32, -0.75, 0x1p-8, 1));
  EXPECT_DOUBLE_EQ(of_later - of_earlier, 3 * 0.75 * unit_f32);
  EXPECT_FALSE(made<Bias>(encodings::alibi, "form=symmetric").error);
}

// Of both, in turn: of these tokens of a grid, each of so many numbers.
std::array<Doubles, 2> on_a_grid(const std::string& words, const std::vector<Position>& queries,
                                 const std::vector<Position>& keys, std::size_t axes = 2) {
  const Parameters all =
      with(encodings::alibi, Case::parse("form=symmetric axes=" + std::string(axes == 2 ? "" : "time_") +
                                         "rows_and_columns " + words));
  std::array<Doubles, 2> out;
  for (const bool exact : {false, true}) {
    const auto bias = as<Bias>(exact ? encodings::alibi.oracle(all) : encodings::alibi.make(all));
    EXPECT_EQ(bias.positions.axes, axes);
    out[exact] = bias.bias({queries, axes}, {keys, axes}).data;
  }
  return out;
}

// From a place to itself, to the next row, to one 3 rows and 4 columns on, and to one a row and a column on:
// 0, 1, 5 and the root of 2; or 0, 1, 7 and 2. The slopes are 2^-4 and 2^-8.
TEST(Alibi, on_a_grid_falls_with_the_distance_of_places) {
  const std::vector<Position> here = {1, 1}, there = {1, 1, 2, 1, 4, 5, 2, 2};
  const double root = 1.4142135623730950488;
  for (const Doubles& found : on_a_grid("heads=2 grid=[5,6]", here, there))
    EXPECT_EQ(found, (Doubles{0, -1. / 16, -5. / 16, -root / 16, 0, -1. / 256, -5. / 256, -root / 256}));
  for (const Doubles& found : on_a_grid("heads=2 grid=[5,6] metric=manhattan", here, there))
    EXPECT_EQ(found, (Doubles{0, -1. / 16, -7. / 16, -2. / 16, 0, -1. / 256, -7. / 256, -2. / 256}));
  // 2, 3 and 6 frames, rows and columns apart are 7.
  for (const Doubles& found : on_a_grid("heads=1 grid=[3,4,9]", {0, 3, 8}, {2, 0, 2}, 3))
    EXPECT_EQ(found, (Doubles{-7. / 256}));
  for (const Doubles& found : on_a_grid("heads=1 grid=[3,4,9] metric=manhattan", {0, 3, 8}, {2, 0, 2}, 3))
    EXPECT_EQ(found, (Doubles{-11. / 256}));
  // Without a -0, and with slopes that are no powers of 2: 2^-8 / sqrt(10) sqrt(5).
  EXPECT_FALSE(std::signbit(on_a_grid("heads=1 grid=[5,6]", here, here)[0][0]));
  EXPECT_FALSE(std::signbit(on_a_grid("heads=1 grid=[5,6]", here, here)[1][0]));
  for (const Doubles& found : on_a_grid("heads=1 head_dim=10 grid=[5,6]", here, {3, 2}))
    EXPECT_DOUBLE_EQ(found[0], -0.70710678118654752440 / 256);
}

// Along one axis either metric is the distance of a sequence; of two, entries of the axes are added, or their
// squares are.
TEST(Alibi, on_a_grid_is_made_of_those_of_its_axes) {
  const std::string slopes = "heads=12 max_bias=7 head_dim=36 ";
  const auto along = [&](Position distance) {
    const Parameters all = with(encodings::alibi, Case::parse(slopes + "form=symmetric"));
    const std::array<Position, 1> query = {distance}, key = {0};
    return as<Bias>(encodings::alibi.oracle(all)).bias(query, key).data;
  };
  for (const auto& [rows, columns] :
       std::vector<std::pair<Position, Position>>{{0, 7}, {6, 0}, {3, 8}, {999, 2}, {1000003, 1048575}}) {
    const Doubles of_rows = along(rows), of_columns = along(columns);
    for (const std::string metric : {"euclidean", "manhattan"})
      for (const Doubles& found :
           on_a_grid(slopes + "grid=[1048576,1048576] metric=" + metric, {rows, 0}, {0, columns}))
        for (std::size_t h = 0; h < 12; ++h)
          EXPECT_NEAR(
              found[h],
              metric == "manhattan" ? of_rows[h] + of_columns[h] : -std::hypot(of_rows[h], of_columns[h]),
              std::abs(found[h]) * 0x1p-51)
              << rows << " " << columns << " " << metric << " " << h;
  }
}

TEST(Alibi, on_a_grid_has_no_bias_at_a_class_token) {
  const std::vector<Position> tokens = {-1, -1, 0, 0, 1, 1};
  for (const std::string metric : {"euclidean", "manhattan"})
    for (const Doubles& found :
         on_a_grid("heads=1 grid=[2,2] class_token=zero metric=" + metric, tokens, tokens)) {
      const double apart = metric == "manhattan" ? -2. / 256 : -std::sqrt(2.) / 256;
      EXPECT_EQ(found, (Doubles{0, 0, 0, 0, 0, apart, 0, apart, 0}));
    }
  // One negative number is enough.
  for (const Doubles& found : on_a_grid("heads=1 grid=[2,2] class_token=zero", {1, -1}, {0, 1}))
    EXPECT_EQ(found, (Doubles{0}));
  for (const Doubles& found : on_a_grid("heads=1 grid=[2,2] class_token=zero", {0, 1}, {-1, 1}))
    EXPECT_EQ(found, (Doubles{0}));
}

TEST(Alibi, on_a_grid_ends_with_it) {
  for (const bool exact : {false, true}) {
    const auto of = [&](std::string_view words) {
      const Parameters all = with(encodings::alibi, Case::parse(words));
      return as<Bias>(exact ? encodings::alibi.oracle(all) : encodings::alibi.make(all));
    };
    const Bias plain = of("heads=1 form=symmetric axes=rows_and_columns grid=[3,5] rows=any"),
               classed =
                   of("heads=2 form=symmetric axes=time_rows_and_columns grid=[7,2,3] class_token=zero");
    EXPECT_EQ(plain.positions.last_on_axis, (std::vector<Position>{2, 4}));
    EXPECT_EQ(plain.positions.hi, 4);
    EXPECT_EQ(plain.positions.lo, 0);
    EXPECT_TRUE(plain.modulo_rows);
    EXPECT_EQ(classed.positions.last_on_axis, (std::vector<Position>{6, 1, 2}));
    EXPECT_EQ(classed.positions.hi, 6);
    EXPECT_EQ(classed.positions.lo, -1);
    EXPECT_EQ(classed.slopes, (Doubles{0x1p-4, 0x1p-8}));
    EXPECT_FALSE(classed.modulo_rows);
    EXPECT_FALSE(classed.causal);
  }
}

// In f32 an entry of two axes may be off by 2 units more than one of a sequence, of three by 2.5; of sums by
// 1 and by 2.
TEST(Alibi, on_a_grid_allows_what_distances_lose) {
  const auto more = [](const std::string& words) {
    const auto bias = made<Bias>(encodings::alibi, "heads=1 form=symmetric " + words);
    const std::array<double, 3> at = {};
    return (bias.error(0, at, at, -0.75, all_f32) - bias_error(all_f32, -0.75, 0x1p-8, 1)) /
           (0.75 * unit_f32);
  };
  // Both errors are below 16 units, and each is rounded a few times in double.
  constexpr double ours = 64 * unit_f64;
  EXPECT_NEAR(more("axes=rows_and_columns grid=[5,3]"), 2, ours);
  EXPECT_NEAR(more("axes=time_rows_and_columns grid=[2,5,3]"), 2.5, ours);
  EXPECT_NEAR(more("axes=rows_and_columns grid=[5,3] metric=manhattan"), 1, ours);
  EXPECT_NEAR(more("axes=time_rows_and_columns grid=[2,5,3] metric=manhattan"), 2, ours);
}

TEST(Alibi, falls_with_the_distance_in_every_form) {
  const std::array<Position, 2> queries = {1, 5};
  const std::array<Position, 3> keys = {0, 1, 4};
  const auto bias = [&](std::string_view parameters) {
    return made<Bias>(encodings::alibi, parameters).bias(queries, keys);
  };
  // Slopes 1/16 and 1/256.
  const Tensor causal = bias("heads=2");
  EXPECT_EQ(causal.shape, (Shape{2, 2, 3}));
  EXPECT_EQ(causal.data, (Doubles{-1. / 16, 0, 0, -5. / 16, -4. / 16, -1. / 16,  //
                                  -1. / 256, 0, 0, -5. / 256, -4. / 256, -1. / 256}));
  EXPECT_FALSE(std::signbit(causal.data[1]));
  EXPECT_EQ(bias("heads=1 form=symmetric").data,
            (Doubles{-1. / 256, 0, -3. / 256, -5. / 256, -4. / 256, -1. / 256}));
  EXPECT_EQ(bias("heads=1 rows=key_index").data, (Doubles{0, 1. / 256, 4. / 256, 0, 1. / 256, 4. / 256}));
}

TEST(Alibi, declares_whether_it_is_causal) {
  EXPECT_TRUE(made<Bias>(encodings::alibi, "heads=2").causal);
  EXPECT_TRUE(made<Bias>(encodings::alibi, "heads=2 rows=key_index").causal);
  EXPECT_FALSE(made<Bias>(encodings::alibi, "heads=2 form=symmetric").causal);
}

TEST(Alibi, refuses_what_makes_no_sense) {
  const auto& spec = encodings::alibi;
  EXPECT_EQ(refused(spec, "heads=0"), "`heads=0`; allowed: whole numbers from 1 to 16384");
  EXPECT_EQ(refused(spec, "rule=linear"),
            "`rule=linear`; allowed: official, geometric, log_linear; near it: log_linear");
  EXPECT_EQ(refused(spec, "form=full"), "`form=full`; allowed: causal, symmetric, asymmetric");
  EXPECT_EQ(refused(spec, "rows=absolute"), "`rows=absolute`; allowed: relative, key_index, any");
  EXPECT_EQ(refused(spec, "max_bias=0"), "`max_bias=0`; allowed: finite numbers above 0");
  EXPECT_EQ(
      refused(spec, "form=symmetric rows=key_index"),
      "`rows=key_index form=symmetric`; allowed: `rows=relative` or `rows=any` where the bias is not causal: it then depends on more than the key");
  EXPECT_EQ(
      refused(spec, "heads=1 rule=log_linear"),
      "`heads=1 biased_heads=0 rule=log_linear`; allowed: 2 or more heads with a bias: the slopes run from 1/2 to the last one");
  EXPECT_EQ(
      refused(spec, "heads=4 biased_heads=1 rule=log_linear"),
      "`heads=4 biased_heads=1 rule=log_linear`; allowed: 2 or more heads with a bias: the slopes run from 1/2 to the last one");
  EXPECT_EQ(refused(spec, "rule=log_linear max_bias=0.5"),
            "`max_bias=0.5 rule=log_linear`; allowed: numbers from 1: the first slope is 1/2");
  EXPECT_EQ(refused(spec, "heads=2 biased_heads=3"),
            "`biased_heads=3 heads=2`; allowed: numbers up to `heads`");
  EXPECT_EQ(refused(spec, "head_dim=7"), "`head_dim=7`; allowed: 0, or widths from 8");
  EXPECT_EQ(refused(spec, "axes=rows_and_columns grid=[5,3]"),
            "`form=causal axes=rows_and_columns`; allowed: symmetric, where positions have several numbers");
  const std::string_view extents =
      " axes=rows_and_columns`; allowed: whole numbers from 1 to 1048576, one for each axis";
  for (const std::string grid : {"[]", "[5]", "[5,3,2]", "[5,0]", "[5,1.5]", "[5,1048577]"})
    EXPECT_EQ(refused(spec, "form=symmetric axes=rows_and_columns grid=" + grid),
              "`grid=" + grid + std::string(extents));
  EXPECT_EQ(refused(spec, "form=symmetric axes=rows_and_columns grid=[1048576,1]"), "not refused");
  EXPECT_EQ(refused(spec, "grid=[5]"), "not refused");
}

// Widths of heads from 8, and first slopes of 1/2 that are the last, too.
TEST(Alibi, begins_where_its_relations_do) {
  EXPECT_DOUBLE_EQ(made<Bias>(encodings::alibi, "heads=1 head_dim=8").slopes.front(),
                   0x1p-8 / std::sqrt(8.0));
  EXPECT_THROW(made<Bias>(encodings::alibi, "head_dim=7"), Refusal);
  EXPECT_EQ(made<Bias>(encodings::alibi, "heads=2 rule=log_linear max_bias=1").slopes, (Doubles{0.5, 0.5}));
  EXPECT_THROW(made<Bias>(encodings::alibi, "heads=2 rule=log_linear max_bias=0.5"), Refusal);
}

}  // namespace
}  // namespace posproof::alibi_test
