#include "identify/identified_rotary.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "core/error.h"
#include "run/catalogued.h"

namespace posproof {
namespace {

// Two channels that rotate together, as the first of them was measured.
struct Rotated {
  std::size_t first, second;
  const Rotating* by;
};

std::vector<Rotated> rotated(const std::vector<MeasuredChannel>& channels) {
  std::vector<Rotated> out;
  for (std::size_t c = 0; c < channels.size(); ++c) {
    const MeasuredChannel& one = channels[c];
    if (one.rotates && one.own == c && one.partner > c) out.push_back({c, one.partner, &*one.rotates});
  }
  return out;
}

// The distance that most pairs have between their channels.
std::size_t usual_distance(const std::vector<Rotated>& pairs) {
  std::map<std::size_t, std::size_t> count;
  for (const Rotated& pair : pairs) ++count[pair.second - pair.first];
  return std::ranges::max_element(count, {}, [](const auto& one) { return one.second; })->first;
}

double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::ranges::nth_element(values, middle);
  return *middle;
}

// What a frequency may be off by, relatively: measured, and as the subject formed it, scaled ones included.
double relative_error(const Rotating& by, const Precision& precision) {
  const double w = std::abs(by.frequency);
  return (by.error + 3 * power_error(precision, w) * w) / w;
}

// Pairs from `start` on, of those that lie `distance` apart. Frequencies of channels in between that do not
// rotate are not measured: they end the ladder.
MeasuredLadder ladder_of(const std::vector<Rotated>& pairs, const Precision& precision) {
  MeasuredLadder out;
  std::vector<double> amplitudes;
  for (const Rotated& pair : pairs) {
    out.frequencies.push_back(std::abs(pair.by->frequency));
    out.errors.push_back(relative_error(*pair.by, precision));
    amplitudes.push_back(pair.by->amplitude);
  }
  out.amplitude = median(amplitudes);
  out.amplitude_error = 16 * precision.table() + 4 * precision.result;
  return out;
}

IdentifiedChannels channels_of(std::vector<Rotated> pairs, std::size_t dim, std::size_t distance,
                               bool interleaved, const Precision& precision) {
  std::erase_if(pairs, [&](const Rotated& pair) { return pair.second - pair.first != distance; });
  const std::size_t start = pairs.front().first, count = pairs.size();
  const std::size_t backward = static_cast<std::size_t>(
      std::ranges::count_if(pairs, [](const Rotated& pair) { return pair.by->frequency < 0; }));
  IdentifiedChannels out{{}, interleaved ? 2 * count : 2 * distance, ladder_of(pairs, precision)};
  const bool to_the_end = start > 0 && start + out.width == dim;
  out.settings.set("dim", static_cast<double>(dim));
  out.settings.set("layout", std::string(interleaved ? "interleaved" : "half_split"));
  if (out.width != dim) out.settings.set("rotary_dim", static_cast<double>(out.width));
  if (to_the_end) out.settings.set("rotary_part", std::string("last"));
  if (!interleaved && count < distance) out.settings.set("kept_pairs", static_cast<double>(count));
  if (2 * backward > count) out.settings.set("direction", std::string("backward"));
  return out;
}

bool stands_elsewhere(const std::vector<MeasuredChannel>& answered) {
  for (std::size_t c = 0; c < answered.size(); ++c)
    if (answered[c].own != c) return true;
  return false;
}

// The channels where the rotation has them, if the answer has all of them elsewhere.
std::optional<std::vector<MeasuredChannel>> put_back(const std::vector<MeasuredChannel>& answered) {
  std::vector<MeasuredChannel> out(answered.size());
  std::vector<bool> taken(answered.size(), false);
  for (const MeasuredChannel& one : answered) {
    if (!(one.rotates || one.constant) || taken[one.own]) return std::nullopt;
    taken[one.own] = true;
    out[one.own] = one;
  }
  return out;
}

std::vector<IdentifiedChannels> channels_in(const std::vector<Rotated>& pairs, std::size_t dim,
                                            const Precision& precision) {
  if (pairs.empty()) return {};
  const std::size_t distance = usual_distance(pairs);
  std::vector<IdentifiedChannels> out{channels_of(pairs, dim, distance, distance == 1, precision)};
  if (distance == 1 && pairs.size() == 1) out.push_back(channels_of(pairs, dim, distance, false, precision));
  return out;
}

}  // namespace

std::vector<IdentifiedChannels> identified_channels(const MeasuredRotation& measured,
                                                    const Precision& precision) {
  const std::vector<MeasuredChannel>& answered = measured.heads.front();
  const std::size_t dim = answered.size();
  std::vector<IdentifiedChannels> out = channels_in(rotated(answered), dim, precision);
  const auto back = put_back(answered);
  if (back && stands_elsewhere(answered))
    for (IdentifiedChannels& one : channels_in(rotated(*back), dim, precision)) {
      if (one.settings.word("layout") != "interleaved") continue;
      one.settings.set("output_layout", std::string("half_split"));
      out.push_back(std::move(one));
    }
  return out;
}

std::size_t frequencies_off(const Candidate& candidate, const MeasuredLadder& ladder) {
  const Encoding made = encoding_named(candidate.encoding).make(candidate.parameters);
  const auto& pairs = as<Rotary>(made).pairs;
  std::size_t off = 0;
  for (std::size_t i = 0; i < ladder.frequencies.size(); ++i)
    if (i >= pairs.size() ||
        !around(ladder.frequencies[i], 2 * ladder.errors[i]).has(std::abs(pairs[i].frequency)))
      ++off;
  return off;
}

std::vector<Candidate> rotary_candidates(const Rotary& subject, const Rotary& like,
                                         const Precision& precision) {
  std::vector<Candidate> out;
  const EncodingSpec& rope = encoding_named("rope");
  const auto measured = measured_rotation(subject, like, Role::query, precision);
  if (!measured || measured->heads.empty()) return out;
  for (const IdentifiedChannels& channels : identified_channels(*measured, precision)) {
    std::vector<std::pair<std::size_t, const char*>> over{{channels.width, "rotary_dim"}};
    if (channels.width != subject.dim) over.emplace_back(subject.dim, "dim");
    for (const auto& [width, exponent] : over)
      for (const Parameters& ladder : scaled_ladders(channels.ladder, width)) {
        Candidate one{"rope", channels.settings};
        one.parameters.set("heads", static_cast<double>(subject.heads));
        for (const auto& [name, value] : ladder.fields()) one.parameters.set(name, value);
        if (width != channels.width) one.parameters.set("exponent", std::string(exponent));
        if (!makes_sense(rope, one.parameters)) continue;
        if (2 * frequencies_off(one, channels.ladder) <= channels.ladder.frequencies.size())
          out.push_back(std::move(one));
      }
  }
  return out;
}

}  // namespace posproof
