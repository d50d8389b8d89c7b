// A walk over positions: each is asked for once or is counted as declined, whichever of them are, and how it
// ended is said.
#include "run/batch_sweep.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <new>
#include <set>
#include <stdexcept>

#include "core/failure.h"
#include "core/function.h"
#include "search/budget_clock.h"

namespace posproof::batch_sweep_test {
namespace {

struct Walked {
  SweepResult result;
  std::vector<Position> done;
  std::size_t calls = 0;  // that were made
};

Walked walked(Position first, Position last, Position batch, const Function<bool(Position)>& declines,
              const Function<void(Position first, std::size_t rows)>& before = {}) {
  Walked out;
  BatchSweep sweep{.batch = batch};
  sweep.rows = [&](Position from, std::size_t rows) {
    ++out.calls;
    if (before) before(from, rows);
    for (Position t = from; t < from + static_cast<Position>(rows); ++t)
      if (declines(t)) throw Refusal("no");
  };
  sweep.again = [](Position t) {
    Case at;
    at.set("t", static_cast<double>(t));
    return at;
  };
  out.result = sweep.along(first, last, [&](Position from, std::size_t rows) {
    for (std::size_t n = 0; n < rows; ++n) out.done.push_back(from + static_cast<Position>(n));
  });
  return out;
}

std::vector<Position> from_to(Position first, Position last, const std::set<Position>& without = {}) {
  std::vector<Position> out;
  for (Position t = first; t <= last; ++t)
    if (!without.contains(t)) out.push_back(t);
  return out;
}

// Within a batch that is asked at its ends first they come before the rest.
std::vector<Position> sorted(std::vector<Position> positions) {
  std::ranges::sort(positions);
  return positions;
}

TEST(BatchSweep, asks_for_every_position_once_in_order_from_multiples_of_the_batch) {
  std::vector<std::pair<Position, std::size_t>> calls;
  const Walked all = walked(
      -5, 20, 8, [](Position) { return false; },
      [&](Position from, std::size_t rows) { calls.emplace_back(from, rows); });
  EXPECT_EQ(all.done, from_to(-5, 20));
  EXPECT_EQ(calls, (std::vector<std::pair<Position, std::size_t>>{{-5, 5}, {0, 8}, {8, 8}, {16, 5}}));
  EXPECT_EQ(all.result.declined, 0u);
  EXPECT_EQ(all.result.stopped, "");
}

// Each subset of the positions of two batches and a half may be declined.
TEST(BatchSweep, what_is_answered_between_declined_ones_is_found_in_a_batch_that_is_not_declined_whole) {
  for (unsigned subset = 0; subset < (1u << 10); ++subset) {
    std::set<Position> declined;
    for (Position t = 0; t < 10; ++t)
      if ((subset >> t & 1) != 0) declined.insert(t);
    const Walked one = walked(0, 9, 4, [&](Position t) { return declined.contains(t); });
    // After a batch that was declined whole, one whose two ends are declined is taken to be declined whole.
    std::set<Position> missed = declined;
    if ((subset & 0xf) == 0xf && declined.contains(4) && declined.contains(7)) missed.insert({5, 6});
    const bool second_whole =
        missed.contains(4) && missed.contains(5) && missed.contains(6) && missed.contains(7);
    if (second_whole && declined.contains(8) && declined.contains(9)) missed.insert({8, 9});
    EXPECT_EQ(sorted(one.done), from_to(0, 9, missed)) << subset;
    EXPECT_EQ(one.result.declined, missed.size()) << subset;
    if (!missed.empty()) {
      EXPECT_EQ(one.result.first_declined, *missed.begin()) << subset;
    }
  }
}

// Whichever of eight are declined: a half of a batch is no end, and is asked whole.
TEST(BatchSweep, what_is_answered_in_a_half_whose_ends_are_declined_is_found) {
  for (unsigned subset = 0; subset < (1u << 8); ++subset) {
    std::set<Position> declined;
    for (Position t = 0; t < 8; ++t)
      if ((subset >> t & 1) != 0) declined.insert(t);
    const Walked one = walked(0, 7, 8, [&](Position t) { return declined.contains(t); });
    EXPECT_EQ(one.done, from_to(0, 7, declined)) << subset;
    EXPECT_EQ(one.result.declined, declined.size()) << subset;
  }
}

// One end that is declined says nothing of what is between.
TEST(BatchSweep, one_declined_end_does_not_decline_what_is_between) {
  for (const Position answered : {8, 15, 11})
    EXPECT_EQ(sorted(walked(0, 15, 8,
                            [&](Position t) { return t < 8 || (answered == 11 ? t == 8 : t != answered); })
                         .done),
              answered == 11 ? from_to(9, 15) : from_to(answered, answered))
        << answered;
}

TEST(BatchSweep, a_subject_that_ends_is_asked_little_past_its_end) {
  const Walked ended = walked(0, 1024 * 64 - 1, 1024, [](Position t) { return t >= 1000; });
  EXPECT_EQ(ended.done, from_to(0, 999));
  EXPECT_EQ(ended.result.declined, 1024u * 64u - 1000u);
  EXPECT_EQ(ended.result.first_declined, 1000);
  EXPECT_LT(ended.calls, 2 * 1024u + 100u + 3 * 63u);
}

TEST(BatchSweep, a_failure_refutes_and_another_error_ends_it_where_it_was) {
  const auto throwing = [](const auto& error) {
    return walked(
        0, 99, 10, [](Position) { return false; },
        [&](Position from, std::size_t) {
          if (from == 30) throw error;
        });
  };
  const Walked failed = throwing(Failure(Failure::How::raised, "no", "rows: no"));
  ASSERT_TRUE(failed.result.failed.has_value());
  EXPECT_FALSE(failed.result.errored.has_value());
  EXPECT_EQ(failed.result.failed->counterexample.text(), "t=30");
  EXPECT_EQ(failed.result.failed->instead, "rows: no");
  EXPECT_EQ(failed.done, from_to(0, 29));
  const Walked errored = throwing(std::runtime_error("it broke"));
  ASSERT_TRUE(errored.result.errored.has_value());
  EXPECT_FALSE(errored.result.failed.has_value());
  EXPECT_EQ(errored.result.errored->what, "it broke");
  EXPECT_EQ(errored.result.errored->at.text(), "t=30");
  EXPECT_EQ(errored.done, from_to(0, 29));
  EXPECT_THROW(throwing(std::bad_alloc()), std::bad_alloc);
}

// Found where a batch was divided, it ends the walk as well.
TEST(BatchSweep, an_error_in_a_half_ends_it) {
  const Walked one = walked(
      0, 29, 10, [](Position t) { return t == 12; },
      [](Position from, std::size_t rows) {
        if (rows < 10 && from == 13) throw std::runtime_error("it broke");
      });
  ASSERT_TRUE(one.result.errored.has_value());
  EXPECT_EQ(one.result.errored->at.text(), "t=13");
  EXPECT_EQ(one.done, from_to(0, 11));
}

TEST(BatchSweep, its_time_and_its_progress_are_told) {
  BatchSweep sweep{.batch = 10};
  sweep.rows = [](Position, std::size_t) {};
  std::vector<std::pair<Position, Position>> told;
  sweep.progress = [&](Position done, Position of) { told.emplace_back(done, of); };
  sweep.along(5, 29, [](Position, std::size_t) {});
  EXPECT_EQ(told, (std::vector<std::pair<Position, Position>>{{5, 25}, {15, 25}, {25, 25}}));
  sweep.deadline = BudgetClock::now();
  std::size_t done = 0;
  const SweepResult late = sweep.along(5, 29, [&](Position, std::size_t rows) { done += rows; });
  EXPECT_EQ(late.stopped, "out of time: positions 5 to 29 were not compared");
  EXPECT_EQ(done, 0u);
  sweep.deadline = BudgetClock::now() + std::chrono::hours(1);
  EXPECT_EQ(sweep.along(5, 29, [](Position, std::size_t) {}).stopped, "");
}

}  // namespace
}  // namespace posproof::batch_sweep_test
