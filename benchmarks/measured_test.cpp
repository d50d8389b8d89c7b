#include "benchmarks/measured.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <numbers>

#include "benchmarks/words_of_numbers.h"
#include "report/file.h"

namespace posproof::report::measured_test {
namespace {

namespace fs = std::filesystem;

class MeasuredTest : public ::testing::Test {
 protected:
  void TearDown() override { fs::remove_all(folder_); }

  // One file of a round, of which each run is `name` and the other members.
  fs::path round(const std::string& name, const std::string& runs, const std::string& context = "{}") {
    replace_file(folder_ / name / "b.json",
                 fmt::format(R"({{"context": {}, "benchmarks": [{}]}})", context, runs));
    return folder_ / name;
  }
  static std::string run(const std::string& name, double cpu, const std::string& more = "") {
    return fmt::format(R"({{"name": "{}", "real_time": {}, "cpu_time": {}, "time_unit": "us"{}}})", name,
                       10 * cpu, cpu, more);
  }
  std::string refused(const fs::path& folder) {
    try {
      Measured({folder});
    } catch (const std::invalid_argument& error) {
      std::string what = error.what();
      const auto at = what.find(folder_.string());
      return at == std::string::npos ? what : what.replace(at, folder_.string().size(), "");
    }
    return "not refused";
  }

  const fs::path folder_ = fs::temp_directory_path() / fmt::format("posproof_measured_{}", getpid());
};

TEST_F(MeasuredTest, repetitions_have_a_median_and_rounds_a_spread) {
  const auto first = round("1", run("a", 3) + "," + run("a", 100) + "," + run("a", 2));
  const auto second = round("2", run("a", 5));
  const Measured measured({first, second});
  const auto seconds = measured.seconds("a");
  ASSERT_TRUE(seconds);
  EXPECT_NEAR(seconds->median, 4e-6, 1e-18);
  EXPECT_NEAR(seconds->least, 3e-6, 1e-18);
  EXPECT_NEAR(seconds->most, 5e-6, 1e-18);
}

TEST_F(MeasuredTest, a_ratio_is_taken_within_a_round) {
  // The second round is ten times slower altogether: the ratio does not see it.
  const auto first = round("1", run("a", 6) + "," + run("b", 2));
  const auto second = round("2", run("a", 60) + "," + run("b", 20));
  const auto ratio = Measured({first, second}).ratio({"a"}, {"b"});
  ASSERT_TRUE(ratio);
  EXPECT_NEAR(ratio->least, 3, 1e-12);
  EXPECT_NEAR(ratio->most, 3, 1e-12);
}

TEST_F(MeasuredTest, a_benchmark_that_asked_for_wall_time_gets_it) {
  const Measured measured({round("1", run("a/real_time", 2))});
  EXPECT_NEAR(measured.seconds("a")->median, 20e-6, 1e-18);
}

TEST_F(MeasuredTest, the_time_that_a_benchmark_asked_for_is_not_its_name) {
  const Measured measured({round("1", run("a/min_time:0.010", 2))});
  EXPECT_NEAR(measured.seconds("a")->median, 2e-6, 1e-18);
}

TEST_F(MeasuredTest, items_make_the_time_of_one_but_growth_is_of_a_run) {
  const std::string items = R"(, "items_per_second": 1000)";
  const Measured measured({round("1", run("a/2", 4, items) + "," + run("a/10", 5, items))});
  EXPECT_NEAR(measured.seconds("a/2")->median, 1e-3, 1e-15);
  const auto growth = measured.growth("a");
  ASSERT_EQ(growth.size(), 2u);
  EXPECT_EQ(growth[0].first, 2);
  EXPECT_NEAR(growth[0].second, 4e-6, 1e-18);
  EXPECT_EQ(growth[1].first, 10);
}

TEST_F(MeasuredTest, what_is_missing_or_failed_is_none) {
  const auto first = round("1", run("a", 1) + "," + run("b", 1, R"(, "error_occurred": true)"));
  const auto second = round("2", run("b", 1));
  const Measured measured({first, second});
  EXPECT_FALSE(measured.seconds("a"));  // in one round only
  EXPECT_FALSE(measured.seconds("b"));
  EXPECT_FALSE(measured.ratio({"a"}, {"b"}));
  EXPECT_FALSE(measured.fastest("c"));
}

TEST_F(MeasuredTest, counters_and_context_are_kept) {
  const Measured measured(
      {round("1", run("a", 1, R"(, "wrong_share": 0.25)"), R"({"compiler": "g++", "num_cpus": 2})")});
  EXPECT_EQ(measured.counter("a", "wrong_share"), 0.25);
  EXPECT_FALSE(measured.counter("a", "real_time"));
  EXPECT_EQ(measured.context("compiler"), "g++");
  EXPECT_EQ(measured.context("num_cpus"), "2");
  EXPECT_EQ(measured.context("governor"), "unknown");
}

TEST_F(MeasuredTest, the_fastest_of_a_family_counts) {
  const Measured measured({round("1", run("m/64", 3) + "," + run("m/96", 2) + "," + run("n", 1))});
  EXPECT_EQ(measured.fastest("m/"), "m/96");
}

TEST_F(MeasuredTest, files_that_say_nothing_are_refused) {
  EXPECT_EQ(refused(folder_ / "none"), "`/none` is no folder: a round is one, with *.json");
  EXPECT_EQ(refused(round("empty", "")), "`/empty`: no *.json in it has a measurement");
  EXPECT_EQ(refused(round("still", run("a", 0))), "/still/b.json: `a` took 0 s: that is no time");
  EXPECT_EQ(refused(round("unit", R"({"name": "a", "cpu_time": 1, "time_unit": "min"})")),
            "/unit/b.json: time_unit `min`: ns, us, ms and s are known");
  EXPECT_EQ(refused(round("cut", run("a", 1) + ",")).rfind("/cut/b.json: ", 0), 0u);
}

TEST(Growth, the_exponent_of_a_power_is_found) {
  std::vector<std::pair<double, double>> points;
  for (const double x : {1.0, 2.0, 8.0, 64.0}) points.emplace_back(x, 5 * x * x);
  const auto fit = growth(points);
  ASSERT_TRUE(fit);
  EXPECT_NEAR(fit->exponent, 2, 1e-12);
  EXPECT_NEAR(fit->error, 0, 1e-12);
}

// By hand: logarithms 0, 1, 2 of x and 0, 1, 1 of y (to base e): slope 1/2, remainders -1/6, 1/3, -1/6, whose
// squares add up to 1/6; error sqrt(1/6 / 1 / 2).
TEST(Growth, its_standard_error_is_of_least_squares) {
  const double e = std::exp(1.0);
  const std::vector<std::pair<double, double>> points = {{1, 1}, {e, e}, {e * e, e}};
  const auto fit = growth(points);
  ASSERT_TRUE(fit);
  EXPECT_NEAR(fit->exponent, 0.5, 1e-12);
  EXPECT_NEAR(fit->error, std::sqrt(1.0 / 12), 1e-12);
  // Student's t with one degree of freedom is Cauchy's: its quantile at 0.975 is tan(0.475 pi).
  const double within = std::sqrt(1.0 / 12) * std::tan(0.475 * std::numbers::pi);
  EXPECT_NEAR(fit->low, 0.5 - within, 1e-12);
  EXPECT_NEAR(fit->high, 0.5 + within, 1e-12);
}

// Medians 1, 2 and 16 at the sizes 1, 2 and 4.
TEST(Growth, at_the_end_is_that_of_the_two_largest_sizes) {
  const std::vector<std::pair<double, double>> points = {{1, 1}, {2, 1}, {2, 2}, {2, 9}, {4, 16}};
  EXPECT_DOUBLE_EQ(*growth_at_the_end(points), 3);
  EXPECT_FALSE(growth_at_the_end(std::span(points).first(1)));
}

TEST(Growth, too_little_gives_none) {
  const std::vector<std::pair<double, double>> two = {{1, 1}, {2, 2}}, one_place = {{1, 1}, {1, 2}, {1, 3}},
                                               nothing = {{1, 1}, {2, 0}, {4, 1}};
  EXPECT_FALSE(growth(two));
  EXPECT_FALSE(growth(one_place));
  EXPECT_FALSE(growth(nothing));
}

TEST(WordsOfNumbers, three_digits_are_printed) {
  EXPECT_EQ(significant(0), "0");
  EXPECT_EQ(significant(0.0123456), "0.0123");
  EXPECT_EQ(significant(1.5), "1.50");
  EXPECT_EQ(significant(99.96), "100.0");
  EXPECT_EQ(significant(3551.7), "3,550");
  EXPECT_EQ(significant(-1234567), "-1,230,000");
  EXPECT_EQ(significant(1.5e-7), "1.50e-07");
  EXPECT_EQ(percent(0.978), "97.8 %");
}

}  // namespace
}  // namespace posproof::report::measured_test
