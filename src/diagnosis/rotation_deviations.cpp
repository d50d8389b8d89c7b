#include "diagnosis/rotation_deviations.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

#include "core/function.h"
#include "diagnosis/described_channels.h"
#include "diagnosis/described_pairs.h"
#include "diagnosis/ladder_deviations.h"
#include "diagnosis/measured_words.h"
#include "diagnosis/rolled_channels.h"
#include "diagnosis/rotation_layout.h"

namespace posproof {
namespace {

using namespace rotation_words;

// In pairs of this layout.
bool describe_in(const Channels& channels, const Layout& layout, Described& to) {
  if (!describe_order(channels, layout, to)) return false;
  std::vector<PairOf> pairs = pairs_of(channels, layout, to.truth);
  std::erase_if(pairs, [](const PairOf& pair) { return pair.first == nullptr && pair.second == nullptr; });
  std::vector<std::size_t> one_sided;
  for (PairOf& pair : pairs) {
    const bool first_still = pair.first == nullptr || pair.first->constant.has_value(),
               second_still = pair.second == nullptr || pair.second->constant.has_value();
    const auto [a, b] = layout.channels(pair.index);
    if (first_still != second_still) {
      const std::size_t still = first_still ? a : b;
      const MeasuredChannel* one = first_still ? pair.first : pair.second;
      if (one != nullptr) one_sided.push_back(still);
    }
    if (first_still && !second_still) pair.first = pair.second;
    if (second_still && !first_still) pair.second = pair.first;
    if (pair.first == nullptr) pair.first = pair.second;
    if (pair.second == nullptr) pair.second = pair.first;
  }
  std::ranges::sort(one_sided);
  say(to, one_sided, "stays as it is", "stay as they are");
  if (pairs.empty()) return true;
  std::vector<std::string> kept = to.out;
  if (!describe_signs(pairs, to)) {
    to.out = kept;
    if (!describe_frequencies_by_channel(channels, layout, to)) return false;
    return describe_amplitudes(channels, to);
  }
  std::vector<MeasuredFrequency> ladder;
  for (const PairOf& pair : pairs) ladder.push_back(frequency(to, pair.declared, *pair.first, pair.index));
  const bool swapped = std::ranges::all_of(pairs, [](const PairOf& pair) {
    const Rotating is = rotation(*pair.first);
    return std::abs(is.phase - std::numbers::pi / 2) < 1e-3 && is.frequency * pair.declared < 0;
  });
  if (swapped)
    for (MeasuredFrequency& one : ladder) one.measured = -one.measured;
  if (ladder.size() == layout.pairs)
    for (std::string& sentence : ladder_deviations(ladder, to.parameters, to.divisor))
      to.out.push_back(std::move(sentence));
  else if (std::ranges::any_of(ladder, [](const MeasuredFrequency& one) { return one.differs(); }))
    return false;
  std::erase_if(pairs, [](const PairOf& pair) { return pair.first->constant.has_value(); });
  if (!pairs.empty() && !describe_phases(pairs, to)) return false;
  return describe_amplitudes(channels, to);
}

// Channels whose cosine and sine are of one frequency.
std::optional<Sentences> described(const Channels& channels, const Layout& declared, Described to) {
  const Rotary& truth = to.truth;
  const std::vector<Two> found = measured_pairs(channels);
  const bool as_declared = std::ranges::all_of(found, [&](const Two& two) {
    const auto pair = declared.pair_of(two.first);
    return pair && declared.channels(*pair) == two;
  });
  const bool alone = std::ranges::any_of(
      channels, [](const MeasuredChannel& one) { return one.from.size() == 1 && !one.constant; });
  if (!describe_constants(channels, to)) return std::nullopt;
  if (as_declared && !alone)
    return describe_in(channels, declared, to) ? std::optional(to.out) : std::nullopt;
  auto other = layout_of(found);
  if (!other) other = layout_in_blocks(found);
  if (other && !alone) {
    to.out.push_back(fmt::format("{} rotate together, not {}", other->words(), declared.words()));
    if (!other->blocks && other->pairs == declared.pairs && other->neighbours != declared.neighbours &&
        (other->neighbours || other->apart == declared.pairs))
      to.out.back() += ": the same after one permutation of channels, evens then odds";
    return describe_in(channels, *other, to) ? std::optional(to.out) : std::nullopt;
  }
  if (!describe_partners(channels, declared, to)) return std::nullopt;
  std::vector<MeasuredFrequency> by_channel;
  for (std::size_t c = 0; c < channels.size(); ++c)
    if (const auto pair = declared.pair_of(c); pair && channels[c].rotates) {
      // The sine's sign is that of the place among the two, which another partner may change.
      const auto [a, b] = declared.channels(*pair);
      const bool turned = (channels[c].partner > c) != (c == a);
      const double w = declared_frequency(truth, *pair) * (turned ? -1 : 1);
      if (frequency(to, w, channels[c], *pair).differs()) return std::nullopt;
    }
  if (!describe_amplitudes(channels, to)) return std::nullopt;
  return to.out;
}

// ---- of channels that are moved

std::string rolled_words(const char* words, std::size_t by, std::size_t dim) {
  const bool behind = 2 * by <= dim;
  return fmt::format(fmt::runtime(words), fmt::format("channel c {} {} (modulo {})", behind ? '-' : '+',
                                                      behind ? by : dim - by, dim));
}

constexpr std::string_view in_wrong_order =
    ": those that rotate and the others are concatenated in the wrong order";

// Rolled so that the channels that rotate stand at the other end.
bool stands_behind_the_others(std::size_t by, const Layout& declared, const Rotary& truth) {
  const std::size_t rotating = 2 * declared.pairs;
  return rotating < truth.dim && by == (first_channel(truth) == 0 ? truth.dim - rotating : rotating);
}

std::optional<Sentences> described_or_rolled(const Channels& channels, const Layout& declared,
                                             const Described& to) {
  if (auto said = described(channels, declared, to)) return said;
  // One that is rolled by whole pairs is both, if other frequencies are said of one of them.
  std::optional<Sentences> best;
  for (const auto& [words, rolled] :
       {std::pair{"channel c of the answer holds the rotated {}", rolled_answer(channels)},
        std::pair{"for channel c {} of the token is rotated", rolled_input(channels)}}) {
    if (!rolled) continue;
    auto said = described(rolled->back, declared, to);
    if (!said || (best && best->size() <= said->size() + 1)) continue;
    said->insert(said->begin(), rolled_words(words, rolled->by, channels.size()));
    if (stands_behind_the_others(rolled->by, declared, to.truth)) said->front() += in_wrong_order;
    best = std::move(said);
  }
  return best;
}

// Where only some channels rotate: those that stand as many places from the declared ones, all alike.
std::optional<Sentences> described_from_elsewhere(const Channels& channels, const Layout& declared,
                                                  const Described& to) {
  const std::size_t width = channels.size(), first = first_channel(to.truth);
  if (2 * declared.pairs >= width) return std::nullopt;
  const std::vector<Two> found = measured_pairs(channels);
  if (found.size() != declared.pairs) return std::nullopt;
  for (std::size_t by = 1; by < width; ++by) {
    const auto is_found = [&](std::size_t pair) {
      const auto [a, b] = declared.channels(pair);
      const std::size_t one = (a + by) % width, other = (b + by) % width;
      return std::ranges::binary_search(found, Two{std::min(one, other), std::max(one, other)});
    };
    bool all = true;
    for (std::size_t pair = 0; pair < declared.pairs && all; ++pair) all = is_found(pair);
    if (!all) continue;
    auto said = described(counted_from(by, channels), declared, to);
    if (!said) return std::nullopt;
    const std::size_t begins = (first + by) % width;
    for (std::string& one : *said)
      if (one.find("channel") != one.npos) one = fmt::format("counted from channel {}: {}", begins, one);
    said->insert(said->begin(),
                 fmt::format("the part that rotates begins at channel {} of {}, not at channel {}", begins,
                             width, first));
    return said;
  }
  return std::nullopt;
}

// ---- of two parts, each as if the other were like it

struct Part {
  std::string_view name;
  Channels channels;
};

// What is said of both is said once.
std::optional<Sentences> described_in_parts(const Part& one, const Part& other, const Layout& declared,
                                            const Described& to) {
  const auto of_one = described_or_rolled(one.channels, declared, to),
             of_other = described_or_rolled(other.channels, declared, to);
  if (!of_one || !of_other) return std::nullopt;
  const auto has = [](const Sentences& all, const std::string& sentence) {
    return std::ranges::find(all, sentence) != all.end();
  };
  Sentences out;
  for (const std::string& sentence : *of_one)
    out.push_back(has(*of_other, sentence) ? sentence : fmt::format("{}: {}", one.name, sentence));
  for (const std::string& sentence : *of_other)
    if (!has(*of_one, sentence)) out.push_back(fmt::format("{}: {}", other.name, sentence));
  return out;
}

Channels with_one_frequency(Channels channels, Rotating Halves::*which) {
  for (MeasuredChannel& one : channels)
    if (one.apart) one.rotates = (*one.apart).*which;
  return channels;
}

// Both channels of each declared pair as one of them.
Channels alike(Channels channels, const Layout& declared, std::size_t Two::*which) {
  for (std::size_t pair = 0; pair < declared.pairs; ++pair) {
    const Two two = declared.channels(pair);
    const MeasuredChannel as = channels[two.*which];
    for (const std::size_t c : {two.first, two.second}) {
      if (c == two.*which || channels[c].from.size() != 2 || as.from != channels[c].from) continue;
      const MeasuredChannel own = channels[c];
      channels[c] = as;
      channels[c].own = own.own, channels[c].partner = own.partner;
    }
  }
  return channels;
}

std::optional<Sentences> described_in_any_part(const Channels& channels, const Layout& declared,
                                               const Described& to) {
  if (std::ranges::any_of(channels, [](const MeasuredChannel& one) { return one.apart.has_value(); })) {
    auto said = described_in_parts({"cosines", with_one_frequency(channels, &Halves::cosine)},
                                   {"sines", with_one_frequency(channels, &Halves::sine)}, declared, to);
    for (const auto& [without, with] : {std::pair{"sines", "cosines"}, std::pair{"cosines", "sines"}})
      if (said && *said == Sentences{fmt::format("{}: {}", without, not_multiplied(to))})
        return Sentences{fmt::format("{} are multiplied by {}, {} are not", with,
                                     number(to.truth.amplitude, 1e-6), without)};
    return said;
  }
  if (auto said = described_or_rolled(channels, declared, to)) return said;
  if (auto said = described_from_elsewhere(channels, declared, to)) return said;
  return described_in_parts({"the first channel of a pair", alike(channels, declared, &Two::first)},
                            {"the second channel of a pair", alike(channels, declared, &Two::second)},
                            declared, to);
}

}  // namespace

std::optional<std::vector<std::string>> rotation_deviations(const Channels& measured, const Rotary& truth,
                                                            const Parameters& parameters, double divisor,
                                                            const Precision& precision) {
  const std::size_t first = truth.pairs.empty() ? 0 : first_channel(truth);
  const Channels channels = first == 0 ? measured : counted_from(first, measured);
  const auto is = [&](const Function<bool(const MeasuredChannel&)>& one) {
    return std::ranges::any_of(channels, one);
  };
  const auto declared = layout_of(declared_pairs(truth));
  if (!declared || truth.pairs.empty() || is([](const MeasuredChannel& one) { return !one.is_known(); }))
    return std::nullopt;
  const Described to{truth, parameters, precision, divisor};
  auto said = described_in_any_part(channels, *declared, to);
  const auto added = those(channels, [](const MeasuredChannel& one, std::size_t) { return one.added; });
  if (said && !added.empty())
    said->push_back(
        fmt::format("the token is added to {}", added.size() == 2 * truth.pairs.size()
                                                    ? "its rotation"
                                                    : numbered("channel", added) + " of its rotation"));
  // A roll is the same from wherever it is counted.
  if (said && first != 0)
    for (std::string& one : *said)
      if (one.find("channel") != one.npos && !one.starts_with("channel c of the answer") &&
          !one.starts_with("for channel c ") && !one.starts_with("the part that rotates begins") &&
          !one.starts_with("counted from channel"))
        one = fmt::format("counted from channel {}: {}", first, one);
  return said;
}

}  // namespace posproof
