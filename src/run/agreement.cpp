#include "run/agreement.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "attention/reference_attention.h"
#include "core/call.h"
#include "core/error.h"
#include "core/function.h"
#include "core/precision.h"
#include "core/term.h"
#include "run/claims.h"
#include "run/narrowed.h"
#include "search/trial.h"

namespace posproof {
namespace {

using Each = Function<void(const Residual&)>;

// The same call with every token as far from 0 as the farthest: where something wrong is compared, which may
// take one token for another, each is allowed the error of the farthest.
Call at_the_farthest(Call call) {
  const auto fill = [](auto& at) {
    if (at.empty()) return;
    const auto [least, most] = std::ranges::minmax(at);
    std::ranges::fill(at, std::max(most, -least));
  };
  fill(call.positions.whole), fill(call.positions.real);
  return call;
}

// A rotation that is stretched may be less off, farther away, as what it gives is smaller there.
Bound bound_of_the_farthest(const Encoding& truth, const Call& call, const Tensor& here, const Precision& p) {
  Bound farthest = bound(truth, at_the_farthest(call), here, p, InProportionTo::pair);
  if (!is_stretched(truth)) return farthest;
  const Bound own = bound(truth, call, here, p, InProportionTo::pair);
  for (std::size_t n = 0; n < own.error.data.size(); ++n)
    farthest.error.data[n] = std::max(farthest.error.data[n], own.error.data[n]);
  return farthest;
}

// A subject whose rows are shifted rounds other entries than the truth's: m (j + 1) in place of -m (i - j),
// or m (j - L + 1), which counts from the last token of the call or, where its own positions end, from the
// last of these (MPT, whose rows are made once and kept). None is taken for larger than the slope times all
// positions: a huge constant does not excuse what it swallows.
void allow_shifted_rows(const Bias& truth, const Call& call, const Tensor& there, const Precision& p,
                        const Domain& own, Bound& allowed) {
  const Positions queries = call.positions, keys = call.keys;
  const std::size_t nq = queries.size(), nk = keys.size();
  double farthest = 0;
  for (const Positions& all : {queries, keys})
    for (std::size_t n = 0; n < all.size(); ++n) farthest = std::max(farthest, std::abs(all.at(n)));
  if (own.ends) farthest = std::max(farthest, static_cast<double>(std::max(own.hi, -own.lo)));
  for (std::size_t e = 0; e < there.data.size(); ++e) {
    const double slope = truth.slopes.empty() ? 0 : truth.slopes[e / (nq * nk)];
    const double positions = farthest + std::abs(keys.at(e % nk)) + 1;
    const double entry = std::isfinite(there.data[e]) ? std::abs(there.data[e]) : 0;
    allowed.error.data[e] += bias_rounding(p, slope == 0 ? entry : std::min(entry, slope * positions), slope);
  }
}

Agreement agrees(const Encoding& truth, const Call& call, const Tensor& there, const Tensor& here,
                 const Precision& p, const Domain& own, const Each& each) {
  const bool tokens = signature(truth).has(Axis::token);
  Bound allowed = each && tokens ? bound_of_the_farthest(truth, call, here, p) : bound(truth, call, here, p);
  // The truth's own values are rounded once to double; bounds that an encoding brings itself count that.
  if (tokens || signature(truth).takes.empty())
    for (std::size_t n = 0; n < here.data.size(); ++n)
      allowed.error.data[n] += term(Term::ours, unit_f64 * std::abs(here.data[n]));
  if (is_modulo_rows(truth) && signature(truth).takes.empty())
    allow_shifted_rows(as<Bias>(truth), call, there, p, own, allowed);
  const Comparison compared = compare(truth, call, there, here, allowed, Freedom::none, each);
  return {compared, std::move(allowed)};
}

Residual agrees(const Encoding& truth, const Encoding& subject, Precision p, Draw& draw, const Each& each) {
  const Domain& own = positions_of(subject);
  const Call call = draw_call(truth, overlap(own, positions_of(truth)), draw);
  const Tensor there = answer(subject, call);
  return agrees(truth, call, there, answer(truth, call), p, own, each).compared.worst;
}

}  // namespace

Residual agreement_of(const Encoding& truth, const Call& call, const Tensor& there, const Tensor& here,
                      const Precision& precision, const Domain& own) {
  return agreement_in_full(truth, call, there, here, precision, own).compared.worst;
}

Agreement agreement_in_full(const Encoding& truth, const Call& call, const Tensor& there, const Tensor& here,
                            const Precision& precision, const Domain& own) {
  return agrees(truth, call, there, here, precision, own, {});
}

Property agreement(const Encoding& truth, const Function<void(const Residual&)>& each) {
  Property property{.statement = "Every value is the exact one, within rounding.",
                    .formula = "f(t) = the paper's f(t)",
                    .source = "the encoding's own paper, computed exactly: oracle/",
                    .checks = {},
                    .must_reject = {}};
  // A subject of the truth's kind is compared with it, one that gives logits or the whole operator with the
  // truth in that kind; any other as a whole operator.
  property.checks.push_back(CallCheck{
      [](const Encoding&) { return true; },
      [truths = attention::in_every_kind(truth), each](const Encoding& subject, Precision p, Draw& draw) {
        if (const Encoding* same = attention::same_kind(truths, subject))
          return agrees(*same, subject, p, draw, each);
        return agrees(truths.back(), attention::reference_attention(subject), p, draw, each);
      }});
  return property;
}

Trial agreement_over_grid(const EncodingSpec& spec) {
  return over_grid(spec, {}, [&spec](const Parameters& parameters) {
    return trial(agreement(spec.oracle(parameters)), spec.make(parameters), all_f64);
  });
}

}  // namespace posproof
