#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/call.h"
#include "core/function.h"

// What may be answered in the place of a call: the same at other positions, the contents as they came, or
// zeros. Written once for all kinds.
namespace posproof {

struct Model;  // diagnosis/call_deviations.h

struct Instead {
  enum class How { encoded, left_alone, zeros, no_numbers };
  Call call;
  How how = How::encoded;
  std::shared_ptr<const Model> by = {};  // what encodes it, where that is another encoding
};

// Steps through the calls of one object, in order: some effects remember.
using Steps = Function<Instead(const Call& call, std::size_t head, std::size_t heads)>;

struct Effect {
  std::string words;  // `positions are doubled`
  Function<Steps()> begin;
  bool by_head = false;                   // each head has positions of its own
  std::vector<std::size_t> columns = {};  // of the answer, to which it is done; empty: to all
  bool always = false;                    // the same whatever the position: what it is not done to shows
  bool remembers = false;                 // calls before matter
};

// The tokens of a call, or its queries, as an effect on positions sees them.
struct TokenOf {
  std::size_t row, token, tokens, batch;  // token of so many in its row of so many
  Position at;                            // its own position
  const std::vector<Position>& all;       // of the call, row by row
  std::size_t head, heads;

  std::span<const Position> of_row() const { return std::span(all).subspan(row * tokens, tokens); }
  Position first() const { return all[row * tokens]; }
  Position last() const { return all[row * tokens + tokens - 1]; }
};

// What is answered instead, whatever the call; the same of another call; on each position's numbers, of
// queries and keys alike.
Effect effect_always(std::string words, Instead::How how);
Effect effect_on_calls(std::string words, const Function<void(Call&)>& change);
Effect effect_on_numbers(std::string words, const Function<void(std::span<Position>)>& other);

// An effect on the positions of the tokens; of the queries, where keys have positions of their own.
Effect effect_on_positions(std::string words, Function<Position(const TokenOf&)> other, bool by_head = false);
Effect effect_on_keys(std::string words, Function<Position(const TokenOf&)> other);

// Those that need no number to be measured: row numbers, other rows' positions, formats, memory. `keys`: that
// have positions of their own.
std::vector<Effect> known_effects(bool keys, bool heads_of_tokens);

// Of whole operators, whose positions are row numbers: other masks, queries that are multiplied.
std::vector<Effect> effects_on_operands();

// At the ends of a domain of one number: an index that is one too small, which stands for the last row of an
// array; one too large, cut off; rows in reverse order.
std::vector<Effect> effects_at_the_ends(const Domain& domain);

// On one of the several numbers of a position, of queries and keys alike; and of two in each other's place.
std::vector<Effect> effects_on_axes(const Domain& domain);

// Of a grid with rows of another length than columns: its tokens are numbered, and the numbers read
// otherwise.
std::vector<Effect> effects_on_a_grid(const Domain& domain);

// Those that begin at a position: clamped, wrapped, nothing from there on; of several numbers each alone,
// too.
std::vector<Effect> effects_from(Position first_wrong, std::size_t axes);
std::vector<Effect> effects_on_reals_from(Position first_wrong);

// Of real positions: that are kept in whole parts of 1.
std::vector<Effect> effects_on_reals();

}  // namespace posproof
