// What is done to contents before anything else: fewer digits, a limit, small ones lost.
#include "diagnosis/content_deviations.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

#include "core/call.h"
#include "core/formats.h"
#include "core/function.h"
#include "diagnosis/testing/deviations.h"
#include "run/catalogued.h"

namespace posproof::content_deviations_test {
namespace {

using testing::said;
using testing::Sentences;
using OfContent = Function<double(double x, const Call& call, std::size_t operand)>;

// The right answers to other contents.
Sentences of(const std::string& family, const std::string& words, const OfContent& change,
             const Precision& precision = all_f32) {
  return said(
      family, words,
      [=](const Parameters& parameters) {
        const Encoding right = encoding_named(family).make(parameters);
        return answered_by(right, [=](const Call& call) {
          Call other = call;
          for (std::size_t n = 0; n < other.contents.size(); ++n)
            for (double& x : other.contents[n].data) x = change(x, call, n);
          return answer(right, other);
        });
      },
      precision);
}

TEST(ContentDeviations, name_the_format_of_contents) {
  EXPECT_EQ(of("rope", "dim=4", [](double x, auto&, auto) { return to_bf16(x); }),
            (Sentences{"contents are rounded to bf16"}));
  EXPECT_EQ(of("rope", "dim=4", [](double x, auto&, auto) { return to_f16(x); }),
            (Sentences{"contents are rounded to f16"}));
  EXPECT_EQ(of(
                "rope", "dim=4", [](double x, auto&, auto) { return to_f32(x); }, all_f64),
            (Sentences{"contents are rounded to f32"}));
}

TEST(ContentDeviations, name_whose_contents_they_are) {
  EXPECT_EQ(of("rope", "dim=4",
               [](double x, const Call& call, auto) { return call.role == Role::key ? to_bf16(x) : x; }),
            (Sentences{"keys are rounded to bf16"}));
}

TEST(ContentDeviations, name_the_limit_that_contents_are_held_within) {
  EXPECT_EQ(of("rope", "dim=4", [](double x, auto&, auto) { return std::clamp(x, -8.0, 8.0); }),
            (Sentences{"contents are held between -8 and 8"}));
  EXPECT_EQ(of("rope", "dim=4", [](double x, auto&, auto) { return std::clamp(x, -64.0, 64.0); }),
            (Sentences{"contents are held between -64 and 64"}));
}

TEST(ContentDeviations, name_the_limit_below_which_contents_are_lost) {
  EXPECT_EQ(of("rope", "dim=4", [](double x, auto&, auto) { return std::abs(x) < 1e-3 ? 0 : x; }),
            (Sentences{"contents whose absolute value is below 0.001 are taken for 0"}));
}

// On one side alone, and of what is lost where it is large.
TEST(ContentDeviations, have_no_name_where_it_is_no_limit) {
  EXPECT_EQ(of("rope", "dim=4", [](double x, auto&, auto) { return std::min(x, 8.0); }), Sentences{});
  EXPECT_EQ(of("rope", "dim=4", [](double x, auto&, auto) { return std::abs(x) > 8 ? 0 : x; }), Sentences{});
}

// What is measured of a rotation of other contents, without a search.
std::optional<Deviation> limited(const Function<double(double x)>& change) {
  const Encoding declared = encoding_named("rope").make(Case::parse("dim=4"));
  const Subject subject{"made", "",
                        answered_by(declared,
                                    [=](Call call) {
                                      for (double& x : call.contents.front().data) x = change(x);
                                      return answer(declared, call);
                                    }),
                        all_f32};
  return limited_contents(subject, declared);
}

// At position 0 nothing rotates: what is answered is what the limit makes of the content.
TEST(ContentDeviations, have_a_whole_limit_where_it_is_one_within_what_is_known) {
  const auto of_100 = [](double limit) {
    const auto found = limited([limit](double x) { return std::clamp(x, -limit, limit); });
    if (!found) return 0.0;
    const Tensor x({1, 1, 1, 4}, {100, 100, 100, 100});
    const std::vector<Position> first = {0};
    return as<Rotary>(found->corrected).rotate(x, first, Role::query).data.front();
  };
  EXPECT_EQ(of_100(10 * (1 + 5e-6)), 10);
  EXPECT_NEAR(of_100(10.5), 10.5, 1e-6);
}

// What is held below 64 and right again from there on is held within nothing.
TEST(ContentDeviations, are_no_limit_where_larger_contents_are_right) {
  EXPECT_TRUE(limited([](double x) { return std::clamp(x, -8.0, 8.0); }));
  EXPECT_FALSE(limited([](double x) { return std::abs(x) < 64 ? std::clamp(x, -8.0, 8.0) : x; }));
}

}  // namespace
}  // namespace posproof::content_deviations_test
