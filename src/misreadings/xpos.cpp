#include <cmath>

#include "catalogue/encodings/xpos.h"
#include "catalogue/misreadings/xpos.h"
#include "misreadings/right.h"

namespace posproof::misreadings_xpos {
namespace {

using misread::Real;

// zeta of a pair: of 2i/dim and gamma.
using Zeta = Real (*)(Real share, Real gamma);

template <Zeta zeta>
Encoding reads(const Parameters& given) {
  const Arguments p = misread::arguments(encodings::xpos, given);
  const Real gamma = p.real("gamma"), centre = p.real("centre"), scale_base = p.real("scale_base"),
             dim = static_cast<Real>(p.width("dim"));
  return misread::with_stretch(encodings::xpos, given, [=](const Pair& pair, Real t, Role role) {
    const Real e = (t - centre) / scale_base, share = 2 * static_cast<Real>(pair.index) / dim;
    return std::pow(zeta(share, gamma), role == Role::query ? e : -e);
  });
}

Real over_dim(Real share, Real gamma) {
  return (share / 2 + gamma) / (1 + gamma);
}
Real undivided(Real share, Real gamma) {
  return share + gamma;
}
Real divided_first(Real share, Real gamma) {
  return share / (1 + gamma) + gamma;
}
Real mixed(Real share, Real gamma) {
  return share + gamma / (1 + gamma);
}
Real between(Real share, Real gamma) {
  return gamma + (1 - gamma) * share;
}
Real reversed(Real share, Real gamma) {
  return (1 - share + gamma) / (1 + gamma);
}

}  // namespace

const MisreadingFamily entry{{
    {"zeta is (i/dim + gamma) / (1 + gamma): i is divided by dim, not by dim/2", &reads<over_dim>, "dim=8"},
    {"zeta is 2i/dim + gamma: it is not divided by 1 + gamma", &reads<undivided>, "dim=8"},
    {"zeta is 2i/dim / (1 + gamma) + gamma: gamma is not divided", &reads<divided_first>, "dim=8"},
    {"zeta is 2i/dim + gamma / (1 + gamma): 2i/dim is not divided", &reads<mixed>, "dim=8"},
    {"zeta is gamma + (1 - gamma) 2i/dim, not (2i/dim + gamma) / (1 + gamma)", &reads<between>, "dim=8"},
    {"zeta is (1 - 2i/dim + gamma) / (1 + gamma): it falls from pair to pair", &reads<reversed>, "dim=8"},
}};

}  // namespace posproof::misreadings_xpos
