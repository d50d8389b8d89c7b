#include <algorithm>
#include <cmath>

#include "catalogue/encodings/kerple.h"
#include "catalogue/misreadings/kerple.h"
#include "misreadings/right.h"

namespace posproof::misreadings_kerple {
namespace {

using misread::Real;

struct Head {
  Real r1, r2, exponent;
};
using Kernel = Real (*)(const Head& head, Real distance);

// For the kernels that `where` names.
template <Kernel kernel>
Encoding reads(const Parameters& given, std::initializer_list<std::string_view> where) {
  const Arguments p = misread::arguments(encodings::kerple, given);
  if (std::ranges::find(where, p.word("kernel")) == where.end())
    throw Refusal("a misreading of other kernels");
  std::vector<Head> heads;
  for (std::size_t h = 0; h < p.width("heads"); ++h) {
    const auto number = [&](std::string_view name) {
      const std::vector<double>& list = p.list(name);
      return static_cast<Real>(list[std::min(h, list.size() - 1)]);
    };
    heads.push_back({number("r1"), number("r2"), number("exponent")});
  }
  const bool causal = p.is("form", "causal");
  return misread::with_entry(encodings::kerple, given, [=](std::size_t head, Position i, Position j) {
    return kernel(heads[head], static_cast<Real>(causal ? std::max<Position>(i - j, 0) : std::abs(i - j)));
  });
}

template <Kernel kernel>
Encoding logarithmic(const Parameters& given) {
  return reads<kernel>(given, {"log"});
}
// Where a head has a smaller r2 than 1.
template <Kernel kernel>
Encoding of_small_factors(const Parameters& given) {
  const Arguments p = misread::arguments(encodings::kerple, given);
  if (std::ranges::min(p.list("r2")) >= 1) throw Refusal("the same with factors from 1 on");
  return logarithmic<kernel>(given);
}
template <Kernel kernel>
Encoding of_powers(const Parameters& given) {
  return reads<kernel>(given, {"power"});
}
// Where a head has a larger one than 1.
template <Kernel kernel>
Encoding of_large_powers(const Parameters& given) {
  const Arguments p = misread::arguments(encodings::kerple, given);
  if (std::ranges::max(p.list("r2")) <= 1) throw Refusal("the same with exponents up to 1");
  return of_powers<kernel>(given);
}
template <Kernel kernel>
Encoding of_logarithms_of_powers(const Parameters& given) {
  return reads<kernel>(given, {"log_power"});
}

Real without_1(const Head& head, Real d) {
  return -head.r1 * std::log(head.r2 * d);
}
template <int places>
Real small_for_1(const Head& head, Real d) {
  return -head.r1 * std::log(head.r2 * d + misread::small<places>());
}
Real product_with_1(const Head& head, Real d) {
  return -head.r1 * std::log(head.r2 * (1 + d));
}
Real without_logarithm(const Head& head, Real d) {
  return -head.r1 * head.r2 * d;
}
Real all_inside(const Head& head, Real d) {
  return -std::log1p(head.r1 * head.r2 * d);
}
Real binary(const Head& head, Real d) {
  return -head.r1 * std::log2(1 + head.r2 * d);
}
Real decimal(const Head& head, Real d) {
  return -head.r1 * std::log10(1 + head.r2 * d);
}
Real exchanged(const Head& head, Real d) {
  return -head.r2 * std::log1p(head.r1 * d);
}
Real divided(const Head& head, Real d) {
  return -std::log1p(head.r2 * d) / head.r1;
}
Real of_the_square(const Head& head, Real d) {
  return -head.r1 * std::log1p(head.r2 * d * d) / 2;
}
Real with_r2_from_1(const Head& head, Real d) {
  return -head.r1 * std::log1p(std::max<Real>(head.r2, 1) * d);
}
Real power_of_one_more(const Head& head, Real d) {
  return -head.r1 * head.r2 * std::log1p(d);
}
Real scaled_inside(const Head& head, Real d) {
  return -std::pow(head.r1 * d, head.r2);
}
Real exponential(const Head& head, Real d) {
  return -head.r1 * std::pow(head.r2, d);
}
Real with_limited_power(const Head& head, Real d) {
  return -head.r1 * std::pow(d, std::min<Real>(head.r2, 1));
}
Real power_of_the_product(const Head& head, Real d) {
  return -head.r1 * std::log1p(std::pow(head.r2 * d, head.exponent));
}
Real power_of_the_logarithm(const Head& head, Real d) {
  return -head.r1 * std::pow(std::log1p(head.r2 * d), head.exponent);
}
Real power_of_the_sum(const Head& head, Real d) {
  return -head.r1 * std::log(std::pow(1 + head.r2 * d, head.exponent));
}

}  // namespace

const MisreadingFamily entry{{
    {"the 1 in the logarithm is left out: -r1 ln(r2 |i - j|)", &logarithmic<without_1>, "heads=2"},
    {"1e-6 stands for the 1 in the logarithm: -r1 ln(r2 |i - j| + 1e-6)", &logarithmic<small_for_1<6>>,
     "heads=2"},
    {"1e-5 stands for the 1 in the logarithm: -r1 ln(r2 |i - j| + 1e-5)", &logarithmic<small_for_1<5>>,
     "heads=2"},
    {"1e-8 stands for the 1 in the logarithm: -r1 ln(r2 |i - j| + 1e-8)", &logarithmic<small_for_1<8>>,
     "heads=2"},
    {"r2 multiplies the 1 as well: -r1 ln(r2 (1 + |i - j|))", &logarithmic<product_with_1>,
     "heads=2 r2=[0.5,3]"},
    {"the logarithm is left out: -r1 r2 |i - j|", &logarithmic<without_logarithm>, "heads=2 r2=[0.5,3]"},
    {"r1 is inside the logarithm: -ln(1 + r1 r2 |i - j|)", &logarithmic<all_inside>,
     "heads=2 r1=[0.5,3] r2=[2]"},
    {"the logarithm is log2, not ln: -r1 log2(1 + r2 |i - j|)", &logarithmic<binary>,
     "heads=2 r1=[0.5,3] r2=[2]"},
    {"the logarithm is log10, not ln: -r1 log10(1 + r2 |i - j|)", &logarithmic<decimal>,
     "heads=2 r1=[0.5,3] r2=[2]"},
    {"r1 and r2 are exchanged: -r2 ln(1 + r1 |i - j|)", &logarithmic<exchanged>, "heads=2 r1=[0.5,3] r2=[2]"},
    {"the logarithm is divided by r1: -ln(1 + r2 |i - j|) / r1", &logarithmic<divided>,
     "heads=2 r1=[0.5,3] r2=[2]"},
    {"the logarithm is half of that with the square of the distance: -r1 ln(1 + r2 |i - j|^2) / 2",
     &logarithmic<of_the_square>, "heads=2 r1=[0.5,3] r2=[2]"},
    {"r2 is 1 at least: -r1 ln(1 + max(r2, 1) |i - j|)", &of_small_factors<with_r2_from_1>,
     "heads=2 r1=[0.5,3] r2=[0.5,2]"},
    {"r2 is the power of the sum: -r1 ln((1 + |i - j|)^r2)", &logarithmic<power_of_one_more>,
     "heads=2 r1=[0.5,3] r2=[2,0.3]"},
    {"r1 is inside the power: -(r1 |i - j|)^r2", &of_powers<scaled_inside>,
     "heads=2 kernel=power r1=[0.5,3] r2=[1.5]"},
    {"r2 is the base, not the exponent: -r1 r2^|i - j|", &of_powers<exponential>,
     "heads=2 kernel=power r2=[0.5]"},
    {"the exponent is limited to 1: -r1 |i - j|^min(r2, 1)", &of_large_powers<with_limited_power>,
     "heads=2 kernel=power r2=[0.5,1.5]"},
    {"the exponent is of the product: -r1 ln(1 + (r2 |i - j|)^exponent)",
     &of_logarithms_of_powers<power_of_the_product>, "heads=2 kernel=log_power r2=[0.5,3] exponent=[1.5]"},
    {"the exponent is of the logarithm: -r1 ln(1 + r2 |i - j|)^exponent",
     &of_logarithms_of_powers<power_of_the_logarithm>, "heads=2 kernel=log_power exponent=[1.5]"},
    {"the exponent is of the sum: -r1 ln((1 + r2 |i - j|)^exponent)",
     &of_logarithms_of_powers<power_of_the_sum>, "heads=2 kernel=log_power exponent=[1.5]"},
}};

}  // namespace posproof::misreadings_kerple
