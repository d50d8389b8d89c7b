#pragma once

#include "subject/subject.h"
#include "subject/words.h"

namespace posproof {

// `table:FILE`: an array of numbers in .npy, .npz or .safetensors, the rows of a Table ([n, dim], also [1, n,
// dim] and [n, 1, dim], from the first position of its domain on; [dim, n] and, of a grid, [dim, rows,
// columns] where the last axis is no row) or the entries of a Bias ([heads, nq, nk]; [nq, nk, heads] where
// the first axis is not the heads'). See open().
Subject open_table(const Words& words, const Expected& expected);

}  // namespace posproof
