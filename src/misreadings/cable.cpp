#include <algorithm>
#include <cmath>

#include "catalogue/encodings/cable.h"
#include "catalogue/misreadings/cable.h"
#include "misreadings/forgetting.h"

namespace posproof::misreadings_cable {
namespace {

using namespace inside;
using misread::Gates;

// The penalty of w.k + b.
using Penalty = Real (*)(Real x);

Encoding reads(const Parameters& given, const Gates& gates, Penalty penalty) {
  const Arguments p = misread::arguments(encodings::cable, given);
  const Tensor w = trained(1, p.width("dim"), p.whole("table_seed"), p.real("gate_std"));
  const Real bias = p.real("gate_bias"), scale = p.is("scale", "rsqrt") ? 1 / root(p.width("dim")) : 1;
  return misread::with_gates(encodings::cable, given, scale, gates, [=](std::span<const double> token) {
    return -penalty(dot(w.row(0), token) + bias);
  });
}

Real softplus(Real x) {
  return std::max(x, Real{0}) + std::log1p(std::exp(-std::abs(x)));
}
Real positive_part(Real x) {
  return std::max(x, Real{0});
}
Real other_side(Real x) {
  return softplus(-x);
}
Real itself(Real x) {
  return x;
}
Real sigmoid(Real x) {
  return 1 / (1 + std::exp(-x));
}
Real exponential(Real x) {
  return std::exp(x);
}

Encoding of_queries(const Parameters& p) {
  return reads(p, {.of_queries = true}, &softplus);
}
Encoding other_sign(const Parameters& p) {
  return reads(p, {.sign = -1}, &softplus);
}
Encoding own_too(const Parameters& p) {
  return reads(p, {.behind = 0}, &softplus);
}
Encoding without_the_query(const Parameters& p) {
  return reads(p, {.before = 1}, &softplus);
}
Encoding mean(const Parameters& p) {
  return reads(p, {.mean = true}, &softplus);
}
Encoding relu(const Parameters& p) {
  return reads(p, {}, &positive_part);
}
Encoding mirrored(const Parameters& p) {
  return reads(p, {}, &other_side);
}
Encoding linear(const Parameters& p) {
  return reads(p, {}, &itself);
}
Encoding of_sigmoids(const Parameters& p) {
  return reads(p, {}, &sigmoid);
}
Encoding of_exponentials(const Parameters& p) {
  return reads(p, {}, &exponential);
}

}  // namespace

const MisreadingFamily entry{{
    {"the penalties are computed from the queries, not from the keys", &of_queries, "dim=4"},
    {"the sum of the penalties has the wrong sign: it is added to the logit", &other_sign, "dim=4"},
    {"the key's own penalty counts as well: the sum is over j <= l <= i", &own_too, "dim=4"},
    {"the query's own penalty is left out: the sum is over j < l < i", &without_the_query, "dim=4"},
    {"the mean of the penalties is taken, not their sum", &mean, "dim=4"},
    {"a penalty is max(w.k + b, 0), not ln(1 + e^(w.k + b))", &relu, "dim=4"},
    {"a penalty is ln(1 + e^-(w.k + b)): its argument has the wrong sign", &mirrored, "dim=4"},
    {"a penalty is w.k + b itself, not ln(1 + e^(w.k + b))", &linear, "dim=4"},
    {"a penalty is sigmoid(w.k + b), not ln(1 + e^(w.k + b))", &of_sigmoids, "dim=4"},
    {"a penalty is e^(w.k + b), not ln(1 + e^(w.k + b))", &of_exponentials, "dim=4"},
}};

}  // namespace posproof::misreadings_cable
