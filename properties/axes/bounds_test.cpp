// The bounds of statements about positions of several numbers: what is as wrong as allowed holds, and what is
// wrong in one direction is seen.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <memory>

#include "catalogue/properties/axes/acts_on_each_axis_alone.h"
#include "catalogue/properties/axes/depends_on_vector_offset.h"
#include "catalogue/properties/axes/is_one_ladder_where_numbers_are_equal.h"
#include "catalogue/properties/axes/swaps_axes_by_a_permutation.h"
#include "core/random.h"
#include "core/testing/unscaled.h"
#include "grid.h"
#include "search/search.h"
#include "search/testing/asked.h"
#include "search/trial.h"

namespace posproof::axes_bounds_test {
namespace {

using namespace grid;
namespace asked = properties::axes;

struct Stated {
  std::string_view id;
  const Property* property;
};
const std::vector<Stated> all = {
    {"axes/acts_on_each_axis_alone", &asked::acts_on_each_axis_alone},
    {"axes/depends_on_vector_offset", &asked::depends_on_vector_offset},
    {"axes/is_one_ladder_where_numbers_are_equal", &asked::is_one_ladder_where_numbers_are_equal},
    {"axes/swaps_axes_by_a_permutation", &asked::swaps_axes_by_a_permutation},
};

// Every entry off by nearly all that it is allowed, above or below as chance has it.
Encoding as_wrong_as_allowed(const Encoding& right, Precision p) {
  return answered_by(right, [=, next = std::make_shared<std::uint64_t>(0)](const Call& call) {
    const Unscaled terms;
    Tensor out = answer(right, call);
    const Bound allowed = bound(right, call, out, p);
    for (std::size_t n = 0; n < out.data.size(); ++n)
      out.data[n] += (mixed(++*next) % 2 == 0 ? 0.98 : -0.98) * allowed.error.data[n];
    return out;
  });
}

bool refuted(const Stated& stated, const Encoding& encoding, Precision p) {
  const Verdict verdict =
      search(*trial(*stated.property, encoding, p), {.id = std::string(stated.id), .budget = {.shrinks = 0}});
  EXPECT_FALSE(std::holds_alternative<Errored>(verdict)) << stated.id;
  return std::holds_alternative<Refuted>(verdict);
}

// What each statement can be asked of, and holds of.
std::vector<Encoding> right(const Stated& stated) {
  if (stated.property == &asked::is_one_ladder_where_numbers_are_equal) return {right_rotation_in_turn()};
  return {right_rotation(), right_table(), right_rotation_of_three(), right_table_of_three()};
}

TEST(Axes, what_is_as_wrong_as_allowed_holds) {
  for (const Stated& stated : all)
    for (const Encoding& encoding : right(stated))
      for (const Precision& p : {all_f32, in_bf16})
        EXPECT_FALSE(refuted(stated, as_wrong_as_allowed(encoding, p), p))
            << stated.id << ", " << kind(encoding) << ", " << p.text();
}

// Without one of their terms, what is as wrong as allowed is refuted. (The many entries of a dot product are
// never all off to one side.)
TEST(Axes, need_the_terms_of_their_bounds) {
  for (const Stated& stated : all) {
    if (stated.property == &asked::depends_on_vector_offset) continue;
    for (const Encoding& encoding : right(stated)) {
      for (const Term term : {Term::library, Term::exponent}) {
        const ScaledTerm none(term, 0);
        EXPECT_TRUE(refuted(stated, as_wrong_as_allowed(encoding, all_f32), all_f32))
            << stated.id << ", " << kind(encoding) << ": " << term_names[static_cast<std::size_t>(term)];
      }
      const ScaledTerm none(Term::result, 0);
      EXPECT_TRUE(refuted(stated, as_wrong_as_allowed(encoding, in_bf16), in_bf16))
          << stated.id << ", " << kind(encoding);
    }
  }
}

// By no vector at all nothing moves, and nothing could show.
TEST(Axes, ask_for_no_move_by_no_vector) {
  const Encoding table = right_table();
  const auto at = [&](std::string_view words) {
    Replay draw(Case::parse(words));
    (*trial(asked::depends_on_vector_offset, table, all_f32))(draw);
  };
  EXPECT_THROW(at("i=1 i_1=2 j=3 j_1=0 t=0 t_1=0"), Discard);
  EXPECT_NO_THROW(at("i=1 i_1=2 j=3 j_1=0 t=0 t_1=1"));
  EXPECT_NO_THROW(at("i=1 i_1=2 j=3 j_1=0 t=1 t_1=0"));
}

// Past the largest number on any axis.
TEST(Axes, ask_in_sequences_that_hold_their_places) {
  EXPECT_EQ(call_at(right_table(), {{1, 2}, {5, 0}}).length, 6);
  EXPECT_EQ(call_at(right_table(), {{1, 2}, {0, 7}}).length, 8);
}

// At numbers that every axis has.
TEST(Axes, are_asked_for_equal_numbers_up_to_the_nearest_end) {
  for (const std::vector<Position>& ends : {std::vector<Position>{3, 15}, std::vector<Position>{15, 3}}) {
    auto rotary = as<Rotary>(right_rotation_in_turn());
    rotary.positions.last_on_axis = ends;
    EXPECT_EQ(watched::ask(asked::is_one_ladder_where_numbers_are_equal, rotary, all_f32,
                           "x=[1,0,1,0,1,0,1,0] t=2 role=key")
                  .drawn,
              "x [8], t 0..3, role query/key");
  }
}

// Dot products of exact answers are rounded by the check itself.
TEST(Axes, allow_for_their_own_dot_products) {
  const Stated stated = {"axes/depends_on_vector_offset", &asked::depends_on_vector_offset};
  const Precision exact{0, 0};
  for (const Encoding& encoding : right(stated)) {
    const ScaledTerm none(Term::ours, 0);
    EXPECT_TRUE(refuted(stated, encoding, exact)) << kind(encoding);
  }
}

}  // namespace
}  // namespace posproof::axes_bounds_test
