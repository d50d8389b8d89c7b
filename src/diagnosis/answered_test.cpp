#include "diagnosis/answered.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <set>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "core/call.h"
#include "core/function.h"
#include "diagnosis/near_draw.h"
#include "run/agreement.h"
#include "run/catalogued.h"
#include "run/long_cases.h"
#include "search/case_result.h"
#include "search/generate.h"
#include "search/trial.h"

namespace posproof::answered_test {
namespace {

// Answers of a rotation that is wrong at these positions, after a counterexample at position 700001.
std::vector<Answered> answers(const Function<bool(Position)>& wrong,
                              const std::string& content = "[1,0,0,0]") {
  const EncodingSpec& spec = encoding_named("rope");
  const Encoding truth = spec.oracle(with(spec, Case::parse("dim=4 heads=1")));
  const Encoding subject = answered_by(truth, [=](Call call) {
    for (Position& t : call.positions.whole) t += wrong(t) ? 1 : 0;
    return answer(truth, call);
  });
  return answers_of({"made", "", subject, all_f64}, truth,
                    Case::parse("batch=1 tokens=1 t=700001 role=query x=" + content), 1);
}

std::size_t most_rows(const std::vector<Answered>& all) {
  std::size_t out = 0;
  for (const Answered& one : all) out = std::max(out, one.call.batch);
  return out;
}

// Those of a search and 58 to calls of many tokens or batch rows, 32 to calls of each small number of tokens
// and of tiles where something is wrong, and 300 more.
TEST(Answered, are_more_where_few_are_wrong) {
  const auto often = answers([](Position t) { return t % 2 == 1; }),
             once = answers([](Position t) { return t == 700001; }),
             never = answers([](Position) { return false; });
  EXPECT_LE(often.size(), 190u);
  EXPECT_GT(often.size(), 100u);
  EXPECT_GT(once.size(), often.size() + 200);
  EXPECT_LE(once.size(), 474u);
  EXPECT_EQ(never.size() + 32, often.size());
}

// Positions, as they are, of the rows that are wrong: several at the one that hardly any draw hits, and none
// of them with the content of the counterexample.
TEST(Answered, are_sought_near_a_counterexample_that_is_the_only_one) {
  std::size_t there = 0, again = 0;
  for (const Answered& one : answers([](Position t) { return t == 700001; })) {
    if (std::ranges::find(one.call.positions.whole, 700001) == one.call.positions.whole.end()) continue;
    ++there;
    if (one.call.contents.front().data == std::vector<double>{1, 0, 0, 0}) ++again;
  }
  EXPECT_GE(there, 8u);
  EXPECT_EQ(again, 1u);
}

// Whatever sizes are drawn: what begins at a number of tokens is told from what is so of an even one.
TEST(Answered, are_of_every_small_number_of_tokens) {
  std::set<std::size_t> numbers;
  for (const Answered& one : answers([](Position t) { return t % 2 == 1; }))
    numbers.insert(one.call.positions.whole.size() / one.call.batch);
  for (std::size_t n = 1; n <= 24; ++n) EXPECT_TRUE(numbers.contains(n)) << n;
  for (const std::size_t n : {33, 48, 64, 65, 70, 100, 127, 130}) EXPECT_TRUE(numbers.contains(n)) << n;
}

// What is wrong of fewer queries than keys is asked for as many of both, and for fewer keys, too.
TEST(Answered, are_of_as_many_queries_as_keys_and_of_fewer_of_either) {
  const EncodingSpec& spec = encoding_named("alibi");
  const Encoding truth = spec.oracle(with(spec, Case::parse("heads=1 form=symmetric")));
  const Encoding subject = answered_by(truth, [&](Call call) {
    if (call.positions.whole.size() % 2 == 1)
      for (Position& t : call.positions.whole) t += 1;
    return answer(truth, call);
  });
  std::set<std::pair<std::size_t, std::size_t>> sizes;
  for (const Answered& one :
       answers_of({"made", "", subject, all_f64}, truth, Case::parse("nq=1 nk=1 i=1 j=0"), 1))
    sizes.emplace(one.call.positions.whole.size(), one.call.keys.whole.size());
  for (const std::size_t n : {33, 48, 64, 65, 70, 100, 127, 130})
    for (const auto& size : {std::pair{n, n}, {n / 2, n}, {n, n / 2}})
      EXPECT_TRUE(sizes.contains(size)) << size.first << " queries, " << size.second << " keys";
}

TEST(Answered, of_a_rotation_are_of_many_batch_rows_too) {
  EXPECT_EQ(most_rows(answers([](Position t) { return t % 2 == 1; })), 129u);
}

// A search draws every eighth case in an unusual size, the one whose number is 7 modulo 8.
TEST(Answered, are_forty_of_unusual_sizes) {
  const EncodingSpec& spec = encoding_named("rope");
  const Encoding truth = spec.oracle(with(spec, Case::parse("dim=4 heads=1")));
  const std::vector<Answered> all = answers_of({"made", "", truth, all_f64}, truth, {}, 1);
  const auto one = trial(agreement(truth), truth, all_f64);
  std::size_t unusual = 0;
  for (std::uint64_t n = 87; n < 80 + 8 * 40; n += 8) {
    RandomDraw draw(1, "diagnosis", n);
    (*one)(draw);
    unusual += std::ranges::count(all, draw.drawn(), &Answered::asked) > 0 ? 1U : 0U;
  }
  EXPECT_EQ(unusual, 40u);
}

// One that is often wrong is asked near its counterexample where this has more digits than any that are
// drawn.
TEST(Answered, are_near_a_counterexample_of_many_digits) {
  const auto often = [](Position t) { return t % 2 == 1; };
  EXPECT_EQ(std::ranges::count(answers(often), true, &Answered::near), 0);
  EXPECT_EQ(std::ranges::count(answers(often, "[1.0009765625,0,0,0]"), true, &Answered::near),
            std::int64_t{near_draws});
}

// The keys of a bias are as many in the long calls; the wide ones have more queries.
TEST(Answered, of_a_bias_in_long_calls_are_of_no_other_number_of_keys) {
  const EncodingSpec& spec = encoding_named("alibi");
  const Encoding truth = spec.oracle(with(spec, Case::parse("heads=1")));
  const auto one = trial(agreement(truth), truth, all_f64);
  const Case longest = run_repaired(*one, long_cases(truth, truth, all_f64).back()).drawn.values;
  const std::vector<Answered> all = answers_of({"made", "", truth, all_f64}, truth, longest, 1);
  ASSERT_FALSE(all.empty());
  EXPECT_EQ(all.front().asked.text(), longest.text());
  std::size_t of_keys = 0;
  for (const Case& wide : wide_cases(truth, truth, all_f64))
    if (wide.has("nk")) {
      ++of_keys;
      const Case drawn = run_repaired(*one, wide).drawn.values;
      EXPECT_EQ(std::ranges::count(all, drawn, &Answered::asked), 0) << drawn.text();
    }
  EXPECT_GT(of_keys, 0u);
}

// A candidate that fails, and does not decline, explains nothing.
TEST(Answered, differ_in_every_entry_from_what_fails) {
  const EncodingSpec& spec = encoding_named("sinusoidal");
  const Encoding table = spec.oracle(with(spec, Case::parse("dim=4")));
  const Subject subject{"made", "", table, all_f64};
  const Answered first = answers_of(subject, table, {}, 1).front();
  EXPECT_GE(first.answer.data.size(), 4u);
  const Encoding failing =
      answered_by(table, [](const Call&) -> Tensor { throw std::out_of_range("vector::_M_range_check"); });
  const Unexplained left = compare(failing, subject, {first}, Until::all);
  EXPECT_EQ(left.entries, first.answer.data.size());
  EXPECT_EQ(left.declined, std::vector<bool>{false});
}

// Bias 0, and none (-inf) for keys after the query. A quarter of the largest entry is a quarter of the
// largest number: 0, and what the candidate gives is what came.
TEST(Answered, told_from_others_are_moved_by_numbers_alone) {
  const auto bias = [](double later) -> Encoding {
    Bias out{.heads = 1, .positions = Domain(0, 300)};
    out.bias = [later](const Positions& queries, const Positions& keys) {
      Tensor rows({1, queries.size(), keys.size()});
      for (std::size_t i = 0; i < queries.size(); ++i)
        for (std::size_t j = 0; j < keys.size(); ++j) rows.at(i, j) = keys[j] > queries[i] ? later : 0;
      return rows;
    };
    return out;
  };
  const Encoding truth = bias(0), other = bias(-std::numeric_limits<double>::infinity());
  const Subject subject{"made", "", other, all_f64};
  const std::vector<Answered> all = answers_of(subject, truth, {}, 1);
  const Unexplained wrong = compare(truth, subject, all, Until::all);
  EXPECT_GT(std::ranges::count(wrong.differs, true), 8);
  ASSERT_EQ(compare(other, subject, all, Until::all).entries, 0u);
  EXPECT_EQ(told_from_others(other, truth, subject, all, wrong).told, 0u);
}

}  // namespace
}  // namespace posproof::answered_test
