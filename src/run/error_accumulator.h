#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/function.h"
#include "run/accuracy.h"
#include "run/reference.h"

namespace posproof {

// What rows say, block by block, and where a block is not clear, row by row.
//
// A block of which every entry is correctly rounded is within what rounding allows and needs no second look:
// error.h allows an entry of the ladder at least 4 result units of the amplitude A (stored_sine: 4 p.result,
// or 4 p.angle + p.result), and correct rounding to a format of unit u <= p.result is off by half the
// distance of neighbours at A, at most u A. Elsewhere bounds grow with the distance of the position, so
// that what is within the bound of the block's nearest position is within those of the others.
class ErrorAccumulator {
 public:
  // The format's unit is at most the precision's result unit.
  ErrorAccumulator(Reference reference, Format format, const AccuracyOptions& options);

  // How rows were asked for: an entry as a case again, and the channel in which a column was answered.
  struct RowSource {
    Function<Case(Position, std::size_t column)> again;
    Function<std::size_t(std::size_t column)> channel;
  };

  // Rows of `first`, first + 1, ...: `rows` times the reference's columns, values of the format. Entries
  // count `times` times, where as many calls answered them alike; the first of these is to blame for what is
  // wrong.
  void add(Position first, std::size_t rows, const std::byte* values, const RowSource& source,
           std::uint64_t times = 1);

  // That these positions are done: whatever was added of them counts as one row each.
  void done(Position first, std::size_t rows);

  Accuracy found() const;

 private:
  struct Block {
    Position first;
    std::size_t rows;
    bool clean;
    double error = 0;    // largest of all columns
    double share = 0;    // of what is allowed, a bound
    double known = 0;    // a closer bound, where doubles say the errors
    std::size_t column;  // of that share
  };
  struct Values {
    Position first;
    const std::byte* bytes;
  };

  // What is allowed at this position, or at one of the same octave that is nearer to the origin.
  const std::vector<double>& bound(Position t, bool exactly);
  Position nearest(Position first, std::size_t rows) const;
  bool vacuous(Position t);
  const std::byte* at(const Values& values, Position t) const;
  std::vector<double> errors(const Values& values, Position t);
  bool has_doubles() const { return reference_.doubles && format_ != Format::f64; }
  void empty_columns(const Values& values, Position first, std::size_t rows,
                     std::vector<double>& errors) const;
  Block weighed(const Values& values, const exact::Compared& compared, const RowSource& source);
  unsigned threads_for(std::size_t rows) const;
  std::uint64_t entries(Position first, std::size_t rows) const;
  void find_first_beyond(const Values& values, const std::vector<Block>& blocks, const RowSource& source);
  // Of an entry that is rounded last, where what is allowed before that is known.
  double allowed(double before, double exact) const;
  // The first entry of a block that is farther off than rounding of an entry of its size, though not of the
  // largest that there may be.
  void find_first_small(const Values& values, const Block& block, const RowSource& source);
  void find_worst(const Values& values, std::vector<Block> blocks, const RowSource& source);
  void consider(Position t, std::size_t column, double error, const RowSource& source);
  void find_worst_of(const Values& values, const Block& block, const RowSource& source);
  void find_largest(const Values& values, const std::vector<Block>& blocks, const RowSource& source);
  Residual residual(double error, double bound) const { return {error, bound, reference_.ceiling}; }

  Reference reference_;
  Format format_;
  unsigned threads_;
  // Below the first no error is known exactly, where there are wrong entries; where there are none, errors
  // are at most the second. 0 where entries have no common size.
  double rounding_, correct_;
  Accuracy found_;
  ErrorProfile profile_;
  struct {
    std::optional<Position> at = {};
    std::vector<double> of_column = {}, inverse = {};
  } bound_;
};

}  // namespace posproof
