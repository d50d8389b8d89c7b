#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/call.h"

// Sequences of calls, as a case writes them: `before=2 n1=1 t1=0 n2=8 step2=1 t2=0 n=64 step=2 t=0 x=[...]`.
namespace posproof::histories {

constexpr std::int64_t most_before = 15;    // calls before the last
constexpr std::int64_t most_behind = 1025;  // keys before the first query: one more than a cache of 1,024

// What the answer to one call alone is compared with: `against`, where none is before it.
inline const std::string a_new_object = "a_new_object", the_exact_answer = "the_exact_answer";

// The encoding whose calls they are, and the positions that may be asked for.
struct Callee {
  Encoding encoding;
  Domain domain;
};

// One call: n tokens from position t on, by 1 or by 2, or the same backwards from the last to t; by 0: from t
// on by 1, those between the first and the last backwards. What the encoding's calls do not have is left out.
struct Step {
  Position t;
  std::int64_t n;
  std::int64_t batch = 1;
  std::string role = "query";
  std::string mask = "causal";
  std::int64_t step = 1;
  std::int64_t rows_apart =
      0;  // each row stands so far behind the one before; past the end, from the first on
  std::int64_t axes_apart =
      0;  // each number of a position is so much behind the one before; below 0 the other way
  std::int64_t behind = 0;  // keys before the first query, where a token is another's key
};

// The names of what is drawn end in `which`: a number for the calls before, nothing for the last, which alone
// has contents of its own.
Call drawn_call(const Callee& of, Draw& draw, const std::string& which);

// The fields under which these steps are drawn, up to step number `last`, which is the last call; steps are
// cut to what the domain has.
Case case_of(const Callee& of, const std::vector<Step>& steps, std::size_t last);

}  // namespace posproof::histories
