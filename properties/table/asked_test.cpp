// What each check draws, from where, and which rows it asks for. A range that is a position too short or too
// long changes nothing that a search would show: a case that is never drawn cannot fail.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "core/property.h"
#include "negative_examples.h"
#include "testing/checks_of_tables.h"

namespace posproof::table_asked_test {

using namespace checks_of_tables;

namespace {

// Answers a third of the way up, then a fourth, then a fifth, and keeps what was asked: `k 1..9 [2]`, with
// the positions to be sought, or how many they are and the first and last of them.
class Asked final : public Draw {
 public:
  std::string text;

 private:
  Value answer(std::string_view name, const Choice& choice) override {
    if (const auto* whole = std::get_if<choice::Integer>(&choice))
      return asked(name, whole->lo, whole->hi, nullptr);
    const auto& position = std::get<choice::PositionIn>(choice);
    return asked(name, position.lo, position.hi, position.hard);
  }
  double asked(std::string_view name, Position lo, Position hi, const std::vector<Position>* hard) {
    text += fmt::format("{}{} {}..{}", text.empty() ? "" : ", ", name, lo, hi);
    if (hard != nullptr && hard->size() > 3)
      text += fmt::format(" [{} from {} to {}]", hard->size(), hard->front(), hard->back());
    else if (hard != nullptr)
      text += fmt::format(" [{}]", fmt::join(*hard, " "));
    return static_cast<double>(lo + (hi - lo) / part_++);
  }
  Position part_ = 3;
};

// A right table that keeps the calls.
Table recording(std::vector<std::string>& calls) {
  Table table = negative_examples::right_ladder(2, {-3, 1000000, {2}});
  table.rows = [&calls, rows = table.rows](std::span<const Position> positions, Position n) {
    calls.push_back(fmt::format("{} of {}", fmt::join(positions, " "), n));
    return rows(positions, n);
  };
  return table;
}

struct Asks {
  std::string_view property, draws;
  std::vector<std::string> rows;  // `3 4 of 6`: in a sequence of 6 tokens
};
const std::vector<Asks> asks = {
    {"composes_translations",
     "a 1..1000003 [2], b 1..666668 [2], s -3..666665 [2], t -3..833333 [2], u -3..499998 [2]",
     {"133330 466665 138886 305553 71425 571427 of 571428"}},
    {"distance_depends_on_offset",
     "k 1..1000003 [2], s -3..666665 [2], t -3..666665 [2]",
     {"166664 133330 499999 466665 of 500000"}},
    {"has_different_dot_products_near_and_far",
     "k 2..1000003 [2], t -3..999999 [2], n 249999..1000000 [2], u -3..666665 [83332749995 83333083329], "
     "far 444444..1000001 [133333666665 133333333331]",
     {"111108 444443 of 523809", "249997 249998 of 399999"}},
    {"distinguishes_neighbours_in_bf16",
     "t -3..999999 [40 from 1 to 1048576], n 333333..1000001 [40 from 1 to 1048576]",
     {"333331 333332 of 500000"}},
    {"distinguishes_neighbours_in_f16",
     "t -3..999999 [40 from 1 to 1048576], n 333333..1000001 [40 from 1 to 1048576]",
     {"333331 333332 of 500000"}},
    {"does_not_depend_on_length",
     "t -3..1000000 [2], n 333332..1000000 [40 from 2 to 1048577], "
     "far 500000..1000001 [40 from 2 to 1048577]",
     {"333331 of 499999", "333331 of 600000"}},
    {"dot_product_depends_on_offset",
     "k 1..1000003 [2], s -3..666665 [2], t -3..666665 [2]",
     {"166664 133330 499999 466665 of 500000"}},
    {"has_a_step_that_does_not_depend_on_length",
     "t -3..999999 [2], n 333333..1000000 [40 from 2 to 1048577], "
     "far 500000..1000001 [40 from 2 to 1048577]",
     {"333331 333332 of 499999", "333331 333332 of 600000"}},
    {"has_bounded_entries", "t -3..1000000 [2], n 333332..1000001 [2]", {"333331 of 499999"}},
    {"has_constant_norm", "t -3..1000000 [2]", {"333331 of 333332"}},
    {"has_distinct_positions",
     "k 1..1000003 [28 from 1 to 524288], t -3..666665 [2 666665]",
     {"166664 499999 of 500000"}},
    {"has_geometric_wavelengths",
     "t -3..999999 [2], doublings 0..19",
     {"333331 333332 333333 333335 333339 333347 of 333348"}},
    {"has_one_shift_for_all_lengths",
     "k 1..1000003 [2], t -3..666665 [2], u -3..666665 [2], n 500000..1000000 [40 from 2 to 1048577], "
     "far 583334..1000001 [40 from 2 to 1048577]",
     {"133330 466665 of 642857", "166664 499999 of 583333"}},
    {"has_translations_of_determinant_one",
     "k 1..1000003 [2], s -3..666665 [2], t -3..666665 [2]",
     {"166664 133330 499999 466665 of 500000"}},
    {"inverts_translation_by_transposing",
     "k 1..1000003 [2], s -3..666665 [2], t 333332..1000000 [2]",
     {"166664 499999 466665 133330 of 500000"}},
    {"is_defined_for_one_token", "", {"-3 of -2"}},
    {"is_prefix_stable",
     "n 1..1000003 [2]",
     {"333316 333317 333318 333319 333320 333321 333322 333323 "
      "333324 333325 333326 333327 333328 333329 333330 333331 of 333332",
      "333316 333317 333318 333319 333320 333321 333322 333323 "
      "333324 333325 333326 333327 333328 333329 333330 333331 of 333333"}},
    {"keeps_pairs_on_the_unit_circle", "t -3..1000000 [2]", {"333331 of 333332"}},
    {"keeps_similarity_across_lengths",
     "s -3..1000000 [2], t -3..1000000 [2], n 333332..1000000 [40 from 2 to 1048577], "
     "far 466666..1000001 [40 from 2 to 1048577]",
     {"333331 249997 of 466665", "333331 249997 of 555555"}},
    {"rotates_clockwise", "t -3..999999 [2]", {"333331 333332 of 333333"}},
    {"shifts_base_by_a_rotation",
     "n 2..12, c 1..999999 [2]",
     {"-3 -2 -1 0 1 249997 249998 249999 250000 250001 of 250002"}},
    {"translates_by_a_rotation",
     "k 1..1000003 [2], s -3..666665 [2], t -3..666665 [2]",
     {"166664 133330 499999 466665 of 500000"}},
};

}  // namespace

TEST(ChecksOfTables, draw_from_these_ranges_and_ask_for_these_rows) {
  for (const Asks& of : asks) {
    Asked draw;
    std::vector<std::string> calls;
    check_of(named(of.property))(recording(calls), all_f64, draw);
    std::ranges::sort(calls);  // which of two is asked first is the compiler's to choose
    EXPECT_EQ(draw.text, of.draws) << of.property;
    EXPECT_EQ(calls, of.rows) << of.property;
  }
}

}  // namespace posproof::table_asked_test
