#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "core/encoding.h"
#include "exact/kernel.h"

namespace posproof::exact {

class Multiprecision;

// Numbers, zeros at first, aligned to lines.
struct FreeLines {
  void operator()(void* memory) const;
};
using Lines = std::unique_ptr<double, FreeLines>;
Lines lines(std::size_t numbers);
using SingleLines = std::unique_ptr<float, FreeLines>;

// Memory for rows of complex numbers, zeros, aligned to lines.
class PhasorRows {
 public:
  PhasorRows() = default;
  PhasorRows(std::size_t rows, std::size_t lanes);

  const Phasor* data() const { return phasors_.get(); }
  const Phasor& operator[](std::size_t row) const { return phasors_[row]; }

 private:
  Lines memory_;
  std::unique_ptr<Phasor[]> phasors_;
};

// e^{i t w} for every frequency w of a ladder and |t| <= 2^41 in double-double: the product of one row from
// each table, a table for each digit of t to base 64. How good they are is derived in bounds.h.
class PhasorTables {
 public:
  // Whether the frequencies and the amplitude are of a size that double-double holds: frequencies 0 or from
  // 2^-500 to 2^40 radians, amplitudes from 2^-100 to 2^100.
  static bool fit(const Multiprecision& multiprecision);
  static constexpr std::size_t most_frequencies = std::size_t{1} << 13;  // of which a table takes 16 MiB

  PhasorTables(const Multiprecision& multiprecision, const Kernel& kernel);

  const Kernel& kernel() const { return kernel_; }
  std::size_t size() const { return size_; }    // frequencies
  std::size_t lanes() const { return lanes_; }  // in whole groups; arrays have one group more
  double amplitude() const { return amplitude_; }
  double amplitude_rest() const { return amplitude_rest_; }

  // The rows 0 .. 63 of digit `level`: e^{i d 64^level w}.
  const PhasorRows& table(std::size_t level) const;
  const double* coarse_babies() const { return coarse_.get(); }  // table 0 as Block has it
  const double* split_babies() const { return split_.get(); }
  const double* largest_sine() const { return largest_sine_.get(); }  // the largest |sine| of table 0
  const double* frequency() const { return frequency_.get(); }        // |w|, rounded up
  const InSingle* in_single() const { return single_.babies != nullptr ? &single_ : nullptr; }

  static constexpr std::size_t levels = 7;

 private:
  struct Seeds;
  void build_next() const;
  void build_singles();

  const Kernel& kernel_;
  std::size_t size_, lanes_;
  double amplitude_ = 0, amplitude_rest_ = 0;
  std::unique_ptr<double[]> largest_sine_, frequency_;
  Lines coarse_, split_;
  SingleLines singles_;
  std::unique_ptr<float[]> largest_single_;
  InSingle single_{};
  mutable std::mutex building_;
  mutable std::shared_ptr<Seeds> seeds_;  // of the last digit that was built
  mutable std::atomic<std::size_t> built_ = 0;
  mutable std::array<PhasorRows, levels> tables_;
};

// Where the rows of blocks come from. It remembers what the last block had in common with the next: one
// product a block for blocks in order.
class Giants {
 public:
  // Room for so many blocks at a time.
  explicit Giants(const PhasorTables& phasors, std::size_t most = 1);

  // PhasorRows from `first` on, `rows` of them or as many as there is room for. Valid until the next call.
  Blocks blocks(Position first, std::size_t rows);
  // The block of the rows first .. first + rows - 1, all of them between two neighbouring multiples of 64.
  const Block& block(Position first, std::size_t rows) { return *blocks(first, rows).first; }

 private:
  void move(std::size_t slot, Position number);

  const PhasorTables& phasors_;
  PhasorRows rows_;                // the giants of the blocks
  PhasorRows errors_;              // of the blocks
  PhasorRows common_;              // what the digits above the second give; the amplitude
  Position above_;                 // those digits, of what stands in common_[0]
  std::vector<Position> numbers_;  // of the blocks that are there
  std::vector<Errors> bounds_;
  std::vector<Block> blocks_;
};

// The kernel of the newest instruction set that this processor has; the environment variable POSPROOF_KERNEL
// (plain, v3, v4, v4_vbmi2) asks for another. Throws std::invalid_argument for one that it has not.
const Kernel& best_kernel();
std::span<const Kernel* const> kernels_here();  // all that run on this processor, plain first

}  // namespace posproof::exact
