#include "diagnosis/position_deviations.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>
#include <utility>
#include <vector>

#include "core/call.h"
#include "core/error.h"
#include "diagnosis/identified_number.h"
#include "diagnosis/measured_words.h"
#include "diagnosis/other_extents.h"
#include "diagnosis/steps_along.h"
#include "run/narrowed.h"

namespace posproof {
namespace {

// What stands for a number of a position: factors of all numbers, and what is added.
struct Sum {
  std::vector<double> factors;
  double constant = 0;
  std::vector<double> errors = {};  // of the factors: how far rounding may have put what was measured

  long double at(const Positions& positions, std::size_t token) const {
    long double out = constant;
    for (std::size_t axis = 0; axis < factors.size(); ++axis)
      out += static_cast<long double>(factors[axis]) * positions.at(token, axis);
    return out;
  }
};

double within_half_a_rotation(double angle) {
  return std::remainder(angle, 2 * std::numbers::pi);
}

// A number and how far rounding may have put it.
struct Measured {
  double is, error;
};

// The simplest number that it may be: the declared one before another.
double chosen(const Measured& of, double declared) {
  for (const double known : {declared, 0.0})
    if (std::abs(of.is - known) <= of.error) return known;
  return simplest({of.is - of.error, of.is + of.error});
}

class Summing {
 public:
  Summing(const Table& subject, const Table& truth, const Precision& precision)
      : truth_(truth),
        precision_(precision),
        domain_(overlap(subject.positions, truth.positions)),
        along_(steps_along(subject, domain_, truth.dim)) {}

  // For each number of a position the sum that stands for it.
  std::optional<std::vector<Sum>> found() {
    std::vector<Sum> out;
    for (std::size_t axis = 0; axis < domain_.axes; ++axis) {
      auto sum = of_pairs(axis);
      if (!sum) return std::nullopt;
      out.push_back(std::move(*sum));
    }
    return out;
  }

 private:
  double noise(const Pair& pair, double number) const {
    return 2 * (angle_error(precision_, number, pair) + sine_error(precision_, 0, pair)) / truth_.amplitude;
  }

  double phase(std::size_t row, const Pair& pair) const {
    return std::atan2(along_.rows.at(row, pair.first), along_.rows.at(row, pair.second));
  }

  // The number that has the phases of a row: the one nearest to what is expected by the fastest pair, or,
  // without that, as the slowest pair says.
  std::optional<Measured> number(std::size_t row, const std::vector<Pair>& slow_first,
                                 std::optional<double> expected) const {
    double is = expected ? *expected : phase(row, slow_first.front()) / slow_first.front().frequency;
    const std::size_t from = expected ? slow_first.size() - 1 : 0;
    for (std::size_t n = from; n < slow_first.size(); ++n) {
      const double w = slow_first[n].frequency;
      is += within_half_a_rotation(phase(row, slow_first[n]) - w * is) / w;
    }
    const Pair& fastest = slow_first.back();
    const double error = 2 * noise(fastest, std::abs(is)) / fastest.frequency;
    for (const Pair& pair : slow_first) {
      const double size = std::hypot(along_.rows.at(row, pair.first), along_.rows.at(row, pair.second));
      const double off = within_half_a_rotation(phase(row, pair) - pair.frequency * is);
      if (!(std::abs(size / truth_.amplitude - 1) <= 1e-3)) return std::nullopt;
      if (!(std::abs(off) <= 2 * noise(pair, std::abs(is)) + pair.frequency * error)) return std::nullopt;
    }
    return Measured{is, error};
  }

  std::optional<Sum> of_pairs(std::size_t axis) const {
    std::vector<Pair> slow_first;
    for (const Pair& pair : truth_.pairs)
      if (pair.axis == axis) slow_first.push_back(pair);
    std::ranges::stable_sort(slow_first, {}, &Pair::frequency);
    if (slow_first.size() < 2 || !(slow_first.front().frequency > 0)) return std::nullopt;
    const auto first = number(0, slow_first, std::nullopt);
    if (!first) return std::nullopt;
    Sum out;
    Measured constant = *first;
    for (std::size_t other = 0; other < domain_.axes; ++other) {
      std::optional<Measured> factor;
      for (std::size_t n = 0; n < along_.axes[other].steps.size(); ++n) {
        const double step = along_.axes[other].steps[n];
        const auto there = number(along_.axes[other].first + n, slow_first,
                                  factor ? std::optional(first->is + factor->is * step) : std::nullopt);
        if (!there) return std::nullopt;
        factor = {(there->is - first->is) / step, (there->error + first->error) / step};
      }
      if (!factor) return std::nullopt;
      out.factors.push_back(chosen(*factor, other == axis ? 1 : 0));
      out.errors.push_back(factor->error);
      constant.is -= out.factors.back() * along_.axes[other].origin;
    }
    const bool is_declared = std::abs(constant.is - truth_.offset) <= constant.error;
    out.constant = is_declared ? truth_.offset : chosen(constant, truth_.offset * out.factors[axis]);
    return out;
  }

  const Table& truth_;
  const Precision& precision_;
  Domain domain_;
  StepsAlong along_;
};

// ---- words

std::string written(double value) {
  return number(value, 1e-6);
}

std::string name_of(std::size_t axis, const Domain& domain) {
  if (domain.real) return fmt::format("coordinate {}", axis);
  return fmt::format("the {}", axis_name(axis, domain.axes));
}

// `14 times the row and once the column, less 3`.
std::string words(const Sum& sum, const Domain& domain) {
  std::string out;
  for (std::size_t axis = 0; axis < sum.factors.size(); ++axis) {
    const double by = sum.factors[axis];
    if (by == 0) continue;
    const std::string many = by == 1 ? "once " : by == -1 ? "minus " : written(by) + " times ";
    out += (out.empty() ? "" : " and ") + many + name_of(axis, domain);
  }
  if (sum.constant != 0)
    out += fmt::format(", {} {}", sum.constant > 0 ? "and" : "less", written(std::abs(sum.constant)));
  return out;
}

// Of a factor, which is the simplest within the error of what was measured. What is added to extents, 1e-6,
// is less than what is looked at.
std::string why_multiplied(double factor, double error, const Parameters& parameters, const Domain& domain,
                           std::size_t axis) {
  const std::string by = another_extent(parameters, domain, axis, [=](double other) {
    return std::abs(factor - other) <= 2 * error + 2e-6 * std::abs(other);
  });
  return by.empty() ? "" : ": they are divided by " + by;
}

// Where no other number has a part in it; empty where nothing differs. `why` is said of a factor.
std::string of_itself(double factor, double constant, double offset, const std::string& why) {
  if (factor == 1 && constant == offset) return "";
  const double shift = constant - offset;
  if (factor == 1)
    return fmt::format("positions are {} {}", std::abs(shift) == 1 ? "one" : written(std::abs(shift)),
                       shift > 0 ? "ahead" : "behind");
  if (factor == 0) return fmt::format("every position counts as {}", written(constant));
  const bool all = std::abs(constant - factor * offset) <= 1e-6 * std::abs(constant);
  if (all)
    return factor == -1 ? "positions have the other sign"
                        : "positions are multiplied by " + written(factor) + why;
  return fmt::format("a position p counts as {} p {} {}", written(factor), constant < 0 ? "-" : "+",
                     written(std::abs(constant)));
}

std::vector<std::string> sentences(const std::vector<Sum>& sums, const Domain& domain, double offset,
                                   const Parameters& parameters) {
  std::vector<std::string> each;
  bool alone = true;
  for (std::size_t axis = 0; axis < sums.size(); ++axis) {
    for (std::size_t other = 0; other < sums.size(); ++other)
      alone = alone && (other == axis || sums[axis].factors[other] == 0);
    const double factor = sums[axis].factors[axis];
    each.push_back(of_itself(factor, sums[axis].constant, offset,
                             why_multiplied(factor, sums[axis].errors[axis], parameters, domain, axis)));
  }
  std::vector<std::string> out;
  if (alone && std::ranges::count(each, each.front()) == static_cast<std::ptrdiff_t>(each.size())) {
    if (!each.front().empty()) out.push_back(each.front());
    return out;
  }
  for (std::size_t axis = 0; axis < sums.size(); ++axis) {
    Sum declared{std::vector<double>(sums.size()), offset};
    declared.factors[axis] = 1;
    if (sums[axis].factors == declared.factors && sums[axis].constant == offset) continue;
    const std::string name = name_of(axis, domain);
    const auto only = std::ranges::count(sums[axis].factors, 0.0);
    const bool none = only == static_cast<std::ptrdiff_t>(sums.size());
    if (none || (only + 1 == static_cast<std::ptrdiff_t>(sums.size()) && sums[axis].factors[axis] != 0)) {
      out.push_back(fmt::format("of {}: {}", name, each[axis]));
      continue;
    }
    for (std::size_t other = 0; other < sums.size(); ++other)
      if (other != axis && sums[axis].factors[other] == 1 && sums[axis].constant == offset &&
          only + 1 == static_cast<std::ptrdiff_t>(sums.size()))
        out.push_back(fmt::format("{} stands for {}", name_of(other, domain), name));
    if (out.empty() || !out.back().ends_with("stands for " + name))
      out.push_back(fmt::format("{} stands for {}", words(sums[axis], domain), name));
  }
  return out;
}

Encoding corrected(const Table& truth, const std::vector<Sum>& sums) {
  Table out = truth;
  out.exact = nullptr;
  out.rows = [=, own = truth.rows, pairs = truth.pairs, amplitude = truth.amplitude](
                 const Positions& positions, Position length) {
    Tensor to = own(positions, length);
    for (std::size_t r = 0; r < to.rows(); ++r)
      for (const Pair& pair : pairs) {
        const long double angle = sums[pair.axis].at(positions, r) * pair.frequency;
        to.at(r, pair.first) = amplitude * static_cast<double>(std::sin(angle));
        to.at(r, pair.second) = amplitude * static_cast<double>(std::cos(angle));
      }
    return to;
  };
  // As far off as at the sum, which may be farther out.
  for (Pair& pair : out.pairs) {
    double more = 0;
    for (const double factor : sums[pair.axis].factors) more += std::abs(factor);
    pair.frequency *= std::max(1.0, more);
  }
  return out;
}

}  // namespace

std::optional<Deviation> position_deviation(const Table& subject, const Table& truth,
                                            const Parameters& parameters, const Precision& precision) {
  const Domain domain = overlap(subject.positions, truth.positions);
  if (truth.pairs.empty() || truth.lone || truth.error || truth.row_error) return std::nullopt;
  for (std::size_t axis = 0; axis < domain.axes; ++axis)
    if (domain.last(axis) <= domain.lo) return std::nullopt;
  const auto sums = Summing(subject, truth, precision).found();
  if (!sums) return std::nullopt;
  auto said = sentences(*sums, domain, truth.offset, parameters);
  if (said.empty()) return std::nullopt;
  return Deviation{std::move(said), corrected(truth, *sums)};
}

}  // namespace posproof
