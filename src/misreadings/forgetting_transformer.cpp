#include <cmath>

#include "catalogue/encodings/forgetting_transformer.h"
#include "catalogue/misreadings/forgetting_transformer.h"
#include "misreadings/forgetting.h"

namespace posproof::misreadings_forgetting_transformer {
namespace {

using namespace inside;
using misread::Gates;

// The gate of w.k + b.
using Gate = Real (*)(Real x);

Encoding reads(const Parameters& given, const Gates& gates, Gate gate) {
  const Arguments p = misread::arguments(encodings::forgetting_transformer, given);
  const Tensor w = trained(1, p.width("dim"), p.whole("table_seed"), p.real("gate_std"));
  const Real bias = p.real("gate_bias");
  return misread::with_gates(
      encodings::forgetting_transformer, given, 1 / root(p.width("dim")), gates,
      [=](std::span<const double> token) { return gate(dot(w.row(0), token) + bias); });
}

Real log_sigmoid(Real x) {
  return x < 0 ? x - std::log1p(std::exp(x)) : -std::log1p(std::exp(-x));
}
Real sigmoid(Real x) {
  return 1 / (1 + std::exp(-x));
}
Real log_of_the_rest(Real x) {
  return log_sigmoid(-x);
}
Real itself(Real x) {
  return x;
}
Real less_the_gate(Real x) {
  return sigmoid(x) - 1;
}

Encoding of_queries(const Parameters& p) {
  return reads(p, {.of_queries = true}, &log_sigmoid);
}
Encoding other_sign(const Parameters& p) {
  return reads(p, {.sign = -1}, &log_sigmoid);
}
Encoding own_gate_too(const Parameters& p) {
  return reads(p, {.behind = 0}, &log_sigmoid);
}
Encoding without_the_query(const Parameters& p) {
  return reads(p, {.before = 1}, &log_sigmoid);
}
Encoding mean(const Parameters& p) {
  return reads(p, {.mean = true}, &log_sigmoid);
}
Encoding no_logarithm(const Parameters& p) {
  return reads(p, {}, &sigmoid);
}
Encoding forgets_the_rest(const Parameters& p) {
  return reads(p, {}, &log_of_the_rest);
}
Encoding no_sigmoid(const Parameters& p) {
  return reads(p, {}, &itself);
}
Encoding first_order(const Parameters& p) {
  return reads(p, {}, &less_the_gate);
}

}  // namespace

const MisreadingFamily entry{{
    {"the gates are computed from the queries, not from the keys", &of_queries, "dim=4"},
    {"the sum of the gates' logarithms has the wrong sign: it is taken from the logit", &other_sign, "dim=4"},
    {"the key's own gate is forgotten by as well: the sum is over j <= l <= i", &own_gate_too, "dim=4"},
    {"the query's own gate is left out: the sum is over j < l < i", &without_the_query, "dim=4"},
    {"the mean of the gates' logarithms is added, not their sum", &mean, "dim=4"},
    {"the gates are added up, not their logarithms", &no_logarithm, "dim=4"},
    {"the gates are 1 - sigmoid: what is kept is forgotten", &forgets_the_rest, "dim=4"},
    {"the gates have no sigmoid: w.k + b is added up", &no_sigmoid, "dim=4"},
    {"gate - 1 is added up, not the gate's logarithm", &first_order, "dim=4"},
}};

}  // namespace posproof::misreadings_forgetting_transformer
