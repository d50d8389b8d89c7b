// The long run: 10^8 entries against MPFR, several minutes. See CONTRIBUTING.md.
#include <gtest/gtest.h>

#include <atomic>
#include <mutex>
#include <thread>

#include "exact/random_tables.h"

namespace posproof::exact {
namespace {

TEST(ExactTableLong, a_hundred_million_entries_are_those_of_mpfr) {
  constexpr std::uint64_t entries = 100'000'000, a_share = 1'000'000;
  std::atomic<std::uint64_t> next = 0;
  std::mutex adding;
  random_tables::Outcome all;
  std::vector<std::thread> running;
  for (unsigned thread = 0; thread < std::max(1u, std::thread::hardware_concurrency()); ++thread)
    running.emplace_back([&] {
      for (std::uint64_t share = next++; share < entries / a_share; share = next++) {
        const auto outcome = random_tables::against_mpfr(1000 + share, a_share, 20000);
        const std::scoped_lock one_at_a_time(adding);
        all.entries += outcome.entries;
        all.wrong += outcome.wrong;
        if (all.first.empty()) all.first = outcome.first;
      }
    });
  for (std::thread& thread : running) thread.join();
  EXPECT_GE(all.entries, entries);
  EXPECT_EQ(all.wrong, 0u) << all.first;
  RecordProperty("entries", std::to_string(all.entries));
}

}  // namespace
}  // namespace posproof::exact
