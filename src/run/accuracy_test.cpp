// Tables, right and wrong by little, with every entry compared: what is counted, where it is, and what the
// bound says.
#include "run/accuracy.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <tuple>

#include "core/error.h"
#include "run/agreement.h"
#include "run/catalogued.h"
#include "run/packed.h"
#include "run/testing/accuracy.h"
#include "search/trial.h"
#include "subject/testing/npy.h"

namespace posproof::run_accuracy_test {
namespace {

using testing::exact_rows;
using testing::first_refuted;
using testing::of_file;
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
    EXPECT_EQ(found.rounding, single ? 0x1p-24 : 0x1p-53);
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

// The sine of 0 may be off by four units of f32, in which it is computed, and by nothing of bf16.
TEST(Accuracy, of_few_digits_allows_a_small_entry_what_is_lost_before_it_is_rounded) {
  const Setting one_pair{"sinusoidal", "dim=2"};
  const auto of_sine = [&](double value) {
    Tensor rows = exact_rows(one_pair, 100, Format::bf16);
    rows.at(0, 0) = value;
    return of_file(one_pair, rows, true, "@bf16");
  };
  EXPECT_FALSE(of_sine(0x1p-23).beyond);
  const Accuracy found = of_sine(0x1p-20);
  ASSERT_TRUE(found.beyond);
  EXPECT_EQ(found.beyond->at.position, 0);
  EXPECT_EQ(found.beyond->at.column, 0u);
}

// From a position on the one pair may have any angle.
TEST(Accuracy, counts_every_position_of_which_anything_is_allowed) {
  const Setting one_pair{"sinusoidal", "dim=2"};
  const Written file("accuracy.npy", exact_rows(one_pair, 1000, Format::f32), true);
  const Subject subject = one_pair.open(file.subject() + "@bf16/bf16");
  const auto one = trial(agreement(one_pair.truth()), subject.encoding, subject.precision);
  const Domain& domain = as<Table>(subject.encoding).positions;
  std::uint64_t vacuous = 0;
  for (Position t = domain.lo; t <= domain.hi; ++t) {
    Replay draw(case_of(one_pair.truth(), domain, t));
    vacuous += (*one)(draw).vacuous() ? 1 : 0;
  }
  EXPECT_GT(vacuous, 0u);
  EXPECT_LT(vacuous, 1000u);
  EXPECT_EQ(accuracy(one_pair.truth(), subject, {}).vacuous, vacuous);
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
  rows.at(100, 6) = std::nan("");
  const Accuracy none = of_file(padded, rows, true);
  ASSERT_TRUE(none.beyond);
  EXPECT_EQ(none.beyond->at.position, 100);
  EXPECT_EQ(none.beyond->at.column, 6u);
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

// In tables of which every block has wrong entries, all of them small: an entry that is a little worse than
// correct rounding may be, in the first row and the last, on both sides of where blocks meet, in every
// column.
TEST(Accuracy, the_worst_entry_is_found_wherever_it_stands) {
  constexpr std::size_t rows = 300;
  for (const Format format : {Format::f32, Format::bf16, Format::f16}) {
    const std::string meant = fmt::format("@{}", name(format));
    const Precision precision = Precision::parse(name(format));
    const Tensor exact = exact_rows(small, rows, Format::f64);
    Tensor wrong = exact_rows(small, rows, format);
    const auto spacing = [&](double value) { return 2 * half_ulp(format, value); };
    // Small entries are the neighbour on the other side, where rounding of an entry of that size allows it.
    std::size_t small_ones = 0;
    for (std::size_t t = 5; t < rows; t += 2)
      for (std::size_t c = 0; c < exact.width(); ++c) {
        const double is = exact.at(t, c), right = wrong.at(t, c), off = is - right;
        if (std::abs(is) > 0.25 || spacing(right) - std::abs(off) > precision.result * std::abs(is)) continue;
        wrong.at(t, c) = right + std::copysign(spacing(right), off);
        ++small_ones;
      }
    EXPECT_GE(small_ones, 16u) << name(format);
    std::size_t planted = 0;
    for (const std::size_t t :
         {1u, 2u, 62u, 63u, 64u, 65u, 127u, 128u, 129u, 200u, 201u, 255u, 256u, 257u, 299u})
      for (std::size_t c = 0; c < exact.width(); ++c) {
        const double is = exact.at(t, c), right = nearest(format, is), off = is - right;
        // The neighbour on the other side is off by three quarters of the spacing at least.
        if (std::abs(right) < 0.51 || std::abs(right) > 0.99 || std::abs(off) > spacing(right) / 4) continue;
        if (format != Format::f32 && spacing(right) - std::abs(off) > precision.result * std::abs(is))
          continue;
        Tensor values = wrong;
        values.at(t, c) = right + std::copysign(spacing(right), off);
        if (format == Format::f32)  // where the angle may be off by more than that
          values.at(t, c) = nearest(format, is + 0.9 * row_error(as<Table>(small.truth()), precision,
                                                                 static_cast<Position>(t), exact.row(t))[c]);
        const Accuracy found = of_file(small, values, true, meant);
        ASSERT_FALSE(found.beyond) << name(format) << ' ' << t << ' ' << c;
        EXPECT_EQ(found.worst_at.text(), fmt::format("rows=1 t={} n={}", t, rows))
            << name(format) << ' ' << c;
        // The exact value is rounded to double, and the difference; both are below 1.
        EXPECT_NEAR(found.worst.error, std::abs(values.at(t, c) - is), 0x1p-53);
        ++planted;
      }
    EXPECT_GE(planted, 8u) << name(format);
  }
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

}  // namespace
}  // namespace posproof::run_accuracy_test
