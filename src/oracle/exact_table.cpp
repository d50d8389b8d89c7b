#include "oracle/exact_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <mutex>
#include <optional>
#include <stdexcept>

#include "oracle/in_threads.h"
#include "oracle/ladder.h"
#include "oracle/strip.h"
#include "oracle/twofold.h"

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace posproof::oracle {
namespace {

// Blocks at a time, of a ladder with so many lanes: what they need of it stays in the second cache.
std::size_t blocks_at_a_time(std::size_t lanes) {
  return std::clamp(4096 / std::max(lanes, std::size_t{1}), std::size_t{1}, most_blocks);
}

// Rows of `left`, from position t on (offset included), that are done in one go: to the end of a few of the
// kernels' blocks.
std::size_t rows_at_once(Position t, std::size_t left, std::size_t blocks) {
  constexpr Position block = rows_per_block;
  const auto into = static_cast<std::size_t>(((t % block) + block) % block);
  return std::min(blocks * rows_per_block - into, left);
}

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
  const Waves* fast = ladder_->waves();
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

namespace {

// Strips so narrow that the babies of each stay in the first cache from block to block.
std::vector<Strip> in_pieces(const std::vector<Strip>& strips) {
  std::vector<Strip> pieces;
  for (const Strip& strip : strips)
    for (std::size_t done = 0; done < strip.count; done += lane_group) {
      Strip& piece = pieces.emplace_back(strip);
      piece.lane += done;
      piece.count = std::min(lane_group, strip.count - done);
      piece.sine_column += done * strip.step();
      piece.cosine_column += done * strip.step();
    }
  return pieces;
}

// Compares block after block; one for each thread.
class Comparing {
 public:
  Comparing(const ExactTable& table, std::span<const std::size_t> zeros, Format format, Position offset)
      : table_(table),
        zeros_(zeros),
        format_(format),
        offset_(offset),
        strips_(in_pieces(strips_of(table.runs()))) {
    const Ladder& ladder = table.ladder();
    if (const Waves* fast = ladder.waves()) {
      together_ = blocks_at_a_time(fast->lanes());
      giants_.emplace(*fast, together_);
    }
    for (auto& lanes : found_) lanes.assign(ladder.size() + lane_group, 0.0);
    clean_.assign(strips_.size(), true);
    const double amplitude = std::abs(ladder.slow().with(Slow::usual_bits).amplitude.nearest());
    rounded_ = half_ulp(format, amplitude);
    overflows_ = amplitude >= std::ldexp(1.0, shape(format).largest);
  }

  // How many rows from position `first` on (without the offset) are compared in one go.
  std::size_t rows_from(Position first, std::size_t left) const {
    return rows_at_once(first + offset_, left, together_);
  }

  // So many of them. `each` is called with what was found of each block.
  template <class Each>
  void compare(Position first, std::size_t rows, const char* at, Each each) {
    const std::size_t one = bytes(format_), stride = table_.dim() * one;
    const Kernel* kernel = giants_ ? &table_.ladder().waves()->kernel() : nullptr;
    const Blocks blocks = giants_ ? giants_->blocks(first + offset_, rows) : Blocks{};
    const std::size_t count = giants_ ? blocks.count : 1;
    std::vector<Compared> found;
    for (std::size_t b = 0; b < count; ++b) {
      const std::size_t n = giants_ ? blocks.first[b].end - blocks.first[b].begin : rows;
      found.push_back({.first = first, .rows = n, .farthest = std::vector<double>(table_.dim(), rounded_)});
      first += static_cast<Position>(n);
    }
    for (std::size_t s = 0; s < strips_.size(); ++s) {
      const Strip& strip = strips_[s];
      const Columns columns = strip.columns(one, table_.dim());
      // What was right in the block before is likely to be right in the next.
      const bool likely = kernel != nullptr && clean_[s] && !overflows_ && strip.for_kernels();
      const std::uint64_t right =
          likely ? kernel->all_right(format_, blocks, columns, at + strip.first_column() * one) : 0;
      const char* from = at;
      for (std::size_t b = 0; b < count; from += found[b++].rows * stride) {
        if ((right >> b & 1) != 0) continue;
        const std::uint64_t before = found[b].wrong;
        measure(strip, columns, giants_ ? blocks.first + b : nullptr, from, found[b]);
        clean_[s] = found[b].wrong == before;
      }
    }
    for (Compared& block : found) {
      find_not_zero(at, block);
      each(block);
      at += block.rows * stride;
    }
  }

 private:
  static void blame(Compared& out, double ulp, Position at, std::size_t column) {
    if (!(ulp > out.ulp)) return;
    out.ulp = ulp;
    out.at = at;
    out.column = column;
  }

  static Blocks blocks_of(const Block* block) { return {block, std::size_t{block != nullptr}}; }

  const char* entry(const char* at, std::size_t row, std::size_t column) const {
    return at + (row * table_.dim() + column) * bytes(format_);
  }

  void find_not_zero(const char* at, Compared& out) const {
    for (const std::size_t c : zeros_) {
      out.farthest[c] = 0;
      for (std::size_t r = 0; r < out.rows; ++r) {
        const double value = load(format_, entry(at, r, c));
        if (value == 0) continue;
        ++out.wrong;
        out.farthest[c] = std::max(out.farthest[c], std::isnan(value) ? HUGE_VAL : std::abs(value));
        blame(out, HUGE_VAL, out.first + static_cast<Position>(r), c);
      }
    }
  }

  void measure(const Strip& strip, const Columns& columns, const Block* block, const char* at,
               Compared& out) {
    Open open;
    const std::size_t begin = block != nullptr ? block->begin : 0;
    if (block != nullptr && !overflows_ && strip.for_kernels()) {
      Found found{found_[0].data(), found_[1].data(), found_[2].data(), found_[3].data(), 0};
      table_.ladder().waves()->kernel().compare(
          format_, *block, columns, at + strip.first_column() * bytes(format_), found, open.listener());
      out.wrong += found.wrong;
      take_found(strip, *block, at, out);
    } else {
      open.all(strip, begin, begin + out.rows);
    }
    for (const Open::Entry& one : open.entries) settle(strip, block, one, one.row - begin, at, out);
  }

  // Moves what was found of the lanes to their columns, and finds the row of the largest.
  void take_found(const Strip& strip, const Block& block, const char* at, Compared& out) {
    double most = 0.5;
    std::size_t lane_of = 0;
    bool cosine_of = false;
    for (const bool cosine : {false, true}) {
      if (cosine ? !strip.has_cosines() : !strip.has_sines()) continue;
      std::vector<double>&farthest = found_[cosine ? 1 : 0], &ulp = found_[cosine ? 3 : 2];
      for (std::size_t lane = strip.lane; lane < strip.lane + strip.count; ++lane) {
        double& column = out.farthest[strip.column(lane, cosine)];
        column = std::max(column, farthest[lane]);
        if (ulp[lane] > most) {
          most = ulp[lane];
          lane_of = lane;
          cosine_of = cosine;
        }
        farthest[lane] = ulp[lane] = 0;
      }
    }
    if (most <= 0.5 || most <= out.ulp) return;
    if (most < farthest_so_far_) return blame(out, most, out.first, strip.column(lane_of, cosine_of));
    farthest_so_far_ = most;
    blame(out, most, out.first + static_cast<Position>(row_of(strip, block, at, out, lane_of, cosine_of)),
          strip.column(lane_of, cosine_of));
  }

  // 2^e for a value of exponent e, or the smallest whose last place still falls.
  double power_below(double x) const {
    constexpr std::uint64_t exponents = std::uint64_t{0x7ff} << 52;
    const double least = std::ldexp(1.0, shape(format_).smallest);
    std::uint64_t bits = 0;
    std::memcpy(&bits, &x, sizeof bits);
    bits &= exponents;
    double power = 0;
    std::memcpy(&power, &bits, sizeof power);
    return std::max(power, least);
  }

  // Which row of one column is farthest off, in units in the last place.
  std::size_t row_of(const Strip& strip, const Block& block, const char* at, const Compared& out,
                     std::size_t lane, bool cosine) const {
    const auto sine = [lane](const Wave& w) { return Twofold{w.sine[lane], w.sine_rest[lane]}; };
    const auto other = [lane](const Wave& w) { return Twofold{w.cosine[lane], w.cosine_rest[lane]}; };
    const Twofold s = sine(*block.giant), c = other(*block.giant);
    std::size_t farthest = 0;
    double most = -1;
    for (std::size_t r = 0; r < out.rows; ++r) {
      const Wave& baby = block.babies[block.begin + r];
      const Twofold exact = cosine ? sum_of_products(c, other(baby), {-s.head, -s.rest}, sine(baby))
                                   : sum_of_products(s, other(baby), c, sine(baby));
      const double value = load(format_, entry(at, r, strip.column(lane, cosine)));
      const double off = std::abs((value - exact.head) - exact.rest);
      const double ulp = std::isnan(off) ? HUGE_VAL : off / power_below(exact.head);
      if (ulp <= most) continue;
      most = ulp;
      farthest = r;
    }
    return farthest;
  }

  void settle(const Strip& strip, const Block* block, const Open::Entry& one, std::size_t row, const char* at,
              Compared& out) {
    const Position t = out.first + static_cast<Position>(row);
    const std::size_t column = strip.column(one.lane, one.cosine);
    const double value = load(format_, entry(at, row, column));
    if (value == settled(table_.ladder(), blocks_of(block), one, t + offset_, format_)) return;
    ++out.wrong;
    const double exact = settled(table_.ladder(), blocks_of(block), one, t + offset_, Format::f64);
    const double off = std::isnan(value) ? HUGE_VAL : std::abs(value - exact);
    out.farthest[column] = std::max(out.farthest[column], off);
    blame(out, std::max(0.5, off / (2 * half_ulp(format_, exact))), t, column);
  }

  const ExactTable& table_;
  std::span<const std::size_t> zeros_;
  Format format_;
  Position offset_;
  std::vector<Strip> strips_;
  std::optional<Giants> giants_;
  std::size_t together_ = 1;                  // blocks
  std::array<std::vector<double>, 4> found_;  // over the lanes, as Found has them
  double farthest_so_far_ = 0;                // in units in the last place, of all blocks
  std::vector<bool> clean_;                   // of each strip: its last block was right
  bool overflows_ = false;                    // an infinity may be right, and it is not near to anything
  double rounded_ = 0;                        // how far a correctly rounded entry may be off
};

}  // namespace

Compared ExactTable::compare(Format format, Position first, std::size_t rows, const void* values,
                             const std::function<void(const Compared&)>& each, unsigned threads) const {
  check(first, rows);
  Compared all{.first = first, .rows = rows, .farthest = std::vector<double>(dim_, 0.0)};
  std::mutex telling;
  in_threads(threads, rows, [&](std::size_t from, std::size_t to) {
    Comparing comparing(*this, zeros_, format, offset_);
    Compared share{.first = first, .rows = to - from, .farthest = std::vector<double>(dim_, 0.0)};
    for (std::size_t n = 0; from < to; from += n) {
      const Position t = first + static_cast<Position>(from);
      n = comparing.rows_from(t, to - from);
      comparing.compare(t, n, static_cast<const char*>(values) + from * dim_ * bytes(format),
                        [&](const Compared& block) {
                          add(share, block);
                          if (!each) return;
                          const std::scoped_lock one_at_a_time(telling);
                          each(block);
                        });
    }
    const std::scoped_lock one_at_a_time(telling);
    add(all, share);
  });
  return all;
}

}  // namespace posproof::oracle
