#include "run/error_accumulator.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

#include "core/farther.h"
#include "exact/comparing.h"
#include "run/packed.h"
#include "subject/dtype.h"

namespace posproof {
namespace {

using exact::Compared;
using exact::of_correct_rounding;

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr Position block_rows = 64;

// Where to stop comparing at once, so that a block of 64 rows lies within one stretch of the curve: these are
// as long from 16 * 64 on, and begin at multiples of it.
Position stop_after(Position t, Position end) {
  if (t < 0) return std::min<Position>({end, 0, t + block_rows});
  if (t < 16 * block_rows) return std::min(end, ErrorProfile::end(t));
  const Position over = t % block_rows;
  return over == 0 ? end : std::min(end, t - over + block_rows);
}

double share_of(double error, double bound) {
  return error == 0 ? 0 : bound == 0 ? infinity : error / bound;
}

}  // namespace

ErrorAccumulator::ErrorAccumulator(Reference reference, Format format, const AccuracyOptions& options)
    : reference_(std::move(reference)),
      format_(format),
      threads_(options.threads),
      rounding_(reference_.amplitude == 0 ? 0 : half_ulp(format, reference_.amplitude)),
      correct_(reference_.amplitude == 0 ? 0 : of_correct_rounding(format, reference_.amplitude)) {
  found_.format = format;
  found_.columns = reference_.dim;
  found_.of_angles = reference_.amplitude != 0;
  found_.amplitude = reference_.amplitude;
  found_.rounding = rounding_;
  found_.largest = 0;
  if (!options.attribution) reference_.rounded.clear();
  for (const auto& rounded : reference_.rounded) found_.against.push_back({rounded.frequencies, 0});
}

Accuracy ErrorAccumulator::found() const {
  Accuracy out = found_;
  out.profile = profile_.ranges();
  return out;
}

Position ErrorAccumulator::nearest(Position first, std::size_t rows) const {
  return reference_.origin ? std::clamp(*reference_.origin, first, first + static_cast<Position>(rows) - 1)
                           : first;
}

const std::vector<double>& ErrorAccumulator::bound(Position t, bool exactly) {
  if (bound_.at == t) return bound_.of_column;
  if (!exactly && bound_.at && reference_.origin) {
    const Position here = std::abs(t - *reference_.origin), there = std::abs(*bound_.at - *reference_.origin);
    if (there <= here && 16 * there >= 15 * here) return bound_.of_column;
  }
  bound_.of_column = reference_.bound(t);
  bound_.at = t;
  return bound_.of_column;
}

const std::byte* ErrorAccumulator::at(const Values& values, Position t) const {
  return values.bytes + static_cast<std::size_t>(t - values.first) * reference_.dim * bytes(format_);
}

// What compare() says of a column where no entry is wrong is a bound of what rounding does to the entries of
// the ladder; columns that are 0 are looked at themselves.
void ErrorAccumulator::empty_columns(const Values& values, Position first, std::size_t rows,
                                     std::vector<double>& errors) const {
  for (const std::size_t c : reference_.empty) {
    errors[c] = 0;
    for (std::size_t r = 0; r < rows; ++r) {
      const double size =
          std::abs(value(format_, at(values, first) + (r * reference_.dim + c) * bytes(format_)));
      errors[c] = std::max(errors[c], std::isnan(size) ? infinity : size);
    }
  }
}

std::vector<double> ErrorAccumulator::errors(const Values& values, Position t) {
  Compared row = reference_.compare(format_, t, 1, at(values, t), {}, 1);
  for (double& error : row.farthest) error = std::max(error, rounding_);
  empty_columns(values, t, 1, row.farthest);
  return std::move(row.farthest);
}

ErrorAccumulator::Block ErrorAccumulator::weighed(const Values& values, const Compared& compared,
                                                  const RowSource& source) {
  Block block{.first = compared.first, .rows = compared.rows, .clean = compared.wrong == 0, .column = 0};
  if (compared.wrong > 0 &&
      (compared.ulp > found_.ulp || (compared.ulp == found_.ulp && compared.at < found_.ulp_at.position))) {
    found_.ulp = compared.ulp;
    found_.ulp_at = {compared.at, source.channel(compared.column)};
  }
  std::vector<double> errors = compared.farthest;
  if (block.clean && reference_.amplitude != 0) std::ranges::fill(errors, correct_);
  if (block.clean) {
    for (const std::size_t c : reference_.empty) errors[c] = 0;
  } else {
    for (double& error : errors) error = std::max(error, rounding_);
    empty_columns(values, compared.first, compared.rows, errors);
  }

  std::size_t largest = 0;
  const auto weigh = [&](const std::vector<double>& bound) {
    block.share = 0;
    for (std::size_t c = 0; c < errors.size(); ++c) {
      if (errors[c] > errors[largest]) largest = c;
      // Without a division for every entry: most are no larger share than the largest. Of a bound of 0 the
      // share may be infinite, and its product with the next one no number.
      if (errors[c] <= block.share * bound[c]) continue;
      const double share = share_of(errors[c], bound[c]);
      if (share > block.share) block.share = share, block.column = c;
    }
  };
  const Position t = nearest(compared.first, compared.rows);
  weigh(bound(t, false));
  if (block.share > 1) weigh(bound(t, true));
  if (!block.clean && has_doubles()) {
    // What is said of entries of the ladder may be off by 2^-48 of the amplitude, and the quotient is
    // rounded, by less. Of what is allowed at the block or nearer to the origin, and so of the least.
    for (std::size_t c = 0; c < errors.size(); ++c) {
      const bool empty = std::ranges::binary_search(reference_.empty, c);
      const double known = empty ? errors[c] : compared.farthest[c] + 0x1p-47 * reference_.amplitude;
      block.known = std::max(block.known, share_of(known, bound_.of_column[c]));
    }
  }
  block.error = errors[largest];
  profile_.add(reference_.distance ? reference_.distance(t) : t, block.error, bound_.of_column[largest],
               compared.ulp);
  return block;
}

double ErrorAccumulator::allowed(double before, double exact) const {
  return (before + reference_.rounding * std::abs(exact)) * (1 + 2 * reference_.rounding) +
         reference_.underflow;
}

void ErrorAccumulator::find_first_small(const Values& values, const Block& block, const RowSource& source) {
  const std::size_t dim = reference_.dim;
  std::vector<double> there(block.rows * dim), here(block.rows * dim);
  unpack(format_, at(values, block.first), there);
  reference_.doubles(block.first, block.rows, here);
  // Of the nearest position, the least that is allowed.
  const std::vector<double> least = reference_.bound_before(nearest(block.first, block.rows));
  for (std::size_t r = 0; r < block.rows; ++r) {
    const std::span<const double> own(there.data() + r * dim, dim), exact(here.data() + r * dim, dim);
    std::optional<std::vector<double>> most;
    const Position t = block.first + static_cast<Position>(r);
    for (std::size_t c = 0; c < dim; ++c) {
      const double off = std::abs(own[c] - exact[c]);
      if (off <= allowed(least[c], exact[c]) || std::ranges::binary_search(reference_.empty, c)) continue;
      if (!most) most = reference_.bound_before(t);
      if (off <= allowed((*most)[c], exact[c])) continue;
      found_.beyond = Accuracy::Beyond{
          {t, source.channel(c)}, source.again(t, c), residual(off, allowed((*most)[c], exact[c]))};
      return;
    }
  }
}

void ErrorAccumulator::find_first_beyond(const Values& values, const std::vector<Block>& blocks,
                                         const RowSource& source) {
  for (const Block& block : blocks) {
    if (block.clean) continue;
    if (!(block.share > 1)) {
      const bool is_first = !found_.beyond || block.first < found_.beyond->at.position;
      if (reference_.bound_before && has_doubles() && is_first) find_first_small(values, block, source);
      continue;
    }
    for (std::size_t r = 0; r < block.rows; ++r) {
      const Position t = block.first + static_cast<Position>(r);
      if (found_.beyond && found_.beyond->at.position <= t) return;
      const std::vector<double> error = errors(values, t), most = bound(t, true);
      std::optional<std::size_t> worst;
      for (std::size_t c = 0; c < error.size(); ++c)
        if (!(error[c] <= most[c]) &&
            (!worst || share_of(error[c], most[c]) > share_of(error[*worst], most[*worst])))
          worst = c;
      if (!worst) continue;
      found_.beyond = Accuracy::Beyond{
          {t, source.channel(*worst)}, source.again(t, *worst), residual(error[*worst], most[*worst])};
      return;
    }
  }
}

void ErrorAccumulator::consider(Position t, std::size_t column, double error, const RowSource& source) {
  const Residual one = residual(error, bound(t, true)[column]);
  if (!found_.worst_at.empty() && !(one.error_over_bound() > found_.worst.error_over_bound())) return;
  found_.worst = one;
  found_.worst_at = source.again(t, column);
}

// In the formats narrower than double, the exact value in double says how far an entry is off. In double,
// nothing is said of errors below half a unit in the last place of the amplitude.
void ErrorAccumulator::find_worst_of(const Values& values, const Block& block, const RowSource& source) {
  const std::size_t dim = reference_.dim;
  std::vector<double> there(block.rows * dim), here(block.rows * dim);
  if (has_doubles()) {
    unpack(format_, at(values, block.first), there);
    reference_.doubles(block.first, block.rows, here);
  } else {
    for (std::size_t r = 0; r < block.rows; ++r)
      std::ranges::copy(errors(values, block.first + static_cast<Position>(r)),
                        there.begin() + static_cast<std::ptrdiff_t>(r * dim));
  }
  // What rounding allows at the block's nearest position, all of it allows.
  const std::vector<double> least = bound(nearest(block.first, block.rows), true);
  std::vector<double> most(dim);  // no larger share than the worst so far
  const auto take_worst = [&] {
    for (std::size_t c = 0; c < dim; ++c) most[c] = found_.worst.error_over_bound() * least[c];
  };
  take_worst();
  for (std::size_t r = 0; r < block.rows; ++r) {
    const auto of_row = [&](const std::vector<double>& all) { return std::span(all).subspan(r * dim, dim); };
    const std::span<const double> own = of_row(there), exact = of_row(here);
    if (!found_.worst_at.empty() && !any_farther(own, exact, most)) continue;
    for (std::size_t c = 0; c < dim; ++c) {
      const double error = std::abs(own[c] - exact[c]);
      if (!(error > most[c]) && !found_.worst_at.empty()) continue;
      consider(block.first + static_cast<Position>(r), c, error, source);
      take_worst();
    }
  }
}

void ErrorAccumulator::find_worst(const Values& values, std::vector<Block> blocks, const RowSource& source) {
  std::ranges::stable_sort(blocks, std::greater<>{}, &Block::share);
  for (const Block& block : blocks) {
    if (!found_.worst_at.empty() && !(block.share > found_.worst.error_over_bound())) return;
    if (!block.clean) {
      // No entry of it is a larger share than the worst so far: most blocks of most tables.
      const bool no_worse =
          has_doubles() && !found_.worst_at.empty() && block.known <= found_.worst.error_over_bound();
      if (!no_worse) find_worst_of(values, block, source);
      continue;
    }
    const Position t =
        nearest(block.first, block.rows);  // the bound: no entry of it is known to be so far off
    const double error = reference_.amplitude == 0 ? block.share * bound(t, true)[block.column] : correct_;
    consider(t, block.column, error, source);
  }
}

void ErrorAccumulator::find_largest(const Values& values, const std::vector<Block>& blocks,
                                    const RowSource& source) {
  const Block* largest = nullptr;
  for (const Block& block : blocks)
    if (block.error > (largest == nullptr ? found_.largest : largest->error)) largest = &block;
  if (largest == nullptr) return;
  found_.largest = largest->error;
  if (largest->error <= rounding_) return;  // a bound, of all entries alike
  double most = -1;
  for (std::size_t r = 0; r < largest->rows; ++r) {
    const Position t = largest->first + static_cast<Position>(r);
    const std::vector<double> error = errors(values, t);
    for (std::size_t c = 0; c < error.size(); ++c)
      if (error[c] > most) {
        most = error[c];
        found_.largest_at = Entry{t, source.channel(c)};
      }
  }
}

// To start a thread and to wait for it takes as long as comparing half as many entries.
unsigned ErrorAccumulator::threads_for(std::size_t rows) const {
  const std::size_t worth_a_thread = format_ == Format::f64 ? std::size_t{1} << 16 : std::size_t{1} << 18;
  return rows * reference_.dim < worth_a_thread ? 1 : threads_;
}

std::uint64_t ErrorAccumulator::entries(Position first, std::size_t rows) const {
  if (!reference_.seen) return rows * reference_.dim;
  std::uint64_t sum = 0;
  for (Position t = first; t < first + static_cast<Position>(rows); ++t) sum += reference_.seen(t);
  return sum;
}

void ErrorAccumulator::add(Position first, std::size_t rows, const std::byte* bytes, const RowSource& source,
                           std::uint64_t times) {
  const Values values{first, bytes};
  const Position end = first + static_cast<Position>(rows);
  // Threads tell of blocks in any order; what is said of one depends on those before it.
  std::vector<Compared> compared;
  for (Position t = first; t < end;) {
    const Position stop = stop_after(t, end);
    const auto count = static_cast<std::size_t>(stop - t);
    reference_.compare(
        format_, t, count, at(values, t), [&](const Compared& block) { compared.push_back(block); },
        threads_for(count));
    t = stop;
  }
  std::ranges::sort(compared, {}, &Compared::first);
  std::vector<Block> blocks;
  for (const Compared& block : compared) {
    found_.wrong += times * block.wrong;
    blocks.push_back(weighed(values, block, source));
  }
  found_.entries += times * entries(first, rows);
  find_first_beyond(values, blocks, source);
  if (!found_.beyond) find_worst(values, blocks, source);
  find_largest(values, blocks, source);
  for (std::size_t n = 0; n < reference_.rounded.size(); ++n)
    found_.against[n].wrong += times * reference_.rounded[n].table->count_wrong(
                                           format_, first, rows, values.bytes, threads_for(rows));
}

bool ErrorAccumulator::vacuous(Position t) {
  const std::vector<double>& most = bound(t, true);
  return std::none_of(most.begin(), most.end(), [&](double one) { return one < reference_.ceiling; });
}

void ErrorAccumulator::done(Position first, std::size_t rows) {
  found_.rows += rows;
  const Position last = first + static_cast<Position>(rows) - 1;
  // Where bounds grow, the ends have the largest.
  const bool none = !reference_.origin || (!vacuous(first) && !vacuous(last));
  for (Position t = first; t <= last; ++t) found_.vacuous += !none && vacuous(t) ? 1 : 0;
}

}  // namespace posproof
