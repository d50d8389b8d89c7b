#pragma once

#include <cstddef>
#include <cstdint>

#include "core/formats.h"

// The inner loops, each compiled for x86-64-v4 (8 lanes, AVX-512) with VBMI2 and without, for x86-64-v3 (4
// lanes, AVX2 and FMA) and plainly (2 lanes, no FMA). Which runs is decided when the program starts. What
// they leave undecided may differ; what they decide is the correctly rounded value, and so the same bits.
// Nothing in them takes memory, throws, or calls a function of a library: a template that is instantiated for
// a newer instruction set could be linked into the code for an older one.
namespace posproof::exact {

constexpr std::size_t rows_per_block = 64;

// Arrays over the lanes, one lane a frequency, are padded with zeros to whole groups, and one group more, so
// that every kernel may read whole vectors from any lane on.
constexpr std::size_t lane_group = 32;

// A row of complex numbers as double-doubles: each array over the lanes.
struct Phasor {
  double *sine, *sine_rest, *cosine, *cosine_rest;
};

// The rows 0 .. 63 once more, in the order in which they are read: for every eight lanes, row after row,
// their `Phasor::sine` and `Phasor::cosine`; or sines, what their multiples of 2^-26 leave, cosines, and what
// theirs leave.
constexpr std::size_t lanes_together = 8;  // a multiple of the lanes of every kernel

// Absolute error bounds of one block's values, each over the lanes; the numbers are those of bounds.h.
struct Errors {
  double *sine, *cosine;            // of a product in plain doubles: (3)
  double *fine_sine, *fine_cosine;  // of one in double-double: (4)
  double split;                     // of a sum of halves, any lane: (5)
  double small;                     // `sine` or `cosine` below which (5) leaves too much open
  double shift;                     // adding and subtracting it halves a giant
};

// What formats of 16 bits are compared with, in single precision: (8) in bounds.h.
struct InSingle {
  const float* babies;        // [lanes / 16][rows_per_block][2][16]: sines, then cosines
  const float* largest_sine;  // over the lanes: of the babies
  float power;                // of two, at or above the amplitude
};
constexpr std::size_t singles_together = 16;

// What values lie between.
struct Intervals {
  float *low_sine, *high_sine, *low_cosine, *high_cosine;
};

// The rows t0 + begin .. t0 + end - 1, of at most rows_per_block: e^{i (t0 + j) w} = giant * babies[j].
struct Block {
  const Phasor* giant;  // times the amplitude
  const Phasor* babies;
  const double* coarse_babies;  // [lanes / 8][rows_per_block][2][8]
  const double* split_babies;   // [lanes / 8][rows_per_block][4][8]
  const Errors* errors;
  std::size_t begin, end;
  const InSingle* single = nullptr;  // null where amplitudes are too large or too small for it
};

// Blocks whose rows follow each other: what one strip of columns needs of the babies stays in the first cache
// through all of them. Rows are counted on: row r of block b is rows_per_block * b + r.
struct Blocks {
  const Block* first;
  std::size_t count;
};
constexpr std::size_t most_blocks = 8;

// What stands in columns: sines or cosines side by side; pairs of them; or sines with their cosines
// elsewhere.
enum class Part : std::uint8_t { sine, cosine, sine_and_cosine, cosine_and_sine, sine_apart_cosine };

// The columns of `count` frequencies from lane `lane` on, a multiple of lanes_together.
struct Columns {
  Part part;
  std::size_t lane, count;
  std::size_t stride;           // bytes from row to row
  std::ptrdiff_t apart = 0;     // bytes from the sines to the cosines, where they stand apart
  std::ptrdiff_t twin = 0;      // bytes to columns that hold the same once more, where there are some
  const char* ahead = nullptr;  // where what will be read next begins, where something will be
};

// Receives the entries that a kernel does not decide.
struct Undecided {
  void (*tell)(void* who, std::size_t row, std::size_t lane, bool cosine);
  void* who;
};

// What comparing finds: the larger of it and what stands there already.
struct Found {
  double *farthest_sine, *farthest_cosine;  // over the lanes: |entry - exact|
  double *ulp_sine, *ulp_cosine;            // over the lanes: the same in units in the last place
  std::uint64_t wrong;                      // how many entries are not the correctly rounded ones, added up
};

// Sines and cosines of one row in plain doubles, over the lanes. `less` is -E for a pair of size 1: (6) in
// bounds.h. The scaled ones are multiplied by as_f32, and `least` is W for a pair of size 1: (7). Only some
// kernels write these.
struct Angles {
  double *sine, *cosine, *less;
  double *scaled_sine, *scaled_cosine;
  float *least, *least_twice;  // each lane once, and twice in a row
};

// Pairs of channels of tokens: `count` pairs from lane `lane` on. The second channels lie `apart` bytes
// behind the first ones, or beside them where `paired`. The next token lies `stride` bytes on. The next call
// is likely to read `ahead` bytes on.
struct Channels {
  std::size_t lane, count;
  std::ptrdiff_t apart;
  bool paired;
  std::size_t stride = 0, ahead = 0;
};

struct Kernel {
  const char* name;

  // out = a * b, lane by lane. All may be the same row.
  void (*multiply)(const Phasor& a, const Phasor& b, const Phasor& out, std::size_t lanes);

  // The errors of a block. Over the lanes: the largest |sine| of the babies, and |frequency|. `farthest` is
  // the largest |position| of the block.
  void (*bound)(const Phasor& giant, const double* largest_sine, const double* frequency, double farthest,
                double amplitude, Errors& errors, std::size_t lanes);

  // Writes correctly rounded values from `at` on. Values that may not be correctly rounded are told to
  // `undecided`. `stream`: the stores bypass the caches, and every row is aligned to 64 bytes.
  void (*fill)(Format format, const Blocks& blocks, const Columns& columns, void* at, bool stream,
               const Undecided& undecided);

  // Adds to wrong[b] the number of entries of block b, twins included, that are not correctly rounded.
  // Undecided entries are not counted; they are told to `undecided`, those of twins to `of_twins`. 0 and -0
  // are one number.
  void (*count)(Format format, const Blocks& blocks, const Columns& columns, const void* at,
                std::uint64_t* wrong, const Undecided& undecided, const Undecided& of_twins);

  // Measures the error of every entry. Undecided entries are not counted as wrong.
  void (*compare)(Format format, const Block& block, const Columns& columns, const void* at, Found& found,
                  const Undecided& undecided);

  // What single precision says of row `row`, over the lanes: (8) in bounds.h. Null where nothing is fused.
  void (*intervals)(const Block& block, std::size_t row, const Intervals& out, std::size_t lanes);

  // ---- tokens that were rotated; f32, bf16 and f16 only ----

  // Row `row` of the block.
  void (*angles)(const Block& block, std::size_t row, double amplitude, const Angles& angles,
                 std::size_t lanes);

  // The first says whether all entries of `tokens` tokens, each with its angles, are correctly rounded. The
  // second measures one token as `compare` does. `x` is what was rotated, `at` the result. In Found and
  // Undecided, `sine` stands for the first of the two channels, and `row` is 0.
  bool (*verify_rotated)(Format format, const Angles* angles, std::size_t tokens, const Channels& channels,
                         const void* x, const void* at);
  void (*compare_rotated)(Format format, const Angles& angles, const Channels& channels, const void* x,
                          const void* at, Found& found, const Undecided& undecided);
};

extern const Kernel plain_kernel;
#if defined(__x86_64__)
extern const Kernel v3_kernel, v4_kernel, v4_vbmi2_kernel;
#endif

}  // namespace posproof::exact
