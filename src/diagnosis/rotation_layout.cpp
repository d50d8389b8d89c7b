#include "diagnosis/rotation_layout.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace posproof::rotation_words {

std::optional<std::size_t> Layout::pair_of(std::size_t channel) const {
  if (neighbours) return channel < 2 * pairs ? std::optional(channel / 2) : std::nullopt;
  if (blocks)
    return channel < 2 * pairs ? std::optional(channel / (2 * apart) * apart + channel % apart)
                               : std::nullopt;
  if (channel < pairs) return channel;
  if (channel >= apart && channel - apart < pairs) return channel - apart;
  return std::nullopt;
}

Two Layout::channels(std::size_t pair) const {
  if (neighbours) return {2 * pair, 2 * pair + 1};
  const std::size_t first = blocks ? pair / apart * 2 * apart + pair % apart : pair;
  return {first, first + apart};
}

std::string Layout::words() const {
  if (pairs == 1) return fmt::format("channels {} and {}", channels(0).first, channels(0).second);
  if (blocks) return fmt::format("channels i and i + {} of each {} (i below {})", apart, 2 * apart, apart);
  return neighbours ? fmt::format("channels 2i and 2i + 1 (i below {})", pairs)
                    : fmt::format("channels i and i + {} (i below {})", apart, pairs);
}

namespace {

// The layout that the first of all pairs says, where all are of it.
std::optional<Layout> of_all(const std::vector<Two>& pairs, bool neighbours, bool blocks) {
  const Layout layout{neighbours, pairs.front().second - pairs.front().first, pairs.size(), blocks};
  for (std::size_t i = 0; i < pairs.size(); ++i)
    if (pairs[i] != layout.channels(i)) return std::nullopt;
  return layout;
}

}  // namespace

std::optional<Layout> layout_of(const std::vector<Two>& pairs) {
  if (pairs.empty()) return std::nullopt;
  if (auto halves = of_all(pairs, false, false)) return halves;
  return of_all(pairs, true, false);
}

std::optional<Layout> layout_in_blocks(const std::vector<Two>& pairs) {
  if (pairs.empty() || pairs.front().second <= pairs.front().first) return std::nullopt;
  return of_all(pairs, false, true);
}

std::size_t first_channel(const Rotary& truth) {
  std::size_t out = truth.dim;
  for (const Pair& pair : truth.pairs) out = std::min({out, pair.first, pair.second});
  return out;
}

std::vector<Two> declared_pairs(const Rotary& truth) {
  const std::size_t first = first_channel(truth);
  std::vector<Two> out;
  for (const Pair& pair : truth.pairs) out.emplace_back(pair.first - first, pair.second - first);
  return out;
}

std::vector<Two> measured_pairs(const Channels& channels) {
  std::set<Two> found;
  for (const MeasuredChannel& one : channels)
    if (one.from.size() == 2) found.emplace(one.from[0], one.from[1]);
  return {found.begin(), found.end()};
}

}  // namespace posproof::rotation_words
