// How well a convention fits a file: calls first, then every row.
#include "identify/identified_fit.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "core/call.h"
#include "core/error.h"
#include "core/failure.h"
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

// A call is asked for after the other, as long as more than the first wrong one is wanted.
TEST(IdentifiedFit, of_a_file_ends_with_the_first_wrong_call_where_that_is_enough) {
  std::vector<Position> at(300);
  std::iota(at.begin(), at.end(), Position{0});
  Tensor rows = as<Table>(encoding_named("sinusoidal").make(Case::parse("dim=16"))).rows(at, 300);
  for (double& entry : rows.data) entry += 0.25;
  const testing::Written file("identified_fit_wrong.npy", rows, true);
  const Unidentified asked(file.subject(), {});
  const auto of = [&](FitUntil until) {
    const auto found = fit({"sinusoidal", Case::parse("dim=16")}, asked, Answers{}, until).value_or(Fit{});
    EXPECT_EQ(found.wrong, found.of);
    return found.of;
  };
  EXPECT_EQ(of(FitUntil::first_wrong), 1u);
  EXPECT_GT(of(FitUntil::all), 24u);
  EXPECT_LE(of(FitUntil::all), 32u);
}

// A program whose every entry is off by so many bounds, compared with what it is.
Fit of_a_program(double bounds, FitUntil until,
                 const Candidate& candidate = {"sinusoidal", Case::parse("dim=8")}) {
  const Encoding truth = encoding_named(candidate.encoding).oracle(candidate.parameters);
  const Encoding off = answered_by(truth, [=](const Call& call) {
    Tensor out = answer(truth, call);
    const Bound allowed = bound(truth, call, out, all_f32);
    for (std::size_t n = 0; n < out.data.size(); ++n) out.data[n] += bounds * allowed.error.data[n];
    return out;
  });
  const Unidentified asked({"made", "", off, all_f32}, candidate);
  const Answers answers;
  record(answers, asked.subject());
  return fit(candidate, asked, answers, until).value_or(Fit{});
}

// The place of what was seen to be wrong first, though every call is wrong there.
TEST(IdentifiedFit, of_a_program_says_where_the_first_wrong_answer_is) {
  const Candidate candidate{"sinusoidal", Case::parse("dim=8")};
  const Encoding truth = encoding_named("sinusoidal").oracle(candidate.parameters);
  std::size_t calls = 0;
  const Encoding off = answered_by(truth, [&, truth](const Call& call) {
    Tensor out = answer(truth, call);
    if (out.data.empty()) return out;
    ++calls;
    for (std::size_t r = 0; r < out.rows(); ++r) out.at(r, 5) += 0.25 * static_cast<double>(calls);
    return out;
  });
  const Unidentified asked({"made", "", off, all_f32}, candidate);
  const Answers answers;
  record(answers, asked.subject());
  ASSERT_GT(calls, 50u);
  const Fit found = fit(candidate, asked, answers, FitUntil::all).value_or(Fit{});
  EXPECT_EQ(found.wrong, calls);
  ASSERT_TRUE(found.first);
  // Numbers are 2 at most: the sum and the difference are rounded by 2^-53 each.
  EXPECT_NEAR(found.first->got - found.first->expected, 0.25, 0x1p-52);
  ASSERT_EQ(found.first->axes.size(), 2u);
  EXPECT_EQ(found.first->axes[1], std::pair(Axis::channel, std::size_t{5}));
}

// Far off by the reference, nearer by the oracle.
TEST(IdentifiedFit, of_a_program_refutes_what_is_off_by_more_than_its_bound) {
  const Fit right = of_a_program(0.9, FitUntil::first_wrong);
  EXPECT_TRUE(right.holds());
  EXPECT_GT(right.of, 10u);
  EXPECT_NEAR(right.share, 0.9, 1e-6);
  for (const double bounds : {1.1, 3.9, 4.1, 1000.0}) {
    const Fit wrong = of_a_program(bounds, FitUntil::first_wrong);
    EXPECT_FALSE(wrong.holds()) << bounds;
    EXPECT_EQ(wrong.of, 1u) << bounds;
  }
}

// The first entry of a bias, at distance 0, has an error bound of 0.
TEST(IdentifiedFit, counts_as_right_what_is_within_its_own_bound) {
  const Fit right = of_a_program(0.9, FitUntil::all, {"alibi", Case::parse("heads=2")});
  EXPECT_GT(right.entries, 100);
  EXPECT_EQ(right.near, right.entries);
  EXPECT_LT(of_a_program(1.1, FitUntil::all, {"alibi", Case::parse("heads=2")}).near, right.entries);
}

// It answers without an error where it is asked for nothing.
TEST(IdentifiedFit, of_a_program_that_answers_empty_calls_alone_is_none) {
  const Candidate candidate{"sinusoidal", Case::parse("dim=8")};
  const Encoding truth = encoding_named("sinusoidal").oracle(candidate.parameters);
  const Encoding raising = answered_by(truth, [truth](const Call& call) {
    if (!call.positions.whole.empty()) throw Failure(Failure::How::raised, "it fails", "KeyError");
    return answer(truth, call);
  });
  const Unidentified asked({"made", "", raising, all_f32}, candidate);
  const Answers answers;
  record(answers, asked.subject());
  ASSERT_FALSE(answers.all().empty());
  for (const FitUntil until : {FitUntil::first_wrong, FitUntil::all, FitUntil::all_nearly})
    EXPECT_FALSE(fit(candidate, asked, answers, until).value_or(Fit{}).holds());
}

// Every entry is off by so much of the largest of its call: a right one counts 1, one off by a hundredth of
// the largest a half, one off by all of it a two-hundredth, and no number nothing.
TEST(IdentifiedFit, counts_how_near_entries_are) {
  const Candidate candidate{"sinusoidal", Case::parse("dim=2")};
  const Encoding truth = encoding_named("sinusoidal").oracle(candidate.parameters);
  // An entry and its difference are rounded by 2^-53 of at most twice the largest each, which counts 50
  // times; so is the sum of the entries by each of them.
  const auto expect_near = [&](double of_the_largest, double each) {
    const Encoding off = answered_by(truth, [=](const Call& call) {
      Tensor out = answer(truth, call);
      double largest = 0;
      for (const double entry : out.data) largest = std::max(largest, std::abs(entry));
      for (double& entry : out.data) entry += of_the_largest * largest;
      return out;
    });
    const Unidentified asked({"made", "", off, all_f64}, candidate);
    const Answers answers;
    record(answers, asked.subject());
    const Fit found = fit(candidate, asked, answers, FitUntil::all).value_or(Fit{});
    EXPECT_GT(found.entries, 100);
    const bool exact = each == 0 || each == 1;
    EXPECT_NEAR(found.near / found.entries, each, exact ? 0 : (200 + found.entries) * 0x1p-53)
        << of_the_largest;
  };
  expect_near(0, 1);
  expect_near(0.005, 0.75);
  expect_near(0.01, 0.5);
  expect_near(0.1, 0.05);
  expect_near(-3, 0.01 / 6);
  expect_near(std::nan(""), 0);
}

// Every query of a file, where a constant on a row does not matter: not the calls that were drawn.
TEST(IdentifiedFit, of_a_file_of_shifted_rows_counts_every_query) {
  const Candidate candidate{"alibi", Case::parse("heads=1 rows=any")};
  Tensor rows({1, 60, 60});
  for (std::size_t r = 0; r < 60; ++r)
    for (std::size_t c = 0; c < 60; ++c) rows.at(r, c) = 0x1p-8 * (static_cast<double>(c) - 59);
  const testing::Written file("identified_fit_shifted.npy", rows, true);
  const Unidentified asked(file.subject(), {});
  const Fit found = fit(candidate, asked, Answers{}, FitUntil::all).value_or(Fit{});
  EXPECT_TRUE(found.holds());
  EXPECT_EQ(found.of, 60u);
  EXPECT_EQ(found.passes_over, 2)
      << "more than what passes over later keys alone, and than what passes over none";
  for (const auto& [words, less] : {std::pair{"heads=1", 1}, {"heads=1 form=symmetric", 0}})
    EXPECT_EQ(fit({"alibi", Case::parse(words)}, asked, Answers{}, FitUntil::all).value_or(Fit{}).passes_over,
              less)
        << words;
}

// A table of 8 rows has no ninth.
TEST(IdentifiedFit, of_a_file_with_a_row_past_the_end_there_is_none) {
  const Candidate candidate{"learned", Case::parse("dim=4 length=8")};
  const std::vector<Position> at = {0, 1, 2, 3, 4, 5, 6, 7};
  Tensor rows = as<Table>(encoding_named("learned").make(candidate.parameters)).rows(at, 8);
  const auto found = [&] {
    const testing::Written file("identified_fit_end.npy", rows, true);
    return fit(candidate, Unidentified(file.subject(), {}), Answers{}, FitUntil::all);
  };
  ASSERT_TRUE(found());
  EXPECT_TRUE(found()->holds());
  rows.data.resize(36, 0);
  rows.shape = {9, 4};
  EXPECT_FALSE(found());
}

// Sizes grow without end: past the positions of the convention no format holds them.
TEST(IdentifiedFit, of_a_program_passes_over_what_no_format_holds) {
  const Candidate candidate{"xpos", Case::parse("dim=4")};
  const auto truth = encoding_named("xpos").oracle<Rotary>(candidate.parameters);
  Rotary longer = truth;
  longer.positions.hi = Position{1} << 20;
  bool is_asked = false;
  longer.rotate = [&, last = truth.positions.hi](const Tensor& x, const Positions& at, Role role) {
    if (at.empty() || *std::ranges::max_element(at) <= last) return truth.rotate(x, at, role);
    is_asked = true;
    return Tensor(x.shape);
  };
  const Unidentified asked({"made", "", longer, all_f32}, candidate);
  const Answers answers;
  record(answers, asked.subject());
  EXPECT_TRUE(is_asked);
  EXPECT_TRUE(fit(candidate, asked, answers, FitUntil::all).value_or(Fit{}).holds());
}

TEST(IdentifiedFit, of_a_program_is_nearly_the_same_by_its_reference) {
  for (const double bounds : {0.9, 1000.0}) {
    const Fit exact = of_a_program(bounds, FitUntil::all),
              nearly = of_a_program(bounds, FitUntil::all_nearly);
    EXPECT_GT(exact.of, 10u);
    EXPECT_EQ(exact.wrong > 0, bounds > 1);
    EXPECT_EQ(nearly.of, exact.of);
    EXPECT_EQ(nearly.wrong, exact.wrong);
    EXPECT_EQ(nearly.near, exact.near);
    EXPECT_EQ(nearly.entries, exact.entries);
  }
}

}  // namespace
}  // namespace posproof::identified_fit_test
