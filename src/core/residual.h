#pragma once

#include <cmath>
#include <span>

namespace posproof {

// What a check returns, never a bool: how far one case is from the statement of a property.
struct Residual {
  double error;    // how far from the statement, in the statement's own unit
  double bound;    // how far rounding alone may put it
  double ceiling;  // it could not have been larger, however wrong the encoding

  // NaN holds nothing: the comparison is false. Nor is infinity within any rounding, not even where the
  // bound, computed from the same values, is infinite too.
  bool holds() const { return error <= bound && error < __builtin_huge_val(); }
  bool vacuous() const { return !(bound < ceiling); }  // this case could not have come out the other way

  // measured / allowed: 0 exact, 1 at the edge, above 1 refuted, infinity for NaN.
  double error_over_bound() const {
    if (std::isnan(error)) return __builtin_huge_val();
    return error == 0 ? 0 : error / bound;
  }
};

constexpr double no_ceiling = __builtin_huge_val();

// |there - here|, and for lists the largest such difference. Two NaNs are not equal; two equal infinities
// are. Lists of different lengths throw std::invalid_argument, and so does a bound that is negative or
// NaN.
[[noreturn]] void refuse_bound(double bound);
inline Residual difference(double there, double here, double bound, double ceiling = no_ceiling) {
  if (!(bound >= 0)) refuse_bound(bound);
  return {there == here ? 0.0 : std::abs(there - here), bound, ceiling};
}
Residual difference(std::span<const double> there, std::span<const double> here, double bound,
                    double ceiling = no_ceiling);

// Each entry with its own bound: the entry that is the largest share of it.
Residual difference(std::span<const double> there, std::span<const double> here,
                    std::span<const double> bound, double ceiling = no_ceiling);

// By how much `value` exceeds `limit`. Infinite ones are compared with nothing: NaN.
Residual excess(double value, double limit, double bound, double ceiling = no_ceiling);

// The one of two that says more against the statement: refuted before held, not vacuous before vacuous, then
// the one whose error is the larger share of its bound (NaN: all of it).
inline Residual worse(const Residual& a, const Residual& b) {
  if (a.holds() != b.holds()) return a.holds() ? b : a;
  // Of two that hold, one that could have failed says more than one that could not.
  if (a.holds() && !a.vacuous() != !b.vacuous()) return !a.vacuous() ? a : b;
  if (b.error == 0) return a;  // uses nothing, as most entries do
  return a.error_over_bound() >= b.error_over_bound() ? a : b;
}

// A statement that cannot be measured by degrees: refused or not, bit for bit or not. Off by 1 where false.
Residual holds_if(bool true_here);

}  // namespace posproof
