#pragma once
// What a search finds in a trial that is known to be wrong.
#include <gtest/gtest.h>

#include <string>

#include "search/search.h"

namespace posproof::search_testing {

inline const Domain wide{0, Position{1} << 20};

inline Residual fails_where(bool wrong) {
  return holds_if(!wrong);
}

inline Refuted refuted(const Trial& trial, Plan plan = {.id = "search"}) {
  Verdict verdict = search(trial, plan);
  if (auto* found = std::get_if<Refuted>(&verdict)) return *found;
  ADD_FAILURE() << "not refuted: " << name(verdict);
  return {};
}

}  // namespace posproof::search_testing
