#include "exact/in_threads.h"

#include <gtest/gtest.h>
#include <pthread.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <mutex>
#include <set>
#include <stdexcept>
#include <system_error>
#include <thread>
#include <vector>

namespace posproof::exact {
namespace {

// While it lives, the system starts no thread: none has so much room for a stack.
class NoMoreThreads {
 public:
  NoMoreThreads() {
    pthread_getattr_default_np(&before_);
    pthread_attr_t huge;
    pthread_getattr_default_np(&huge);
    pthread_attr_setstacksize(&huge, std::size_t{1} << 46);
    pthread_setattr_default_np(&huge);
    pthread_attr_destroy(&huge);
  }
  ~NoMoreThreads() {
    pthread_setattr_default_np(&before_);
    pthread_attr_destroy(&before_);
  }

 private:
  pthread_attr_t before_;
};

// How often each row was done, by how many threads.
struct Done {
  std::vector<std::atomic<int>> rows = std::vector<std::atomic<int>>(1000);
  std::mutex lock;
  std::set<std::thread::id> by;

  bool once() const {
    return std::all_of(rows.begin(), rows.end(), [](const std::atomic<int>& n) { return n == 1; });
  }
  auto work() {
    return [this](std::size_t from, std::size_t to) {
      for (std::size_t row = from; row < to; ++row) ++rows[row];
      const std::scoped_lock locked(lock);
      by.insert(std::this_thread::get_id());
    };
  }
};

TEST(InThreads, every_row_is_done_once) {
  for (const unsigned threads : {0u, 1u, 2u, 5u, 1000u}) {
    Done done;
    in_threads(threads, done.rows.size(), done.work());
    EXPECT_TRUE(done.once()) << threads;
  }
}

TEST(InThreads, one_thread_does_everything_where_no_more_can_be_started) {
  const NoMoreThreads none;
  EXPECT_THROW(std::thread([] {}).join(), std::system_error) << "a thread could be started";
  Done done;
  in_threads(4, done.rows.size(), done.work());
  EXPECT_TRUE(done.once());
  EXPECT_EQ(done.by, std::set{std::this_thread::get_id()});
}

TEST(InThreads, what_a_share_throws_is_thrown_after_the_others_are_done) {
  std::atomic<std::size_t> rows = 0;
  const auto all_but_the_last = [&](std::size_t from, std::size_t to) {
    if (to == 1000) throw std::runtime_error("the last");
    rows += to - from;
  };
  EXPECT_THROW(in_threads(4, 1000, all_but_the_last), std::runtime_error);
  EXPECT_EQ(rows, 768u);
}

}  // namespace
}  // namespace posproof::exact
