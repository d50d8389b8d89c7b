#pragma once

#include <string>

#include "core/place.h"
#include "core/verdict.h"

// Where an answer is wrong, in words.
namespace posproof::report {

// `batch 0, head 1, token 2 (position 17), channel 33 (second of pair 1)`, behind `answer 2 of 3, ` where a
// case asks for several.
std::string where(const Place& place);

// `expected 0.540302, got 0.99955, off by 0.459248`, in as many digits as show the difference.
std::string what(const Place& place);

// The whole of a refutation is this one entry: its error is the entry's, and so is its bound.
bool is_all_of(const Refuted& refuted);

}  // namespace posproof::report
