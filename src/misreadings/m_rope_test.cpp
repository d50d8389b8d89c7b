#include "catalogue/misreadings/m_rope.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "core/function.h"
#include "misreadings/testing/formulas.h"
#include "run/catalogued.h"

namespace posproof::misreadings_m_rope_test {
namespace {

using testing::Real;

// What rotates a channel: one of three numbers, and the power of the base.
struct By {
  std::size_t number;
  Real exponent;
};
using Formula = Function<By(std::size_t channel)>;

// Of 16 channels, in sections of 2, 3 and 3 pairs.
const testing::Formulas<Formula> formulas = {
    {"the ladder begins anew in each section: its pair j has the frequency base^(-2j/r)",
     [](std::size_t channel) {
       const std::size_t pair = channel % 8;
       return pair < 2   ? By{0, -Real(pair) / 8}
              : pair < 5 ? By{1, -Real(pair - 2) / 8}
                         : By{2, -Real(pair - 5) / 8};
     }},
    {"the sections are doubled, not repeated: the first 2t channels rotate by the time, the next 2h by the row, "
     "the last 2w by the column",
     [](std::size_t channel) {
       return By{channel < 4    ? std::size_t{0}
                 : channel < 10 ? std::size_t{1}
                                : std::size_t{2},
                 -Real(channel % 8) / 8};
     }},
};

TEST(MisreadMRope, is_what_the_sentence_says) {
  testing::expect_formulas<Rotary>(
      "m_rope", misreadings::m_rope, formulas, {"", "base=100"},
      [](const Rotary& made, const Arguments& p, const Formula& formula, const std::string& where) {
        const std::vector<Position> places = {3, 5, 7, 2, 0, 1};
        Tensor x({1, 1, 2, 16});
        for (std::size_t n = 0; n < x.data.size(); ++n) x.data[n] = static_cast<double>(n % 7) - 2;
        const Tensor y = made.rotate(x, Positions(places, 3), Role::query);
        for (std::size_t token = 0; token < 2; ++token)
          for (std::size_t c = 0; c < 16; ++c) {
            const By by = formula(c);
            const Real angle =
                           Real(places[3 * token + by.number]) * std::pow(Real(p.real("base")), by.exponent),
                       a = x.at(token, c % 8), b = x.at(token, c % 8 + 8);
            testing::expect_same(
                y.at(token, c),
                c < 8 ? a * std::cos(angle) - b * std::sin(angle) : a * std::sin(angle) + b * std::cos(angle),
                where);
          }
      });
}

TEST(MisreadMRope, is_none_where_it_is_the_same) {
  for (const std::string words :
       {"dim=16 sections=[8,0,0]", "dim=16 sections=[2,3,3] ladder=restarted assignment=interleaved"})
    for (const Misreading& one : misreadings::m_rope.misreadings)
      EXPECT_THROW(one.make(with(encoding_named("m_rope"), Case::parse(words))), Refusal)
          << one.what << "; " << words;
}

}  // namespace
}  // namespace posproof::misreadings_m_rope_test
