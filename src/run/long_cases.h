#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/case.h"
#include "core/encoding.h"
#include "core/precision.h"

namespace posproof {

// Calls that are longer than any that is drawn (core/draw.h, `long_sizes`):
//
// - Consecutive from the domain's first position on, as many as fill every tile, and one more in equal steps
//   through the domain: rows of a table, the keys of one query, or of a rotation two batch rows, the second
//   behind tokens that were there before, queries and then keys.
// - So many queries against two keys, and two queries against so many keys; as many queries as keys of the
//   shortest of these lengths and past a tile of 512, of the same sequence; and fewer queries than keys, the
//   last of a sequence whose keys fill no tiles: a chunk of a prompt, tokens that were guessed, one token.
// - Of a rotation more batch rows than any that is drawn (`many_rows`), of one token each and of two, queries
//   and keys, each row at positions of its own, and all at the same; 4, 8, 16, 32 and 64 rows, of one token,
//   and 4 of many; as many rows of as many tokens as a step of training has, and so many that they are past
//   2^15 tokens and 2^16 heads of a token; three rows that are padded on the left, or packed, each in its own
//   way; and two rows, of which the tokens of one alone are neighbours. Where its positions have several
//   numbers, images of as many tokens in rows of other lengths; two calls in which those of one token in each
//   row are the same, and one for each two of them in which these are the same in every position.
// - Of a rotation and a table some numbers of tokens that lie between these, of no tile and of full ones, and
//   one of them in each arrangement that is none of those: two sequences in a row, behind padding, and a
//   sequence whose middle is gone. Where positions have several numbers, grids in blocks of 2 by 2, and two
//   in a row.
// - Of a rotation, queries and keys, and of a table one row of four and of eight times as many tokens: a
// program may keep
//   the angles of so many. Of a bias none, since many programs make all of its square and give the rows that
//   were asked for.
// - Of the whole operator, whose cost grows with the square, two tokens with small logits; one call of the
//   shortest of these lengths whose logits are of all sizes; and five in which they are smaller: of one token
//   more than one, two and three tiles of 64, of the shortest of these lengths, and past a tile of 512; one
//   as long whose queries and keys are zeros; where any mask means something, two of two sequences in a row.
//   Where it ignores positions, four more, of other numbers of keys than of queries.
//
// Each channel's content is a number of its own, of either sign, that uses every digit of the format in which
// contents are given, where those that are drawn have eight. No long call where the domain ends before. Where
// positions have several numbers, of a rotation and a table alone, and where no number is repeated more than
// eight times, or they are real, up to so many tokens as each kind is asked for. Where the frequencies of a
// rotation depend on the length of the call, one row of the most consecutive tokens alone, and none where so
// many do not change them.

// So many tokens each kind is asked for.
constexpr std::int64_t most_usual_tokens = 1025;

// Of each length that fits, in both arrangements. The longest come last.
std::vector<Case> long_cases(const Encoding& truth, const Encoding& subject, const Precision& precision);
// And those of many batch rows, or of many queries and of two, and the one of the most tokens: a program may
// have been built for fewer, which no declaration says.
std::vector<Case> wide_cases(const Encoding& truth, const Encoding& subject, const Precision& precision);

// The truth in the subject's kind, where that has long calls of every length.
std::optional<Encoding> as_the_subject(const Encoding& truth, const Encoding& subject);
// What such a call gives in each channel of its first token; nothing where nothing is taken.
std::vector<double> contents_of_all_digits(const Encoding& truth, const Precision& precision);

}  // namespace posproof
