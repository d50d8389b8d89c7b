// What each check measures, in cases worked out by hand (as formulas in a few lines of another language): a
// piece of a bound that is left out or counted twice, another row, pair or ceiling gives another number.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <string>
#include <vector>

#include "catalogue/properties.h"
#include "core/property.h"
#include "negative_examples.h"
#include "rows.h"
#include "testing/checks_of_tables.h"

namespace posproof::checks_by_hand_test {

using namespace checks_of_tables;

namespace {

using Row = std::array<double, 4>;

// Rows of two pairs of 1 and 1/2 radian a position, rounded to eighths, so that each statement is off by a
// tenth or so.
constexpr std::array<Row, 8> eighths = {{{0, 1, 0, 1},
                                         {0.75, 0.5, 0.5, 0.875},
                                         {0.875, -0.5, 0.75, 0.5},
                                         {0.125, -1, 1, 0.125},
                                         {-0.75, -0.625, 0.875, -0.5},
                                         {-1, 0.25, 0.625, -0.75},
                                         {-0.25, 1, 0.125, -1},
                                         {0.625, 0.75, -0.375, -0.875}}};

enum class Rows { rotating, reversed, still };

const Row& row(Rows rows, Position t) {
  const auto at = static_cast<std::size_t>(rows == Rows::reversed ? 7 - t : t);
  return eighths.at(rows == Rows::still ? 0 : at);
}

// In sequences of more than five tokens every row is an eighth longer.
Table listed(Rows rows, double amplitude) {
  Table table = negative_examples::of_pairs({1, 0.5}, {0, 7}, [=](const Pair& pair, Position t, Position n) {
    const double size = amplitude * (n > 5 && rows != Rows::still ? 1.125 : 1);
    return std::array{size * row(rows, t).at(pair.first), size * row(rows, t).at(pair.second)};
  });
  table.amplitude = amplitude;
  return table;
}

struct ByHand {
  std::string_view property, words;
  Rows rows;
  Residual whole, half;  // of an amplitude of 1, of 1/2; the bounds in units of f32
};

const std::vector<ByHand> by_hand = {
    {"composes_translations",
     "a=1 b=2 s=1 t=3 u=2",
     Rows::rotating,
     {0.216617351389673, 44.5477579316511, 2},
     {0.216617351389673, 61.5183496480162, 2}},
    {"distance_depends_on_offset",
     "k=2 s=1 t=4",
     Rows::rotating,
     {0.145288579631487, 21.3540661179894, 2.82842712474619},
     {0.0726442898157436, 16.3996678209011, 1.4142135623731}},
    {"does_not_depend_on_length",
     "t=2 n=4 far=6",
     Rows::rotating,
     {0.09375, 10, no_ceiling},
     {0.0546875, 8, no_ceiling}},
    {"dot_product_depends_on_offset",
     "k=2 s=1 t=4",
     Rows::rotating,
     {0.19775390625, 33.5028209110788, 4},
     {0.0494384765625, 12.2121334449582, 1}},
    {"has_a_step_that_does_not_depend_on_length",
     "t=2 n=4 far=6",
     Rows::rotating,
     {0.125972777317165, 24.1945474683156, no_ceiling},
     {0.0629863886585824, 16.67687853408, no_ceiling}},
    {"has_bounded_entries", "t=3 n=7", Rows::rotating, {0.125, 4, no_ceiling}, {0.0625, 3, no_ceiling}},
    {"has_constant_norm",
     "t=4",
     Rows::rotating,
     {0.0110920423328671, 3.90439924889109, 1.4142135623731},
     {0.00554602116643355, 3.34979727441039, 0.707106781186548}},
    {"has_geometric_wavelengths",
     "t=1 doublings=2",
     Rows::rotating,
     {0.0180729342133582, 5.0789343406636, 3.14159265358979},
     {0.0180729342133582, 6.18256468181851, 3.14159265358979}},
    {"has_one_shift_for_all_lengths",
     "k=2 t=1 u=2 n=5 far=6",
     Rows::rotating,
     {0.0414740029194189, 21.3340632167812, no_ceiling},
     {0.0207370014597095, 14.3255830547594, no_ceiling}},
    {"has_translations_of_determinant_one",
     "k=2 s=1 t=4",
     Rows::rotating,
     {0.03955078125, 38.1837766856669, 2},
     {0.0098876953125, 12.3743731439069, 0.5}},
    {"inverts_translation_by_transposing",
     "k=2 s=1 t=5",
     Rows::rotating,
     {0.171498585142509, 35.3553589970928, 2},
     {0.171498585142509, 46.6690815627875, 2}},
    {"is_prefix_stable", "n=5", Rows::rotating, {0.125, 8, no_ceiling}, {0.0625, 6, no_ceiling}},
    {"keeps_pairs_on_the_unit_circle",
     "t=4",
     Rows::rotating,
     {0.0237187905116683, 5.65685425508032, 1},
     {0.0118593952558341, 4.24264068991325, 0.5}},
    {"keeps_similarity_across_lengths",
     "s=1 t=3 n=5 far=7",
     Rows::rotating,
     {0.053955078125, 29.799323742476, no_ceiling},
     {0.01348876953125, 10.1756626885193, no_ceiling}},
    {"rotates_clockwise",
     "t=3",
     Rows::reversed,
     {0.828125, 19.7989956008572, 0.841470984807897},
     {0.20703125, 6.3639634162617, 0.210367746201974}},
    {"shifts_base_by_a_rotation",
     "n=3 c=2",
     Rows::rotating,
     {0.0986121811340027, 12.7279220874349, 2},
     {0.0493060905670014, 9.19238816846363, 1}},
    {"translates_by_a_rotation",
     "k=2 s=1 t=4",
     Rows::rotating,
     {0.119693699630237, 15.5563492121811, 2},
     {0.0598468498151183, 10.6066017308367, 1}},
    {"has_distinct_positions",
     "k=3 t=2",
     Rows::still,
     {2.4163010139189, 87.3699960466899, 2.4163010139189},
     {1.20815050695945, 47.6421292574256, 1.20815050695945}},
    {"distinguishes_neighbours_in_bf16",
     "t=3 n=5",
     Rows::still,
     {1.07899502523551, 185451.163219453, 1.07899502523551},
     {0.539497512617754, 92729.5363768573, 0.539497512617754}},
    {"distinguishes_neighbours_in_f16",
     "t=3 n=5",
     Rows::still,
     {1.07899502523551, 23257.8381780076, 1.07899502523551},
     {0.539497512617754, 11632.8738561345, 0.539497512617754}},
    {"has_different_dot_products_near_and_far",
     "k=3 t=1 n=3 u=2 far=7",
     Rows::still,
     {2.33714016269125, 32.0001438932907, 2.33714016269125},
     {0.584285040672814, 12.000043034052, 0.584285040672814}},
};

void expect_near(double actual, double expected, std::string_view what) {
  if (std::isinf(expected))
    EXPECT_EQ(actual, expected) << what;
  else
    EXPECT_NEAR(actual, expected, 1e-12 * std::abs(expected)) << what;
}

}  // namespace

TEST(ChecksOfTables, measure_what_was_worked_out_by_hand) {
  for (const ByHand& of : by_hand)
    for (const auto& [amplitude, expected] : {std::pair{1.0, of.whole}, std::pair{0.5, of.half}}) {
      SCOPED_TRACE(fmt::format("{} {} amplitude {}", of.property, of.words, amplitude));
      const Residual actual = replayed(of.property, listed(of.rows, amplitude), all_f32, of.words);
      expect_near(actual.error, expected.error, "error");
      expect_near(actual.bound / unit_f32, expected.bound, "bound");
      expect_near(actual.ceiling, expected.ceiling, "ceiling");
    }
}

TEST(ChecksOfTables, all_but_one_are_worked_out_by_hand) {
  std::size_t tables = 0;
  for (const auto& [id, property] : catalogue::properties()) tables += id.starts_with("table/");
  EXPECT_EQ(by_hand.size() + 1, tables) << "is_defined_for_one_token measures nothing";
}

}  // namespace posproof::checks_by_hand_test
