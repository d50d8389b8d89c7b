// What entries are compared with, and how far rounding may put them.
#include "run/reference.h"

#include <gtest/gtest.h>

#include <cmath>

#include "core/error.h"
#include "core/residual.h"
#include "run/catalogued.h"

namespace posproof::reference_test {
namespace {

Encoding truth_of(std::string_view id, std::string_view parameters) {
  const EncodingSpec& spec = encoding_named(id);
  return spec.oracle(with(spec, Case::parse(parameters)));
}

Reference reference_of(std::string_view id, std::string_view parameters, const Domain& domain = {0, 99}) {
  return reference(truth_of(id, parameters), all_f32, domain).value();
}

TEST(Reference, of_a_ladder_grows_from_where_its_angle_is_0) {
  const Reference plain = reference_of("sinusoidal", "dim=6 amplitude=0.5"),
                  shifted = reference_of("sinusoidal", "dim=6 offset=5");
  EXPECT_EQ(plain.origin, 0);
  EXPECT_EQ(shifted.origin, -5);
  EXPECT_EQ(plain.amplitude, 0.5);
  EXPECT_EQ(plain.ceiling, 1);
  EXPECT_EQ(plain.dim, 6u);
  EXPECT_TRUE(plain.empty.empty());
  EXPECT_EQ(reference_of("sinusoidal", "dim=7 odd=zero_pad").empty, std::vector<std::size_t>{6});
  EXPECT_EQ(reference_of("sinusoidal", "dim=7 odd=truncate").empty, std::vector<std::size_t>{});
  EXPECT_EQ(reference_of("rope", "dim=6 rotary_dim=4").empty, (std::vector<std::size_t>{4, 5}));
  ASSERT_EQ(plain.rounded.size(), 2u);
  EXPECT_EQ(plain.rounded[0].frequencies, Format::f64);
  EXPECT_EQ(plain.rounded[1].frequencies, Format::f32);
}

// error.h's bound of every column, and the two roundings of a double on top where there is anything to round.
TEST(Reference, allows_every_column_what_error_h_allows) {
  const auto padded = as<Table>(truth_of("sinusoidal", "dim=7 odd=zero_pad amplitude=0.5 offset=3"));
  const Reference of_table = reference_of("sinusoidal", "dim=7 odd=zero_pad amplitude=0.5 offset=3");
  const auto rope = as<Rotary>(truth_of("rope", "dim=6 rotary_dim=4 scaling=yarn"));
  const Reference of_rope = reference_of("rope", "dim=6 rotary_dim=4 scaling=yarn");
  for (const Position t : {0, 1, 77}) {
    const auto allowed = row_error(padded, all_f32, t, std::vector<double>(7, 0.0));
    const auto bound = of_table.bound(t);
    for (std::size_t c = 0; c < 7; ++c)
      EXPECT_DOUBLE_EQ(bound.at(c), c == 6 ? 0 : allowed[c] + 2 * unit_f64 * 0.5) << t << " " << c;
    const auto rotated = rotated_error(rope, all_f32, t, std::vector<double>{1, 1, 0, 0, 0, 0});
    const auto of_pair = of_rope.bound(t);
    for (std::size_t c = 0; c < 6; ++c)
      EXPECT_DOUBLE_EQ(of_pair.at(c), rotated[c] + (c < 4 ? 2 * unit_f64 * rope.amplitude : 0))
          << t << " " << c;
  }
}

// As far as the larger of its numbers.
TEST(Reference, of_a_grid_is_as_far_as_its_places) {
  const Places places{{0, 0}, {3, 5}};
  const Reference grid = reference(truth_of("axial_rope", "dim=4"), all_f32, places).value();
  EXPECT_EQ(grid.distance(6 * 3 + 2), 3);  // (3, 2)
  EXPECT_EQ(grid.distance(6 * 1 + 4), 4);
}

TEST(Reference, of_rows_that_may_be_shifted_there_is_none) {
  auto bias = as<Bias>(truth_of("alibi", "heads=1"));
  const Places line{{0}, {9}};
  EXPECT_TRUE(reference(bias, all_f32, line).has_value());
  bias.modulo_rows = true;
  EXPECT_FALSE(reference(bias, all_f32, line).has_value());
}

TEST(Reference, of_rows_allows_each_entry_its_own) {
  const auto table = as<Table>(truth_of("normalized_index", "dim=3 range=centred"));
  const Reference found = reference_of("normalized_index", "dim=3 range=centred");
  EXPECT_FALSE(found.origin.has_value());
  EXPECT_EQ(found.ceiling, no_ceiling);
  EXPECT_EQ(found.amplitude, 0);
  for (const Position t : {0, 30, 99}) {
    const Tensor row = table.rows({&t, 1}, 100);
    const auto allowed = row_error(table, all_f32, t, row.data);
    const auto bound = found.bound(t);
    ASSERT_EQ(bound.size(), 3u);
    for (std::size_t c = 0; c < 3; ++c)
      EXPECT_DOUBLE_EQ(bound[c], allowed[c] + unit_f64 * std::abs(row.data[c])) << t << " " << c;
  }
}

TEST(Reference, of_a_bias_allows_every_pair_and_counts_those_that_are_seen) {
  const auto bias = as<Bias>(truth_of("alibi", "heads=3"));
  const Reference causal = reference_of("alibi", "heads=3", {2, 11});
  EXPECT_EQ(causal.dim, 30u);
  EXPECT_EQ(causal.seen(2), 3u);
  EXPECT_EQ(causal.seen(11), 30u);
  EXPECT_FALSE(static_cast<bool>(reference_of("alibi", "heads=3 form=symmetric", {2, 11}).seen));
  const auto bound = causal.bound(9);
  for (std::size_t head = 0; head < 3; ++head)
    for (Position key = 2; key <= 9; ++key) {
      const double b = -bias.slopes[head] * static_cast<double>(9 - key);
      EXPECT_DOUBLE_EQ(bound.at(head * 10 + static_cast<std::size_t>(key - 2)),
                       bias_error(all_f32, b, bias, head) + unit_f64 * std::abs(b))
          << head << " " << key;
    }
  // Without entries that are rounded straight to a format it asks the bias itself.
  Bias plain = bias;
  plain.exact.reset();
  const auto asked = reference(plain, all_f32, {2, 11});
  ASSERT_TRUE(asked.has_value());
  EXPECT_EQ(asked->bound(9), bound);
  std::vector<double> row(30, 0.5);
  for (std::size_t head = 0; head < 3; ++head)
    for (Position key = 2; key <= 9; ++key)
      row[head * 10 + static_cast<std::size_t>(key - 2)] = -bias.slopes[head] * static_cast<double>(9 - key);
  const auto wrong = [&] {
    return asked->compare(Format::f64, 9, 1, reinterpret_cast<const std::byte*>(row.data()), {}, 1).wrong;
  };
  EXPECT_EQ(wrong(), 0u) << "what the mask hides is not looked at";
  row[27] += 1;
  EXPECT_EQ(wrong(), 1u);
  EXPECT_FALSE(reference(truth_of("alibi", "heads=3 rows=any"), all_f32, {0, 9}).has_value());
  EXPECT_FALSE(reference(truth_of("none", ""), all_f32, {0, 9}).has_value());
}

// Of a rotation and of a table of angles no two answers are further apart than twice the amplitude; a table
// of numbers has no such end.
TEST(Reference, of_a_grid_of_angles_has_a_ceiling) {
  const Places places{{0, 0}, {3, 5}};
  EXPECT_EQ(reference(truth_of("axial_rope", "dim=4"), all_f32, places)->ceiling, 2);
  EXPECT_EQ(reference(truth_of("sincos_2d", "dim=8"), all_f32, places)->ceiling, 2);
  EXPECT_EQ(reference(truth_of("relative_table", "heads=1"), all_f32, places)->ceiling, no_ceiling);
}

}  // namespace
}  // namespace posproof::reference_test
