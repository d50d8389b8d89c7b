#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <memory>
#include <mutex>
#include <span>

#include "core/encoding.h"
#include "oracle/kernel.h"

namespace posproof::oracle {

class Slow;

// Memory for rows of complex numbers, zeros, aligned to lines.
class Rows {
 public:
  Rows() = default;
  Rows(std::size_t rows, std::size_t lanes);

  const Wave* data() const { return waves_.get(); }
  const Wave& operator[](std::size_t row) const { return waves_[row]; }

 private:
  struct Free {
    void operator()(double* memory) const;
  };
  std::unique_ptr<double, Free> memory_;
  std::unique_ptr<Wave[]> waves_;
};

// e^{i t w} for every frequency w of a ladder and |t| <= 2^41 in double-double: the product of one row from
// each table, a table for each digit of t to base 64. How good they are is derived in bounds.h.
class Waves {
 public:
  // Whether the frequencies and the amplitude are of a size that double-double holds: frequencies 0 or from
  // 2^-500 to 2^40 radians, amplitudes from 2^-100 to 2^100.
  static bool fit(const Slow& slow);
  static constexpr std::size_t most_frequencies = std::size_t{1} << 13;  // of which a table takes 16 MiB

  Waves(const Slow& slow, const Kernel& kernel);

  const Kernel& kernel() const { return kernel_; }
  std::size_t size() const { return size_; }    // frequencies
  std::size_t lanes() const { return lanes_; }  // in whole groups; arrays have one group more
  double amplitude() const { return amplitude_; }
  double amplitude_rest() const { return amplitude_rest_; }

  // The rows 0 .. 63 of digit `level`: e^{i d 64^level w}.
  const Rows& table(std::size_t level) const;
  const SplitWave* split_babies() const { return split_.get(); }  // table 0 in halves: bounds.h, (5)
  const double* sway() const { return sway_.get(); }              // the largest |sine| of table 0
  const double* speed() const { return speed_.get(); }            // |w|, rounded up

  static constexpr std::size_t levels = 7;

 private:
  struct Seeds;
  void build_next() const;

  const Kernel& kernel_;
  std::size_t size_, lanes_;
  double amplitude_ = 0, amplitude_rest_ = 0;
  std::unique_ptr<double[]> sway_, speed_;
  Rows halves_;
  std::unique_ptr<SplitWave[]> split_;
  mutable std::mutex building_;
  mutable std::shared_ptr<Seeds> seeds_;  // of the last digit that was built
  mutable std::atomic<std::size_t> built_ = 0;
  mutable std::array<Rows, levels> tables_;
};

// Where the rows of one block come from. It remembers what the last block had in common with the next: one
// product a block for blocks in order.
class Giant {
 public:
  explicit Giant(const Waves& waves);

  // The block of the rows first .. first + rows - 1, all of them between two neighbouring multiples of 64.
  // Valid until the next call.
  const Block& at(Position first, std::size_t rows);

 private:
  const Waves& waves_;
  Rows rows_;  // the giant; what the digits above the second give; the amplitude
  Rows room_;  // for the errors
  Errors errors_;
  Position start_ = 1;   // of the block that is there: none
  Position above_ = -1;  // the digits above the second, of what stands in row 1
  bool negative_ = false;
  Block block_;
};

// The kernel of the newest instruction set that this processor has; the environment variable POSPROOF_KERNEL
// (plain, v3, v4) asks for another. Throws std::invalid_argument for one that it has not.
const Kernel& best_kernel();
std::span<const Kernel* const> kernels_here();  // all that run on this processor, plain first

}  // namespace posproof::oracle
