#pragma once

#include <string>
#include <string_view>

namespace posproof {

// In what arithmetic a subject works, in two units: an angle is a product with the position, so its error
// grows with the position; a result is rounded once. With one unit the best-known RoPE defect (angles in
// bf16) would be allowed.
struct Precision {
  enum class Angles {
    product,   // each angle is position * frequency, each frequency one power (or one exponential)
    iterated,  // each frequency is the one before times a common ratio
  };

  double angle;   // unit roundoff 2^-p of the format in which angles are formed
  double result;  // unit roundoff of the format of the answer
  Angles how = Angles::product;

  // RESULT[/ANGLE][+iterated], each of f64, f32, bf16, f16: `f32`, `bf16` (angles in f32), `bf16/bf16`,
  // `f32+iterated`. A result in bf16 or f16 has its angles in f32 unless said otherwise. Throws
  // std::invalid_argument with what was allowed.
  static Precision parse(std::string_view words);

  std::string text() const;  // `bf16 over f32`, `f32`, `f32, frequencies iterated`
  std::string word() const;  // reads back: `bf16/f32`

  bool operator==(const Precision&) const = default;
};

// Unit roundoffs: half the distance from 1 to the next number of the format.
constexpr double unit_f64 = 0x1p-53;
constexpr double unit_f32 = 0x1p-24;
constexpr double unit_f16 = 0x1p-11;
constexpr double unit_bf16 = 0x1p-8;

constexpr Precision all_f64{unit_f64, unit_f64};
constexpr Precision all_f32{unit_f32, unit_f32};

}  // namespace posproof
