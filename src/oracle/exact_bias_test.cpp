// The exact entries of the biases: those of their double oracles offset by offset, and rounded once.
#include <gtest/gtest.h>

#include <cmath>

#include "catalogue/encodings/alibi.h"
#include "catalogue/encodings/kerple.h"
#include "catalogue/encodings/sandwich.h"
#include "catalogue/encodings/t5_bias.h"
#include "exact/bias_kernels.h"

namespace posproof::oracle::exact_bias_test {

using namespace exact;

namespace {

struct SpecifiedBias {
  const EncodingSpec* spec;
  std::string words;
  Bias bias() const { return spec->oracle<Bias>(Case::parse(words)); }
};

const std::vector<SpecifiedBias> settings = {
    {&encodings::alibi, "heads=12"},
    {&encodings::alibi, "heads=3 rule=geometric form=symmetric"},
    {&encodings::alibi, "heads=5 rows=key_index max_bias=4.3"},
    {&encodings::alibi,
     "heads=5 biased_heads=3 head_dim=80 form=asymmetric future_factor=0.3 future_offset=2"},
    {&encodings::alibi, "heads=3 rule=log_linear head_dim=64"},
    {&encodings::kerple, "heads=2 kernel=log_power r1=[0.7] r2=[0.3] exponent=[0.6,2]"},
    {&encodings::kerple, "heads=2 kernel=power r2=[0.3,2] form=symmetric"},
    {&encodings::sandwich, "heads=2 dim=8"},
    {&encodings::sandwich, "heads=3 dim=4 form=symmetric centre=none first_n=0"},
    {&encodings::t5_bias, "heads=3"},
    {&encodings::t5_bias, "heads=2 table=seeded scale=5.65"},
    {&encodings::t5_bias, "heads=3 table=seeded direction=unidirectional"},
    {&encodings::t5_bias, "heads=2 relative=query_minus_key buckets=10"}};

std::vector<double> filled(const Bias& bias, std::size_t head, Position first, std::size_t count,
                           Format format) {
  std::vector<double> out(count);
  bias.exact->fill(head, first, format, out);
  return out;
}

TEST(ExactBias, is_in_double_what_the_oracle_gives) {
  const std::vector<Position> at = {0, 1, 2, 7, 16, 100, 129, 4097, Position{1} << 40};
  for (const SpecifiedBias& setting : settings) {
    const Bias bias = setting.bias();
    ASSERT_TRUE(bias.exact) << setting.words;
    const Tensor right = bias.bias(at, at);
    for (std::size_t h = 0; h < bias.heads; ++h)
      for (std::size_t i = 0; i < at.size(); ++i)
        for (std::size_t j = 0; j < at.size(); ++j)
          EXPECT_EQ(filled(bias, h, bias.exact->offset(at[i], at[j]), 1, Format::f64).front(),
                    right.at(h * at.size() + i, j))
              << setting.words << " head " << h << " i=" << at[i] << " j=" << at[j];
  }
}

TEST(ExactBias, fills_with_the_offsets_one_after_another) {
  for (const SpecifiedBias& setting : settings) {
    const Bias bias = setting.bias();
    for (const Format format : every_format) {
      const auto all = filled(bias, 1, -300, 601, format);
      for (std::size_t n = 0; n < all.size(); ++n) {
        EXPECT_EQ(all[n], filled(bias, 1, static_cast<Position>(n) - 300, 1, format).front());
        EXPECT_EQ(all[n], nearest(format, all[n])) << setting.words << ": no number of the format";
      }
    }
  }
}

// What MPFR says of each slope and distance, straight to the format.
TEST(ExactBias, of_alibi_is_its_kernel_in_every_format) {
  const Bias bias = SpecifiedBias{&encodings::alibi, "heads=12"}.bias();
  for (std::size_t h = 0; h < 12; ++h) {
    const auto step = static_cast<std::int64_t>(h);
    const Linear kernel = h < 8 ? Linear{8, step + 1, 8} : Linear{8, 2 * (step - 8) + 1, 16};
    for (const Format format : every_format) {
      const auto causal = filled(bias, h, -400, 500, format);
      for (std::size_t n = 0; n < causal.size(); ++n) {
        const Position offset = static_cast<Position>(n) - 400;
        EXPECT_EQ(causal[n], value(kernel, std::max<Position>(-offset, 0), format)) << h << " at " << offset;
      }
    }
  }
}

// Found by a search over 2^31 keys: slope times key is so near to a tie of f32 that its double is the tie.
TEST(ExactBias, of_twelve_heads_has_an_entry_that_two_roundings_get_wrong) {
  const Bias bias = SpecifiedBias{&encodings::alibi, "heads=12 rows=key_index"}.bias();
  constexpr Position key = 1295743693;
  for (std::size_t h = 8; h < 12; ++h) {
    const double right = std::ldexp(0x1.b4e462p+29, 8 - static_cast<int>(h));
    const double twice = nearest(Format::f32, filled(bias, h, key, 1, Format::f64).front());
    EXPECT_EQ(filled(bias, h, key, 1, Format::f32).front(), right);
    EXPECT_EQ(twice, std::nextafter(static_cast<float>(right), 0.0f));
  }
}

}  // namespace
}  // namespace posproof::oracle::exact_bias_test
