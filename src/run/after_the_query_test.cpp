// Where only keys at or before the query mean anything, nothing that is answered for a later key is looked
// at: in agreement and in every property that the encoding claims, of each kind that a subject may give.
#include <gtest/gtest.h>

#include <cmath>

#include "attention/reference_attention.h"
#include "catalogue/encodings/alibi.h"
#include "catalogue/encodings/t5_bias.h"
#include "run/agreement.h"
#include "run/catalogued.h"
#include "run/claimed.h"
#include "run/recorded.h"
#include "search/trial.h"

namespace posproof::after_the_query_test {
namespace {

// NaN for every later key.
Bias none_after_the_query(Bias bias) {
  bias.bias = [right = bias.bias](const Positions& queries, const Positions& keys) {
    Tensor out = right(queries, keys);
    for (std::size_t e = 0; e < out.data.size(); ++e)
      if (keys[e % keys.size()] > queries[e / keys.size() % queries.size()]) out.data[e] = std::nan("");
    return out;
  };
  return bias;
}

bool looks(const Verdict& verdict) {
  return std::holds_alternative<Refuted>(verdict) || std::holds_alternative<Errored>(verdict);
}

void expect_unseen(const EncodingSpec& spec, const char* words) {
  const Parameters parameters = with(spec, Case::parse(words));
  const Encoding truth = spec.oracle(parameters);
  std::size_t asked = 0;
  for (const Encoding& subject :
       attention::in_every_kind(none_after_the_query(spec.make<Bias>(parameters)))) {
    const std::string about = std::string(words) + ", " + std::string(kind(subject));
    EXPECT_FALSE(looks(agreement_searched(truth, subject, all_f64, {.id = "agreement"}))) << about;
    for (const Claim& claim : claims_of(spec)) {
      if (!claim.holds || !claim.when.met(parameters)) continue;
      const auto one = trial(*claim.property, subject, all_f64);
      if (!one) continue;
      const std::string id(id_of(*claim.property));
      // Nearly every call has a key after a query: one that is looked at is in the first few of these.
      const Verdict verdict = search(*one, {.id = id, .budget = {.cases = 80}});
      EXPECT_FALSE(looks(verdict)) << about << ", " << id;
      if (std::holds_alternative<Holds>(verdict)) ++asked;
    }
  }
  EXPECT_GT(asked, 15u) << words;
}

TEST(AfterTheQuery, nothing_of_alibi_is_looked_at) {
  for (const char* words : {"heads=3", "heads=3 rows=key_index", "heads=3 rows=any"})
    expect_unseen(encodings::alibi, words);
}

TEST(AfterTheQuery, nothing_of_a_bucketed_bias_in_a_decoder_is_looked_at) {
  expect_unseen(encodings::t5_bias, "heads=3 direction=unidirectional");
}

}  // namespace
}  // namespace posproof::after_the_query_test
