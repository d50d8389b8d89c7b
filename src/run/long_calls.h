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
// tokens there are, and is right of few, is wrong there. Two batch rows of tokens, rows of a table, or one
// query against as many keys as a long call has room for; consecutive from the domain's first position on,
// and in equal steps through the domain. Then so many queries against two keys, and two queries against so
// many keys; and of a rotation more batch rows than any that is drawn (`many_rows`), of one token each and of
// two, at positions of their own, and two rows, of which the tokens of one alone are neighbours. Of a
// rotation whose positions have several numbers, two calls in which those of one token in each row are the
// same, and one for each two of them in which these are the same in every position. Last, of a rotation and
// of a table, one row of four times as many tokens: a program may keep the angles of so many. Of a bias none,
// since many programs make all of its square and give the rows that were asked for. Of the whole operator,
// whose cost grows with the square, too, one call of the shortest of these lengths, and before it one of two
// tokens whose logits are small. All contents are a number that uses every digit of the format in which they
// are given, where contents that are drawn have eight. No long call where positions have several axes or the
// domain ends before. Where the frequencies of a rotation depend on the length of the call, one row of the
// most consecutive tokens alone, and none where so many do not change them.
std::optional<Verdict> agreement_in_long_calls(const Encoding& truth, const Encoding& subject,
                                               const Precision& precision, const Budget& budget);

// The cases that such calls are: of each length that fits, in both arrangements. The longest come last.
std::vector<Case> long_cases(const Encoding& truth, const Encoding& subject, const Precision& precision);
// And those of many batch rows, or of many queries and of two, and the one of the most tokens: a program may
// have been built for fewer, which no declaration says.
std::vector<Case> wide_cases(const Encoding& truth, const Encoding& subject, const Precision& precision);

}  // namespace posproof
