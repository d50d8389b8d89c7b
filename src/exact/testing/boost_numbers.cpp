#include "exact/testing/boost_numbers.h"

#include <boost/multiprecision/cpp_bin_float.hpp>
#include <boost/multiprecision/cpp_int.hpp>
#include <limits>

namespace posproof::boost_numbers {

namespace mp = boost::multiprecision;

struct Whole::Value {
  mp::number<mp::cpp_int_backend<>, mp::et_off> number;
};
struct Wide::Value {
  mp::number<mp::cpp_bin_float<1300, mp::digit_base_2>, mp::et_off> number;
};

Whole::Whole(std::int64_t value) : Whole(Value{value}) {}
Whole::Whole(Value value) : value_(std::make_shared<const Value>(std::move(value))) {}

Whole operator+(const Whole& a, const Whole& b) {
  return Whole(Whole::Value{a.value_->number + b.value_->number});
}
Whole operator-(const Whole& a, const Whole& b) {
  return Whole(Whole::Value{a.value_->number - b.value_->number});
}
Whole operator*(const Whole& a, const Whole& b) {
  return Whole(Whole::Value{a.value_->number * b.value_->number});
}
Whole operator/(const Whole& a, const Whole& b) {
  return Whole(Whole::Value{a.value_->number / b.value_->number});
}
Whole operator%(const Whole& a, const Whole& b) {
  return Whole(Whole::Value{a.value_->number % b.value_->number});
}
Whole operator<<(const Whole& a, unsigned places) {
  return Whole(Whole::Value{a.value_->number << places});
}
Whole operator>>(const Whole& a, unsigned places) {
  return Whole(Whole::Value{a.value_->number >> places});
}
Whole pow(const Whole& base, unsigned exponent) {
  return Whole(Whole::Value{pow(base.value_->number, exponent)});
}
std::strong_ordering operator<=>(const Whole& a, const Whole& b) {
  return a.value_->number.compare(b.value_->number) <=> 0;
}
unsigned Whole::highest_bit() const {
  return static_cast<unsigned>(msb(value_->number));
}
std::int64_t Whole::as_integer() const {
  return value_->number.convert_to<std::int64_t>();
}

Wide::Wide(double value) : Wide(Value{value}) {}
Wide::Wide(std::int64_t value) : Wide(Value{value}) {}
Wide::Wide(const std::string& decimal) : Wide(Value{decltype(Value::number)(decimal)}) {}
Wide::Wide(Value value) : value_(std::make_shared<const Value>(std::move(value))) {}

Wide operator+(const Wide& a, const Wide& b) {
  return Wide(Wide::Value{a.value_->number + b.value_->number});
}
Wide operator-(const Wide& a, const Wide& b) {
  return Wide(Wide::Value{a.value_->number - b.value_->number});
}
Wide operator*(const Wide& a, const Wide& b) {
  return Wide(Wide::Value{a.value_->number * b.value_->number});
}
Wide operator/(const Wide& a, const Wide& b) {
  return Wide(Wide::Value{a.value_->number / b.value_->number});
}
Wide pow(const Wide& base, const Wide& exponent) {
  return Wide(Wide::Value{pow(base.value_->number, exponent.value_->number)});
}
Wide log(const Wide& a) {
  return Wide(Wide::Value{log(a.value_->number)});
}
Wide sqrt(const Wide& a) {
  return Wide(Wide::Value{sqrt(a.value_->number)});
}
Wide floor(const Wide& a) {
  return Wide(Wide::Value{floor(a.value_->number)});
}
Wide ceil(const Wide& a) {
  return Wide(Wide::Value{ceil(a.value_->number)});
}
Wide ldexp(const Wide& a, int exponent) {
  return Wide(Wide::Value{ldexp(a.value_->number, exponent)});
}
// NaN is less, greater or equal to nothing.
std::partial_ordering operator<=>(const Wide& a, const Wide& b) {
  const auto &x = a.value_->number, &y = b.value_->number;
  if (x < y) return std::partial_ordering::less;
  if (x > y) return std::partial_ordering::greater;
  return x == y ? std::partial_ordering::equivalent : std::partial_ordering::unordered;
}
std::ostream& operator<<(std::ostream& out, const Wide& a) {
  return out << a.value_->number.str(60);
}
double Wide::nearest() const {
  return value_->number.convert_to<double>();
}

}  // namespace posproof::boost_numbers
