#pragma once

#include <mpfr.h>

#include <algorithm>
#include <cstddef>
#include <exception>
#include <system_error>
#include <thread>
#include <vector>

#include "exact/kernel.h"

namespace posproof::exact {

// Shares of whole blocks, one for each thread, of which the caller's is one. Where the system starts no more
// threads (`ulimit -u`), the caller does their shares. An exception in one of them is thrown again here.
template <class Work>
void in_threads(unsigned threads, std::size_t rows, Work work) {
  const std::size_t blocks = (rows + rows_per_block - 1) / rows_per_block;
  const std::size_t shares = std::clamp<std::size_t>(threads, 1, std::max<std::size_t>(blocks, 1));
  std::vector<std::exception_ptr> failed(shares);
  const auto do_share = [&](std::size_t share) {
    try {
      work(std::min(rows, blocks * share / shares * rows_per_block),
           std::min(rows, blocks * (share + 1) / shares * rows_per_block));
    } catch (...) {
      failed[share] = std::current_exception();
    }
  };
  std::vector<std::thread> running;
  running.reserve(shares);
  std::size_t own = shares;  // from this one on, and the first
  for (std::size_t share = 1; share < own; ++share) {
    try {
      // MPFR keeps constants for each thread, which it does not give back by itself.
      running.emplace_back([&do_share, share] {
        do_share(share);
        mpfr_free_cache2(MPFR_FREE_LOCAL_CACHE);
      });
    } catch (const std::system_error&) {
      own = share;
    }
  }
  do_share(0);
  for (std::size_t share = own; share < shares; ++share) do_share(share);
  for (std::thread& thread : running) thread.join();
  for (const std::exception_ptr& exception : failed)
    if (exception) std::rethrow_exception(exception);
}

}  // namespace posproof::exact
