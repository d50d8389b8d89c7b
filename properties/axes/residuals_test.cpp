// The cases that statements about positions of several numbers draw, and their residuals, computed by hand:
// an answer is wrong in one entry, each in turn, and that is what is found, with what is allowed there.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "catalogue/properties/axes/acts_on_each_axis_alone.h"
#include "catalogue/properties/axes/depends_on_vector_offset.h"
#include "catalogue/properties/axes/is_one_ladder_where_numbers_are_equal.h"
#include "catalogue/properties/axes/swaps_axes_by_a_permutation.h"
#include "core/term.h"
#include "grid.h"
#include "search/testing/asked.h"
#include "search/testing/residuals.h"

namespace posproof::axes_residuals_test {
namespace {

using namespace grid;
namespace asked = properties::axes;

// What is drawn, and which cases say nothing: no number, or every number, is exchanged or rotated by.
TEST(ActsOnEachAxisAlone, exchanges_one_number_of_two_places) {
  const Property& property = asked::acts_on_each_axis_alone;
  auto ends = as<Table>(right_table());
  ends.positions.last_on_axis = {9, 15};
  const watched::Asked of_table = watched::ask(property, ends, all_f32, "axis=1 i=1 i_1=2 j=5 j_1=7");
  EXPECT_EQ(of_table.drawn, "axis 0..1, i 0..9, i_1 0..15, j 0..9, j_1 0..15");
  EXPECT_EQ(of_table.calls.at(0).positions.whole, (Numbers{1, 2, 5, 7, 1, 7, 5, 2}));
  EXPECT_EQ(watched::ask(property, ends, all_f32, "axis=0 i=1 i_1=2 j=5 j_1=7").calls.at(0).positions.whole,
            (Numbers{1, 2, 5, 7, 5, 2, 1, 7}));
  for (const std::string_view same : {"axis=0 i=1 i_1=2 j=1 j_1=7", "axis=0 i=1 i_1=2 j=5 j_1=2",
                                      "axis=1 i=1 i_1=2 j=5 j_1=2", "axis=1 i=1 i_1=2 j=1 j_1=7"})
    EXPECT_THROW(watched::ask(property, ends, all_f32, same), Discard) << same;
}

TEST(ActsOnEachAxisAlone, rotates_by_one_number_and_then_by_the_others) {
  const Property& property = asked::acts_on_each_axis_alone;
  const auto at = [&](const Encoding& encoding, std::string_view place) {
    return watched::ask(property, encoding, all_f32, fmt::format("x=[1,0*7] role=key {}", place));
  };
  const Encoding right = right_rotation();
  for (const auto& [place, one, others] : {std::tuple{"axis=0 i=3 i_1=5", Numbers{3, 0}, Numbers{0, 5}},
                                           {"axis=1 i=3 i_1=5", Numbers{0, 5}, Numbers{3, 0}}}) {
    const watched::Asked found = at(right, place);
    EXPECT_EQ(found.drawn, "axis 0..1, x [8], i 0..15, i_1 0..15, role query/key");
    ASSERT_EQ(found.calls.size(), 3u);
    EXPECT_EQ(found.calls[0].positions.whole, (Numbers{3, 5}));
    EXPECT_EQ(found.calls[1].positions.whole, one);
    EXPECT_EQ(found.calls[2].positions.whole, others);
    EXPECT_EQ(found.calls[2].contents[0], answer(right, found.calls[1]));
    for (const Call& call : found.calls) EXPECT_EQ(call.role, Role::key);
  }
  const auto says_nothing = [&](const Encoding& encoding, std::string_view place) {
    // What says nothing does so before the role is drawn.
    EXPECT_THROW(watched::ask(property, encoding, all_f32, fmt::format("x=[1,0*7] {}", place)), Discard)
        << place;
  };
  for (const std::string_view place :
       {"axis=0 i=0 i_1=5", "axis=0 i=3 i_1=0", "axis=1 i=0 i_1=5", "axis=1 i=3 i_1=0"})
    says_nothing(right, place);
  // Where there is no 0, no number acts without the others.
  const auto from = [&](Position lo) {
    auto rotary = as<Rotary>(right);
    rotary.positions.lo = lo;
    return Encoding(rotary);
  };
  says_nothing(from(1), "axis=0 i=3 i_1=5");
  EXPECT_EQ(at(from(-2), "axis=0 i=-2 i_1=5").calls.size(), 3u);
}

// So far that every place is still one.
TEST(DependsOnVectorOffset, moves_both_places_as_far_as_each_axis_goes) {
  auto ends = as<Table>(right_table());
  ends.positions.last_on_axis = {20, 15};
  const watched::Asked found =
      watched::ask(asked::depends_on_vector_offset, ends, all_f32, "i=1 i_1=9 j=3 j_1=2 t=17 t_1=6");
  EXPECT_EQ(found.drawn, "i 0..20, i_1 0..15, j 0..20, j_1 0..15, t 0..17, t_1 0..6");
  ASSERT_EQ(found.calls.size(), 4u);
  EXPECT_EQ(found.calls[0].positions.whole, (Numbers{1, 9}));
  EXPECT_EQ(found.calls[1].positions.whole, (Numbers{3, 2}));
  EXPECT_EQ(found.calls[2].positions.whole, (Numbers{18, 15}));
  EXPECT_EQ(found.calls[3].positions.whole, (Numbers{20, 8}));
}

// Each number has to be one of the other axis, too.
TEST(SwapsAxes, exchanges_numbers_that_both_axes_have) {
  const auto asks = [](const std::vector<Position>& ends, std::string_view place) {
    auto table = as<Table>(right_table());
    table.positions.last_on_axis = ends;
    return watched::ask(asked::swaps_axes_by_a_permutation, table, all_f32, fmt::format("a=0 b=1 {}", place));
  };
  const watched::Asked found = asks({3, 15}, "i=2 i_1=3");
  EXPECT_EQ(found.drawn, "a 0..0, b 1..1, i 0..3, i_1 0..15");
  EXPECT_EQ(found.calls.at(0).positions.whole, (Numbers{2, 3}));
  EXPECT_EQ(found.calls.at(1).positions.whole, (Numbers{3, 2}));
  EXPECT_EQ(asks({15, 3}, "i=3 i_1=2").calls.size(), 2u);
  EXPECT_THROW(asks({3, 15}, "i=2 i_1=2"), Discard);
  EXPECT_THROW(asks({3, 15}, "i=2 i_1=4"), Discard);
  EXPECT_THROW(asks({15, 3}, "i=4 i_1=2"), Discard);
}

TEST(SwapsAxes, exchanges_any_two_of_several) {
  const watched::Asked found = watched::ask(asked::swaps_axes_by_a_permutation, table(&right_angle, 3),
                                            all_f32, "a=1 b=2 i=5 i_1=2 i_2=3");
  EXPECT_EQ(found.drawn, "a 0..1, b 2..2, i 0..15, i_1 0..15, i_2 0..15");
  EXPECT_EQ(found.calls.at(1).positions.whole, (Numbers{5, 3, 2}));
}

// The number is one of every axis; of two pairs one ratio alone could be read.
TEST(IsOneLadder, asks_for_a_number_of_every_axis) {
  auto ends = rotation(&right_angle, slow_pairs(3), 3);
  ends.positions.last_on_axis = {15, 9, 4};
  EXPECT_EQ(watched::ask(asked::is_one_ladder_where_numbers_are_equal, ends, all_f32, "x=[1*12] t=3 role=key")
                .drawn,
            "x [12], t 0..4, role query/key");
  const auto of_pairs = [](std::size_t pairs) {
    std::vector<Pair> some = slow_pairs();
    some.resize(pairs);
    return rotation(&right_angle, some, 2);
  };
  EXPECT_EQ(
      watched::ask(asked::is_one_ladder_where_numbers_are_equal, of_pairs(3), all_f32, "x=[1*6] t=3 role=key")
          .calls.size(),
      1u);
  EXPECT_THROW(watched::ask(asked::is_one_ladder_where_numbers_are_equal, of_pairs(2), all_f32,
                            "x=[1*4] t=3 role=key"),
               Inapplicable);
}

// How far each entry of the right answer to a call may be off.
std::vector<double> allowed(const Encoding& right, const Call& call) {
  return bound(right, call, answer(right, call), all_f32).error.data;
}

// Our own arithmetic in double loses too little to be seen beside f32: it is multiplied by this.
constexpr double visible = 0x1p20, ours = visible * unit_f64, wrong_by = 0x1p-4;

// Entry number `entry` of the answer to call number `call` is off.
Residual wrong_in(const Property& property, const Encoding& right, std::string_view words, std::size_t call,
                  std::size_t entry) {
  const ScaledTerm seen(Term::ours, visible);
  return watched::ask(property, right, all_f32, words,
                      [=](std::size_t n, Tensor& out) { out.data[entry] += n == call ? wrong_by : 0; })
      .residual;
}

constexpr std::string_view token = "[0.5,-0.25,0.75,0.125,-0.375,0.625,0.25,0.875]";

// A pair is two channels beside each other, in each of two heads.
TEST(ActsOnEachAxisAlone, finds_each_entry_with_the_bounds_of_its_rotations) {
  const Encoding right = right_rotation();
  const std::string words = fmt::format("axis=0 i=3 i_1=5 role=query x={}", token);
  const auto calls = watched::ask(asked::acts_on_each_axis_alone, right, all_f32, words).calls;
  const std::vector<double> at_once = allowed(right, calls[0]), first = allowed(right, calls[1]),
                            twice = allowed(right, calls[2]), x = answer(right, calls[1]).data;
  const auto before = [&](std::size_t n) { return first[n] + unit_f32 * std::abs(x[n]); };
  for (const std::size_t call : {0, 2})
    for (std::size_t n = 0; n < 16; ++n) {
      SCOPED_TRACE(fmt::format("call {}, entry {}", call, n));
      residuals::expect(wrong_in(asked::acts_on_each_axis_alone, right, words, call, n), wrong_by,
                        std::hypot(before(n), before(n ^ 1)) + twice[n] + at_once[n], no_ceiling);
    }
}

TEST(ActsOnEachAxisAlone, finds_each_entry_with_the_bounds_of_its_four_rows) {
  const Encoding right = right_table();
  const std::string words = "axis=1 i=1 i_1=2 j=5 j_1=7";
  const Call call = watched::ask(asked::acts_on_each_axis_alone, right, all_f32, words).calls.at(0);
  const std::vector<double> error = allowed(right, call), rows = answer(right, call).data;
  for (std::size_t n = 0; n < rows.size(); ++n) {
    SCOPED_TRACE(fmt::format("entry {}", n));
    const std::size_t c = n % 8;
    const double here = std::abs(rows[c] + rows[8 + c] + (n < 16 ? wrong_by : 0)),
                 there = std::abs(rows[16 + c] + rows[24 + c] + (n < 16 ? 0 : wrong_by));
    residuals::expect(wrong_in(asked::acts_on_each_axis_alone, right, words, 0, n), wrong_by,
                      error[c] + error[8 + c] + error[16 + c] + error[24 + c] + ours * (here + there),
                      no_ceiling);
  }
}

// A token's entry counts as much as the entry that it is multiplied with.
TEST(DependsOnVectorOffset, finds_each_entry_with_the_bounds_of_its_dot_products) {
  const Property& property = asked::depends_on_vector_offset;
  const std::string place = "i=1 i_1=9 j=3 j_1=2 t=4 t_1=6",
                    contents = fmt::format("q={} k=[1,0.5,-0.5,0.25,1,-0.25,0.5,0.75] ", token);
  for (const bool rotates : {true, false}) {
    const Encoding right = rotates ? right_rotation() : right_table();
    const std::string words = (rotates ? contents : "") + place;
    const auto calls = watched::ask(property, right, all_f32, words).calls;
    std::vector<std::vector<double>> rows, errors;
    for (const Call& call : calls)
      rows.push_back(answer(right, call).data), errors.push_back(allowed(right, call));
    double ceiling = 0;  // the norms of the pairs, which lie beside each other
    if (rotates)
      for (std::size_t c = 0; c < 8; c += 2)
        ceiling += 2 * std::hypot(calls[0].contents[0].data[c], calls[0].contents[0].data[c + 1]) *
                   std::hypot(calls[1].contents[0].data[c], calls[1].contents[0].data[c + 1]);
    for (std::size_t call = 0; call < 4; ++call)
      for (std::size_t n = 0; n < rows[0].size(); ++n) {
        SCOPED_TRACE(fmt::format("call {}, entry {}", call, n));
        auto wrong = rows;
        wrong[call][n] += wrong_by;
        double bound = 0;
        for (const std::size_t match : {0, 2})
          for (std::size_t c = n / 8 * 8; c < n / 8 * 8 + 8; ++c) {
            const double a = std::abs(wrong[match][c]), b = std::abs(wrong[match + 1][c]),
                         da = errors[match][c], db = errors[match + 1][c];
            bound += a * db + da * b + da * db + 9 * ours * a * b;
          }
        residuals::expect(wrong_in(property, right, words, call, n), wrong_by * std::abs(rows[call ^ 1][n]),
                          bound, rotates ? ceiling : no_ceiling);
      }
  }
}

TEST(IsOneLadder, finds_each_entry_with_the_bound_of_its_rotation) {
  const Encoding right = right_rotation_in_turn();
  const std::string words = fmt::format("x={} t=7 role=key", token);
  const Call call =
      watched::ask(asked::is_one_ladder_where_numbers_are_equal, right, all_f32, words).calls.at(0);
  const std::vector<double> error = allowed(right, call), x = call.contents[0].data;
  for (std::size_t n = 0; n < 16; ++n) {
    SCOPED_TRACE(fmt::format("entry {}", n));
    const auto pair = static_cast<double>(n % 8 / 2);
    const double norm = std::hypot(x[n], x[n ^ 1]), angle = 7 * std::exp2(-4 - 2 * pair);
    residuals::expect(wrong_in(asked::is_one_ladder_where_numbers_are_equal, right, words, 0, n), wrong_by,
                      error[n] + ours * norm * (1 + (pair + 2) * angle), 2 * norm);
  }
}

// A pair of the other axis has the same frequency, and the same number there.
TEST(SwapsAxes, finds_each_entry_with_the_bounds_of_both_answers) {
  for (const bool rotates : {true, false}) {
    const Encoding right = rotates ? right_rotation() : right_table();
    const std::string words =
        "a=0 b=1 i=3 i_1=9" + (rotates ? fmt::format(" role=key x={}", token) : std::string());
    const auto calls = watched::ask(asked::swaps_axes_by_a_permutation, right, all_f32, words).calls;
    const std::vector<double> error = allowed(right, calls.at(1));
    for (const std::size_t call : {0, 1})
      for (std::size_t n = 0; n < error.size(); ++n) {
        SCOPED_TRACE(fmt::format("call {}, entry {}", call, n));
        const std::size_t place = call == 0 ? n ^ 4 : n;
        residuals::expect(wrong_in(asked::swaps_axes_by_a_permutation, right, words, call, n), wrong_by,
                          2 * error[place], no_ceiling);
      }
  }
}

// The logit of two tokens is as large as both amplitudes make it.
TEST(DependsOnVectorOffset, may_differ_by_the_amplitude_of_either_token) {
  auto right = as<Rotary>(right_rotation());
  const std::string words =
      fmt::format("q={} k=[1,0.5,-0.5,0.25,1,-0.25,0.5,0.75] i=1 i_1=9 j=3 j_1=2 t=4 t_1=6", token);
  const auto ceiling = [&] {
    return watched::ask(asked::depends_on_vector_offset, right, all_f32, words).residual.ceiling;
  };
  const double plain = ceiling();
  right.amplitude = 3;
  EXPECT_DOUBLE_EQ(ceiling(), 9 * plain);
}

}  // namespace
}  // namespace posproof::axes_residuals_test
