#include "diagnosis/partner_forms.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <utility>

namespace posproof {
namespace {

// The channels that rotate, rising.
std::vector<std::size_t> rotating_channels(const Rotary& truth) {
  std::vector<std::size_t> out;
  for (const Pair& pair : truth.pairs) out.push_back(pair.first), out.push_back(pair.second);
  std::ranges::sort(out);
  return out;
}

// Of so many channels, which follow each other, i and i + half of each block of 2 half rotate together, each
// by the angle that is declared for it.
std::optional<Rotary> with_partners(const Rotary& truth, const std::vector<std::size_t>& channels,
                                    std::size_t half) {
  std::map<std::size_t, Pair> of;  // the declared pair of a channel
  for (const Pair& pair : truth.pairs) of[pair.first] = of[pair.second] = pair;
  std::vector<std::pair<Pair, Pair>> together;  // of the first and of the second channel
  Rotary out = truth;
  out.exact = nullptr;
  out.pairs.clear();
  bool differs = false;
  for (std::size_t n = 0; n < channels.size(); ++n) {
    if (n / half % 2 != 0) continue;
    Pair first = of.at(channels[n]), second = of.at(channels[n + half]);
    differs = differs || first.first != channels[n] || first.second != channels[n + half];
    // What rounding does to an angle grows with the frequency: the pair is bounded by its faster channel.
    Pair bounded = first.frequency < second.frequency ? second : first;
    bounded.first = first.first = second.first = channels[n];
    bounded.second = first.second = second.second = channels[n + half];
    out.pairs.push_back(bounded);
    together.emplace_back(first, second);
  }
  if (!differs) return std::nullopt;
  out.rotate = [=, size = truth.amplitude](const Tensor& x, const Positions& positions, Role) {
    const std::size_t heads = x.shape[1], n = x.shape[2];
    Tensor y = x;
    for (std::size_t r = 0; r < x.rows(); ++r)
      for (const auto& [first, second] : together) {
        const auto angle = [&](const Pair& pair) {
          const long double t = positions.at(r / (heads * n) * n + r % n, pair.axis);
          return t * pair.frequency;
        };
        const long double a = x.at(r, first.first), b = x.at(r, first.second), size_ = size;
        y.at(r, first.first) =
            static_cast<double>(size_ * (a * std::cos(angle(first)) - b * std::sin(angle(first))));
        y.at(r, first.second) =
            static_cast<double>(size_ * (a * std::sin(angle(second)) + b * std::cos(angle(second))));
      }
    return y;
  };
  return out;
}

}  // namespace

std::vector<RotationForm> partner_forms(const Rotary& truth) {
  const std::size_t axes = truth.positions.axes;
  if (axes < 2 || truth.in_call || truth.stretch || !truth.order.empty() || truth.error) return {};
  const std::vector<std::size_t> channels = rotating_channels(truth);
  std::vector<std::size_t> halves = {1, channels.size() / 2};
  if (channels.size() % (2 * axes) == 0) halves.push_back(channels.size() / (2 * axes));
  std::ranges::sort(halves);
  halves.erase(std::unique(halves.begin(), halves.end()), halves.end());
  std::vector<RotationForm> out;
  for (const std::size_t half : halves)
    if (auto made = with_partners(truth, channels, half))
      out.push_back({half == 1 ? "channels 2i and 2i + 1 rotate together, each by the angle declared for it"
                               : fmt::format("channels i and i + {} of each {} rotate together, each by the "
                                             "angle declared for it",
                                             half, 2 * half),
                     std::move(*made)});
  return out;
}

}  // namespace posproof
