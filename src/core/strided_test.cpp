#include "core/strided.h"

#include <gtest/gtest.h>

#include <cstring>
#include <vector>

namespace posproof::strided_test {
namespace {

// Numbers of that size, each with bytes of its own.
std::vector<std::byte> counted(std::size_t size, std::size_t count) {
  std::vector<std::byte> out(size * count);
  for (std::size_t n = 0; n < out.size(); ++n) out[n] = static_cast<std::byte>(n + 1);
  return out;
}

TEST(Strided, numbers_are_copied_from_their_steps_to_others_and_nothing_else) {
  for (const std::size_t size : {2u, 4u, 8u})
    for (const std::size_t from_step : {1u, 3u})
      for (const std::size_t to_step : {1u, 2u}) {
        const std::vector<std::byte> from = counted(size, 10);
        std::vector<std::byte> to(10 * size, std::byte{0}), expected = to;
        for (std::size_t n = 0; n < 3; ++n)
          std::memcpy(&expected[n * to_step * size], &from[n * from_step * size], size);
        copy(from.data(), {size, from_step, 3}, to.data(), to_step);
        EXPECT_EQ(to, expected) << size << " " << from_step << " " << to_step;
      }
}

TEST(Strided, numbers_differ_where_a_bit_does_and_what_is_between_them_is_no_matter) {
  for (const std::size_t size : {2u, 4u, 8u})
    for (const std::size_t step : {1u, 3u}) {
      const std::vector<std::byte> some = counted(size, 10);
      std::vector<std::byte> others = some;
      EXPECT_TRUE(have_the_same_bits(some.data(), {size, step, 3}, others.data(), step));
      for (std::size_t n = 0; n < others.size(); ++n) {
        others[n] ^= std::byte{0x80};
        const bool is_one_of_them = n / size % step == 0 && n / size < 3 * step;
        EXPECT_EQ(have_the_same_bits(some.data(), {size, step, 3}, others.data(), step), !is_one_of_them)
            << size << " " << step << " " << n;
        others[n] ^= std::byte{0x80};
      }
    }
}

// Each in its own steps, as the columns of two files lie.
TEST(Strided, numbers_are_compared_in_the_steps_of_both) {
  for (const std::size_t size : {2u, 4u, 8u}) {
    const std::vector<std::byte> some = counted(size, 3);
    std::vector<std::byte> others(6 * size, std::byte{0});
    copy(some.data(), {size, 1, 3}, others.data(), 2);
    EXPECT_TRUE(have_the_same_bits(some.data(), {size, 1, 3}, others.data(), 2)) << size;
    EXPECT_FALSE(have_the_same_bits(some.data(), {size, 1, 3}, others.data(), 1)) << size;
    EXPECT_TRUE(have_the_same_bits(others.data(), {size, 2, 3}, some.data(), 1)) << size;
  }
}

}  // namespace
}  // namespace posproof::strided_test
