#include "diagnosis/measured_phase.h"

#include <cmath>
#include <numbers>

namespace posproof {
namespace {

using Complex = std::complex<double>;

// What the phase gains over so many positions, beyond what is known already.
double gained(std::span<const Complex> values, std::size_t step, double known) {
  Complex sum = 0;
  for (std::size_t n = 0; n + step < values.size(); ++n) sum += values[n + step] * std::conj(values[n]);
  return std::arg(sum * std::polar(1.0, -known * static_cast<double>(step)));
}

}  // namespace

std::optional<Rotating> rotating(std::span<const Complex> values, Position first, const PhaseNoise& noise) {
  if (values.size() < 4) return std::nullopt;
  Rotating out{0, 0, 0, 0};
  std::size_t step = 1;
  for (; 2 * step < values.size() + 1; step *= 2)
    out.frequency += gained(values, step, out.frequency) / static_cast<double>(step);
  const auto start = static_cast<double>(first), last = start + static_cast<double>(values.size());
  const double most = noise(last, out.frequency);
  out.error = 2 * most / static_cast<double>(step / 2);
  Complex sum = 0;
  for (std::size_t n = 0; n < values.size(); ++n)
    sum += values[n] * std::polar(1.0, -out.frequency * (start + static_cast<double>(n)));
  out.amplitude = std::abs(sum) / static_cast<double>(values.size());
  out.phase = std::arg(sum);
  for (std::size_t n = 0; n < values.size(); ++n) {
    const double t = start + static_cast<double>(n);
    if (!(std::abs(values[n] - out.at(t)) <= 4 * out.amplitude * noise(last, out.frequency)))
      return std::nullopt;
  }
  return out;
}

bool follow(Rotating& number, Position t, Complex value, const PhaseNoise& noise) {
  const auto at = static_cast<double>(t);
  const double own = 2 * noise(at, number.frequency), known = number.error * std::abs(at);
  const double off = std::arg(value * std::conj(number.at(at)));
  const bool as_long = std::abs(std::abs(value) - number.amplitude) <= 2 * own * number.amplitude;
  if (!as_long || !(std::abs(off) <= own + known) || own + known > std::numbers::pi / 2) return false;
  if (own / std::abs(at) >= number.error) return true;
  number.frequency += off / at;
  number.error = own / std::abs(at);
  return true;
}

}  // namespace posproof
