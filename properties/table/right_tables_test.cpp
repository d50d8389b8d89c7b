// Tables that are computed in the arithmetic of a format, rounding by rounding, hold what they claim in all
// cases.
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "search/generate.h"
#include "testing/terms.h"

namespace posproof::right_tables_test {

using namespace checks_of_tables;

namespace {

// Angles, what is kept, and the answer, each rounded to a format.
struct Arithmetic {
  Precision precision;
  Format angle, result;
};
const std::vector<Arithmetic> arithmetics = {
    {all_f64, Format::f64, Format::f64},
    {all_f32, Format::f32, Format::f32},
    {f32_of_f64, Format::f64, Format::f32},
    {negative_examples::in_bf16, Format::f32, Format::bf16},
    {negative_examples::in_f16, Format::f32, Format::f16},
    {all_bf16, Format::bf16, Format::bf16},
    {{unit_f32, unit_f32, Precision::Angles::iterated}, Format::f32, Format::f32},
};

std::vector<double> frequencies(const Arithmetic& in, std::size_t pairs) {
  std::vector<double> all;
  const double ratio = nearest(in.angle, std::pow(10000.0, -1.0 / static_cast<double>(pairs)));
  for (std::size_t i = 0; i < pairs; ++i) {
    const double power = std::pow(10000.0, -static_cast<double>(i) / static_cast<double>(pairs));
    const bool iterated = in.precision.how == Precision::Angles::iterated;
    all.push_back(nearest(in.angle, iterated && i > 0 ? all.back() * ratio : power));
  }
  return all;
}

Table computed(const Arithmetic& in, std::size_t pairs, double amplitude) {
  Table table = negative_examples::ladder(
      2 * pairs, [=, own = frequencies(in, pairs)](const Pair& pair, Position t, Position) {
        const double angle = nearest(in.angle, nearest(in.angle, static_cast<double>(t)) * own[pair.index]);
        const double size = nearest(in.result, amplitude);
        const auto entry = [&](double sine) { return nearest(in.result, size * nearest(in.result, sine)); };
        return std::array{entry(std::sin(angle)), entry(std::cos(angle))};
      });
  table.amplitude = amplitude;
  return table;
}

}  // namespace

TEST(TablesInArithmetic, hold_in_all_cases) {
  std::size_t asked = 0;
  for (const auto& [id, property] : catalogue::properties()) {
    if (!id.starts_with("table/")) continue;
    for (const Arithmetic& in : arithmetics)
      for (const double amplitude : {1.0, 0.1}) {
        EXPECT_LE(share<RandomDraw>(id.substr(6), computed(in, 4, amplitude), in.precision), 1)
            << id << " " << in.precision.text() << " amplitude " << amplitude;
        ++asked;
      }
  }
  EXPECT_EQ(asked, 22 * 2 * arithmetics.size());
}

}  // namespace posproof::right_tables_test
