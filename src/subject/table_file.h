#pragma once

#include "subject/subject.h"
#include "subject/words.h"

namespace posproof {

// `table:FILE`: an array of numbers in .npy, .npz or .safetensors, the rows of a Table ([n, dim], also [1, n,
// dim] and [n, 1, dim], from the first position of its domain on) or the entries of a Bias ([heads, nq, nk]).
// See open().
Subject open_table(const Words& words, const Expected& expected);

}  // namespace posproof
