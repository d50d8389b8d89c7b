#include "catalogue/properties/call/is_stateless.h"
#include "calls.h"
#include "negative_examples.h"

namespace posproof::properties_call_is_stateless {
namespace {

using namespace calls;

// The same call twice, and another in between: longer or shorter, further on or before, one token, many or
// none. Of several tokens the last is twice as far on as any of the same call, and a few thousand positions
// more: what grows with the furthest position changes there, whatever came before. A cache that is filled by
// now may be read where there was none before, so each answer is allowed its error.
Residual check(const Encoding& encoding, Precision p, Draw& draw) {
  const Domain& domain = positions_of(encoding);
  const bool pairs_of_contents = signature(encoding).has(Axis::key) && !signature(encoding).takes.empty();
  const std::int64_t most = pairs_of_contents ? 5 : most_tokens(encoding, 1, 8);
  const std::size_t n = draw.size("n", 1, most, longest(encoding));
  const std::size_t m = draw.size("m", 0, most, longest(encoding));
  const auto at = drawn_positions(domain, n, most, draw, "i");
  auto elsewhere = drawn_positions(domain, m, most, draw, "j", "_j");
  const std::size_t rows = drawn_rows(encoding, n, draw);
  const Call same = sequence(encoding, in_every_row(at, rows), &draw, rows);
  const Position furthest = *std::max_element(at.begin(), at.end());
  if (m > 1) elsewhere.back() = std::min(domain.hi, furthest + std::max<Position>(furthest, 0) + 4096);
  Call between = sequence(encoding, elsewhere);
  between.role = Role::key;

  const Tensor before = answer(encoding, same);
  answer(encoding, between);
  const Tensor after = answer(encoding, same);
  Bound twice = bound(encoding, same, before, p);
  twice *= 2;
  return compare(encoding, same, after, before, twice).worst;
}

// A module that adds the last position of the call before.
Encoding accumulating() {
  Table table{.dim = 1};
  table.rows = [last = std::make_shared<Position>(0)](std::span<const Position> positions, Position) {
    Tensor rows({positions.size(), 1});
    for (std::size_t r = 0; r < positions.size(); ++r)
      rows.at(r, 0) = static_cast<double>(positions[r] + *last);
    if (!positions.empty()) *last += positions.back();
    return rows;
  };
  return table;
}

// Interpolated once a long sequence has come by, and never reset.
Encoding never_reset() {
  Rotary rotary = rotations::multiplied_by(
      4, 2, rotations::neighbours(),
      [](const Pair& pair, const rotations::Rotated& token) { return rotations::rotation(pair, token.t); });
  rotary.rotate = [exact = rotary, longest = std::make_shared<Position>(1)](
                      const Tensor& x, std::span<const Position> positions, Role role) {
    std::vector<Position> interpolated;
    for (const Position t : positions) *longest = std::max(*longest, t / 4096 + 1);
    for (const Position t : positions) interpolated.push_back(t / *longest);
    return exact.rotate(x, interpolated, role);
  };
  return rotary;
}

// Slopes that are multiplied in place at every call.
Encoding scaled_in_place() {
  Bias bias =
      biases::bias_of(1, [slope = std::make_shared<double>(0.5)](std::size_t, Position i, Position j) {
        if (i == j) *slope *= 1 + 1e-9;
        return -*slope * static_cast<double>(std::abs(i - j));
      });
  bias.slopes = {0.5};
  return bias;
}

// A case is three calls: what is wrong in every third is wrong in the second of the two that are compared.
std::vector<NegativeExample> every_third(Encoding (*right)(), Units units) {
  return wrong_corners(right, units, "every third answer", [](std::size_t calls) { return calls % 3 == 2; });
}

}  // namespace

const Property entry{
    .statement = "The answer to a call does not depend on the calls before it.",
    .formula = "f(x; t) after f(y; s) = f(x; t)",
    .source =
        "huggingface/transformers#25308 (a base that stays grown), EleutherAI/gpt-neox e9dc55f (positions "
        "add up)",
    .checks = {CallCheck{&names_positions, &check}},
    .must_reject = joined({{"a table that adds the last position of the call before", &accumulating},
                           {"a rotation that stays interpolated after a long sequence", &never_reset},
                           {"slopes that grow by 1e-9 at every call", &scaled_in_place}},
                          every_third(&right_table, {12, 12}), every_third(&right_rotary, {48, 6}),
                          every_third(&right_bias, {12, 12}), every_third(&right_contextual, {12, 12})),
    .needs = Needs::live_subject,
    .universal = true,
};

}  // namespace posproof::properties_call_is_stateless
