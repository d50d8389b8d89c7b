#include "exact/rational.h"

#include <mpfr.h>

#include "exact/real.h"

namespace posproof::exact {

double nearest(const Rational& value) {
  Real out(53);
  mpfr_set_q(out.x, value.backend().data(), MPFR_RNDN);
  return out.nearest();
}

}  // namespace posproof::exact
