// Golden numbers by mpmath at 40 digits, from the formula and SplitMix64 alone.
#include "catalogue/encodings/deberta.h"
#include <gtest/gtest.h>

#include <cmath>

#include "encodings/asked.h"

namespace posproof::deberta_test {
namespace {

using namespace asked;

const Places places = {{0, 0}, {3, 1}, {1, 3}, {9, 2}, {2, 60}};

TEST(Deberta, has_the_golden_logits) {
  expect_logits(encodings::deberta, "dim=4 span=8", places,
                {-0.055169442014670535, -1.7772387484663404, -1.2707148007865807, -0.24949876424367892,
                 1.6902311459156845});
  expect_logits(encodings::deberta, "dim=4 span=8 p2c=paper", places,
                {-0.055169442014670535, -2.2960986606148591, -0.75185488863806199, 0.0071220437893972011,
                 0.3750013345245561});
  expect_logits(encodings::deberta, "dim=4 span=8 offsets=log_buckets max_position=64", places,
                {-0.055169442014670535, -1.7772387484663404, -1.2707148007865807, -1.4362812453659423,
                 -1.1957098461632758});
  expect_logits(encodings::deberta, "dim=4 span=8 terms=c2p", places,
                {0.13912370462425234, -1.8414031849247217, -0.58556956139232565, -0.29554782455095975,
                 0.46930546859897691});
}

// The bucket is the offset that has the same row where each offset has one.
TEST(Deberta, has_the_known_buckets) {
  const std::pair<Position, Position> known[] = {{5, 5},       {128, 128},    {130, 130},     {200, 169},
                                                 {256, 192},   {400, 233},    {510, 255},     {511, 255},
                                                 {-400, -233}, {100000, 255}, {-100000, -256}};
  const std::string words = "dim=1 span=256 terms=c2p";
  const Encoding linear = encodings::deberta.make(Case::parse(words));
  for (const bool exact : {false, true}) {
    const Parameters logarithmic = Case::parse(words + " offsets=log_buckets");
    const Encoding made =
        exact ? encodings::deberta.oracle(logarithmic) : encodings::deberta.make(logarithmic);
    for (const auto& [offset, bucket] : known)
      EXPECT_EQ(logit(made, {1}, {0}, 200000 + offset, 200000),
                logit(linear, {1}, {0}, 200000 + bucket, 200000))
          << offset;
  }
}

TEST(Deberta, reads_the_mirrored_row_for_the_key_where_the_paper_does) {
  for (const auto& [i, j] : places)
    EXPECT_EQ(logit(encodings::deberta, "dim=4 terms=p2c p2c=paper", q4, k4, i, j),
              logit(encodings::deberta, "dim=4 terms=p2c p2c=code", q4, k4, j, i));
}

TEST(Deberta, is_scaled_by_the_number_of_its_terms) {
  double content = 0;
  for (std::size_t c = 0; c < 4; ++c) content += q4[c] * k4[c];
  for (const auto& [i, j] : places)
    EXPECT_NEAR(logit(encodings::deberta, "dim=4", q4, k4, i, j) * std::sqrt(12.0),
                (logit(encodings::deberta, "dim=4 terms=c2p", q4, k4, i, j) +
                 logit(encodings::deberta, "dim=4 terms=p2c", q4, k4, i, j)) *
                        std::sqrt(8.0) -
                    content,
                1e-14);
}

TEST(Deberta, refuses_buckets_that_make_no_sense) {
  const auto refused = [](std::string_view words) {
    return message([&] { encodings::deberta.make(Case::parse(words)); });
  };
  EXPECT_EQ(refused("span=5 offsets=log_buckets"),
            "`span=5 offsets=log_buckets`; allowed: even numbers from 4");
  EXPECT_EQ(refused("span=16 max_position=9 offsets=log_buckets"),
            "`max_position=9 span=16 offsets=log_buckets`; allowed: positions beyond span / 2 + 1");
  EXPECT_EQ(refused("span=5"), "nothing was thrown");
}

}  // namespace
}  // namespace posproof::deberta_test
