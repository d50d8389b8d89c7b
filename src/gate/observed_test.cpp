#include "gate/observed.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <utility>

#include "core/call.h"
#include "core/function.h"
#include "run/catalogued.h"

namespace posproof::observed_test {
namespace {

using std::chrono::seconds;

const EncodingSpec& rope() {
  return encoding_named("rope");
}

Rotary truth() {
  return as<Rotary>(rope().oracle(with(rope(), Case::parse("dim=4 heads=2"))));
}

Observations observed(const Function<Tensor(const Call&)>& answers) {
  const Subject subject{
      .name = "", .description = "", .encoding = answered_by(truth(), answers), .precision = all_f64};
  const auto found = observe(subject, truth(), 1, seconds(10));
  EXPECT_TRUE(found.has_value());
  return found.value_or(Observations{});
}

TEST(Observed, the_same_bits_are_seen) {
  const Observations found = observed([](const Call& call) { return answer(truth(), call); });
  EXPECT_GE(found.repeated.calls, 20u);
  EXPECT_GE(found.alone.calls, 10u);
  EXPECT_EQ(found.repeated.differ, 0u);
  EXPECT_EQ(found.alone.differ, 0u);
  EXPECT_EQ(words(found.repeated), fmt::format("same bits in {0} of {0} calls", found.repeated.calls));
}

// With whatever bits: another thread's NaN may have another sign.
TEST(Observed, nan_is_nan) {
  const auto calls = std::make_shared<int>(0);
  const Observations found = observed([calls](const Call& call) {
    Tensor out = answer(truth(), call);
    for (double& entry : out.data) entry = std::copysign(std::nan(""), ++*calls % 2 == 0 ? 1.0 : -1.0);
    ++*calls;
    return out;
  });
  EXPECT_GE(found.repeated.calls, 20u);
  EXPECT_EQ(found.repeated.differ, 0u);
}

TEST(Observed, every_second_answer_with_another_bit_is_counted) {
  const auto odd = std::make_shared<bool>(false);
  const Observations found = observed([odd](const Call& call) {
    Tensor out = answer(truth(), call);
    if (!out.data.empty() && (*odd = !*odd)) out.data[0] = -0.0;
    return out;
  });
  EXPECT_GT(found.repeated.differ, 0u);
  EXPECT_TRUE(found.repeated.first.has("batch"));
}

// The second of two answers to one call: the first time off by `first`, then by `later`.
Observations repeated_off_by(double first, double later) {
  const auto before = std::make_shared<std::vector<double>>();
  const auto off = std::make_shared<double>(first);
  return observed([=](const Call& call) {
    Tensor out = answer(truth(), call);
    const bool again = !out.data.empty() && *before == out.data;
    *before = out.data;
    if (again) out.data.back() = std::exchange(*off, later) + out.data.back();
    return out;
  });
}

// Of sums of up to 2, each rounded by 2^-53 at most.
TEST(Observed, the_largest_difference_is_kept) {
  EXPECT_NEAR(repeated_off_by(0.5, 0.25).repeated.largest, 0.5, 0x1p-52);
  EXPECT_NEAR(repeated_off_by(0.25, 0.5).repeated.largest, 0.5, 0x1p-52);
  EXPECT_NEAR(repeated_off_by(-0.5, 0.25).repeated.largest, 0.5, 0x1p-52);
  EXPECT_TRUE(std::isnan(repeated_off_by(std::nan(""), 0.25).repeated.largest)) << "it is the worst";
  EXPECT_TRUE(std::isnan(repeated_off_by(0.25, std::nan("")).repeated.largest));
  EXPECT_EQ(words({.calls = 7, .differ = 2, .largest = 0.125, .first = Case::parse("t=1")}),
            "same bits in 5 of 7 calls, at most 0.13 apart, first at t=1");
  EXPECT_EQ(words({.calls = 7, .differ = 1, .largest = std::nan(""), .first = Case::parse("t=1")}),
            "same bits in 6 of 7 calls, some of them infinitely far apart, or no numbers, first at t=1");
}

TEST(Observed, the_first_that_differs_is_named) {
  EXPECT_EQ(repeated_off_by(0.5, 0.25).repeated.first.text(), repeated_off_by(0.5, 0).repeated.first.text());
}

// As a matrix product does, which has another kernel for one row.
TEST(Observed, a_row_that_has_other_bits_alone_is_counted) {
  const Observations found = observed([](const Call& call) {
    Tensor out = answer(truth(), call);
    if (call.batch == 1)
      for (double& value : out.data) value = std::nextafter(value, 10);
    return out;
  });
  EXPECT_EQ(found.repeated.differ, 0u);
  EXPECT_EQ(found.alone.differ, found.alone.calls);
  EXPECT_GT(found.alone.largest, 0);
  EXPECT_NE(words(found.alone).find(" apart, first at batch="), std::string::npos) << words(found.alone);
}

// Only the last row of several.
TEST(Observed, the_last_row_is_asked_alone) {
  const Observations found = observed([](const Call& call) {
    Tensor out = answer(truth(), call);
    if (call.batch > 1)
      for (std::size_t e = out.data.size() / call.batch * (call.batch - 1); e < out.data.size(); ++e)
        out.data[e] = std::nextafter(out.data[e], 10);
    return out;
  });
  EXPECT_EQ(found.repeated.differ, 0u);
  EXPECT_GT(found.alone.calls, 5u);
  EXPECT_EQ(found.alone.differ, found.alone.calls);
}

TEST(Observed, what_raises_or_is_a_file_is_left_out) {
  const Observations found = observed([](const Call&) -> Tensor { throw std::runtime_error("no"); });
  EXPECT_EQ(found.repeated.calls, 0u);
  const Subject file{.name = "", .description = "", .encoding = truth(), .precision = all_f64, .live = false};
  EXPECT_FALSE(observe(file, truth(), 1, seconds(10)));
}

}  // namespace
}  // namespace posproof::observed_test
