// Golden numbers by Python's decimal at 50 digits, from the formula and SplitMix64 alone.
#include "catalogue/encodings/decomposed_relative.h"

#include <gtest/gtest.h>

#include <cmath>

#include "catalogue/encodings/shaw.h"
#include "core/resampling.h"
#include "encodings/asked.h"
#include "encodings/made.h"
#include "encodings/seeded.h"

namespace posproof::decomposed_relative_test {
namespace {

using asked::k4, asked::q4;
using Place = std::vector<Position>;
const EncodingSpec& spec = encodings::decomposed_relative;

double at(const Encoding& encoding, const std::vector<double>& q, const std::vector<double>& k,
          const Place& i, const Place& j) {
  return as<Contextual>(encoding)
      .logits(Tensor({1, q.size()}, q), Tensor({1, k.size()}, k), {i, i.size()}, {j, j.size()})
      .data.at(0);
}

struct Golden {
  Place i, j;
  double logit;
};

void expect_logits(const std::string& words, const std::vector<Golden>& all) {
  const Parameters parameters = with(spec, Case::parse(words));
  for (const auto& [i, j, logit] : all)
    for (const Encoding& encoding : {spec.make(parameters), spec.oracle(parameters)})
      EXPECT_NEAR(at(encoding, q4, k4, i, j), logit, 3e-15) << words << " " << i[0] << " " << i[1];
}

TEST(DecomposedRelative, has_the_golden_logits) {
  expect_logits("dim=4 grid=[5,3]", {{{0, 0}, {0, 0}, 0.350713419229586570},
                                     {{3, 1}, {1, 2}, -4.23951554670289082},
                                     {{4, 2}, {0, 0}, -1.89581276214031642},
                                     {{0, 0}, {4, 2}, 0.250022451327508763},
                                     {{1, 0}, {1, 2}, -0.916068414748546125}});
  expect_logits("dim=4 grid=[5,3] relative=key_minus_query",
                {{{3, 1}, {1, 2}, -4.83677729435647027}, {{1, 0}, {1, 2}, -2.12800857089371594}});
  expect_logits("dim=4 grid=[5,3] query=scaled", {{{0, 0}, {0, 0}, -0.262143290385206715},
                                                  {{3, 1}, {1, 2}, -2.55725777335144541},
                                                  {{4, 2}, {0, 0}, -1.38540638107015821}});
  expect_logits("dim=4 grid=[2,5,3] table_seed=2", {{{0, 0, 0}, {0, 0, 0}, -1.15749459057798386},
                                                    {{1, 3, 1}, {0, 1, 2}, 3.28784710745373814},
                                                    {{0, 4, 2}, {1, 0, 0}, 1.71807967102183947}});
  expect_logits(
      "dim=4 grid=[5,3] class_token=apart",
      {{{0, 0}, {0, 0}, 0.350713419229586570}, {{-1, 0}, {2, 1}, -0.875}, {{2, 1}, {0, -1}, -0.875}});
}

// By fractions of whole numbers.
TEST(DecomposedRelative, has_the_golden_logits_on_two_grids_and_of_other_tables) {
  expect_logits("dim=4 grid=[5,3] key_grid=[3,5]", {{{0, 0}, {0, 0}, -2.79206699691456839},
                                                    {{3, 1}, {1, 2}, -1.46683286273920954},
                                                    {{4, 4}, {0, 0}, 2.04600207092718511},
                                                    {{0, 0}, {4, 4}, 0.250022451327508777},
                                                    {{4, 3}, {2, 1}, -1.24566179967127288}});
  expect_logits("dim=4 grid=[5,3] key_grid=[3,5] relative=key_minus_query",
                {{{3, 1}, {1, 2}, -3.08107431593205083}, {{4, 4}, {0, 0}, -7.58594209217902282}});
  expect_logits("dim=4 grid=[5,3] key_grid=[3,5] table=linear table_rows=[4,6]",
                {{{0, 0}, {0, 0}, -4.28670953302715141},
                 {{3, 1}, {1, 2}, 0.0469590479096299376},
                 {{4, 4}, {0, 0}, -0.260086920816171185},
                 {{0, 0}, {4, 4}, 4.1137017682780801},
                 {{4, 3}, {2, 1}, -4.16890638277690506}});
  expect_logits("dim=4 grid=[5,3] table=linear table_rows=[11,9]", {{{0, 0}, {0, 0}, 2.83271673870379326},
                                                                    {{3, 1}, {1, 2}, -2.44361588468470492},
                                                                    {{4, 2}, {0, 0}, -3.36930771087931102}});
  expect_logits("dim=4 grid=[5,3] key_grid=[3,5] table=first_rows table_rows=[11,9]",
                {{{0, 0}, {0, 0}, 1.28631154146049753},
                 {{3, 1}, {1, 2}, -3.94555485286251217},
                 {{4, 4}, {0, 0}, -0.208189903283121064}});
}

// Another derivation: an axis is Shaw's sum, whose table is that of the axis where it stands first, and which
// clips at the end of the grid.
TEST(DecomposedRelative, on_its_first_axis_is_shaw_of_the_grid) {
  for (const std::string relative : {"query_minus_key", "key_minus_query"}) {
    const std::string direction = " relative=" + relative;
    const Encoding grid = spec.oracle(with(spec, Case::parse("dim=4 grid=[6,3] query=scaled" + direction)));
    const Encoding line =
        encodings::shaw.oracle(with(encodings::shaw, Case::parse("dim=4 clip=5" + direction)));
    // The column's own term is the same at every offset of rows.
    const double columns = at(grid, q4, k4, {0, 1}, {0, 0}) - asked::logit(line, q4, k4, 0, 0);
    for (const auto& [i, j] : asked::Places{{5, 0}, {0, 5}, {3, 4}, {4, 1}})
      EXPECT_NEAR(at(grid, q4, k4, {i, 2}, {j, 1}) - asked::logit(line, q4, k4, i, j), columns, 5e-15);
  }
}

// Segment Anything's own way: R[q - k + (extent - 1)] for all pairs of an axis, the sum of both by broadcast.
TEST(DecomposedRelative, is_the_sum_of_two_gathered_products) {
  constexpr std::size_t height = 3, width = 4, dim = 2;
  const std::vector<double> q = {0.75, -2}, k = {1.5, 0.25};
  const auto entry = [](std::size_t row, std::size_t c) { return seeded(1, row * dim + c, 1.0); };
  const Encoding oracle = spec.oracle(with(spec, Case::parse("dim=2 grid=[3,4]")));
  for (std::size_t y = 0; y < height; ++y)
    for (std::size_t x = 0; x < width; ++x)
      for (std::size_t l = 0; l < height; ++l)
        for (std::size_t m = 0; m < width; ++m) {
          long double sum = (q[0] * k[0] + q[1] * k[1]) / std::sqrt(2.0L);
          for (std::size_t c = 0; c < dim; ++c) {
            sum += static_cast<long double>(q[c]) * entry(y + height - 1 - l, c);
            sum += static_cast<long double>(q[c]) * entry(2 * height - 1 + x + width - 1 - m, c);
          }
          const auto number = [](std::size_t n) { return static_cast<Position>(n); };
          EXPECT_NEAR(at(oracle, q, k, {number(y), number(x)}, {number(l), number(m)}),
                      static_cast<double>(sum), 2e-15);
        }
}

// By hand, in one channel. The content: one product and one sum of it, 2 roundings of a dot product, 3 of the
// factor. Each product with a table: the entry's own and 2 of the dot product. Then two sums, and twice the
// doubles in which both are rounded.
TEST(DecomposedRelative, allows_what_its_roundings_lose) {
  const double u = unit_f32, h = std::abs(seeded(1, 4, 1.0)), w = std::abs(seeded(1, 9 + 2, 1.0));
  const std::vector<double> q = {2}, k = {3}, origin = {0, 0};
  const double content = 6, met = 2 * (h + w), all = content + met;
  for (const bool exact : {false, true}) {
    const Parameters parameters = with(spec, Case::parse("dim=1 grid=[5,3]"));
    const auto of = as<Contextual>(exact ? spec.oracle(parameters) : spec.make(parameters));
    const double bound = of.error(q, k, origin, origin, all_f32);
    EXPECT_NEAR(bound, u * ((2 + 3) * content + (1 + 2) * met + 2 * all) + 2 * unit_f64 * all, 1e-12 * bound);
  }
}

// Of a table of 3 rows that is resized to 5, whose middle entry is the middle row's: that one has what its
// resizing loses in the place of one rounding, and is a factor of a product as a row is that was kept.
TEST(DecomposedRelative, allows_what_the_products_of_resized_rows_lose) {
  const auto bound = [](const std::string& words) {
    const auto of = as<Contextual>(spec.oracle(with(spec, Case::parse("dim=1 grid=[3,1] " + words))));
    const std::vector<double> q = {2}, k = {3}, origin = {0, 0};
    return std::pair(of.error(q, k, origin, origin, all_f32),
                     of.logits(Tensor({1, 1}, q), Tensor({1, 1}, k), {std::vector<Position>{0, 0}, 2},
                               {std::vector<Position>{0, 0}, 2})
                         .data[0]);
  };
  const auto [error, logit] = bound("table=linear table_rows=[3,1]");
  const auto row = [](std::size_t n) { return seeded(1, n, 1.0); };
  const auto axis = [](std::size_t from, std::size_t to, resampling::Method method) {
    return resampling::Axis{.before = from,
                            .after = to,
                            .method = method,
                            .align_corners = false,
                            .antialias = false,
                            .coefficient = 0,
                            .more = 0};
  };
  const resampling::Grid resized{axis(3, 5, resampling::Method::linear),
                                 axis(1, 1, resampling::Method::first),
                                 [&](std::size_t n, std::size_t) { return row(n); }};
  ASSERT_NEAR(logit, 6 + 2 * (row(1) + row(3)), 1e-14);
  const double u = unit_f32, h = std::abs(row(1)), w = std::abs(row(3)), content = 6, met = 2 * (h + w);
  const double lost = 2 * (resized.error(2, 0, row(1), all_f32) + u * w);
  EXPECT_NEAR(error,
              u * ((2 + 3) * content + 2 * met + 2 * (content + met)) + lost + 2 * unit_f64 * (content + met),
              1e-12 * error);
}

TEST(DecomposedRelative, ends_where_its_grid_does) {
  for (const std::string words : {"grid=[5,3]", "grid=[5,3] class_token=apart"}) {
    const Parameters parameters = with(spec, Case::parse("dim=4 " + words));
    for (const Encoding& encoding : {spec.make(parameters), spec.oracle(parameters)}) {
      const Domain& domain = positions_of(encoding);
      EXPECT_EQ(domain.axes, 2u);
      EXPECT_EQ(domain.hi, 4);
      EXPECT_EQ(domain.last_on_axis, (Place{4, 2}));
      EXPECT_EQ(domain.lo, words.ends_with("apart") ? -1 : 0);
    }
  }
}

TEST(DecomposedRelative, ends_where_the_finer_of_two_grids_does) {
  const Parameters parameters = with(spec, Case::parse("dim=4 grid=[5,3] key_grid=[2,6]"));
  for (const Encoding& encoding : {spec.make(parameters), spec.oracle(parameters)})
    EXPECT_EQ(positions_of(encoding).last_on_axis, (Place{4, 5}));
}

TEST(DecomposedRelative, says_which_positions_it_takes) {
  const Parameters parameters = with(spec, Case::parse("dim=4 grid=[5,3]"));
  const auto ask = [&](const Encoding& encoding) {
    return asked::message([&] { at(encoding, q4, k4, {1, 2, 3}, {0, 0, 0}); });
  };
  EXPECT_EQ(ask(spec.make(parameters)), "logits at positions of 3 numbers; allowed: 2");
  EXPECT_EQ(ask(spec.oracle(parameters)), "decomposed_relative: a position has 2 numbers, 3 came");
  const auto refused_for = [](const std::string& words, const std::string& allowed) {
    EXPECT_NE(refused(spec, "dim=4 grid=[5,3] " + words).find(allowed), std::string::npos) << words;
  };
  for (const std::string keys : {"[5]", "[5,0]", "[5,2.5]", "[5,3,2]"})
    refused_for("key_grid=" + keys, "none, or as many whole numbers from 1 as grid has");
  for (const std::string rows : {"[]", "[5]", "[5,0]", "[5,2.5]"})
    refused_for("table=linear table_rows=" + rows, "as many whole numbers from 1 as grid has");
  refused_for("table=first_rows table_rows=[9,4]", "at least 2 g - 1 rows");
  refused_for("key_grid=[6,3] table=first_rows table_rows=[10,5]", "at least 2 g - 1 rows");
  refused_for("table=linear table_rows=[1048572,5]", "tables of up to 4194304 numbers");
  for (const std::string grid : {"[5]", "[5,0]", "[5,2.5]"})
    EXPECT_NE(refused(spec, "dim=4 grid=" + grid).find("two or three whole numbers from 1"),
              std::string::npos)
        << grid;
}

}  // namespace
}  // namespace posproof::decomposed_relative_test
