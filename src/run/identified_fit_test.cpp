// How well a convention fits a file: calls first, then every row.
#include "run/identified_fit.h"

#include <gtest/gtest.h>

#include <numeric>
#include <string>
#include <vector>

#include "run/catalogued.h"
#include "subject/testing/npy.h"

namespace posproof::identified_fit_test {
namespace {

Fit of_rows(const Tensor& rows) {
  const testing::Written file("identified_fit.npy", rows, true);
  const Unidentified asked(file.subject(), {});
  const auto found = fit({"sinusoidal", Case::parse("dim=16")}, asked, Answers{}, FitUntil::all);
  return found.value_or(Fit{});
}

TEST(IdentifiedFit, of_a_file_compares_all_of_its_rows) {
  std::vector<Position> at(300);
  std::iota(at.begin(), at.end(), Position{0});
  Tensor rows = as<Table>(encoding_named("sinusoidal").make(Case::parse("dim=16"))).rows(at, 300);
  const Fit right = of_rows(rows);
  EXPECT_TRUE(right.holds());
  EXPECT_EQ(right.of, 300u);
  EXPECT_TRUE(right.counterexample.empty());
  EXPECT_FALSE(right.first);
  // Which none of the calls asks for: what refutes it is said as a case that agreement replays.
  rows.at(212, 5) += 2e-3;
  const Fit wrong = of_rows(rows);
  EXPECT_FALSE(wrong.holds());
  EXPECT_EQ(wrong.wrong, 1u);
  EXPECT_EQ(wrong.counterexample.text(), "rows=1 t=212 n=300");
  ASSERT_TRUE(wrong.first);
  EXPECT_EQ(wrong.first->position, (std::vector<double>{212}));
}

}  // namespace
}  // namespace posproof::identified_fit_test
