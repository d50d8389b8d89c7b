// The residuals of the statements about biases, computed by hand: an answer is wrong in one entry, each in
// turn, and that is what is found, with what is allowed there and how wrong it could have been.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "catalogue/properties/bias/depends_on_offset.h"
#include "catalogue/properties/bias/falls_at_the_first_step.h"
#include "catalogue/properties/bias/falls_with_distance.h"
#include "catalogue/properties/bias/has_exact_buckets.h"
#include "catalogue/properties/bias/has_geometric_slopes.h"
#include "catalogue/properties/bias/has_monotone_buckets.h"
#include "catalogue/properties/bias/is_conditionally_positive_definite.h"
#include "catalogue/properties/bias/is_zero_at_offset_zero.h"
#include "catalogue/properties/bias/saturates.h"
#include "core/formats.h"
#include "entries.h"
#include "search/testing/residuals.h"

namespace posproof::bias_residuals_test {
namespace {

using namespace biases;
using namespace properties::bias;
using namespace residuals;

constexpr double u = unit_f32;
constexpr double infinity = std::numeric_limits<double>::infinity();

// What our own arithmetic in double may lose is too little to be seen beside f32: it is multiplied by this.
constexpr double visible = 0x1p20;
constexpr double our_unit = visible * unit_f64;

// The entry of that head, query and key is larger by that.
Encoding wrong_in(const Encoding& right, std::size_t head, std::size_t query, std::size_t key, double by) {
  return spoiled(right, [=](const AnswerEntry& at, double exact) {
    return at.head == head && at.token == query && at.key == key ? exact + by : exact;
  });
}

// A power, its exponent and the product with a distance, of a slope that is a power of 2.
double slope_units(double slope) {
  return 4 + 3 * std::abs(std::log(slope)) + 2;
}

// Slopes 1/2 and 1/4; keys at distances 7 and 4 of either query.
TEST(BiasDependsOnOffset, finds_each_of_the_four_entries_of_every_head) {
  const ScaledTerm ours(Term::ours, visible);
  const double by = 0x1p-4;
  const std::array<double, 2> slopes = {0.5, 0.25};
  for (const Precision& p : {all_f32, in_bf16}) {
    const double each = p == in_bf16 ? 2 * u + unit_bf16 : 2 * u;
    for (std::size_t h = 0; h < 2; ++h)
      for (std::size_t q = 0; q < 2; ++q)
        for (std::size_t k = 0; k < 4; ++k) {
          SCOPED_TRACE(fmt::format("head {}, query {}, key {}", h, q, k));
          const double scale = p == in_bf16 ? 16 : 1;
          const Residual found =
              replayed(depends_on_offset, wrong_in(sloped(), h, q, k, scale * by), "i=9 j=2 k=13 t=3", p);
          if (k / 2 != q) {
            EXPECT_TRUE(found.holds());
            continue;
          }
          double sizes = 2 * (7 + 4) * slopes[h];
          const double distance = k % 2 == 0 ? 7 : 4;
          sizes += std::abs(-distance * slopes[h] + scale * by) - distance * slopes[h];
          const double off = (k % 2 == 0 ? 1 : -1) * scale * by,
                       differences = std::abs(off - 3 * slopes[h]) + 3 * slopes[h];
          expect(found, scale * by, each * sizes + our_unit * differences, no_ceiling);
        }
  }
}

TEST(BiasDependsOnOffset, allows_a_table_one_operation_and_one_rounding) {
  const ScaledTerm ours(Term::ours, visible);
  const Residual found =
      replayed(depends_on_offset, wrong_in(tabled(), 1, 1, 2, 1), "i=9 j=2 k=13 t=3", in_bf16);
  expect(found, 1, 2 * unit_bf16 * (9 + 6 + 10 + 6) + our_unit * (3 + 4), no_ceiling);
}

TEST(BiasDependsOnOffset, refutes_what_is_no_number) {
  for (const std::size_t key : {0u, 3u})
    expect(replayed(depends_on_offset, wrong_in(sloped(), 1, key / 2, key, infinity), "i=9 j=2 k=13 t=3"), 1,
           0, 1);
}

TEST(BiasDependsOnOffset, asks_inside_the_domain_and_of_a_causal_bias_before_the_query) {
  const auto drawn = [](bool causal, int i, int j, int k, int t) {
    Bias bias = sloped();
    bias.positions = {-2, 16};
    bias.causal = causal;
    return replayed(depends_on_offset, bias, fmt::format("i={} j={} k={} t={}", i, j, k, t));
  };
  EXPECT_TRUE(drawn(true, 9, 9, -2, 7).holds());
  EXPECT_TRUE(drawn(true, 9, -2, 9, 7).holds());
  EXPECT_THROW(drawn(true, 9, 10, 2, 1), NoAnswer);
  EXPECT_THROW(drawn(true, 9, 2, 10, 1), NoAnswer);
  EXPECT_THROW(drawn(true, 9, -3, 2, 1), NoAnswer);
  EXPECT_THROW(drawn(true, 9, 1, 2, 8), NoAnswer);
  EXPECT_TRUE(drawn(false, 9, 12, 2, 4).holds());
  EXPECT_TRUE(drawn(false, 9, 2, 12, 4).holds());
  EXPECT_THROW(drawn(false, 9, 12, 2, 5), NoAnswer);
  EXPECT_THROW(drawn(false, 9, 2, 12, 5), NoAnswer);
  EXPECT_THROW(drawn(false, 9, 17, 2, 1), NoAnswer);
  EXPECT_THROW(drawn(false, 9, 2, 3, 0), Discard);
  EXPECT_THROW(drawn(false, 9, 2, 2, 1), Discard);
}

// The far key is 8 away, the near one 5: it is due that a slope m falls by 3 m.
TEST(FallsWithDistance, finds_what_is_lacking_of_the_fall_that_is_due) {
  const std::array<double, 2> slopes = {0.5, 0.25};
  for (const char* side : {"past", "future"})
    for (std::size_t h = 0; h < 2; ++h) {
      const double m = slopes[h];
      const std::string words = fmt::format("far=8 near=5 side={} i=10", side);
      expect(replayed(falls_with_distance, wrong_in(sloped(), h, 0, 1, 2), words), 2,
             2 * u * (5 * m + std::abs(2 - 8 * m)) + 3 * m * slope_units(m) * u, 3 * m);
      expect(replayed(falls_with_distance, wrong_in(sloped(), h, 0, 0, -2), words), 2,
             2 * u * (5 * m + 2 + 8 * m) + 3 * m * slope_units(m) * u, 3 * m);
      // Any fall will do.
      EXPECT_EQ(replayed(falls_with_distance, wrong_in(sloped(), h, 0, 1, 2.75 * m), words).error, 0);
      // An entry that is equal lacks all of it.
      expect(replayed(falls_with_distance, wrong_in(sloped(), h, 0, 1, 3 * m), words), 3 * m,
             2 * u * (5 * m + 5 * m) + 3 * m * slope_units(m) * u, 3 * m);
    }
}

TEST(FallsWithDistance, without_slopes_allows_nothing) {
  const Encoding falls = bias_of(
      2, [](std::size_t, Position i, Position j) -> double { return -static_cast<double>(std::abs(i - j)); });
  const std::string words = "far=8 near=5 side=past i=10";
  EXPECT_TRUE(replayed(falls_with_distance, falls, words).holds());
  expect(replayed(falls_with_distance, wrong_in(falls, 1, 0, 1, 3.25), words), 0.25, 0, 1);
  expect(replayed(falls_with_distance, wrong_in(falls, 1, 0, 1, 3), words), 1, 0, 1);
  EXPECT_TRUE(replayed(falls_with_distance, wrong_in(falls, 1, 0, 1, 2.75), words).holds());
}

// With a bound of its own, an eighth for the near key and a quarter for the far one, two entries may be equal
// or in the wrong order by as much; not the query's own and another.
TEST(FallsWithDistance, allows_the_bounds_that_a_bias_brings) {
  Bias falls =
      bias_of(2, [](std::size_t, Position i, Position j) { return -static_cast<double>(std::abs(i - j)); });
  falls.error = [](std::size_t, std::span<const double> query, std::span<const double> key, double,
                   const Precision&) { return std::abs(query[0] - key[0]) == 5 ? 0.125 : 0.25; };
  for (const char* side : {"past", "future"})
    for (const std::size_t h : {0u, 1u}) {
      const std::string far = fmt::format("far=8 near=5 side={} i=10", side),
                        own = fmt::format("far=8 near=0 side={} i=10", side);
      EXPECT_TRUE(replayed(falls_with_distance, wrong_in(falls, h, 0, 1, 3.375), far).holds());
      expect(replayed(falls_with_distance, wrong_in(falls, h, 0, 1, 3.5), far), 0.5, 0.375, no_ceiling);
      expect(replayed(falls_with_distance, wrong_in(falls, h, 0, 1, 8), own), 1, 0, 1);
      expect(replayed(falls_with_distance, wrong_in(falls, h, 0, 1, 8.25), own), 0.25, 0, 1);
      EXPECT_TRUE(replayed(falls_with_distance, wrong_in(falls, h, 0, 1, 7.75), own).holds());
    }
}

TEST(FallsAtTheFirstStep, finds_each_head_on_each_side) {
  Bias plain = sloped();
  plain.slopes = {};
  for (const char* side : {"past", "future"})
    for (const std::size_t h : {0u, 1u}) {
      const std::string words = fmt::format("side={} i=10", side);
      const double m = h == 0 ? 0.5 : 0.25;
      EXPECT_TRUE(replayed(falls_at_the_first_step, wrong_in(plain, h, 0, 1, m - 0.125), words).holds());
      expect(replayed(falls_at_the_first_step, wrong_in(plain, h, 0, 1, m), words), 1, 0, 1);
      expect(replayed(falls_at_the_first_step, wrong_in(plain, h, 0, 1, m + 0.125), words), 0.125, 0, 1);
      expect(replayed(falls_at_the_first_step, wrong_in(sloped(), h, 0, 1, m), words), m,
             m * slope_units(m) * u, m);
    }
  Bias causal = sloped();
  causal.causal = true;
  causal.positions = {-4, 16};
  EXPECT_TRUE(replayed(falls_at_the_first_step, causal, "i=-3").holds());
  EXPECT_THROW(replayed(falls_at_the_first_step, causal, "i=-4"), NoAnswer);
}

// -D^2 at 10, 13 and 16 with the weights 1, -2, 1 is 0: entries of 9, 9 and 36 count 4, 4 and 2 times.
TEST(IsConditionallyPositiveDefinite, finds_each_entry_with_its_weight) {
  const ScaledTerm ours(Term::ours, visible);
  const Encoding parabola =
      bias_of(2, [](std::size_t, Position i, Position j) { return -static_cast<double>((i - j) * (i - j)); });
  const std::string words = "n=3 step=3 i=10 weights=balanced c0=1";
  EXPECT_EQ(replayed(is_conditionally_positive_definite, parabola, words).error, 0);
  const std::array<std::array<double, 3>, 3> weights = {{{1, -2, 1}, {-2, 4, -2}, {1, -2, 1}}};
  for (std::size_t h = 0; h < 2; ++h)
    for (std::size_t i = 0; i < 3; ++i)
      for (std::size_t j = 0; j < 3; ++j) {
        const double weight = weights[i][j], by = weight > 0 ? -0.25 : 0.25,
                     right = -9. * static_cast<double>((i - j) * (i - j));
        const double size =
            2 * (2 * 9 * 2 + 36) + std::abs(weight) * (std::abs(right + by) - std::abs(right));
        expect(replayed(is_conditionally_positive_definite, wrong_in(parabola, h, i, j, by), words),
               0.25 * std::abs(weight), 2 * u * size + 36 * our_unit * size, no_ceiling);
        EXPECT_EQ(replayed(is_conditionally_positive_definite, wrong_in(parabola, h, i, j, -by), words).error,
                  0);
      }
}

// Weights 3, -1 and -2 of sum 0; four of sum and moment 0 are 1, 1, -5 and 3.
TEST(IsConditionallyPositiveDefinite, takes_weights_of_sum_0) {
  const auto of_weights = [](const std::string& words, const std::vector<double>& weights) {
    for (std::size_t j = 1; j < weights.size(); ++j) {
      // Only the entry of the first point and this one is not 0: it counts for both orders.
      const Encoding one = bias_of(1, [j](std::size_t, Position i, Position k) {
        return i == 5 && k == 5 + 2 * static_cast<Position>(j) ? 1.0 : 0.0;
      });
      const double form = weights[0] * weights[j];
      EXPECT_EQ(replayed(is_conditionally_positive_definite, one, words).error, std::max(0.0, -form))
          << words << j;
    }
  };
  of_weights("n=3 step=2 i=5 weights=of_sum_0 c0=3 c1=-1", {3, -1, -2});
  of_weights("n=4 step=2 i=5 weights=balanced c0=1 c1=1", {1, 1, -5, 3});
  of_weights("n=5 step=2 i=5 weights=balanced c0=-1 c1=0 c2=2", {-1, 0, 2, 0, -1});
  EXPECT_THROW(replayed(is_conditionally_positive_definite, sloped(), "n=3 step=2 i=5 weights=balanced c0=0"),
               Discard);
}

// Of a causal bias each earlier key counts twice, relative to the query's own entry.
TEST(IsConditionallyPositiveDefinite, takes_the_keys_up_to_the_query_where_a_bias_is_causal) {
  Bias right = bias_of(1, [](std::size_t, Position i, Position j) {
    return j > i ? 1e6 : static_cast<double>(i * i) - static_cast<double>((i - j) * (i - j));
  });
  right.causal = true;
  const std::string words = "n=3 step=1 i=0 weights=balanced c0=1";
  EXPECT_EQ(replayed(is_conditionally_positive_definite, right, words).error, 0);
  EXPECT_EQ(replayed(is_conditionally_positive_definite, wrong_in(right, 0, 2, 0, -0.25), words).error, 0.5);
  EXPECT_EQ(replayed(is_conditionally_positive_definite, wrong_in(right, 0, 2, 2, -0.25), words).error, 0.5);
  EXPECT_EQ(replayed(is_conditionally_positive_definite, wrong_in(right, 0, 1, 0, 0.25), words).error, 1);
  right.positions = {0, 3};
  EXPECT_THROW(replayed(is_conditionally_positive_definite, right, words), Inapplicable);
  EXPECT_FALSE(replayed(is_conditionally_positive_definite, wrong_in(sloped(), 0, 0, 0, infinity),
                        "n=3 step=1 i=0 weights=balanced c0=1")
                   .holds());
}

TEST(FallsWithDistance, looks_as_far_as_the_domain_goes) {
  const auto drawn = [](bool causal, const std::string& words) {
    Bias bias = sloped();
    bias.positions = {-4, 16};
    bias.causal = causal;
    return replayed(falls_with_distance, bias, words);
  };
  EXPECT_TRUE(drawn(true, "far=20 near=19 i=16").holds());
  EXPECT_TRUE(drawn(true, "far=1 near=0 i=-3").holds());
  EXPECT_TRUE(drawn(false, "far=20 near=0 side=future i=-4").holds());
  for (const char* words : {"far=21 near=1 i=16", "far=0 near=0 i=16", "far=2 near=2 i=16",
                            "far=2 near=-1 i=16", "far=5 near=1 i=0", "far=1 near=0 i=17"})
    EXPECT_THROW(drawn(true, words), NoAnswer) << words;
  EXPECT_THROW(drawn(false, "far=5 near=1 side=future i=12"), NoAnswer);
  EXPECT_TRUE(drawn(false, "far=5 near=1 side=future i=11").holds());
}

// 32 buckets up to a distance of 128, as they are: where each begins. Of an encoder they are shared by both
// sides.
const std::vector<Position> of_encoder = {0, 1, 2, 3, 4, 5, 6, 7, 8, 12, 16, 23, 32, 46, 64, 91};
const std::vector<Position> of_decoder = {0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13, 14, 15,
                                          16, 19, 21, 24, 27, 31, 35, 40, 46, 52, 59, 67, 77, 87, 99, 113};

Bias of_buckets(const std::vector<Position>& starts, bool bidirectional) {
  Bias bias = bias_of(2, [=](std::size_t h, Position i, Position j) {
    const Position distance = bidirectional ? std::abs(i - j) : std::max<Position>(i - j, 0);
    const auto bucket = std::upper_bound(starts.begin(), starts.end(), distance) - starts.begin();
    return static_cast<double>(bucket + (bidirectional && j > i ? 16 : 0)) + 100 * static_cast<double>(h);
  });
  bias.buckets = Buckets{32, 128, bidirectional};
  bias.causal = !bidirectional;
  return bias;
}

TEST(HasExactBuckets, knows_where_each_bucket_begins) {
  for (const bool bidirectional : {true, false}) {
    const std::vector<Position>& starts = bidirectional ? of_encoder : of_decoder;
    const Bias right = of_buckets(starts, bidirectional);
    const auto words = [&](Position n, const char* side) {
      return fmt::format("n={} t=1 {} i=300", n, bidirectional ? fmt::format("side={}", side) : "");
    };
    for (Position n = 0; n < 140; ++n)
      for (const char* side : {"past", "future"})
        EXPECT_TRUE(replayed(has_exact_buckets, right, words(n, side)).holds()) << words(n, side);
    for (std::size_t b = 1; b < starts.size(); ++b)
      for (const Position moved : {-1, 1}) {
        std::vector<Position> other = starts;
        other[b] += moved;
        const Position n = std::min(starts[b], other[b]);
        const Bias wrong = of_buckets(other, bidirectional);
        for (const char* side : {"past", "future"}) {
          if (side == std::string_view("future") && b == 1) continue;  // offset 0 is in the past
          const Residual found = replayed(has_exact_buckets, wrong, words(n - (moved > 0 ? 1 : 0), side));
          EXPECT_FALSE(found.holds()) << b << " " << moved << " " << words(n, side);
        }
      }
  }
}

// From a distance of 70, whose bucket is that of 67 to 76 in a decoder, and of 64 to 90 in an encoder.
TEST(HasExactBuckets, finds_each_entry_that_is_of_the_same_bucket) {
  const double by = 0x1p-4;
  for (const bool bidirectional : {true, false})
    for (std::size_t h = 0; h < 2; ++h)
      for (std::size_t key = 0; key < (bidirectional ? 5 : 4); ++key) {
        SCOPED_TRACE(fmt::format("{} head {} key {}", bidirectional, h, key));
        const Bias right = of_buckets(bidirectional ? of_encoder : of_decoder, bidirectional);
        const Residual found = replayed(has_exact_buckets, wrong_in(right, h, 0, key, by),
                                        fmt::format("n=70 t=5 {} i=300", bidirectional ? "side=future" : ""));
        const double value = (bidirectional ? 15 + 16 : 28) + 100 * static_cast<double>(h);
        // The last key of an encoder is on the other side.
        if (key == 4)
          EXPECT_TRUE(found.holds());
        else
          expect(found, by, 4 * u * (value + (key == 0 ? by : 0)), no_ceiling);
      }
}

// Two buckets may be equal in one head but not in all.
TEST(HasExactBuckets, tells_buckets_apart_by_any_head) {
  const Bias right = of_buckets(of_decoder, false);
  const auto as_the_next = [&](std::size_t heads) {
    return spoiled(right, [heads](const AnswerEntry& at, double exact) {
      return at.head < heads && at.key == 1 ? exact - 1 : exact;
    });
  };
  EXPECT_TRUE(replayed(has_exact_buckets, as_the_next(1), "n=3 t=9 i=300").holds());
  expect(replayed(has_exact_buckets, as_the_next(2), "n=3 t=9 i=300"), 1, 0, 1);
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_FALSE(
      replayed(has_exact_buckets, wrong_in(wrong_in(right, 0, 0, 1, nan), 1, 0, 1, nan), "n=3 t=9 i=300")
          .holds());
}

TEST(HasExactBuckets, looks_where_buckets_may_end) {
  Bias bias = of_buckets(of_encoder, true);
  const Domain found = distances(bias);
  EXPECT_EQ(found.lo, 0);
  EXPECT_EQ(found.hi, 256);
  EXPECT_EQ(found.hard, (std::vector<Position>{7,  8,  9,  10, 11, 12, 15, 16, 17, 22, 23,  24,  31, 32,
                                               33, 44, 45, 46, 63, 64, 65, 90, 91, 92, 127, 128, 129}));
  bias.buckets->bidirectional = false;
  EXPECT_EQ(distances(bias).hard.size(), 3u * 17);
  bias.positions = {-10, 90};
  EXPECT_EQ(distances(bias).hi, 100);
  EXPECT_EQ(distances(bias).hard.back(), 100);
  bias.buckets.reset();
  EXPECT_EQ(distances(bias).hi, 100);
  EXPECT_TRUE(distances(bias).hard.empty());
  EXPECT_THROW(replayed(has_exact_buckets, bias, "n=3 t=1 i=20"), Inapplicable);
}

TEST(HasExactBuckets, asks_inside_the_domain) {
  Bias bias = of_buckets(of_decoder, false);
  bias.positions = {-10, 290};
  EXPECT_TRUE(replayed(has_exact_buckets, bias, "n=3 t=7 i=0").holds());
  // From nowhere inside are there 256 positions on either side.
  EXPECT_THROW(replayed(has_exact_buckets, bias, "n=0 t=256 i=140"), Discard);
  for (const char* words :
       {"n=3 t=8 i=0", "n=3 t=7 i=281", "n=3 t=0 i=20", "n=256 t=1 i=260", "n=3 t=254 i=260"})
    EXPECT_THROW(replayed(has_exact_buckets, bias, words), NoAnswer) << words;
  EXPECT_TRUE(replayed(has_exact_buckets, bias, "n=3 t=7 i=280").holds());
}

// Slopes 1/2 and 1/4 over a distance of 8.
TEST(HasGeometricSlopes, finds_each_slope_with_the_bound_of_its_two_entries) {
  const ScaledTerm ours(Term::ours, visible);
  const double by = 0x1p-4;
  const std::array<double, 2> slopes = {0.5, 0.25};
  for (const char* side : {"past", "future"})
    for (std::size_t h = 0; h < 2; ++h) {
      const double m = slopes[h];
      const std::string words = fmt::format("n=8 side={} i=10", side);
      expect(replayed(has_geometric_slopes, wrong_in(sloped(), h, 0, 1, -by), words), by / 8,
             (8 * m + by) * slope_units(m) * u / 8 + 3 * our_unit * m, no_ceiling);
      expect(replayed(has_geometric_slopes, wrong_in(sloped(), h, 0, 0, by), words), by / 8,
             (8 * m + by) * slope_units(m) * u / 8 + 3 * our_unit * m, no_ceiling);
      // An entry that became 0 was as large as declared.
      expect(replayed(has_geometric_slopes, wrong_in(sloped(), h, 0, 1, 8 * m), words), m,
             8 * m * slope_units(m) * u / 8 + 3 * our_unit * m, no_ceiling);
    }
}

Bias declared(std::vector<double> slopes) {
  Bias bias = bias_of(slopes.size(), [slopes](std::size_t h, Position i, Position j) {
    return -slopes[h] * static_cast<double>(std::abs(i - j));
  });
  bias.slopes = std::move(slopes);
  return bias;
}

// The second slope is as declared, and no power of the first: the first is off by its bound, the second power
// of it by twice that, and a little more where the first came out too small.
TEST(HasGeometricSlopes, finds_what_is_no_power_of_the_first) {
  const ScaledTerm ours(Term::ours, visible);
  const double by = 0x1p-4, first = 0.5, second = 0.25 + by;
  const Bias bias = declared({first, second});
  const double of_first = bias_error(all_f32, -8 * first, bias, 0) / 8 + 3 * our_unit * first,
               of_second = bias_error(all_f32, -8 * second, bias, 1) / 8 + 3 * our_unit * second;
  const double power = 1 / ((1 - of_first / first) * (1 - of_first / first)) - 1;
  expect(replayed(has_geometric_slopes, bias, "n=8 side=past i=10"), by,
         of_second + 0.25 * (power + our_unit), no_ceiling);
}

// Of 40 heads correctly rounded to bf16, the first slope, 2^-1/4, is measured as 0.5 over one position: 64.5
// is what both 64.76 and 63.91 are near to in steps of 0.5 and 0.25.
TEST(HasGeometricSlopes, allows_what_a_first_slope_that_came_out_too_small_does_to_the_others) {
  std::vector<double> slopes;
  for (int h = 1; h <= 32; ++h) slopes.push_back(std::exp2(-h / 4.0));
  Bias bias = declared(slopes);
  bias.bias = [exact = bias.bias](const Positions& queries, const Positions& keys) {
    Tensor out = exact(queries, keys);
    for (double& one : out.data) one = to_bf16(one);
    return out;
  };
  for (int i = 1; i <= 300; ++i)
    for (int n = 1; n <= std::min(i, 3); ++n)
      EXPECT_TRUE(
          replayed(has_geometric_slopes, bias, fmt::format("n={} side=past i={}", n, i), in_bf16).holds())
          << i << " " << n;
}

TEST(HasGeometricSlopes, knows_both_rules_past_a_power_of_two) {
  const auto slopes = [](std::vector<double> halves_of_exponents) {
    for (double& one : halves_of_exponents) one = std::exp2(-one);
    return declared(halves_of_exponents);
  };
  for (const std::vector<double>& right : {std::vector<double>{2},
                                           {2, 4},
                                           {2, 4, 6},
                                           {2, 4, 6, 8},
                                           {4, 8, 2},
                                           {2, 4, 6, 8, 1},
                                           {2, 4, 6, 8, 1, 3},
                                           {2, 4, 6, 8, 1, 3, 5},
                                           {2, 4, 6, 8, 10, 12, 14},
                                           {1, 2, 3, 4, 5, 6, 7, 8},
                                           {2, 4, infinity},
                                           {4, 8, 2, infinity, infinity}})
    EXPECT_TRUE(replayed(has_geometric_slopes, slopes(right), "n=8 side=past i=10").holds()) << right.size();
  for (const std::vector<double>& wrong : {std::vector<double>{2, 5},
                                           {2, 4, 7},
                                           {4, 8, 1},
                                           {2, 4, 6, 8, 2},
                                           {2, 4, 6, 8, 1, 4},
                                           {2, 4, 6, 8, 1, 3, 6},
                                           {2, 4, 6, 9, 1, 3, 5},
                                           {2, 5, 6, 8, 1, 3, 5},
                                           {0, 1, 2},
                                           {2, 5, infinity},
                                           {4, 8, 1, infinity}})
    EXPECT_FALSE(replayed(has_geometric_slopes, slopes(wrong), "n=8 side=past i=10").holds()) << wrong.size();
}

TEST(HasGeometricSlopes, asks_for_slopes_and_for_numbers) {
  EXPECT_THROW(replayed(has_geometric_slopes, tabled(), "n=8 side=past i=10"), Inapplicable);
  EXPECT_THROW(replayed(has_geometric_slopes, declared({}), "n=8 side=past i=10"), Inapplicable);
  for (const std::size_t key : {0u, 1u})
    expect(replayed(has_geometric_slopes, wrong_in(sloped(), 1, 0, key, infinity), "n=8 side=past i=10"), 1,
           0, 1);
  Bias bias = sloped();
  bias.positions = {-4, 16};
  EXPECT_TRUE(replayed(has_geometric_slopes, bias, "n=20 side=past i=16").holds());
  for (const char* words :
       {"n=21 side=past i=16", "n=0 side=past i=16", "n=8 side=past i=3", "n=8 side=future i=9"})
    EXPECT_THROW(replayed(has_geometric_slopes, bias, words), NoAnswer) << words;
}

// The near key is 3 away, the far one 7: 5 and 9 in the second head.
TEST(HasMonotoneBuckets, finds_by_how_much_either_head_falls) {
  for (const char* side : {"past", "future"})
    for (std::size_t h = 0; h < 2; ++h) {
      const double near = 4 + static_cast<double>(h), far = near + 4;
      const std::string words = fmt::format("near=3 t=4 side={} i=20", side);
      expect(replayed(has_monotone_buckets, wrong_in(tabled(), h, 0, 1, -4.25), words), 0.25,
             2 * u * (near + far - 4.25), no_ceiling);
      expect(replayed(has_monotone_buckets, wrong_in(tabled(), h, 0, 0, 4.25), words), 0.25,
             2 * u * (near + 4.25 + far), no_ceiling);
      EXPECT_EQ(replayed(has_monotone_buckets, wrong_in(tabled(), h, 0, 1, -4), words).error, 0);
    }
}

TEST(HasMonotoneBuckets, asks_inside_the_domain_and_leaves_offset_zero_to_the_past) {
  Bias bias = tabled();
  bias.positions = {-4, 16};
  EXPECT_THROW(replayed(has_monotone_buckets, bias, "near=0 t=4 side=future i=5"), Discard);
  EXPECT_TRUE(replayed(has_monotone_buckets, bias, "near=1 t=4 side=future i=5").holds());
  EXPECT_TRUE(replayed(has_monotone_buckets, bias, "near=0 t=20 side=past i=16").holds());
  for (const char* words :
       {"near=20 t=1 side=past i=16", "near=1 t=20 side=past i=16", "near=1 t=0 side=past i=16",
        "near=1 t=4 side=past i=0", "near=1 t=4 side=future i=12"})
    EXPECT_THROW(replayed(has_monotone_buckets, bias, words), NoAnswer) << words;
}

TEST(IsZeroAtOffsetZero, finds_each_head) {
  for (std::size_t h = 0; h < 2; ++h)
    for (const double by : {-0x1p-40, 0x1p-40})
      expect(replayed(is_zero_at_offset_zero, wrong_in(sloped(), h, 0, 0, by), "i=5"), 0x1p-40, 0,
             no_ceiling);
  EXPECT_TRUE(replayed(is_zero_at_offset_zero, sloped(), "i=5").holds());
}

TEST(IsZeroAtOffsetZero, allows_sums_the_bound_that_they_bring) {
  Bias right = sloped();
  right.error = [](std::size_t h, std::span<const double>, std::span<const double>, double,
                   const Precision&) { return h == 0 ? 0 : 0x1p-20; };
  for (const double by : {-0x1p-21, 0x1p-20})
    EXPECT_TRUE(replayed(is_zero_at_offset_zero, wrong_in(right, 1, 0, 0, by), "i=5").holds());
  for (const double by : {-0x1p-19, 0x1p-19})
    expect(replayed(is_zero_at_offset_zero, wrong_in(right, 1, 0, 0, by), "i=5"), 0x1p-19, 0x1p-20,
           no_ceiling);
  expect(replayed(is_zero_at_offset_zero, wrong_in(right, 0, 0, 0, 0x1p-40), "i=5"), 0x1p-40, 0, no_ceiling);
}

// Both keys are past 16, where the second head holds 18.
TEST(Saturates, finds_each_head_with_the_bound_of_two_readings) {
  const double by = 0x1p-4;
  Bias bias = tabled();
  bias.buckets = Buckets{16, 16, true};
  for (const char* side : {"past", "future"})
    for (std::size_t h = 0; h < 2; ++h)
      for (std::size_t key = 0; key < 2; ++key) {
        const double value = 17 + static_cast<double>(h);
        expect(replayed(saturates, wrong_in(bias, h, 0, key, by),
                        fmt::format("far=20 near=16 side={} i=40", side)),
               by, 2 * u * (2 * value + by), no_ceiling);
      }
}

TEST(Saturates, looks_past_the_largest_distance_or_at_the_last_two) {
  Bias bias = tabled();
  bias.positions = {-10, 30};
  EXPECT_TRUE(replayed(saturates, bias, "far=40 near=39 side=past i=30").holds());
  for (const char* words : {"far=39 near=38 side=past i=30", "far=41 near=39 side=past i=30",
                            "far=40 near=38 side=past i=30", "far=40 near=40 side=past i=30"})
    EXPECT_THROW(replayed(saturates, bias, words), NoAnswer) << words;
  bias.buckets = Buckets{16, 16, true};
  EXPECT_TRUE(replayed(saturates, bias, "far=17 near=16 side=future i=13").holds());
  for (const char* words : {"far=16 near=16 side=past i=30", "far=17 near=15 side=past i=30",
                            "far=17 near=17 side=past i=30", "far=17 near=16 side=future i=14"})
    EXPECT_THROW(replayed(saturates, bias, words), NoAnswer) << words;
}

TEST(Entries, of_another_shape_are_a_failure) {
  Bias bias{.heads = 2};
  bias.bias = [](std::span<const Position>, std::span<const Position>) { return Tensor({2, 2, 1}); };
  try {
    entries(bias, {1}, {2, 3});
    ADD_FAILURE();
  } catch (const Failure& failure) {
    EXPECT_STREQ(failure.what(), "bias was asked for [2, 1, 2] and answers [2, 2, 1]");
  }
  bias.bias = [](std::span<const Position>, std::span<const Position>) {
    Tensor out({2, 1, 2});
    out.data.pop_back();
    return out;
  };
  EXPECT_THROW(entries(bias, {1}, {2, 3}), Failure);
}

TEST(Entries, are_by_head_query_and_key) {
  const Bias bias = bias_of(2, [](std::size_t h, Position i, Position j) {
    return static_cast<double>(100 * static_cast<Position>(h) + 10 * i + j);
  });
  const Entries found = entries(bias, {1, 2}, {3, 4, 5});
  for (std::size_t h = 0; h < 2; ++h)
    for (std::size_t q = 0; q < 2; ++q)
      for (std::size_t k = 0; k < 3; ++k)
        EXPECT_EQ(found.at(h, q, k), static_cast<double>(100 * h + 10 * (q + 1) + k + 3));
}

}  // namespace
}  // namespace posproof::bias_residuals_test
