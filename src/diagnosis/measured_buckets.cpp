#include "diagnosis/measured_buckets.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "run/narrowed.h"

namespace posproof {
namespace {

constexpr Position farthest_distance = 2048;  // distance

// The entries of all heads at a distance, in one direction.
using EntriesOfHeads = std::vector<double>;

enum class Keys { earlier, later };

// Of each distance from 0 on.
std::vector<EntriesOfHeads> entries_of(const Bias& bias, const Domain& domain, Keys keys, Position far) {
  const Position at = keys == Keys::earlier ? domain.lo + far : domain.lo;
  const Position query[] = {at};
  std::vector<Position> others;
  for (Position d = 0; d <= far; ++d) others.push_back(keys == Keys::earlier ? at - d : at + d);
  const Tensor all = bias.bias(query, others);
  if (all.shape != Shape{bias.heads, 1, others.size()}) return {};
  std::vector<EntriesOfHeads> out(others.size());
  for (std::size_t d = 0; d < out.size(); ++d)
    for (std::size_t head = 0; head < bias.heads; ++head) out[d].push_back(all.at(head, d));
  return out;
}

// Distances of one direction by their buckets, which are numbered as they come.
struct Side {
  Keys keys;
  std::vector<EntriesOfHeads> buckets;
  std::vector<std::size_t> declared, measured;

  bool differs() const { return declared != measured; }
};

std::vector<std::size_t> first_distances(const std::vector<std::size_t>& bucket_of) {
  std::vector<std::size_t> out;
  for (std::size_t d = 0; d < bucket_of.size(); ++d)
    if (d == 0 || bucket_of[d] != bucket_of[d - 1]) out.push_back(d);
  return out;
}

double apart(const EntriesOfHeads& a, const EntriesOfHeads& b) {
  double most = 0;
  for (std::size_t head = 0; head < a.size(); ++head)
    most = std::max(most, std::abs(a[head] - b[head]) / (std::abs(b[head]) + 0x1p-60));
  return most;  // NaN is passed over, but not by the comparison with what is allowed
}

std::optional<Side> side_of(const Bias& subject, const Bias& truth, const Precision& precision,
                            const Domain& domain, Keys keys, Position far) {
  Side out{keys, {}, {}, {}};
  for (const EntriesOfHeads& one : entries_of(truth, domain, keys, far)) {
    auto known = std::ranges::find(out.buckets, one);
    if (known == out.buckets.end()) known = out.buckets.insert(known, one);
    out.declared.push_back(static_cast<std::size_t>(known - out.buckets.begin()));
  }
  const double allowed = 8 * precision.result;
  for (const EntriesOfHeads& one : entries_of(subject, domain, keys, far)) {
    std::optional<std::size_t> is;
    for (std::size_t b = 0; b < out.buckets.size(); ++b) {
      if (!(apart(one, out.buckets[b]) <= allowed)) continue;
      if (is) return std::nullopt;  // two are too close to be told apart
      is = b;
    }
    const bool rises = is && (out.measured.empty() || *is >= out.measured.back());
    if (!rises) return std::nullopt;
    out.measured.push_back(*is);
  }
  return out;
}

// `17, 20, 25, ..`, from the first one that is another.
std::string from(const std::vector<std::size_t>& all, std::size_t first) {
  constexpr std::size_t many = 3;
  const std::size_t last = std::min(all.size(), first + many);
  const std::vector<std::size_t> some(all.begin() + static_cast<std::ptrdiff_t>(std::min(first, all.size())),
                                      all.begin() + static_cast<std::ptrdiff_t>(last));
  return fmt::format("{}{}", fmt::join(some, ", "), last < all.size() ? ", .." : "");
}

std::string words(const Side& side, bool of_both) {
  const auto is = first_distances(side.measured), ought = first_distances(side.declared);
  std::size_t same = 0;
  while (same < is.size() && same < ought.size() && is[same] == ought[same]) ++same;
  const std::string whose = of_both ? "" : side.keys == Keys::earlier ? " of earlier keys" : " of later keys";
  if (same == is.size())
    return fmt::format("buckets{} end with that of distance {}: none begins at {}", whose, is.back(),
                       from(ought, same));
  if (same == ought.size()) return "";
  return fmt::format("buckets{} begin at distances {}, not at {}", whose, from(is, same), from(ought, same));
}

Bias corrected_bias(const Bias& truth, const std::array<Side, 2>& sides) {
  Bias out = truth;
  out.bias = [sides, heads = truth.heads](const Positions& queries, const Positions& keys) {
    Tensor to({heads, queries.size(), keys.size()});
    for (std::size_t r = 0; r < to.rows(); ++r)
      for (std::size_t c = 0; c < keys.size(); ++c) {
        const Position offset = keys[c] - queries[r % queries.size()];
        const Side& side = sides[offset < 0 ? 0 : 1];
        const auto d = std::min(static_cast<std::size_t>(std::abs(offset)), side.measured.size() - 1);
        to.at(r, c) = side.buckets[side.measured[d]][r / queries.size()];
      }
    return to;
  };
  return out;
}

}  // namespace

std::optional<Deviation> measured_buckets(const Bias& subject, const Bias& truth,
                                          const Precision& precision) {
  const Domain domain = overlap(subject.positions, truth.positions);
  if (domain.axes != 1 || domain.real || domain.hi <= domain.lo) return std::nullopt;
  const Position far = std::min(farthest_distance, domain.hi - domain.lo);
  const auto earlier = side_of(subject, truth, precision, domain, Keys::earlier, far),
             later = side_of(subject, truth, precision, domain, Keys::later, far);
  if (!earlier || !later) return std::nullopt;
  const bool of_both = earlier->declared == later->declared && earlier->measured == later->measured;
  Deviation out{{}, corrected_bias(truth, {*earlier, *later})};
  for (const Side* side : {&*earlier, &*later})
    if (side->differs() && !(of_both && side == &*later)) {
      std::string one = words(*side, of_both);
      if (one.empty()) return std::nullopt;
      out.sentences.push_back(std::move(one));
    }
  return out.sentences.empty() ? std::nullopt : std::optional(std::move(out));
}

}  // namespace posproof
