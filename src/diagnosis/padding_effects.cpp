#include "diagnosis/padding_effects.h"

#include <algorithm>

namespace posproof {
namespace {

// The Python SDK asks for a row as two rows of a batch, whole sequences: the second is behind more padding,
// and so lacks its last tokens; of tokens that both have it takes the second's. A position that stands twice
// in a row is asked in a call of its own (_once_each and _Padded in posproof_subject.py).
// What is padding itself has a position below 0, where it has one: the first token's is 0.
struct Padded {
  Position size;     // of the sequence
  Position before;   // columns before its first token in the row that is taken
  Position more;     // of these, those that the second row has more than the first
  bool in_second;    // which row is taken
  Position further;  // columns before the first token that the second row has more than the first
};

Padded padded(const TokenOf& t, bool contents) {
  const auto row = t.of_row();
  const auto earlier = [&](std::size_t n) {
    return std::count(row.begin(), row.begin() + static_cast<std::ptrdiff_t>(n), row[n]);
  };
  Position last = 0;
  for (std::size_t n = 0; n < row.size(); ++n)
    if (!contents || earlier(n) == earlier(t.token)) last = std::max(last, row[n]);
  const Position size = last + 1, first = size % 4, more = std::min(size - 1, 1 + size % 2);
  const bool in_second = t.at < size - more;
  return {size, first + (in_second ? more : 0), in_second ? more : 0, in_second, more};
}

}  // namespace

std::vector<Effect> effects_of_padding(bool contents) {
  return {effect_on_positions(
              "padding counts: the position of a token is its column in the padded row",
              [contents](const TokenOf& t) { return t.at < 0 ? t.at : t.at + padded(t, contents).before; }),
          effect_on_positions("a token's position counts the tokens after it, not those before it",
                              [contents](const TokenOf& t) {
                                const Padded of = padded(t, contents);
                                return t.at < 0 ? t.at : of.size - of.more - 1 - t.at;
                              }),
          // Padding itself stands in the first column of the second row.
          effect_on_positions("every row of the batch has the positions of the first",
                              [contents](const TokenOf& t) {
                                const Padded of = padded(t, contents);
                                if (t.at < 0) return of.before == of.more ? Position{0} : t.at;
                                return t.at + of.more;
                              }),
          effect_on_positions("every row of the batch has the positions of the last",
                              [contents](const TokenOf& t) {
                                const Padded of = padded(t, contents);
                                return of.in_second ? t.at : std::max(t.at - of.further, Position{-1});
                              }),
          effect_on_positions("behind padding, positions are one ahead",
                              [contents](const TokenOf& t) {
                                return t.at < 0 ? t.at : t.at + (padded(t, contents).before > 0 ? 1 : 0);
                              }),
          effect_on_positions("behind padding, positions are one behind",
                              [contents](const TokenOf& t) {
                                return t.at < 0 ? t.at : t.at - (padded(t, contents).before > 0 ? 1 : 0);
                              }),
          // In the first row each token is the first of its column, in the second the second one.
          effect_on_positions("the mask is summed along the batch, not along the tokens of a row",
                              [contents](const TokenOf& t) {
                                if (t.at < 0) return t.at;
                                return Position{padded(t, contents).in_second ? 1 : 0};
                              })};
}

}  // namespace posproof
