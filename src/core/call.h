#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "core/axis.h"
#include "core/case.h"
#include "core/draw.h"
#include "core/encoding.h"
#include "core/function.h"
#include "core/place.h"
#include "core/precision.h"
#include "core/residual.h"

// What any kind of encoding is given and gives, with named axes: the one place that knows the kinds, so that
// a call and its answer are sliced, permuted, repeated, compared and sent without knowing them.
namespace posproof {

struct Operand {
  std::string_view name;  // as the protocol calls it
  std::vector<Axis> axes;

  bool has(Axis axis) const;
};

// One for each kind.
struct Signature {
  std::string_view call;       // the protocol's word: `rows`, `rotate`, `bias`, `logits`, `attend`
  std::vector<Operand> takes;  // contents, in order
  Operand gives;               // its name is the answer's: `rows`
  bool positions = true;       // the call names positions; else they are row numbers
  bool length = false;         // and the length of the sequence
  bool role = false;           // and whether queries or keys are meant
  bool mask = false;           // and which key each query may see

  bool has(Axis axis) const;  // in what it gives
  Axis along() const;         // of the positions: token, or query where keys have positions of their own
};

const Signature& signature(const Encoding& encoding);

// Positions that a call keeps: [n], or [n, axes].
struct TokenPositions {
  std::vector<Position> whole = {};
  std::vector<double> real = {};  // instead of whole ones
  std::size_t axes = 1;

  std::size_t size() const { return (whole.size() + real.size()) / axes; }
  operator Positions() const;
};

// The largest of their numbers, rounded down; none without one.
std::optional<Position> last_of(const TokenPositions& positions);

struct Call {
  std::size_t batch = 1;
  TokenPositions positions = {};  // of the tokens [batch, n], or of the queries [n]
  TokenPositions keys = {};       // where they have positions of their own
  std::vector<Tensor> contents = {};
  Mask mask = {};
  Role role = Role::query;
  Position length = 0;  // of the sequence, in tokens
};

// Declared: only keys at or before the query mean anything.
bool is_causal(const Encoding& encoding);
// Declared: what all keys of a query have in common does not matter.
bool is_modulo_rows(const Encoding& encoding);

// What the encoding answers. Throws Failure (core/failure.h) for an answer of another shape
// than this.
Tensor answer(const Encoding& encoding, const Call& call);
Shape shape_of_answer(const Encoding& encoding, const Call& call);
std::size_t width_of_content(const Encoding& encoding, std::size_t content);  // channels
std::size_t heads_of(const Encoding& encoding);                               // 1 where it has none
Shape shape_of_content(const Encoding& encoding, const Call& call, std::size_t content);

// These of the axis, in this order; an index may repeat. Of a call its positions, contents and mask, of a
// tensor with the operand's axes its values.
using Indices = std::span<const std::size_t>;
Call take(const Encoding& encoding, const Call& call, Axis axis, Indices indices);
Tensor take(const Operand& operand, const Tensor& values, Axis axis, Indices indices);

// For each entry of an answer: how far rounding in that precision may put it from the exact one
// (core/error.h, or the encoding's own bound), and how far it could be off however wrong it is. `answer` is
// the exact one or one within that bound of it.
struct Bound {
  Tensor error, ceiling;

  Bound& operator*=(double factor);  // of the errors: two answers may be off by twice as much
};
// What rounds last is in proportion to an entry; where a candidate is compared that may round otherwise, it
// is allowed as much of each as of the largest entry of its pair.
enum class InProportionTo { entry, pair };
Bound bound(const Encoding& declared, const Call& call, const Tensor& answer, const Precision& precision,
            InProportionTo what = InProportionTo::entry);

// What does not matter in a comparison.
enum class Freedom {
  none,
  constant_per_row,  // of logits: the softmax does not see it, so entries count relative to the query's own
                     // key, or to the first that it may see
};

// The entry that says most against two answers being the same, and where it is in the answer's data. Entries
// that a causal encoding's mask hides are passed over. Where the encoding declares that rows may be shifted,
// they may be, whatever the freedom.
struct Comparison {
  Residual worst = {0, 0, 0};
  std::size_t at = 0;
};
Comparison compare(const Encoding& declared, const Call& call, const Tensor& there, const Tensor& here,
                   const Bound& bound, Freedom freedom = Freedom::none,
                   const Function<void(const Residual&)>& each = {});

// What stands at one entry of two answers, as it is compared, and where that is; `here` is the exact one.
// None for an entry that compare() passes over.
std::optional<Place> place_of(const Encoding& declared, const Call& call, const Tensor& there,
                              const Tensor& here, const Bound& bound, std::size_t at);

// A call as agreement draws it: mostly of at most four positions, drawn one by one, which are enough to see a
// call that is right for one row only; now and then as long as a tile of a kernel, or without tokens.
// Attention is masked causally where only that means anything, and has at least one token: an average over no
// keys is undefined.
Call draw_call(const Encoding& encoding, const Domain& domain, Draw& draw);

// The case in which that draws one position: of a bias and of logits the query's, against the first key of
// the domain. `content` fills each content; a rotary has the role.
Case case_of(const Encoding& encoding, const Domain& domain, Position t,
             const std::vector<double>& content = {}, Role role = Role::query);

// How the tokens of a long call follow each other, whose positions are not drawn one by one: as a sequence;
// behind padding, which stands at the first position, too; as two sequences packed into one row; in equal
// steps to the end of the domain; as a sequence of which tokens in the middle are gone; or, where positions
// have several numbers, as the places of a grid, row by row, in blocks of 2 by 2, as they are where these are
// merged later, or of two grids that follow each other, the second with as many rows as the first has
// columns. Past the end they go on from its first position.
struct Arrangement {
  enum class Kind { consecutive, left_padded, packed, spread, gapped, grid, blocks, two_grids };
  Kind kind = Kind::consecutive;
  std::size_t turn = 0;        // tokens of padding, of the first sequence, before the gap, or of a grid's row
  std::size_t turn_apart = 0;  // so many more in each row than in the one before, modulo the tokens

  // Of the axis that so many stand behind, where positions have several: that which changes fastest is last.
  std::vector<Position> positions(std::size_t tokens, Position first, const Domain& within,
                                  std::size_t axes_behind = 0) const;
  Arrangement of_row(std::size_t row, std::size_t tokens) const;
};
// Under the names `arranged`, `padding`, `packed`, `before_gap` and `columns`, with a suffix. In recorded
// cases alone are `gapped`, `blocks`, `two_grids`, and rows that are arranged each in its own way,
// `left_padded_apart`, `packed_apart` and `grids_apart`.
Arrangement draw_arrangement(std::size_t tokens, Draw& draw, std::string_view suffix = "");

// As many values as a content or an answer has at most where a long call is drawn.
constexpr std::size_t values_of_a_long_call = std::size_t{1} << 16;
// The same of the longest, which are asked for once (`long_sizes`), and of the one that has the most.
constexpr std::size_t values_of_the_longest_call = std::size_t{1} << 22;
constexpr std::size_t values_of_the_largest_call = std::size_t{1} << 23;

// A sequence of tokens at these positions: positions of queries and keys, the length that the last one needs.
// Contents are drawn under their own names, zeros without a draw; of more than 8 tokens one, which the others
// are multiples of.
Call sequence(const Encoding& encoding, std::vector<Position> positions, Draw* draw = nullptr,
              std::size_t batch = 1);

// The same encoding, answered by a function: a foreign subject, a defect, a recording.
Encoding answered_by(Encoding encoding, Function<Tensor(const Call&)> answer);

}  // namespace posproof
