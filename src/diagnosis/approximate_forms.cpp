#include "diagnosis/approximate_forms.h"

#include <fmt/format.h>

#include <cmath>
#include <numbers>
#include <utility>

#include "core/function.h"

namespace posproof {
namespace {

using Real = long double;
constexpr Real pi = std::numbers::pi_v<Real>;
using OfReduced = Real (*)(Real);

Real reduced(Real angle) {
  return std::remainder(angle, 2 * pi);
}

Real parabola(Real a) {
  return 4 / pi * a - 4 / (pi * pi) * a * std::abs(a);
}
Real two_parabolas(Real a) {
  const Real y = parabola(a);
  return Real{0.225} * (y * std::abs(y) - y) + y;
}
// Of 0 to pi, with the sign of a.
Real bhaskara(Real a) {
  const Real rest = std::abs(a) * (pi - std::abs(a));
  return std::copysign(16 * rest / (5 * pi * pi - 4 * rest), a);
}

// Up to the power `last`, from the first on.
Real series(Real a, int first, int last) {
  Real term = first == 0 ? 1 : a, sum = 0;
  for (int n = first; n <= last; n += 2, term *= -a * a / Real((n - 1) * n)) sum += term;
  return sum;
}

using CosineAndSine = Function<std::pair<Real, Real>(Real angle)>;  // cosine and sine

// The cosine is the sine of a right angle more.
CosineAndSine by_sine(OfReduced sine) {
  return [sine](Real angle) { return std::pair(sine(reduced(angle + pi / 2)), sine(reduced(angle))); };
}

CosineAndSine by_series(int of_cosine, int of_sine) {
  return [=](Real angle) {
    const Real a = reduced(angle);
    return std::pair(series(a, 0, of_cosine), series(a, 1, of_sine));
  };
}

// Of a table of so many angles in a turn.
CosineAndSine by_table(int angles, Real (*index)(Real)) {
  return [=](Real angle) {
    const Real a = index(reduced(angle) / (2 * pi) * angles) * 2 * pi / angles;
    return std::pair(std::cos(a), std::sin(a));
  };
}
CosineAndSine between_entries(int angles) {
  return [=](Real angle) {
    const Real at = reduced(angle) / (2 * pi) * angles, below = std::floor(at), share = at - below;
    const auto of = [&](Real (*function)(Real)) {
      return (1 - share) * function(below * 2 * pi / angles) +
             share * function((below + 1) * 2 * pi / angles);
    };
    return std::pair(of(&std::cos), of(&std::sin));
  };
}

}  // namespace

std::vector<RotationForm> approximate_forms(const Rotary& truth) {
  std::vector<RotationForm> out;
  const auto add = [&](std::string words, const CosineAndSine& both) {
    out.push_back({std::move(words), with_cosine_and_sine(truth, both)});
  };
  add("the sine is approximated by a parabola, 4/pi a - 4/pi^2 a |a|", by_sine(&parabola));
  add("the sine is approximated by two parabolas, y + 0.225 (y |y| - y)", by_sine(&two_parabolas));
  add("the sine is approximated by 16 a (pi - a) / (5 pi^2 - 4 a (pi - a))", by_sine(&bhaskara));
  for (const int last : {3, 5, 7, 9, 11})
    for (const int of_cosine : {last - 1, last + 1})
      add(fmt::format("cosine and sine are series up to the powers {} and {} of an angle from -pi to pi",
                      of_cosine, last),
          by_series(of_cosine, last));
  for (const int angles : {256, 360, 512, 720, 1024, 2048, 3600, 4096, 8192, 16384, 65536}) {
    add(fmt::format("angles are rounded to whole {}ths of a turn", angles), by_table(angles, &std::round));
    add(fmt::format("angles are rounded down to whole {}ths of a turn", angles),
        by_table(angles, &std::floor));
    add(fmt::format("cosine and sine are interpolated between whole {}ths of a turn", angles),
        between_entries(angles));
  }
  return out;
}

}  // namespace posproof
