#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <memory>
#include <mutex>
#include <numbers>
#include <optional>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/error.h"
#include "core/function.h"
#include "core/precision.h"
#include "core/term.h"

// How far rounding may put the entries of biases that are no slope times a distance and no entry of a table.
// The references and the oracles declare the same bounds; what they have in common is here, and no values.
namespace posproof::bias_bounds {

using Error = Function<double(std::size_t head, std::span<const double> query, std::span<const double> key,
                              double entry, const Precision& precision)>;

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

  bool operator==(const KerpleHead&) const = default;
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

// Sandwich's sum of n cosines, of the distance or of two rows.
//   Of the distance, sum cos(w_n D): each cosine is off as an entry of a table of sinusoids is
//   (core/error.h), and a sum of n terms that is never above n is rounded n - 1 times. Of the rows at s and
//   t, sum cos(w_n s) cos(w_n t) + sin(w_n s) sin(w_n t): both angles are of one frequency, whose error
//   counts for the distance, and each is rounded, unless the rows are one; what the entries lose beside that,
//   e for either of a pair, makes sqrt 2 e for each row, by Cauchy and Schwarz; the products, of which two
//   are 1 together, round n units, and 2n terms are added.
inline double cosines_error(const std::vector<double>& frequencies, double s, double t, double distance,
                            const Precision& p) {
  const double n = static_cast<double>(frequencies.size()), work = Units(p).work;
  double of_distance = (n - 1) * n * work, of_rows = n * work + (2 * n - 1) * n * work;
  for (std::size_t i = 0; i < frequencies.size(); ++i) {
    const Pair pair{0, 0, frequencies[i], i};
    of_distance += sine_error(p, distance, pair);
    of_rows += 2 * std::numbers::sqrt2 * sine_error(p, 0, pair);
    if (s != t)
      of_rows += angle_error(p, distance, pair) + angle_rounding(p, s, pair) + angle_rounding(p, t, pair);
  }
  return std::max(of_distance, of_rows);
}

// The same of one query and one key, made once for all heads: a call asks head by head. Of one precision at a
// time, and of the scales of terms that hold.
class CosinesErrors {
 public:
  explicit CosinesErrors(std::vector<double> frequencies) : of_(std::make_shared<Of>()) {
    of_->frequencies = std::move(frequencies);
  }
  double operator()(double s, double t, double distance, const Precision& p) const {
    const std::lock_guard held(of_->lock);
    if (!(of_->precision == p) || of_->scales != terms::scales.of || of_->errors.size() >= most) {
      of_->errors.clear();
      of_->precision = p, of_->scales = terms::scales.of;
    }
    const auto [at, is_new] = of_->errors.try_emplace({s, t});
    if (is_new) at->second = cosines_error(of_->frequencies, s, t, distance, p);
    return at->second;
  }

 private:
  static constexpr std::size_t most = std::size_t{1} << 17;
  struct Hash {
    std::size_t operator()(const std::pair<double, double>& at) const {
      return std::hash<double>()(at.first) * 31 + std::hash<double>()(at.second);
    }
  };
  struct Of {
    std::vector<double> frequencies = {};
    std::mutex lock = {};
    std::optional<Precision> precision = {};
    std::array<double, term_names.size()> scales = {};
    std::unordered_map<std::pair<double, double>, double, Hash> errors = {};
  };
  std::shared_ptr<Of> of_;
};

// The sum, centred or not, over a ratio: the difference with the centre, the ratio and the quotient round
// once each, and so does the answer.
inline Error of_sandwich(const std::vector<double>& frequencies, std::size_t heads, bool causal) {
  return [errors = CosinesErrors(frequencies), heads, causal](std::size_t head, std::span<const double> query,
                                                              std::span<const double> key, double entry,
                                                              const Precision& p) {
    const Units u(p);
    const double ratio = 8 * static_cast<double>(head + 1) / static_cast<double>(heads);
    return errors(query[0], key[0], distance_of(query, key, causal), p) / ratio +
           std::abs(entry) * (3 * u.work + u.narrowed);
  };
}

// A perceptron of one hidden layer with max(., 0), its numbers one after another: the hidden layer's weights
// [width, inputs] and biases, for each head its weights, and the heads' biases where they have some.
struct Perceptron {
  std::size_t inputs, width, heads;
  bool biased;  // the last layer
  std::vector<double> numbers = {};

  std::size_t count() const { return (inputs + 1 + heads) * width + (biased ? heads : 0); }
  double weight(std::size_t unit, std::size_t input) const { return numbers[unit * inputs + input]; }
  double bias(std::size_t unit) const { return numbers[inputs * width + unit]; }
  double last_weight(std::size_t head, std::size_t unit) const {
    return numbers[(inputs + 1 + head) * width + unit];
  }
  double last_bias(std::size_t head) const {
    return biased ? numbers[(inputs + 1 + heads) * width + head] : 0;
  }

  double output(std::size_t head, std::span<const double> x) const;
  // How far an output may be off, of inputs `x` that are off by `of_x`.
  double error(std::size_t head, std::span<const double> x, std::span<const double> of_x,
               const Units& u) const;
};

inline double Perceptron::output(std::size_t head, std::span<const double> x) const {
  double out = last_bias(head);
  for (std::size_t k = 0; k < width; ++k) {
    double hidden = bias(k);
    for (std::size_t i = 0; i < inputs; ++i) hidden += weight(k, i) * x[i];
    out += last_weight(head, k) * std::max(hidden, 0.0);
  }
  return out;
}

// A hidden unit is off by what its weights make of the inputs' errors, by what weights and bias lose when
// they are kept, by a product each and by the sums: the last is rounded at its own size, one before it is
// never larger than all terms together. One that is below 0 by more than that stays 0. Of the last layer each
// term is off by its weight times that, by its weight's own and by a product, and a sum of n + 1 terms is
// rounded n times.
inline double Perceptron::error(std::size_t head, std::span<const double> x, std::span<const double> of_x,
                                const Units& u) const {
  double size = std::abs(last_bias(head)), error = u.kept * size;
  for (std::size_t k = 0; k < width; ++k) {
    double sum = bias(k), terms = std::abs(sum), of_hidden = u.kept * terms;
    for (std::size_t i = 0; i < inputs; ++i) {
      const double product = weight(k, i) * x[i];
      sum += product, terms += std::abs(product);
      of_hidden += std::abs(weight(k, i)) * of_x[i] + (u.kept + u.work) * std::abs(product);
    }
    of_hidden += u.work * (std::abs(sum) + static_cast<double>(inputs - 1) * terms);
    if (sum < -of_hidden) continue;
    const double last = std::abs(last_weight(head, k)), hidden = std::max(sum, 0.0);
    error += last * (of_hidden + hidden * (u.kept + u.work));
    size += last * hidden;
  }
  return error + static_cast<double>(width) * u.work * size;
}

// FIRE's perceptron, of one input.
struct Fire {
  double c, threshold, epsilon;
  Perceptron layers;

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

inline double Fire::operator()(std::size_t head, double query, double distance, double entry,
                               const Precision& p) const {
  const Units u(p);
  const double x = std::log1p(c * distance) / normalizer(query), of_x = of_input(query, distance, u);
  return layers.error(head, {&x, 1}, {&of_x, 1}, u) + u.narrowed * std::abs(entry);
}

inline Error of_fire(const Fire& fire) {
  return [fire](std::size_t head, std::span<const double> query, std::span<const double> key, double entry,
                const Precision& p) { return fire(head, query[0], distance_of(query, key, true), entry, p); };
}

// What becomes of the z that a perceptron gives: 16 / (1 + e^-z), 4 tanh(z), or z.
enum class Limit { sigmoid, tanh, none };

// Swin V2's bias of a window: a perceptron of two coordinates, of rows and of columns.
struct LogCpb {
  std::vector<double>
      below;    // what the offsets along each axis are divided by, 8 times over; none: as they are
  double base;  // of their logarithm
  Limit limit;
  bool class_token;  // a token with a negative number, all of whose entries are 0
  Perceptron layers;

  bool is_of_class(std::span<const double> query, std::span<const double> key) const {
    const auto negative = [](double number) { return number < 0; };
    return class_token && (std::ranges::any_of(query, negative) || std::ranges::any_of(key, negative));
  }

  double operator()(std::size_t head, std::span<const double> query, std::span<const double> key,
                    double entry, const Precision& p) const;
  double inside(double offset, std::size_t axis) const {
    return below.empty() ? std::abs(offset) : 8 * std::abs(offset) / below[axis];
  }
  double divisor() const { return below.empty() ? 1 : std::log(base); }
  double coordinate(double offset, std::size_t axis) const {
    return std::copysign(std::log1p(inside(offset, axis)) / divisor(), offset);
  }
  double of_coordinate(double offset, std::size_t axis, const Units& u) const;
};

// Offset and divisor are whole numbers, rounded where the format cannot hold them; the quotient is rounded,
// or a reciprocal and its product are, and 8 is a power of 2: 2 units. A logarithm is divided by that of the
// base, 8 or 9: 1 unit for the quotient, 2 for a logarithm of 8 that is not 3, or of 9. The coordinate is a
// buffer, kept in the table's format where that is narrower.
inline double LogCpb::of_coordinate(double offset, std::size_t axis, const Units& u) const {
  const auto rounded = [&](double whole) { return std::abs(whole) * u.work > 1 ? u.work : 0; };
  const double x = std::abs(coordinate(offset, axis)), kept = u.kept > u.work ? u.kept * x : 0;
  if (below.empty()) return logarithm_error(inside(offset, axis), rounded(offset), u) + kept;
  const double quotient = rounded(offset) + rounded(below[axis]) + 2 * u.work;
  return logarithm_error(inside(offset, axis), quotient, u) / divisor() + 3 * u.work * x + kept;
}

// Of s = 1 / (1 + e^-z), z being off by `of_z`. The slope s (1 - s) is at most 1/4, and e^d times as large at
// most within d of z. The library's s is an exponential within 1 ulp, which counts 1 - s of its 2 units, a
// sum and a quotient: 4 units of s; or (1 + tanh(z / 2)) / 2, the tanh within 2 units of itself and the sum
// rounded: |tanh| + s units of 1.
inline double sigmoid_error(double z, double of_z, const Units& u) {
  const double s = 1 / (1 + std::exp(-z)), slope = s / (1 + std::exp(z));
  const double carried = std::min(of_z / 4, slope * std::expm1(of_z));
  return carried + u.work * std::max(4 * s, std::abs(std::tanh(z / 2)) + s);
}

// Of tanh(z), z being off by `of_z`. The slope 1 - tanh^2 is at most 1, and e^2d times as large at most
// within d of z. The library's is within 2 units of itself.
inline double tanh_error(double z, double of_z, const Units& u) {
  const double t = std::tanh(z), slope = 1 / (std::cosh(z) * std::cosh(z));
  return std::min(of_z, slope * std::expm1(2 * of_z) / 2) + 2 * u.work * std::abs(t);
}

// The factor 16 of the sigmoid is a power of 2, and so is the 4 of the tanh.
inline double LogCpb::operator()(std::size_t head, std::span<const double> query, std::span<const double> key,
                                 double entry, const Precision& p) const {
  if (is_of_class(query, key)) return 0;
  const Units u(p);
  std::vector<double> x, of_x;
  for (std::size_t axis = 0; axis < query.size(); ++axis) {
    x.push_back(coordinate(query[axis] - key[axis], axis));
    of_x.push_back(of_coordinate(query[axis] - key[axis], axis, u));
  }
  const double of_z = layers.error(head, x, of_x, u), narrowed = u.narrowed * std::abs(entry);
  switch (limit) {
    case Limit::sigmoid:
      return narrowed + 16 * sigmoid_error(layers.output(head, x), of_z, u);
    case Limit::tanh:
      return narrowed + 4 * tanh_error(layers.output(head, x), of_z, u);
    case Limit::none:
      break;
  }
  return narrowed + of_z;
}

}  // namespace posproof::bias_bounds
