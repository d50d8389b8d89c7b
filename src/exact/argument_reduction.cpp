#include "exact/argument_reduction.h"

#include <algorithm>
#include <optional>

#include "exact/ladder.h"
#include "exact/multiprecision.h"

namespace posproof::exact {
namespace {

Real quarter(mpfr_prec_t bits) {
  Real out(bits);
  mpfr_const_pi(out.x, MPFR_RNDN);
  mpfr_div_2ui(out.x, out.x, 1, MPFR_RNDN);
  return out;
}

// A convergent p/q of the continued fraction is closer to x, as |q x - p|, than any fraction with a smaller
// denominator, and no fraction is as close before the next one's denominator (Lagrange). So the last q below
// the limit is the closest position, unless its p is 0: then nothing came round.
std::optional<Position> last_denominator(const Real& frequency, Position limit) {
  const mpfr_prec_t bits = frequency.bits();
  Real rest(bits), whole(bits);
  mpfr_abs(rest.x, frequency.x, MPFR_RNDN);
  mpfr_div(rest.x, rest.x, quarter(bits).x, MPFR_RNDN);
  __int128 p_before = 1, q_before = 0, p = 0, q = 1;
  std::optional<Position> last;
  for (bool first = true;; first = false) {
    mpfr_floor(whole.x, rest.x);
    const __int128 a = mpfr_get_si(whole.x, MPFR_RNDN);
    const __int128 next_p = first ? a : a * p + p_before, next_q = first ? 1 : a * q + q_before;
    if (first) {
      p_before = 1, q_before = 0;
    } else {
      p_before = p, q_before = q;
    }
    p = next_p, q = next_q;
    if (q >= limit) return last;
    if (p != 0) last = static_cast<Position>(q);
    mpfr_sub(rest.x, rest.x, whole.x, MPFR_RNDN);
    if (rest.is_zero()) return last;
    mpfr_ui_div(rest.x, 1, rest.x, MPFR_RNDN);
    // No quotient of interest is this long: the next denominator is past every limit.
    if (mpfr_get_exp(rest.x) > 60) return last;
  }
}

}  // namespace

QuarterTurns quarter_turns(const Multiprecision& multiprecision, std::size_t frequency, Position t,
                           long bits) {
  const Real unit = quarter(bits);
  Real angle(bits), number(bits);
  mpfr_mul_si(angle.x, multiprecision.with(bits).frequencies.at(frequency).x, t, MPFR_RNDN);
  mpfr_abs(angle.x, angle.x, MPFR_RNDN);
  mpfr_div(number.x, angle.x, unit.x, MPFR_RNDN);
  mpfr_round(number.x, number.x);
  QuarterTurns out{t, frequency, mpfr_get_sj(number.x, MPFR_RNDN), 0};
  mpfr_mul(number.x, number.x, unit.x, MPFR_RNDN);
  mpfr_sub(angle.x, angle.x, number.x, MPFR_RNDN);
  out.distance = std::abs(angle.nearest());
  return out;
}

std::vector<QuarterTurns> closest_to_quarter_turns(const Ladder& ladder, Position limit, std::size_t count) {
  constexpr mpfr_prec_t bits = 512;
  std::vector<QuarterTurns> found;
  const auto& numbers = ladder.multiprecision().with(bits);
  for (std::size_t i = 0; i < ladder.size(); ++i)
    if (const auto t = last_denominator(numbers.frequencies[i], limit))
      found.push_back(quarter_turns(ladder.multiprecision(), i, *t, bits));
  std::sort(found.begin(), found.end(),
            [](const QuarterTurns& a, const QuarterTurns& b) { return a.distance < b.distance; });
  found.resize(std::min(found.size(), count));
  return found;
}

}  // namespace posproof::exact
