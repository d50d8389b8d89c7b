#include "catalogue/misreadings/mixed_rope.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "core/function.h"
#include "encodings/seeded.h"
#include "misreadings/testing/formulas.h"
#include "run/catalogued.h"

namespace posproof::misreadings_mixed_rope_test {
namespace {

using testing::Real;

// The entry of the trained table that a head's pair has on an axis, of so many heads and pairs on two axes.
using Entry = Function<std::size_t(std::size_t axis, std::size_t h, std::size_t i, std::size_t heads,
                                   std::size_t pairs)>;

const testing::Formulas<Entry> formulas = {
    {"heads have each other's frequencies, in reverse order",
     [](auto axis, auto h, auto i, auto heads, auto pairs) {
       return axis * heads * pairs + (heads - 1 - h) * pairs + i;
     }},
    {"all heads have the frequencies of the first",
     [](auto axis, auto, auto i, auto heads, auto pairs) { return axis * heads * pairs + i; }},
    {"every head has the frequencies of the next one, the last of the first",
     [](auto axis, auto h, auto i, auto heads, auto pairs) {
       return axis * heads * pairs + (h + 1 == heads ? 0 : (h + 1) * pairs) + i;
     }},
    {"pairs have each other's frequencies, in reverse order",
     [](auto axis, auto h, auto i, auto heads, auto pairs) {
       return axis * heads * pairs + (h + 1) * pairs - 1 - i;
     }},
    {"the table is read as [heads, axes, pairs], not [axes, heads, pairs]",
     [](auto axis, auto h, auto i, auto, auto pairs) { return h * 2 * pairs + axis * pairs + i; }},
    {"the table is read as [axes, pairs, heads], not [axes, heads, pairs]",
     [](auto axis, auto h, auto i, auto heads, auto pairs) { return axis * pairs * heads + i * heads + h; }},
    {"the table is read as [heads, pairs, axes], not [axes, heads, pairs]",
     [](auto axis, auto h, auto i, auto, auto pairs) { return h * pairs * 2 + i * 2 + axis; }},
};

// A token of ones and zeros at (5, 3) points where both angles together do.
TEST(MisreadMixedRope, has_the_frequencies_that_the_sentence_says) {
  testing::expect_formulas<Rotary>(
      "mixed_rope", misreadings::mixed_rope, formulas, {"", "table_seed=2 std=0.125 layout=interleaved"},
      [](const Rotary& made, const Arguments& p, const Entry& entry, const std::string& where) {
        const std::size_t heads = p.width("heads"), pairs = p.width("dim") / 2;
        Tensor x({1, heads, 1, made.dim});
        for (std::size_t h = 0; h < heads; ++h)
          for (const Pair& pair : made.pairs) x.at(h, pair.first) = 1;
        const std::vector<Position> place = {5, 3};
        const Tensor rotated = made.rotate(x, Positions(place, 2), Role::query);
        for (std::size_t h = 0; h < heads; ++h)
          for (const Pair& pair : made.pairs) {
            const auto of = [&](std::size_t axis) {
              return Real{seeded(static_cast<std::uint64_t>(p.whole("table_seed")),
                                 entry(axis, h, pair.index, heads, pairs), p.real("std"))};
            };
            const Real angle = 5 * of(0) + 3 * of(1);
            testing::expect_same(rotated.at(h, pair.first), std::cos(angle), where);
            testing::expect_same(rotated.at(h, pair.second), std::sin(angle), where);
          }
      });
}

TEST(MisreadMixedRope, is_of_several_heads_where_it_is_said_of_them) {
  for (const Misreading& one : misreadings::mixed_rope.misreadings) {
    const Parameters shared = with(encoding_named("mixed_rope"), Case::parse("dim=8 heads=3"));
    const bool of_any =
        one.what.starts_with("pairs") || one.what.find("[heads, pairs, axes]") != one.what.npos;
    if (of_any)
      EXPECT_NO_THROW(one.make(shared)) << one.what;
    else
      EXPECT_THROW(one.make(shared), Refusal) << one.what;
  }
  // The second pair is the first again.
  const Parameters alike =
      with(encoding_named("mixed_rope"), Case::parse("dim=4 table=given frequencies=[1,1,0.5,0.5]"));
  EXPECT_THROW(misreadings::mixed_rope.misreadings.at(3).make(alike), Refusal);
}

}  // namespace
}  // namespace posproof::misreadings_mixed_rope_test
