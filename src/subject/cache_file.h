#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "core/tensor.h"
#include "subject/subject.h"
#include "subject/words.h"

namespace posproof {

// The files that `table:` names: COS and SIN, or one.
std::vector<std::string> cache_paths(const std::string& words);

// Along which axis of one array the cosines and then the sines stand, [n, pairs, 2], [n, 2, pairs] or [2, n,
// pairs]: of three axes longer than one, one has two elements. Where a position has several numbers (`axes`)
// it is the last one, behind the places, by axes or in one, and the pairs.
std::optional<std::size_t> stacked_axis(const Shape& shape, std::size_t axes);

// The cache of a rotary encoding as it lies in files, as a Rotary: row r holds the cosines and the sines of
// position first + r, and a token is rotated by them in double.
//   table:COS,SIN  two arrays of [n, pairs], a column for each pair, or [n, channels that rotate], where each
//                  channel has the column of its own place: in halves for half_split, in pairs for
//                  interleaved
//   table:FILE     one array of [n, channels that rotate]: the cosine of a pair in its first channel, its
//   sine
//                  in its second, as `posproof oracle rope` writes it
//   table:FILE     one array of twice as many columns: those of COS, a column for each channel, then those of
//                  SIN
//   table:FILE     one array of complex numbers [n, pairs], cosine + i sine of each pair (.npy, c8 or c16)
//   table:FILE     one array of COS and then SIN along an axis of two (stacked_axis)
//   table:FILE     one array of [pairs], the frequency of each (subject/frequency_file.h)
// Columns in another order are named by indices (subject/array_slice.h): table:FILE[:, 32:],[:, :32] takes
// both from one file, its sines first.
//
// On a grid a row is one of a place, and [rows, columns of the grid, ...] says the grid itself: see
// subject/grid_of_a_file.h; rows of class tokens, which rotate nothing, may stand before all places or behind
// them. Further axes of one element do not count. COS and SIN are each what `table:`
// takes; where SIN names no file, it is the name of another tensor in the file of COS. See open().
Subject open_cache(const Words& words, const Rotary& declared, const Expected& expected);

}  // namespace posproof
