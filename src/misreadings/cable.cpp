#include <algorithm>
#include <cmath>

#include "catalogue/encodings/cable.h"
#include "catalogue/misreadings/cable.h"
#include "misreadings/forgetting.h"

namespace posproof::misreadings_cable {
namespace {

using namespace inside;
using misread::Gates;
using misread::softplus, misread::sigmoid, misread::positive_part, misread::exponential, misread::itself;

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

Real other_side(Real x) {
  return softplus(-x);
}

misread::Make with(const Gates& gates, Penalty of) {
  return [=](const Parameters& given) { return reads(given, gates, of); };
}

}  // namespace

const MisreadingFamily entry{{
    {"the penalties are computed from the queries, not from the keys", with({.of_queries = true}, &softplus),
     "dim=4"},
    {"the sum of the penalties has the wrong sign: it is added to the logit", with({.sign = -1}, &softplus),
     "dim=4"},
    {"the key's own penalty counts as well: the sum is over j <= l <= i", with({.behind = 0}, &softplus),
     "dim=4"},
    {"the query's own penalty is left out: the sum is over j < l < i", with({.before = 1}, &softplus),
     "dim=4"},
    {"the penalties of keys that the mask hides are left out of the sum",
     with({.seen_alone = true}, &softplus), "dim=4"},
    {"the mean of the penalties is taken, not their sum", with({.mean = true}, &softplus), "dim=4"},
    {"a penalty is max(w.k + b, 0), not ln(1 + e^(w.k + b))", with({}, &positive_part), "dim=4"},
    {"a penalty is ln(1 + e^-(w.k + b)): its argument has the wrong sign", with({}, &other_side), "dim=4"},
    {"a penalty is w.k + b itself, not ln(1 + e^(w.k + b))", with({}, &itself), "dim=4"},
    {"a penalty is sigmoid(w.k + b), not ln(1 + e^(w.k + b))", with({}, &sigmoid), "dim=4"},
    {"a penalty is e^(w.k + b), not ln(1 + e^(w.k + b))", with({}, &exponential), "dim=4"},
}};

}  // namespace posproof::misreadings_cable
