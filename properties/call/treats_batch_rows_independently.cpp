#include "catalogue/properties/call/treats_batch_rows_independently.h"
#include "calls.h"
#include "core/function.h"
#include "negative_examples.h"

namespace posproof::properties_call_treats_batch_rows_independently {
namespace {

using namespace calls;
using namespace rotations;

Residual check(const Encoding& encoding, Precision p, Draw& draw) {
  Call together = drawn_batch(encoding, draw);
  if (together.batch == 1) throw Discard{};
  const auto one =
      static_cast<std::size_t>(draw.integer("row", 1, static_cast<std::int64_t>(together.batch))) - 1;
  together.role = drawn_role(draw);

  const Call alone = take(encoding, together, Axis::batch, {{one}});
  const Tensor there = take(signature(encoding).gives, answer(encoding, together), Axis::batch, {{one}});
  const Tensor here = answer(encoding, alone);
  // The same rotation twice. A batch may be computed by other instructions than one row, so each is allowed
  // its error.
  Bound twice = bound(encoding, alone, here, p);
  twice *= 2;
  return compare(encoding, alone, there, here, twice).worst;
}

Encoding rotated_at(
    const Function<Position(const Tensor& x, std::span<const Position>, std::size_t at)>& position) {
  Rotary rotary = multiplied_by(
      4, 2, neighbours(), [](const Pair& pair, const Rotated& token) { return rotation(pair, token.t); });
  rotary.rotate = [exact = rotary, position](const Tensor& x, std::span<const Position> positions,
                                             Role role) {
    std::vector<Position> moved;
    for (std::size_t at = 0; at < positions.size(); ++at) moved.push_back(position(x, positions, at));
    return exact.rotate(x, moved, role);
  };
  return rotary;
}

Encoding positions_of_the_first_row() {
  return rotated_at([](const Tensor& x, std::span<const Position> positions, std::size_t at) {
    return positions[at % x.shape[2]];
  });
}

// One long row in the batch, and every row is interpolated.
Encoding coupled_by_the_longest() {
  return rotated_at([](const Tensor&, std::span<const Position> positions, std::size_t at) {
    const Position longest = *std::max_element(positions.begin(), positions.end());
    return longest > 4096 ? positions[at] / 2 : positions[at];
  });
}

// A launch that covers the first row only.
Encoding first_row_only() {
  return rotated_at([](const Tensor& x, std::span<const Position> positions, std::size_t at) {
    return at < x.shape[2] ? positions[at] : 0;
  });
}

}  // namespace

const Property entry{
    .statement = "A row of a batch is rotated as it is alone.",
    .formula = "f(x_1, .., x_B; t_1, .., t_B)_b = f(x_b; t_b)",
    .source =
        "ml-explore/mlx#3494 (only the first row is rotated), vllm-project/vllm#6283 (one long row changes "
        "all)",
    .checks = {CallCheck{[](const Encoding& encoding) { return signature(encoding).has(Axis::batch); },
                         &check}},
    .must_reject =
        joined({{"a batch of which every row has the positions of the first", &positions_of_the_first_row},
                {"a batch that is interpolated where one of its rows is long", &coupled_by_the_longest},
                {"a batch of which only the first row is rotated", &first_row_only},
                larger({"a batch of three whose second row", &right_rotary,
                        [](const AnswerEntry& at) { return at.batch == 1 && at.batches == 3; }},
                       48, all_f32),
                larger({"a batch of keys whose last entry", &right_rotary,
                        [](const AnswerEntry& at) { return at.is_last() && at.role == Role::key; }},
                       -48, all_f32)},
               wrong_corners(&right_rotary, {48, 6})),
    .needs = Needs::live_subject,
    .universal = true,
};

}  // namespace posproof::properties_call_treats_batch_rows_independently
