// How two answers to one call are compared, entry by entry, and where an entry stands.
#include <algorithm>
#include <array>
#include <cmath>

#include "core/call.h"
#include "core/function.h"
#include "core/term.h"

namespace posproof {
namespace {

using enum Axis;

// In all their numbers.
bool same_position(const Positions& a, std::size_t at, const Positions& b, std::size_t there) {
  for (std::size_t axis = 0; axis < a.axes(); ++axis)
    if (a.at(at, axis) != b.at(there, axis)) return false;
  return true;
}

// The key that the others of a row are compared with, where a row may be shifted: the query's own, or the
// first that it may see. None: nothing is compared.
std::optional<std::size_t> own_key(const Positions& queries, std::size_t query, const Positions& keys,
                                   bool causal) {
  std::optional<std::size_t> first;
  for (std::size_t c = 0; c < keys.size(); ++c) {
    if (same_position(queries, query, keys, c)) return c;
    if (!first && !(causal && keys[c] > queries[query])) first = c;
  }
  return first;
}

// An entry of each answer, and how far they may be apart.
struct Entry {
  double there, here, error, ceiling;
};

// The rows of two answers as they are compared.
class Rows {
 public:
  Rows(const Encoding& declared, const Call& call, const Tensor& there, const Tensor& here,
       const Bound& bound, Freedom freedom)
      : relative_(freedom == Freedom::constant_per_row || is_modulo_rows(declared)),
        pairs_(signature(declared).positions && signature(declared).has(query) &&
               signature(declared).has(key)),
        causal_(pairs_ && is_causal(declared)),
        queries_(pairs_ ? call.positions.size() : 1),
        positions_(call.positions),
        keys_(call.keys),
        there_(there),
        here_(here),
        bound_(bound) {}

  bool relative() const { return relative_; }

  // The key that the row is relative to; 0 where it is not. None: nothing of it is compared.
  std::optional<std::size_t> own(std::size_t row) const {
    return relative_ ? own_key(positions_, row % queries_, keys_, causal_) : std::optional<std::size_t>(0);
  }

  bool passes_over(std::size_t row, std::size_t column) const {
    return causal_ && keys_[column] > positions_[row % queries_];
  }

  Entry at(std::size_t row, std::size_t column, std::size_t own) const {
    Entry out{there_.at(row, column), here_.at(row, column), bound_.error.at(row, column),
              bound_.ceiling.at(row, column)};
    if (!relative_) return out;
    out.there -= there_.at(row, own), out.here -= here_.at(row, own);
    out.error +=
        bound_.error.at(row, own) + term(Term::ours, unit_f64 * (std::abs(out.there) + std::abs(out.here)));
    if (column == own) out.ceiling = 0;
    return out;
  }

 private:
  bool relative_, pairs_, causal_;
  std::size_t queries_;
  Positions positions_, keys_;
  const Tensor &there_, &here_;
  const Bound& bound_;
};

// NaN is NaN here.
bool same(const Residual& a, const Residual& b) {
  return (a.error == b.error || (std::isnan(a.error) && std::isnan(b.error))) && a.bound == b.bound;
}

// Its numbers, one for each axis.
std::vector<double> numbers(const TokenPositions& positions, std::size_t token) {
  const Positions all = positions;
  std::vector<double> out;
  for (std::size_t axis = 0; token < all.size() && axis < all.axes(); ++axis)
    out.push_back(all.at(token, axis));
  return out;
}

// The first of a pair is the one that lies first, whatever stands there: a row that begins with cosines has
// its pairs' cosines first, and the transposed rotation of a backward pass has them exchanged.
// Pairs of several axes count through all of them, as they do in what is measured.
std::optional<Place::OfPair> of_pair(const Encoding& declared, std::size_t at) {
  std::optional<Place::OfPair> found;
  const bool through = positions_of(declared).axes > 1;
  std::visit(
      [&](const auto& kind) {
        std::size_t rotated = at;
        if constexpr (requires { kind.order; })
          if (!kind.order.empty()) rotated = kind.order.at(at);
        if constexpr (requires { kind.pairs; })
          for (std::size_t n = 0; n < kind.pairs.size(); ++n)
            if (const Pair& pair = kind.pairs[n]; pair.first == rotated || pair.second == rotated)
              found = {through ? n : pair.index, std::max(pair.first, pair.second) == rotated};
      },
      declared);
  return found;
}

}  // namespace

std::string_view name(Axis axis) {
  static constexpr std::array<std::string_view, 6> names = {"batch", "head",  "query",
                                                            "key",   "token", "channel"};
  return names[static_cast<std::size_t>(axis)];
}

Comparison compare(const Encoding& declared, const Call& call, const Tensor& there, const Tensor& here,
                   const Bound& bound, Freedom freedom, const Function<void(const Residual&)>& each) {
  Comparison out;
  if (here.data.empty()) return out;
  const Rows rows(declared, call, there, here, bound, freedom);
  for (std::size_t r = 0; r < here.rows(); ++r) {
    const auto own = rows.own(r);
    if (!own) continue;
    for (std::size_t c = 0; c < here.width(); ++c) {
      if (rows.passes_over(r, c)) continue;
      const auto [a, b, error, ceiling] = rows.at(r, c, *own);
      if (rows.relative() && (!std::isfinite(a) || !std::isfinite(b)))
        return {holds_if(false), r * here.width() + c};
      // Whoever listens compares with what may be wrong, too: there NaN is what was expected where NaN is.
      const Residual residual =
          each && std::isnan(a) && std::isnan(b) ? holds_if(true) : difference(a, b, error, ceiling);
      if (each) each(residual);
      const Residual worst = worse(out.worst, residual);
      if (!same(worst, out.worst)) out.at = r * here.width() + c;
      out.worst = worst;
    }
  }
  return out;
}

std::optional<Place> place_of(const Encoding& declared, const Call& call, const Tensor& there,
                              const Tensor& here, const Bound& bound, std::size_t at) {
  if (at >= here.data.size()) return std::nullopt;
  const Rows rows(declared, call, there, here, bound, Freedom::none);
  const std::size_t row = at / here.width(), column = at % here.width();
  const auto own = rows.own(row);
  if (!own || rows.passes_over(row, column)) return std::nullopt;
  const Entry entry = rows.at(row, column, *own);
  Place out{.expected = entry.here,
            .got = entry.there,
            .off = difference(entry.there, entry.here, entry.error, entry.ceiling)};
  if (rows.relative()) out.relative_to_key = *own;
  const std::vector<Axis>& axes = signature(declared).gives.axes;
  for (std::size_t axis = axes.size(), rest = at; axis-- > 0; rest /= here.shape.at(axis))
    out.axes.insert(out.axes.begin(), {axes[axis], rest % here.shape.at(axis)});
  std::size_t batch_row = 0;
  for (const auto& [axis, index] : out.axes) {
    if (axis == batch) batch_row = index;
    if (axis == token)
      out.position = numbers(call.positions, batch_row * (call.positions.size() / call.batch) + index);
    if (axis == query) out.position = numbers(call.positions, index);
    if (axis == key) out.key_position = numbers(call.keys, index);
    if (axis == channel) out.pair = of_pair(declared, index);
  }
  return out;
}

}  // namespace posproof
