#include "run/narrowed.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <stdexcept>

namespace posproof {
namespace {

// The largest magnitude at a position: of a bias, at that distance and at that key.
double largest_at(const Encoding& truth, Position t) {
  double most = 0;
  const auto grow = [&](const Tensor& values) {
    for (const double value : values.data) most = std::max(most, std::abs(value));
  };
  const std::array<Position, 1> here = {t}, origin = {0};
  if (const auto* table = std::get_if<Table>(&truth)) grow(table->rows(here, t + 1));
  if (const auto* bias = std::get_if<Bias>(&truth)) {
    grow(bias->bias(here, origin));
    grow(bias->bias(here, here));
    if (!bias->causal) grow(bias->bias(origin, here));
  }
  return most;
}

}  // namespace

Encoding narrowed(Encoding encoding, Position lo, Position hi) {
  const auto narrow = [&](Domain& domain) {
    if (std::max(domain.lo, lo) > std::min(domain.hi, hi))
      throw std::invalid_argument(fmt::format("positions {}:{} were asked for, {} {}:{}", lo, hi,
                                              domain.ends ? "the subject has" : "there are", domain.lo,
                                              domain.hi));
    domain.ends = domain.ends && hi >= domain.hi && lo <= domain.lo;
    domain.lo = std::max(domain.lo, lo);
    domain.hi = std::min(domain.hi, hi);
    std::erase_if(domain.hard, [&](Position t) { return t < domain.lo || t > domain.hi; });
  };
  std::visit(
      [&](auto& kind) {
        if constexpr (requires { kind.positions; }) narrow(kind.positions);
      },
      encoding);
  return encoding;
}

std::string not_covered(const std::pair<Position, Position>& asked, const Domain& compared) {
  if (asked.first >= compared.lo && asked.second <= compared.hi) return {};
  return fmt::format("positions {} to {} were asked for: those beyond {} to {} were not compared",
                     asked.first, asked.second, compared.lo, compared.hi);
}

void keep_within_f16(const Encoding& truth, const Precision& precision, Encoding& subject) {
  constexpr double largest = 65504;
  if (precision.result != unit_f16) return;
  const Encoding* own = &truth;
  if (std::holds_alternative<Rotary>(truth) || std::holds_alternative<Contextual>(truth)) return;
  std::visit(
      [own](auto& foreign) {
        if constexpr (requires { foreign.positions; }) {
          Domain& domain = foreign.positions;
          if (domain.lo != 0 || largest_at(*own, domain.hi) < largest) return;
          Position fits = 0, too_far = domain.hi;
          while (too_far - fits > 1) {
            const Position middle = fits + (too_far - fits) / 2;
            (largest_at(*own, middle) < largest ? fits : too_far) = middle;
          }
          domain = Domain(domain.lo, fits, domain.hard);
          std::erase_if(domain.hard, [fits](Position t) { return t > fits; });
        }
      },
      subject);
}

Domain overlap(const Domain& a, const Domain& b) {
  Domain both(std::max(a.lo, b.lo), std::min(a.hi, b.hi), b.hard);
  std::erase_if(both.hard, [&](Position t) { return t < both.lo || t > both.hi; });
  return both;
}

}  // namespace posproof
