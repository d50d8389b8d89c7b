#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>

#include "attention/mask.h"
#include "catalogue/properties/attention/has_the_symmetry_of_its_mask.h"
#include "catalogue/properties/attention/is_causal.h"
#include "catalogue/properties/attention/keeps_constant_sequences_constant.h"
#include "catalogue/properties/attention/key_order_invariant.h"
#include "catalogue/properties/attention/permutation_equivariant.h"
#include "catalogue/properties/attention/pooled_readout_invariant.h"
#include "catalogue/properties/attention/query_order_equivariant.h"
#include "core/term.h"
#include "core/testing/unscaled.h"
#include "negative_examples.h"
#include "search/search.h"
#include "search/trial.h"
#include "testing/each_entry.h"

namespace posproof::attention_bounds_test {
namespace {

using namespace tokens;
namespace asked = properties::attention;

// An operator that is off by nearly all that it may be: above in one call, below in the next, and from row to
// row where it is asked for one answer alone.
Encoding as_wrong_as_allowed(Encoding (*right)(), Precision p, bool by_rows) {
  const Attention exact = attention::reference_attention(right());
  return answered_by(exact, [exact, p, by_rows, calls = std::make_shared<std::size_t>(0)](const Call& call) {
    const Unscaled terms;
    Tensor out = answer(exact, call);
    const double all =
        largest_error(exact, call.contents[0], call.contents[1], call.contents[2], call.mask, p);
    const double off = 0.999 * (++*calls % 2 == 0 ? all : -all);
    for (std::size_t n = 0; n < out.data.size(); ++n)
      out.data[n] += by_rows && n / out.width() % 2 == 1 ? -off : off;
    return out;
  });
}

bool refuted(const std::string& id, const Property& property, const Encoding& encoding, Precision p) {
  const Verdict verdict = search(*trial(property, encoding, p), {.id = id, .budget = {.shrinks = 0}});
  EXPECT_FALSE(std::holds_alternative<Errored>(verdict)) << id;
  return std::holds_alternative<Refuted>(verdict);
}

const std::vector<Encoding (*)()> kinds = {&still_table, &still_rotary, &still_bias, &still_contextual};

TEST(AttentionProperties, what_is_as_wrong_as_allowed_holds) {
  const std::vector<std::pair<std::string, const Property*>> all = {
      {"attention/has_the_symmetry_of_its_mask", &asked::has_the_symmetry_of_its_mask},
      {"attention/is_causal", &asked::is_causal},
      {"attention/keeps_constant_sequences_constant", &asked::keeps_constant_sequences_constant},
      {"attention/key_order_invariant", &asked::key_order_invariant},
      {"attention/permutation_equivariant", &asked::permutation_equivariant},
      {"attention/pooled_readout_invariant", &asked::pooled_readout_invariant},
      {"attention/query_order_equivariant", &asked::query_order_equivariant},
  };
  for (const auto& [id, property] : all)
    for (Encoding (*right)() : kinds)
      for (const Precision& p : {all_f32, bf16}) {
        const bool by_rows = property == &asked::keeps_constant_sequences_constant;
        const Encoding edge = as_wrong_as_allowed(right, p, by_rows);
        EXPECT_FALSE(refuted(id, *property, edge, p)) << id << ", " << kind(right()) << ", " << p.text();
      }
}

// The terms that the operator's bound is made of: without one of them what is as wrong as allowed is refuted,
// and where it is 16 times as large some negative example is not. (How large each is, is worked out by hand
// in src/attention/reference_attention_test.cpp.)
struct Needed {
  Encoding (*right)();
  Precision p;
  std::vector<Term> needed, seen;
};

TEST(AttentionProperties, need_every_term_of_their_bounds_and_none_16_times_as_large) {
  using enum Term;
  const std::vector<Needed> all = {
      {&still_table, all_f32, {operation, sum, dot, result, softmax, mean}, {operation, sum, result, mean}},
      {&still_table, bf16, {operation, sum, result, softmax}, {operation, sum, result}},
      {&still_rotary, all_f32, {dot, result, softmax, mean}, {dot, result, mean}},
      {&still_rotary, bf16, {result, softmax}, {result, softmax}},
      {&still_bias, all_f32, {sum, dot, result, softmax, mean}, {result, softmax, mean}},
      {&still_bias, bf16, {sum, result, softmax}, {result, softmax}},
      {&still_contextual, all_f32, {sum, dot, result, softmax, mean}, {result, softmax, mean}},
      {&still_contextual, bf16, {sum, result, softmax}, {result, softmax}},
  };
  const Property& property = asked::permutation_equivariant;
  const std::string id = "attention/permutation_equivariant";
  for (const auto& [right, p, needed, seen] : all) {
    const auto of = [&, right = right, p = p](Term term) {
      return fmt::format("{}, {}: {}", kind(right()), p.text(), term_names[static_cast<std::size_t>(term)]);
    };
    for (const Term term : needed) {
      const ScaledTerm none(term, 0);
      EXPECT_TRUE(refuted(id, property, as_wrong_as_allowed(right, p, false), p)) << of(term);
    }
    for (const Term term : seen) {
      const ScaledTerm large(term, 16);
      EXPECT_TRUE(std::ranges::any_of(property.must_reject,
                                      [&, right = right, p = p](const auto& example) {
                                        const Encoding wrong = example.make();
                                        return example.precision == p && kind(wrong) == kind(right()) &&
                                               !refuted(id, property, wrong, p);
                                      }))
          << of(term) << " is 16 times as large";
    }
  }
}

// Whatever the logits are, the rows of their softmax sum to 1: only what is added to values, and the operator
// itself, can break it by little.
TEST(KeepsConstantSequencesConstant, holds_for_any_logits) {
  const Bias any = biases::bias_of(2, [](std::size_t h, Position i, Position j) {
    return static_cast<double>((7 * i + 5 * j + 3 * static_cast<Position>(h)) % 11) - 5;
  });
  for (const Encoding& encoding : {Encoding(any), Encoding(*attention::to_logits(any))})
    EXPECT_FALSE(refuted("attention/keeps_constant_sequences_constant",
                         asked::keeps_constant_sequences_constant, encoding, all_f64));
}

// A check's own arithmetic: of a mean, and of a difference where the mask is not kept.
TEST(AttentionProperties, count_their_own_roundings) {
  Attention exact{.dim = 1, .value_dim = 2};
  exact.attend = [](const Tensor& q, const Tensor&, const Tensor& v, const Mask&) {
    Tensor out({q.rows(), v.width()});
    for (double& value : out.data) value = 3;
    return out;
  };
  exact.errors = testing::each_entry([](const auto&...) { return 0.0; });
  const auto bound_of = [&](const Property& property, const char* words) {
    Replay draw(Case::parse(words));
    return (*trial(property, exact, all_f32))(draw).bound;
  };
  const char* mean = "n=4 permutation=[1,0,2,3] x=[1,2,3,4]";
  const char* difference = "n=2 mask=causal permutation=[1,0] x=[1,2]";
  EXPECT_EQ(bound_of(asked::pooled_readout_invariant, mean), 4 * unit_f64 * (3 + 3));
  EXPECT_EQ(bound_of(asked::has_the_symmetry_of_its_mask, difference), unit_f64);
  const ScaledTerm none(Term::ours, 0);
  EXPECT_EQ(bound_of(asked::pooled_readout_invariant, mean), 0);
  EXPECT_EQ(bound_of(asked::has_the_symmetry_of_its_mask, difference), 0);
}

}  // namespace
}  // namespace posproof::attention_bounds_test
