#pragma once

#include <algorithm>
#include <cmath>
#include <functional>
#include <span>
#include <vector>

#include "core/error.h"
#include "core/precision.h"

// How far rounding may put the entries of biases that are no slope times a distance and no entry of a table.
// The references and the oracles declare the same bounds; what they have in common is here, and no values.
namespace posproof::bias_bounds {

using Error = std::function<double(std::size_t head, std::span<const double> query,
                                   std::span<const double> key, double entry, const Precision& precision)>;

// A parameter is kept in the table's format, 1 unit; products and sums are formed in the work's, and a
// library works there, within 1 ulp, 2 units; an answer in a narrower format is rounded once more.
struct Units {
  double kept, work, narrowed;

  explicit Units(const Precision& p)
      : kept(p.table()), work(p.work()), narrowed(p.result > p.work() ? p.result : 0) {}
};

inline double distance_of(std::span<const double> query, std::span<const double> key, bool causal) {
  return causal ? std::max(query[0] - key[0], 0.0) : std::abs(query[0] - key[0]);
}

// ln(1 + y), y being off by `relative`: that counts y / (1 + y) in the logarithm. The sum 1 + y, which some
// form, is off by 1 unit of itself, and so the logarithm by 1 unit of 1; the logarithm's own are 2 units of
// itself. Of 0 everything is exact.
inline double logarithm_error(double y, double relative, const Units& u) {
  if (y == 0) return 0;
  return (std::isinf(y) ? 1 : y / (1 + y)) * relative + u.work + 2 * u.work * std::log1p(y);
}

// A power D^r, relatively. It is one power of the library, or one exponential of a product: 2 units for that,
// and those of its exponent r ln D, which carries 3 roundings (the logarithm within 1 ulp, the product) and
// what r loses when it is kept. A distance that the format cannot hold is off by 1 unit, its power by r.
inline double power_of_distance_error(double distance, double r, const Units& u) {
  return 2 * u.work + r * std::log(distance) * (3 * u.work + u.kept) + r * u.work;
}

// Of slopes times a distance, but for keys after the query, whose distance is moved on by an offset and
// multiplied by a factor that is kept: a sum, a product and the factor's own on top of what a slope's entry
// is off by.
inline Error of_asymmetric_slopes(const std::vector<double>& slopes) {
  return [declared = Bias{.heads = slopes.size(), .slopes = slopes}](
             std::size_t head, std::span<const double> query, std::span<const double> key, double entry,
             const Precision& p) {
    const Units u(p);
    const double more = key[0] > query[0] ? 2 * u.work + u.kept : 0;
    return bias_error(p, entry, declared, head) + more * std::abs(entry);
  };
}

enum class Kernel { log, power, log_power };

// Of -r1 f one head's parameters: f is ln(1 + r2 D), D^r2 or ln(1 + r2 D^exponent).
struct KerpleHead {
  Kernel kernel;
  double r1, r2, exponent;
};

// An entry is off, relatively, by what r1 loses when it is kept, the product with it and the rounding of the
// answer, and by what f loses. y = r2 D or r2 D^r is off by what r2 loses, the product, and what the distance
// or the power loses.
inline double kerple_error(const KerpleHead& head, double distance, double entry, const Precision& p) {
  if (distance == 0) return 0;
  const Units u(p);
  const double around = (u.kept + u.work + u.narrowed) * std::abs(entry);
  if (head.kernel == Kernel::power)
    return around + std::abs(entry) * power_of_distance_error(distance, head.r2, u);
  const bool plain = head.kernel == Kernel::log;
  const double y = head.r2 * (plain ? distance : std::pow(distance, head.exponent));
  const double of_distance = plain ? u.work : power_of_distance_error(distance, head.exponent, u);
  return around + head.r1 * logarithm_error(y, u.kept + u.work + of_distance, u);
}

inline Error of_kerple(const std::vector<KerpleHead>& heads, bool causal) {
  return [heads, causal](std::size_t head, std::span<const double> query, std::span<const double> key,
                         double entry, const Precision& p) {
    return kerple_error(heads[head], distance_of(query, key, causal), entry, p);
  };
}

// Sandwich's sum_n cos(w_n D), centred or not, over `ratio`. Each cosine as a table of sinusoids has it
// (core/error.h: the angle, and 4 units of the library's format), and a sum of n terms that is never above n,
// which is rounded n - 1 times. The difference with the centre, the ratio and the quotient round once each,
// and so does the answer.
inline double sandwich_error(const std::vector<double>& frequencies, double ratio, double distance,
                             double entry, const Precision& p) {
  const Units u(p);
  const auto n = static_cast<double>(frequencies.size());
  double error = (n - 1) * n * u.work;
  for (std::size_t i = 0; i < frequencies.size(); ++i)
    error += sine_error(p, distance, {0, 0, frequencies[i], i});
  return error / ratio + std::abs(entry) * (3 * u.work + u.narrowed);
}

inline Error of_sandwich(const std::vector<double>& frequencies, std::size_t heads, bool causal) {
  return [=](std::size_t head, std::span<const double> query, std::span<const double> key, double entry,
             const Precision& p) {
    const double ratio = 8 * static_cast<double>(head + 1) / static_cast<double>(heads);
    return sandwich_error(frequencies, ratio, distance_of(query, key, causal), entry, p);
  };
}

// FIRE's perceptron of one hidden layer, its numbers one after another: weights and biases of the hidden
// layer, for each head its weights, and the heads' biases.
struct Fire {
  double c, threshold, epsilon;
  std::size_t width, heads;
  std::vector<double> numbers;

  double of_input(double query, double distance, const Units& u) const;
  double operator()(std::size_t head, double query, double distance, double entry, const Precision& p) const;

  double normalizer(double query) const { return std::log1p(c * std::max(query, threshold)) + epsilon; }
};

// psi(x) = ln(c x + 1): c x is off by what c loses, the product, and what the distance or the threshold
// loses. The sum with epsilon and the quotient round once.
inline double Fire::of_input(double query, double distance, const Units& u) const {
  if (distance == 0) return 0;
  const double below = normalizer(query), x = std::log1p(c * distance) / below;
  const double of_above = logarithm_error(c * distance, u.kept + 2 * u.work, u);
  const double of_below =
      logarithm_error(c * std::max(query, threshold), u.kept + u.work + std::max(u.kept, u.work), u) +
      u.work * below;
  return (of_above + x * of_below) / below + u.work * x;
}

// Of the input x, off by `of_x`: a hidden unit is off by what its weight makes of that, by what weight and
// bias lose when they are kept, by a product and by a sum; one that is below 0 by more than that stays 0. Of
// the last layer each term is off by its weight times that, by its weight's own and by a product, and a sum
// of n + 1 terms is rounded n times.
inline double Fire::operator()(std::size_t head, double query, double distance, double entry,
                               const Precision& p) const {
  const Units u(p);
  const double x = std::log1p(c * distance) / normalizer(query), of_x = of_input(query, distance, u);
  const double last = std::abs(numbers[(2 + heads) * width + head]);
  double size = last, error = u.kept * last + u.narrowed * std::abs(entry);
  for (std::size_t k = 0; k < width; ++k) {
    const double product = numbers[k] * x, sum = product + numbers[width + k];
    const double of_hidden = std::abs(numbers[k]) * of_x + (u.kept + u.work) * std::abs(product) +
                             u.kept * std::abs(numbers[width + k]) + u.work * std::abs(sum);
    if (sum < -of_hidden) continue;
    const double weight = std::abs(numbers[(2 + head) * width + k]), hidden = std::max(sum, 0.0);
    error += weight * (of_hidden + hidden * (u.kept + u.work));
    size += weight * hidden;
  }
  return error + static_cast<double>(width) * u.work * size;
}

inline Error of_fire(const Fire& fire) {
  return [fire](std::size_t head, std::span<const double> query, std::span<const double> key, double entry,
                const Precision& p) { return fire(head, query[0], distance_of(query, key, true), entry, p); };
}

}  // namespace posproof::bias_bounds
