#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "catalogue/encodings/m_rope.h"
#include "catalogue/misreadings/m_rope.h"
#include "encodings/ladder.h"
#include "encodings/rotary_widths.h"
#include "misreadings/right.h"

namespace posproof::misreadings_m_rope {
namespace {

using misread::Real;

// A channel of a pair by another number of the position, or at another frequency.
struct Channel {
  std::size_t axis;
  Real frequency;
};

// Of each pair the first channel and the second.
using Channels = std::vector<std::array<Channel, 2>>;

Encoding rotated_by(Rotary right, const Channels& channels) {
  right.exact = nullptr;
  // What is faster is farther off.
  std::vector<Pair> pairs = right.pairs;
  for (std::size_t i = 0; i < pairs.size(); ++i)
    for (const Channel& one : channels[i])
      right.pairs[i].frequency = std::max(right.pairs[i].frequency, static_cast<double>(one.frequency));
  right.rotate = [pairs, channels](const Tensor& x, const Positions& positions, Role) {
    const std::size_t heads = x.shape[1], n = x.shape[2];
    Tensor y = x;
    for (std::size_t r = 0; r < x.rows(); ++r)
      for (std::size_t i = 0; i < pairs.size(); ++i) {
        const auto angle = [&](const Channel& one) {
          return static_cast<Real>(positions.at(r / (heads * n) * n + r % n, one.axis)) * one.frequency;
        };
        const Real a = x.at(r, pairs[i].first), b = x.at(r, pairs[i].second), first = angle(channels[i][0]),
                   second = angle(channels[i][1]);
        y.at(r, pairs[i].first) = static_cast<double>(a * std::cos(first) - b * std::sin(first));
        y.at(r, pairs[i].second) = static_cast<double>(a * std::sin(second) + b * std::cos(second));
      }
    return y;
  };
  return right;
}

// Pair j of a section has the frequency that pair j of all has.
Encoding begun_anew(const Parameters& given) {
  const Arguments p = misread::arguments(encodings::m_rope, given);
  if (!p.is("ladder", "running")) throw Refusal("a misreading of the running ladder");
  const Rotary right = encodings::m_rope.make<Rotary>(given);
  std::array<std::size_t, 3> seen{};
  Channels channels;
  bool differs = false;
  for (const Pair& pair : right.pairs) {
    const std::size_t j = seen.at(pair.axis)++;
    const Channel one{pair.axis, ladder::frequency(p.real("base"), 2 * j, rotary_widths::rotating(p))};
    channels.push_back({one, one});
    differs = differs || j != pair.index;
  }
  if (!differs) throw Refusal("the same of one section");
  return rotated_by(right, channels);
}

// Each section has twice as many channels, one section after the other, where all stand in the first half and
// again in the second.
Encoding doubled(const Parameters& given) {
  const Arguments p = misread::arguments(encodings::m_rope, given);
  if (!p.is("assignment", "contiguous") || !p.is("layout", "half_split") || !p.is("ids", "thw"))
    throw Refusal("said of three sections, one after the other, of both halves");
  const std::vector<double>& sections = p.list("sections");
  const std::size_t pairs = rotary_widths::rotating(p) / 2;
  const Rotary right = encodings::m_rope.make<Rotary>(given);
  if (sections[0] + sections[1] + sections[2] != static_cast<double>(pairs))
    throw Refusal("said of sections that leave no pair over");
  const auto axis_of = [&](std::size_t channel) -> std::size_t {
    const auto c = static_cast<double>(channel);
    return c < 2 * sections[0] ? 0 : c < 2 * (sections[0] + sections[1]) ? 1 : 2;
  };
  Channels channels;
  bool differs = false;
  for (const Pair& pair : right.pairs) {
    const Real w = pair.frequency;
    channels.push_back({Channel{axis_of(pair.first), w}, Channel{axis_of(pair.second), w}});
    for (const Channel& one : channels.back()) differs = differs || one.axis != pair.axis;
  }
  if (!differs) throw Refusal("the same of one section");
  return rotated_by(right, channels);
}

constexpr std::string_view setting = "dim=16 sections=[2,3,3]";

}  // namespace

const MisreadingFamily entry{{
    {"the ladder begins anew in each section: its pair j has the frequency base^(-2j/r)", &begun_anew,
     setting},
    {"the sections are doubled, not repeated: the first 2t channels rotate by the time, the next 2h by the row, "
     "the last 2w by the column",
     &doubled, setting},
}};

}  // namespace posproof::misreadings_m_rope
