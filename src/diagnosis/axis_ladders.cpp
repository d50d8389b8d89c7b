#include "diagnosis/axis_ladders.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/error.h"
#include "diagnosis/ladder_deviations.h"
#include "diagnosis/measured_words.h"
#include "diagnosis/other_extents.h"
#include "diagnosis/steps_along.h"
#include "run/narrowed.h"

namespace posproof {
namespace {

using Sentences = std::vector<std::string>;

double within_half_a_rotation(double angle) {
  return std::remainder(angle, 2 * std::numbers::pi);
}

// The frequency of each pair, from its phases at steps along its number.
class Frequencies {
 public:
  Frequencies(const Table& subject, const Table& truth, const Precision& precision, const Domain& domain)
      : truth_(truth), precision_(precision), along_(steps_along(subject, domain, truth.dim)) {}

  std::optional<MeasuredFrequency> of(const Pair& pair) const {
    const StepsAlong::Axis& axis = along_.axes[pair.axis];
    const auto first = phase(0, pair);
    if (!first || axis.steps.empty()) return std::nullopt;
    double is = 0, error = 0;
    for (std::size_t n = 0; n < axis.steps.size(); ++n) {
      const double step = axis.steps[n];
      const auto there = phase(axis.first + n, pair);
      if (!there) return std::nullopt;
      const double expected = is * step, differs = within_half_a_rotation(*there - *first - expected);
      if (n > 0 && std::abs(differs) > error * step + noise(pair, is, axis.origin + step))
        return std::nullopt;
      is = (expected + differs) / step;
      error = noise(pair, is, axis.origin + step) / step;
    }
    // Else something other stands for the position.
    const double at_first = is * (axis.origin + truth_.offset);
    const double allowed = noise(pair, is, axis.origin) + error * std::abs(axis.origin + truth_.offset);
    if (!(std::abs(within_half_a_rotation(*first - at_first)) <= allowed)) return std::nullopt;
    return MeasuredFrequency{pair.frequency, is, error, angle_error(precision_, 1, pair)};
  }

 private:
  // Of the angles of two rows, the first and one at that position.
  double noise(Pair pair, double frequency, double position) const {
    pair.frequency = std::max(std::abs(frequency), pair.frequency);
    const double far = std::abs(position) + std::abs(truth_.offset);
    return 4 * (angle_error(precision_, far, pair) + sine_error(precision_, 0, pair) / truth_.amplitude);
  }

  // None where it is no point of the circle.
  std::optional<double> phase(std::size_t row, const Pair& pair) const {
    const double sine = along_.rows.at(row, pair.first), cosine = along_.rows.at(row, pair.second);
    if (!(std::abs(std::hypot(sine, cosine) / truth_.amplitude - 1) <= 1e-3)) return std::nullopt;
    return std::atan2(sine, cosine);
  }

  const Table& truth_;
  const Precision& precision_;
  StepsAlong along_;
};

// What 2i is divided by in the exponent.
double divisor(const std::vector<MeasuredFrequency>& pairs, double base) {
  if (pairs.size() < 2) return 2 * static_cast<double>(pairs.size());
  return std::round(2 * std::log(base) / std::log(pairs[0].declared / pairs[1].declared));
}

// Of the parameter that the ladder's powers are taken of.
std::string_view name_of_base(const Parameters& parameters) {
  return parameters.find("base") != nullptr ? "base" : "max_period";
}

Sentences sentences(const std::vector<MeasuredFrequency>& pairs, const Parameters& parameters) {
  const std::string_view name = name_of_base(parameters);
  const double base = parameters.real(name);
  Parameters as_base = parameters;
  as_base.set("base", base);
  Sentences out = ladder_deviations(pairs, as_base, divisor(pairs, base));
  if (name == "base") return out;
  constexpr std::string_view base_word = "base", of_a_logarithm = "to base";
  for (std::string& one : out)
    for (std::size_t at = 0; (at = one.find(base_word, at)) != std::string::npos; at += name.size())
      if (at < 3 || one.compare(at - 3, of_a_logarithm.size(), of_a_logarithm) != 0)
        one.replace(at, base_word.size(), name);
  return out;
}

// Every pair of an axis at the frequency that another extent of the grid gives it. What is added to extents,
// 1e-6, is less than what is looked at.
std::string by_another_extent(const std::vector<MeasuredFrequency>& pairs, const Parameters& parameters,
                              const Domain& domain, std::size_t axis) {
  return another_extent(parameters, domain, axis, [&](double factor) {
    return std::ranges::all_of(pairs, [factor](const MeasuredFrequency& pair) {
      return std::abs(pair.measured - factor * pair.declared) <=
             pair.error + (pair.allowed + 2e-6 * std::abs(pair.declared)) * std::max(1.0, factor);
    });
  });
}

Encoding corrected(const Table& truth, const std::vector<double>& frequencies) {
  Table out = truth;
  out.exact = nullptr;
  out.rows = [=, own = truth.rows, pairs = truth.pairs, offset = truth.offset, amplitude = truth.amplitude](
                 const Positions& positions, Position length) {
    Tensor to = own(positions, length);
    for (std::size_t r = 0; r < to.rows(); ++r)
      for (std::size_t i = 0; i < pairs.size(); ++i) {
        const long double angle =
            (static_cast<long double>(positions.at(r, pairs[i].axis)) + offset) * frequencies[i];
        to.at(r, pairs[i].first) = amplitude * static_cast<double>(std::sin(angle));
        to.at(r, pairs[i].second) = amplitude * static_cast<double>(std::cos(angle));
      }
    return to;
  };
  for (std::size_t i = 0; i < frequencies.size(); ++i)
    out.pairs[i].frequency = std::max(out.pairs[i].frequency, std::abs(frequencies[i]));
  return out;
}

}  // namespace

std::optional<Deviation> axis_ladders(const Table& subject, const Table& truth, const Parameters& parameters,
                                      const Precision& precision) {
  const Domain domain = overlap(subject.positions, truth.positions);
  if (domain.axes == 1 && !domain.real) return std::nullopt;
  if (truth.pairs.empty() || truth.lone || truth.error || truth.row_error) return std::nullopt;
  if (parameters.find(name_of_base(parameters)) == nullptr) return std::nullopt;
  for (std::size_t axis = 0; axis < domain.axes; ++axis)
    if (domain.last(axis) <= domain.lo) return std::nullopt;
  const Frequencies measured(subject, truth, precision, domain);
  std::vector<double> frequencies;
  std::vector<std::vector<MeasuredFrequency>> ladders(domain.axes);
  for (const Pair& pair : truth.pairs) {
    const auto one = measured.of(pair);
    if (!one) return std::nullopt;
    // What is declared within what is known is it.
    frequencies.push_back(one->differs() ? one->measured : one->declared);
    ladders[pair.axis].push_back(*one);
  }
  std::vector<Sentences> each;
  for (std::size_t axis = 0; axis < domain.axes; ++axis) {
    each.push_back(sentences(ladders[axis], with_base_of_axis(parameters, axis)));
    const std::string by = by_another_extent(ladders[axis], parameters, domain, axis);
    if (!each.back().empty() && !by.empty()) each.back() = {"positions are divided by " + by};
  }
  Sentences out;
  if (std::ranges::count(each, each.front()) == static_cast<std::ptrdiff_t>(each.size())) {
    out = each.front();
  } else {
    for (std::size_t axis = 0; axis < each.size(); ++axis)
      for (const std::string& one : each[axis])
        out.push_back(fmt::format("of the {}: {}", axis_name(axis, domain.axes), one));
  }
  if (out.empty()) return std::nullopt;
  return Deviation{std::move(out), corrected(truth, frequencies)};
}

}  // namespace posproof
