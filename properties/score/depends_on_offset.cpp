#include <algorithm>
#include <cmath>

#include "catalogue/properties/score/depends_on_offset.h"
#include "logits.h"

namespace posproof::properties_score_depends_on_offset {
namespace {

using namespace logits;

Residual check(const Score& score, Precision p, Draw& draw) {
  const auto q = draw.content("q", score.dim);
  const auto k = draw.content("k", score.dim);
  const Domain& within = score.positions;
  const Position i = draw.position("i", within);
  const Position j = draw.position("j", within, within.lo, score.causal ? i : within.hi);
  const Position t = draw.position("t", within, 0, within.hi - std::max(i, j));

  const Score::Measured here = score.measured(q, k, i, j, p), there = score.measured(q, k, i + t, j + t, p);
  if (!std::isfinite(here.value) || !std::isfinite(there.value)) return holds_if(false);
  // The two exact logits of the subject's own frequencies are equal by the statement, and each answer is
  // within its rounding of them. Frequencies are not asked about: they are the same in both.
  const double bound = here.rounding + there.rounding;
  return difference(there.value, here.value, bound,
                    t == 0        ? 0
                    : score.range ? score.range(q, k)
                                  : no_ceiling);
}

// -|i - j| / 2, and a millionth of the key's position.
Encoding absolute_bias() {
  return biases::bias_of(1, [](std::size_t, Position i, Position j) -> double {
    return -0.5 * static_cast<double>(std::abs(i - j)) + 1e-6 * static_cast<double>(j);
  });
}

// 16 units of f32, where each of two numbers of a table may be off by 2.
Encoding odd_queries_are_larger() {
  return biases::bias_of(1, [](std::size_t, Position i, Position j) -> double {
    return -0.5 * static_cast<double>(std::abs(i - j)) * (i % 2 == 0 ? 1 : 1 + 0x1p-20);
  });
}

// One pair, rotated by one radian a position, of which the angle is what `angle` makes.
Encoding turned_by(double (*angle)(double t)) {
  Rotary rotary{.dim = 2, .pairs = {{0, 1, 1.0}}};
  rotary.rotate = [angle](const Tensor& x, std::span<const Position> positions, Role) {
    Tensor out(x.shape);
    for (std::size_t r = 0; r < x.rows(); ++r) {
      const double a = angle(static_cast<double>(positions[r % positions.size()]));
      out.at(r, 0) = std::cos(a) * x.at(r, 0) - std::sin(a) * x.at(r, 1);
      out.at(r, 1) = std::sin(a) * x.at(r, 0) + std::cos(a) * x.at(r, 1);
    }
    return out;
  };
  return rotary;
}

// The frequency grows by a billionth with each position.
Encoding growing_frequency() {
  return turned_by([](double t) { return t * (1 + 1e-9 * t); });
}

// By 8 units of f32 over a million positions, where each of four angles may be off by 1.
Encoding hardly_growing_frequency() {
  return turned_by([](double t) { return t * (1 + 0x1p-41 * t); });
}

// Angles rounded to the 8 bits of bf16.
Encoding angles_in_bf16() {
  return turned_by([](double t) {
    int exponent = 0;
    const double fraction = std::frexp(t, &exponent);
    return std::ldexp(std::nearbyint(std::ldexp(fraction, 8)), exponent - 8);
  });
}

// The share of the sequence, 1 for its last token: a code that is asked for token by token, each as a
// sequence of its own, seems to be the same everywhere.
Encoding share_of_the_length() {
  Table table{.dim = 1};
  table.rows = [](std::span<const Position> positions, Position length) {
    Tensor rows({positions.size(), 1});
    for (std::size_t r = 0; r < positions.size(); ++r)
      rows.at(r, 0) = static_cast<double>(positions[r] + 1) / static_cast<double>(length);
    return rows;
  };
  return table;
}

}  // namespace

const Property entry{
    .statement = "The logit of two tokens depends on their positions through the offset alone.",
    .formula = "s(q,k; i+t,j+t) = s(q,k; i,j)",
    .source = "Su et al. 2021, RoFormer, eq. 11; Shaw et al. 2018, section 3",
    .checks = {CheckOf<Score>(&check)},
    .must_reject =
        {{"a bias that adds 1e-6 of the absolute position", &absolute_bias},
         {"rows of odd queries that are larger by 2^-20 of themselves, in f32", &odd_queries_are_larger,
          all_f32},
         {"a code that is the share of the length", &share_of_the_length},
         {"a frequency that grows by 1e-9 a position", &growing_frequency},
         {"a frequency that grows by 2^-41 a position, in f32", &hardly_growing_frequency, all_f32},
         {"angles in bf16 where f32 is claimed", &angles_in_bf16, all_f32},
         off("keys at even positions of a table", &same_rows, -0x1p-20, &of_last_channel_of_even_key),
         off("queries at odd positions of a table", &same_rows, 0x1p-20, &of_odd_query),
         off("keys at even positions of a table", &same_rows, 0x1p-4, &of_last_channel_of_even_key, in_bf16),
         off("rotated keys at even positions", &rotations::slow, 0x1p-18, &of_last_channel_of_even_key),
         off("rotated queries at odd positions", &rotations::slow, -0x1p-18, &of_odd_query),
         off("rotated keys past position 65536", &rotations::slow, 0x1p-18, &of_key_past_65536),
         off("rotated tokens at negative positions", &rotations::of_either_sign, -0x1p-19,
             &at_negative_position),
         off("rotated keys at even positions", &rotations::slow, -0x1p-5, &of_last_channel_of_even_key,
             in_bf16),
         off("biases of keys at even positions", &penalised, -0x1p-20, &of_even_key),
         off("biases of keys at even positions", &penalised, 0x1p-4, &of_even_key, in_bf16),
         off("logits of keys at even positions", &penalised_products, 0x1p-20, &of_even_key),
         off("logits of queries at odd positions", &penalised_products, -0x1p-20, &of_odd_query),
         off("logits of keys at even positions", &penalised_products, -0x1p-4, &of_even_key, in_bf16)},
};

}  // namespace posproof::properties_score_depends_on_offset
