#include "exact/angle.h"

#include <gtest/gtest.h>

namespace posproof::angle_test {
namespace {

using exact::Real;

// An angle of 2^92 radians whose sine lies 2^-160 above or below the middle of 0.5 and the next double. What
// is asked for with 256 bits may lie on the other side: nine tenths of what an angle may be off by, 2^-151,
// there.
exact::Angle beside_the_middle(int side) {
  return [side](mpfr_prec_t bits) {
    Real angle(4096), turns(4096), off(4096, side * 0x1p-160), out(bits);
    mpfr_set_d(angle.x, 0.5, MPFR_RNDN);
    mpfr_add_d(angle.x, angle.x, 0x1p-54, MPFR_RNDN);
    mpfr_asin(angle.x, angle.x, MPFR_RNDN);
    mpfr_const_pi(turns.x, MPFR_RNDN);
    mpfr_mul_2si(turns.x, turns.x, 91, MPFR_RNDN);
    mpfr_add(angle.x, angle.x, turns.x, MPFR_RNDN);
    mpfr_add(angle.x, angle.x, off.x, MPFR_RNDN);
    mpfr_mul_d(off.x, angle.x, -0.9 * side, MPFR_RNDN);
    mpfr_mul_2si(off.x, off.x, 12 - static_cast<long>(bits), MPFR_RNDN);
    mpfr_add(out.x, angle.x, off.x, MPFR_RNDN);
    return out;
  };
}

TEST(Angle, may_be_as_far_off_as_it_is_said_to_be) {
  for (const int side : {1, -1}) {
    const double sine = side > 0 ? 0.5 + 0x1p-53 : 0.5, cosine = 0.866025403784438614714;
    const auto found = exact::sine_and_cosine(beside_the_middle(side));
    EXPECT_EQ(found.sine, sine);
    EXPECT_EQ(found.cosine, cosine);
    const auto [along, across] = exact::rotated(beside_the_middle(side), 1, 0);
    EXPECT_EQ(along, cosine);
    EXPECT_EQ(across, sine);
  }
}

}  // namespace
}  // namespace posproof::angle_test
