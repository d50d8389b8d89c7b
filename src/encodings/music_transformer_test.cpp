// Golden numbers by mpmath at 40 digits, from the formula and SplitMix64 alone.
#include "catalogue/encodings/music_transformer.h"
#include <gtest/gtest.h>
#include "catalogue/encodings/shaw.h"
#include "encodings/seeded.h"

#include <cmath>

#include "encodings/asked.h"

namespace posproof::music_transformer_test {
namespace {

using namespace asked;

TEST(MusicTransformer, has_the_golden_logits) {
  expect_logits(encodings::music_transformer, "dim=4 length=6", {{0, 0}, {3, 1}, {9, 2}, {60, 2}},
                {0.52182611116172794, -0.25137648745991991, -0.875, -0.875});
}

TEST(MusicTransformer, is_shaw_on_and_below_the_diagonal_where_the_first_vector_repeats) {
  for (Position i = 0; i < 12; ++i)
    for (Position j = 0; j <= i; ++j)
      EXPECT_NEAR(logit(encodings::music_transformer, "dim=4 length=6 beyond=repeat", q4, k4, i, j),
                  logit(encodings::shaw, "dim=4 clip=5", q4, k4, i, j), 1e-15)
          << i << " " << j;
}

TEST(MusicTransformer, is_shaw_on_and_below_the_diagonal_where_neither_has_a_vector_beyond) {
  for (Position i = 0; i < 12; ++i)
    for (Position j = 0; j <= i; ++j)
      EXPECT_NEAR(logit(encodings::music_transformer, "dim=4 length=6 beyond=zero", q4, k4, i, j),
                  logit(encodings::shaw, "dim=4 clip=5 beyond=zero", q4, k4, i, j), 1e-15)
          << i << " " << j;
}

// Q E^T with E from the largest distance to 0, a column of zeros before it, the rows read as one row less:
// Huang et al. 2018, section 3.4.1.
TEST(MusicTransformer, is_what_skewing_gives_on_and_below_the_diagonal) {
  constexpr std::size_t n = 5, dim = 2;
  std::vector<double> padded, queries;
  for (std::size_t i = 0; i < n; ++i) {
    const double q[dim] = {1.0 + static_cast<double>(i), 0.5 - static_cast<double>(i)};
    queries.insert(queries.end(), q, q + dim);
    padded.push_back(0);
    for (std::size_t r = 0; r < n; ++r)
      padded.push_back(q[0] * seeded(1, r * dim, 1) + q[1] * seeded(1, r * dim + 1, 1));
  }
  const std::array<Position, n> at = {0, 1, 2, 3, 4};
  const auto music = encodings::music_transformer.make<Contextual>(Case::parse("dim=2 length=5"));
  const Tensor logits = music.logits(Tensor({n, dim}, queries), Tensor({n, dim}), at, at);
  EXPECT_TRUE(music.causal);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j <= i; ++j)
      EXPECT_NEAR(logits.at(i, j), padded[(i + 1) * n + j] / std::sqrt(2.0), 2e-15) << i << " " << j;
}

}  // namespace
}  // namespace posproof::music_transformer_test
