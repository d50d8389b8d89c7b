#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "diagnosis/call_effects.h"

namespace posproof::testing {

// The one of these words; null where there is none.
inline const Effect* effect(const std::vector<Effect>& all, const std::string& words) {
  const auto found = std::ranges::find(all, words, &Effect::words);
  return found == all.end() ? nullptr : &*found;
}

// Two batch rows of three tokens, at positions in no order.
inline Call two_rows_of_three() {
  Call call;
  call.batch = 2;
  call.positions.whole = {5, -1, 9, 300, 2, 4};
  return call;
}

}  // namespace posproof::testing
