// Wrong encodings of which one sentence says all: another rule of slopes, channels that are copied, positions
// of other rows, a length that is one off.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "core/function.h"

#include "diagnosis/testing/deviations.h"

namespace posproof::one_sentence_test {
namespace {

using testing::said;
using testing::Sentences;

// ALiBi of 6 heads whose last two slopes, or all, are 2^(-power).
Sentences of_slopes(std::size_t from, const std::vector<double>& powers) {
  return said("alibi", "heads=6 form=symmetric", [=](const Parameters& parameters) {
    Bias own = as<Bias>(encoding_named("alibi").make(parameters));
    own.bias = [from, powers, declared = own](const Positions& queries, const Positions& keys) {
      Tensor out = declared.bias(queries, keys);
      for (std::size_t h = from; h < 6; ++h)
        for (std::size_t i = 0; i < queries.size(); ++i)
          for (std::size_t j = 0; j < keys.size(); ++j)
            out.at(h * queries.size() + i, j) =
                -std::exp2(-powers[h - from]) * static_cast<double>(std::abs(queries[i] - keys[j]));
      return out;
    };
    return Encoding(own);
  });
}

TEST(OneSentence, of_slopes_past_a_power_of_2) {
  const std::string past = "slopes past head 3 are 2^(-8 k/8) with k = ";
  EXPECT_EQ(of_slopes(4, {1, 2}), (Sentences{past + "1, 2, 3, .., not 1, 3, 5, .."}));
  EXPECT_EQ(of_slopes(4, {2, 4}), (Sentences{past + "2, 4, 6, .., not 1, 3, 5, .."}));
  EXPECT_EQ(of_slopes(4, {0, 2}), (Sentences{past + "0, 2, 4, .., not 1, 3, 5, .."}));
  EXPECT_EQ(of_slopes(0, {1, 2, 3, 4, 5, 6}),
            (Sentences{"slopes are the first 6 of 2^(-8 k/8), k = 1, 2, 3, .."}));
}

using Rotate = Function<Tensor(const Rotary& declared, const Tensor& x, const Positions& at, Role role)>;

Sentences of_rotation(const std::string& words, const Rotate& wrong) {
  return said("rope", words, [wrong](const Parameters& parameters) {
    Rotary own = as<Rotary>(encoding_named("rope").make(parameters));
    own.rotate = [wrong, declared = own](const Tensor& x, const Positions& at, Role role) {
      return wrong(declared, x, at, role);
    };
    return Encoding(own);
  });
}

TEST(OneSentence, of_channels_that_are_copied) {
  EXPECT_EQ(of_rotation("dim=16 rotary_dim=8 heads=2",
                        [](const Rotary& declared, const Tensor& x, const Positions& at, Role role) {
                          Tensor y = declared.rotate(x, at, role);
                          for (std::size_t r = 0; r < y.rows(); ++r)
                            for (std::size_t c = 0; c < 4; ++c) y.at(r, 8 + c) = y.at(r, c);
                          return y;
                        }),
            (Sentences{"channels 8 to 11 of the answer hold the rotated channels 0 to 3"}));
}

TEST(OneSentence, of_the_largest_position_at_the_same_place) {
  EXPECT_EQ(of_rotation("dim=8 heads=2",
                        [](const Rotary& declared, const Tensor& x, const Positions& at, Role role) {
                          std::vector<Position> other(at.begin(), at.end());
                          const std::size_t n = x.shape[2];
                          for (std::size_t t = 0; t < other.size(); ++t)
                            for (std::size_t b = 0; b < x.shape[0]; ++b)
                              other[t] = std::max(other[t], at[b * n + t % n]);
                          return declared.rotate(x, other, role);
                        }),
            (Sentences{"every token has the largest position that stands at its place in a row"}));
}

TEST(OneSentence, of_an_original_length_that_is_off_by_one) {
  const std::string words = "dim=64 base=500000 scaling=llama3 factor=8 original_length=";
  EXPECT_EQ(
      said("rope", words + "8192",
           [&](const Parameters&) {
             return encoding_named("rope").make(with(encoding_named("rope"), Case::parse(words + "8191")));
           }),
      (Sentences{"original_length counts as about 8191, not as 8192"}));
}

}  // namespace
}  // namespace posproof::one_sentence_test
