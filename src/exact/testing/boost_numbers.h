#pragma once

#include <compare>
#include <cstdint>
#include <memory>
#include <ostream>
#include <string>

// Numbers of Boost.Multiprecision behind types that are not templates: Boost is compiled once, in
// boost_numbers.cpp, and not in every test. They share no code with MPFR. For tests; nothing else
// includes it.
namespace posproof::boost_numbers {

// A whole number of any size. `/` and `%` round towards zero.
class Whole {
 public:
  Whole(std::int64_t value = 0);
  struct Value;
  explicit Whole(Value value);

  friend Whole operator+(const Whole& a, const Whole& b);
  friend Whole operator-(const Whole& a, const Whole& b);
  friend Whole operator*(const Whole& a, const Whole& b);
  friend Whole operator/(const Whole& a, const Whole& b);
  friend Whole operator%(const Whole& a, const Whole& b);
  friend Whole operator<<(const Whole& a, unsigned places);
  friend Whole operator>>(const Whole& a, unsigned places);
  friend Whole pow(const Whole& base, unsigned exponent);
  friend std::strong_ordering operator<=>(const Whole& a, const Whole& b);
  friend bool operator==(const Whole& a, const Whole& b) { return (a <=> b) == 0; }

  unsigned highest_bit() const;     // of a number above 0; the lowest is bit 0
  std::int64_t as_integer() const;  // of a number below 2^63

 private:
  std::shared_ptr<const Value> value_;
};

inline Whole operator-(const Whole& a) {
  return 0 - a;
}
inline Whole abs(const Whole& a) {
  return a < 0 ? -a : a;
}

// A binary floating-point number of 1300 bits.
class Wide {
 public:
  Wide(double value = 0);
  Wide(std::int64_t value);
  Wide(int value) : Wide(std::int64_t{value}) {}
  explicit Wide(const std::string& decimal);
  struct Value;
  explicit Wide(Value value);

  friend Wide operator+(const Wide& a, const Wide& b);
  friend Wide operator-(const Wide& a, const Wide& b);
  friend Wide operator*(const Wide& a, const Wide& b);
  friend Wide operator/(const Wide& a, const Wide& b);
  friend Wide pow(const Wide& base, const Wide& exponent);
  friend Wide log(const Wide& a);
  friend Wide sqrt(const Wide& a);
  friend Wide floor(const Wide& a);
  friend Wide ceil(const Wide& a);
  friend Wide ldexp(const Wide& a, int exponent);
  friend std::partial_ordering operator<=>(const Wide& a, const Wide& b);
  friend bool operator==(const Wide& a, const Wide& b) { return (a <=> b) == 0; }
  friend std::ostream& operator<<(std::ostream& out, const Wide& a);

  double nearest() const;

 private:
  std::shared_ptr<const Value> value_;
};

inline Wide operator-(const Wide& a) {
  return 0 - a;
}
inline Wide abs(const Wide& a) {
  return a < 0 ? -a : a;
}

}  // namespace posproof::boost_numbers
