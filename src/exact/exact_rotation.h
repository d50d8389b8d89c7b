#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "core/encoding.h"
#include "core/formats.h"

namespace posproof::exact {

class Ladder;

// What comparing rotated tokens with the exactly rotated ones found.
struct ComparedRotation {
  std::uint64_t entries = 0;  // compared, channels in no pair among them
  std::uint64_t wrong = 0;    // not x cos - y sin, x sin + y cos of the exact angle, correctly rounded
  // The largest |entry - exact| among the wrong ones in units in the last place of the format at the exact
  // value; infinite for what is no number. Where it is: batch row, head, token, channel.
  double ulp = 0;
  std::size_t batch = 0, head = 0, token = 0, channel = 0;
};

// What becomes of x at the exact angles, entry by entry and correctly rounded, at the speed of memory. The
// channels in no pair stay as they are.
class ExactRotation {
 public:
  // Pair i rotates by the ladder's frequency i. Throws std::invalid_argument for channels outside `dim` or
  // taken twice, and for more pairs than frequencies.
  ExactRotation(std::shared_ptr<const Ladder> ladder, std::span<const Pair> pairs, std::size_t dim);

  struct Extents {
    std::size_t batch, heads, tokens;
  };
  // x and rotated are [batch, heads, tokens, dim] in the format, row-major; positions [batch, tokens]. Throws
  // Refusal for positions beyond 2^40 and for an x that is not finite.
  ComparedRotation compare(Format format, const void* x, const void* rotated, const Extents& extents,
                           std::span<const Position> positions, unsigned threads = 1) const;

  // The same, written.
  void fill(Format format, const void* x, void* rotated, const Extents& extents,
            std::span<const Position> positions) const;

 private:
  // Pairs that follow each other in both channels: the first ones at first, first + step, ...; the second
  // ones likewise.
  struct Stretch {
    std::size_t lane, count, first, second, step;
  };
  class Tokens;
  class Comparing;

  std::shared_ptr<const Ladder> ladder_;
  std::size_t dim_;
  std::vector<Stretch> stretches_;
  std::vector<std::size_t> left_;  // channels in no pair
};

}  // namespace posproof::exact
