#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "core/encoding.h"
#include "core/formats.h"
#include "exact/exact_table.h"
#include "exact/kernel.h"

// What writing and comparing an exact table have in common. Inside the oracle.
namespace posproof::exact {

// The columns of neighbouring frequencies that a kernel does in one go: a run, or a run of sines and the run
// of their cosines.
struct Strip {
  Part part;
  std::size_t lane, count;
  std::size_t sine_column, cosine_column;  // of the first frequency, where the part has them
  std::size_t twin = 0;                    // so many columns on, all of it stands once more; 0: it does not

  // Where kernels may begin. The lone sine of an odd width does not: its entries are settled one by one.
  bool for_kernels() const { return lane % lanes_together == 0; }
  bool has_sines() const { return part != Part::cosine; }
  bool has_cosines() const { return part != Part::sine; }
  std::size_t columns_read() const {
    return count * (has_sines() && has_cosines() ? 2 : 1) * (twin != 0 ? 2 : 1);
  }
  Strip second() const {  // of twins
    return {part, lane, count, sine_column + twin, cosine_column + twin};
  }
  std::size_t step() const { return part == Part::sine_and_cosine || part == Part::cosine_and_sine ? 2 : 1; }
  std::size_t first_column() const;
  std::size_t column(std::size_t of_lane, bool cosine) const {
    return (cosine ? cosine_column : sine_column) + (of_lane - lane) * step();
  }
  // For a format of so many bytes and rows of `dim` entries.
  Columns columns(std::size_t bytes, std::size_t dim) const;
};

std::vector<Strip> strips_of(std::span<const Run> runs);

// Blocks at a time, of a ladder with so many lanes: what they need of it stays in the second cache.
std::size_t blocks_at_a_time(std::size_t lanes);

// Rows of `left`, from position t on (offset included), that are done in one go: to the end of so many of the
// kernels' blocks.
std::size_t rows_at_once(Position t, std::size_t left, std::size_t blocks);

// An entry as it lies in memory, and back.
double load(Format format, const char* at);
void store(Format format, char* at, double value);

// Entries that a kernel left undecided.
struct Open {
  struct Entry {
    std::size_t row, lane;  // rows counted through the blocks
    bool cosine;
  };
  std::vector<Entry> entries;

  Undecided listener() { return {&tell, this}; }
  // Every entry of these rows: where there is no fast path.
  void all(const Strip& strip, std::size_t begin, std::size_t end);

 private:
  static void tell(void* who, std::size_t row, std::size_t lane, bool cosine) {
    static_cast<Open*>(who)->entries.push_back({row, lane, cosine});
  }
};

// One entry, of position t, the correctly rounded one: in double-double, then by MPFR. There may be no
// blocks.
double settled(const Ladder& ladder, const Blocks& blocks, const Open::Entry& entry, Position t,
               Format format);

}  // namespace posproof::exact
