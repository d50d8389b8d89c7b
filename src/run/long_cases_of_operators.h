#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "run/case_of_length.h"

// Long calls of the whole operator.
namespace posproof::sized {

// Of the whole operator one length. The first query's product with its key, over the root of their width, is
// between 1 and 2, over so many powers of 2; those of others are some powers of two of it. What large logits
// round to would hide what the positions do to them.
Case case_of_the_operator(const Encoding& truth, std::int64_t tokens, const std::string& mask,
                          const Contents& contents, int smaller);

// In which what the positions give decides: of large logits the keys with the largest take all of the weight.
// The fewer keys there are, the more one counts: one past each tile, which every query sees where the
// encoding has room for that, and whose logits are up to 4, of the last key 8. Of many keys none of the
// contents is past 1.
std::vector<Case> cases_of_all_keys(const Encoding& truth, const Contents& contents);

// Two tokens whose keys are opposite, and whose values are. Many logits are large, and what their rounding
// does is allowed; here a query's product with a key is between 1 and 2, so that the answer is about its
// tangent, and each of q, k and v that was rounded to fewer digits shows in it.
Case case_of_opposite_tokens(const Encoding& truth, const Contents& contents);

}  // namespace posproof::sized
