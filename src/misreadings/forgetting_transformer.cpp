#include <cmath>

#include "catalogue/encodings/forgetting_transformer.h"
#include "catalogue/misreadings/forgetting_transformer.h"
#include "core/formats.h"
#include "misreadings/forgetting.h"

namespace posproof::misreadings_forgetting_transformer {
namespace {

using namespace inside;
using misread::Gates;
using misread::sigmoid, misread::itself;

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
  return -misread::softplus(-x);
}
Real log_of_the_rest(Real x) {
  return log_sigmoid(-x);
}
Real less_the_gate(Real x) {
  return sigmoid(x) - 1;
}

misread::Make with(const Gates& gates, Gate of) {
  return [=](const Parameters& given) { return reads(given, gates, of); };
}

}  // namespace

const MisreadingFamily entry{{
    {"the gates are computed from the queries, not from the keys", with({.of_queries = true}, &log_sigmoid),
     "dim=4"},
    {"the sum of the gates' logarithms has the wrong sign: it is taken from the logit",
     with({.sign = -1}, &log_sigmoid), "dim=4"},
    {"the key's own gate is forgotten by as well: the sum is over j <= l <= i",
     with({.behind = 0}, &log_sigmoid), "dim=4"},
    {"the query's own gate is left out: the sum is over j < l < i", with({.before = 1}, &log_sigmoid),
     "dim=4"},
    {"the gates of keys that the mask hides are left out of the sum",
     with({.seen_alone = true}, &log_sigmoid), "dim=4"},
    {"the mean of the gates' logarithms is added, not their sum", with({.mean = true}, &log_sigmoid),
     "dim=4"},
    {"the gates are added up, not their logarithms", with({}, &sigmoid), "dim=4"},
    {"the gates are 1 - sigmoid: what is kept is forgotten", with({}, &log_of_the_rest), "dim=4"},
    {"the gates have no sigmoid: w.k + b is added up", with({}, &itself), "dim=4"},
    {"gate - 1 is added up, not the gate's logarithm", with({}, &less_the_gate), "dim=4"},
    {"the running sums of the gates' logarithms, whose difference counts, begin again at 0 every 16 tokens",
     with({.block = 16}, &log_sigmoid), "dim=4"},
    {"the running sums of the gates' logarithms, whose difference counts, begin again at 0 every 32 tokens",
     with({.block = 32}, &log_sigmoid), "dim=4"},
    {"the running sums of the gates' logarithms, whose difference counts, begin again at 0 every 64 tokens",
     with({.block = 64}, &log_sigmoid), "dim=4"},
    {"the running sums of the gates' logarithms, whose difference counts, begin again at 0 every 128 tokens",
     with({.block = 128}, &log_sigmoid), "dim=4"},
    {"the running sums of the gates' logarithms, whose difference counts, are rounded to bf16",
     with({.kept = &to_bf16}, &log_sigmoid), "dim=4"},
    {"the running sums of the gates' logarithms, whose difference counts, are rounded to f16",
     with({.kept = &to_f16}, &log_sigmoid), "dim=4"},
}};

}  // namespace posproof::misreadings_forgetting_transformer
