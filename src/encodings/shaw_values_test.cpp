// Golden numbers by mpmath at 40 digits, from the formula and SplitMix64 alone.
#include "catalogue/encodings/shaw_values.h"
#include <gtest/gtest.h>
#include "catalogue/encodings/shaw.h"

#include <algorithm>
#include <cmath>

#include "encodings/asked.h"
#include "encodings/seeded.h"

namespace posproof::shaw_values_test {
namespace {

using namespace asked;

TEST(ShawValues, has_the_golden_answers) {
  expect_answers(encodings::shaw_values, "dim=2 clip=1",
                 {1.5442850332046395, 1.4898069313150188, 2.0117832505194444, 1.2562242313904446,
                  0.029197739940817196, 3.0563374633863853});
}

// The vectors of values come on top of what the logits of shaw average.
TEST(ShawValues, has_the_weights_of_shaw) {
  const Numbers with = answers(encodings::shaw_values, "dim=2 clip=2"),
                without = answers(encodings::shaw_values, "dim=2 clip=2", q3, k3, Tensor({3, 2}));
  const std::array<Position, 3> at = {0, 1, 2};
  const Tensor logits = encodings::shaw.make<Contextual>(Case::parse("dim=2 clip=2")).logits(q3, k3, at, at);
  for (std::size_t i = 0; i < 3; ++i) {
    double sum = 0, first = 0, second = 0;
    for (std::size_t j = 0; j <= i; ++j) {
      const double weight = std::exp(logits.at(i, j));
      sum += weight, first += weight * v3.at(j, 0), second += weight * v3.at(j, 1);
    }
    EXPECT_NEAR(with[2 * i] - without[2 * i], first / sum, 3e-15);
    EXPECT_NEAR(with[2 * i + 1] - without[2 * i + 1], second / sum, 3e-15);
  }
}

TEST(ShawValues, is_mirrored_where_the_offset_is_query_minus_key) {
  EXPECT_NE(answers(encodings::shaw_values, "dim=2 relative=query_minus_key"),
            answers(encodings::shaw_values, "dim=2"));
  const Tensor one({1, 2}, {1, 2});
  EXPECT_EQ(answers(encodings::shaw_values, "dim=2 relative=query_minus_key", one, one, one),
            answers(encodings::shaw_values, "dim=2", one, one, one));
}

// Of three tokens under a causal mask: with clip 1 the offsets of i - j are 0 alone, with 2 they are 0 and 1.
TEST(ShawValues, takes_larger_offsets_for_the_last_but_one_where_there_are_2k_rows) {
  const auto of = [](const std::string& more) { return answers(encodings::shaw_values, "dim=2 " + more); };
  EXPECT_EQ(of("clip=3 relative=query_minus_key last_offset=clip_minus_one"),
            of("clip=3 relative=query_minus_key"));
  EXPECT_NE(of("clip=2 relative=query_minus_key last_offset=clip_minus_one"),
            of("clip=2 relative=query_minus_key"));
  EXPECT_EQ(of("clip=2 last_offset=clip_minus_one"), of("clip=2")) << "keys are at or before their query";
  // All rows are that of offset 0: they are added to the answers, and no weight changes.
  const Numbers with = of("clip=1 relative=query_minus_key last_offset=clip_minus_one"),
                without = answers(encodings::shaw_values,
                                  "dim=2 clip=1 relative=query_minus_key last_offset=clip_minus_one", q3, k3,
                                  Tensor({3, 2}));
  // An answer below 8 that is rounded to a double is off by 2^-51, and so is a difference of two.
  for (std::size_t c = 0; c < 2; ++c) {
    ASSERT_LT(std::max(std::abs(with[c]), std::abs(without[c])), 8);
    EXPECT_NEAR(without[c], without[2 + c], 2 * 0x1p-51);
    EXPECT_NEAR(without[c], without[4 + c], 2 * 0x1p-51);
    EXPECT_NEAR(with[c] - without[c], v3.at(0, c), 3 * 0x1p-51);
  }
}

// Of the third token, the first is one offset beyond.
TEST(ShawValues, has_no_vectors_beyond_the_largest_offset_where_it_is_zero) {
  expect_answers(encodings::shaw_values, "dim=2 clip=1 beyond=zero",
                 {1.5442850332046394, 1.4898069313150188, 2.0117832505194446, 1.2562242313904446,
                  -0.2643900925053943, 3.0660669630738693});
  EXPECT_EQ(answers(encodings::shaw_values, "dim=2 clip=2 beyond=zero"),
            answers(encodings::shaw_values, "dim=2 clip=2"));
  // Of i - j, 1 has no vector either.
  EXPECT_NE(answers(encodings::shaw_values,
                    "dim=2 clip=1 relative=query_minus_key last_offset=clip_minus_one beyond=zero"),
            answers(encodings::shaw_values, "dim=2 clip=1 relative=query_minus_key beyond=zero"));
}

TEST(ShawValues, sees_keys_without_vectors_on_both_sides) {
  const Mask all({3, 3}, {1, 1, 1, 1, 1, 1, 1, 1, 1});
  const Parameters words = Case::parse("dim=2 clip=1 beyond=zero");
  for (const Encoding& made : {encodings::shaw_values.make(words), encodings::shaw_values.oracle(words)})
    expect_near(as<Attention>(made).attend(q3, k3, v3, all).data,
                {0.26053834950692767, 1.7460588174183846, 0.95371970185829191, 1.71824803255164,
                 -0.2643900925053943, 3.0660669630738693},
                3e-15, "all keys");
}

TEST(ShawValues, has_another_largest_offset_for_keys_after_the_query) {
  const Mask all({3, 3}, {1, 1, 1, 1, 1, 1, 1, 1, 1});
  const Parameters words = Case::parse("dim=2 clip=1 clip_right=0");
  for (const Encoding& made : {encodings::shaw_values.make(words), encodings::shaw_values.oracle(words)})
    expect_near(as<Attention>(made).attend(q3, k3, v3, all).data,
                {0.39119260678294648, 2.6428993577367117, 1.5162790618576969, 1.7047552883812112,
                 0.029197739940817195, 3.0563374633863853},
                3e-15, "all keys");
  // Offsets are i - j: from -2 to 1, and that of the query itself has the third row.
  expect_answers(encodings::shaw_values, "dim=2 clip=1 clip_right=2 relative=query_minus_key",
                 {0.096972848482250296, 0.96570149772604541, 0.011530899455252422, 0.91036910230935719,
                  -1.6975334790727661, 2.739363747555501});
}

// VITS, attentions.py: weights by offset, times a table whose rows outside the window are zeros.
TEST(ShawValues, adds_weights_by_offset_times_a_padded_table) {
  const std::string words = "dim=2 clip=1 beyond=zero";
  const std::array<Position, 3> at = {0, 1, 2};
  const Tensor logits = encodings::shaw.make<Contextual>(Case::parse(words)).logits(q3, k3, at, at);
  const Numbers found = answers(encodings::shaw_values, words, q3, k3, Tensor({3, 2}));
  const double table[5][2] = {{},
                              {seeded(2, 0, 1), seeded(2, 1, 1)},
                              {seeded(2, 2, 1), seeded(2, 3, 1)},
                              {seeded(2, 4, 1), seeded(2, 5, 1)},
                              {}};
  for (std::size_t i = 0; i < 3; ++i) {
    double by_offset[5] = {}, sum = 0;
    for (std::size_t j = 0; j <= i; ++j) sum += by_offset[2 + j - i] = std::exp(logits.at(i, j));
    for (std::size_t c = 0; c < 2; ++c) {
      double expected = 0;
      for (std::size_t r = 0; r < 5; ++r) expected += by_offset[r] / sum * table[r][c];
      EXPECT_NEAR(found[2 * i + c], expected, 3e-15) << i << " " << c;
    }
  }
}

TEST(ShawValues, says_which_shapes_it_takes) {
  const auto ask = [&](const Encoding& encoding, const Mask& mask) {
    return message([&] { as<Attention>(encoding).attend(q3, k3, v3, mask); });
  };
  const Encoding reference = encodings::shaw_values.make(Case::parse("dim=2")),
                 oracle = encodings::shaw_values.oracle(Case::parse("dim=2"));
  EXPECT_EQ(
      ask(reference, causal(2)),
      "attention over [3, 2] and [3, 2] with values [3, 2] and a mask of [2, 2]; [3, 2], [3, 2], [3, 2] "
      "and [3, 3] were expected");
  EXPECT_EQ(ask(oracle, causal(2)),
            "shaw_values: q, k, v and the mask are [3, 2], [3, 2], [3, 2] and [3, 3]; [3, 2], [3, 2], [3, 2] "
            "and [2, 2] came");
  EXPECT_EQ(ask(reference, Mask({3, 3})), "query 0 sees no key");
  EXPECT_EQ(ask(oracle, Mask({3, 3})), "query 0 sees no key");
}

}  // namespace
}  // namespace posproof::shaw_values_test
