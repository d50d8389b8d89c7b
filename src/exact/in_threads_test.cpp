#include "exact/in_threads.h"

#include <gmp.h>
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

namespace posproof::exact::in_threads_test {
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

// While it lives, the bytes that MPFR holds are counted.
class CountedBytes {
 public:
  CountedBytes() {
    mp_get_memory_functions(&allocate_, &reallocate_, &free_);
    mp_set_memory_functions([](std::size_t n) { return held += long(n), allocate_(n); },
                            [](void* at, std::size_t before, std::size_t n) {
                              return held += long(n) - long(before), reallocate_(at, before, n);
                            },
                            [](void* at, std::size_t n) { held -= long(n), free_(at, n); });
  }
  ~CountedBytes() { mp_set_memory_functions(allocate_, reallocate_, free_); }

  static inline std::atomic<long> held = 0;

 private:
  static inline void* (*allocate_)(std::size_t) = nullptr;
  static inline void* (*reallocate_)(void*, std::size_t, std::size_t) = nullptr;
  static inline void (*free_)(void*, std::size_t) = nullptr;
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

TEST(InThreads, give_back_what_mpfr_keeps_for_them) {
  const CountedBytes counted;
  const auto caller = std::this_thread::get_id();
  std::atomic<int> threads = 0;
  in_threads(4, 4 * rows_per_block, [&](std::size_t, std::size_t) {
    if (std::this_thread::get_id() == caller) return;  // which goes on, and keeps its constants
    ++threads;
    mpfr_t x;
    mpfr_init2(x, 4000);
    mpfr_const_pi(x, MPFR_RNDN);
    mpfr_clear(x);
    EXPECT_GT(CountedBytes::held, 0);
  });
  EXPECT_EQ(threads, 3);
  EXPECT_EQ(CountedBytes::held, 0);
}

}  // namespace
}  // namespace posproof::exact::in_threads_test
