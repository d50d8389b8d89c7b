#include "benchmarks/performance.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>

#include "report/file.h"
#include "report/report.h"

namespace posproof::report::performance_test {
namespace {

namespace fs = std::filesystem;

class PerformanceTest : public ::testing::Test {
 protected:
  void TearDown() override { fs::remove_all(folder_); }

  // A round in which everything takes this many nanoseconds an item.
  fs::path round(const std::vector<std::pair<std::string, double>>& runs, const std::string& torch) {
    std::string all;
    for (const auto& [name, ns] : runs)
      all += fmt::format(R"({}{{"name": "{}", "cpu_time": {}, "time_unit": "ns"}})", all.empty() ? "" : ",\n",
                         name, ns);
    replace_file(folder_ / "round" / "b.json",
                 fmt::format(R"({{"context": {{"best_kernel": "v4", "torch": "{}"}}, "benchmarks": [{}]}})",
                             torch, all));
    return folder_ / "round";
  }
  Target target(const Measured& measured, const std::string& beginning) {
    for (const Target& one : performance_targets(measured))
      if (one.what.rfind(beginning, 0) == 0) return one;
    ADD_FAILURE() << "no aim begins with " << beginning;
    return {};
  }

  const fs::path folder_ = fs::temp_directory_path() / fmt::format("posproof_performance_{}", getpid());
};

TEST_F(PerformanceTest, an_aim_is_met_by_its_median_or_not) {
  const Measured fast({round(
      {{"mpfr/f32/64", 3600}, {"mpfr/f32/96", 4000}, {"exact/write_with_set_up/f32/sin_cos/v4/131072", 1}},
      "1")});
  EXPECT_EQ(target(fast, "MPFR's time for a table").verdict(), "met in every round");
  EXPECT_EQ(target(fast, "MPFR's time for a table").number(3600), "3,600 x");
  EXPECT_EQ(target(fast, "MPFR's time for a table").aim(), "at least 3,500 x");
  // The cheapest precision counts, not the dearest.
  const Measured slow({round(
      {{"mpfr/f32/64", 3400}, {"mpfr/f32/96", 4000}, {"exact/write_with_set_up/f32/sin_cos/v4/131072", 1}},
      "1")});
  EXPECT_EQ(target(slow, "MPFR's time for a table").verdict(), "not met");
}

TEST(Target, says_whether_the_worst_round_meets_it) {
  const auto verdict = [](double least, double median, double most, bool at_least) {
    return Target{
        .what = "", .measured = Spread{median, least, most}, .at_least = at_least, .limit = 10, .unit = " x"}
        .verdict();
  };
  EXPECT_EQ(verdict(10, 11, 12, true), "met in every round");
  EXPECT_EQ(verdict(9.9, 10, 12, true), "met by the median");
  EXPECT_EQ(verdict(8, 9.9, 12, true), "not met");
  EXPECT_EQ(verdict(8, 9, 10, false), "met in every round");
  EXPECT_EQ(verdict(8, 10, 10.1, false), "met by the median");
  EXPECT_EQ(verdict(8, 10.1, 12, false), "not met");
}

TEST_F(PerformanceTest, a_share_of_memory_counts_bytes) {
  // A byte in 1 ns and a value of four bytes in 5: four fifths of the speed.
  const Measured measured(
      {round({{"memory/write/64MiB", 1}, {"exact/write/f32/sin_cos/v4/131072", 5}}, "1")});
  const Target share = target(measured, "speed of writing 131072 x 128");
  EXPECT_NEAR(share.measured->median, 80, 1e-9);
  EXPECT_EQ(share.verdict(), "met in every round");
}

TEST_F(PerformanceTest, both_caches_are_verified_in_the_time_of_both) {
  const Measured measured(
      {round({{"today/llama_caches", 60}, {"verify/llama_cosines", 1}, {"verify/llama_sines", 3}}, "1")});
  EXPECT_NEAR(target(measured, "the same, cosine and sine caches").measured->median, 30, 1e-9);
}

TEST_F(PerformanceTest, what_is_not_installed_has_no_number) {
  const Measured measured({round({{"mpfr/f32/64", 1}}, "not installed")});
  EXPECT_EQ(target(measured, "PyTorch's time").verdict(), "PyTorch is not installed");
  EXPECT_EQ(target(measured, "numpy's time").verdict(), "not measured");
  const Document page = performance(measured);
  bool seen = false;
  for (const document::Block& block : page.blocks)
    if (const auto* grid = std::get_if<document::Grid>(&block))
      for (const auto& row : grid->rows)
        if (row[0].rfind("SLEEF", 0) == 0) {
          EXPECT_EQ(row[1], "not installed");
          seen = true;
        }
  EXPECT_TRUE(seen);
}

std::string paragraph_with(const std::vector<document::Block>& blocks, std::string_view words) {
  for (const document::Block& block : blocks)
    if (const auto* one = std::get_if<document::Paragraph>(&block))
      if (one->text.find(words) != std::string::npos) return one->text;
  return "";
}

const document::Grid& grid_with(const std::vector<document::Block>& blocks, const std::string& header) {
  for (const document::Block& block : blocks)
    if (const auto* grid = std::get_if<document::Grid>(&block))
      if (std::ranges::find(grid->columns, header) != grid->columns.end()) return *grid;
  throw std::runtime_error("no grid has a column `" + header + "`");
}

// Exponents 2 of n, where 2 is expected, and of rotary's n, where 1 is: 2 is above. Of d 0.5, between 0
// and 1.
TEST_F(PerformanceTest, an_exponent_stands_beside_that_of_the_operations) {
  const Measured measured({round({{"growth/attention/n/1", 1},
                                  {"growth/attention/n/2", 4},
                                  {"growth/attention/n/4", 16},
                                  {"growth/rotary/n/1", 1},
                                  {"growth/rotary/n/2", 4},
                                  {"growth/rotary/n/4", 16},
                                  {"growth/rotary/d/1", 4},
                                  {"growth/rotary/d/4", 8},
                                  {"growth/rotary/d/16", 16},
                                  {"growth/attention/d/1", 4},
                                  {"growth/attention/d/4", 8},
                                  {"growth/attention/d/16", 16}},
                                 "1")});
  const auto blocks = performance_growth(measured);
  const document::Grid& grid = grid_with(blocks, "95 % interval");
  const auto row = [&](const std::string& cost) {
    for (const auto& one : grid.rows)
      if (one[0] == cost) return std::vector<std::string>(one.begin() + 4, one.end());
    return std::vector<std::string>{};
  };
  using Row = std::vector<std::string>;
  EXPECT_EQ(row("attention reference, d = 64"), (Row{"2.00", "2.00 to 2.00", "2.00", "2", "yes"}));
  EXPECT_EQ(row("rotary reference, 8 heads, d = 64"),
            (Row{"2.00", "2.00 to 2.00", "2.00", "1", "no: above"}));
  EXPECT_EQ(row("rotary reference, 8 heads, n = 32"),
            (Row{"0.50", "0.50 to 0.50", "0.50", "1", "no: below"}));
  EXPECT_EQ(row("attention reference, n = 64"),
            (Row{"0.50", "0.50 to 0.50", "0.50", "0 to 1: the softmax does not grow", "yes"}));
  const std::string text = paragraph_with(blocks, "The interval reaches");
  EXPECT_TRUE(text.starts_with(
      "The interval reaches the exponent of the operations in 2 of 4 rows. It does not for: rotary reference, 8 heads, d = 64 "
      "in n (2.00, between the two largest 2.00); rotary reference, 8 heads, n = 32 in d (0.50, between the two largest 0.50). "
      "The interval knows the scatter of the points alone."))
      << text;
}

TEST_F(PerformanceTest, hypothesis_stands_beside_the_same_statement) {
  const auto blocks = performance_of_cases(Measured({round(
      {{"cases/depends_on_offset", 1e4}, {"hypothesis/drawn", 2e6}, {"hypothesis/seeded", 5e5}}, "1")}));
  const std::string text = paragraph_with(blocks, "offset alone");
  EXPECT_TRUE(text.starts_with(
      "That the logits of RoPE depend on the offset alone, at d = 64 in f64: 100,000 cases/s here, 500 in Hypothesis unknown "
      "with numpy where it draws every channel of query and key (a case takes 200 times as long), 2,000 where it draws a seed "
      "and numpy the channels (50.0 times)."))
      << text;
}

TEST_F(PerformanceTest, a_library_says_how_good_its_values_are) {
  // What is no more than half a unit in the last place of 1 is a bound.
  for (const auto& [farthest, said] : {std::pair("3e-8", "at most 3.0e-08"), std::pair("7e-8", "7.0e-08")}) {
    replace_file(
        folder_ / "counted" / "b.json",
        std::string(
            R"({"context": {}, "benchmarks": [{"name": "library/sleef_v4", "cpu_time": 1, "time_unit": "ns", "wrong_share": 0.25,
                   "ulp_largest": 0.5126, "ulp_mean": 0.2504, "farthest": )") +
            farthest + "}]}");
    const auto blocks = performance_of_others(Measured({folder_ / "counted"}));
    EXPECT_EQ(grid_with(blocks, "mean error, ULP").rows,
              (std::vector<std::vector<std::string>>{{"SLEEF `sincosd8_u10`", "0.513", "0.250"}}));
    std::size_t seen = 0;
    for (const auto& row : grid_with(blocks, "not correctly rounded").rows)
      if (row[0].starts_with("SLEEF `sincosd8")) {
        ++seen;
        EXPECT_EQ(row[4], "25.0 %");
        EXPECT_EQ(row[5], said);
      }
    EXPECT_EQ(seen, 1u);
  }
}

TEST_F(PerformanceTest, its_page_stands_in_the_index_without_its_numbers) {
  const auto reports = folder_ / "reports";
  replace_file(reports / "the_clock_with_many_hands.md", "# The clock\n\nIt ticks.\n");
  const auto written = write_performance(reports, {round({{"mpfr/f32/64", 1}}, "1")});
  EXPECT_EQ(written, (std::vector<std::string>{"performance.md", "README.md"}));
  const std::string index = *file_bytes(reports / "README.md");
  EXPECT_NE(
      index.find(
          "- [The clock](the_clock_with_many_hands.md): It ticks.\n\n[Performance](performance.md) is what"),
      std::string::npos);
  EXPECT_TRUE(compare_index(reports).empty());
}

// `posproof report` writes everything else anew and leaves it alone.
TEST_F(PerformanceTest, its_page_outlives_the_other_reports) {
  const auto reports = folder_ / "reports";
  write_performance(reports, {round({{"mpfr/f32/64", 1}}, "1")});
  const std::string page = *file_bytes(reports / "performance.md");
  try {
    write_all(reports, {"translation_is_a_rotation"});
  } catch (const std::runtime_error& missing) {
    GTEST_SKIP() << missing.what();
  }
  EXPECT_EQ(file_bytes(reports / "performance.md"), page);
  EXPECT_TRUE(compare_index(reports).empty());
}

}  // namespace
}  // namespace posproof::report::performance_test
