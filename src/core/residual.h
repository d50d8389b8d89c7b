#pragma once

#include <cmath>
#include <span>

namespace posproof {

// What a check returns, never a bool: how far one case is from the statement of a property.
struct Residual {
  double measured;  // how far from the statement, in the statement's own unit
  double allowed;   // how far rounding alone may put it
  double ceiling;   // it could not have been larger, however wrong the encoding

  // NaN holds nothing: the comparison is false. Nor is infinity within any rounding, not even where the
  // allowance, computed from the same values, is infinite too.
  bool holds() const { return measured <= allowed && measured < __builtin_huge_val(); }
  bool telling() const { return allowed < ceiling; }  // this case could have come out the other way

  // measured / allowed: 0 exact, 1 at the edge, above 1 refuted, infinity for NaN.
  double use() const {
    if (std::isnan(measured)) return __builtin_huge_val();
    return measured == 0 ? 0 : measured / allowed;
  }
};

constexpr double no_ceiling = __builtin_huge_val();

// |there - here|, and for lists the largest such difference. Two NaNs are not equal; two equal infinities
// are. Lists of different lengths throw std::invalid_argument, and so does an allowance that is negative or
// NaN.
[[noreturn]] void refuse_allowance(double allowed);
inline Residual equal(double there, double here, double allowed, double ceiling = no_ceiling) {
  if (!(allowed >= 0)) refuse_allowance(allowed);
  return {there == here ? 0.0 : std::abs(there - here), allowed, ceiling};
}
Residual equal(std::span<const double> there, std::span<const double> here, double allowed,
               double ceiling = no_ceiling);

// Each entry with its own allowance: the entry that uses most of it.
Residual equal(std::span<const double> there, std::span<const double> here, std::span<const double> allowed,
               double ceiling = no_ceiling);

// By how much `value` exceeds `limit`. Infinite ones are compared with nothing: NaN.
Residual no_more(double value, double limit, double allowed, double ceiling = no_ceiling);

// The one of two that says more against the statement: refuted before held, telling before not, then the one
// that uses more of its allowance (NaN: all of it).
inline Residual worse(const Residual& a, const Residual& b) {
  if (a.holds() != b.holds()) return a.holds() ? b : a;
  // Of two that hold, one that could have told says more than one that could not.
  if (a.holds() && a.telling() != b.telling()) return a.telling() ? a : b;
  if (b.measured == 0) return a;  // uses nothing, as most entries do
  return a.use() >= b.use() ? a : b;
}

// A statement that cannot be measured by degrees: refused or not, bit for bit or not. Off by 1 where false.
Residual exactly(bool true_here);

}  // namespace posproof
