#include "diagnosis/padding_effects.h"

#include <algorithm>
#include <string>
#include <utility>

namespace posproof {
namespace {

// The Python SDK asks for a row as two rows of a batch, whole sequences: the longer one is behind less
// padding, the shorter one behind more, and so lacks its last tokens. The longer one comes first, but where
// the sum of the positions is odd. Of tokens that both have it takes what the second of the two answers, as
// the function sees them. A position that stands twice in a row is asked in a call of its own (_once_each and
// _Padded in posproof_subject.py). What is padding itself has a position below 0, where it has one: the first
// token's is 0; it is that of the shorter one's first column.
struct Padded {
  Position size;         // of the sequence
  Position of_longer;    // columns before its first token
  Position more;         // columns that the shorter one has before its first token beside these
  bool is_longer_first;  // as the function sees the two
  bool is_in_shorter;    // whether the answer is taken from there

  bool is_in_second() const { return is_in_shorter == is_longer_first; }
  Position before() const { return of_longer + (is_in_shorter ? more : 0); }
};

Padded padded(const TokenOf& t, bool contents) {
  const auto row = t.of_row();
  const auto earlier = [&](std::size_t n) {
    return std::count(row.begin(), row.begin() + static_cast<std::ptrdiff_t>(n), row[n]);
  };
  Position last = -1, sum = 0;
  for (std::size_t n = 0; n < row.size(); ++n)
    if (!contents || earlier(n) == earlier(t.token)) last = std::max(last, row[n]), sum += row[n];
  const Position size = last + 1;
  Padded out{size, size == 0 ? 1 : size % 4, size == 0 ? 0 : std::min(size - 1, 1 + size % 2), sum % 2 == 0,
             false};
  out.is_in_shorter = t.at < 0 || (out.is_longer_first && t.at < size - out.more);
  return out;
}

// The position that the longer one has in the column where the shorter one has this token, and the other way
// round; below 0 in padding.
Position of_the_other(const TokenOf& t, const Padded& of) {
  if (t.at < 0) return -of.of_longer;  // the first column
  return of.is_in_shorter ? t.at + of.more : t.at - of.more;
}

// A token has the position that the other row has in its column, where it stands in the first row or in the
// second one, as the function sees them. Where that is padding, it counts as 0, as 1 or as one below 0. What
// is padding itself stays so, or has the position of the other, too.
std::vector<Effect> effects_of_the_other(bool contents, bool in_second, const std::string& words) {
  std::vector<Effect> out;
  for (const bool stays : {true, false})
    for (const Position padding : {0, 1, -1})
      out.push_back(effect_on_positions(words, [=](const TokenOf& t) {
        const Padded is = padded(t, contents);
        if (is.is_in_second() != in_second || (t.at < 0 && stays)) return t.at;
        const Position other = of_the_other(t, is);
        return other >= 0 ? other : t.at < 0 ? t.at : padding;
      }));
  return out;
}

}  // namespace

std::vector<Effect> effects_of_padding(bool contents) {
  const auto of = [contents](const TokenOf& t) { return padded(t, contents); };
  std::vector<Effect> out = {
      effect_on_positions("padding counts: the position of a token is its column in the padded row",
                          [of](const TokenOf& t) { return t.at < 0 ? t.at : t.at + of(t).before(); }),
      effect_on_positions("a token's position counts the tokens after it, not those before it",
                          [of](const TokenOf& t) {
                            const Padded is = of(t);
                            if (t.at < 0) return t.at;
                            return is.size - (is.is_in_shorter ? is.more : 0) - 1 - t.at;
                          }),
      effect_on_positions(
          "behind padding, positions are one ahead",
          [of](const TokenOf& t) { return t.at < 0 ? t.at : t.at + (of(t).before() > 0 ? 1 : 0); }),
      effect_on_positions(
          "behind padding, positions are one behind",
          [of](const TokenOf& t) { return t.at < 0 ? t.at : t.at - (of(t).before() > 0 ? 1 : 0); }),
      // In the first row each token is the first of its column; in the second it is the second one, but
      // where there is padding in the first.
      effect_on_positions("the mask is summed along the batch, not along the tokens of a row",
                          [of](const TokenOf& t) {
                            if (t.at < 0) return t.at;
                            const Padded is = of(t);
                            return Position{is.is_in_second() && of_the_other(t, is) >= 0 ? 1 : 0};
                          })};
  const auto add = [&out](std::vector<Effect> more) {
    for (Effect& one : more) out.push_back(std::move(one));
  };
  add(effects_of_the_other(contents, true, "every row of the batch has the positions of the first"));
  add(effects_of_the_other(contents, false, "every row of the batch has the positions of the last"));
  out.push_back(
      effect_on_positions("padding counts, and has positions, too: a position is a column of the padded row",
                          [of](const TokenOf& t) { return t.at < 0 ? 0 : t.at + of(t).before(); }));
  return out;
}

}  // namespace posproof
