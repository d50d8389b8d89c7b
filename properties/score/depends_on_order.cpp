#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "catalogue/properties/score/depends_on_order.h"
#include "logits.h"

namespace posproof::properties_score_depends_on_order {
namespace {

using namespace logits;

// The smallest change of a logit that counts, as it changes the weight of a key by a factor of exp(2^-12),
// 1/4096. The last of ALiBi's slopes, 2^-8 a step, gives sixteen times as much.
double least() {
  return least_effect(1.0 / 4096);
}

// The channels whose share of a logit a position can change: of a rotation those that rotate; all, where
// nothing is known of it.
std::vector<std::size_t> moving(const Score& score) {
  std::vector<std::size_t> channels;
  std::vector<double> one(score.dim, 0.0);
  for (std::size_t c = 0; c < score.dim; ++c) {
    one[c] = 1;
    if (!score.range || score.range(one, one) > 0) channels.push_back(c);
    one[c] = 0;
  }
  return channels;
}

// Ones in as many of these, the first ones, as leave room for the change beside what rounding allows there:
// that grows with the channels and, of a rotation, with the position.
std::vector<double> content(const Score& score, Precision p, Position i) {
  std::vector<double> ones(score.dim, 1.0);
  if (4 * score.error(ones, ones, i, i, p) <= least()) return ones;
  const std::vector<std::size_t> channels = moving(score);
  for (std::size_t width = channels.size(); width > 1;) {
    const double error = score.error(ones, ones, i, i, p);
    if (4 * error <= least()) break;
    const auto share = static_cast<double>(width) * least() / (4 * error);
    width = std::clamp<std::size_t>(static_cast<std::size_t>(share), 1, width / 2);
    std::ranges::fill(ones, 0.0);
    for (std::size_t n = 0; n < width; ++n) ones[channels[n]] = 1;
  }
  return ones;
}

// The last query for which rounding leaves something to see, where errors grow with the position; the last of
// all where it leaves nothing at the first.
Position last_that_shows(const Score& score, const Precision& p, Position first, Position last) {
  const auto shows = [&](Position i) { return 2 * score.error_of_ones(i, p) < least(); };
  if (!score.error_of_ones || first >= last || shows(last) || !shows(first)) return last;
  Position near = first, far = last;
  while (far - near > 1) {
    const Position middle = near + (far - near) / 2;
    (shows(middle) ? near : far) = middle;
  }
  return near;
}

Residual check(const Score& score, Precision p, Draw& draw) {
  const Domain& within = score.positions;
  const Position ahead = score.causal ? 0 : 3;
  const Position first = within.lo + 3;
  const Position i = draw.position("i", within, first, last_that_shows(score, p, first, within.hi - ahead));

  const std::vector<double> ones = content(score, p, i);
  double error = 0, lo = std::numeric_limits<double>::infinity(), hi = -lo;
  for (Position j = i - 3; j <= i + ahead; ++j) error = std::max(error, score.error(ones, ones, i, j, p));
  // The spread of these logits is off by at most the errors of the largest and the smallest. Once it is
  // larger than that, the other logits can only add to it.
  for (Position j = i - 3; j <= i + ahead && !(hi - lo >= least() + 2 * error); ++j) {
    const double logit = score.at(ones, ones, i, j);
    if (!std::isfinite(logit)) return holds_if(false);
    lo = std::min(lo, logit), hi = std::max(hi, logit);
  }
  return excess(least(), hi - lo, 2 * error, least());
}

Encoding no_position() {
  return biases::falling(0);
}
Encoding slope_too_small() {
  return biases::falling(0x1p-20);
}

// Over three positions 0.53 of the least that counts.
Encoding hardly_falling() {
  return biases::falling(std::exp2(-14.5));
}

Encoding hardly_told_apart() {
  Table table{.dim = 2};
  table.rows = [](std::span<const Position> positions, Position) {
    Tensor rows({positions.size(), 2});
    for (std::size_t r = 0; r < positions.size(); ++r)
      rows.at(r, 0) = 0x1p-15 * static_cast<double>(positions[r] % 4);
    return rows;
  };
  return table;
}

// At most 0.59 of the least that counts.
Encoding hardly_rotating() {
  return rotations::exact({}, {{0, 1, 0.004, 0}}, 2);
}

Encoding small() {
  Rotary rotary = rotations::multiplied_by(
      2, 2, {{0, 1, 1.0, 0}},
      [](const Pair&, const rotations::Rotated&) { return std::complex<long double>(0.0625L); });
  rotary.amplitude = 0.0625;
  return rotary;
}

Encoding hardly_falling_logits() {
  Contextual contextual{.dim = 2};
  contextual.logits = [](const Tensor&, const Tensor&, const Positions& queries, const Positions& keys) {
    Tensor out({1, queries.size(), keys.size()});
    for (std::size_t i = 0; i < queries.size(); ++i)
      for (std::size_t j = 0; j < keys.size(); ++j)
        out.at(i, j) = -std::exp2(-14.5) * static_cast<double>(std::abs(queries[i] - keys[j]));
    return out;
  };
  contextual.error = [](std::span<const double>, std::span<const double>, std::span<const double> i,
                        std::span<const double> j, const Precision& p) {
    return term(Term::own, 2 * p.result * std::exp2(-14.5) * std::abs(i[0] - j[0]));
  };
  return contextual;
}

}  // namespace

const Property entry{
    .statement =
        "A query and a key of ones have logits at least 2^-12 apart at some two places of the key within three of the query, "
        "which has three positions before it and, unless the encoding is causal, three after it.",
    .formula =
        "max |s(1,1; i,a) - s(1,1; i,b)| >= 2^-12 over a, b from i-3 to i+3 (causal: to i), all of them positions",
    .source =
        "Vaswani et al. 2017, section 3.5; without a position the logit q.k is the same at every distance",
    .checks = {CheckOf<Score>(&check)},
    .must_reject = {{"a logit without position", &no_position},
                    {"a slope of 2^-20", &slope_too_small},
                    {"a bias with a slope of 2^-14.5, in f32", &hardly_falling, all_f32},
                    {"a bias with a slope of 2^-14.5, in bf16", &hardly_falling, in_bf16},
                    {"a table that holds 2^-15 times the remainder of the position by 4, in f32",
                     &hardly_told_apart, all_f32},
                    {"a table that holds 2^-15 times the remainder of the position by 4, in bf16",
                     &hardly_told_apart, in_bf16},
                    {"a rotation by 0.004 radians a position, in f32", &hardly_rotating, all_f32},
                    {"a division by 16 in place of a rotation, in bf16", &small, in_bf16},
                    {"logits with a slope of 2^-14.5, in f32", &hardly_falling_logits, all_f32},
                    {"logits with a slope of 2^-14.5, in bf16", &hardly_falling_logits, in_bf16}},
};

}  // namespace posproof::properties_score_depends_on_order
