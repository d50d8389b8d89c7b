// What is counted of files and of programs: which positions, in which format, and where they end.
#include "run/accuracy.h"

#include <gtest/gtest.h>

#include <limits>
#include <numeric>

#include "core/error.h"
#include "core/failure.h"
#include "exact/exact_table.h"
#include "run/catalogued.h"
#include "run/narrowed.h"
#include "run/packed.h"
#include "run/testing/accuracy.h"
#include "search/budget_clock.h"
#include "subject/testing/npy.h"
#include "subject/testing/subjects.h"

namespace posproof::accuracy_of_subjects_test {
namespace {

using testing::exact_rows;
using testing::of_file;
using testing::Setting;
using testing::small;

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

// A file of 4096 bytes a row, of which 2^23 bytes are read at once; and one of which 64 rows are more than
// that.
TEST(Accuracy, of_a_file_reads_blocks_of_whole_rows) {
  const auto most_read = [](const Setting& setting, std::size_t dim, std::size_t count) {
    const Encoding truth = setting.truth();
    std::vector<std::byte> bytes(count * dim * 4);
    if (const auto table = exact::exact_table(truth))
      table->fill(Format::f32, 0, count, bytes.data());
    else
      EXPECT_TRUE(pack(Format::f32, exact_rows(setting, count, Format::f32).data, bytes));
    std::size_t most = 0;
    Subject file{"file", "", narrowed(truth, 0, static_cast<Position>(count) - 1), all_f32, false};
    file.stored =
        Stored{Format::f32, count, dim, 0, [&](std::size_t from, std::span<std::byte> to) {
                 most = std::max(most, to.size());
                 std::copy_n(bytes.begin() + static_cast<std::ptrdiff_t>(from), to.size(), to.begin());
               }};
    const Accuracy found = accuracy(truth, file);
    EXPECT_EQ(found.rows, count);
    EXPECT_EQ(found.wrong, 0u);
    return most;
  };
  EXPECT_EQ(most_read({"sinusoidal", "dim=1024"}, 1024, 2100), std::size_t{1} << 23);
  EXPECT_EQ(most_read({"learned", "dim=32770 length=3 table=index"}, 32770, 3), 3u * 32770u * 4u);
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
}  // namespace posproof::accuracy_of_subjects_test
