#include "catalogue/misreadings/timestep_embedding.h"

#include <gtest/gtest.h>

#include <cmath>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "misreadings/testing/formulas.h"
#include "run/catalogued.h"

namespace posproof::misreadings_timestep_embedding_test {
namespace {

using testing::Real, testing::RowFormula;

struct Form {
  Real (*angle)(Real t, Real w, Real scale) = [](Real t, Real w, Real scale) { return t * w * scale; };
  Real (*size)(Real scale) = [](Real) -> Real { return 1; };
  enum { as_declared, zero_first, zero_between, last_again, in_turn } columns = as_declared;
};

RowFormula embedded(const Form& as) {
  return [=](const Arguments& p, const std::vector<double>& at) {
    const std::size_t dim = p.width("dim"), half = dim / 2, begin = as.columns == Form::zero_first ? 1 : 0;
    const bool sines_first = p.is("layout", "sin_cos"), in_turn = as.columns == Form::in_turn;
    std::vector<Real> row(dim);
    for (std::size_t i = 0; i < half; ++i) {
      const Real w = std::pow(Real(p.real("max_period")), -Real(i) / Real(half - p.width("shift"))),
                 angle = as.angle(at[0], w, p.real("scale"));
      const std::size_t first = begin + (in_turn ? 2 * i : i), second = in_turn ? first + 1
                                                                        : as.columns == Form::zero_between
                                                                            ? dim / 2 + 1 + i
                                                                            : first + half;
      row[first] = as.size(p.real("scale")) * (sines_first ? std::sin(angle) : std::cos(angle));
      row[second] = as.size(p.real("scale")) * (sines_first ? std::cos(angle) : std::sin(angle));
    }
    if (as.columns == Form::last_again) row[dim - 1] = row[dim - 2];
    return row;
  };
}

// The nearest number of so many bits.
template <int bits>
Real of_bits(Real x) {
  if (x == 0) return 0;
  const Real unit = std::exp2(std::floor(std::log2(std::abs(x))) + 1 - bits);
  return std::nearbyint(x / unit) * unit;
}

TEST(MisreadTimestepEmbedding, is_what_the_sentence_says) {
  testing::expect_rows(
      "timestep_embedding", misreadings::timestep_embedding,
      {{"the column of zeros of an odd width is the first, not the last",
        embedded({.columns = Form::zero_first})},
       {"the column of zeros of an odd width stands between sines and cosines, not last",
        embedded({.columns = Form::zero_between})},
       {"an odd width ends with its last column again, not with zeros",
        embedded({.columns = Form::last_again})},
       {"the angles are divided by the scale, not multiplied",
        embedded({.angle = [](Real t, Real w, Real scale) { return t * w / scale; }})},
       {"the sines and cosines are multiplied by the scale, not their angles",
        embedded(
            {.angle = [](Real t, Real w, Real) { return t * w; }, .size = [](Real scale) { return scale; }})},
       {"the scaled timestep is truncated to a whole number",
        embedded({.angle =
                      [](Real t, Real w, Real scale) {
                        return (t < 0 ? std::ceil(t * scale) : std::floor(t * scale)) * w;
                      }})},
       {"the scaled timestep is rounded to a whole number",
        embedded({.angle = [](Real t, Real w, Real scale) { return std::floor(t * scale + 0.5L) * w; }})},
       {"the scaled timestep is rounded to bf16",
        embedded({.angle = [](Real t, Real w, Real scale) { return of_bits<8>(t * scale) * w; }})},
       {"the scaled timestep is rounded to f16",
        embedded({.angle = [](Real t, Real w, Real scale) { return of_bits<11>(t * scale) * w; }})},
       {"the timestep and the scaled timestep are rounded to bf16",
        embedded(
            {.angle = [](Real t, Real w, Real scale) { return of_bits<8>(of_bits<8>(t) * scale) * w; }})},
       {"the timestep and the scaled timestep are rounded to f16",
        embedded(
            {.angle = [](Real t, Real w, Real scale) { return of_bits<11>(of_bits<11>(t) * scale) * w; }})},
       {"the sines and cosines stand in turn, not in two halves", embedded({.columns = Form::in_turn})}},
      {"", "layout=cos_sin", "shift=0 max_period=100"});
}

// The frequencies, the columns and the amplitude that a diagnosis measures are those of the misread rows.
TEST(MisreadTimestepEmbedding, declares_its_pairs) {
  const double at[] = {2};  // times the scale 2.5 or 1000 it is whole, and has few digits
  for (const Misreading& one : misreadings::timestep_embedding.misreadings)
    for (const std::string layout : {" layout=sin_cos", " layout=cos_sin"}) {
      const Table table = as<Table>(one.make(
          with(encoding_named("timestep_embedding"), Case::parse(std::string(one.setting) + layout))));
      const Tensor row = table.rows(Positions(std::span<const double>(at), 1), 1);
      for (const Pair& pair : table.pairs) {
        const double angle = 2 * pair.frequency;
        EXPECT_NEAR(row.data[pair.first], table.amplitude * std::sin(angle), 1e-12) << one.what;
        EXPECT_NEAR(row.data[pair.second], table.amplitude * std::cos(angle), 1e-12) << one.what;
      }
    }
}

TEST(MisreadTimestepEmbedding, is_none_where_it_is_the_same) {
  for (const Misreading& one : misreadings::timestep_embedding.misreadings) {
    const auto make = [&] { one.make(with(encoding_named("timestep_embedding"), Case::parse("dim=8"))); };
    if (one.what.ends_with("in two halves") || one.what.ends_with("truncated to a whole number") ||
        one.what.ends_with("rounded to a whole number"))
      EXPECT_NO_THROW(make());
    else
      EXPECT_THROW(make(), Refusal) << one.what;
  }
}

}  // namespace
}  // namespace posproof::misreadings_timestep_embedding_test
