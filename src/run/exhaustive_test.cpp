// Biases at every pair of positions: from a file whatever its length, from a live one where it ends.
#include "run/exhaustive.h"
#include "attention/reference_attention.h"

#include <gtest/gtest.h>

#include <cmath>

#include "run/catalogued.h"
#include "run/gate.h"
#include "run/narrowed.h"
#include "subject/testing/npy.h"

namespace posproof {
namespace {

const EncodingSpec& alibi() {
  return encoding_named("alibi");
}

Parameters parameters() {
  return with(alibi(), Case::parse("heads=1"));
}

// All pairs of the first positions, correctly rounded to f32.
Tensor entries(std::size_t count) {
  std::vector<Position> at;
  for (std::size_t t = 0; t < count; ++t) at.push_back(static_cast<Position>(t));
  Tensor values = std::get<Bias>(alibi().oracle(parameters())).bias(at, at);
  for (double& value : values.data) value = nearest(Format::f32, value);
  return values;
}

Exhaustive of_file(const Tensor& values) {
  const testing::Written file("exhaustive.npy", values, true);
  const Encoding truth = alibi().oracle(parameters());
  const Subject subject =
      open(file.subject(),
           {.encoding = "alibi", .parameters = parameters(), .declared = attention::in_every_kind(truth)});
  return exhaustive(truth, subject, {}, false);
}

TEST(Exhaustive, all_pairs_of_a_file_of_biases_are_compared) {
  Tensor values = entries(1100);
  const Exhaustive right = of_file(values);
  ASSERT_TRUE(right.verdict && right.accuracy);
  EXPECT_EQ(std::get<Holds>(*right.verdict).cases, 1100u);
  EXPECT_EQ(right.accuracy->wrong, 0u);

  double& last = values.at(1099, 1096);
  last = static_cast<double>(std::nextafter(static_cast<float>(last), 0.0f));
  const Exhaustive by_a_unit = of_file(values);
  EXPECT_TRUE(std::holds_alternative<Holds>(by_a_unit.verdict.value()));
  EXPECT_EQ(by_a_unit.accuracy.value().wrong, 1u);

  last *= 1.001;
  const auto refuted = std::get<Refuted>(of_file(values).verdict.value());
  EXPECT_EQ(refuted.counterexample.text(), "nq=1 nk=1 i=1099 j=1096");
}

TEST(Exhaustive, a_live_bias_is_compared_where_it_ends_or_says_what_was_left_out) {
  const Encoding truth = alibi().oracle(parameters());
  Subject live{"alibi", "built in", alibi().make(parameters()), all_f64, true};
  const Exhaustive endless = exhaustive(truth, live, {}, true);
  EXPECT_EQ(std::get<Undecided>(endless.verdict.value()).why,
            "too many pairs: positions 1024 to 1048576 were not compared");
  EXPECT_EQ(endless.accuracy.value().rows, 1024u);

  live.encoding = narrowed(std::move(live.encoding), 0, 99);
  const Exhaustive narrow = exhaustive(truth, live, {}, true);
  EXPECT_EQ(std::get<Holds>(narrow.verdict.value()).cases, 100u);
  EXPECT_EQ(narrow.accuracy.value().last, 99);
}

}  // namespace
}  // namespace posproof
