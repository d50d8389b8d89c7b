#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "core/call.h"
#include "core/function.h"
#include "diagnosis/call_deviations.h"

// Where in its calls a subject is wrong, in words.
namespace posproof {

// A row of an answer in its call, as a place sees it.
struct RowInCall {
  const AnsweredRow& row;
  const Call& call;
  std::size_t tokens;
  Position at;
};

// The position of the first token of its row of the batch; 0 of row numbers.
Position first_of_row(const RowInCall& row);

struct PlaceInCalls {
  std::string words;  // `in calls of one token a row`; empty: everywhere
  Function<bool(const RowInCall&)> is;
};

// Those that need no answer to be known, everywhere first. `batch`: of calls with rows of a batch; `tokens`:
// of tokens, not of queries.
std::vector<PlaceInCalls> known_places(bool batch, bool tokens);

// Those of a number of tokens that fills no block; from a number on says more, where both hold.
std::vector<PlaceInCalls> places_by_remainder();

// Those that are tried after them, of positions of so many numbers.
std::vector<PlaceInCalls> further_places(bool batch, std::size_t axes);

// What is said of an effect in a place: `in calls of one token: positions count as 0`, `the last token of a
// row has the position of the first of its row`.
std::string words_in(const std::string& place, const std::string& effect);

}  // namespace posproof
