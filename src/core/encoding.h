#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "core/formats.h"
#include "core/function.h"
#include "core/positions.h"
#include "core/precision.h"
#include "core/tensor.h"

namespace posproof {

enum class Role { query, key };

// The positions an encoding is defined for, both ends included, and those among them where errors gather.
struct Domain {
  Position lo = 0;
  Position hi = Position{1} << 20;
  std::vector<Position> hard;
  bool ends =
      false;  // nothing is defined outside, and asking for it is refused; else only what is tested ends here

  std::size_t axes = 1;                      // numbers in the position of one token: 2 on a grid, 3 with time
  std::vector<Position> last_on_axis = {};   // the last number of each, where they do not all end at `hi`
  bool real = false;                         // every number from `lo` to `hi`, not the whole ones alone
  std::optional<Position> class_token = {};  // of a token beside the grid: in all its numbers or in none

  Domain() noexcept {}
  Domain(Position first, Position last, std::vector<Position> hard_ones = {})
      : lo(first), hi(last), hard(std::move(hard_ones)) {}

  Position last(std::size_t axis) const { return last_on_axis.empty() ? hi : last_on_axis[axis]; }
  Domain on(std::size_t axis) const;               // the numbers of one axis
  void complete(std::span<Position> token) const;  // a class token where one of its numbers is that of one
};

// What forming a frequency loses where it is not a power of the base but made from one: see error.h.
struct FrequencyError {
  double condition = 1;  // its relative error for one of the power
  double roundings = 0;  // and on top, in units of the angle's format
  // Where a share jumps: whose relative error is this or more falls to the other side, and is off by `jump`.
  double margin = 0, jump = 0;
};

// Two channels that rotate together, and how fast.
//   table:  first holds amplitude * sin(frequency * t), second amplitude * cos(frequency * t)
//   rotary: (first, second) is rotated by frequency * t, counter-clockwise with first as the x axis
struct Pair {
  std::size_t first;
  std::size_t second;
  double frequency;       // radians per position
  std::size_t index = 0;  // its place in the ladder, 0 the fastest
  FrequencyError frequency_error = {};
  std::size_t axis = 0;  // of the position that it is the frequency of, where a token has several numbers
};

// What an oracle knows of an encoding beside its function, for whoever knows what that is:
// exact/exact_table.h has it for ladders of sines and cosines.
struct ExactSource {
  virtual ~ExactSource() = default;
};

// Acts on the token: x_i + p_i.
struct Table {
  std::size_t dim = 0;
  Domain positions = {};
  // The rows of these positions in a sequence of `length` tokens: [n, dim]. Only encodings that are
  // normalised by the length look at it. Throws Refusal where a position is not defined.
  Function<Tensor(const Positions&, Position length)> rows = {};

  // What is declared of its form, for the encodings that have one.
  std::vector<Pair> pairs = {};
  double amplitude = 1;
  double offset = 0;  // t stands for t + offset
  // The lone sine column of an odd width, when the last cosine is cut off.
  std::optional<Pair> lone = {};
  // Bound of |entry - exact| of an entry beside the ladder, for an implementation of that precision, where it
  // is not that of one operation and one rounding.
  Function<double(double entry, const Precision&)> error = {};
  // The same of a whole row, where the position (a number for each axis) or the other entries decide.
  Function<void(std::span<const double> position, std::span<const double> row, const Precision&,
                std::span<double> error)>
      row_error = {};
  // Every entry correctly rounded to every format, at speed, where an oracle has that: oracle/exact_table.h.
  std::shared_ptr<const ExactSource> exact = {};
};

// Acts on query and key. `x` is [batch, heads, n, dim], `positions` one per token of each batch row (batch *
// n, row-major); the answer has the shape of x.
struct Rotary {
  std::size_t dim = 0;
  std::size_t heads = 1;
  Domain positions = {};
  Function<Tensor(const Tensor& x, const Positions& positions, Role)> rotate = {};
  std::vector<Pair> pairs = {};  // channels in no pair are left as they are
  double amplitude = 1;          // every rotated pair is multiplied with it
  // What multiplies a pair besides, where that depends on the position (of the pair's axis) or on the role,
  // and the relative error of that factor.
  Function<double(const Pair& pair, double position, Role)> stretch = {};
  Function<double(const Pair& pair, double position, const Precision&)> stretch_error = {};
  // Bound of |channel - exact| of each channel of one rotated token, where no pair has a frequency of its own
  // (an angle that is a sum over axes).
  Function<void(std::span<const double> x, std::span<const double> position, Role, const Precision&,
                std::span<double> error)>
      error = {};
  // Where the answer has its channels in another order: order[c] is the channel of the rotated token that
  // stands at c. Empty: each is where it was.
  std::vector<std::size_t> order = {};
  // What it is in a call whose largest position is `last`, where the frequencies depend on that: pairs and
  // amplitude. Else those above are the same in every call.
  Function<std::shared_ptr<const Rotary>(Position last)> in_call = {};
  // The same of what becomes of (1, 0) in every pair: the cosine in its first channel, the sine in its
  // second.
  std::shared_ptr<const ExactSource> exact = {};
};

// What it is in a call whose largest position is `last`; lives as long as `rotary` at least.
std::shared_ptr<const Rotary> in_call(const Rotary& rotary, Position last);

// An answer with its channels where the rotation has them, whatever the order in which they were given.
Tensor in_place(const Rotary& rotary, Tensor answer);

// The converse: the channels of a rotated token in the order in which this rotation gives them.
Tensor in_order(const Rotary& rotary, Tensor rotated);

// The channels that are left as they are, in order.
std::vector<std::size_t> channels_in_no_pair(const Rotary& rotary);

// How a bucketed bias shares its entries between offsets.
struct Buckets {
  std::size_t count = 0;
  std::size_t max_distance = 0;
  bool bidirectional = true;
};

// Every entry of a bias, correctly rounded (to nearest, ties to even) to every format: for each head a
// function of one whole number, the offset, so that the entries of n positions are 2 n - 1 numbers a head.
struct ExactBias {
  bool of_key = false;  // the offset is the key's position alone; else key - query
  // The head's entries at the offsets first, first + 1, ...: numbers of the format.
  Function<void(std::size_t head, Position first, Format format, std::span<double> out)> fill = {};

  Position offset(Position query, Position key) const { return of_key ? key : key - query; }
};

// Acts on the logit: [heads, nq, nk]. Masked entries are the mask's affair, not the bias's.
struct Bias {
  std::size_t heads = 0;
  Domain positions = {};
  Function<Tensor(const Positions& queries, const Positions& keys)> bias = {};
  std::vector<double> slopes = {};      // declared, one per head, for the encodings that have them
  std::optional<Buckets> buckets = {};  // declared, for the encodings that have them
  bool causal = false;                  // declared: only keys at or before the query mean anything
  bool modulo_rows = false;             // declared: what all keys of a query have in common does not matter
  // Bound of |entry - exact| of one entry for an implementation of that precision, where it is neither a
  // slope times a distance nor an entry of a table. Query and key are positions, a number for each axis.
  Function<double(std::size_t head, std::span<const double> query, std::span<const double> key, double entry,
                  const Precision&)>
      error = {};
  // What the oracle's own entries are, where it can round them straight to a format.
  std::optional<ExactBias> exact = {};
};

// The logit itself, depending on content, as the softmax sees it: q[nq, dim], k[nk, dim] -> [heads, nq, nk].
struct Contextual {
  std::size_t dim = 0;
  std::size_t heads = 1;
  Domain positions = {};
  bool positional = true;  // declared: position acts at all
  Function<Tensor(const Tensor& q, const Tensor& k, const Positions& queries, const Positions& keys)> logits =
      {};
  // Bound of |logit - exact| for one pair of tokens and an implementation of that precision. Query and key
  // are positions, a number for each axis.
  Function<double(std::span<const double> q, std::span<const double> k, std::span<const double> query,
                  std::span<const double> key, const Precision&)>
      error = {};
  bool causal = false;       // declared: only keys at or before the query mean anything
  bool modulo_rows = false;  // declared: what all keys of a query have in common does not matter
};

// Its bound where a position is one number.
double logit_error(const Contextual& contextual, std::span<const double> q, std::span<const double> k,
                   Position query, Position key, const Precision& precision);

// Which key each query may see: [nq, nk] of 0 and 1.
using Mask = Tensor;

// The whole operator, positions being row numbers: q[nq, dim], k[nk, dim], v[nk, value_dim] -> [nq,
// value_dim].
struct Attention {
  std::size_t dim = 0;
  std::size_t value_dim = 0;
  Function<Tensor(const Tensor& q, const Tensor& k, const Tensor& v, const Mask& mask)> attend = {};
  bool only_logits = false;  // declared: position acts on the logits alone, never on the values
  bool positional = true;    // declared: position acts at all
  // Bound of |entry - exact| of each entry of one answer, [nq, value_dim], for an implementation of that
  // precision.
  Function<Tensor(const Tensor& q, const Tensor& k, const Tensor& v, const Mask& mask, const Precision&)>
      errors = {};
  bool causal = false;    // declared: only a causal mask means anything
  bool any_mask = false;  // declared: positions do not depend on the mask, whatever it hides
};

// The largest bound of all entries of one answer.
double largest_error(const Attention& attention, const Tensor& q, const Tensor& k, const Tensor& v,
                     const Mask& mask, const Precision& precision);

// The same operator, each entry of which is allowed so many times the largest error of all: what another one
// is allowed, whose weights may lie where this one's do not.
Attention as_other_operators(Attention attention, double times);

// What a position does to attention, as a plain value. Ours and a foreign one are the same type and differ
// only in what the function inside calls.
using Encoding = std::variant<Table, Rotary, Bias, Contextual, Attention>;

// `table`, `rotary`, `bias`, `contextual`, `attention`.
std::string_view kind(const Encoding& encoding);

// An encoding as the kind that whoever made it knows it to be. std::logic_error says both kinds where it is
// another.
template <class Kind>
const Kind& as(const Encoding& encoding) {
  if (const Kind* known = std::get_if<Kind>(&encoding)) return *known;
  throw std::logic_error("a " + std::string(kind(Encoding(std::in_place_type<Kind>))) + " was meant, and a " +
                         std::string(kind(encoding)) + " is here");
}
template <class Kind>
Kind& as(Encoding& encoding) {
  return const_cast<Kind&>(as<Kind>(std::as_const(encoding)));
}
template <class Kind>
Kind as(Encoding&& encoding) {
  return std::move(as<Kind>(encoding));
}

// The pairs of a table or a rotation; of the other kinds none.
const std::vector<Pair>& pairs_of(const Encoding& encoding);
// What those are multiplied with; none where there can be no pairs.
std::optional<double> amplitude_of(const Encoding& encoding);
// Declared: its pairs are multiplied with a factor that depends on the position, too.
bool is_stretched(const Encoding& encoding);
// Declared: its frequencies depend on the largest position of the call.
bool depends_on_the_call(const Encoding& encoding);

// Where it is defined; of the whole operator, whose positions are row numbers, nothing: from 0 to -1.
const Domain& positions_of(const Encoding& encoding);
Encoding with_positions(Encoding encoding, Domain positions);  // the whole operator stays as it is

}  // namespace posproof
