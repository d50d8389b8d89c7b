#pragma once

#include "core/function.h"
#include "exact/multiprecision.h"
#include "exact/real.h"

// One angle that no ladder has: a sum over the numbers of a position, or a formula with pi in it.
namespace posproof::exact {

// The angle in radians, as a function of the bits that it is computed with: within 2^(12 - bits) of itself.
using Angle = Function<Real(mpfr_prec_t bits)>;

// Its sine and cosine, each rounded once to double. Throws Refusal for angles of 2^100 radians or more.
Multiprecision::SineAndCosine sine_and_cosine(const Angle& angle);

// (x, y) rotated by it counter-clockwise, each coordinate rounded once to double.
Multiprecision::Rotated rotated(const Angle& angle, double x, double y);

}  // namespace posproof::exact
