#include "../bias/entries.h"
#include "../rotary/tokens.h"
#include "catalogue/properties.h"

namespace posproof {
namespace {

// Positions drawn one by one, the first of them once more at the end; and an order to ask for them in.
struct Shuffled {
  std::vector<Position> positions, again;
  std::vector<std::size_t> order;  // again[r] is positions[order[r]]
};

Shuffled shuffled(const Domain& domain, Draw& draw, const std::string& name) {
  Shuffled out;
  const std::int64_t n = draw.integer("n" + name, 1, 4);
  for (std::int64_t r = 1; r <= n; ++r)
    out.positions.push_back(draw.position(fmt::format("t{}{}", name, r), domain));
  out.positions.push_back(out.positions.front());
  out.order = draw.permutation("shuffle" + name, out.positions.size());
  for (const std::size_t r : out.order) out.again.push_back(out.positions[r]);
  return out;
}

Residual of_table(const Table& table, Precision p, Draw& draw) {
  const Shuffled at = shuffled(table.positions, draw, "");
  const Position length = *std::max_element(at.positions.begin(), at.positions.end()) + 1;
  const Tensor once = table.rows(at.positions, length), again = table.rows(at.again, length);
  if (once.shape != again.shape || once.shape != Shape{at.positions.size(), table.dim})
    throw std::length_error(fmt::format("rows answers {} and {}", text(once.shape), text(again.shape)));
  // The same row twice. It may be computed by other instructions at another place, so each is allowed its
  // error.
  Residual worst{0, 0, 0};
  for (std::size_t r = 0; r < at.order.size(); ++r) {
    const auto row = once.row(at.order[r]);
    std::vector<double> bound = row_error(table, p, at.again[r], row);
    for (double& error : bound) error *= 2;
    worst = worse(worst, difference(again.row(r), row, bound));
  }
  return worst;
}

Residual of_rotary(const Rotary& rotary, Precision p, Draw& draw) {
  const Shuffled at = shuffled(rotary.positions, draw, "");
  const std::size_t n = at.positions.size();
  const Tensor x = draw.content("x", Shape{1, rotary.heads, n, rotary.dim});
  rotations::Tokens again{x, at.again};
  for (std::size_t r = 0; r < x.rows(); ++r) {
    const auto from = x.row(r / n * n + at.order[r % n]);
    std::copy(from.begin(), from.end(), again.x.row(r).begin());
  }
  const Role role = rotations::drawn_role(draw);
  const Tensor once = rotations::rotated(rotary, x, at.positions, role);
  const Tensor twice = rotations::rotated(rotary, again.x, again.positions, role);
  Tensor expected = twice;
  for (std::size_t r = 0; r < x.rows(); ++r) {
    const auto from = once.row(r / n * n + at.order[r % n]);
    std::copy(from.begin(), from.end(), expected.row(r).begin());
  }
  return rotations::compare(rotary, p, again, twice, expected, [&](const Pair& pair, std::size_t place) {
    return 2 * rotation_error(p, static_cast<double>(again.positions[place]), pair);
  });
}

Residual of_bias(const Bias& bias, Precision p, Draw& draw) {
  const Shuffled query = shuffled(bias.positions, draw, "q"), key = shuffled(bias.positions, draw, "k");
  const biases::Entries once = biases::entries(bias, query.positions, key.positions);
  const biases::Entries again = biases::entries(bias, query.again, key.again);
  Residual worst{0, 0, 0};
  for (std::size_t h = 0; h < bias.heads; ++h)
    for (std::size_t i = 0; i < again.queries; ++i)
      for (std::size_t j = 0; j < again.keys; ++j) {
        if (bias.causal && key.again[j] > query.again[i]) continue;
        const double expected = once.at(h, query.order[i], key.order[j]);
        const double bound = 2 * bias_error(p, expected, biases::slope(bias, h), h + 1);
        worst = worse(worst, difference(again.at(h, i, j), expected, bound));
      }
  return worst;
}

// Whatever is asked for, the rows of the first n positions from the smallest one.
Encoding counting_rows() {
  Table table{.dim = 1};
  table.rows = [](std::span<const Position> positions, Position) {
    Tensor rows({positions.size(), 1});
    const Position first = *std::min_element(positions.begin(), positions.end());
    for (std::size_t r = 0; r < positions.size(); ++r)
      rows.at(r, 0) = static_cast<double>(first) + static_cast<double>(r);
    return rows;
  };
  return table;
}

Encoding counting_tokens() {
  Rotary rotary = rotations::multiplied_by(
      4, 2, rotations::neighbours(),
      [](const Pair& pair, const rotations::Rotated& token) { return rotations::rotation(pair, token.t); });
  rotary.rotate = [exact = rotary](const Tensor& x, std::span<const Position> positions, Role role) {
    std::vector<Position> counted(positions.begin(), positions.end());
    for (std::size_t r = 1; r < counted.size(); ++r) counted[r] = counted[r - 1] + 1;
    return exact.rotate(x, counted, role);
  };
  return rotary;
}

// Rows and columns are taken from the first query and key on.
Encoding sliced_bias() {
  Bias bias{.heads = 1};
  bias.bias = [](std::span<const Position> queries, std::span<const Position> keys) {
    Tensor b({1, queries.size(), keys.size()});
    for (std::size_t i = 0; i < queries.size(); ++i)
      for (std::size_t j = 0; j < keys.size(); ++j)
        b.at(i, j) = -static_cast<double>(std::abs(queries[i] - (keys[0] + static_cast<Position>(j))));
    return b;
  };
  bias.slopes = {1};
  return bias;
}

}  // namespace

const Property properties::call::takes_positions_in_any_order{
    .statement =
        "Positions may be asked for in any order, and twice: the answer comes in the order of the question.",
    .formula = "f(t_s(1), .., t_s(n)) = f(t_1, .., t_n) in the order s",
    .source = "packed sequences and padded batches: NVIDIA/Megatron-LM#453, facebookresearch/fairseq#3726",
    .checks = {CheckOf<Table>(&of_table), CheckOf<Rotary>(&of_rotary), CheckOf<Bias>(&of_bias)},
    .must_reject = {{"a table that counts on from the smallest position", &counting_rows},
                    {"a rotation that counts on from the first position", &counting_tokens},
                    {"a bias whose keys count on from the first", &sliced_bias}},
    .needs = Needs::live_subject,
};

}  // namespace posproof
