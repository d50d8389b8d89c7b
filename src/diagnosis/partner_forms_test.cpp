// What is said of a rotation by several numbers whose channels have other partners, and cosines and sines as
// declared.
#include "diagnosis/partner_forms.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "core/function.h"
#include "diagnosis/testing/deviations.h"

namespace posproof::partner_forms_test {
namespace {

using testing::said;
using testing::Sentences;

// The channel whose content is added with the sine, and the sign of that.
struct Partner {
  std::size_t channel;
  double sign;
};

Partner in_blocks_of(std::size_t size, std::size_t c) {
  return c % size < size / 2 ? Partner{c + size / 2, -1} : Partner{c - size / 2, 1};
}

// y_c = x_c cos a_c + sign x_partner sin a_c, with the declared angle a_c of each channel.
Sentences said_of(const std::string& family, const std::string& words,
                  const Function<Partner(std::size_t)>& partner) {
  return said(family, words, [=](const Parameters& parameters) -> Encoding {
    auto out = as<Rotary>(encoding_named(family).make(parameters));
    std::vector<Pair> of(out.dim);
    for (const Pair& pair : out.pairs) of[pair.first] = of[pair.second] = pair;
    out.rotate = [=](const Tensor& x, const Positions& positions, Role) {
      Tensor y = x;
      const std::size_t heads = x.shape[1], n = x.shape[2];
      for (std::size_t r = 0; r < x.rows(); ++r)
        for (std::size_t c = 0; c < x.width(); ++c) {
          const double angle = positions.at(r / (heads * n) * n + r % n, of[c].axis) * of[c].frequency;
          const auto [other, sign] = partner(c);
          y.at(r, c) =
              static_cast<float>(x.at(r, c) * std::cos(angle) + sign * x.at(r, other) * std::sin(angle));
        }
      return y;
    };
    return out;
  });
}

TEST(PartnerForms, are_those_of_another_layout) {
  const auto blocks = [](std::size_t size) {
    return [size](std::size_t c) { return in_blocks_of(size, c); };
  };
  const Sentences
      of_8 = {"channels i and i + 4 of each 8 rotate together, each by the angle declared for it"},
      of_16 = {"channels i and i + 8 of each 16 rotate together, each by the angle declared for it"},
      neighbours = {"channels 2i and 2i + 1 rotate together, each by the angle declared for it"};
  const std::string half = "dim=16", by_axis = "dim=16 layout=half_split_by_axis",
                    interleaved = "dim=16 layout=interleaved";
  EXPECT_EQ(said_of("axial_rope", half, blocks(8)), of_8);
  EXPECT_EQ(said_of("axial_rope", half, blocks(2)), neighbours);
  EXPECT_EQ(said_of("axial_rope", by_axis, blocks(16)), of_16);
  EXPECT_EQ(said_of("axial_rope", by_axis, blocks(2)), neighbours);
  EXPECT_EQ(said_of("axial_rope", interleaved, blocks(16)), of_16);
  EXPECT_EQ(said_of("axial_rope", interleaved, blocks(8)), of_8);
  EXPECT_EQ(said_of("m_rope", "dim=12 sections=[2,2,2]", blocks(2)), neighbours);
}

TEST(PartnerForms, are_none_of_the_declared_layout_or_of_one_that_no_layout_has) {
  EXPECT_EQ(said_of("axial_rope", "dim=16", [](std::size_t c) { return in_blocks_of(16, c); }), Sentences{});
  EXPECT_EQ(said_of("axial_rope", "dim=16",
                    [](std::size_t c) {
                      Partner out = in_blocks_of(8, c);
                      if (c == 3) out.sign = 1;  // one channel of 16
                      return out;
                    }),
            Sentences{});
}

}  // namespace
}  // namespace posproof::partner_forms_test
