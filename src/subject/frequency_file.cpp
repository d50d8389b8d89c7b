#include "subject/frequency_file.h"

#include <fmt/format.h>

#include <cmath>
#include <memory>
#include <utility>
#include <vector>

#include "core/rotation.h"
#include "subject/dtype.h"

namespace posproof {
namespace {

// Those that would rotate if no pair were left out, behind the others, in the same layout.
std::vector<Pair> left_out(const Rotary& declared) {
  std::vector<bool> rotates(declared.dim, false);
  for (const Pair& pair : declared.pairs) rotates[pair.first] = rotates[pair.second] = true;
  std::vector<std::size_t> rest;
  for (std::size_t channel = 0; channel < declared.dim; ++channel)
    if (!rotates[channel]) rest.push_back(channel);
  const bool neighbours =
      !declared.pairs.empty() && declared.pairs.front().second == declared.pairs.front().first + 1;
  const std::size_t half = rest.size() / 2;
  std::vector<Pair> out;
  for (std::size_t i = 0; i < half; ++i)
    out.push_back({.first = rest[neighbours ? 2 * i : i],
                   .second = rest[neighbours ? 2 * i + 1 : i + half],
                   .frequency = 0,
                   .index = declared.pairs.size() + i});
  return out;
}

// Rotates by them.
struct Rotating {
  Rotary declared;
  std::vector<double> frequencies;                // of each declared pair
  std::vector<std::pair<Pair, double>> left_out;  // of those that ought to stand still

  Tensor rotated(const Tensor& x, const Positions& positions, Role role) const {
    check_rotation(x, positions, declared.heads, declared.dim);
    Tensor out = x;
    const std::size_t n = x.shape[2];
    for (std::size_t token = 0; token < positions.size(); ++token)
      for (std::size_t p = 0; p < frequencies.size(); ++p) {
        const Pair& pair = declared.pairs[p];
        const double position = positions.at(token);
        const long double angle = static_cast<long double>(position) * frequencies[p],
                          size = static_cast<long double>(declared.amplitude) *
                                 (declared.stretch ? declared.stretch(pair, position, role) : 1),
                          c = size * std::cos(angle), s = size * std::sin(angle);
        rotate(out, token / n, token % n, pair, c, s);
      }
    for (std::size_t token = 0; token < positions.size(); ++token)
      for (const auto& [pair, frequency] : left_out) {
        const long double angle = static_cast<long double>(positions.at(token)) * frequency;
        rotate(out, token / n, token % n, pair, std::cos(angle), std::sin(angle));
      }
    return in_order(declared, std::move(out));
  }

 private:
  void rotate(Tensor& x, std::size_t row, std::size_t token, const Pair& pair, long double c,
              long double s) const {
    for (std::size_t head = 0; head < declared.heads; ++head) {
      const auto channels = x.row((row * declared.heads + head) * x.shape[2] + token);
      const double first = channels[pair.first], second = channels[pair.second];
      channels[pair.first] = static_cast<double>(first * c - second * s);
      channels[pair.second] = static_cast<double>(first * s + second * c);
    }
  }
};

}  // namespace

bool are_frequencies(const Array& array, const Rotary& declared) {
  return array.shape.size() == 1 && !array.complex && !array.empty() &&
         (array.shape.front() == declared.pairs.size() || 2 * array.shape.front() == declared.dim);
}

Subject open_frequencies(const Words& words, const Array& array, const Rotary& declared,
                         const Expected& expected) {
  if (declared.positions.axes > 1 || declared.in_call || declared.error)
    throw std::invalid_argument(fmt::format(
        "{}: {} holds a frequency for each pair; those of `{}` with {} {}; allowed: a cache of cosines and sines",
        array.path, text(array.shape), expected.encoding, expected.parameters.text(),
        declared.in_call ? "depend on the length of the call" : "are sums over several axes"));
  std::vector<double> in_file(array.width());
  array.row(0, in_file);
  Rotating by{declared, {}, {}};
  for (const Pair& pair : declared.pairs)
    by.frequencies.push_back(std::copysign(1.0, pair.frequency) * in_file[pair.index]);
  if (in_file.size() > declared.pairs.size())
    for (const Pair& pair : left_out(declared))
      if (in_file[pair.index] != 0) by.left_out.emplace_back(pair, in_file[pair.index]);
  const Dtype dtype = posproof::dtype(array.format);
  Rotary rotary = declared;
  rotary.rotate = [by = std::make_shared<const Rotating>(std::move(by))](
                      const Tensor& x, const Positions& positions, Role role) {
    return by->rotated(x, positions, role);
  };
  return {
      .name = "",
      .description = fmt::format("{} in {}, a frequency for each pair", text(array.shape), name(dtype)),
      .encoding = std::move(rotary),
      // In fewer digits than f32 they are wrong by more than a turn soon: no format allows that.
      .precision =
          words.precision.value_or(Precision::parse(array.format == Format::f64 ? "f64" : "f64/f32")),
      .live = false,
  };
}

}  // namespace posproof
