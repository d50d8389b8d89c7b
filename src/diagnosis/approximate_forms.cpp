#include "diagnosis/approximate_forms.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>
#include <utility>

#include "core/function.h"
#include "diagnosis/measured_words.h"
#include "diagnosis/short_pi.h"

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

RotationForm by_short_pi(const Rotary& truth, const ShortPi& pi) {
  return {pi.words(), with_cosine_and_sine(truth, [turn = pi.turn()](Real angle) {
            const Real a = std::fmod(angle, turn);
            return std::pair(std::cos(a), std::sin(a));
          })};
}

// Of a whole number of parts of 1: fixed-point numbers, a table of angles.
CosineAndSine in_parts(double parts, Real (*index)(Real)) {
  return [=](Real angle) {
    const Real a = index(angle * parts) / parts;
    return std::pair(std::cos(a), std::sin(a));
  };
}

}  // namespace

std::vector<RotationForm> reduced_angles(const Rotary& truth) {
  std::vector<RotationForm> out;
  for (const ShortPi& pi : short_pis)
    if (pi.is_short()) out.push_back(by_short_pi(truth, pi));
  return out;
}

std::vector<ReducedAngles> finely_reduced_angles(const Rotary& truth) {
  std::vector<ReducedAngles> out;
  for (const ShortPi& pi : short_pis)
    if (!pi.is_short())
      out.push_back({by_short_pi(truth, pi), with_cosine_and_sine(truth, [turn = pi.turn()](Real angle) {
                       const Real a = angle * (2 * std::numbers::pi_v<Real> / turn);
                       return std::pair(std::cos(a), std::sin(a));
                     })});
  return out;
}

std::vector<RotationForm> limited_angles(const Rotary& truth, Position first_wrong) {
  double fastest = 0;
  for (const Pair& pair : truth.pairs) fastest = std::max(fastest, std::abs(pair.frequency));
  const Real limit = fastest * Real(first_wrong);
  if (!(limit >= 1)) return {};
  const std::string number_of = number(static_cast<double>(limit), 1e-6);
  const auto of = [&](std::string words, const Function<Real(Real)>& other) {
    return RotationForm{std::move(words), with_cosine_and_sine(truth, [other](Real angle) {
                          const Real a = other(angle);
                          return std::pair(std::cos(a), std::sin(a));
                        })};
  };
  const Real last = fastest * Real(first_wrong - 1);
  return {of(fmt::format("angles are taken modulo {}, which is no whole number of turns", number_of),
             [limit](Real a) { return std::fmod(a, limit); }),
          of(fmt::format("angles past {0} count as {0}", number(static_cast<double>(last), 1e-6)),
             [last](Real a) { return std::clamp(a, -last, last); })};
}

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
  std::vector<double> parts = {100, 1000, 10000, 100000, 1000000};
  for (int bits = 4; bits <= 20; ++bits) parts.push_back(std::ldexp(1, bits));
  for (const double one : parts) {
    const std::string step = fmt::format("multiples of 1/{:.0f}", one);
    add("angles are rounded to " + step, in_parts(one, &std::round));
    add("angles are rounded down to " + step, in_parts(one, &std::floor));
    add("angles are rounded towards 0 to " + step, in_parts(one, &std::trunc));
  }
  return out;
}

}  // namespace posproof
