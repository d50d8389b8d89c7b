#include <numeric>

#include "../bias/entries.h"
#include "../rotary/tokens.h"
#include "catalogue/properties.h"

namespace posproof {
namespace {

// A sequence, and where it is cut: a prefill, then the rest in one chunk or token by token.
struct Cut {
  std::vector<Position> positions;
  std::vector<std::pair<std::size_t, std::size_t>> chunks;  // from, to
};

Cut cut(const Domain& domain, Draw& draw, std::int64_t most = 6) {
  const std::int64_t n = draw.integer("n", 2, most);
  const std::int64_t prefill = draw.integer("prefill", 1, n - 1);
  const bool steps = std::get<std::string>(draw.one_of(
                         "then", {Value(std::string("steps")), Value(std::string("chunk"))})) == "steps";
  Cut out{std::vector<Position>(static_cast<std::size_t>(n)), {{0, static_cast<std::size_t>(prefill)}}};
  const Position i = draw.position("i", domain, domain.lo, domain.hi - (n - 1));
  std::iota(out.positions.begin(), out.positions.end(), i);
  for (auto at = out.chunks[0].second; at < out.positions.size(); at = out.chunks.back().second)
    out.chunks.push_back({at, steps ? at + 1 : out.positions.size()});
  return out;
}

std::vector<Position> part(const Cut& cut, std::size_t from, std::size_t to) {
  const auto first = cut.positions.begin();
  return {first + static_cast<std::ptrdiff_t>(from), first + static_cast<std::ptrdiff_t>(to)};
}

// In all of these the same is computed twice, by other instructions where a chunk has another shape than the
// whole, so each answer is allowed its error.
Residual of_table(const Table& table, Precision p, Draw& draw) {
  const Cut at = cut(table.positions, draw);
  // The sequence is as long as it will be: an encoding that looks at its length is told the same in every
  // chunk.
  const Position length = at.positions.back() + 1;
  const Tensor whole = table.rows(at.positions, length);
  Residual worst{0, 0, 0};
  for (const auto& [from, to] : at.chunks) {
    const Tensor chunk = table.rows(part(at, from, to), length);
    if (chunk.shape != Shape{to - from, table.dim} || whole.shape != Shape{at.positions.size(), table.dim})
      throw std::length_error(fmt::format("rows answers {} and {}", text(whole.shape), text(chunk.shape)));
    for (std::size_t r = from; r < to; ++r) {
      std::vector<double> bound = row_error(table, p, at.positions[r], whole.row(r));
      for (double& error : bound) error *= 2;
      worst = worse(worst, difference(chunk.row(r - from), whole.row(r), bound));
    }
  }
  return worst;
}

Residual of_rotary(const Rotary& rotary, Precision p, Draw& draw) {
  const std::size_t room = rotations::most_values / (rotary.heads * rotary.dim);
  const Cut at = cut(rotary.positions, draw, std::clamp<std::int64_t>(static_cast<std::int64_t>(room), 2, 6));
  const std::size_t n = at.positions.size();
  const rotations::Tokens token{draw.content("x", Shape{1, rotary.heads, n, rotary.dim}), at.positions};
  const Role role = rotations::drawn_role(draw);
  const Tensor whole = rotations::rotated(rotary, token.x, token.positions, role);
  Tensor joined = whole;
  for (const auto& [from, to] : at.chunks) {
    Tensor x(Shape{1, rotary.heads, to - from, rotary.dim});
    const auto row = [n, from = from, size = to - from](std::size_t r) {
      return r / size * n + from + r % size;
    };
    for (std::size_t r = 0; r < x.rows(); ++r) {
      const auto own = token.x.row(row(r));
      std::copy(own.begin(), own.end(), x.row(r).begin());
    }
    const Tensor y = rotations::rotated(rotary, x, part(at, from, to), role);
    for (std::size_t r = 0; r < y.rows(); ++r) {
      const auto own = y.row(r);
      std::copy(own.begin(), own.end(), joined.row(row(r)).begin());
    }
  }
  return rotations::compare(rotary, p, token, joined, whole, [&](const Pair& pair, std::size_t place) {
    return 2 * rotation_error(p, static_cast<double>(token.positions[place]), pair);
  });
}

// Every chunk of queries sees the keys up to its own last. What a row has in common does not matter
// (depends_on_offset), so its entries are taken relative to the query's own.
Residual of_bias(const Bias& bias, Precision p, Draw& draw) {
  const Cut at = cut(bias.positions, draw);
  const biases::Entries whole = biases::entries(bias, at.positions, at.positions);
  Residual worst{0, 0, 0};
  for (const auto& [from, to] : at.chunks) {
    const biases::Entries chunk = biases::entries(bias, part(at, from, to), part(at, 0, to));
    for (std::size_t h = 0; h < bias.heads; ++h)
      for (std::size_t i = from; i < to; ++i)
        for (std::size_t j = 0; j <= i; ++j) {
          const double here = whole.at(h, i, j) - whole.at(h, i, i);
          const double there = chunk.at(h, i - from, j) - chunk.at(h, i - from, i);
          if (!std::isfinite(here) || !std::isfinite(there)) return holds_if(false);
          double bound = unit_f64 * (std::abs(here) + std::abs(there));
          for (const double entry :
               {whole.at(h, i, j), whole.at(h, i, i), chunk.at(h, i - from, j), chunk.at(h, i - from, i)})
            bound += bias_error(p, entry, biases::slope(bias, h), h + 1);
          worst = worse(worst, difference(there, here, bound, i == j ? 0 : no_ceiling));
        }
  }
  return worst;
}

Residual of_contextual(const Contextual& contextual, Precision p, Draw& draw) {
  const Cut at = cut(contextual.positions, draw);
  const std::size_t n = at.positions.size(), dim = contextual.dim;
  const Tensor q = draw.content("q", Shape{n, dim}), k = draw.content("k", Shape{n, dim});
  const auto rows = [dim](const Tensor& x, std::size_t from, std::size_t to) {
    const auto first = x.data.begin();
    return Tensor({to - from, dim}, {first + static_cast<std::ptrdiff_t>(from * dim),
                                     first + static_cast<std::ptrdiff_t>(to * dim)});
  };
  const Tensor whole = contextual.logits(q, k, at.positions, at.positions);
  Residual worst{0, 0, 0};
  for (const auto& [from, to] : at.chunks) {
    const Tensor chunk =
        contextual.logits(rows(q, from, to), rows(k, 0, to), part(at, from, to), part(at, 0, to));
    for (std::size_t i = from; i < to; ++i)
      for (std::size_t j = 0; j <= i; ++j)
        worst = worse(
            worst, difference(chunk.at(i - from, j), whole.at(i, j),
                              2 * contextual.error(q.row(i), k.row(j), at.positions[i], at.positions[j], p)));
  }
  return worst;
}

// A step of one token has no position, as where the row is added only to longer inputs.
Encoding steps_at_zero() {
  Table table{.dim = 1};
  table.rows = [](std::span<const Position> positions, Position) {
    Tensor rows({positions.size(), 1});
    if (positions.size() > 1)
      for (std::size_t r = 0; r < positions.size(); ++r) rows.at(r, 0) = static_cast<double>(positions[r]);
    return rows;
  };
  return table;
}

// 16 units of f32, where each of two answers may be off by 2.
Encoding steps_are_larger() {
  Table table{.dim = 1};
  table.rows = [](std::span<const Position> positions, Position) {
    Tensor rows({positions.size(), 1});
    for (std::size_t r = 0; r < positions.size(); ++r)
      rows.at(r, 0) = static_cast<double>(positions[r]) * (positions.size() == 1 ? 1 + 0x1p-20 : 1);
    return rows;
  };
  return table;
}

// A table of angles that is kept for each length of input: whoever comes first fills it.
Encoding remembered_by_length() {
  Rotary rotary = rotations::multiplied_by(
      4, 2, rotations::neighbours(),
      [](const Pair& pair, const rotations::Rotated& token) { return rotations::rotation(pair, token.t); });
  using Memory = std::vector<std::vector<Position>>;
  rotary.rotate = [exact = rotary, memory = std::make_shared<Memory>(16)](
                      const Tensor& x, std::span<const Position> positions, Role role) {
    std::vector<Position>& kept = memory->at(positions.size());
    if (kept.empty()) kept.assign(positions.begin(), positions.end());
    return exact.rotate(x, kept, role);
  };
  return rotary;
}

// A query of a chunk is taken for the first of the sequence.
Encoding queries_from_the_first_key() {
  Bias bias{.heads = 1};
  bias.bias = [](std::span<const Position> queries, std::span<const Position> keys) {
    Tensor b({1, queries.size(), keys.size()});
    for (std::size_t i = 0; i < queries.size(); ++i)
      for (std::size_t j = 0; j < keys.size(); ++j)
        b.at(i, j) = -std::abs(static_cast<double>(i) - static_cast<double>(j));
    return b;
  };
  bias.slopes = {1};
  return bias;
}

}  // namespace

const Property properties::call::agrees_in_chunks{
    .statement = "A sequence in chunks, the last ones of one token perhaps, is answered as the whole is.",
    .formula = "f(x_1 .. x_n) = f(x_1 .. x_m), f(x_(m+1)), .., f(x_n)",
    .source =
        "prefill and decode: lucidrains/rotary-embedding-torch#11, keras-team/keras-hub#1544, "
        "pytorch/executorch#2010",
    .checks = {CheckOf<Table>(&of_table), CheckOf<Rotary>(&of_rotary), CheckOf<Bias>(&of_bias),
               CheckOf<Contextual>(&of_contextual)},
    .must_reject = {{"a table that answers zeros where it is asked for one token", &steps_at_zero},
                    {"a table whose steps of one token are larger by 2^-20 of themselves, in f32",
                     &steps_are_larger, all_f32},
                    {"a rotation that keeps its angles by the length of the input", &remembered_by_length},
                    {"a bias that counts the queries of a chunk from the first key",
                     &queries_from_the_first_key}},
    .needs = Needs::live_subject,
};

}  // namespace posproof
