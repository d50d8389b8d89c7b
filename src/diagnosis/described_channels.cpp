#include "diagnosis/described_channels.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "core/function.h"
#include "diagnosis/measured_words.h"

namespace posproof::rotation_words {

std::string not_multiplied(const Described& to) {
  return fmt::format("no rotation is multiplied by {}", number(to.truth.amplitude, 1e-6));
}

std::vector<std::size_t> those(const Channels& channels,
                               const Function<bool(const MeasuredChannel&, std::size_t)>& is) {
  std::vector<std::size_t> out;
  for (std::size_t c = 0; c < channels.size(); ++c)
    if (is(channels[c], c)) out.push_back(c);
  return out;
}

void say(Described& to, const std::vector<std::size_t>& which, std::string_view one, std::string_view many) {
  if (!which.empty())
    to.out.push_back(fmt::format("{} {}", numbered("channel", which), which.size() == 1 ? one : many));
}

bool describe_order(const Channels& channels, const Layout& layout, Described& to) {
  const std::size_t p = layout.pairs;
  const auto all = [&](const Function<std::size_t(std::size_t)>& own) {
    for (std::size_t c = 0; c < channels.size(); ++c)
      if (channels[c].rotates && channels[c].own != own(c)) return false;
    return true;
  };
  if (all([](std::size_t c) { return c; })) return true;
  const auto partner = [&](std::size_t c) {
    const auto pair = layout.pair_of(c);
    if (!pair) return c;
    const auto [a, b] = layout.channels(*pair);
    return c == a ? b : a;
  };
  if (all(partner)) {
    to.out.push_back(p == 1 ? "the two components of the rotated pair are swapped"
                            : "the two components of each rotated pair are swapped");
    return true;
  }
  if (all([p](std::size_t c) { return c < p ? 2 * c : c < 2 * p ? 2 * (c - p) + 1 : c; })) {
    to.out.push_back("the answer is the same after one permutation of its channels: evens then odds");
    return true;
  }
  if (all([p](std::size_t c) { return c >= 2 * p ? c : c % 2 == 0 ? c / 2 : p + c / 2; })) {
    to.out.push_back("the answer is the same after one permutation of its channels: both halves interleaved");
    return true;
  }
  if (all([n = 2 * p](std::size_t c) { return c < n ? n - 1 - c : c; })) {
    to.out.push_back("the answer has its channels in reverse order");
    return true;
  }
  const auto moved =
      those(channels, [](const MeasuredChannel& one, std::size_t c) { return one.rotates && one.own != c; });
  const auto shift = [&](std::size_t c) { return channels[c].own - c; };  // modulo 2^64
  if (moved.size() > 2 && moved.back() - moved.front() + 1 == moved.size() &&
      std::ranges::all_of(moved, [&](std::size_t c) { return shift(c) == shift(moved.front()); })) {
    to.out.push_back(fmt::format("channels {} to {} of the answer hold the rotated channels {} to {}",
                                 moved.front(), moved.back(), channels[moved.front()].own,
                                 channels[moved.back()].own));
    return true;
  }
  if (const std::size_t half = moved.size() / 2;
      moved.size() > 2 && moved.size() % 2 == 0 && moved.back() - moved.front() + 1 == moved.size() &&
      std::ranges::all_of(moved, [&](std::size_t c) {
        return channels[c].own == (c < moved.front() + half ? c + half : c - half);
      })) {
    to.out.push_back(fmt::format("channels {} to {} and {} to {} of the answer are in each other's place",
                                 moved.front(), moved[half - 1], moved[half], moved.back()));
    return true;
  }
  if (moved.size() > 8) return false;
  for (const std::size_t c : moved)
    to.out.push_back(
        fmt::format("channel {} of the answer holds the rotated channel {}", c, channels[c].own));
  return true;
}

bool describe_partners(const Channels& channels, const Layout& declared, Described& to) {
  std::map<std::ptrdiff_t, std::vector<std::size_t>> by_distance;
  for (std::size_t c = 0; c < channels.size(); ++c) {
    const MeasuredChannel& one = channels[c];
    if (one.shares.empty() || one.constant) continue;
    if (one.own != c) return false;
    const auto pair = declared.pair_of(c);
    const auto [a, b] = pair ? declared.channels(*pair) : Two{c, c};
    if (one.partner != (c == a ? b : a))
      by_distance[static_cast<std::ptrdiff_t>(one.partner) - static_cast<std::ptrdiff_t>(c)].push_back(c);
  }
  if (by_distance.size() > 4) return false;
  for (const auto& [distance, which] : by_distance) {
    std::vector<std::size_t> there, ought;
    for (const std::size_t c : which) {
      there.push_back(channels[c].partner);
      if (const auto pair = declared.pair_of(c)) {
        const auto [a, b] = declared.channels(*pair);
        ought.push_back(c == a ? b : a);
      }
    }
    std::string words = fmt::format("{} {} rotated with {}", numbered("channel", which),
                                    which.size() == 1 ? "is" : "are", numbered("channel", there));
    std::ranges::sort(ought);
    if (ought.size() == which.size()) words += ", not with " + numbered("channel", ought);
    to.out.push_back(words);
  }
  return true;
}

bool describe_constants(const Channels& channels, Described& to) {
  const auto dead = those(channels, [](const MeasuredChannel& one, std::size_t) { return one.from.empty(); });
  say(to, dead, "is 0", "are 0");
  constexpr std::size_t few = 4;
  std::map<double, std::vector<std::size_t>> scaled;
  std::size_t moved = 0;
  for (std::size_t c = 0; c < channels.size(); ++c) {
    const MeasuredChannel& one = channels[c];
    if (!one.constant) continue;
    // One that is left as it is comes back to the bit, and one of a pair that stands still within a rounding.
    const bool is_1 = std::abs(*one.constant - 1) <= to.precision.result + to.precision.table();
    if (one.own != c && is_1 && ++moved <= few)
      to.out.push_back(fmt::format("channel {} holds channel {}", c, one.own));
    else if (one.own != c)
      return false;
    else if (!is_1)
      scaled[*one.constant].push_back(c);
  }
  if (scaled.size() <= few)
    for (const auto& [factor, which] : scaled) {
      const double beside = std::abs(factor - 1);
      const std::string by = beside < 1e-4
                                 ? fmt::format("multiplied by 1 {} {:.2g}", factor < 1 ? '-' : '+', beside)
                                 : fmt::format("multiplied by {}", number(factor, beside / 64));
      say(to, which, "is " + by, "are " + by);
    }
  else {
    std::vector<std::size_t> all;
    for (const auto& [factor, which] : scaled) all.insert(all.end(), which.begin(), which.end());
    std::ranges::sort(all);
    say(to, all, "is multiplied by a constant", "are multiplied by constants");
  }
  return true;
}

}  // namespace posproof::rotation_words
