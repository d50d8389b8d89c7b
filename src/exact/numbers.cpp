#include "exact/numbers.h"

#include <boost/multiprecision/mpfr.hpp>
#include <cmath>
#include <limits>
#include <optional>
#include <vector>

namespace posproof::exact {
namespace {

template <unsigned digits>
using Digits = boost::multiprecision::number<
    boost::multiprecision::mpfr_float_backend<digits, boost::multiprecision::allocate_stack>,
    boost::multiprecision::et_off>;

using Real256 = Digits<77>;
// A product of two doubles is a multiple of 2^-2148 below 2^2048, so that 4300 bits hold the sum of up to
// 2^100 of them without a rounding; 1300 decimal digits are 4318 bits.
using Long = Digits<1300>;

}  // namespace

namespace {

std::uint64_t bits_of(std::int64_t seed, std::uint64_t number) {
  std::uint64_t z = (static_cast<std::uint64_t>(seed) << 32) + number + 0x9e3779b97f4a7c15u;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  z ^= z >> 31;
  return z >> 11;
}

thread_local double (*seeded_in)(double) = nullptr;

double as_kept(double number) {
  return seeded_in == nullptr ? number : seeded_in(number);
}

}  // namespace

SeededNumbersIn::SeededNumbersIn(double (*format)(double)) : before_(seeded_in) {
  seeded_in = format;
}
SeededNumbersIn::~SeededNumbersIn() {
  seeded_in = before_;
}

namespace {

double seeded_anew(double deviation, std::int64_t seed, std::uint64_t entry) {
  static const Real256 root_of_three = sqrt(Real256(3));
  const Real256 uniform = ldexp(Real256(bits_of(seed, entry)), -52) - 1;
  return Real256(root_of_three * deviation * uniform).convert_to<double>();
}

// The one that was made last of those that have a place in common: a resized table asks for each of its
// entries again in every sum that it has a share in.
struct Made {
  double deviation = 0;
  std::int64_t seed = 0;
  std::uint64_t entry = 0;
  double number = 0;
};

}  // namespace

double seeded(double deviation, std::int64_t seed, std::uint64_t entry) {
  thread_local std::vector<Made> made(std::size_t{1} << 13);
  Made& at = made[entry % made.size()];
  if (at.deviation != deviation || at.seed != seed || at.entry != entry)
    at = {deviation, seed, entry, seeded_anew(deviation, seed, entry)};
  return as_kept(at.number);
}

double seeded_share(std::int64_t seed, std::uint64_t number) {
  return std::ldexp(static_cast<double>(bits_of(seed, number)), -53);
}

double seeded_normal(double deviation, std::int64_t seed, std::uint64_t entry) {
  static const Real256 two_pi = 8 * atan(Real256(1));
  const Real256 above_0 = ldexp(Real256(bits_of(seed, 2 * entry)) + 1, -53);
  const Real256 turns = seeded_share(seed, 2 * entry + 1);
  return as_kept(Real256(deviation * sqrt(Real256(-2 * log(above_0))) * cos(Real256(two_pi * turns)))
                     .convert_to<double>());
}

namespace {

// The dot product where double holds every product and every sum of its terms, as it does for contents of few
// bits; else none. A product is exact where fma finds no rest (below 2^-900 the rest could be lost), a sum
// where Knuth's two-sum finds none.
std::optional<double> dot_in_double(std::span<const double> a, std::span<const double> b) {
  double sum = 0;
  for (std::size_t c = 0; c < a.size(); ++c) {
    const double product = a[c] * b[c];
    if (std::fma(a[c], b[c], -product) != 0) return std::nullopt;
    if (std::abs(product) < 0x1p-900 && a[c] != 0 && b[c] != 0) return std::nullopt;
    const double next = sum + product, of_product = next - sum, of_sum = next - of_product;
    if (!(sum - of_sum == 0 && product - of_product == 0)) return std::nullopt;
    sum = next;
  }
  return sum;
}

// x / sqrt(root), rounded once, where that is certain. Root and quotient are within a unit of 64 bits each,
// so the exact quotient is within 2^-62 of the one found: where both ends round to the same double, it does
// too.
std::optional<double> over_root(double x, std::size_t root) {
  const long double found = static_cast<long double>(x) / std::sqrt(static_cast<long double>(root));
  const auto below = static_cast<double>(found * (1 - 0x1p-62L)),
             above = static_cast<double>(found * (1 + 0x1p-62L));
  const bool normal = std::abs(below) > 0x1p-1000 || x == 0;
  if (std::numeric_limits<long double>::digits < 64 || below != above || !normal) return std::nullopt;
  return below;
}

}  // namespace

double dot(std::span<const double> a, std::span<const double> b, std::size_t root) {
  const auto exact = dot_in_double(a, b);
  if (exact && root == 1) return *exact;
  const auto rounded = exact ? over_root(*exact, root) : std::nullopt;
  return rounded ? *rounded : dot_in_full(a, b, root);
}

double dot_in_full(std::span<const double> a, std::span<const double> b, std::size_t root) {
  Long sum = 0;
  for (std::size_t c = 0; c < a.size(); ++c) sum += Long(Real256(a[c]) * b[c]);  // 106 bits
  if (root != 1) sum /= sqrt(Long(root));
  return sum.convert_to<double>();
}

}  // namespace posproof::exact
