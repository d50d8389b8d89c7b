#include "diagnosis/rolled_channels.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <numbers>
#include <utility>

namespace posproof {
namespace {

using Channels = std::vector<MeasuredChannel>;

std::size_t behind(std::size_t channel, std::size_t place, std::size_t width) {
  return (place + width - channel) % width;
}

// The same, said of the other input: what one has for a cosine is a sine of the other.
void say_of_partner(MeasuredChannel& one) {
  const double quarter = (one.partner > one.own ? 1 : -1) * std::numbers::pi / 2;
  if (one.rotates) one.rotates->phase = std::remainder(one.rotates->phase + quarter, 2 * std::numbers::pi);
  std::swap(one.own, one.partner);
}

// Places among the inputs move; a partner that comes to stand on the other side turns the other way.
void put_back(MeasuredChannel& one, std::size_t by, std::size_t width) {
  const bool above = one.partner > one.own;
  for (std::size_t* c : {&one.own, &one.partner}) *c = (*c + by) % width;
  for (std::size_t& c : one.from) c = (c + by) % width;
  std::ranges::sort(one.from);
  if (!one.rotates || one.partner == one.own || (one.partner > one.own) == above) return;
  one.rotates->frequency = -one.rotates->frequency;
  one.rotates->phase = -one.rotates->phase;
}

}  // namespace

std::optional<Rolled> rolled_answer(const Channels& channels) {
  const std::size_t width = channels.size();
  if (width == 0) return std::nullopt;
  Rolled out{behind(channels.front().own, 0, width), Channels(width)};
  if (out.by == 0) return std::nullopt;
  for (std::size_t c = 0; c < width; ++c) {
    if (channels[c].from.empty() || behind(channels[c].own, c, width) != out.by) return std::nullopt;
    out.back[channels[c].own] = channels[c];
  }
  return out;
}

std::optional<Rolled> rolled_input(const Channels& channels) {
  const std::size_t width = channels.size();
  if (width == 0) return std::nullopt;
  const MeasuredChannel& first = channels.front();
  // Said of partners, half a roll more or less is true as well: the one that most channels say of themselves.
  const auto by_own = [&](std::size_t by) {
    std::size_t count = 0;
    for (std::size_t c = 0; c < width; ++c) count += behind(channels[c].own, c, width) == by ? 1 : 0;
    return count;
  };
  std::array both{behind(first.own, 0, width), behind(first.partner, 0, width)};
  std::ranges::sort(both, std::greater{}, by_own);
  for (const std::size_t by : both) {
    if (by == 0) continue;
    Rolled out{by, channels};
    for (std::size_t c = 0; c < width; ++c) {
      MeasuredChannel& one = out.back[c];
      if (behind(one.own, c, width) != by) say_of_partner(one);
      if (one.from.empty() || behind(one.own, c, width) != by) break;
      put_back(one, by, width);
      if (c + 1 == width) return out;
    }
  }
  return std::nullopt;
}

std::vector<MeasuredChannel> counted_from(std::size_t first, Channels channels) {
  const std::size_t width = channels.size();
  for (MeasuredChannel& one : channels) put_back(one, width - first, width);
  std::rotate(channels.begin(), channels.begin() + static_cast<std::ptrdiff_t>(first), channels.end());
  return channels;
}

}  // namespace posproof
