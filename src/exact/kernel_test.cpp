#include "exact/kernel.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "exact/bounds.h"
#include "exact/phasor_tables.h"
#include "exact/random_tables.h"
#include "exact/strip.h"

// What kernels promise of numbers of our own choice: giants that are the values themselves (every baby is 1),
// and errors as large as we like.
namespace posproof::exact::kernel_test {
namespace {

using random_tables::below;
using random_tables::Random;

constexpr std::size_t lanes = 32, rows = 3;

// What an error leaves for that of the number itself: the kernels take away and add it, rounding twice.
double left_of(double error, double value) {
  return error - 4 * bounds::u * std::abs(value);
}

// From 2^3 to 2^20 of the last places of doubles from 1/2 to 1: more than any way to round by bits would
// bear.
double an_error(Random& random) {
  return std::ldexp(random_tables::between(random, 1, 2), 3 + static_cast<int>(below(random, 17)) - 53);
}

// A number within a few of `off` from where the rounding of its neighbours changes.
double near_a_boundary(Random& random, Format format, double off) {
  const double size = std::ldexp(random_tables::between(random, 1, 2), -static_cast<int>(below(random, 30)));
  const double value = nearest(format, below(random, 2) == 0 ? size : -size);
  const double boundary = value + std::copysign(half_ulp(format, value), value);  // exact
  return boundary + random_tables::between(random, -4, 4) * off;
}

struct Chosen {
  PhasorRows giant{1, lanes}, babies{rows_per_block, lanes}, bounds{1, lanes};
  Lines coarse = lines(2 * rows_per_block * lanes);
  Errors errors{};
  Block block{};

  Chosen() {
    for (std::size_t i = 0; i < 2 * rows_per_block * lanes; ++i)
      coarse.get()[i] = i / lanes_together % 2 == 0 ? 0 : 1;
    for (std::size_t row = 0; row < rows_per_block; ++row) std::fill_n(babies[row].cosine, lanes, 1.0);
    const Phasor& b = bounds[0];
    errors = {b.sine, b.cosine, b.sine_rest, b.cosine_rest, 0, 0, 0};
    block = {&giant[0], babies.data(), coarse.get(), nullptr, &errors, 0, rows};
  }
};

struct Told {
  std::vector<bool> sine = std::vector<bool>(lanes), cosine = std::vector<bool>(lanes);
  static void tell(void* who, std::size_t, std::size_t lane, bool of_cosine) {
    auto& told = *static_cast<Told*>(who);
    (of_cosine ? told.cosine : told.sine)[lane] = true;
  }
};

class Kernels : public ::testing::TestWithParam<std::string> {};

// Whatever lies within the error of a value that was written rounds to what was written.
TEST_P(Kernels, write_only_what_everything_within_the_bound_rounds_to) {
  const Kernel& kernel = random_tables::kernel_named(GetParam());
  Random random(20);
  Chosen chosen;
  std::size_t written = 0, left = 0;
  for (const Format format : {Format::f32, Format::bf16, Format::f16})
    for (const Part part :
         {Part::sine, Part::cosine, Part::sine_apart_cosine, Part::sine_and_cosine, Part::cosine_and_sine})
      for (std::size_t n = 0; n < 4000; ++n) {
        const bool both = part != Part::sine && part != Part::cosine,
                   pairs = both && part != Part::sine_apart_cosine;
        // One number is hard, or a row would seldom be done the fast path.
        const std::size_t hard = below(random, lanes);
        const bool hard_cosine = both ? below(random, 2) == 0 : part == Part::cosine;
        for (std::size_t i = 0; i < lanes; ++i)
          for (const bool cosine : {false, true}) {
            double& value = (cosine ? chosen.giant[0].cosine : chosen.giant[0].sine)[i];
            double& error = (cosine ? chosen.errors.cosine : chosen.errors.sine)[i];
            const bool is_hard = i == hard && cosine == hard_cosine;
            error = is_hard ? an_error(random) : 0x1p-50;
            value = is_hard ? near_a_boundary(random, format, error) : 0.75;
          }
        const std::size_t one = bytes(format), apart = lanes * one, stride = 2 * apart;
        std::vector<char> out(rows * stride);
        Told told;
        kernel.fill(format, {&chosen.block, 1},
                    {part, 0, lanes, stride,
                     static_cast<std::ptrdiff_t>(part == Part::sine_apart_cosine ? apart : 0)},
                    out.data(), false, {&Told::tell, &told});
        for (const bool cosine : {false, true}) {
          if (!both && cosine != (part == Part::cosine)) continue;
          for (const std::size_t i : {hard, (hard + 1) % lanes}) {
            const double value = (cosine ? chosen.giant[0].cosine : chosen.giant[0].sine)[i];
            const double e = left_of((cosine ? chosen.errors.cosine : chosen.errors.sine)[i], value);
            if ((cosine ? told.cosine : told.sine)[i]) {
              ++left;
              continue;
            }
            ++written;
            const std::size_t second = cosine == (part != Part::cosine_and_sine) ? 1 : 0;
            const std::size_t at = pairs ? (2 * i + second) * one : i * one + (both && cosine ? apart : 0);
            for (std::size_t row = 0; row < rows; ++row) {
              const double is = load(format, out.data() + row * stride + at);
              ASSERT_EQ(is, nearest(format, value - e)) << name(format) << ' ' << value << " +- " << e;
              ASSERT_EQ(is, nearest(format, value + e)) << name(format) << ' ' << value << " +- " << e;
            }
          }
        }
      }
  EXPECT_GT(written, 60000u);  // neither is for want of the other
  EXPECT_GT(left, 3000u);
}

// Tokens (x, 0) whose angle has the cosine c and the sine 1/2.
struct Rotation {
  PhasorRows room{2, lanes};
  std::vector<float> least = std::vector<float>(lanes), least_twice = std::vector<float>(2 * lanes);
  Angles angles{room[0].sine,   room[0].cosine, room[0].sine_rest, room[1].sine,
                room[1].cosine, least.data(),   least_twice.data()};
  std::vector<float> x = std::vector<float>(2 * lanes), at = std::vector<float>(2 * lanes);

  void set(std::size_t lane, double cosine, double error, float first, float rotated) {
    angles.cosine[lane] = cosine;
    angles.sine[lane] = 0.5;
    angles.scaled_sine[lane] = 0.5 * bounds::as_f32;
    angles.less[lane] = -error;
    angles.scaled_cosine[lane] = cosine * bounds::as_f32;
    least[lane] = static_cast<float>(error * bounds::surely_rounded * bounds::of_single);
    least_twice[2 * lane] = least_twice[2 * lane + 1] = least[lane];
    x[lane] = first;
    at[lane] = rotated;
    at[lanes + lane] = first / 2;
  }
  // Whichever way the channels of a pair stand.
  bool right(const Kernel& kernel) const {
    std::vector<float> x_in_pairs(2 * lanes), at_in_pairs(2 * lanes);
    for (std::size_t i = 0; i < lanes; ++i)
      for (const bool second : {false, true}) {
        x_in_pairs[2 * i + (second ? 1 : 0)] = x[i + (second ? lanes : 0)];
        at_in_pairs[2 * i + (second ? 1 : 0)] = at[i + (second ? lanes : 0)];
      }
    const bool apart = kernel.verify_rotated(Format::f32, &angles, 1,
                                             {0, lanes, lanes * sizeof(float), false}, x.data(), at.data());
    const bool in_pairs = kernel.verify_rotated(Format::f32, &angles, 1, {0, lanes, sizeof(float), true},
                                                x_in_pairs.data(), at_in_pairs.data());
    EXPECT_EQ(apart, in_pairs);
    return apart;
  }
};

TEST_P(Kernels, call_rotated_pairs_right_only_where_everything_within_the_bound_rounds_to_them) {
  const Kernel& kernel = random_tables::kernel_named(GetParam());
  Random random(21);
  Rotation rotate;
  for (std::size_t i = 0; i < lanes; ++i) rotate.set(i, 0.75, 0x1p-50, 1, 0.75f);
  ASSERT_TRUE(rotate.right(kernel));
  std::size_t right = 0, not_sure = 0;
  for (std::size_t n = 0; n < 20000; ++n) {
    const double e = an_error(random);
    const double value = near_a_boundary(random, Format::f32, e);
    const std::size_t lane = below(random, lanes);
    rotate.set(lane, value, e, 1, static_cast<float>(value));
    const double inner = left_of(e, 1);
    const bool one_value = nearest(Format::f32, value - inner) == nearest(Format::f32, value + inner);
    if (rotate.right(kernel)) {
      ++right;
      ASSERT_TRUE(one_value) << value << " +- " << e;
      rotate.set(lane, value, e, 1, std::nextafter(static_cast<float>(value), 9.0f));
      ASSERT_FALSE(rotate.right(kernel)) << value << " +- " << e;
    } else {
      ++not_sure;
    }
    rotate.set(lane, 0.75, 0x1p-50, 1, 0.75f);
  }
  EXPECT_GT(right, 1000u);
  EXPECT_GT(not_sure, 1000u);
}

// Numbers that no f32 of the normal sizes is near to, and what their bits would make of them.
TEST_P(Kernels, are_not_sure_of_rotated_numbers_that_are_no_normal_ones) {
  const Kernel& kernel = random_tables::kernel_named(GetParam());
  constexpr float infinity = std::numeric_limits<float>::infinity();
  Rotation rotate;
  for (std::size_t i = 0; i < lanes; ++i) rotate.set(i, 0.75, 0x1p-50, 1, 0.75f);
  const auto by_bits = [](double value) {
    const auto bits =
        std::bit_cast<std::uint64_t>(value * bounds::as_f32) + bounds::half_of_f32 + bounds::rounding_margin;
    return std::bit_cast<float>(static_cast<std::uint32_t>(bits >> 29 & 0x7fffffff) |
                                static_cast<std::uint32_t>(bits >> 32 & 0x80000000));
  };
  for (const float first :
       {infinity, -infinity, std::nanf(""), 0x1p127f * 1.9f, 0x1p-127f, 0x1.8p-140f, 0x1p-149f})
    for (const double cosine : {0.75, 1.5, -1.0}) {
      const double value = static_cast<double>(first) * cosine;
      const float made = by_bits(value);
      if (made == static_cast<float>(value) && std::isfinite(made)) continue;  // right by chance
      rotate.set(3, cosine, 0x1p-50, first, made);
      EXPECT_FALSE(rotate.right(kernel)) << first << " * " << cosine << ": " << made;
    }
}

INSTANTIATE_TEST_SUITE_P(all, Kernels, ::testing::ValuesIn(random_tables::kernel_names()),
                         [](const auto& one) { return one.param; });

}  // namespace
}  // namespace posproof::exact::kernel_test
