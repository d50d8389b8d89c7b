// Offsets that are clipped to a largest one, each with a trained row: Shaw et al. 2018, section 3.2.
#pragma once

#include <algorithm>
#include <cstddef>

#include "core/declare.h"
#include "core/parameter.h"

namespace posproof::clipped {

class Rows {
 public:
  explicit Rows(const Arguments& p)
      : first_(-p.whole("clip")),
        last_(p.is("last_offset", "clip_minus_one") ? p.whole("clip") - 1 : p.whole("clip")),
        key_minus_query_(p.is("relative", "key_minus_query")) {}

  std::size_t count() const { return static_cast<std::size_t>(last_ - first_ + 1); }
  // Of a query at i and a key at j.
  std::size_t of(Position i, Position j) const {
    return static_cast<std::size_t>(std::clamp(key_minus_query_ ? j - i : i - j, first_, last_) - first_);
  }

 private:
  Position first_, last_;
  bool key_minus_query_;
};

inline Parameter clip() {
  return whole("clip", {1, 1 << 16}, 16, {2, 5}, "largest offset: larger ones are clipped to it", "tokens");
}
inline Parameter relative() {
  return convention("relative", {"key_minus_query", "query_minus_key"}, "direction of the offset");
}
inline Parameter last_offset() {
  return convention(
      "last_offset", {"clip", "clip_minus_one"},
      "largest offset with a row: clip (2 clip + 1 rows), clip_minus_one (2 clip rows, as SpeechT5 has them)");
}

}  // namespace posproof::clipped
