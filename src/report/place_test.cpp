#include "report/place.h"

#include <gtest/gtest.h>

#include "report/testing/found.h"

namespace posproof::report::place_test {
namespace {

using namespace posproof::testing;
using enum Axis;

TEST(ReportPlace, names_every_axis_with_the_positions_beside_the_token) {
  EXPECT_EQ(where({.axes = {{batch, 0}, {head, 1}, {token, 2}, {channel, 33}},
                   .position = {17},
                   .pair = Place::OfPair{1, true}}),
            "batch 0, head 1, token 2 (position 17), channel 33 (second of pair 1)");
  EXPECT_EQ(where({.axes = {{token, 0}, {channel, 4}}, .position = {3, -1}, .pair = Place::OfPair{4, false}}),
            "token 0 (position 3,-1), channel 4 (first of pair 4)");
  EXPECT_EQ(where({.axes = {{head, 3}, {query, 1}, {key, 2}},
                   .position = {1048576},
                   .key_position = {0.5},
                   .relative_to_key = 7}),
            "head 3, query 1 (position 1048576), key 2 (position 0.5), relative to key 7");
  EXPECT_EQ(where({.answer = 1, .answers = 3, .axes = {{query, 4}, {channel, 0}}}),
            "answer 2 of 3, query 4, channel 0");
}

TEST(ReportPlace, has_as_many_digits_as_show_the_difference) {
  const auto said = [](double expected, double got) {
    return what({.expected = expected, .got = got, .off = difference(got, expected, 0)});
  };
  EXPECT_EQ(said(0.540302305868, 0.99955003), "expected 0.540302, got 0.99955, off by 0.459248");
  EXPECT_EQ(said(1, 1 + 0x1p-20), "expected 1, got 1.00000095, off by 9.53674e-07");
  EXPECT_EQ(said(0.6815613503552693, 0.6815618), "expected 0.68156135, got 0.6815618, off by 4.49645e-07");
  EXPECT_EQ(said(1, 1 + 0x1p-52), "expected 1, got 1.0000000000000002, off by 2.22045e-16");
  EXPECT_EQ(said(0, nan), "expected 0, got nan");
  EXPECT_EQ(said(0.25, -infinite), "expected 0.25, got -inf");
}

TEST(ReportPlace, is_all_of_a_refutation_whose_error_and_bound_it_has) {
  Refuted refuted{Case::parse("t=7"), {0.75, 0.125, 1}, 1, 0};
  EXPECT_FALSE(is_all_of(refuted)) << "no place";
  refuted.place = wrong_entry();
  EXPECT_TRUE(is_all_of(refuted));
  refuted.residual.bound = 0.25;
  EXPECT_FALSE(is_all_of(refuted));
  refuted.residual = {0.5, 0.125, 1};
  EXPECT_FALSE(is_all_of(refuted));
  refuted.residual.error = nan;
  EXPECT_FALSE(is_all_of(refuted));
  refuted.place->off.error = nan;
  EXPECT_TRUE(is_all_of(refuted));
  refuted.instead = "an error";
  EXPECT_FALSE(is_all_of(refuted));
}

}  // namespace
}  // namespace posproof::report::place_test
