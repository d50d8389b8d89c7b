#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "exact/exact_table.h"
#include "exact/phasor_tables.h"
#include "exact/strip.h"

namespace posproof::exact {

// How far correct rounding may put an entry of at most that size: it is that size itself, and exact, or
// below.
double of_correct_rounding(Format format, double amplitude);

// Compares rows of a table with the exact ones, a few blocks at a time; one for each thread. Inside the
// oracle.
class Comparing {
 public:
  // `zeros` are the columns in no run; `offset` is added to every position.
  Comparing(const ExactTable& table, std::span<const std::size_t> zeros, Format format, Position offset);

  // Rows that are compared in one go, and where what comes after them begins; where nothing does, they
  // themselves.
  struct Rows {
    Position first;
    std::size_t count;
    const char *at, *next;
  };

  // Calls `each` with the rows `from` .. `to` - 1 of a table that begins at position `first`.
  template <class Each>
  void along(Position first, const void* values, std::size_t from, std::size_t to, Each each) {
    const std::size_t stride = table_.dim() * bytes(format_);
    while (from < to) {
      const Position t = first + static_cast<Position>(from);
      const std::size_t count = rows_at_once(t + offset_, to - from, together_);
      const char* const at = static_cast<const char*>(values) + from * stride;
      from += count;
      each(Rows{t, count, at, from < to ? at + count * stride : at});
    }
  }

  // What is found of each block.
  std::vector<Compared> compared(const Rows& rows);

  std::uint64_t count_wrong(const Rows& rows);

 private:
  using Wrong = std::array<std::uint64_t, most_blocks>;  // entries of each block

  bool has_fast_path(const Strip& strip) const;
  Blocks blocks_of(const Rows& rows);
  Columns columns_of(const Strip& strip, const Rows& rows, std::size_t columns_before) const;
  const char* entry(const char* at, std::size_t row, std::size_t column) const;
  void count(const Strip& strip, const Columns& columns, const Blocks& blocks, const Rows& rows,
             Wrong& wrong) const;
  void find_not_zero(const char* at, Compared& out) const;
  void measure(const Strip& strip, const Columns& columns, const Block* block, const char* at, Compared& out);
  void take_correct(const Strip& strip, Compared& out) const;
  void take_found(const Strip& strip, const Block& block, const char* at, Compared& out);
  double power_below(double x) const;
  std::size_t row_of(const Strip& strip, const Block& block, const char* at, const Compared& out,
                     std::size_t lane, bool cosine) const;
  void settle(const Strip& strip, const Block* block, const Open::Entry& one, const char* at,
              Compared& out) const;

  const ExactTable& table_;
  std::span<const std::size_t> zeros_;
  Format format_;
  Position offset_;
  std::vector<Strip> strips_;
  std::optional<Giants> giants_;
  std::size_t together_ = 1;                  // blocks
  std::array<std::vector<double>, 4> found_;  // over the lanes, as Found has them
  double farthest_so_far_ = 0;                // in units in the last place, of all blocks
  std::vector<bool> clean_;                   // of each strip: its last block was right
  bool overflows_ = false;                    // an infinity may be right, and it is not near to anything
  double correct_ = 0;                        // how far a correctly rounded entry may be off
};

}  // namespace posproof::exact
