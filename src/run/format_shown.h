#pragma once

#include <cstddef>
#include <vector>

#include "core/call.h"
#include "core/precision.h"

// Whether answers show the formats of a precision, not only errors that it would allow. What is wrong by less
// than a coarse format rounds is within rounding of it, too: numbers that a format holds are seen in the
// answers themselves.
namespace posproof {

// Numbers that are said to have been rounded to a format. One tells something where the others may be off by
// so little that the format's neighbours are apart, and where the exact number is none of the format's.
class NumbersOfFormat {
 public:
  explicit NumbersOfFormat(double unit) : unit_(unit) {}

  // `error`: how far `is` may be from what was rounded; `near`: how many neighbours away that may be from the
  // exact number.
  void see(double is, double exact, double error, double near);
  // Enough of them tell something, and all are numbers of the format, beside the exact ones.
  bool shown() const;

 private:
  double unit_;
  std::size_t telling_ = 0;
  bool is_other_ = false;
};

// Results that were rounded more often than once, by ways of computing the two channels of a rotated pair.
class RoundedProducts {
 public:
  // Contents a and b of a pair, its exact cosine and sine, and an answer that was rounded to that format.
  void see(double a, double b, double cosine, double sine, double is, double unit);
  bool shown() const;

 private:
  static constexpr std::size_t ways = 5;
  std::size_t telling_[ways] = {}, right_[ways] = {};
};

// Of one encoding: whatever is coarser in `tried` than in `declared` (angles, tables, products).
class FormatShown {
 public:
  FormatShown(const Precision& declared, const Precision& tried);

  // An answer, and the exact one.
  void see(const Encoding& truth, const Call& call, const Tensor& given, const Tensor& exact);
  // Of ladders made by repeated products the bound says it: a few f32 units of each angle.
  bool shown() const;

 private:
  void see_rotation(const Rotary& truth, const Call& call, const Tensor& given, const Tensor& exact);
  void see_table(const Table& truth, const Call& call, const Tensor& given, const Tensor& exact);
  void see_bias(const Call& call, const Tensor& given, const Tensor& exact);
  void see_circle(double cosine, double sine, double exact_cosine, double exact_sine, double angle,
                  double error, double scale);

  Precision tried_;
  bool angles_, tables_, products_;  // are coarser
  NumbersOfFormat angle_, table_, scaled_, slope_;
  RoundedProducts of_products_;
};

}  // namespace posproof
