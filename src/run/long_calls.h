#pragma once

#include <optional>
#include <vector>

#include "core/case.h"
#include "core/encoding.h"
#include "core/precision.h"
#include "core/verdict.h"
#include "search/search.h"

namespace posproof {

// Agreement in calls longer than any that is drawn (core/draw.h, `long_sizes`): what depends on how many
// tokens there are, and is right of few, is wrong there.
//
// - Consecutive from the domain's first position on, as many as fill every tile, and one more in equal steps
//   through the domain: rows of a table, the keys of one query, or of a rotation two batch rows, the second
//   behind tokens that were there before, queries and then keys.
// - So many queries against two keys, and two queries against so many keys; and as many queries as keys of the
//   shortest of these lengths, of the same sequence.
// - Of a rotation more batch rows than any that is drawn (`many_rows`), of one token each and of two, queries
//   and keys, each row at positions of its own, and all at the same; and two rows, of which the tokens of one
//   alone are neighbours. Where its positions have several numbers, two calls in which those of one token in
//   each row are the same, and one for each two of them in which these are the same in every position.
// - Of a rotation and a table some numbers of tokens that lie between these.
// - Of a rotation, queries and keys, and of a table one row of four times as many tokens: a program may keep
//   the angles of so many. Of a bias none, since many programs make all of its square and give the rows that
//   were asked for.
// - Of the whole operator, whose cost grows with the square, two tokens with small logits; one call of the
//   shortest of these lengths whose logits are of all sizes; and four in which they are smaller: of one token
//   more than one, two and three tiles of 64, and of the shortest of these lengths.
//
// All contents are a number that uses every digit of the format in which they are given, where contents that
// are drawn have eight. No long call where the domain ends before. Where positions have several numbers, of a
// rotation alone, and where no number is repeated more than eight times. Where the frequencies of a rotation
// depend on the length of the call, one row of the most consecutive tokens alone, and none where so many do
// not change them.
std::optional<Verdict> agreement_in_long_calls(const Encoding& truth, const Encoding& subject,
                                               const Precision& precision, const Budget& budget);

// The cases that such calls are: of each length that fits, in both arrangements. The longest come last.
std::vector<Case> long_cases(const Encoding& truth, const Encoding& subject, const Precision& precision);
// And those of many batch rows, or of many queries and of two, and the one of the most tokens: a program may
// have been built for fewer, which no declaration says.
std::vector<Case> wide_cases(const Encoding& truth, const Encoding& subject, const Precision& precision);

}  // namespace posproof
