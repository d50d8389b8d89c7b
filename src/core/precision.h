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

  // RESULT[/ANGLE][+iterated], each of fp64, fp32, bf16, fp16: `fp32`, `bf16` (angles in fp32), `bf16/bf16`,
  // `fp32+iterated`. A result in bf16 or fp16 has its angles in fp32 unless said otherwise. Throws
  // std::invalid_argument with what was allowed.
  static Precision parse(std::string_view words);

  std::string text() const;  // `bf16 over fp32`, `fp32`, `fp32, frequencies iterated`
  std::string word() const;  // reads back: `bf16/fp32`

  bool operator==(const Precision&) const = default;
};

// Unit roundoffs: half the distance from 1 to the next number of the format.
constexpr double unit_fp64 = 0x1p-53;
constexpr double unit_fp32 = 0x1p-24;
constexpr double unit_fp16 = 0x1p-11;
constexpr double unit_bf16 = 0x1p-8;

constexpr Precision fp64{unit_fp64, unit_fp64};
constexpr Precision fp32{unit_fp32, unit_fp32};

}  // namespace posproof
