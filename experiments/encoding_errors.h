#pragma once

#include <optional>
#include <vector>

#include "core/document.h"
#include "core/encoding.h"

// How exact an implementation of an encoding can be expected to be, by precision and position.
namespace posproof::experiments {

// One call at position 0 and `position` (of the whole operator, of so many tokens), contents all 1, of
// queries and of keys: over all entries of the answers.
struct EntriesAt {
  Position position = 0;
  double largest = 0;          // |exact entry|
  double reference_share = 0;  // of the f64 bound, in the worst entry of the reference
  double reference_error = 0;  // |reference - exact|
  // The largest |fl(fl(w) t) - w t| of its declared frequencies w, rounded to f32: radians. None of an
  // encoding without such.
  std::optional<double> angle_in_f32 = {};
  std::vector<double> allowed;  // by precision: the largest error bound; infinite where an entry overflows
};

struct EncodingErrors {
  std::vector<EntriesAt> at;  // 1, 100, 10,000 and 1,000,000, as far as the encoding goes

  // Of the reference, over all positions.
  double largest_share() const;
  double largest_error() const;
};

EncodingErrors encoding_errors(const Encoding& reference, const Encoding& exact);

// A row for each position, a column for each precision.
document::Grid grid(const EncodingErrors& errors, bool of_tokens);

}  // namespace posproof::experiments
