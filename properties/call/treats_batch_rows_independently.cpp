#include "../rotary/tokens.h"
#include "catalogue/properties.h"

namespace posproof {
namespace {

using namespace rotations;

Residual check(const Rotary& rotary, Precision p, Draw& draw) {
  const Tokens token = tokens(rotary, draw);
  const std::size_t batch = token.x.shape[0], n = token.x.shape[2], size = token.x.data.size() / batch;
  if (batch == 1) throw Discard{};
  const auto one = static_cast<std::size_t>(draw.integer("row", 1, static_cast<std::int64_t>(batch))) - 1;
  const Role role = drawn_role(draw);

  const auto row = [&](const auto& all, std::size_t length) {
    const auto first = all.begin() + static_cast<std::ptrdiff_t>(one * length);
    return std::vector(first, first + static_cast<std::ptrdiff_t>(length));
  };
  const Tokens alone{Tensor({1, rotary.heads, n, rotary.dim}, row(token.x.data, size)),
                     row(token.positions, n)};
  const Tensor together = rotated(rotary, token.x, token.positions, role);
  const Tensor expected = rotated(rotary, alone.x, alone.positions, role);

  // The same rotation twice. A batch may be computed by other instructions than one row, so each is allowed
  // its error.
  return compare(rotary, p, alone, Tensor(alone.x.shape, row(together.data, size)), expected,
                 [&](const Pair& pair, std::size_t place) {
                   return 2 * rotation_error(p, static_cast<double>(alone.positions[place]), pair);
                 });
}

Encoding turned_at(
    const std::function<Position(const Tensor& x, std::span<const Position>, std::size_t at)>& position) {
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
  return turned_at([](const Tensor& x, std::span<const Position> positions, std::size_t at) {
    return positions[at % x.shape[2]];
  });
}

// One long row in the batch, and every row is interpolated.
Encoding coupled_by_the_longest() {
  return turned_at([](const Tensor&, std::span<const Position> positions, std::size_t at) {
    const Position longest = *std::max_element(positions.begin(), positions.end());
    return longest > 4096 ? positions[at] / 2 : positions[at];
  });
}

// A launch that covers the first row only.
Encoding first_row_only() {
  return turned_at([](const Tensor& x, std::span<const Position> positions, std::size_t at) {
    return at < x.shape[2] ? positions[at] : 0;
  });
}

}  // namespace

const Property properties::call::treats_batch_rows_independently{
    .statement = "A row of a batch is rotated as it is alone.",
    .formula = "f(x_1, .., x_B; t_1, .., t_B)_b = f(x_b; t_b)",
    .source =
        "ml-explore/mlx#3494 (only the first row is rotated), vllm-project/vllm#6283 (one long row changes "
        "all)",
    .checks = {CheckOf<Rotary>(&check)},
    .must_reject = {{"a batch of which every row has the positions of the first",
                     &positions_of_the_first_row},
                    {"a batch that is interpolated where one of its rows is long", &coupled_by_the_longest},
                    {"a batch of which only the first row is rotated", &first_row_only}},
    .needs = Needs::live_subject,
};

}  // namespace posproof
