#include "catalogue/misreadings/sincos_2d.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <string>

#include "misreadings/testing/formulas.h"
#include "run/catalogued.h"

namespace posproof::misreadings_sincos_2d_test {
namespace {

using testing::Real, testing::RowFormula;

// Of interleaved sines and cosines, the part of the rows first, by the extent that divides the number of an
// axis.
RowFormula divided(Real (*extent)(const Arguments& p, std::size_t axis, Real number)) {
  return [extent](const Arguments& p, const std::vector<double>& position) {
    std::vector<Real> row;
    const std::size_t each = p.width("dim") / 2;
    for (std::size_t axis = 0; axis < 2; ++axis)
      for (std::size_t c = 0; c < each; ++c) {
        const Real number = position[axis], i = static_cast<Real>(c / 2 * 2) / static_cast<Real>(each);
        const Real angle = (number + static_cast<Real>(p.whole("offset"))) * 2 * std::numbers::pi_v<Real> /
                           (extent(p, axis, number) + Real{1e-6}) /
                           std::pow(static_cast<Real>(p.real("base")), i);
        row.push_back(c % 2 == 0 ? std::sin(angle) : std::cos(angle));
      }
    return row;
  };
}

TEST(MisreadSincos2d, is_what_the_sentence_says) {
  // Of one token the extents of the call are its own numbers and one.
  testing::expect_rows(
      "sincos_2d", misreadings::sincos_2d,
      {{"positions are divided by the extents of the call's own positions, not by those of the grid",
        divided([](const Arguments&, std::size_t, Real number) { return std::max<Real>(number + 1, 0); })},
       {"positions are divided by the extents less 1",
        divided([](const Arguments& p, std::size_t axis, Real) { return Real{p.list("grid")[axis]} - 1; })},
       {"positions of every axis are divided by the largest extent",
        divided([](const Arguments&, std::size_t, Real) { return Real{5}; })}},
      {"layout=interleaved", "layout=interleaved base=100"});
}

// Two tokens, of which each is the farther on one axis.
TEST(MisreadSincos2d, takes_the_extents_of_all_tokens_of_a_call) {
  const Parameters words =
      with(encoding_named("sincos_2d"), Case::parse("dim=16 normalize=detr offset=1 grid=[9,7]"));
  const Table made = as<Table>(misreadings::sincos_2d.misreadings.front().make(words));
  const Table of_4_by_6 =
      as<Table>(encoding_named("sincos_2d")
                    .make(with(encoding_named("sincos_2d"), Case::parse("dim=16 normalize=detr offset=1 "
                                                                        "grid=[4,6]"))));
  const std::vector<Position> two = {3, 1, 0, 5};
  const Tensor found = made.rows(Positions(two, 2), 1), expected = of_4_by_6.rows(Positions(two, 2), 1);
  for (std::size_t n = 0; n < found.data.size(); ++n) EXPECT_NEAR(found.data[n], expected.data[n], 1e-14);
}

TEST(MisreadSincos2d, is_none_without_extents_or_where_they_are_the_same) {
  const auto refuses = [](std::size_t n, const std::string& words) {
    EXPECT_THROW(
        misreadings::sincos_2d.misreadings.at(n).make(with(encoding_named("sincos_2d"), Case::parse(words))),
        Refusal)
        << words;
  };
  for (const std::size_t n : {0, 1, 2}) refuses(n, "dim=16");
  refuses(1, "dim=16 normalize=detr offset=1 grid=[5,1]");
  refuses(2, "dim=16 normalize=detr offset=1 grid=[5,5]");
}

}  // namespace
}  // namespace posproof::misreadings_sincos_2d_test
