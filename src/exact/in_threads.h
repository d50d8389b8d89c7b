#pragma once

#include <algorithm>
#include <cstddef>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

#include "exact/kernel.h"

namespace posproof::exact {

// Shares of whole blocks, one for each thread; an exception in one of them is thrown again here.
template <class Work>
void in_threads(unsigned threads, std::size_t rows, Work work) {
  const std::size_t blocks = (rows + rows_per_block - 1) / rows_per_block;
  const std::size_t shares = std::clamp<std::size_t>(threads, 1, std::max<std::size_t>(blocks, 1));
  if (shares == 1) return work(std::size_t{0}, rows);
  std::vector<std::exception_ptr> failed(shares);
  std::vector<std::thread> running;
  for (std::size_t share = 0; share < shares; ++share)
    running.emplace_back([&, share] {
      try {
        work(std::min(rows, blocks * share / shares * rows_per_block),
             std::min(rows, blocks * (share + 1) / shares * rows_per_block));
      } catch (...) {
        failed[share] = std::current_exception();
      }
    });
  for (std::thread& thread : running) thread.join();
  for (const std::exception_ptr& exception : failed)
    if (exception) std::rethrow_exception(exception);
}

}  // namespace posproof::exact
