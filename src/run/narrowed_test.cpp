#include "run/narrowed.h"

#include <gtest/gtest.h>

#include "core/call.h"
#include "run/catalogued.h"

namespace posproof {
namespace {

Encoding with_domain(Position lo, Position hi, bool ends = false, std::vector<Position> hard = {}) {
  const EncodingSpec& spec = encoding_named("raw_index");
  Domain domain(lo, hi, std::move(hard));
  domain.ends = ends;
  return with_positions(spec.make({}), domain);
}

TEST(Narrowed, is_what_both_have) {
  const Domain& inside = positions_of(narrowed(with_domain(0, 99, true, {0, 9, 10, 20, 21, 99}), 10, 20));
  EXPECT_EQ(inside.lo, 10);
  EXPECT_EQ(inside.hi, 20);
  EXPECT_FALSE(inside.ends) << "it has more positions than these";
  EXPECT_EQ(inside.hard, (std::vector<Position>{10, 20}));
  const Domain& wider = positions_of(narrowed(with_domain(3, 99, true), -5, 1000));
  EXPECT_EQ(wider.lo, 3);
  EXPECT_EQ(wider.hi, 99);
  EXPECT_TRUE(wider.ends);
  EXPECT_TRUE(positions_of(narrowed(with_domain(3, 99, true), 3, 99)).ends);
  EXPECT_FALSE(positions_of(narrowed(with_domain(3, 99, true), 4, 99)).ends);
  EXPECT_FALSE(positions_of(narrowed(with_domain(3, 99, true), 3, 98)).ends);
  EXPECT_FALSE(positions_of(narrowed(with_domain(3, 99, false), 3, 99)).ends);
  EXPECT_EQ(positions_of(narrowed(with_domain(-50, 50), -7, -3)).hi, -3);
}

std::string refused(const Encoding& encoding, Position lo, Position hi) {
  try {
    narrowed(encoding, lo, hi);
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return "not refused";
}

TEST(Narrowed, to_nothing_is_refused) {
  EXPECT_EQ(refused(with_domain(0, 99, true), 100, 120),
            "positions 100:120 were asked for, the subject has 0:99");
  EXPECT_EQ(refused(with_domain(0, 99), -5, -1), "positions -5:-1 were asked for, there are 0:99");
  EXPECT_EQ(refused(with_domain(0, 99), 20, 10), "positions 20:10 were asked for, there are 0:99");
  EXPECT_EQ(refused(with_domain(0, 99), 99, 120), "not refused");
  EXPECT_EQ(refused(with_domain(0, 99), -5, 0), "not refused");
}

TEST(NotCovered, is_said_before_the_first_and_past_the_last) {
  const Domain has(0, 100);
  EXPECT_EQ(not_covered({0, 100}, has), "");
  EXPECT_EQ(not_covered({5, 5}, has), "");
  EXPECT_EQ(not_covered({-5, 100}, has),
            "positions -5 to 100 were asked for: those beyond 0 to 100 were not compared");
  EXPECT_EQ(not_covered({-1, 3}, has),
            "positions -1 to 3 were asked for: those beyond 0 to 100 were not compared");
  EXPECT_EQ(not_covered({0, 101}, has),
            "positions 0 to 101 were asked for: those beyond 0 to 100 were not compared");
}

TEST(Overlap, is_what_both_declare_and_the_hard_ones_of_the_second) {
  Domain a(0, 60, {1}), b(-9, 50, {-9, -1, 0, 50});
  b.axes = 2;
  const Domain both = overlap(a, b);
  EXPECT_EQ(both.lo, 0);
  EXPECT_EQ(both.hi, 50);
  EXPECT_EQ(both.hard, (std::vector<Position>{0, 50}));
  EXPECT_EQ(both.axes, 2u);
  EXPECT_EQ(overlap(Domain(20, 90), Domain(-9, 50)).lo, 20);
  EXPECT_EQ(overlap(Domain(-20, 30), Domain(-9, 50)).hi, 30);
}

Position last_in_f16(std::string_view id, std::string_view parameters, Domain domain, Precision precision) {
  const EncodingSpec& spec = encoding_named(id);
  const Encoding truth = spec.oracle(with(spec, Case::parse(parameters)));
  Encoding subject = with_positions(truth, std::move(domain));
  keep_within_f16(truth, precision, subject);
  for (const Position t : positions_of(subject).hard) EXPECT_LE(t, positions_of(subject).hi);
  return positions_of(subject).hi;
}

// The largest number of f16 is 65504.
TEST(KeepWithinF16, ends_before_the_first_position_whose_value_has_no_place) {
  const Precision f16 = Precision::parse("f16");
  const auto all = [](std::vector<Position> hard = {}) { return Domain(0, 1 << 20, std::move(hard)); };
  EXPECT_EQ(last_in_f16("raw_index", "", all({5, 65503, 65504, 99999}), f16), 65503);
  EXPECT_EQ(last_in_f16("raw_index", "offset=2", all(), f16), 65501);
  EXPECT_EQ(last_in_f16("alibi", "heads=1", all(), f16), 1 << 20);  // 2^-8 of 2^20 is 4096
  EXPECT_EQ(last_in_f16("alibi", "heads=8", all(), f16), 2 * 65504 - 1);
  EXPECT_EQ(last_in_f16("alibi", "heads=8 form=symmetric", all(), f16), 2 * 65504 - 1);
  EXPECT_EQ(last_in_f16("alibi", "heads=8 rows=key_index", all(), f16), 2 * 65504 - 1);
  EXPECT_EQ(last_in_f16("raw_index", "", Domain(0, 1000), f16), 1000);
  EXPECT_EQ(last_in_f16("raw_index", "", Domain(7, 1 << 20), f16), 1 << 20) << "it does not begin at 0";
  for (const char* wide : {"f32", "bf16", "f64"})
    EXPECT_EQ(last_in_f16("raw_index", "", all(), Precision::parse(wide)), 1 << 20) << wide;
  EXPECT_EQ(last_in_f16("rope", "dim=2", all(), f16), 1 << 20);
}

}  // namespace
}  // namespace posproof
