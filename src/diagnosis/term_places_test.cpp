// Logits that depend on content, wrong where query and key stand as a rule says.
#include "diagnosis/term_places.h"

#include <gtest/gtest.h>

#include <cmath>

#include "attention/reference_attention.h"
#include "core/function.h"
#include "run/catalogued.h"

namespace posproof::term_places_test {
namespace {

using Is = Function<bool(Position i, Position j)>;

// An encoding's logits, half as large where `is` says so.
std::string where(const std::string& family, const std::string& words, const Is& is) {
  const EncodingSpec& spec = encoding_named(family);
  const Parameters parameters = with(spec, Case::parse(words));
  const auto reference = as<Contextual>(spec.make(parameters));
  Contextual wrong = reference;
  wrong.logits = [=](const Tensor& q, const Tensor& k, const Positions& queries, const Positions& keys) {
    Tensor out = reference.logits(q, k, queries, keys);
    for (std::size_t r = 0; r < out.rows(); ++r)
      for (std::size_t c = 0; c < keys.size(); ++c)
        if (is(queries[r % queries.size()], keys[c])) out.at(r, c) *= 0.5;
    return out;
  };
  const Encoding truth = spec.oracle(parameters);
  const auto answered = answers_of({"made", "", wrong, all_f32}, truth, {}, 1);
  return wrong_pairs(wrong, reference, as<Contextual>(truth), all_f32, answered).value_or("nothing");
}

TEST(WrongPairs, are_those_from_a_distance_on) {
  EXPECT_EQ(where("none", "dim=4", [](auto i, auto j) { return i - j >= 8; }),
            "wrong for keys 8 or more before the query alone");
  EXPECT_EQ(where("none", "dim=4", [](auto i, auto j) { return j - i >= 3; }),
            "wrong for keys 3 or more after the query alone");
  EXPECT_EQ(where("none", "dim=4", [](auto i, auto j) { return std::abs(i - j) > 2; }),
            "wrong for keys 3 or more away from the query alone");
}

TEST(WrongPairs, are_those_of_an_encoding_with_a_clip) {
  EXPECT_EQ(where("shaw", "dim=4 clip=2", [](auto i, auto j) { return i - j >= 4; }),
            "wrong for keys 4 or more before the query alone");
}

TEST(WrongPairs, are_those_at_a_distance_or_on_one_side) {
  EXPECT_EQ(where("none", "dim=4", [](auto i, auto j) { return i - j == 1; }),
            "wrong for keys 1 before the query alone");
  EXPECT_EQ(where("none", "dim=4", [](auto i, auto j) { return i == j; }),
            "wrong for the query's own position alone");
  EXPECT_EQ(where("none", "dim=4", [](auto i, auto j) { return j > i; }),
            "wrong for keys 1 or more after the query alone");
}

TEST(WrongPairs, are_those_of_a_query_or_of_a_key) {
  EXPECT_EQ(where("none", "dim=4", [](auto, auto j) { return j == 0; }),
            "wrong for the key at position 0 alone");
  EXPECT_EQ(where("none", "dim=4", [](auto i, auto) { return i == 0; }),
            "wrong for the query at position 0 alone");
  EXPECT_EQ(where("none", "dim=4", [](auto i, auto) { return i >= 100; }),
            "wrong for queries from position 100 on alone");
  EXPECT_EQ(where("none", "dim=4", [](auto, auto j) { return j >= 100; }),
            "wrong for keys from position 100 on alone");
}

// Of all, of none, and of those that no rule tells apart.
TEST(WrongPairs, have_no_name_where_no_rule_holds_of_all) {
  EXPECT_EQ(where("none", "dim=4", [](auto, auto) { return true; }), "nothing");
  EXPECT_EQ(where("none", "dim=4", [](auto, auto) { return false; }), "nothing");
}

TEST(WrongPairs, have_no_name_where_a_rule_holds_of_most) {
  EXPECT_EQ(where("none", "dim=4", [](auto i, auto j) { return (i + j) % 2 == 1; }), "nothing");
  EXPECT_EQ(where("none", "dim=4", [](auto i, auto j) { return i - j >= 8 && j > 0; }), "nothing");
  EXPECT_EQ(where("none", "dim=4", [](auto i, auto j) { return i - j >= 8 && i - j != 40; }), "nothing");
}

}  // namespace
}  // namespace posproof::term_places_test
