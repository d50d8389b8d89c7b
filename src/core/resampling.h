#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include "core/precision.h"

// How one axis of a table is resized: which of its entries a new one is made of, and with which weights.
namespace posproof::resampling {

enum class Method { linear, cubic, first, centre };

struct Axis {
  std::size_t before, after;
  Method method;
  bool align_corners, antialias;
  long double coefficient;  // of the cubic
  long double more;         // added to `after` where steps are computed
};

struct Tap {
  std::size_t index;
  long double weight;
  long double error = 0;  // of the weight, in units
};

// Entries of the old axis that one of the new one is further on.
inline long double step(const Axis& a) {
  const auto before = static_cast<long double>(a.before), after = static_cast<long double>(a.after);
  if (a.align_corners) return a.after > 1 ? (before - 1) / (after - 1) : 0;
  return before / (after + a.more);
}

// Where entry n lies on the old axis. Without aligned corners entries are squares, and it is their middles
// that lie on each other. A wide filter takes them for squares in any case, as PyTorch has it.
inline long double coordinate(const Axis& a, std::size_t n) {
  const auto at = static_cast<long double>(n);
  return a.align_corners && !a.antialias ? step(a) * at : step(a) * (at + 0.5L) - 0.5L;
}

// By how much rounding may put it off, in units of its format: the step is a quotient (and a sum in its
// divisor), times the entry, less a half.
inline long double coordinate_error(const Axis& a, std::size_t n) {
  return (std::abs(coordinate(a, n)) + 0.5L) * (a.more == 0 ? 3 : 5);
}

// A value and what its roundings come to, in units.
struct Rounded {
  long double value, error;
};
inline Rounded exactly(long double value) {
  return {value, 0};
}
inline Rounded operator+(Rounded a, Rounded b) {
  const long double sum = a.value + b.value;
  return {sum, a.error + b.error + std::abs(sum)};
}
inline Rounded operator*(Rounded a, Rounded b) {
  const long double product = a.value * b.value;
  return {product, a.error * std::abs(b.value) + b.error * std::abs(a.value) + std::abs(product)};
}

// Keys 1981, Cubic convolution interpolation for digital image processing, eq. 15, in Horner's form.
inline Rounded cubic(Rounded x, long double a) {
  if (x.value <= 1) return (exactly(a + 2) * x + exactly(-(a + 3))) * x * x + exactly(1);
  if (x.value < 2) return ((exactly(a) * x + exactly(-5 * a)) * x + exactly(8 * a)) * x + exactly(-4 * a);
  return exactly(0);
}

// At a distance that carries so many roundings.
inline Rounded filter(const Axis& a, long double distance, long double roundings) {
  const Rounded x{std::abs(distance), roundings * std::abs(distance)};
  if (a.method == Method::cubic) return cubic(x, a.coefficient);
  return x.value < 1 ? exactly(1) + Rounded{-x.value, x.error} : exactly(0);
}

// Weights of the entries next to it; past the end stands the last one again.
inline std::vector<Tap> between(const Axis& a, long double at) {
  const int reach = a.method == Method::cubic ? 2 : 1;
  const long double base = std::floor(at);
  std::vector<Tap> out;
  for (int k = 1 - reach; k <= reach; ++k) {
    const long double index = std::clamp(base + k, 0.0L, static_cast<long double>(a.before - 1));
    const Rounded weight = filter(a, at - (base + k), 1);
    out.push_back({static_cast<std::size_t>(index), weight.value, weight.error});
  }
  return out;
}

// A filter as wide as the step, where that is more than 1, over the entries that there are; their weights
// add up to 1.
inline std::vector<Tap> averaged(const Axis& a, long double at) {
  const long double scale = std::max(1.0L, step(a)), reach = (a.method == Method::cubic ? 2 : 1) * scale;
  std::vector<Tap> out;
  long double sum = 0;
  for (std::size_t index = 0; index < a.before; ++index) {
    const long double distance = static_cast<long double>(index) - at;
    if (std::abs(distance) >= reach) continue;
    const Rounded weight = filter(a, distance / scale, 2);
    out.push_back({index, weight.value, weight.error});
    sum += weight.value;
  }
  const auto terms = static_cast<long double>(out.size());
  for (Tap& tap : out) {
    tap.weight /= sum;
    tap.error = tap.error / sum + (terms + 1) * std::abs(tap.weight);
  }
  return out;
}

// Whether entries are made of others, not copied.
inline bool filters(const Axis& a) {
  return a.method == Method::linear || a.method == Method::cubic;
}

// Of entry n, at a coordinate that is off by so much.
inline std::vector<Tap> taps(const Axis& a, std::size_t n, long double off = 0) {
  if (a.method == Method::first) return {{n, 1}};
  if (a.method == Method::centre) return {{n + (a.before - a.after) / 2, 1}};
  const long double at = coordinate(a, n) + off;
  if (a.antialias) return averaged(a, at);
  return between(a, a.method == Method::linear ? std::max(at, 0.0L) : at);
}

// Both axes of a trained grid, row by row, of which `trained(row, channel)` is an entry.
template <class Trained>
struct Grid {
  Axis vertical, horizontal;
  Trained trained;

  std::size_t rows() const { return vertical.after * horizontal.after; }
  std::vector<Tap> down(std::size_t row, long double off = 0) const {
    return taps(vertical, row / horizontal.after, off);
  }
  std::vector<Tap> across(std::size_t row, long double off = 0) const {
    return taps(horizontal, row % horizontal.after, off);
  }

  // What the taps make of a channel, `each` of every two of them and their entry.
  template <class Each>
  long double sum(const std::vector<Tap>& ys, const std::vector<Tap>& xs, std::size_t channel,
                  Each each) const {
    long double out = 0;
    for (const Tap& y : ys)
      for (const Tap& x : xs) out += each(y, x, trained(y.index * horizontal.before + x.index, channel));
    return out;
  }

  long double value(const std::vector<Tap>& ys, const std::vector<Tap>& xs, std::size_t channel) const {
    return sum(ys, xs, channel,
               [](const Tap& y, const Tap& x, double entry) { return y.weight * x.weight * entry; });
  }

  // What coordinates that are off move the entry by, looked up at both sides: the filters have no steps.
  long double moved(std::size_t row, std::size_t channel, double unit) const {
    const long double off_y = unit * coordinate_error(vertical, row / horizontal.after),
                      off_x = unit * coordinate_error(horizontal, row % horizontal.after);
    const long double here = value(down(row), across(row), channel);
    const auto by = [&](long double y, long double x) {
      return std::abs(value(down(row, y), across(row, x), channel) - here);
    };
    return std::max(by(off_y, 0), by(-off_y, 0)) + std::max(by(0, off_x), by(0, -off_x));
  }

  // Bound of |entry - exact|. An entry that is copied is rounded once where it is kept and once where it is
  // given. Of one that is made of others: what its coordinates are off by moves it; each weight carries the
  // roundings of its filter; each term those of the trained number, of a product with either weight and of
  // the sums of both axes; and the result is rounded.
  double error(std::size_t row, std::size_t channel, double entry, const Precision& p) const {
    if (!filters(vertical)) return 2 * p.result * std::abs(entry);
    const auto ys = down(row), xs = across(row);
    const auto roundings = static_cast<long double>(ys.size() + xs.size());
    const long double terms = sum(ys, xs, channel, [&](const Tap& y, const Tap& x, double trained_entry) {
      const long double weights = y.error * std::abs(x.weight) + x.error * std::abs(y.weight);
      const long double size = std::abs(y.weight * x.weight);
      return std::abs(trained_entry) * (weights * p.angle + size * (p.table() + roundings * p.work()));
    });
    return static_cast<double>(moved(row, channel, p.angle) + terms) + p.result * std::abs(entry);
  }
};
template <class Trained>
Grid(Axis, Axis, Trained) -> Grid<Trained>;

}  // namespace posproof::resampling
