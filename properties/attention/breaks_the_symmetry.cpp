#include <cmath>

#include "../bias/entries.h"
#include "../rotary/tokens.h"
#include "attention/reference_attention.h"
#include "catalogue/properties/attention/breaks_the_symmetry.h"
#include "core/term.h"
#include "negative_examples.h"
#include "tokens.h"

namespace posproof::properties_attention_breaks_the_symmetry {
namespace {

// How far the answers of reordered tokens are from the reordered answers, in units of the range of the
// values, and how far rounding alone may put them.
struct Break {
  double size, rounding;
};

// The causal mask breaks the symmetry by itself, without a position. Where only keys at or before the query
// mean anything, one more token stands last, and only the answers behind the last token that moves are looked
// at: these see the same tokens in both orders.
Break of(const Attention& attention, Precision p, std::size_t shift, std::vector<std::size_t> order) {
  std::size_t from = 0;
  for (std::size_t r = 0; attention.causal && r < order.size(); ++r)
    if (order[r] != r) from = r + 1;
  if (attention.causal) order.push_back(order.size());
  const Tensor x = tokens::distinct(order.size(), attention.dim, shift);
  const Mask mask = tokens::allowed(attention, mask::none(x.rows()));
  const Tensor moved = attention::reordered(x, order);
  const Tensor there = tokens::attend(attention, moved, mask);
  const Tensor here = attention::reordered(tokens::attend(attention, x, mask), order);
  double most = 0;
  for (std::size_t e = from * here.width(); e < here.data.size(); ++e) {
    const double difference = std::abs(there.data.at(e) - here.data[e]);
    if (std::isnan(difference)) return {difference, 0};
    most = std::max(most, difference);
  }
  return {most, tokens::error_of_both(attention, x, mask, moved, mask, p)};
}

// Values of distinct() lie in [-1, 1]. A 4096th of that range, 2^-11, is what a position has to move for the
// order to count as seen: the slightest published encoding, the last of ALiBi's slopes (2^-8 a step), moves
// several times as much.
constexpr double least_break = 2.0 / 4096;

Residual check(const Attention& attention, Precision p, Draw& draw) {
  const auto n = static_cast<std::size_t>(draw.integer("n", 3, 8));
  const auto order = draw.permutation("permutation", n);
  // A bias of the distance |i - j| is the same in the reversed order, and is nevertheless an encoding of
  // position.
  bool reversal = true;
  for (std::size_t r = 0; r < n; ++r) reversal = reversal && order[r] == n - 1 - r;
  if (reversal || attention::is_identity(order)) throw Discard{};

  const double least = least_effect(least_break);
  // Two sets of tokens, so that no accident of one hides the order; the larger break counts, and the second
  // is only asked where the first is not enough.
  const Break one = of(attention, p, 0, order);
  const Residual first = excess(least, one.size, one.rounding, least);
  if (first.holds()) return first;
  const Break two = of(attention, p, 5, order);
  const Residual second = excess(least, two.size, two.rounding, least);
  if (std::isnan(one.size) || std::isnan(two.size)) return worse(first, second);
  return first.error < second.error ? first : second;
}

Encoding no_position() {
  return biases::falling(0);
}
Encoding slope_too_small() {
  return biases::falling(0x1p-20);
}

// A third of what a slope of 2^-8 moves is less than the least that is asked for, a 16th of that is not.
Encoding logits_too_small() {
  return *attention::to_logits(biases::falling(0x1p-11));
}
Encoding operator_too_small() {
  return attention::reference_attention(biases::falling(0x1p-11));
}

// One pair that rotates by so little a position.
Encoding rotation_too_small() {
  return rotations::multiplied_by(
      2, 1, {{0, 1, 0x1p-8}},
      [](const Pair& pair, const rotations::Rotated& token) { return rotations::rotation(pair, token.t); });
}

// Rows that rise by so little a position.
Encoding rows_too_small() {
  return spoiled(tokens::still_table(), [](const AnswerEntry& at, double exact) {
    return exact + 0x1p-10 * static_cast<double>(at.position);
  });
}

// The same code for every position.
Encoding one_row_for_all() {
  Table table{.dim = 4};
  table.rows = [](std::span<const Position> positions, Position) {
    return Tensor({positions.size(), 4}, std::vector<double>(4 * positions.size(), 0.5));
  };
  return table;
}

}  // namespace

const Property entry{
    .statement =
        "Every order but the identity and the reversal changes, for one of two sets of distinct tokens in [-1, 1] or both, some answer beyond reordering it, by at least 2^-11. Where the encoding is causal, one more token stands last, and only answers behind the last token that moves count.",
    .formula =
        "max |f(P X) - P f(X)| >= 2^-11 for X or X' in [-1, 1], for each P but the identity and the reversal",
    .source =
        "Vaswani et al. 2017, section 3.5: for the model to make use of the order, positions must be "
        "injected",
    .checks = {CheckOf<Attention>(&check)},
    .must_reject = {{"an operator without position", &no_position},
                    {"one code for every position", &one_row_for_all},
                    {"a slope of 2^-20, lost beside any content", &slope_too_small},
                    {"a slope of 2^-11, in f32", [] { return biases::falling(0x1p-11); }, all_f32},
                    {"logits of a slope of 2^-11, in f32", &logits_too_small, all_f32},
                    {"an operator of a slope of 2^-11, in f32", &operator_too_small, all_f32},
                    {"a rotation of 2^-8 a position, in f32", &rotation_too_small, all_f32},
                    {"rows that rise by 2^-10 a position, in f32", &rows_too_small, all_f32}},
    .not_in_16_bits = "rounding in bf16 and f16 moves an answer by more than 2^-11",
};

}  // namespace posproof::properties_attention_breaks_the_symmetry
