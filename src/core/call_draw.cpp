#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <numeric>

#include "core/call.h"

namespace posproof {
namespace {

using enum Axis;

constexpr std::size_t most_contents = 8;  // tokens whose contents are drawn one by one
constexpr std::int64_t most_keys_across = 640;

// Every token has the same content but for a power of two, which is exact in every format: tokens that are
// mixed up differ, and the counterexample stays one vector. Seven powers, in an order in which no tile's
// number of tokens, nor one more or less, leads to the same ones again.
int power_of(std::size_t token) {
  constexpr std::array<int, 7> powers = {0, 1, 2, 3, -1, -2, -3};
  return powers[(token + token / 7 + token / 49) % powers.size()];
}

Tensor multiples(const Shape& shape, std::span<const double> content) {
  Tensor x(shape);
  for (std::size_t r = 0; r < x.rows(); ++r)
    for (std::size_t c = 0; c < x.width(); ++c) x.at(r, c) = std::ldexp(content[c], power_of(r));
  return x;
}

// The same of keys, of which the first half has neither the largest power nor the smallest, and the last key
// alone one past all, so that its product with every query, of whatever sign, is the largest. A softmax by
// blocks of keys meets a new maximum there.
Tensor multiples_of_keys(const Shape& shape, std::span<const double> content, std::span<const double> query) {
  Tensor x = multiples(shape, content);
  const double product = std::inner_product(content.begin(), content.end(), query.begin(), 0.0);
  for (std::size_t c = 0; c < x.width(); ++c)
    x.at(x.rows() - 1, c) = std::ldexp(content[c], product < 0 ? -4 : 4);
  for (std::size_t r = 0; r < x.rows() / 2; ++r)
    if (const int power = power_of(r); std::abs(power) == 3)
      for (std::size_t c = 0; c < x.width(); ++c) x.at(r, c) = std::ldexp(content[c], power > 0 ? 2 : -2);
  return x;
}

std::vector<Tensor> contents_for(const Encoding& encoding, const Call& call, Draw* draw) {
  std::vector<Tensor> contents;
  const Signature& takes = signature(encoding);
  for (std::size_t n = 0; n < takes.takes.size(); ++n) {
    const std::string_view name = takes.takes[n].name;
    const Shape shape = shape_of_content(encoding, call, n);
    const bool many = shape.at(shape.size() - 2) > most_contents;
    const bool of_keys = takes.mask && name == "k";
    contents.push_back(draw == nullptr ? Tensor(shape)
                       : many && of_keys
                           ? multiples_of_keys(shape, draw->content(name, shape.back()), contents[0].row(0))
                       : many ? multiples(shape, draw->content(name, shape.back()))
                              : draw->content(name, shape));
  }
  return contents;
}

// `t`, `t1`, ..; of the second axis on `t_1`, `t1_1`.
std::string name_of(std::string_view letter, std::size_t token, std::size_t axis) {
  const std::string name = token == 0 ? std::string(letter) : fmt::format("{}{}", letter, token);
  return axis == 0 ? name : fmt::format("{}_{}", name, axis);
}

// Of the number with that index, where the first has `part` of so many parts: another one of each, by steps
// of the golden ratio; none where the first has none, as all are whole then.
double share_of(std::size_t index, std::int64_t part, std::int64_t parts) {
  constexpr std::int64_t step = 648055;  // parts of 2^20, odd
  const auto own = part == 0 ? 0 : (part + static_cast<std::int64_t>(index) * step) % parts;
  return static_cast<double>(own) / static_cast<double>(parts);
}

// Where every number is a position: whole ones, and behind each some parts of 2^20, `t_part`, which every
// format down to f64 holds with it.
TokenPositions with_parts(TokenPositions whole, Draw& draw, const std::vector<std::string>& names,
                          const Domain& within) {
  if (!within.real) return whole;
  constexpr std::int64_t parts = std::int64_t{1} << 20;
  const std::size_t each = names.empty() ? 0 : whole.whole.size() / names.size();
  for (std::size_t n = 0; n < names.size(); ++n) {
    const auto own = std::span(whole.whole).subspan(n * each, each);
    const std::int64_t most = std::ranges::min(own) >= within.hi ? 0 : parts - 1;
    const std::int64_t part = draw.integer(names[n] + "_part", 0, most);
    for (std::size_t r = 0; r < each; ++r)
      whole.real.push_back(static_cast<double>(own[r]) +
                           (own[r] >= within.hi ? 0 : share_of(r, part, parts)));
  }
  whole.whole.clear();
  return whole;
}

void complete(TokenPositions& positions, const Domain& domain) {
  for (std::size_t r = 0; r + domain.axes <= positions.whole.size(); r += domain.axes)
    domain.complete(std::span(positions.whole).subspan(r, domain.axes));
}

TokenPositions one_by_one(Draw& draw, std::size_t n, std::string_view letter, const Domain& within) {
  TokenPositions out{.axes = within.axes};
  std::vector<std::string> names;
  for (std::size_t r = 0; r < n; ++r)
    for (std::size_t axis = 0; axis < within.axes; ++axis) {
      names.push_back(name_of(letter, r, axis));
      out.whole.push_back(draw.position(names.back(), within, within.lo, within.last(axis)));
    }
  complete(out, within);
  return with_parts(std::move(out), draw, names, within);
}

// So many rows of so many tokens, each row from a first position of its own on.
TokenPositions in_rows(Draw& draw, std::size_t rows, std::size_t n, std::string_view letter,
                       const Domain& within, std::string_view suffix = "") {
  const Arrangement arrangement = draw_arrangement(n, draw, suffix);
  TokenPositions out{.axes = within.axes};
  out.whole.resize(rows * n * within.axes);
  for (std::size_t row = 0; row < rows; ++row)
    for (std::size_t axis = 0; axis < within.axes; ++axis) {
      const Domain along = within.on(axis);
      // So many that they go on from the first position begin anywhere where that has several numbers, so
      // that these are not all the same.
      const Position behind = static_cast<Position>(n) - 1, span = along.hi - along.lo;
      const Position last = span >= behind ? along.hi - behind : within.axes > 1 ? along.hi : along.lo;
      const Position first = draw.position(name_of(letter, row, axis), along, along.lo, last);
      const auto own = arrangement.of_row(row, n).positions(n, first, along, within.axes - 1 - axis);
      for (std::size_t r = 0; r < n; ++r) out.whole[(row * n + r) * within.axes + axis] = own[r];
    }
  complete(out, within);
  return with_parts(std::move(out), draw, {std::string(letter)}, within);
}

// As many as fit into a long call, of tokens that have so many values each.
std::int64_t room(std::size_t values, std::size_t of = values_of_a_long_call) {
  return static_cast<std::int64_t>(of / std::max<std::size_t>(1, values));
}
std::int64_t longest_room(std::size_t values) {
  return room(values, values_of_the_largest_call);
}

// Of n queries, and of as many keys. In recorded cases alone are `across`, where there are `keys` of them and
// every query sees all, and masks with a `part`: `documents`, two sequences in one row, the second from that
// number on, of which each token sees those of its own up to itself; `window`, so many tokens, itself the
// last; and `prefix`, so many first tokens, and those up to itself. A causal mask may hide one key, `unseen`,
// from every later query: whether that counts as a position all the same is the encoding's own.
Mask drawn_mask(Draw& draw, std::size_t n, const Attention& attention, std::size_t& keys) {
  std::vector<Value> masks = {"causal"};
  if (!attention.causal) masks.insert(masks.begin(), "none");
  if (attention.any_mask && n > 1) masks.emplace_back("padding");
  if (attention.causal && n > 1) masks.emplace_back("one_hidden");
  std::vector<Value> rare;
  if (!attention.causal) rare.emplace_back("across");
  if (attention.any_mask && n > 1) rare.insert(rare.end(), {"documents", "window", "prefix"});
  const std::string name = std::get<std::string>(draw.one_of("mask", masks, rare));
  if (name == "across") {
    keys = static_cast<std::size_t>(draw.integer("keys", 1, most_keys_across));
    return Mask({n, keys}, std::vector<double>(n * keys, 1));
  }
  // Behind the keys that are kept there is padding, which no query sees.
  const auto kept = static_cast<std::size_t>(
      name == "padding" ? draw.integer("kept", 1, static_cast<std::int64_t>(n) - 1) : 0);
  const auto hidden = static_cast<std::size_t>(
      name == "one_hidden" ? draw.integer("unseen", 0, static_cast<std::int64_t>(n) - 2) : n);
  const bool of_parts = name == "documents" || name == "window" || name == "prefix";
  const auto part =
      static_cast<std::size_t>(of_parts ? draw.integer("part", 1, static_cast<std::int64_t>(n) - 1) : 0);
  Mask mask({n, n}, std::vector<double>(n * n, 1));
  for (std::size_t r = 0; r < n; ++r)
    for (std::size_t c = 0; c < n; ++c) {
      const bool later =
          (name == "causal" || name == "one_hidden" || of_parts) && c > r && !(name == "prefix" && c < part);
      const bool of_the_other =
          (name == "documents" && r >= part && c < part) || (name == "window" && r >= c + part);
      if (later || of_the_other || (name == "padding" && c >= kept) || (c == hidden && r > hidden))
        mask.at(r, c) = 0;
    }
  return mask;
}

Call drawn_attention(const Encoding& encoding, Draw& draw) {
  const std::size_t values = 2 * width_of_content(encoding, 0) + width_of_content(encoding, 2);
  constexpr std::int64_t longest = 577;  // what it costs grows with the square
  const std::size_t n = draw.size("tokens", 1, 5, room(values), std::min(longest_room(values), longest));
  Call call;
  std::size_t keys = n;
  call.mask = drawn_mask(draw, n, as<Attention>(encoding), keys);
  call.contents = {Tensor({n, 0}), Tensor({keys, 0}), Tensor({keys, 0})};  // as long as those that are drawn
  call.contents = contents_for(encoding, call, &draw);
  // Of many tokens the values of the first half are negative: weight that is moved along the sequence shows.
  if (Tensor& values_of = call.contents[2]; keys > most_contents)
    for (std::size_t r = 0; r < keys / 2; ++r)
      for (std::size_t c = 0; c < values_of.width(); ++c) values_of.at(r, c) = -values_of.at(r, c);
  return call;
}

Call drawn_rotation(const Encoding& encoding, const Domain& domain, Draw& draw) {
  const std::size_t values = as<Rotary>(encoding).heads * width_of_content(encoding, 0);
  Call call;
  const auto rows = std::clamp<std::int64_t>(room(2 * values), 2, 3);
  const auto most = std::max(rows, std::min(many_rows, longest_room(2 * values)));
  call.batch = static_cast<std::size_t>(draw.integer("batch", {1, rows, most}));
  const std::size_t n =
      draw.size("tokens", 0, 2, room(call.batch * values), longest_room(call.batch * values));
  call.positions =
      n <= 2 ? one_by_one(draw, call.batch * n, "t", domain) : in_rows(draw, call.batch, n, "t", domain);
  call.role =
      std::get<std::string>(draw.one_of("role", {"query", "key"})) == "query" ? Role::query : Role::key;
  call.contents = {
      multiples(shape_of_content(encoding, call, 0), draw.content("x", width_of_content(encoding, 0)))};
  return call;
}

Call drawn_rows(const Encoding& encoding, const Domain& domain, Draw& draw) {
  Call call;
  const std::size_t dim = as<Table>(encoding).dim;
  const std::size_t n = draw.size("rows", 0, 4, room(dim), longest_room(dim));
  call.positions = n <= 4 ? one_by_one(draw, n, "t", domain) : in_rows(draw, 1, n, "t", domain);
  const Position last = last_of(call.positions).value_or(domain.lo);
  call.length = draw.position("n", domain, last + 1, std::max(last + 1, domain.hi + 1));
  return call;
}

Call drawn_pairs(const Encoding& encoding, const Domain& domain, Draw& draw) {
  const bool contents = !signature(encoding).takes.empty();
  const std::int64_t usual = contents ? 2 : 4;
  const std::size_t heads = contents ? as<Contextual>(encoding).heads : as<Bias>(encoding).heads;
  Call call;
  const std::size_t nq = draw.size("nq", 0, usual, room(heads), longest_room(heads));
  const std::size_t nk = draw.size("nk", 0, usual, room(heads * nq), longest_room(heads * nq));
  const auto drawn = [&](std::size_t n, std::string_view letter, std::string_view suffix) {
    return n <= static_cast<std::size_t>(usual) ? one_by_one(draw, n, letter, domain)
                                                : in_rows(draw, 1, n, letter, domain, suffix);
  };
  call.positions = drawn(nq, "i", "_i");
  call.keys = drawn(nk, "j", "_j");
  call.contents = contents_for(encoding, call, &draw);
  return call;
}

}  // namespace

namespace {

// Token by token along the last axis, row by row along the one before; other axes stand still.
Position on_a_grid(std::size_t token, std::size_t columns, std::size_t axes_behind) {
  const std::size_t step = axes_behind == 0 ? token % columns : axes_behind == 1 ? token / columns : 0;
  return static_cast<Position>(step);
}

// The four tokens of a block after each other, and the blocks row by row.
Position in_blocks(std::size_t token, std::size_t columns, std::size_t axes_behind) {
  constexpr std::size_t side = 2;
  const std::size_t within = token % (side * side), block = token / (side * side);
  const std::size_t blocks = std::max<std::size_t>(1, columns / side);
  return static_cast<Position>(side) * on_a_grid(block, blocks, axes_behind) +
         on_a_grid(within, side, axes_behind);
}

// The places of one grid, which is half of all tokens, then those of the other.
Position on_two_grids(std::size_t token, std::size_t tokens, std::size_t columns, std::size_t axes_behind) {
  const std::size_t first = (tokens + 1) / 2, rows = std::max<std::size_t>(1, first / columns);
  return token < first ? on_a_grid(token, columns, axes_behind) : on_a_grid(token - first, rows, axes_behind);
}

}  // namespace

std::vector<Position> Arrangement::positions(std::size_t tokens, Position first, const Domain& within,
                                             std::size_t axes_behind) const {
  std::vector<Position> out(tokens);
  const Position span = within.hi - within.lo + 1;
  // Half of what the domain leaves.
  const Position gap = std::max<Position>(0, within.hi - first - static_cast<Position>(tokens) + 1) / 2;
  for (std::size_t r = 0; r < tokens; ++r) {
    const auto behind = static_cast<Position>(r < turn ? 0 : r - turn), at = static_cast<Position>(r);
    const Position step = kind == Kind::consecutive   ? at
                          : kind == Kind::left_padded ? behind
                          : kind == Kind::packed      ? (r < turn ? at : behind)
                          : kind == Kind::gapped      ? (r < turn ? at : at + gap)
                          : kind == Kind::grid        ? on_a_grid(r, turn, axes_behind)
                          : kind == Kind::blocks      ? in_blocks(r, turn, axes_behind)
                          : kind == Kind::two_grids
                              ? on_two_grids(r, tokens, turn, axes_behind)
                              : (within.hi - first) * at / static_cast<Position>(tokens);
    out[r] = within.lo + (first - within.lo + step) % span;
  }
  return out;
}

Arrangement Arrangement::of_row(std::size_t row, std::size_t tokens) const {
  Arrangement out = *this;
  if (turn_apart > 0) out.turn = (turn + row * turn_apart) % tokens;
  if (kind == Kind::grid) out.turn = std::max<std::size_t>(1, out.turn);
  return out;
}

Arrangement draw_arrangement(std::size_t tokens, Draw& draw, std::string_view suffix) {
  constexpr std::size_t apart = 2;
  const std::string word = std::get<std::string>(
      draw.one_of(fmt::format("arranged{}", suffix), {"consecutive", "left_padded", "packed", "spread"},
                  {"gapped", "left_padded_apart", "packed_apart", "grids_apart", "blocks", "two_grids"}));
  const auto turn = [&](std::string_view name, std::int64_t least = 1) {
    return static_cast<std::size_t>(
        draw.integer(fmt::format("{}{}", name, suffix), least, static_cast<std::int64_t>(tokens) - 1));
  };
  if (word == "left_padded_apart") return {Arrangement::Kind::left_padded, turn("padding", 0), apart};
  if (word == "grids_apart") return {Arrangement::Kind::grid, turn("columns"), apart};
  if (word == "blocks") return {Arrangement::Kind::blocks, turn("columns")};
  if (word == "two_grids") return {Arrangement::Kind::two_grids, turn("columns")};
  if (word == "packed_apart") return {Arrangement::Kind::packed, turn("packed", 0), apart};
  if (word == "left_padded") return {Arrangement::Kind::left_padded, turn("padding")};
  if (word == "gapped") return {Arrangement::Kind::gapped, turn("before_gap")};
  if (word == "packed") return {Arrangement::Kind::packed, turn("packed")};
  return {word == "spread" ? Arrangement::Kind::spread : Arrangement::Kind::consecutive, 0};
}

Call draw_call(const Encoding& encoding, const Domain& domain, Draw& draw) {
  const Signature& known = signature(encoding);
  if (known.mask) return drawn_attention(encoding, draw);
  if (known.role) return drawn_rotation(encoding, domain, draw);
  return known.has(token) ? drawn_rows(encoding, domain, draw) : drawn_pairs(encoding, domain, draw);
}

Case case_of(const Encoding& encoding, const Domain& domain, Position t, const std::vector<double>& content,
             Role role) {
  const Signature& known = signature(encoding);
  Case one;
  const auto set = [&one](std::string_view name, Position value) {
    one.set(name, static_cast<double>(value));
  };
  // Every number of a position alike, and whole.
  const auto set_token = [&](std::string_view letter, Position value) {
    for (std::size_t axis = 0; axis < domain.axes; ++axis) {
      set(name_of(letter, 0, axis), value);
      if (domain.real) set(name_of(letter, 0, axis) + "_part", 0);
    }
  };
  if (known.role) {
    set("batch", 1), set("tokens", 1), set_token("t", t);
    one.set("role", role == Role::query ? "query" : "key");
  } else if (known.has(token)) {
    set("rows", 1), set_token("t", t), set("n", domain.hi + 1);
  } else {
    set("nq", 1), set("nk", 1), set_token("i", t), set_token("j", domain.lo);
  }
  for (const Operand& operand : known.takes) one.set(operand.name, content);
  return one;
}

namespace {

// Where a token has several numbers, a sequence runs along a line beside the diagonal, so that no two of them
// are the same: t, t + 3, t + 6, past the end on from the first position. A number outside the domain stays
// what it is on every axis.
TokenPositions along_the_diagonal(const std::vector<Position>& positions, const Domain& within) {
  TokenPositions out{.axes = within.axes};
  for (const Position t : positions)
    for (std::size_t axis = 0; axis < within.axes; ++axis) {
      const bool inside = t >= within.lo && t <= within.hi;
      const Position step = inside ? t - within.lo + 3 * static_cast<Position>(axis) : 0;
      out.whole.push_back(inside ? within.lo + step % (within.last(axis) - within.lo + 1) : t);
    }
  complete(out, within);
  return out;
}

}  // namespace

Call sequence(const Encoding& encoding, std::vector<Position> positions, Draw* draw, std::size_t batch) {
  const Domain& domain = positions_of(encoding);
  Call call{.batch = batch,
            .positions = domain.axes > 1 ? along_the_diagonal(positions, domain)
                                         : TokenPositions{std::move(positions)}};
  const auto& at = call.positions.whole;
  call.length = at.empty() ? 0 : *std::max_element(at.begin(), at.end()) + 1;
  if (signature(encoding).has(key)) call.keys = call.positions;
  call.contents = contents_for(encoding, call, draw);
  return call;
}

}  // namespace posproof
