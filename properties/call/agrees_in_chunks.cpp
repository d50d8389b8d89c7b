#include <map>
#include <numeric>

#include "calls.h"
#include "catalogue/properties/call/agrees_in_chunks.h"
#include "negative_examples.h"

namespace posproof::properties_call_agrees_in_chunks {
namespace {

using namespace calls;

// A sequence, and where it is cut: a prefill, then the rest in one chunk or token by token; of many tokens
// the first four of the rest.
struct Cut {
  std::vector<Position> positions;
  std::vector<std::pair<std::size_t, std::size_t>> chunks;  // from, to
};

Cut cut(const Encoding& encoding, Draw& draw) {
  const std::int64_t usual = most_tokens(encoding, 2, 6);
  const std::size_t n = draw.size("n", 2, usual, longest(encoding));
  const auto prefill = static_cast<std::size_t>(draw.integer("prefill", 1, static_cast<std::int64_t>(n) - 1));
  const bool steps = std::get<std::string>(draw.one_of(
                         "then", {Value(std::string("steps")), Value(std::string("chunk"))})) == "steps";
  Cut out{drawn_positions(positions_of(encoding), n, usual, draw, "i"), {{0, prefill}}};
  for (auto at = prefill; at < n; at = out.chunks.back().second)
    out.chunks.push_back({at, steps && out.chunks.size() < 5 ? at + 1 : n});
  return out;
}

// The tokens from one to another; where keys have positions of their own, every chunk of queries sees the
// keys up to its own last.
Call chunk(const Encoding& encoding, const Call& whole, std::size_t from, std::size_t to) {
  const Axis along = signature(encoding).along();
  const Call own = take(encoding, whole, along, indices(from, to));
  return along == Axis::query ? take(encoding, own, Axis::key, indices(0, to)) : own;
}

// The same of the answer to the whole.
Tensor chunk(const Encoding& encoding, const Tensor& whole, std::size_t from, std::size_t to) {
  const Operand& gives = signature(encoding).gives;
  const Axis along = signature(encoding).along();
  const Tensor own = take(gives, whole, along, indices(from, to));
  return along == Axis::query ? take(gives, own, Axis::key, indices(0, to)) : own;
}

// The same is computed twice, by other instructions where a chunk has another shape than the whole, so each
// answer is allowed its error. The length of the sequence is the same in every chunk. What a row of biases
// has in common does not matter (depends_on_offset).
Residual check(const Encoding& encoding, Precision p, Draw& draw) {
  const Cut at = cut(encoding, draw);
  const std::size_t rows = drawn_rows(encoding, at.positions.size(), draw);
  Call whole = sequence(encoding, in_every_row(at.positions, rows), &draw, rows);
  if (signature(encoding).role) whole.role = drawn_role(draw);
  const Tensor together = answer(encoding, whole);
  const bool bias = signature(encoding).has(Axis::key) && signature(encoding).takes.empty();
  Residual worst{0, 0, 0};
  for (const auto& [from, to] : at.chunks) {
    const Call part = chunk(encoding, whole, from, to);
    const Tensor here = chunk(encoding, together, from, to), there = answer(encoding, part);
    Bound twice = bound(encoding, part, here, p);
    twice *= 2;
    worst = worse(
        worst,
        compare(encoding, part, there, here, twice, bias ? Freedom::constant_per_row : Freedom::none).worst);
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
  using Memory = std::map<std::size_t, std::vector<Position>>;
  rotary.rotate = [exact = rotary, memory = std::make_shared<Memory>()](
                      const Tensor& x, std::span<const Position> positions, Role role) {
    std::vector<Position>& kept = (*memory)[positions.size()];
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

const Property entry{
    .statement =
        "A sequence that is asked for in chunks, possibly single tokens at its end, has the answers of the "
        "whole; calls that name a length name that of the whole.",
    .formula = "f(x_1 .. x_n) = f(x_1 .. x_m), f(x_(m+1)), .., f(x_n)",
    .source =
        "prefill and decode: lucidrains/rotary-embedding-torch#11, keras-team/keras-hub#1544, "
        "pytorch/executorch#2010",
    .checks = {CallCheck{&names_positions, &check}},
    .must_reject = joined(
        {{"a table that answers zeros where it is asked for one token", &steps_at_zero},
         {"a table whose steps of one token are larger by 2^-20 of themselves, in f32", &steps_are_larger,
          all_f32},
         {"a rotation that keeps its angles by the length of the input", &remembered_by_length},
         {"a bias that counts the queries of a chunk from the first key", &queries_from_the_first_key}},
        wrong_corners(&right_table, {12, 12}), wrong_corners(&right_rotary, {48, 6}),
        wrong_corners(&right_bias, {12, 12}), wrong_corners(&right_contextual, {12, 12})),
    .needs = Needs::live_subject,
    .universal = true,
};

}  // namespace posproof::properties_call_agrees_in_chunks
