// ALiBi whose rows may be shifted: m (j + 1) under a causal mask is ALiBi, and a wrong slope is not.
#include <gtest/gtest.h>

#include <cmath>

#include "attention/reference_attention.h"
#include "catalogue/encodings/alibi.h"
#include "core/formats.h"
#include "core/function.h"
#include "run/catalogued.h"
#include "run/claimed.h"
#include "run/recorded.h"
#include "search/trial.h"

namespace posproof::shifted_rows_test {
namespace {

Parameters shifted(const char* words = "heads=12 rows=any") {
  return with(encodings::alibi, Case::parse(words));
}

using Entry = Function<double(double slope, double i, double j)>;

Bias of(const Entry& entry, const Parameters& parameters = shifted()) {
  Bias bias = encodings::alibi.oracle<Bias>(parameters);
  bias.bias = [entry, slopes = bias.slopes](const Positions& queries, const Positions& keys) {
    Tensor out({slopes.size(), queries.size(), keys.size()});
    auto to = out.data.begin();
    for (const double slope : slopes)
      for (const Position i : queries)
        for (const Position j : keys)
          *to++ = to_f32(entry(to_f32(slope), static_cast<double>(i), static_cast<double>(j)));
    return out;
  };
  return bias;
}

double from_one(double slope, double, double j) {
  return slope * (j + 1);
}

Verdict agreed(const Bias& subject, const Parameters& parameters = shifted()) {
  return agreement_searched(encodings::alibi.oracle(parameters), subject, all_f32, {.id = "shifted"});
}

TEST(ShiftedRows, of_keys_counted_from_one_agree_and_hold_in_every_claim) {
  EXPECT_TRUE(std::holds_alternative<Holds>(agreed(of(&from_one))));
  const Parameters few = shifted("heads=3 rows=any");
  const Bias subject = of(&from_one, few);
  EXPECT_TRUE(std::holds_alternative<Holds>(agreed(subject, few)));
  for (const Encoding& kind : attention::in_every_kind(Encoding(subject)))
    for (const Claim& claim : claims_of(encodings::alibi)) {
      if (!claim.holds || !claim.when.met(few)) continue;
      const std::string id(id_of(*claim.property));
      if (const auto one = trial(*claim.property, kind, all_f32)) {
        EXPECT_TRUE(std::holds_alternative<Holds>(search(*one, {.id = id}))) << id;
      }
    }
}

TEST(ShiftedRows, are_refuted_where_rows_are_declared) {
  for (const char* rows : {"heads=12", "heads=12 rows=key_index"}) {
    const Parameters declared = with(encodings::alibi, Case::parse(rows));
    EXPECT_TRUE(std::holds_alternative<Refuted>(agreed(of(&from_one, declared), declared))) << rows;
  }
}

TEST(ShiftedRows, of_a_wrong_slope_are_refuted) {
  // By 2^-19 of itself, 32 units of f32; by another rule; and one that grows with the key.
  EXPECT_TRUE(std::holds_alternative<Refuted>(
      agreed(of([](double slope, double i, double j) { return -slope * (1 + 0x1p-19) * (i - j); }))));
  EXPECT_TRUE(std::holds_alternative<Refuted>(
      agreed(of([](double slope, double, double j) { return slope * (1 + 0x1p-12) * (j + 1); }))));
  EXPECT_TRUE(std::holds_alternative<Refuted>(
      agreed(of([](double slope, double, double j) { return slope * (j + 1e-9 * j * j); }))));
}

// In f32, 2^60 leaves nothing of the bias.
TEST(ShiftedRows, a_constant_that_swallows_the_bias_is_refuted) {
  EXPECT_TRUE(std::holds_alternative<Refuted>(
      agreed(of([](double slope, double, double j) { return slope * j + 0x1p60; }))));
}

}  // namespace
}  // namespace posproof::shifted_rows_test
