#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "core/encoding.h"
#include "core/formats.h"
#include "core/function.h"

namespace posproof::exact {

class Ladder;

// Neighbouring columns of a table: `count` frequencies of the ladder, from number `frequency` on.
struct Run {
  enum class Part { sines, cosines, sines_and_cosines, cosines_and_sines };
  Part part;
  std::size_t column;  // the first
  std::size_t frequency;
  std::size_t count;

  bool operator==(const Run&) const = default;
  std::size_t columns() const { return part == Part::sines || part == Part::cosines ? count : 2 * count; }
};

// What comparing some rows with the exact ones found.
struct Compared {
  Position first;           // position of the first row
  std::size_t rows;         // how many
  std::uint64_t wrong = 0;  // entries that are not the exact value correctly rounded
  // For each column a bound of |entry - exact|: the largest there is, to 2^-48 of the amplitude, or, where
  // none is wrong, how far correct rounding may put an entry that is no larger than the amplitude. Infinite
  // for NaN.
  std::vector<double> farthest;
  // The largest |entry - exact| among the wrong entries, in units in the last place of the format at the size
  // of the exact value; 0 where no entry is wrong, infinite for NaN.
  double ulp = 0;
  // Where that is. Of a block that is no farther off than those before it, its first row stands for its rows.
  Position at = 0;
  std::size_t column = 0;
};

// A table of sines and cosines, entry by entry: exact real numbers, of which every one can be had correctly
// rounded (to nearest, ties to even) to every format, at the speed of memory. Columns in no run are 0.
// How good the answers are is derived in bounds.h.
class ExactTable : public ExactSource {
 public:
  // `offset` is added to every position. Throws std::invalid_argument for runs that overlap, leave the row or
  // name frequencies that the ladder has not.
  ExactTable(std::shared_ptr<const Ladder> ladder, std::vector<Run> runs, std::size_t dim, Position offset);

  std::size_t dim() const { return dim_; }
  const Ladder& ladder() const { return *ladder_; }
  std::span<const Run> runs() const { return runs_; }
  // Whether it has the same entries since it is made alike: of the same ladder, or of one whose frequencies
  // have the same first 192 bits.
  bool is_made_like(const ExactTable& other) const;

  // The largest |position + offset| that is answered: 2^40.
  static constexpr Position farthest_position = Position{1} << 40;

  // The rows of `first`, first + 1, ...: rows * dim values of the format, row-major, written to `out`
  // (aligned as the format is). Throws Refusal for positions beyond the farthest.
  void fill(Format format, Position first, std::size_t rows, void* out, unsigned threads = 1) const;

  // Compares rows * dim values of the format, row-major, with the exact ones. `each` is told of blocks of at
  // most 64 rows, one call at a time, in no particular order where there are threads; what is returned is the
  // sum of all.
  Compared compare(Format format, Position first, std::size_t rows, const void* values,
                   const Function<void(const Compared&)>& each = {}, unsigned threads = 1) const;

  // How many of them are not the exact values correctly rounded, and nothing else: where many are wrong, in
  // half the time.
  std::uint64_t count_wrong(Format format, Position first, std::size_t rows, const void* values,
                            unsigned threads = 1) const;

 private:
  void check(Position first, std::size_t rows) const;

  std::shared_ptr<const Ladder> ladder_;
  std::vector<Run> runs_;
  std::size_t dim_;
  Position offset_;
  std::vector<std::size_t> zeros_;  // columns in no run
};

// Of a table or a rotary whose oracle has one; none of others.
std::shared_ptr<const ExactTable> exact_table(const Encoding& encoding);

}  // namespace posproof::exact
