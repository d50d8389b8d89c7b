// Tables, right and wrong by little, with every entry compared: what is counted, where it is, and what the
// bound says.
#include "run/accuracy.h"
#include "attention/reference_attention.h"
#include "core/call.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <limits>
#include <numbers>
#include <numeric>
#include <tuple>

#include "core/error.h"
#include "core/failure.h"
#include "gate/gate.h"
#include "run/agreement.h"
#include "run/catalogued.h"
#include "run/narrowed.h"
#include "run/packed.h"
#include "run/testing/accuracy.h"
#include "search/budget_clock.h"
#include "search/trial.h"
#include "subject/testing/npy.h"
#include "subject/testing/subjects.h"

namespace posproof::run_accuracy_test {
namespace {

using testing::exact_rows;
using testing::first_refuted;
using testing::of_file;
using testing::python;
using testing::Setting;
using testing::small;
using testing::Written;

constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

TEST(Accuracy, of_nothing_is_of_no_position) {
  EXPECT_EQ(Accuracy{}.last - Accuracy{}.first + 1, 0);
}

TEST(Accuracy, of_a_table_correctly_rounded_finds_nothing) {
  for (const bool single : {true, false}) {
    const Accuracy found =
        of_file(small, exact_rows(small, 1500, single ? Format::f32 : Format::f64), single);
    EXPECT_EQ(found.format, single ? Format::f32 : Format::f64);
    EXPECT_TRUE(found.of_angles);
    EXPECT_EQ(found.amplitude, 1);
    EXPECT_EQ(found.rows, 1500u);
    EXPECT_EQ(found.rows - found.vacuous, 1500u);
    EXPECT_EQ(found.entries, 1500u * 8u);
    EXPECT_EQ(found.wrong, 0u);
    EXPECT_EQ(found.ulp, 0);
    EXPECT_FALSE(found.beyond);
    EXPECT_FALSE(found.largest_at);
    EXPECT_EQ(found.largest, single ? 0x1p-25 : 0x1p-54);  // half the spacing below 1
    // Half a unit, where at least 4 are allowed, and for agreement's own double 2 more.
    EXPECT_NEAR(found.worst.error_over_bound(), single ? 1 / 8.0 : 1 / 12.0, 1e-8);
    EXPECT_EQ(found.profile.front().first, 0);
    EXPECT_EQ(found.profile.back().first, 1472);  // 1024 + 7 * 64
    const Precision p = single ? all_f32 : all_f64;
    EXPECT_DOUBLE_EQ(
        found.profile.back().bound,
        row_error(as<Table>(small.truth()), p, 1472, std::vector<double>(8, 0.0))[0] + 2 * unit_f64);
    EXPECT_TRUE(found.stopped.empty());
  }
}

// Why a block of which every entry is correctly rounded needs no second look.
TEST(Accuracy, correct_rounding_is_always_allowed) {
  for (const std::string words : {"dim=8", "dim=7 odd=zero_pad", "dim=7 odd=truncate", "dim=8 amplitude=0.1",
                                  "dim=8 amplitude=22.627", "dim=8 base=1e30 offset=-5"})
    for (const std::string precision : {"f64", "f32", "bf16", "bf16/bf16", "f16", "f32+iterated"}) {
      const Precision p = Precision::parse(precision);
      const auto table = as<Table>(Setting{"sinusoidal", words}.truth());
      for (const Position t : {0, 1, 5, 1000, 1 << 20}) {
        const auto bound = row_error(table, p, t, std::vector<double>(table.dim, 0.0));
        std::vector<bool> on_ladder(table.dim, false);
        for (const Pair& pair : table.pairs) on_ladder[pair.first] = on_ladder[pair.second] = true;
        if (table.lone) on_ladder[table.lone->first] = true;
        for (std::size_t c = 0; c < table.dim; ++c)
          EXPECT_GE(bound[c], on_ladder[c] ? half_ulp(format_of(p.result), table.amplitude) : 0)
              << words << " " << precision << " " << t << " " << c;
      }
      const auto rotary = as<Rotary>(Setting{"rope", "dim=8"}.truth());
      std::vector<double> x(8, 0.0);
      for (const Pair& pair : rotary.pairs) x[pair.first] = 1;
      for (const double bound : rotated_error(rotary, p, 0, x))
        EXPECT_GE(bound, half_ulp(format_of(p.result), 1)) << precision;
    }
}

TEST(Accuracy, one_entry_off_by_one_unit_in_the_last_row_and_column_is_found) {
  Tensor rows = exact_rows(small, 1100, Format::f32);
  double& last = rows.at(1099, 7);
  last = static_cast<double>(std::nextafter(static_cast<float>(last), 2.0f));
  const Accuracy found = of_file(small, rows, true);
  EXPECT_EQ(found.wrong, 1u);
  EXPECT_EQ(found.ulp_at.position, 1099);
  EXPECT_EQ(found.ulp_at.column, 7u);
  EXPECT_GT(found.ulp, 0.5);
  EXPECT_LE(found.ulp, 1.5);
  EXPECT_FALSE(found.largest_at);  // it is less than rounding may do to the largest entries
  EXPECT_FALSE(found.beyond);      // a unit is within what rounding allows
  EXPECT_EQ(found.profile.back().first, 1088);
  EXPECT_EQ(found.profile.back().ulp, found.ulp);
}

TEST(Accuracy, every_single_wrong_entry_is_found_where_it_is) {
  const Tensor right = exact_rows(small, 200, Format::f32);
  for (const auto& [row, column] : {std::pair{0u, 0u}, {1u, 5u}, {63u, 7u}, {64u, 0u}, {199u, 3u}}) {
    Tensor rows = right;
    rows.at(row, column) += 1e-3;
    const Accuracy found = of_file(small, rows, true);
    EXPECT_EQ(found.wrong, 1u);
    ASSERT_TRUE(found.beyond) << row << " " << column;
    EXPECT_EQ(found.beyond->at.position, row);
    EXPECT_EQ(found.beyond->at.column, column);
    EXPECT_NEAR(found.beyond->residual.error, 1e-3, 1e-7);
    EXPECT_NEAR(found.largest, 1e-3, 1e-7);
    EXPECT_EQ(found.beyond->again.text(), "rows=1 t=" + std::to_string(row) + " n=200");
  }
}

TEST(Accuracy, what_is_no_number_is_beyond_every_bound) {
  for (const std::string words : {"sinusoidal", "learned"}) {
    const Setting setting{words, words == "learned" ? "dim=8 length=300 table=seeded" : "dim=8"};
    Tensor rows = exact_rows(setting, 300, Format::f32);
    rows.at(77, 2) = not_a_number;
    const Accuracy found = of_file(setting, rows, true);
    EXPECT_EQ(found.wrong, 1u) << words;
    EXPECT_TRUE(std::isinf(found.ulp)) << words;
    EXPECT_TRUE(std::isinf(found.largest)) << words;
    ASSERT_TRUE(found.beyond) << words;
    EXPECT_EQ(found.beyond->at.position, 77) << words;
    EXPECT_EQ(found.beyond->at.column, 2u) << words;
  }
}

TEST(Accuracy, a_padded_column_is_zero_and_nothing_else) {
  const Setting padded{"sinusoidal", "dim=7 odd=zero_pad"};
  Tensor rows = exact_rows(padded, 130, Format::f32);
  const Accuracy right = of_file(padded, rows, true);
  EXPECT_EQ(right.wrong, 0u);
  EXPECT_FALSE(right.beyond);
  EXPECT_NEAR(right.worst.error_over_bound(), 1 / 8.0, 1e-8);  // of the ladder: nothing is allowed the zeros
  rows.at(100, 6) = 0x1p-60;  // far below what rounding would do to the others
  const Accuracy found = of_file(padded, rows, true);
  ASSERT_TRUE(found.beyond);
  EXPECT_EQ(found.beyond->at.position, 100);
  EXPECT_EQ(found.beyond->at.column, 6u);
}

// sin and cos of float32 angles of float32 frequencies, as in the tutorials.
Tensor tutorial(std::size_t count, double (*angle_rounded)(double)) {
  Tensor rows({count, 8});
  for (std::size_t t = 0; t < count; ++t)
    for (std::size_t i = 0; i < 4; ++i) {
      const double w = to_f32(std::pow(10000.0, -2.0 * static_cast<double>(i) / 8));
      const double angle = angle_rounded(static_cast<double>(t) * w);
      rows.at(t, 2 * i) = to_f32(std::sin(angle));
      rows.at(t, 2 * i + 1) = to_f32(std::cos(angle));
    }
  return rows;
}

TEST(Accuracy, of_a_tutorial_in_float32_is_within_its_bound_and_its_frequencies_explain_some) {
  const Accuracy found = of_file(small, tutorial(1500, &to_f32), true);
  EXPECT_FALSE(found.beyond);
  EXPECT_GT(found.wrong, found.entries / 20);
  EXPECT_LT(found.worst.error_over_bound(), 1);
  EXPECT_GT(found.worst.error_over_bound(), 1 / 16.0);
  ASSERT_EQ(found.against.size(), 2u);
  EXPECT_EQ(found.against[0].frequencies, Format::f64);
  EXPECT_EQ(found.against[0].wrong, found.wrong);  // 2^-53 of a frequency moves nothing here
  EXPECT_EQ(found.against[1].frequencies, Format::f32);
  EXPECT_LT(found.against[1].wrong, found.wrong);
  ASSERT_TRUE(found.largest_at);
  EXPECT_GT(found.largest, 0x1p-25);
}

TEST(Accuracy, of_exact_angles_of_rounded_frequencies_is_explained_by_them_alone) {
  const auto exactly = [](double angle) { return angle; };
  const Accuracy found = of_file(small, tutorial(300, exactly), true);
  EXPECT_GT(found.wrong, 0u);
  EXPECT_EQ(found.against.at(1).wrong, 0u);
}

// The frequencies of a ladder rounded to f32, at t + offset, times the amplitude: rounded once.
Tensor of_rounded_frequencies(const Setting& setting, std::size_t count) {
  const auto table = as<Table>(setting.truth());
  std::vector<Pair> pairs = table.pairs;
  if (table.lone) pairs.push_back(*table.lone);
  Tensor rows({count, table.dim});
  for (std::size_t t = 0; t < count; ++t)
    for (const Pair& pair : pairs) {
      const long double angle =
          (static_cast<long double>(t) + table.offset) * static_cast<long double>(to_f32(pair.frequency));
      rows.at(t, pair.first) = to_f32(static_cast<double>(table.amplitude * std::sin(angle)));
      if (table.lone && pair.index == table.lone->index) continue;
      rows.at(t, pair.second) = to_f32(static_cast<double>(table.amplitude * std::cos(angle)));
    }
  return rows;
}

TEST(Accuracy, attributes_to_frequencies_at_an_offset_and_an_amplitude_and_of_a_lone_sine) {
  for (const std::string parameters :
       {"dim=8 offset=2", "dim=8 offset=-3 amplitude=0.5", "dim=8 amplitude=0.3",
        "dim=7 odd=truncate offset=1", "dim=6 divisor=half_minus_one layout=cos_sin offset=2"}) {
    const Setting setting{"sinusoidal", parameters};
    const Accuracy found = of_file(setting, of_rounded_frequencies(setting, 700), true);
    EXPECT_GT(found.wrong, 10u) << parameters;
    ASSERT_EQ(found.against.size(), 2u) << parameters;
    EXPECT_GT(found.against[0].wrong, 10u) << parameters;
    EXPECT_EQ(found.against[1].wrong, 0u) << parameters;
  }
  EXPECT_TRUE(
      of_file(small, exact_rows(small, 10, Format::f32), true, "", {.attribution = false}).against.empty());
}

// Of equal errors the one of the first position, and there of the first column.
TEST(Accuracy, of_equal_errors_the_first_is_told) {
  for (const Setting& setting : {small, Setting{"learned", "dim=8 length=300 table=seeded"}})
    for (const unsigned threads : {1u, 4u}) {
      Tensor rows = exact_rows(setting, 300, Format::f32);
      for (const auto& [row, column] : {std::pair{260u, 1u}, {100u, 3u}, {100u, 5u}, {170u, 6u}, {299u, 7u}})
        rows.at(row, column) = not_a_number;
      const Accuracy found = of_file(setting, rows, true, "", {.threads = threads});
      EXPECT_EQ(found.wrong, 5u);
      EXPECT_EQ(found.ulp_at.position, 100);
      EXPECT_TRUE(found.ulp_at.column == 3 || found.ulp_at.column == 5);
      ASSERT_TRUE(found.largest_at && found.beyond);
      EXPECT_EQ(found.largest_at->position, 100);
      EXPECT_EQ(found.largest_at->column, 3u);
      EXPECT_EQ(found.beyond->at.position, 100);
      EXPECT_EQ(found.beyond->at.column, 3u);
    }
}

TEST(Accuracy, of_unequal_errors_the_largest_is_told_and_the_first_beyond_the_bound) {
  Tensor rows = exact_rows(small, 300, Format::f32);
  for (const auto& [row, column, off] : {std::tuple{250u, 1u, 2e-3},
                                         {100u, 6u, 1e-3},
                                         {100u, 3u, 5e-3},
                                         {100u, 1u, 4e-3},
                                         {80u, 0u, 1e-3},
                                         {80u, 1u, 5e-4}})
    rows.at(row, column) = to_f32(rows.at(row, column) + off);
  const Accuracy found = of_file(small, rows, true);
  ASSERT_TRUE(found.largest_at && found.beyond);
  EXPECT_EQ(found.largest_at->position, 100);
  EXPECT_EQ(found.largest_at->column, 3u);
  EXPECT_NEAR(found.largest, 5e-3, 1e-7);
  EXPECT_EQ(found.beyond->at.position, 80);
  EXPECT_EQ(found.beyond->at.column, 0u);
}

TEST(Accuracy, of_angles_in_bf16_ends_at_the_first_position_beyond_the_bound) {
  for (const auto& [unit, rounded] : {std::pair{"", &to_bf16}, {"@bf16/bf16", &to_bf16}, {"", &to_f16}}) {
    const Tensor rows = tutorial(600, rounded);
    const Written file("angles.npy", rows, true);
    const Subject subject = small.open(file.subject() + unit);
    const Accuracy found = accuracy(small.truth(), subject);
    EXPECT_EQ(found.beyond ? found.beyond->at.position : -1, first_refuted(small, subject)) << unit;
  }
}

TEST(Accuracy, the_largest_share_of_the_bound_is_that_of_all_cases) {
  Tensor rows = tutorial(1300, &to_f32);
  const auto table = as<Table>(small.truth());
  rows.at(777, 3) += 0.5 * row_error(table, all_f32, 777, std::vector<double>(8, 0.0))[3];
  const Written file("share.npy", rows, true);
  const Subject subject = small.open(file.subject());
  const Accuracy found = accuracy(small.truth(), subject);
  const auto one = trial(agreement(small.truth()), subject.encoding, subject.precision);
  Residual worst{0, 1, 2};
  for (Position t = 0; t < 1300; ++t) {
    const Verdict verdict = replay(*one, case_of(small.truth(), Domain(0, 1299), t));
    const auto& holds = std::get<Holds>(verdict);
    if (holds.worst.error_over_bound() > worst.error_over_bound()) worst = holds.worst;
  }
  EXPECT_GT(worst.error_over_bound(), 0.4);
  EXPECT_NEAR(found.worst.error_over_bound(), worst.error_over_bound(), 1e-7);
  EXPECT_EQ(found.worst_at.text(), "rows=1 t=777 n=1300");
}

// As many rows as are worth a thread, and more.
TEST(Accuracy, threads_change_nothing) {
  const Tensor rows = tutorial(70000, &to_f32);
  const Accuracy one = of_file(small, rows, true), four = of_file(small, rows, true, "", {.threads = 4});
  EXPECT_EQ(one.wrong, four.wrong);
  EXPECT_EQ(one.ulp, four.ulp);
  EXPECT_EQ(one.ulp_at.position, four.ulp_at.position);
  EXPECT_EQ(one.largest_at->position, four.largest_at->position);
  EXPECT_EQ(one.worst_at, four.worst_at);
  ASSERT_EQ(one.profile.size(), four.profile.size());
  for (std::size_t n = 0; n < one.profile.size(); ++n) {
    EXPECT_EQ(one.profile[n].error, four.profile[n].error);
    EXPECT_EQ(one.profile[n].bound, four.profile[n].bound);
  }
}

// A file of one format that is meant as another: compared in the one that it is meant as, if it holds such.
TEST(Accuracy, is_judged_in_the_format_that_was_meant) {
  const Tensor as_bf16 = exact_rows(small, 300, Format::bf16);
  const Accuracy narrow = of_file(small, as_bf16, true, "@bf16");
  EXPECT_EQ(narrow.format, Format::bf16);
  EXPECT_EQ(narrow.wrong, 0u);
  EXPECT_FALSE(narrow.beyond);

  const Accuracy wide = of_file(small, exact_rows(small, 300, Format::f32), true, "@bf16");
  EXPECT_EQ(wide.format, Format::f32);
  EXPECT_EQ(wide.wrong, 0u);

  const Accuracy fine = of_file(small, exact_rows(small, 300, Format::f32), true, "@f64");
  EXPECT_EQ(fine.format, Format::f64);
  ASSERT_TRUE(fine.beyond);
  EXPECT_EQ(fine.beyond->at.position, 1);  // row 0 is exact in both
}

TEST(Accuracy, of_part_of_a_file) {
  const Tensor rows = exact_rows(small, 300, Format::f32);
  const Accuracy found =
      of_file(small, rows, true, "", {.positions = std::pair{Position{70}, Position{199}}});
  EXPECT_EQ(found.rows, 130u);
  EXPECT_EQ(found.wrong, 0u);
  EXPECT_EQ(found.first, 70);
  EXPECT_EQ(found.last, 199);
  EXPECT_EQ(found.stopped, "");
  const Accuracy beyond =
      of_file(small, rows, true, "", {.positions = std::pair{Position{70}, Position{400}}});
  EXPECT_EQ(beyond.rows, 230u);
  EXPECT_EQ(beyond.stopped, "positions 70 to 400 were asked for: those beyond 70 to 299 were not compared");
}

TEST(Accuracy, without_an_exact_table_is_compared_row_by_row) {
  const Setting learned{"learned", "dim=4 length=100 table=seeded"};
  Tensor rows = exact_rows(learned, 100, Format::f32);
  EXPECT_EQ(of_file(learned, rows, true).wrong, 0u);
  rows.at(99, 3) *= 1 + 0x1p-20;
  const Accuracy found = of_file(learned, rows, true);
  EXPECT_EQ(found.wrong, 1u);
  ASSERT_TRUE(found.beyond);
  EXPECT_EQ(found.beyond->again.text(), "rows=1 t=99 n=100");
}

TEST(Accuracy, of_a_live_table) {
  const Setting setting{"sinusoidal", "dim=4"};
  const Subject built_in{"sinusoidal", "built in", setting.spec().make(setting.all()), all_f64, true};
  const Accuracy found = accuracy(setting.truth(), built_in);
  EXPECT_EQ(found.first, 0);
  EXPECT_EQ(found.last, 4095);
  EXPECT_EQ(found.rows, 4096u);
  EXPECT_FALSE(found.beyond);
}

TEST(Accuracy, counts_what_is_declined) {
  const Setting setting{"sinusoidal", "dim=4"};
  Encoding made = setting.spec().make(setting.all());
  auto& table = as<Table>(made);
  table.rows = [rows = table.rows](std::span<const Position> positions, Position length) {
    for (const Position t : positions)
      if (t >= 1500 || t == 37) throw Refusal("not there");
    return rows(positions, length);
  };
  const Accuracy found = accuracy(setting.truth(), {"sinusoidal", "", made, all_f64, true});
  EXPECT_EQ(found.rows, 1499u);
  EXPECT_EQ(found.declined, 4096u - 1499u);
  EXPECT_EQ(found.first_declined, 37);
}

TEST(Accuracy, ends_where_the_subject_does) {
  const Setting setting{"sinusoidal", "dim=4"};
  Encoding made = setting.spec().make(setting.all());
  auto& table = as<Table>(made);
  table.rows = [rows = table.rows](std::span<const Position> positions, Position length) {
    if (positions.front() >= 1024) throw SubjectError("it died");
    return rows(positions, length);
  };
  const Accuracy found = accuracy(setting.truth(), {"sinusoidal", "", made, all_f64, true});
  ASSERT_TRUE(found.errored);
  EXPECT_EQ(found.errored->what, "it died");
  EXPECT_EQ(found.errored->at.text(), "rows=1 t=1024 n=4096");
  EXPECT_EQ(found.rows, 1024u);
}

TEST(Accuracy, ends_where_an_answer_fails_and_where_its_time_does) {
  const Setting setting{"sinusoidal", "dim=4"};
  Encoding made = setting.spec().make(setting.all());
  auto& table = as<Table>(made);
  table.rows = [rows = table.rows](std::span<const Position> positions, Position length) {
    if (positions.front() >= 2048) throw Failure(Failure::How::raised, "no", "rows: no");
    return rows(positions, length);
  };
  const Subject subject{"sinusoidal", "", made, all_f64, true};
  const Accuracy found = accuracy(setting.truth(), subject);
  ASSERT_TRUE(found.failed.has_value());
  EXPECT_FALSE(found.errored.has_value() || found.out_of_time);
  EXPECT_EQ(found.failed->instead, "rows: no");
  EXPECT_EQ(found.rows, 2048u);
  AccuracyOptions late;
  late.deadline = BudgetClock::now();
  const Accuracy none = accuracy(setting.truth(), subject, late);
  EXPECT_TRUE(none.out_of_time);
  EXPECT_EQ(none.stopped, "out of time: positions 0 to 4095 were not compared");
  EXPECT_EQ(none.rows, 0u);
}

// Rows that depend on the length are those of one sequence, however many calls they come in.
TEST(Accuracy, of_rows_that_depend_on_the_length_is_of_one_sequence) {
  const Setting setting{"normalized_index", "dim=2"};
  const Subject exact{"normalized_index", "", setting.truth(), all_f64, true};
  const Accuracy found =
      accuracy(setting.truth(), exact, {.positions = std::pair{Position{0}, Position{2999}}});
  EXPECT_EQ(found.rows, 3000u);
  EXPECT_EQ(found.wrong, 0u);
  EXPECT_FALSE(found.beyond);
}

TEST(Accuracy, of_positions_that_only_one_of_both_has_is_none) {
  const Setting setting{"learned", "dim=2 length=10"};
  const Subject past{"learned", "", with_positions(setting.truth(), Domain(10, 20)), all_f64, true};
  const Accuracy found = accuracy(setting.truth(), past);
  EXPECT_EQ(found.stopped, "the encoding and the subject have no position in common");
  EXPECT_EQ(found.rows, 0u);
}

TEST(Accuracy, of_another_kind_is_none) {
  const Setting table{"sinusoidal", "dim=4"}, rotary{"rope", "dim=4"};
  const Accuracy found = accuracy(table.truth(), {"rope", "", rotary.truth(), all_f64, true});
  EXPECT_EQ(found.stopped, "the encoding gives table, the subject rotary: there are no entries to compare");
  EXPECT_EQ(found.rows, 0u);
}

// A row of a table has as many entries here as the biases of a query.
TEST(Accuracy, of_another_kind_with_as_many_entries_is_none) {
  const Setting bias{"alibi", "heads=1"}, table{"sinusoidal", "dim=4"};
  const Encoding of_four = with_positions(bias.truth(), Domain(0, 3));
  const Accuracy found = accuracy(of_four, {"sinusoidal", "", table.truth(), all_f64, true});
  EXPECT_EQ(found.stopped, "the encoding gives bias, the subject table: there are no entries to compare");
  EXPECT_EQ(found.rows, 0u);
  EXPECT_EQ(accuracy(of_four, {"alibi", "", of_four, all_f64, true}).rows, 4u);
}

TEST(Accuracy, of_positions_of_several_numbers_is_none) {
  const Setting setting{"sincos_2d", "dim=4"};
  const Accuracy found = accuracy(setting.truth(), {"sincos_2d", "", setting.truth(), all_f64, true});
  EXPECT_EQ(found.stopped,
            "the grid has no end; `--positions FIRST:LAST` says which numbers of each axis are compared");
  EXPECT_EQ(found.rows, 0u);
}

// A file's rows begin at its first position, not at 0.
TEST(Accuracy, of_a_file_reads_its_rows_from_its_first_position) {
  const Setting setting{"sinusoidal", "dim=4"};
  const auto table = as<Table>(setting.truth());
  std::vector<Position> at(200);
  std::iota(at.begin(), at.end(), Position{50});
  Tensor rows = table.rows(at, 250);
  for (double& value : rows.data) value = nearest(Format::f32, value);
  rows.at(199, 3) += 1e-3;
  std::vector<std::byte> bytes;
  for (double& value : rows.data) value = nearest(Format::f32, value);
  ASSERT_TRUE(pack(Format::f32, rows.data, bytes));
  Subject file{"file", "", narrowed(setting.spec().make(setting.all()), 50, 249), all_f32, false};
  file.stored =
      Stored{Format::f32, 200, 4, 50, [&](std::size_t from, std::span<std::byte> to) {
               std::copy_n(bytes.begin() + static_cast<std::ptrdiff_t>(from), to.size(), to.begin());
             }};
  const Accuracy found = accuracy(setting.truth(), file);
  EXPECT_EQ(found.rows, 200u);
  EXPECT_EQ(found.wrong, 1u);
  ASSERT_TRUE(found.beyond);
  EXPECT_EQ(found.beyond->at.position, 249);
  EXPECT_EQ(found.beyond->at.column, 3u);
}

// What is no number of the format that was meant is compared in the file's where that is finer, else in
// doubles.
TEST(Accuracy, of_a_file_of_a_coarser_format_than_was_meant_is_of_doubles) {
  const Setting setting{"sinusoidal", "dim=8 amplitude=0.000001"};
  const Tensor rows = exact_rows(setting, 100, Format::bf16);
  std::vector<std::byte> bytes;
  ASSERT_TRUE(pack(Format::bf16, rows.data, bytes));
  Subject file{"file", "", narrowed(setting.truth(), 0, 99), Precision::parse("f16"), false};
  file.stored =
      Stored{Format::bf16, 100, 8, 0, [&](std::size_t from, std::span<std::byte> to) {
               std::copy_n(bytes.begin() + static_cast<std::ptrdiff_t>(from), to.size(), to.begin());
             }};
  EXPECT_EQ(accuracy(setting.truth(), file).format, Format::f64);
}

// What answers calls has no format of its own.
TEST(Accuracy, of_a_live_subject_that_answers_finer_than_was_meant_is_of_doubles) {
  const Tensor rows = exact_rows(small, 4, Format::f32);
  Table table = as<Table>(small.truth());
  table.rows = [rows](const Positions& at, Position) {
    Tensor out({at.size(), 8});
    for (std::size_t r = 0; r < at.size(); ++r)
      std::ranges::copy(rows.row(static_cast<std::size_t>(at[r])), out.row(r).begin());
    return out;
  };
  Subject live{"live", "", narrowed(table, 0, 3), Precision::parse("bf16"), false};
  live.stored = Stored{Format::f32, 4, 8, 0, {}};
  live.stored.reset();
  EXPECT_EQ(accuracy(small.truth(), live).format, Format::f64);
}

// Towards the origin what is allowed shrinks from row to row.
TEST(Accuracy, of_positions_before_the_origin_allows_each_its_own) {
  const Setting setting{"sinusoidal", "dim=4"};
  const Encoding truth = with_positions(setting.truth(), Domain(-1000, -1));
  const auto& table = as<Table>(truth);
  const double allowed = row_error(table, all_f32, -2, std::vector<double>(4, 0.0))[0],
               far = row_error(table, all_f32, -1000, std::vector<double>(4, 0.0))[0];
  ASSERT_LT(4 * allowed, far);
  auto wrong = table;
  wrong.rows = [right = table.rows, allowed](const Positions& at, Position length) {
    Tensor out = right(at, length);
    for (std::size_t r = 0; r < at.size(); ++r) {
      for (double& value : out.row(r)) value = to_f32(value);
      if (at[r] == -2) out.at(r, 0) = to_f32(out.at(r, 0) + 3 * allowed);
    }
    return out;
  };
  const Accuracy found = accuracy(truth, {"made", "", wrong, all_f32, true});
  EXPECT_EQ(found.rows, 1000u);
  ASSERT_TRUE(found.beyond);
  EXPECT_EQ(found.beyond->at.position, -2);
}

// The row is asked for as a call first.
TEST(Accuracy, of_a_file_leaves_out_what_it_declines) {
  const Setting setting{"sinusoidal", "dim=2"};
  const Tensor rows = exact_rows(setting, 100, Format::f32);
  std::vector<std::byte> bytes;
  ASSERT_TRUE(pack(Format::f32, rows.data, bytes));
  auto table = as<Table>(narrowed(setting.truth(), 0, 99));
  table.rows = [right = table.rows](const Positions& at, Position length) {
    for (const Position t : at)
      if (t == 0 || t == 64) throw Refusal("not this one");
    return right(at, length);
  };
  Subject file{"file", "", table, all_f32, false};
  file.stored =
      Stored{Format::f32, 100, 2, 0, [&](std::size_t from, std::span<std::byte> to) {
               std::copy_n(bytes.begin() + static_cast<std::ptrdiff_t>(from), to.size(), to.begin());
             }};
  const Accuracy found = accuracy(setting.truth(), file);
  EXPECT_EQ(found.declined, 1u);
  EXPECT_EQ(found.first_declined, 0);
  EXPECT_EQ(found.rows, 99u);
}

TEST(Accuracy, of_a_live_subject_that_says_where_it_ends_is_of_all_its_positions) {
  const Setting setting{"sinusoidal", "dim=2"};
  const Encoding truth = with_positions(setting.truth(), Domain(0, 5999));
  const auto rows = [&](bool ends) {
    Domain domain(0, 5999);
    domain.ends = ends;
    return accuracy(truth, {"made", "", with_positions(setting.truth(), domain), all_f64, true}).rows;
  };
  EXPECT_EQ(rows(true), 6000u);
  EXPECT_EQ(rows(false), 4096u);
}

// Where angles are in bf16 rounding may put a far row anywhere.
TEST(Accuracy, counts_the_rows_that_could_not_have_been_refuted) {
  for (const std::string offset : {"-300", "-900"}) {
    const Setting setting{"sinusoidal", "dim=2 offset=" + offset};
    const Precision coarse = Precision::parse("bf16/bf16");
    const Subject subject{"made", "", setting.spec().make(setting.all()), coarse, true};
    const Accuracy found =
        accuracy(setting.truth(), subject, {.positions = std::pair{Position{0}, Position{999}}});
    const auto table = as<Table>(setting.truth());
    std::uint64_t vacuous = 0;
    for (Position t = 0; t < 1000; ++t) {
      const auto bound = row_error(table, coarse, t, std::vector<double>{0, 0});
      vacuous += bound[0] + 2 * unit_f64 >= 2 && bound[1] + 2 * unit_f64 >= 2 ? 1 : 0;
    }
    EXPECT_GT(vacuous, 10u);
    EXPECT_LT(vacuous, 990u);
    EXPECT_EQ(found.vacuous, vacuous) << offset;
  }
}

TEST(Accuracy, of_what_depends_on_content_is_none) {
  const Setting none{"none", "dim=4"};
  const Subject built_in{"none", "", none.spec().make(none.all()), all_f64, true};
  const Accuracy found = accuracy(none.truth(), built_in);
  EXPECT_EQ(found.rows, 0u);
  EXPECT_FALSE(found.stopped.empty());
}

}  // namespace
}  // namespace posproof::run_accuracy_test
