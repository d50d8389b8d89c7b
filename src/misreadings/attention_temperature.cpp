#include <algorithm>
#include <cmath>

#include "catalogue/encodings/attention_temperature.h"
#include "catalogue/misreadings/attention_temperature.h"
#include "misreadings/right.h"

namespace posproof::misreadings_attention_temperature {
namespace {

using misread::Real;

// What multiplies a query of the form `steps`: of the scale, and of the position over the length.
using Steps = Real (*)(Real scale, Real lengths);

template <Steps steps>
Encoding reads(const Parameters& given) {
  const Arguments p = misread::arguments(encodings::attention_temperature, given);
  if (!p.is("form", "steps")) throw Refusal("a misreading of the other form");
  const Real scale = p.real("scale"), length = p.real("original_length"),
             offset = static_cast<Real>(p.whole("offset"));
  return misread::with_stretch(encodings::attention_temperature, given,
                               [=](const Pair&, Real t, Role role) -> Real {
                                 return role == Role::query ? steps(scale, (t + offset) / length) : 1;
                               });
}

Real without_floor(Real scale, Real lengths) {
  return 1 + scale * std::log1p(lengths);
}
Real rounded(Real scale, Real lengths) {
  return 1 + scale * std::log1p(std::nearbyint(lengths));
}
Real rounded_up(Real scale, Real lengths) {
  return 1 + scale * std::log1p(std::ceil(lengths));
}
Real binary(Real scale, Real lengths) {
  return 1 + scale * std::log2(1 + std::floor(lengths));
}
Real decimal(Real scale, Real lengths) {
  return 1 + scale * std::log10(1 + std::floor(lengths));
}
Real without_logarithm(Real scale, Real lengths) {
  return 1 + scale * std::floor(lengths);
}
Real all_scaled(Real scale, Real lengths) {
  return scale * (1 + std::log1p(std::floor(lengths)));
}
Real floor_outside(Real scale, Real lengths) {
  return 1 + scale * std::floor(std::log1p(lengths));
}
Real reciprocal(Real scale, Real lengths) {
  return 1 / (1 + scale * std::log1p(std::floor(lengths)));
}

// What multiplies a query of the form `logarithm`: of the natural logarithms of the position and of the
// length.
using Logarithm = Real (*)(Real of_position, Real of_length);

template <Logarithm factor>
Encoding reads_logarithm(const Parameters& given) {
  const Arguments p = misread::arguments(encodings::attention_temperature, given);
  if (!p.is("form", "logarithm")) throw Refusal("a misreading of the other form");
  const Real length = p.real("original_length"), offset = static_cast<Real>(p.whole("offset"));
  return misread::with_stretch(encodings::attention_temperature, given,
                               [=](const Pair&, Real t, Role role) -> Real {
                                 if (role == Role::key) return 1;
                                 return factor(std::log(std::max<Real>(t + offset, 1)), std::log(length));
                               });
}

Real not_held(Real of_position, Real of_length) {
  return of_position / of_length;
}
Real of_the_longer(Real of_position, Real of_length) {
  return 1 + std::max<Real>(of_position - of_length, 0);
}

constexpr std::string_view often = "dim=2 original_length=8 scale=0.5";

}  // namespace

const MisreadingFamily entry{{
    {"the quotient of position and length is not rounded down", &reads<without_floor>, often},
    {"the quotient of position and length is rounded to the nearest whole number, not down", &reads<rounded>,
     often},
    {"the quotient of position and length is rounded up, not down", &reads<rounded_up>, often},
    {"the logarithm is rounded down, not the quotient in it", &reads<floor_outside>, often},
    {"the logarithm is to base 2, not natural", &reads<binary>, often},
    {"the logarithm is to base 10, not natural", &reads<decimal>, often},
    {"the logarithm is left out", &reads<without_logarithm>, often},
    {"the scale multiplies the 1 as well: scale (1 + ln(..))", &reads<all_scaled>, often},
    {"queries are divided by the factor, not multiplied", &reads<reciprocal>, often},
    {"positions below original_length are multiplied by ln(t)/ln(L), too: the factor is not held at 1 there",
     &reads_logarithm<not_held>, "dim=2 form=logarithm original_length=8 offset=1"},
    {"the factor is 1 + ln(t/L), not ln(t)/ln(L)", &reads_logarithm<of_the_longer>,
     "dim=2 form=logarithm original_length=8 offset=1"},
}};

}  // namespace posproof::misreadings_attention_temperature
