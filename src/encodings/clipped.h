// Offsets up to a largest one in each direction, each with a trained row: Shaw et al. 2018, section 3.2.
// Larger ones are clipped to it, or have none.
#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>

#include "core/declare.h"
#include "core/parameter.h"
#include "core/tensor.h"

namespace posproof::clipped {

class Rows {
 public:
  explicit Rows(const Arguments& p)
      : key_minus_query_(p.is("relative", "key_minus_query")), repeats_(p.is("beyond", "repeat")) {
    const Position left = p.whole("clip"), right = p.whole("clip_right");
    if (right < 0) {
      first_ = -left;
      last_ = p.is("last_offset", "clip_minus_one") ? left - 1 : left;
    } else {
      first_ = key_minus_query_ ? -left : -right;
      last_ = key_minus_query_ ? right : left;
    }
  }

  Position first() const { return first_; }
  Position last() const { return last_; }
  std::size_t count() const { return static_cast<std::size_t>(last_ - first_ + 1); }
  // Of a query at i and a key at j.
  std::optional<std::size_t> of(Position i, Position j) const {
    const Position offset = key_minus_query_ ? j - i : i - j, nearest = std::clamp(offset, first_, last_);
    if (nearest != offset && !repeats_) return std::nullopt;
    return static_cast<std::size_t>(nearest - first_);
  }

 private:
  Position first_, last_;
  bool key_minus_query_, repeats_;
};

// A channel of that row; nothing where there is none.
inline double entry(const Tensor& table, std::optional<std::size_t> row, std::size_t channel) {
  return row ? table.at(*row, channel) : 0;
}

inline Parameter clip() {
  return whole("clip", {1, 1 << 16}, 16, {2, 5}, "largest offset that has a vector", "tokens");
}
inline Parameter relative() {
  return convention("relative", {"key_minus_query", "query_minus_key"}, "direction of the offset");
}
inline Parameter clip_right() {
  return disputed(whole(
      "clip_right", {-1, 1 << 16}, -1, {-1, 1},
      "largest offset of keys after the query (Wav2Vec2-BERT: 8, with clip 64); -1 for clip", "tokens"));
}
inline Parameter last_offset() {
  return where(
      {{{"clip_right", {-1.0}}}},
      convention(
          "last_offset", {"clip", "clip_minus_one"},
          "largest offset with a row: clip (2 clip + 1 rows), clip_minus_one (2 clip rows, as SpeechT5 has them)"));
}

inline Parameter beyond() {
  return convention("beyond", {"repeat", "zero"},
                    "beyond it: the vector of the largest offset, or no vector (VITS)");
}

}  // namespace posproof::clipped
