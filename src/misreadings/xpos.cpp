#include <algorithm>
#include <cmath>
#include <memory>

#include "catalogue/encodings/xpos.h"
#include "catalogue/misreadings/xpos.h"
#include "core/by_row.h"
#include "encodings/rotary_widths.h"
#include "misreadings/right.h"

namespace posproof::misreadings_xpos {
namespace {

using misread::Real;

// zeta of a pair: of 2i over the channels that rotate, and gamma.
using Zeta = Real (*)(Real share, Real gamma);

// What i is divided by is half of that.
enum class Over { rotating, head, all_but_the_last_pair };

template <Zeta zeta, Over over>
Rotary about(const Parameters& given) {
  const Arguments p = misread::arguments(encodings::xpos, given);
  const Real gamma = p.real("gamma"), centre = p.real("centre"), scale_base = p.real("scale_base"),
             dim = static_cast<Real>(over == Over::head       ? p.width("dim")
                                     : over == Over::rotating ? rotary_widths::rotating(p)
                                                              : rotary_widths::rotating(p) - 2);
  return as<Rotary>(misread::with_stretch(encodings::xpos, given, [=](const Pair& pair, Real t, Role role) {
    const Real e = (t - centre) / scale_base, share = 2 * static_cast<Real>(pair.index) / dim;
    return std::pow(zeta(share, gamma), role == Role::query ? e : -e);
  }));
}

// Those of channels that all rotate are no others.
void refuse_a_whole_head(const Arguments& p) {
  if (rotary_widths::rotating(p) == p.width("dim")) throw Refusal("the same where the whole head rotates");
}

// Where each call has a centre of its own, it is one about a position.
template <Zeta zeta, Over over = Over::rotating>
Encoding reads(const Parameters& given) {
  const Arguments p = misread::arguments(encodings::xpos, given);
  if (over == Over::head) refuse_a_whole_head(p);
  if (over == Over::all_but_the_last_pair && rotary_widths::rotating(p) == 2)
    throw Refusal("a division by 0");
  if (p.is("centre_at", "position")) return about<zeta, over>(given);
  const bool up = p.is("centre_at", "half_of_call_rounded_up");
  auto out = encodings::xpos.make<Rotary>(given);
  out.in_call = [=](Position last) {
    Parameters one = given;
    one.set("centre_at", std::string("position"));
    one.set("length_of", std::string("batch"));
    one.set("centre", static_cast<double>((last + (up ? 2 : 1)) / 2));
    return std::make_shared<const Rotary>(about<zeta, over>(one));
  };
  out.stretch_error = [own = out.stretch_error](const Pair& pair, double t, const Precision& precision) {
    return misread::more * own(pair, t, precision);
  };
  out.rotate = [in_call = out.in_call](const Tensor& x, const Positions& positions, Role role) {
    return in_call(positions.empty() ? 0 : std::ranges::max(positions))->rotate(x, positions, role);
  };
  return p.is("length_of", "row") ? by_row(std::move(out)) : out;
}

Real zeta_of(Real share, Real gamma) {
  return (share + gamma) / (1 + gamma);
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
    {"zeta is over the channels of the head, where those of rotary_dim rotate", &reads<zeta_of, Over::head>,
     "dim=8 rotary_dim=4"},
    {"zeta is (i/r + gamma) / (1 + gamma): i is divided by r, not by r/2", &reads<over_dim>, "dim=8"},
    {"zeta is (i/(r/2 - 1) + gamma) / (1 + gamma): i is divided by r/2 - 1, not by r/2",
     &reads<zeta_of, Over::all_but_the_last_pair>, "dim=8"},
    {"zeta is 2i/r + gamma: it is not divided by 1 + gamma", &reads<undivided>, "dim=8"},
    {"zeta is 2i/r / (1 + gamma) + gamma: gamma is not divided", &reads<divided_first>, "dim=8"},
    {"zeta is 2i/r + gamma / (1 + gamma): 2i/r is not divided", &reads<mixed>, "dim=8"},
    {"zeta is gamma + (1 - gamma) 2i/r, not (2i/r + gamma) / (1 + gamma)", &reads<between>, "dim=8"},
    {"zeta is (1 - 2i/r + gamma) / (1 + gamma): it falls from pair to pair", &reads<reversed>, "dim=8"},
}};

}  // namespace posproof::misreadings_xpos
