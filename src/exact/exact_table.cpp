#include "exact/exact_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <mutex>
#include <optional>
#include <stdexcept>

#include "core/function.h"
#include "exact/comparing.h"
#include "exact/in_threads.h"
#include "exact/ladder.h"
#include "exact/strip.h"

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace posproof::exact {
namespace {

// Keeps what is largest: of two equal ones the earlier position, so that threads change nothing.
void add(Compared& all, const Compared& block) {
  all.wrong += block.wrong;
  for (std::size_t c = 0; c < all.farthest.size(); ++c)
    all.farthest[c] = std::max(all.farthest[c], block.farthest[c]);
  const bool more = block.ulp > all.ulp || (block.ulp == all.ulp && block.ulp > 0 && block.at < all.at);
  if (!more) return;
  all.ulp = block.ulp;
  all.at = block.at;
  all.column = block.column;
}

}  // namespace

ExactTable::ExactTable(std::shared_ptr<const Ladder> ladder, std::vector<Run> runs, std::size_t dim,
                       Position offset)
    : ladder_(std::move(ladder)), runs_(std::move(runs)), dim_(dim), offset_(offset) {
  std::vector<bool> taken(dim_, false);
  for (const Run& run : runs_) {
    if (run.frequency + run.count > ladder_->size() || run.column + run.columns() > dim_)
      throw std::invalid_argument(
          fmt::format("a run of {} frequencies from {} on in columns from {} on: there are {} and {}",
                      run.count, run.frequency, run.column, ladder_->size(), dim_));
    for (std::size_t c = run.column; c < run.column + run.columns(); ++c) {
      if (taken[c]) throw std::invalid_argument(fmt::format("two runs have column {}", c));
      taken[c] = true;
    }
  }
  for (std::size_t c = 0; c < dim_; ++c)
    if (!taken[c]) zeros_.push_back(c);
}

namespace {

// Of as many as are computed at first: past what any double, at any position, shows of them.
bool have_the_same_digits(const Ladder& one, const Ladder& other) {
  constexpr mpfr_prec_t bits = Multiprecision::usual_bits;
  const auto &a = one.multiprecision().with(bits), &b = other.multiprecision().with(bits);
  const auto same = [](const Real& x, const Real& y) { return mpfr_equal_p(x.x, y.x) != 0; };
  return same(a.amplitude, b.amplitude) && std::ranges::equal(a.frequencies, b.frequencies, same);
}

}  // namespace

bool ExactTable::is_made_like(const ExactTable& other) const {
  return runs_ == other.runs_ && dim_ == other.dim_ && offset_ == other.offset_ &&
         (ladder_ == other.ladder_ || have_the_same_digits(*ladder_, *other.ladder_));
}

void ExactTable::check(Position first, std::size_t rows) const {
  const auto most = static_cast<std::size_t>(farthest_position);
  Position start = 0;
  if (rows > 2 * most || __builtin_add_overflow(first, offset_, &start) || start < -farthest_position ||
      start > farthest_position || start + static_cast<Position>(rows) - 1 > farthest_position)
    throw Refusal(fmt::format("{} rows from position {} on, offset {}: exact tables reach from -2^40 to 2^40",
                              rows, first, offset_));
}

// ---- writing ----

void ExactTable::fill(Format format, Position first, std::size_t rows, void* out, unsigned threads) const {
  check(first, rows);
  const std::size_t one = bytes(format), stride = dim_ * one;
  auto* const base = static_cast<char*>(out);
  const PhasorTables* fast = ladder_->phasors();
  const std::vector<Strip> strips = strips_of(runs_);
  // Past the caches where the table is larger than they are and every run has lines of its own.
  const bool streaming = rows * stride >= (std::size_t{1} << 22) && stride % 64 == 0 &&
                         reinterpret_cast<std::uintptr_t>(base) % 64 == 0 &&
                         std::all_of(runs_.begin(), runs_.end(), [&](const Run& run) {
                           return run.column * one % 64 == 0 && run.columns() * one % 64 == 0;
                         });
  in_threads(threads, rows, [&](std::size_t from, std::size_t to) {
    std::vector<std::pair<char*, double>> late;  // written when the stream has ended
    std::size_t together = 1, n = 0;
    std::optional<Giants> giants;
    if (fast != nullptr) giants.emplace(*fast, together = blocks_at_a_time(fast->lanes()));
    for (; from < to; from += n) {
      const Position t = first + offset_ + static_cast<Position>(from);
      n = rows_at_once(t, to - from, together);
      char* const at = base + from * stride;
      for (const std::size_t c : zeros_)
        for (std::size_t r = 0; r < n; ++r) std::memset(at + r * stride + c * one, 0, one);
      const Blocks blocks = giants ? giants->blocks(t, n) : Blocks{};
      const std::size_t begin = giants ? blocks.first->begin : 0;
      for (const Strip& strip : strips) {
        Open open;
        if (giants && strip.for_kernels())
          fast->kernel().fill(format, blocks, strip.columns(one, dim_), at + strip.first_column() * one,
                              streaming, open.listener());
        else
          open.all(strip, begin, begin + n);
        for (const Open::Entry& entry : open.entries) {
          const std::size_t r = entry.row - begin;
          late.emplace_back(at + r * stride + strip.column(entry.lane, entry.cosine) * one,
                            settled(*ladder_, blocks, entry, t + static_cast<Position>(r), format));
        }
      }
    }
#if defined(__SSE2__)
    if (streaming) _mm_sfence();
#endif
    for (const auto& [where, value] : late) store(format, where, value);
  });
}

// ---- comparing ----

Compared ExactTable::compare(Format format, Position first, std::size_t rows, const void* values,
                             const Function<void(const Compared&)>& each, unsigned threads) const {
  check(first, rows);
  Compared all{.first = first, .rows = rows, .farthest = std::vector<double>(dim_, 0.0)};
  std::mutex telling;
  in_threads(threads, rows, [&](std::size_t from, std::size_t to) {
    Comparing comparing(*this, zeros_, format, offset_);
    Compared share{.first = first, .rows = to - from, .farthest = std::vector<double>(dim_, 0.0)};
    comparing.along(first, values, from, to, [&](const Comparing::Rows& some) {
      for (const Compared& block : comparing.compared(some)) {
        add(share, block);
        if (!each) continue;
        const std::scoped_lock one_at_a_time(telling);
        each(block);
      }
    });
    const std::scoped_lock one_at_a_time(telling);
    add(all, share);
  });
  return all;
}

std::uint64_t ExactTable::count_wrong(Format format, Position first, std::size_t rows, const void* values,
                                      unsigned threads) const {
  check(first, rows);
  std::atomic<std::uint64_t> wrong = 0;
  in_threads(threads, rows, [&](std::size_t from, std::size_t to) {
    Comparing comparing(*this, zeros_, format, offset_);
    comparing.along(first, values, from, to,
                    [&](const Comparing::Rows& some) { wrong += comparing.count_wrong(some); });
  });
  return wrong;
}

std::shared_ptr<const ExactTable> exact_table(const Encoding& encoding) {
  return std::visit(
      [](const auto& kind) -> std::shared_ptr<const ExactTable> {
        if constexpr (requires { kind.pairs; })
          return std::dynamic_pointer_cast<const ExactTable>(kind.exact);
        return nullptr;
      },
      encoding);
}

}  // namespace posproof::exact
