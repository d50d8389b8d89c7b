// Every place of a grid, of tables, rotations and biases: one wrong entry is found where it is.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "report/accuracy.h"
#include "report/json.h"
#include "run/exhaustive.h"
#include "run/places.h"
#include "run/testing/accuracy.h"

namespace posproof::accuracy_on_a_grid_test {
namespace {

using testing::Setting;
using testing::Written;
using Numbers = std::vector<Position>;

TEST(Places, are_counted_row_by_row) {
  const Places places{{1, 0, -1}, {2, 2, 0}};
  EXPECT_EQ(places.count(), 12);
  EXPECT_EQ(places.at(0), (Numbers{1, 0, -1}));
  EXPECT_EQ(places.at(1), (Numbers{1, 0, 0}));
  EXPECT_EQ(places.at(2), (Numbers{1, 1, -1}));
  EXPECT_EQ(places.at(11), (Numbers{2, 2, 0}));
  EXPECT_EQ(places.text(5), "(1, 2, 0)");
  EXPECT_EQ((Places{{0, 0}, {-1, 5}}.count()), 0);
  const Position far = Position{1} << 40;
  EXPECT_EQ((Places{{0, 0}, {far, far}}.count()), std::numeric_limits<Position>::max());
}

TEST(Places, are_asked_for_in_a_call_as_long_as_the_largest_extent) {
  const Encoding truth = Setting{"sincos_2d", "dim=8"}.truth();
  const Call call = call_of(truth, Places{{0, 0}, {2, 6}}, 3, 2);
  EXPECT_EQ(call.length, 7);
  EXPECT_EQ(call.positions.whole, (Numbers{0, 3, 0, 4}));
}

const AccuracyOptions numbers_to_6 = {.positions = std::pair{Position{0}, Position{6}}};

// What an encoding answers, with one entry of one place moved: of the head, in the channel or at the key.
struct Moved {
  Numbers at;
  std::size_t head = 0, column = 0;
  double by = 0;
  std::optional<Role> role = {};

  Encoding operator()(const Encoding& right) const {
    return answered_by(right, [moved = *this, right](const Call& call) {
      Tensor out = answer(right, call);
      const std::size_t axes = moved.at.size(), n = call.positions.size();
      for (std::size_t t = 0; t < n; ++t) {
        const auto from = call.positions.whole.begin() + static_cast<std::ptrdiff_t>(t * axes);
        if (!std::equal(moved.at.begin(), moved.at.end(), from)) continue;
        if (moved.role && call.role != *moved.role) continue;
        out.at(moved.head * n + t, moved.column) += moved.by;
      }
      return out;
    });
  }
};

Accuracy of(const Setting& setting, const Moved& moved, const AccuracyOptions& options = numbers_to_6) {
  return accuracy(setting.truth(), {"made", "", moved(setting.truth()), all_f64}, options);
}

TEST(AccuracyOnAGrid, of_a_table_finds_one_wrong_entry_where_it_is) {
  const Setting table{"sincos_2d", "dim=8"};
  const Accuracy right = of(table, {.at = {0, 0}});
  EXPECT_EQ(right.rows, 49u);
  EXPECT_EQ(right.entries, 49u * 8u);
  EXPECT_EQ(right.wrong, 0u);
  EXPECT_EQ(right.stopped, "");
  EXPECT_FALSE(right.beyond);
  for (const Numbers& at : {Numbers{0, 0}, {0, 6}, {6, 0}, {6, 6}, {2, 5}, {5, 2}})
    for (const std::size_t column : {0u, 3u, 7u}) {
      const Accuracy found = of(table, {.at = at, .column = column, .by = 1e-9});
      ASSERT_TRUE(found.beyond && found.places);
      EXPECT_EQ(found.places->at(found.beyond->at.position), at);
      EXPECT_EQ(found.beyond->at.column, column);
      EXPECT_EQ(found.places->at(found.ulp_at.position), at);
      EXPECT_EQ(found.places->at(found.largest_at->position), at);
      EXPECT_EQ(found.largest_at->column, column);
      EXPECT_EQ(found.wrong, 1u);
      EXPECT_EQ(found.beyond->again.integer("t"), at[0]);
      EXPECT_EQ(found.beyond->again.integer("t_1"), at[1]);
    }
}

// What is within rounding is no correctly rounded entry, and holds.
TEST(AccuracyOnAGrid, counts_an_entry_that_is_off_by_a_unit) {
  const Accuracy found = of({"sincos_2d", "dim=8"}, {.at = {4, 1}, .column = 2, .by = std::ldexp(1.0, -53)});
  EXPECT_EQ(found.wrong, 1u);
  EXPECT_EQ(found.ulp, 1);
  EXPECT_EQ(found.places->at(found.ulp_at.position), (Numbers{4, 1}));
  EXPECT_FALSE(found.beyond);
}

// The grid of the encoding itself ends at other numbers on its axes.
TEST(AccuracyOnAGrid, ends_where_each_axis_does) {
  const Accuracy table = of({"sincos_2d", "dim=8 normalize=detr grid=[3,5]"}, {.at = {2, 4}}, {});
  EXPECT_EQ(table.rows, 15u);
  EXPECT_EQ(table.places->text(table.last), "(2, 4)");
  const Accuracy three = of({"m_rope", "dim=16 sections=[2,3,3]"}, {.at = {1, 2, 0}, .column = 3, .by = 0.1},
                            {.positions = std::pair{Position{0}, Position{2}}});
  EXPECT_EQ(three.rows, 27u);
  EXPECT_EQ(three.places->at(three.beyond.value().at.position), (Numbers{1, 2, 0}));
}

// Of each head, of both basis vectors, and of a channel in no pair.
TEST(AccuracyOnAGrid, of_a_rotation_finds_one_wrong_entry_where_it_is) {
  for (const Setting& setting :
       {Setting{"axial_rope", "dim=10 heads=3 coordinates=cells grid=[4,3]"},
        Setting{"mixed_rope", "dim=10 heads=3 shared=false"}, Setting{"axial_rope", "dim=10 heads=3"}}) {
    const AccuracyOptions few = {.positions = std::pair{Position{0}, Position{3}}};
    const Accuracy right = of(setting, {.at = {0, 0}}, few);
    EXPECT_EQ(right.entries, 2 * right.rows * 30) << setting.encoding;
    EXPECT_FALSE(right.beyond) << setting.encoding;
    for (const std::size_t head : {0u, 2u})
      for (const Role role : {Role::query, Role::key})
        for (const std::size_t column : {0u, 3u, 9u}) {
          const Moved moved{.at = {3, 1}, .head = head, .column = column, .by = 1e-9, .role = role};
          const Accuracy found = of(setting, moved, few);
          ASSERT_TRUE(found.beyond) << setting.encoding << head << column;
          EXPECT_EQ(found.places->text(found.beyond->at.position), "(3, 1)");
          EXPECT_EQ(found.beyond->at.column, head * 10 + column);
          EXPECT_EQ(found.beyond->again.word("role"), role == Role::query ? "query" : "key");
        }
  }
}

TEST(AccuracyOnAGrid, of_a_bias_compares_every_pair_of_places) {
  const Setting window{"relative_table", "heads=2 height=2 width=3 table=seeded"};
  EXPECT_EQ(of(window, {.at = {0, 0}}, {}).entries, 2u * 6u * 6u);
  const Accuracy found = of(window, {.at = {1, 0}, .head = 1, .column = 5, .by = 0.25}, {});
  ASSERT_TRUE(found.beyond);
  EXPECT_EQ(found.beyond->again.text(), "nq=1 nk=1 i=1 i_1=0 j=1 j_1=2");
  EXPECT_NE(
      report::summary(found, all_f64, {}).find("REFUTED  query (1, 0), key (1, 2), head 1 is the first"),
      std::string::npos);
}

TEST(AccuracyOnAGrid, of_what_has_no_end_is_refused_with_the_reason) {
  const Setting endless{"axial_rope", "dim=8"};
  const Encoding truth = endless.truth();
  const Subject ours{"made", "", truth, all_f64};
  const std::string remedy = "; `--positions FIRST:LAST` says which numbers of each axis are compared";
  const Accuracy none = accuracy(truth, ours);
  EXPECT_EQ(none.stopped, "the grid has no end" + remedy);
  EXPECT_EQ(none.entries, 0u);
  const Exhaustive all = exhaustive(truth, ours, {}, true);
  EXPECT_EQ(std::get<Undecided>(all.verdict.value()).why, "the grid has no end" + remedy);
  const AccuracyOptions large = {.positions = std::pair{Position{0}, Position{1024}}};
  EXPECT_EQ(accuracy(truth, ours, large).stopped,
            "the grid has too many places, of which 1048576 are compared at most" + remedy);
}

TEST(AccuracyOnAGrid, is_what_an_exhaustive_gate_asks) {
  const Setting setting{"axial_rope", "dim=8 coordinates=cells grid=[4,3]"};
  const Subject right{"made", "", setting.truth(), all_f64};
  EXPECT_FALSE(exhaustive(setting.truth(), right, {}, false).accuracy.has_value());
  EXPECT_EQ(std::get<Holds>(exhaustive(setting.truth(), right, {}, true).verdict.value()).cases, 12u);
  const Subject wrong{
      "made", "", Moved{.at = {3, 2}, .column = 1, .by = 0.5, .role = Role::key}(setting.truth()), all_f64};
  const Exhaustive found = exhaustive(setting.truth(), wrong, {}, true);
  const Case& at = std::get<Refuted>(found.verdict.value()).counterexample;
  EXPECT_EQ(at.integer("t"), 3);
  EXPECT_EQ(at.integer("t_1"), 2);
  EXPECT_EQ(at.word("role"), "key");
  Budget none;
  none.time = std::chrono::milliseconds(0);
  EXPECT_EQ(std::get<Undecided>(exhaustive(setting.truth(), right, none, true).verdict.value()).why,
            "out of time: places (0, 0) to (3, 2) were not compared");
}

// A file of places in rows, here behind the row of a class token.
TEST(AccuracyOnAGrid, of_a_file_finds_one_wrong_entry_where_it_is) {
  const Setting setting{"sincos_2d", "dim=8 grid=[3,5]"};
  const auto table = as<Table>(setting.truth());
  Tensor values({16, 8});
  for (std::size_t r = 0; r < 15; ++r) {
    const Numbers place = {static_cast<Position>(r / 5), static_cast<Position>(r % 5)};
    const Tensor row = table.rows({place, 2}, 1);
    for (std::size_t c = 0; c < 8; ++c) values.at(r + 1, c) = nearest(Format::f32, row.data[c]);
  }
  const auto of_file = [&] {
    const Written file("accuracy_on_a_grid.npy", values, true);
    return accuracy(setting.truth(), setting.open(file.subject()));
  };
  const Accuracy right = of_file();
  EXPECT_EQ(right.rows, 15u);
  EXPECT_EQ(right.wrong, 0u);
  EXPECT_EQ(right.format, Format::f32);
  values.at(1 + 2 * 5 + 3, 6) += 0.001;
  const Accuracy found = of_file();
  ASSERT_TRUE(found.beyond);
  EXPECT_EQ(found.beyond->again.text(), "rows=1 t=2 t_1=3 n=5");
  EXPECT_EQ(found.wrong, 1u);
}

// The cosines and sines of a grid, a column for each pair or each channel: every place of a file is compared,
// without being asked to.
TEST(AccuracyOnAGrid, of_a_cache_finds_one_wrong_entry_where_it_is) {
  for (const std::string words : {"dim=12 base=100 grid=[3,5] layout=interleaved",
                                  "dim=12 base=100 grid=[3,5] layout=half_split_by_axis",
                                  "dim=12 coordinates=cells grid=[3,5] order=alternating"}) {
    const Setting setting{"axial_rope", words};
    const auto truth = as<Rotary>(setting.truth());
    std::vector<Pair> pairs = truth.pairs;
    std::ranges::sort(pairs, {}, &Pair::first);
    Tensor cosines({15, pairs.size()}), sines(cosines.shape), wide({15, 12}), wide_sines(wide.shape);
    for (std::size_t r = 0; r < 15; ++r) {
      const Numbers place = {static_cast<Position>(r / 5), static_cast<Position>(r % 5)};
      Tensor x({1, 1, 1, 12});
      for (const Pair& pair : pairs) x.data[pair.first] = 1;
      const Tensor y = truth.rotate(x, {place, 2}, Role::query);
      for (std::size_t n = 0; n < pairs.size(); ++n) {
        cosines.at(r, n) = y.data[pairs[n].first], sines.at(r, n) = y.data[pairs[n].second];
        for (const std::size_t c : {pairs[n].first, pairs[n].second})
          wide.at(r, c) = cosines.at(r, n), wide_sines.at(r, c) = sines.at(r, n);
      }
    }
    const auto verdict = [&](const Tensor& c, const Tensor& s) {
      const Written cos("grid_cos.npy", c, false), sin("grid_sin.npy", s, false);
      const Subject subject = setting.open(cos.subject() + "," + sin.subject().substr(6));
      return exhaustive(setting.truth(), subject, {}, false).verdict.value();
    };
    EXPECT_EQ(std::get<Holds>(verdict(cosines, sines)).cases, 15u) << words;
    EXPECT_EQ(std::get<Holds>(verdict(wide, wide_sines)).cases, 15u) << words;
    for (Tensor* const of : {&cosines, &sines}) {
      of->at(2 * 5 + 3, 4) += 0x1p-40;
      const Verdict found = verdict(cosines, sines);
      ASSERT_TRUE(std::holds_alternative<Refuted>(found)) << words;
      EXPECT_EQ(std::get<Refuted>(found).counterexample.integer("t"), 2);
      EXPECT_EQ(std::get<Refuted>(found).counterexample.integer("t_1"), 3);
      of->at(2 * 5 + 3, 4) -= 0x1p-40;
    }
  }
}

TEST(AccuracyOnAGrid, is_said_in_words_and_data) {
  const Setting setting{"axial_rope", "dim=4 heads=2 coordinates=cells grid=[2,3]"};
  const Accuracy found =
      of(setting, {.at = {1, 2}, .head = 1, .column = 3, .by = 0.5, .role = Role::query}, {});
  const std::string said = report::summary(found, all_f64, {});
  EXPECT_EQ(
      said.find(
          "  96 entries of rotations, with each cosine and sine of a pair twice, in f64, places (0, 0) to (1, 2): "),
      0u)
      << said;
  EXPECT_NE(said.find("REFUTED  (1, 2), head 1, channel 3 is the first beyond what rounding in f64 allows\n"),
            std::string::npos)
      << said;
  const Subject subject{"made", "", setting.truth(), all_f64};
  const Parameters parameters = setting.all();
  const report::AccuracyReport page{"axial_rope", parameters, subject, found};
  EXPECT_NE(report::accuracy(page, {}).find("       largest number           error         bound"),
            std::string::npos);
  std::string data = report::json(page);
  std::erase_if(data, [](char c) { return c == ' ' || c == '\n'; });
  EXPECT_NE(data.find(R"("first":[0,0],"last":[1,2],"rows":6,)"), std::string::npos) << data;
  EXPECT_NE(data.find(R"("first_beyond":{"at":{"position":[1,2],"head":1,"column":3},)"), std::string::npos)
      << data;
  Accuracy declined = found;
  declined.declined = 2, declined.first_declined = 4;
  EXPECT_NE(report::summary(declined, all_f64, {}).find("2 places were declined, the first is (1, 1)\n"),
            std::string::npos);
}

}  // namespace
}  // namespace posproof::accuracy_on_a_grid_test
