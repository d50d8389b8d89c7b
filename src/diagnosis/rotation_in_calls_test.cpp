// What is measured of a rotation whose frequencies depend on how far its call goes.
#include "diagnosis/rotation_in_calls.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "core/formats.h"
#include "core/function.h"
#include "diagnosis/testing/deviations.h"

namespace posproof::rotation_in_calls_test {
namespace {

using testing::said;
using testing::Sentences;
// The frequency of pair i of so many, in long calls and in short ones.
using Frequency = Function<double(double declared, std::size_t i, std::size_t pairs, bool is_long)>;

const std::string longrope =
    "dim=16 base=100 scaling=longrope factor=4 original_length=64 "
    "short_factors=[1,1.5,1.75,2,2.25,2.5,2.75,3.5] factors=[2,3.25,4.25,5.25,6.25,7.25,8.25,9.75]";
const std::string dynamic = "dim=16 base=100 scaling=dynamic_ntk factor=4 original_length=64";

Rotary at(Rotary own, const Frequency& other, bool is_long) {
  for (std::size_t i = 0; i < own.pairs.size(); ++i)
    own.pairs[i].frequency = other(own.pairs[i].frequency, i, own.pairs.size(), is_long);
  own.rotate = [pairs = own.pairs, a = own.amplitude](const Tensor& x, const Positions& positions, Role) {
    Tensor y = x;
    const std::size_t n = x.shape[2], heads = x.shape[1];
    for (std::size_t r = 0; r < x.rows(); ++r)
      for (const Pair& pair : pairs) {
        const double angle = static_cast<double>(positions[r / (heads * n) * n + r % n]) * pair.frequency;
        const double c = a * std::cos(angle), s = a * std::sin(angle);
        y.at(r, pair.first) = c * x.at(r, pair.first) - s * x.at(r, pair.second);
        y.at(r, pair.second) = s * x.at(r, pair.first) + c * x.at(r, pair.second);
      }
    return y;
  };
  return own;
}

Rotary made(const Parameters& parameters, const Frequency& other) {
  auto out = as<Rotary>(encoding_named("rope").make(parameters));
  const auto trained = static_cast<Position>(parameters.real("original_length"));
  if (!out.in_call) return at(out, other, true);
  out.in_call = [=, right = out.in_call](Position last) {
    return std::make_shared<const Rotary>(at(*right(last), other, last >= trained));
  };
  out.rotate = [in_call = out.in_call](const Tensor& x, const Positions& positions, Role role) {
    return in_call(positions.empty() ? 0 : std::ranges::max(positions))->rotate(x, positions, role);
  };
  return out;
}

Sentences said_at(const std::string& words, const Frequency& other) {
  return said("rope", words,
              [other](const Parameters& parameters) -> Encoding { return made(parameters, other); });
}

constexpr double longer[] = {2, 3.25, 4.25, 5.25, 6.25, 7.25, 8.25, 9.75};
constexpr double shorter[] = {1, 1.5, 1.75, 2, 2.25, 2.5, 2.75, 3.5};

// Of divisors that are read otherwise in long calls, in short ones, or in both.
Sentences divided(const Function<double(const double* all, std::size_t i)>& other, bool in_long,
                  bool in_short) {
  return said_at(longrope, [=](double declared, std::size_t i, std::size_t, bool is_long) {
    const double* all = is_long ? longer : shorter;
    return (is_long ? in_long : in_short) ? declared * all[i] / other(all, i) : declared;
  });
}

TEST(RotationInCalls, is_named_by_its_divisors) {
  const std::string in_long = "in calls that reach position 64: ",
                    in_short = "in calls that end before position 64: ";
  const auto of = [](double to, std::size_t pair) {
    return [=](const double* all, std::size_t i) { return i == pair ? to : all[i]; };
  };
  EXPECT_EQ(divided(of(6, 3), true, false), Sentences{in_long + "the divisor of pair 3 is 6, not 5.25"});
  EXPECT_EQ(divided(of(3, 7), false, true), Sentences{in_short + "the divisor of pair 7 is 3, not 3.5"});
  EXPECT_EQ(divided([](const double* all, std::size_t i) { return 1 / all[i]; }, false, true),
            Sentences{in_short + "frequencies are multiplied by their divisors"});
  EXPECT_EQ(divided([](const double*, std::size_t) { return 1; }, true, false),
            Sentences{in_long + "frequencies are not divided"});
  EXPECT_EQ(divided([](const double* all, std::size_t i) { return std::min(all[i], 7.0); }, true, true),
            Sentences{in_long + "divisors past 7 count as 7"});
  EXPECT_EQ(divided([](const double* all, std::size_t i) { return std::floor(all[i]); }, true, false),
            Sentences{in_long + "divisors are rounded down to whole numbers"});
  EXPECT_EQ(divided([](const double* all, std::size_t i) { return std::nearbyint(all[i]); }, true, false),
            Sentences{in_long + "divisors are rounded to whole numbers"});
  EXPECT_EQ(divided([](const double* all, std::size_t i) { return all[7 - i]; }, true, false),
            Sentences{in_long + "divisors stand in reverse order: pair i has that of the last pair but i"});
}

TEST(RotationInCalls, is_named_by_the_pair_whose_divisor_it_has) {
  const std::string in_short = "in calls that end before position 64: ";
  const auto moved = [](std::size_t (*other)(std::size_t)) {
    return divided([other](const double* all, std::size_t i) { return all[other(i)]; }, false, true);
  };
  EXPECT_EQ(
      moved([](std::size_t i) { return (i + 7) % 8; }),
      Sentences{in_short + "every pair has the divisor of the pair before, the first that of the last"});
  EXPECT_EQ(moved([](std::size_t i) { return (i + 1) % 8; }),
            Sentences{in_short + "every pair has the divisor of the pair after, the last that of the first"});
  EXPECT_EQ(moved([](std::size_t i) { return i == 0 ? 0 : i - 1; }),
            Sentences{in_short + "every pair but the first has the divisor of the pair before"});
  EXPECT_EQ(moved([](std::size_t i) { return std::min<std::size_t>(i + 1, 7); }),
            Sentences{in_short + "every pair but the last has the divisor of the pair after"});
}

// The ladder that is divided: declared it is 100^(-2i/16).
TEST(RotationInCalls, is_named_by_its_ladder) {
  const auto of_ladder = [](const std::string& words, double by, bool in_long) {
    return said_at(words, [=](double declared, std::size_t i, std::size_t, bool is_long) {
      return is_long && !in_long ? declared
                                 : declared * std::pow(100.0, static_cast<double>(i) / 8) *
                                       std::pow(100.0, -(static_cast<double>(i) + by) / 8);
    });
  };
  EXPECT_EQ(of_ladder(longrope, 1, true),
            Sentences{"frequencies are base^(-(2i + 2)/16), not base^(-2i/16)"});
  EXPECT_EQ(of_ladder(dynamic, 1, false),
            Sentences{"in calls that end before position 64: frequencies are base^(-(2i + 2)/16), not "
                      "base^(-2i/16)"});
  EXPECT_EQ(of_ladder(longrope, 0, true), Sentences{});
}

// What is measured alone, which no answer confirms.
struct Asked {
  Parameters parameters;
  Rotary truth, own;

  Asked(const std::string& words, const Frequency& other)
      : parameters(with(encoding_named("rope"), Case::parse(words))),
        truth(encoding_named("rope").oracle<Rotary>(parameters)),
        own(made(parameters, other)) {}

  std::optional<MeasuredInCalls> found() const {
    return measured_in_calls(own, truth, encoding_named("rope"), parameters, {"made", "", own, all_f32});
  }
  Sentences sentences() const {
    const auto is = found();
    return is ? is->sentences : Sentences{};
  }
};

double as_declared(double declared, std::size_t, std::size_t, bool) {
  return declared;
}

// Those pairs have another divisor, in long calls or in short ones.
Frequency with_divisors(const std::map<std::size_t, double>& of, bool in_long, bool in_short) {
  return [=](double declared, std::size_t i, std::size_t, bool is_long) {
    const auto one = of.find(i);
    if (one == of.end() || !(is_long ? in_long : in_short)) return declared;
    return declared * (is_long ? longer : shorter)[i] / one->second;
  };
}

bool names_divisors(const Sentences& all) {
  return std::ranges::any_of(all, [](const std::string& one) { return one.find("divisor") != one.npos; });
}

TEST(RotationInCalls, is_not_measured_where_it_is_as_declared) {
  EXPECT_FALSE(Asked(longrope, &as_declared).found());
  EXPECT_FALSE(Asked(dynamic, &as_declared).found());
}

// Pair 3 has one divisor in short calls and another in long ones: what is said of both is not the same.
TEST(RotationInCalls, is_said_of_short_and_of_long_calls) {
  EXPECT_EQ(Asked(longrope, with_divisors({{3, 5}}, true, true)).sentences(),
            (Sentences{"in calls that end before position 64: the divisor of pair 3 is 5, not 2",
                       "in calls that reach position 64: the divisor of pair 3 is 5, not 5.25"}));
  EXPECT_EQ(Asked(longrope,
                  [](double declared, std::size_t i, std::size_t, bool is_long) {
                    const double own = (is_long ? longer : shorter)[i];
                    return declared * own / std::min(own, 2.0);
                  })
                .sentences(),
            Sentences{"divisors past 2 count as 2"});
}

// Longer calls of a base that grows have frequencies of their own each.
TEST(RotationInCalls, is_of_long_calls_where_all_have_the_same_frequencies) {
  EXPECT_FALSE(Asked(dynamic, [](double declared, std::size_t, std::size_t, bool is_long) {
                 return is_long ? declared / 2 : declared;
               }).found());
}

// Divisors of calls of every length.
TEST(RotationInCalls, is_measured_where_no_call_is_short) {
  const std::string words =
      "dim=16 base=100 scaling=longrope factor=4 original_length=64 "
      "factors=[2,3.25,4.25,5.25,6.25,7.25,8.25,9.75]";
  EXPECT_EQ(Asked(words, with_divisors({{3, 6}}, true, true)).sentences(),
            Sentences{"the divisor of pair 3 is 6, not 5.25"});
}

TEST(RotationInCalls, is_none_of_rows_with_lengths_of_their_own_nor_below_0) {
  EXPECT_FALSE(Asked(longrope + " length_of=row", with_divisors({{3, 6}}, true, true)).found());
  Asked below(longrope, with_divisors({{3, 6}}, true, true));
  ASSERT_TRUE(below.found());
  below.own.positions = below.truth.positions = Domain(-8, below.truth.positions.hi);
  EXPECT_FALSE(below.found());
}

// Three of six pairs are few, four of eight are not.
TEST(RotationInCalls, is_of_few_divisors) {
  const std::string few =
      "dim=12 base=100 scaling=longrope factor=4 original_length=64 short_factors=[1,1,1,1,1,1] "
      "factors=[2,3.25,4.25,5.25,6.25,7.25]";
  EXPECT_EQ(Asked(few, with_divisors({{0, 3}, {2, 5}, {4, 5}}, true, false)).sentences(),
            Sentences{"in calls that reach position 64: the divisor of pair 0 is 3, not 2, the divisor of "
                      "pair 2 is 5, not 4.25, the divisor of pair 4 is 5, not 6.25"});
  EXPECT_FALSE(names_divisors(
      Asked(longrope, with_divisors({{0, 3}, {2, 5}, {4, 5}, {6, 9}}, true, false)).sentences()));
}

// A rotation of queries alone, or of one head, is not that of the divisors.
TEST(RotationInCalls, is_of_divisors_that_all_heads_of_queries_and_keys_share) {
  for (const Role role : {Role::query, Role::key}) {
    Asked one(longrope, with_divisors({{3, 6}}, true, true));
    one.own.rotate = [own = one.own, truth = one.truth, role](const Tensor& x, const Positions& positions,
                                                              Role of) {
      return (of == role ? own : truth).rotate(x, positions, of);
    };
    EXPECT_FALSE(names_divisors(one.sentences()));
  }
  for (const std::size_t head : {0, 1}) {
    Asked one(longrope + " heads=2", with_divisors({{3, 6}}, true, true));
    one.own.rotate = [own = one.own, truth = one.truth, head](const Tensor& x, const Positions& positions,
                                                              Role role) {
      Tensor out = truth.rotate(x, positions, role);
      const Tensor other = own.rotate(x, positions, role);
      const std::size_t heads = x.shape[1], n = x.shape[2];
      for (std::size_t r = 0; r < x.rows(); ++r)
        if (r / n % heads == head) std::ranges::copy(other.row(r), out.row(r).begin());
      return out;
    };
    EXPECT_FALSE(names_divisors(one.sentences())) << head;
  }
}

// All frequencies are 1/8 where 1, 1/2, 1/4 and 1/8 are divided by 8, 4, 2 and 1: only partners tell pairs
// apart.
TEST(RotationInCalls, is_of_divisors_of_the_declared_pairs) {
  const std::string words = "dim=8 base=16 scaling=longrope factor=4 original_length=64 factors=[8,4,2,1]";
  const Frequency slower = [](double declared, std::size_t i, std::size_t, bool) {
    return i == 3 ? declared / 2 : declared;
  };
  Asked one(words, slower);
  EXPECT_TRUE(names_divisors(one.sentences()));
  one.own = one.truth;
  std::swap(one.own.pairs[0].second, one.own.pairs[1].second);
  one.own = at(one.own, slower, true);
  EXPECT_FALSE(names_divisors(one.sentences()));
}

// What stands for the subject does what it does on both sides of the length, and is allowed what is lost in
// measuring where it was measured.
TEST(RotationInCalls, has_a_model_of_short_and_of_long_calls) {
  const Asked one(longrope, with_divisors({{3, 3}}, false, true));
  const auto found = one.found();
  ASSERT_TRUE(found);
  const Model right = model_of(one.truth, all_f32);
  for (const Position last : {63, 64}) {
    Call call = sequence(one.truth, {last});
    for (Tensor& content : call.contents) std::ranges::fill(content.data, 1.0);
    const Tensor is = answer(found->model.encoding, call), ought = answer(one.own, call);
    // A measured angle of up to 64 is off by less than 64 roundings in f32.
    for (std::size_t c = 0; c < is.data.size(); ++c)
      EXPECT_NEAR(is.data[c], ought.data[c], 64 * unit_f32) << last << ": " << c;
    const bool same = found->model.error(call, ought, last).data == right.error(call, ought, last).data;
    EXPECT_EQ(same, last == 64) << last;
  }
}

// Of pairs that are within the rounding of answers in f32 of the declared ones it is just these: an angle of
// up to 63 is rounded, and so are its cosine and sine, and a sum of two.
TEST(RotationInCalls, has_a_model_with_the_declared_frequencies_of_the_other_pairs) {
  Asked one(longrope, with_divisors({{3, 3}}, false, true));
  one.own.rotate = [own = one.own.rotate](const Tensor& x, const Positions& positions, Role role) {
    Tensor y = own(x, positions, role);
    for (double& entry : y.data) entry = to_f32(entry);
    return y;
  };
  const auto found = one.found();
  ASSERT_TRUE(found);
  for (const Role role : {Role::query, Role::key}) {
    Call call = sequence(one.truth, {63});
    call.role = role;
    for (Tensor& content : call.contents) std::ranges::fill(content.data, 1.0);
    const Tensor is = answer(found->model.encoding, call), ought = answer(one.truth, call);
    for (const Pair& pair : one.truth.pairs)
      for (const std::size_t c : {pair.first, pair.second})
        if (pair.index != 3) EXPECT_NEAR(is.at(0, c), ought.at(0, c), 2 * (63 + 3) * unit_f64) << c;
  }
}

TEST(RotationInCalls, has_the_first_position_and_the_shape_of_the_asked) {
  Rotary own{.dim = 2, .heads = 1};
  own.positions = Domain(5, 100);
  own.rotate = [](const Tensor&, const Positions&, Role) { return Tensor({1, 1, 4, 2}); };
  const Rotary longer_ones = in_calls_to(own, 50);
  EXPECT_EQ(longer_ones.positions.lo, 5);
  const std::vector<Position> at = {7};
  EXPECT_THROW(longer_ones.rotate(Tensor({1, 1, 1, 2}), at, Role::query), std::runtime_error);
}

TEST(RotationInCalls, is_asked_with_one_token_more) {
  std::vector<Position> asked;
  Rotary own{.dim = 2, .heads = 2};
  own.rotate = [&asked](const Tensor& x, const Positions& positions, Role) {
    asked.assign(positions.begin(), positions.end());
    Tensor y = x;
    for (double& entry : y.data) entry *= 2;
    return y;
  };
  Tensor x({2, 2, 2, 2});
  for (std::size_t n = 0; n < x.data.size(); ++n) x.data[n] = static_cast<double>(n + 1);
  const std::vector<Position> at = {3, 5, 7, 1};
  const Rotary longer_ones = in_calls_to(own, 9);
  const Tensor y = longer_ones.rotate(x, at, Role::query);
  EXPECT_EQ(asked, (std::vector<Position>{3, 5, 9, 7, 1, 9}));
  ASSERT_EQ(y.shape, x.shape);
  for (std::size_t n = 0; n < x.data.size(); ++n) EXPECT_EQ(y.data[n], 2 * x.data[n]) << n;
  EXPECT_EQ(longer_ones.positions.hi, 9);
}

}  // namespace
}  // namespace posproof::rotation_in_calls_test
