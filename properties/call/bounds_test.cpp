#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>

#include "catalogue/properties/call/agrees_in_chunks.h"
#include "catalogue/properties/call/takes_positions_in_any_order.h"
#include "catalogue/properties/call/treats_batch_rows_independently.h"
#include "catalogue/properties/call/treats_heads_alike.h"
#include "core/term.h"
#include "core/testing/unscaled.h"
#include "negative_examples.h"
#include "search/search.h"
#include "search/trial.h"

namespace posproof::call_bounds_test {
namespace {

using namespace calls;
namespace asked = properties::call;

// Two answers to one call may differ by twice the bound. This encoding is off by nearly all of it, in one
// call above and in the next one below.
Encoding as_wrong_as_allowed(Encoding (*right)(), Precision p) {
  return answered_by(right(),
                     [right = right(), p, calls = std::make_shared<std::size_t>(0)](const Call& call) {
                       const Unscaled terms;
                       Tensor out = answer(right, call);
                       const Bound allowed = bound(right, call, out, p);
                       const double share = (++*calls % 2 == 0 ? 1 : -1) * (p == bf16 ? 0.98 : 0.999);
                       for (std::size_t n = 0; n < out.data.size(); ++n)
                         out.data[n] += share * allowed.error.data[n];
                       return out;
                     });
}

bool refuted(const std::string& id, const Property& property, const Encoding& encoding, Precision p) {
  const Verdict verdict = search(*trial(property, encoding, p), {.id = id, .budget = {.shrinks = 0}});
  EXPECT_FALSE(std::holds_alternative<Errored>(verdict)) << id;
  return std::holds_alternative<Refuted>(verdict);
}

const std::vector<std::pair<std::string, const Property*>> measured = {
    {"call/agrees_in_chunks", &asked::agrees_in_chunks},
    {"call/takes_positions_in_any_order", &asked::takes_positions_in_any_order},
    {"call/treats_batch_rows_independently", &asked::treats_batch_rows_independently},
    {"call/treats_heads_alike", &asked::treats_heads_alike},
};

TEST(Calls, what_is_as_wrong_as_allowed_holds) {
  for (const auto& [id, property] : measured)
    for (Encoding (*right)() : {&right_table, &right_rotary, &right_bias, &right_contextual})
      for (const Precision& p : {all_f32, bf16}) {
        const Encoding edge = as_wrong_as_allowed(right, p);
        if (!applies(*property, edge)) continue;
        EXPECT_FALSE(refuted(id, *property, edge, p)) << id << ", " << noun(edge) << ", " << p.text();
      }
}

// The terms that the bounds of calls are made of: without one of them what is as wrong as allowed is refuted,
// and where it is 16 times as large some negative example is not. The checks add none of their own: one of
// them shows it for all.
struct Needed {
  Encoding (*right)();
  Precision p;
  std::vector<Term> needed, seen;
};

TEST(Calls, need_every_term_of_their_bounds_and_none_16_times_as_large) {
  const std::vector<Needed> all = {
      {&right_table, all_f32, {Term::operation}, {Term::operation}},
      {&right_table, bf16, {Term::operation}, {Term::operation}},
      {&right_bias, all_f32, {Term::operation}, {Term::operation}},
      {&right_bias, bf16, {Term::operation}, {Term::operation}},
      {&right_rotary,
       all_f32,
       {Term::library, Term::product, Term::sum, Term::exponent, Term::position},
       {Term::library, Term::product, Term::sum, Term::exponent}},
      {&right_rotary, bf16, {Term::result, Term::power, Term::angle_product}, {Term::result}},
  };
  const Property& property = asked::takes_positions_in_any_order;
  const std::string id = "call/takes_positions_in_any_order";
  for (const auto& [right, p, needed, seen] : all) {
    const auto of = [&, right = right, p = p](Term term) {
      return fmt::format("{}, {}: {}", noun(right()), p.text(), term_names[static_cast<std::size_t>(term)]);
    };
    for (const Term term : needed) {
      const ScaledTerm none(term, 0);
      EXPECT_TRUE(refuted(id, property, as_wrong_as_allowed(right, p), p)) << of(term);
    }
    for (const Term term : seen) {
      const ScaledTerm large(term, 16);
      EXPECT_TRUE(std::ranges::any_of(property.must_reject, [&, right = right, p = p](const auto& example) {
        const Encoding wrong = example.make();
        return example.precision == p && kind(wrong) == kind(right()) && !refuted(id, property, wrong, p);
      })) << of(term);
    }
  }
}

}  // namespace
}  // namespace posproof::call_bounds_test
