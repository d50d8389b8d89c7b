#pragma once

#include "core/encoding.h"
#include "subject/array_file.h"
#include "subject/subject.h"
#include "subject/words.h"

namespace posproof {

// Whether that is one number for each pair, and no row of a cache; or for each of the pairs that all channels
// make, of which those that do not rotate have 0 (p-RoPE, as its buffers have it).
bool are_frequencies(const Array& array, const Rotary& declared);

// `table:FILE`, an array of [pairs]: the frequencies alone, in radians a position, as the buffer `inv_freq`
// of a checkpoint. What rotates by them exactly, at every position, with the layout, the direction and the
// amplitude that are declared: in f32 it is the frequencies and the angles that may be rounded. Throws
// std::invalid_argument where those of the declared encoding are no numbers for each pair: where they depend
// on the call, or a position has several numbers.
Subject open_frequencies(const Words& words, const Array& array, const Rotary& declared,
                         const Expected& expected);

}  // namespace posproof
