#include <fmt/format.h>

#include <algorithm>

#include "calls.h"
#include "catalogue/properties/call/takes_positions_in_any_order.h"
#include "negative_examples.h"

namespace posproof::properties_call_takes_positions_in_any_order {
namespace {

using namespace calls;

// Positions drawn one by one, or many as they are arranged, the first of them once more at the end; and an
// order to ask for them in.
struct Shuffled {
  std::vector<Position> positions;
  std::vector<std::size_t> order;
};

Shuffled few_shuffled(const Encoding& encoding, std::size_t n, Draw& draw, const std::string& name) {
  Shuffled out;
  for (std::size_t r = 1; r <= n; ++r)
    out.positions.push_back(draw.position(fmt::format("t{}{}", name, r), positions_of(encoding)));
  out.positions.push_back(out.positions.front());
  out.order = draw.permutation("shuffle" + name, out.positions.size());
  return out;
}

// Of many, one list of their numbers would be all that one sees of the case. Reversed, none is repeated, so
// that consecutive ones descend all the way; with two in the middle exchanged, consecutive ones have the ends
// that they had.
Shuffled many_shuffled(const Encoding& encoding, std::size_t n, Draw& draw, const std::string& name) {
  Shuffled out;
  out.positions = drawn_positions(positions_of(encoding), n, 4, draw, fmt::format("t{}1", name), name);
  const Value drawn = draw.one_of("shuffled" + name, {"reversed", "halves_swapped", "middle_exchanged"});
  const auto& word = std::get<std::string>(drawn);
  if (word == "halves_swapped") out.positions.push_back(out.positions.front());
  out.order = indices(0, out.positions.size());
  const auto middle = out.order.begin() + static_cast<std::ptrdiff_t>(out.order.size() / 2);
  if (word == "reversed")
    std::reverse(out.order.begin(), out.order.end());
  else if (word == "halves_swapped")
    std::rotate(out.order.begin(), middle, out.order.end());
  else
    std::iter_swap(middle - 1, middle);
  return out;
}

Shuffled shuffled(const Encoding& encoding, Draw& draw, const std::string& name) {
  const std::size_t n = draw.size("n" + name, 1, 4, longest(encoding));
  return n <= 4 ? few_shuffled(encoding, n, draw, name) : many_shuffled(encoding, n, draw, name);
}

// The same entries twice. They may be computed by other instructions at another place, so each is allowed its
// error.
Residual check(const Encoding& encoding, Precision p, Draw& draw) {
  const Axis along = signature(encoding).along();
  const bool pairs = along == Axis::query;
  const Shuffled of = shuffled(encoding, draw, pairs ? "q" : ""),
                 keys = pairs ? shuffled(encoding, draw, "k") : of;
  const std::size_t rows = drawn_rows(encoding, of.positions.size(), draw);
  Call once = sequence(encoding, in_every_row(of.positions, rows), &draw, rows);
  if (pairs) once.keys = sequence(encoding, keys.positions).positions;
  if (signature(encoding).role) once.role = drawn_role(draw);

  Call again = take(encoding, once, along, of.order);
  const Operand& gives = signature(encoding).gives;
  Tensor expected = take(gives, answer(encoding, once), along, of.order);
  if (pairs) {
    again = take(encoding, again, Axis::key, keys.order);
    expected = take(gives, expected, Axis::key, keys.order);
  }
  Bound twice = bound(encoding, again, expected, p);
  twice *= 2;
  return compare(encoding, again, answer(encoding, again), expected, twice).worst;
}

// A kind that takes queries and keys has no property of this name yet: its contents would be drawn for both.
bool names_its_order(const Encoding& encoding) {
  return names_positions(encoding) &&
         (signature(encoding).has(Axis::token) || signature(encoding).takes.empty());
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

// A rotation by other positions than are asked for: those of all rows, each of so many tokens, renumbered.
Encoding rotating_by(void (*renumbered)(std::vector<Position>& positions, std::size_t tokens)) {
  Rotary rotary = rotations::multiplied_by(
      4, 2, rotations::neighbours(),
      [](const Pair& pair, const rotations::Rotated& token) { return rotations::rotation(pair, token.t); });
  rotary.rotate = [exact = rotary, renumbered](const Tensor& x, std::span<const Position> positions,
                                               Role role) {
    std::vector<Position> others(positions.begin(), positions.end());
    renumbered(others, x.shape[2]);
    return exact.rotate(x, others, role);
  };
  return rotary;
}

// The positions of a row that is asked for in another order are right in the first row only.
Encoding counting_in_later_rows() {
  return rotating_by([](std::vector<Position>& positions, std::size_t tokens) {
    for (std::size_t r = tokens; r < positions.size(); ++r)
      if (r % tokens != 0) positions[r] = positions[r - 1] + 1;
  });
}

// What is asked for strictly descending is given in ascending order.
Encoding ascending_tokens() {
  return rotating_by([](std::vector<Position>& positions, std::size_t tokens) {
    const auto n = static_cast<std::ptrdiff_t>(tokens);
    for (auto row = positions.begin(); row != positions.end(); row += n)
      if (n > 2 && std::adjacent_find(row, row + n, std::less_equal<>()) == row + n)
        std::reverse(row, row + n);
  });
}

// Tokens whose last position is as far from the first as that of consecutive ones are taken for these.
Encoding counting_between_ends() {
  return rotating_by([](std::vector<Position>& positions, std::size_t tokens) {
    for (std::size_t first = 0; first < positions.size(); first += tokens)
      if (tokens > 3 && positions[first + tokens - 1] - positions[first] == static_cast<Position>(tokens) - 1)
        for (std::size_t n = 1; n < tokens; ++n)
          positions[first + n] = positions[first] + static_cast<Position>(n);
  });
}

Encoding counting_tokens() {
  return rotating_by([](std::vector<Position>& positions, std::size_t) {
    for (std::size_t r = 1; r < positions.size(); ++r) positions[r] = positions[r - 1] + 1;
  });
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

// A bias for keys that rise, whatever the order in which they come.
Encoding bias_of_sorted_keys() {
  Bias bias = as<Bias>(right_bias());
  bias.bias = [exact = bias.bias](std::span<const Position> queries, std::span<const Position> keys) {
    std::vector<Position> rising(keys.begin(), keys.end());
    std::ranges::sort(rising);
    return exact(queries, rising);
  };
  return bias;
}

// Only the last channel beyond position 65,536.
NegativeExample larger_far_out(Encoding (*right)(), double units) {
  return larger({noun(right()) + " whose last channel beyond position 65536", right,
                 [](const AnswerEntry& at) {
                   return at.position > 65536 && at.of_last_token() && at.of_last_key() &&
                          at.in_last_channel();
                 }},
                units, all_f32);
}

Encoding from_8_before_0() {
  return with_positions(right_table(), {-8, 7});
}

// The second time that a position is asked for in one call.
NegativeExample repeated_larger(Encoding (*right)(), double units) {
  return larger({noun(right()) + " whose entry of a repeated position", right,
                 [](const AnswerEntry& at) { return at.repeated; }},
                units, all_f32);
}

}  // namespace

const Property entry{
    .statement =
        "Positions may be asked for in any order, and twice: the answer comes in the order of the question.",
    .formula = "f(t_s(1), .., t_s(n)) = f(t_1, .., t_n) in the order s",
    .source = "packed sequences and padded batches: NVIDIA/Megatron-LM#453, facebookresearch/fairseq#3726",
    .checks = {CallCheck{&names_its_order, &check}},
    .must_reject =
        joined({{"a table that counts on from the smallest position", &counting_rows},
                {"a rotation that counts on from the first position", &counting_tokens},
                {"a rotation that does so in every batch row but the first", &counting_in_later_rows},
                {"a rotation that gives descending positions in ascending order", &ascending_tokens},
                {"a rotation that counts on between ends as far apart as consecutive ones are",
                 &counting_between_ends},
                {"a bias whose keys count on from the first", &sliced_bias},
                {"a bias whose keys are sorted before they are looked at", &bias_of_sorted_keys},
                larger_far_out(&right_table, -8),
                larger_far_out(&right_rotary, 96),
                larger_far_out(&right_bias, 8),
                larger({"a table whose last entry, at positions below 0,", &from_8_before_0,
                        [](const AnswerEntry& at) { return at.of_last_token() && at.position < 0; }},
                       8, all_f32),
                repeated_larger(&right_table, 8),
                repeated_larger(&right_rotary, -32),
                repeated_larger(&right_bias, 8),
                larger({"a table whose last of three channels", &right_table,
                        [](const AnswerEntry& at) { return at.of_last_token() && at.in_last_channel(); }},
                       8, all_f32),
                larger({"a rotation of keys whose last entry", &right_rotary,
                        [](const AnswerEntry& at) { return at.is_last() && at.role == Role::key; }},
                       48, all_f32),
                larger({"a bias whose last key in the last head", &right_bias,
                        [](const AnswerEntry& at) { return at.of_last_key() && at.in_last_head(); }},
                       8, all_f32)},
               wrong_corners(&right_table, {12, 12}), wrong_corners(&right_rotary, {48, 6}),
               wrong_corners(&right_bias, {12, 12})),
    .needs = Needs::live_subject,
    .universal = true,
};

}  // namespace posproof::properties_call_takes_positions_in_any_order
