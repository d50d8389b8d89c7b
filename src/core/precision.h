#pragma once

#include <string>
#include <string_view>

namespace posproof {

// Unit roundoffs: half the distance from 1 to the next number of the format.
constexpr double unit_f64 = 0x1p-53;
constexpr double unit_f32 = 0x1p-24;
constexpr double unit_f16 = 0x1p-11;
constexpr double unit_bf16 = 0x1p-8;

// In what arithmetic a subject works, a unit for each place where it may round. An angle is a product with
// the position, so its error grows with the position; a result is rounded once. With one unit the best-known
// RoPE defect (angles in bf16) would be allowed; with two, a rotation computed in half precision would pass
// for one that is rounded once.
struct Precision {
  enum class Angles {
    product,   // each angle is position * frequency, each frequency one power (or one exponential)
    iterated,  // each frequency is the one before times a common ratio, or a power of the rounded ratio
  };

  double angle;   // unit roundoff 2^-p of the format in which angles (of a bias: slopes) are formed
  double result;  // unit roundoff of the format of the answer
  Angles how = Angles::product;
  // As declared; 0 where the functions below say what is usual.
  double declared_table = 0, declared_work = 0, declared_input = 0;

  // Of the format in which cosine and sine (of a bias: the slopes) are kept. Usually that of the result; in a
  // 16-bit result that of the angles, f32 at the widest.
  double table() const {
    if (declared_table != 0) return declared_table;
    return result <= unit_f32 ? result : angle > unit_f32 ? angle : unit_f32;
  }
  // Of products and sums: the wider of the formats of the table and of the result, as type promotion has it.
  double work() const {
    if (declared_work != 0) return declared_work;
    return table() < result ? table() : result;
  }
  // Of the contents as the subject is given them: the result's.
  double input() const { return declared_input != 0 ? declared_input : result; }

  // RESULT[/ANGLE][+table=FORMAT][+work=FORMAT][+input=FORMAT][+iterated], each format of f64, f32, bf16,
  // f16: `f32`, `bf16` (computed in f32, rounded once), `bf16/bf16` (angles in bf16, and so all the rest),
  // `bf16+table=bf16` (cosine, sine and products in bf16), `f32+input=bf16`, `f32+iterated`. A result in bf16
  // or f16 has its angles in f32 unless said otherwise. Throws std::invalid_argument with what was allowed.
  static Precision parse(std::string_view words);

  std::string text() const;  // `bf16 over f32`, `f32`, `f32, frequencies iterated`
  std::string word() const;  // reads back: `bf16/f32`

  bool operator==(const Precision&) const = default;
};

constexpr Precision all_f64{unit_f64, unit_f64};
constexpr Precision all_f32{unit_f32, unit_f32};

}  // namespace posproof
