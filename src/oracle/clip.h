#pragma once

#include <algorithm>

#include "core/parameter.h"

namespace posproof::oracle {

// The row of a table that holds w_-k first: Shaw et al. 2018, section 3.2, clip(x, k) = max(-k, min(k, x)).
struct Clip {
  explicit Clip(const Arguments& p)
      : least(-p.whole("clip")),
        most(p.whole("clip")),
        mirrored(p.is("relative", "query_minus_key")),
        padded(p.is("beyond", "zero")) {
    const Position after = p.whole("clip_right");
    // Wav2Vec2-BERT clamps j - i to [-left_max, right_max].
    if (after >= 0 && mirrored) least = -after;
    if (after >= 0 && !mirrored) most = after;
    // SpeechT5 has no row for the offset k: larger ones are k - 1.
    if (after < 0 && p.is("last_offset", "clip_minus_one")) most -= 1;
  }

  std::size_t rows() const { return static_cast<std::size_t>(most - least + 1); }

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
