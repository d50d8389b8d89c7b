// Of statements that rows differ (testing/terms.h).
#include <gtest/gtest.h>

#include <vector>

#include "core/error.h"
#include "search/generate.h"
#include "testing/terms.h"

namespace posproof::terms_of_different_rows_test {

using namespace checks_of_tables;

namespace {

// Statements that rows or products differ: all rows are equal, where the ladder puts them so little apart
// that rounding may have brought them together, or three times as far.
struct Near {
  std::string_view property;
  ProvedTerm right;
  double wrong_frequency;
  Domain wrong_positions;
};
Table equal_rows(const ProvedTerm& setting) {
  Table table = declared(setting);
  table.rows = [size = setting.amplitude](std::span<const Position> positions, Position) {
    Tensor rows({positions.size(), 2});
    for (std::size_t r = 0; r < positions.size(); ++r) rows.at(r, 1) = size;
    return rows;
  };
  return table;
}
constexpr double u32 = unit_f32, u16 = unit_f16;
constexpr Precision iterated_f16{unit_f16, unit_f16, Precision::Angles::iterated};
// Distances of neighbours: of 0 and 1, where angles are exact enough; far from 0, where they are not.
const std::vector<Near> near = {
    {"has_distinct_positions", {Term::library, all_f32, 10.5 * u32, {0, 1}}, 32 * u32, {0, 1}},
    {"has_distinct_positions", {Term::table, f32_of_f64, 2.6 * u32, {0, 1}}, 8 * u32, {0, 1}},
    {"has_distinct_positions", {Term::result, negative_examples::in_f16, 2.6 * u16, {0, 1}}, 8 * u16, {0, 1}},
    {"has_distinct_positions", {Term::amplitude, f32_of_f64, 7.9 * u32, {0, 1}, 0.5}, 24 * u32, {0, 1}},
    {"has_distinct_positions",
     {Term::underflow, negative_examples::in_f16, 0.0245, {0, 1}, 0x1p-18},
     0.075,
     {0, 1}},
    {"distinguishes_neighbours_in_bf16", {Term::library, all_bf16, 0.052, {0, 1}}, 0.16, {0, 1}},
    {"distinguishes_neighbours_in_bf16", {Term::result, all_f32, 0.93 / 128, {0, 1}}, 3.0 / 128, {0, 1}},
    {"distinguishes_neighbours_in_f16", {Term::library, all_f16, 0.006, {0, 1}}, 0.018, {0, 1}},
    {"distinguishes_neighbours_in_f16", {Term::result, all_f32, 0.93 / 1024, {0, 1}}, 3.0 / 1024, {0, 1}},
    {"has_different_dot_products_near_and_far", {Term::library, all_f32, 7.69e-4, {0, 2}}, 1.33e-3, {0, 2}},
    {"has_different_dot_products_near_and_far", {Term::table, f32_of_f64, 3.8e-4, {0, 2}}, 6.66e-4, {0, 2}},
    {"has_different_dot_products_near_and_far",
     {Term::result, negative_examples::in_f16, 0.0348, {0, 2}},
     0.06,
     {0, 2}},
    {"has_different_dot_products_near_and_far",
     {Term::amplitude, f32_of_f64, 6.66e-4, {0, 2}, 0.5},
     1.15e-3,
     {0, 2}},
    {"has_different_dot_products_near_and_far",
     {Term::underflow, negative_examples::in_f16, 0.15, {0, 2}, 0x1p-18},
     0.26,
     {0, 2}},
};
const std::vector<Near> near_far_from_0 = {
    {"", {Term::power, all_f16, 1, {121, 122}}, 1, {40, 41}},
    {"", {Term::exponent, all_f16, 0.125, {59, 60}}, 0.125, {19, 20}},
    {"", {Term::angle_product, all_f16, 1, {121, 122}}, 1, {40, 41}},
    {"", {Term::position, all_f16, 1, {121, 122}}, 1, {40, 41}},
    {"", {Term::scaled_frequency, all_f16, 1, {91, 92}, 1, 1, divided()}, 1, {30, 31}},
    {"", {Term::ladder_step, iterated_f16, 1, {80, 81}}, 1, {27, 28}},
};

void expect_term_proved(std::string_view property, const Near& of) {
  ProvedTerm wrong = of.right;
  wrong.frequency = of.wrong_frequency, wrong.positions = of.wrong_positions;
  expect_term_proved<RandomDraw>(property, of.right, equal_rows(of.right), equal_rows(wrong));
}

}  // namespace

TEST(TermsOfTables, of_statements_that_rows_differ_are_needed_and_no_larger) {
  for (const Near& of : near) expect_term_proved(of.property, of);
  for (const std::string_view property :
       {"has_distinct_positions", "distinguishes_neighbours_in_bf16", "distinguishes_neighbours_in_f16"})
    for (const Near& of : near_far_from_0) expect_term_proved(property, of);
}

}  // namespace posproof::terms_of_different_rows_test
