#include "exact/numbers.h"

#include <boost/multiprecision/mpfr.hpp>

namespace posproof::exact {
namespace {

template <unsigned digits>
using Digits = boost::multiprecision::number<
    boost::multiprecision::mpfr_float_backend<digits, boost::multiprecision::allocate_stack>,
    boost::multiprecision::et_off>;

using Real = Digits<77>;  // 256 bits and a few
// A product of two doubles is a multiple of 2^-2148 below 2^2048, so that 4300 bits hold the sum of up to
// 2^100 of them without a rounding; 1300 decimal digits are 4318 bits.
using Long = Digits<1300>;

}  // namespace

double seeded(double deviation, std::int64_t seed, std::uint64_t entry) {
  std::uint64_t z = (static_cast<std::uint64_t>(seed) << 32) + entry + 0x9e3779b97f4a7c15u;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  z ^= z >> 31;
  static const Real root_of_three = sqrt(Real(3));
  const Real uniform = ldexp(Real(z >> 11), -52) - 1;
  return Real(root_of_three * deviation * uniform).convert_to<double>();
}

double dot(std::span<const double> a, std::span<const double> b, std::size_t root) {
  Long sum = 0;
  for (std::size_t c = 0; c < a.size(); ++c) sum += Long(Real(a[c]) * b[c]);  // 106 bits
  if (root != 1) sum /= sqrt(Long(root));
  return sum.convert_to<double>();
}

}  // namespace posproof::exact
