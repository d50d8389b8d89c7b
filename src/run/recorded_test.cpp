#include "run/recorded.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <thread>

#include "attention/reference_attention.h"
#include "core/failure.h"
#include "core/testing/axial.h"
#include "run/agreement.h"
#include "run/catalogued.h"
#include "run/claimed.h"
#include "run/every_distance.h"
#include "run/narrowed.h"
#include "search/budget_clock.h"
#include "search/trial.h"

namespace posproof::recorded_test {
namespace {

Encoding truth_of(std::string_view encoding, std::string_view parameters) {
  const EncodingSpec& spec = encoding_named(encoding);
  return spec.oracle(with(spec, Case::parse(parameters)));
}

const Table& sinusoidal() {
  static const auto truth = as<Table>(truth_of("sinusoidal", "dim=64"));
  return truth;
}
const Rotary& rope() {
  static const auto truth = as<Rotary>(truth_of("rope", "dim=64 heads=2"));
  return truth;
}

// A recorded position of another ladder: all are asked for.
constexpr Position recorded_one = 977267;

Plan one_case() {
  return {.id = "recorded", .budget = {.cases = 1}};
}

TEST(Recorded, positions_are_those_of_all_files_within_the_domain) {
  std::size_t within = 0;
  const Domain domain(5000, 1 << 20);
  const auto at = recorded_positions(domain);
  EXPECT_TRUE(std::is_sorted(at.begin(), at.end()));
  EXPECT_EQ(std::adjacent_find(at.begin(), at.end()), at.end());
  for (const oracle::HardCases& ladder : recorded_ladders())
    for (const oracle::HardCase& one : ladder.cases) {
      const bool found = std::binary_search(at.begin(), at.end(), one.t);
      EXPECT_EQ(found, one.t >= domain.lo && one.t <= domain.hi) << one.t;
      within += found ? 1 : 0;
    }
  EXPECT_GE(within, at.size());
  EXPECT_GT(at.size(), 100u);
  EXPECT_TRUE(std::binary_search(at.begin(), at.end(), recorded_one));
  EXPECT_TRUE(recorded_positions(Domain(0, 100)).empty());
}

// Of wide rows they are asked for in several calls: what is wrong in the last of them alone is found.
TEST(Recorded, positions_of_wide_rows_are_asked_for_in_several_calls) {
  Table truth{.dim = std::size_t{1} << 14};
  truth.positions = Domain(0, 1 << 20);
  const Position last = recorded_positions(truth.positions).back();
  const auto ones = [dim = truth.dim](Positions at, Position) {
    return Tensor({at.size(), dim}, std::vector<double>(at.size() * dim, 1));
  };
  truth.rows = ones;
  Table wrong = truth;
  wrong.rows = [ones, last](Positions at, Position length) {
    Tensor rows = ones(at, length);
    for (std::size_t r = 0; r < at.size(); ++r)
      if (at[r] == last) rows.row(r).back() = 2;
    return rows;
  };
  const auto verdict = agreement_where_recorded(truth, wrong, all_f32, {});
  ASSERT_TRUE(verdict && std::holds_alternative<Refuted>(*verdict));
  EXPECT_EQ(std::get<Refuted>(*verdict).counterexample.integer("t"), last);
}

// A ladder's hard cases lie past what is searched, too.
TEST(Recorded, positions_past_the_searched_ones_are_among_them) {
  std::vector<Position> all;
  for (const oracle::HardCases& ladder : recorded_ladders())
    for (const oracle::HardCase& one : ladder.cases) all.push_back(one.t);
  std::ranges::sort(all);
  all.erase(std::unique(all.begin(), all.end()), all.end());
  EXPECT_EQ(recorded_positions(Domain(0, Position{1} << 40)), all);
  EXPECT_GT(all.back(), Position{1} << 20);
  EXPECT_EQ(recorded_positions(Domain(all[3], all[5])), (std::vector<Position>{all[3], all[4], all[5]}));
}

TEST(Recorded, a_table_that_is_wrong_past_the_searched_positions_is_refuted_there) {
  const Position far = recorded_positions(Domain((1 << 20) + 1, Position{1} << 40)).back();
  Table truth = sinusoidal();
  truth.positions = Domain(0, Position{1} << 40);
  Table wrong = truth;
  wrong.rows = [far](Positions at, Position length) {
    Tensor rows = sinusoidal().rows(at, length);
    for (std::size_t r = 0; r < at.size(); ++r)
      if (at[r] == far) rows.at(r, 0) += 1e-3;
    return rows;
  };
  const auto verdict = agreement_where_recorded(truth, wrong, all_f64, {});
  ASSERT_TRUE(verdict && std::holds_alternative<Refuted>(*verdict));
  EXPECT_EQ(std::get<Refuted>(*verdict).counterexample.integer("t"), far);
}

TEST(Recorded, says_where_its_time_was_over) {
  Budget none;
  none.time = std::chrono::milliseconds(0);
  const auto verdict = agreement_where_recorded(sinusoidal(), sinusoidal(), all_f64, none);
  ASSERT_TRUE(verdict && std::holds_alternative<Undecided>(*verdict));
  EXPECT_EQ(std::get<Undecided>(*verdict).why, "stopped by `--time` (0 s) after 0 recorded positions");
}

// Of what takes one position a call, and 10 ms for it.
TEST(Recorded, ends_when_its_time_is_over) {
  Table slow = sinusoidal();
  slow.rows = [](const Positions& at, Position length) {
    if (at.size() > 1) throw Refusal("one at a time");
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
    return sinusoidal().rows(at, length);
  };
  Budget little;
  little.time = std::chrono::milliseconds(50);
  const auto start = BudgetClock::now();
  const auto verdict = agreement_where_recorded(sinusoidal(), slow, all_f64, little);
  EXPECT_LT(BudgetClock::now() - start, 8 * little.time);
  ASSERT_TRUE(verdict && std::holds_alternative<Undecided>(*verdict));
  EXPECT_TRUE(std::get<Undecided>(*verdict).why.starts_with("stopped by `--time` (0.05 s) after "));
}

// The longest calls (run/long_cases.h), which are asked for between those that are recorded and the search.
constexpr std::size_t long_calls = 2;
constexpr std::size_t most_tokens =
    12;  // of a table: between full tiles and of some, as wide, in each arrangement, the most
constexpr std::size_t wide_calls = 8;  // of many queries, of many keys, of both, and behind others

// What was refuted after the recorded positions says after how many cases.
TEST(Recorded, cases_count_before_those_that_are_searched) {
  Table wrong = sinusoidal();
  wrong.rows = [](Positions at, Position length) {
    Tensor rows = sinusoidal().rows(at, length);
    if (at.size() == 1 && at[0] < 1000) rows.at(0, 0) += 1e-3;
    return rows;
  };
  wrong.positions = Domain(0, 5000);
  const std::size_t recorded = recorded_positions(wrong.positions).size();
  const Verdict alone = search(*trial(agreement(sinusoidal()), wrong, all_f64), {.id = "recorded"});
  const Verdict both = agreement_searched(sinusoidal(), wrong, all_f64, {.id = "recorded"});
  ASSERT_TRUE(std::holds_alternative<Refuted>(alone) && std::holds_alternative<Refuted>(both));
  EXPECT_EQ(std::get<Refuted>(both).found_after,
            std::get<Refuted>(alone).found_after + recorded + long_calls + most_tokens);
}

TEST(Recorded, what_is_wrong_everywhere_is_refuted_at_the_first_of_them) {
  Table wrong = sinusoidal();
  wrong.rows = [](Positions at, Position length) {
    Tensor rows = sinusoidal().rows(at, length);
    for (double& value : rows.data) value += 1e-3;
    return rows;
  };
  const Verdict verdict =
      agreement_searched(sinusoidal(), wrong, all_f64, {.id = "recorded", .budget = {.shrinks = 0}});
  ASSERT_TRUE(std::holds_alternative<Refuted>(verdict));
  EXPECT_EQ(std::get<Refuted>(verdict).found_after, 1u);
  EXPECT_EQ(std::get<Refuted>(verdict).counterexample.integer("t"),
            recorded_positions(sinusoidal().positions).front());
}

// Recorded ones that its time cut short make no pass of a search that holds, and hide no failure that it
// finds.
TEST(Recorded, cut_short_before_a_search_that_ended) {
  const auto wide = as<Table>(truth_of("sinusoidal", "dim=8192"));
  const auto verdict = [&](double off) {
    Table subject = wide;
    subject.rows = [&wide, off](Positions at, Position length) {
      std::this_thread::sleep_for(std::chrono::milliseconds(at.size() > 64 ? 50 : 0));
      Tensor rows({at.size(), 8192});
      if (at.size() <= 64) rows = wide.rows(at, length);
      if (at.size() <= 64)
        for (double& value : rows.data) value += off;
      return rows;
    };
    return agreement_searched(
        wide, subject, Precision{1, 1},
        {.id = "recorded", .budget = {.cases = 1, .time = std::chrono::milliseconds(20)}});
  };
  EXPECT_EQ(name(verdict(0)), "undecided");
  EXPECT_EQ(name(verdict(1e9)), "refuted");
}

TEST(Recorded, held_before_a_search_that_was_cut_short_is_undecided) {
  Table slow = sinusoidal();
  slow.rows = [](Positions at, Position length) {
    if (at.size() < 32) std::this_thread::sleep_for(std::chrono::milliseconds(5));
    return sinusoidal().rows(at, length);
  };
  const Plan plan{.id = "recorded", .budget = {.cases = 1000000, .time = std::chrono::milliseconds(300)}};
  EXPECT_EQ(name(agreement_searched(sinusoidal(), slow, all_f64, plan)), "undecided");
}

// A bucketed bias is asked for every distance between the recorded positions and the search.
TEST(Recorded, distances_of_buckets_are_asked_too) {
  const Encoding truth = truth_of("t5_bias", "heads=1");
  const auto& bias = as<Bias>(truth);
  const auto recorded = agreement_where_recorded(truth, truth, all_f64, {}),
             distances = agreement_at_every_distance(truth, truth, all_f64, {});
  ASSERT_TRUE(recorded && distances);
  EXPECT_EQ(
      std::get<Holds>(agreement_searched(truth, truth, all_f64, one_case())).cases,
      std::get<Holds>(*recorded).cases + std::get<Holds>(*distances).cases + long_calls + wide_calls + 1);
  Bias wrong = bias;
  wrong.bias = [right = bias.bias](Positions i, Positions j) {
    Tensor out = right(i, j);
    for (std::size_t r = 0; r < i.size(); ++r)
      for (std::size_t c = 0; c < j.size(); ++c)
        if (j[c] - i[r] == -201) out.at(r, c) += 1;
    return out;
  };
  const Verdict verdict = agreement_searched(truth, wrong, all_f64, one_case());
  ASSERT_TRUE(std::holds_alternative<Refuted>(verdict));
  EXPECT_GT(std::get<Refuted>(verdict).found_after, std::get<Holds>(*recorded).cases);
}

TEST(Recorded, positions_are_of_one_number) {
  EXPECT_FALSE(agreement_where_recorded(testing_encodings::axial(), testing_encodings::axial(), all_f64, {})
                   .has_value());
}

// A subject that gives logits is compared with the truth in that kind, the whole operator with none.
TEST(Recorded, positions_are_asked_of_logits_and_of_no_whole_operator) {
  const auto kinds = attention::in_every_kind(rope());
  const auto logits = agreement_where_recorded(rope(), kinds.at(1), all_f64, {});
  ASSERT_TRUE(logits && std::holds_alternative<Holds>(*logits));
  EXPECT_EQ(std::get<Holds>(*logits).cases, recorded_positions(rope().positions).size());
  EXPECT_FALSE(agreement_where_recorded(rope(), kinds.at(2), all_f64, {}).has_value());
}

// A counterexample of ours has the setting in which it was found.
TEST(Recorded, our_own_encodings_are_refuted_in_a_setting) {
  EncodingSpec spec = encoding_named("rope");
  spec.reference = [](const Arguments& p) -> Encoding {
    Encoding encoding = encoding_named("rope").make(p.parameters());
    auto& rotary = as<Rotary>(encoding);
    rotary.rotate = [right = rotary.rotate, other = p.real("base") == 500000](const Tensor& x, Positions at,
                                                                              Role role) {
      Tensor out = right(x, at, role);
      if (other)
        for (double& value : out.data) value *= 1 + 1e-6;
      return out;
    };
    return encoding;
  };
  const Verdict verdict = agreement_searched(spec, one_case());
  const auto* refuted = std::get_if<Refuted>(&verdict);
  ASSERT_NE(refuted, nullptr) << name(verdict);
  EXPECT_EQ(refuted->counterexample.real("base"), 500000);
}

TEST(Recorded, a_table_that_is_wrong_at_one_recorded_position_is_refuted_there) {
  Table wrong = sinusoidal();
  wrong.rows = [](Positions at, Position length) {
    Tensor rows = sinusoidal().rows(at, length);
    for (std::size_t r = 0; r < at.size(); ++r)
      if (at[r] == recorded_one) rows.at(r, 17) += 1e-6;
    return rows;
  };
  const Verdict searched = search(*trial(agreement(sinusoidal()), wrong, all_f64), one_case());
  ASSERT_TRUE(std::holds_alternative<Holds>(searched)) << "the search alone does not see it";
  const Verdict verdict = agreement_searched(sinusoidal(), wrong, all_f64, one_case());
  const auto* refuted = std::get_if<Refuted>(&verdict);
  ASSERT_NE(refuted, nullptr) << name(verdict);
  EXPECT_EQ(refuted->counterexample.integer("t"), recorded_one);
  EXPECT_TRUE(refuted->repeats);
  const Verdict again = replay(*trial(agreement(sinusoidal()), wrong, all_f64), refuted->counterexample);
  EXPECT_TRUE(std::holds_alternative<Refuted>(again));
}

TEST(Recorded, a_rotary_that_is_wrong_at_one_recorded_position_is_refuted_there) {
  Rotary wrong = rope();
  wrong.rotate = [](const Tensor& x, Positions at, Role role) {
    Tensor rotated = rope().rotate(x, at, role);
    for (std::size_t token = 0; token < at.size(); ++token)
      if (at[token] == recorded_one) rotated.at(rotated.rows() - at.size() + token, 3) += 1e-6;
    return rotated;
  };
  const Verdict searched = search(*trial(agreement(rope()), wrong, all_f64), one_case());
  ASSERT_TRUE(std::holds_alternative<Holds>(searched)) << "the search alone does not see it";
  const Verdict verdict = agreement_searched(rope(), wrong, all_f64, one_case());
  const auto* refuted = std::get_if<Refuted>(&verdict);
  ASSERT_NE(refuted, nullptr) << name(verdict);
  EXPECT_EQ(refuted->counterexample.integer("t"), recorded_one);
}

TEST(Recorded, positions_are_asked_for_in_one_call_and_count_as_cases) {
  std::size_t calls = 0;
  Table table = sinusoidal();
  table.rows = [&](Positions at, Position length) {
    ++calls;
    return sinusoidal().rows(at, length);
  };
  const auto verdict = agreement_where_recorded(sinusoidal(), table, all_f64, {});
  EXPECT_EQ(calls, 1u);
  const auto* holds = verdict ? std::get_if<Holds>(&*verdict) : nullptr;
  ASSERT_NE(holds, nullptr);
  EXPECT_EQ(holds->cases, recorded_positions(sinusoidal().positions).size());
  EXPECT_EQ(holds->vacuous, 0u);
  const Verdict both = agreement_searched(sinusoidal(), table, all_f64, one_case());
  EXPECT_EQ(std::get<Holds>(both).cases, holds->cases + long_calls + most_tokens + 1);

  Rotary rotary = rope();
  calls = 0;
  rotary.rotate = [&](const Tensor& x, Positions at, Role role) {
    ++calls;
    return rope().rotate(x, at, role);
  };
  const auto rotated = agreement_where_recorded(rope(), rotary, all_f64, {});
  EXPECT_EQ(calls, 2u);  // queries and keys
  ASSERT_TRUE(rotated && std::holds_alternative<Holds>(*rotated));
  EXPECT_EQ(std::get<Holds>(*rotated).cases, recorded_positions(rope().positions).size());
}

TEST(Recorded, a_subject_that_declines_far_positions_is_asked_for_the_others) {
  std::size_t calls = 0;
  Table table = sinusoidal();
  constexpr Position end = 100000;
  table.rows = [&](Positions at, Position length) {
    ++calls;
    for (const Position t : at)
      if (t >= end) throw Refusal("too far");
    return sinusoidal().rows(at, length);
  };
  const auto verdict = agreement_where_recorded(sinusoidal(), table, all_f64, {});
  ASSERT_TRUE(verdict && std::holds_alternative<Holds>(*verdict));
  EXPECT_EQ(std::get<Holds>(*verdict).cases, recorded_positions(Domain(0, end - 1)).size());
  EXPECT_LE(calls, 20u);

  calls = 0;
  Rotary rotary = rope();
  rotary.rotate = [&](const Tensor& x, Positions at, Role role) {
    ++calls;
    for (const Position t : at)
      if (t >= end) throw Refusal("too far");
    return rope().rotate(x, at, role);
  };
  const auto rotated = agreement_where_recorded(rope(), rotary, all_f64, {});
  ASSERT_TRUE(rotated && std::holds_alternative<Holds>(*rotated));
  EXPECT_EQ(std::get<Holds>(*rotated).cases, recorded_positions(Domain(0, end - 1)).size());
  EXPECT_LE(calls, 40u);
}

TEST(Recorded, a_declared_domain_is_kept_to) {
  Table table = sinusoidal();
  table.positions = Domain(0, 4095);
  table.positions.ends = true;
  table.rows = [&](Positions at, Position length) {
    for (const Position t : at) EXPECT_LE(t, 4095);
    return sinusoidal().rows(at, length);
  };
  EXPECT_TRUE(std::holds_alternative<Holds>(agreement_searched(sinusoidal(), table, all_f64, one_case())));
}

TEST(Recorded, a_call_that_ends_in_an_error_is_blamed_on_its_position) {
  Table table = sinusoidal();
  table.rows = [](Positions at, Position length) {
    for (const Position t : at)
      if (t == recorded_one) throw std::runtime_error("divided by zero");
    return sinusoidal().rows(at, length);
  };
  const Verdict verdict = agreement_searched(sinusoidal(), table, all_f64, one_case());
  const auto* errored = std::get_if<Errored>(&verdict);
  ASSERT_NE(errored, nullptr) << name(verdict);
  EXPECT_EQ(errored->at.integer("t"), recorded_one);
  EXPECT_EQ(errored->what, "divided by zero");
}

// A searched case that could not have come out the other way takes nothing from recorded ones that could
// have; a search that was cut short does.
TEST(Recorded, conclusive_cases_count_where_the_searched_ones_are_vacuous) {
  // All that is searched is an empty call.
  Table table = sinusoidal();
  const Plan empty{.id = "recorded", .budget = {.cases = 1}, .first = 7 + 8 * 9};
  ASSERT_TRUE(
      std::holds_alternative<Undecided>(search(*trial(agreement(sinusoidal()), table, all_f64), empty)));
  const Verdict verdict = agreement_searched(sinusoidal(), table, all_f64, empty);
  const auto* holds = std::get_if<Holds>(&verdict);
  ASSERT_NE(holds, nullptr) << name(verdict);
  EXPECT_EQ(holds->vacuous, 1u);
  EXPECT_EQ(holds->cases, recorded_positions(sinusoidal().positions).size() + long_calls + most_tokens + 1);

  Plan cut_short = empty;
  cut_short.budget.cases = 0;
  const Verdict nothing = agreement_searched(sinusoidal(), table, all_f64, cut_short);
  EXPECT_TRUE(std::holds_alternative<Undecided>(nothing)) << name(nothing);
}

TEST(Recorded, another_shape_refutes_and_says_so) {
  Table table = sinusoidal();
  table.rows = [](std::span<const Position> at, Position length) {
    return sinusoidal().rows(at.first(1), length);
  };
  const Verdict verdict = agreement_searched(sinusoidal(), table, all_f64, one_case());
  const auto* refuted = std::get_if<Refuted>(&verdict);
  ASSERT_NE(refuted, nullptr) << name(verdict);
  EXPECT_NE(refuted->instead.find(", 64] and answers [1, 64] (in a call of "), std::string::npos)
      << refuted->instead;
}

// Ours are replayed with the parameters of every recorded ladder that they have, to 2^40.
TEST(Recorded, our_own_encodings_are_replayed_on_every_ladder_that_they_have) {
  std::size_t all = 0;
  for (const oracle::HardCases& ladder : recorded_ladders()) all += ladder.cases.empty() ? 0 : 1;
  const std::size_t far = recorded_positions(Domain(0, Position{1} << 40)).size();
  const std::size_t near = recorded_positions(rope().positions).size();
  const std::size_t with_divisor = static_cast<std::size_t>(std::ranges::count_if(
      recorded_ladders(), [](const auto& one) { return one.parameters.has("divisor"); }));
  const Verdict verdict = agreement_searched(encoding_named("rope"), one_case());
  ASSERT_TRUE(std::holds_alternative<Holds>(verdict)) << name(verdict);
  EXPECT_EQ(std::get<Holds>(verdict).cases, 1 + near + (all - with_divisor) * far);
}

TEST(Recorded, a_bias_is_asked_for_them_as_queries) {
  const Encoding truth = truth_of("alibi", "heads=4");
  Bias wrong = as<Bias>(truth);
  EXPECT_TRUE(std::holds_alternative<Holds>(agreement_searched(truth, wrong, all_f64, one_case())));
  wrong.bias = [right = wrong.bias](Positions i, Positions j) {
    Tensor out = right(i, j);
    for (std::size_t r = 0; r < i.size(); ++r)
      if (i[r] == recorded_one) out.at(2 * i.size() + r, 0) += 1;
    return out;
  };
  const Verdict verdict = agreement_searched(truth, wrong, all_f64, one_case());
  const auto* refuted = std::get_if<Refuted>(&verdict);
  ASSERT_NE(refuted, nullptr) << name(verdict);
  EXPECT_EQ(refuted->counterexample.integer("i"), recorded_one);
}

// What is searched ends where they do, and so does what is recorded.
TEST(Recorded, our_own_encodings_that_end_are_asked_for_nothing_past_their_end) {
  static const auto ended = [](Encoding encoding) {
    Domain domain(0, 4095);
    domain.ends = true;
    return with_positions(std::move(encoding), domain);
  };
  EncodingSpec spec = encoding_named("rope");
  spec.exact = [](const Arguments& p) { return ended(encoding_named("rope").oracle(p.parameters())); };
  spec.reference = [](const Arguments& p) {
    auto rotary = as<Rotary>(encoding_named("rope").make(p.parameters()));
    rotary.rotate = [right = rotary.rotate](const Tensor& x, Positions at, Role role) {
      for (std::size_t n = 0; n < at.size(); ++n) EXPECT_LE(at[n], 4095);
      return right(x, at, role);
    };
    return ended(rotary);
  };
  EXPECT_TRUE(std::holds_alternative<Holds>(agreement_searched(spec, one_case())));
}

// The whole operator has no positions of its own and no distances: its long calls alone say what a search
// that has nothing to show does not.
TEST(Recorded, long_calls_of_an_operator_count_where_the_searched_ones_are_vacuous) {
  const Encoding whole = attention::in_every_kind(truth_of("rope", "dim=4")).back();
  const Trial one = *trial(agreement(whole), whole, all_f64);
  Plan plan = one_case();
  while (plan.first < 1000 && std::holds_alternative<Holds>(search(one, plan))) ++plan.first;
  ASSERT_TRUE(std::holds_alternative<Undecided>(search(one, plan)));
  EXPECT_EQ(name(agreement_searched(whole, whole, all_f64, plan)), "holds");
}

// The largest error of ours is that of the case that is named, in its setting.
TEST(Recorded, our_own_worst_case_is_of_a_setting) {
  const EncodingSpec& spec = encoding_named("rope");
  const Verdict verdict = agreement_searched(spec, one_case());
  const auto* holds = std::get_if<Holds>(&verdict);
  ASSERT_NE(holds, nullptr) << name(verdict);
  const auto [given, inputs] = split(spec, holds->worst_at);
  const auto t = static_cast<Position>(inputs.real("t"));
  const Encoding truth = widened(spec.oracle(with(spec, given)), t, t),
                 subject = widened(spec.make(with(spec, given)), t, t);
  const Verdict again = replay(*trial(agreement(truth), subject, all_f64), inputs);
  ASSERT_TRUE(std::holds_alternative<Holds>(again)) << name(again);
  EXPECT_EQ(std::get<Holds>(again).worst.error, holds->worst.error) << holds->worst_at.text();
}

}  // namespace
}  // namespace posproof::recorded_test
