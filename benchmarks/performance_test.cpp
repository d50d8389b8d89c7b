#include "benchmarks/performance.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

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
  EXPECT_EQ(target(fast, "MPFR's time for a table").verdict(), "met");
  EXPECT_EQ(target(fast, "MPFR's time for a table").number(3600), "3,600 x");
  EXPECT_EQ(target(fast, "MPFR's time for a table").aim(), "at least 3,500 x");
  // The cheapest precision counts, not the dearest.
  const Measured slow({round(
      {{"mpfr/f32/64", 3400}, {"mpfr/f32/96", 4000}, {"exact/write_with_set_up/f32/sin_cos/v4/131072", 1}},
      "1")});
  EXPECT_EQ(target(slow, "MPFR's time for a table").verdict(), "not met");
}

TEST_F(PerformanceTest, a_share_of_memory_counts_bytes) {
  // A byte in 1 ns and a value of four bytes in 5: four fifths of the speed.
  const Measured measured(
      {round({{"memory/write/64MiB", 1}, {"exact/write/f32/sin_cos/v4/131072", 5}}, "1")});
  const Target share = target(measured, "speed of writing 131072 x 128");
  EXPECT_NEAR(share.measured->median, 80, 1e-9);
  EXPECT_EQ(share.verdict(), "met");
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
