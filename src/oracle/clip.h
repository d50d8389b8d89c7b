#pragma once

#include <algorithm>

#include "core/parameter.h"

namespace posproof::oracle {

// The row of a table that holds w_-k first: Shaw et al. 2018, section 3.2, clip(x, k) = max(-k, min(k, x)).
struct Clip {
  explicit Clip(const Arguments& p)
      : least(-p.whole("clip")),
        // SpeechT5 has no row for the offset k: larger ones are k - 1.
        most(p.whole("clip") - (p.is("last_offset", "clip_minus_one") ? 1 : 0)),
        mirrored(p.is("relative", "query_minus_key")),
        padded(p.is("beyond", "zero")) {}

  // -1 in the zeros with which VITS pads its table outside the window.
  Position row(Position query, Position key) const {
    const Position x = mirrored ? query - key : key - query;
    if (padded && (x < least || x > most)) return -1;
    return std::max(least, std::min(most, x)) - least;
  }

  Position least, most;
  bool mirrored, padded;
};

}  // namespace posproof::oracle
