#include "diagnosis/rotation_deviations.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>
#include <set>

#include "core/error.h"
#include "diagnosis/ladder_deviations.h"
#include "diagnosis/measured_words.h"
#include "diagnosis/rolled_channels.h"

namespace posproof {
namespace {

using Sentences = std::vector<std::string>;
using Channels = std::vector<MeasuredChannel>;
using Two = std::pair<std::size_t, std::size_t>;

// How channels are paired: (i, i + apart) or, where they are neighbours, (2i, 2i + 1), for i below `pairs`.
struct Layout {
  bool neighbours;
  std::size_t apart, pairs;
  bool operator==(const Layout&) const = default;

  std::optional<std::size_t> pair_of(std::size_t channel) const {
    if (neighbours) return channel < 2 * pairs ? std::optional(channel / 2) : std::nullopt;
    if (channel < pairs) return channel;
    if (channel >= apart && channel - apart < pairs) return channel - apart;
    return std::nullopt;
  }
  Two channels(std::size_t pair) const {
    return neighbours ? Two{2 * pair, 2 * pair + 1} : Two{pair, pair + apart};
  }
  std::string words() const {
    if (pairs == 1) return fmt::format("channels {} and {}", channels(0).first, channels(0).second);
    return neighbours ? fmt::format("channels 2i and 2i + 1 (i below {})", pairs)
                      : fmt::format("channels i and i + {} (i below {})", apart, pairs);
  }
};

std::optional<Layout> layout_of(const std::vector<Two>& pairs) {
  if (pairs.empty()) return std::nullopt;
  for (const bool neighbours : {false, true}) {
    const Layout layout{neighbours, pairs.front().second - pairs.front().first, pairs.size()};
    bool all = true;
    for (std::size_t i = 0; i < pairs.size(); ++i) all = all && pairs[i] == layout.channels(i);
    if (all) return layout;
  }
  return std::nullopt;
}

std::size_t first_channel(const Rotary& truth) {
  std::size_t out = truth.dim;
  for (const Pair& pair : truth.pairs) out = std::min({out, pair.first, pair.second});
  return out;
}

// Counted from the first channel that rotates.
std::vector<Two> declared_pairs(const Rotary& truth) {
  const std::size_t first = first_channel(truth);
  std::vector<Two> out;
  for (const Pair& pair : truth.pairs) out.emplace_back(pair.first - first, pair.second - first);
  return out;
}

// The pairs that two outputs are made of, rising.
std::vector<Two> measured_pairs(const Channels& channels) {
  std::set<Two> found;
  for (const MeasuredChannel& one : channels)
    if (one.from.size() == 2) found.emplace(one.from[0], one.from[1]);
  return {found.begin(), found.end()};
}

// ---- a channel at a time: what an output is, of the layout that holds

struct Described {
  const Rotary& truth;
  const Parameters& parameters;
  const Precision& precision;
  double divisor;
  Sentences out = {};
};

std::string not_multiplied(const Described& to) {
  return fmt::format("no rotation is multiplied by {}", number(to.truth.amplitude, 1e-6));
}

std::vector<std::size_t> those(const Channels& channels,
                               const std::function<bool(const MeasuredChannel&, std::size_t)>& is) {
  std::vector<std::size_t> out;
  for (std::size_t c = 0; c < channels.size(); ++c)
    if (is(channels[c], c)) out.push_back(c);
  return out;
}

void say(Described& to, const std::vector<std::size_t>& which, std::string_view one, std::string_view many) {
  if (!which.empty())
    to.out.push_back(fmt::format("{} {}", numbered("channel", which), which.size() == 1 ? one : many));
}

// Where every output holds which rotated channel.
bool describe_order(const Channels& channels, const Layout& layout, Described& to) {
  const std::size_t p = layout.pairs;
  const auto all = [&](const std::function<std::size_t(std::size_t)>& own) {
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

// Partners that are no layout: which channels have another than declared.
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

// ---- what a pair is

struct PairOf {
  std::size_t index;
  const MeasuredChannel *first, *second;  // as the outputs that are made of them
  double declared;
};

Rotating rotation(const MeasuredChannel& one) {
  return one.rotates ? *one.rotates : Rotating{one.constant.value_or(0), 0, 0, 0};
}

double allowed(const Described& of, const Pair& pair) {
  return angle_error(of.precision, 1, pair) + 1e-15;
}

Pair pair_like(const Rotary& truth, std::size_t i, double w) {
  Pair like = truth.pairs.at(std::min(i, truth.pairs.size() - 1));
  like.frequency = w;
  return like;
}

MeasuredFrequency frequency(const Described& of, double declared, const MeasuredChannel& one, std::size_t i) {
  const Rotating is = rotation(one);
  const double widest = std::max(std::abs(declared), std::abs(is.frequency));
  return {declared, is.frequency, is.error, allowed(of, pair_like(of.truth, i, widest))};
}

bool same(const Described& of, double declared, const MeasuredChannel& a, const MeasuredChannel& b,
          std::size_t i) {
  MeasuredFrequency one = frequency(of, declared, a, i);
  const Rotating other = rotation(b);
  one.declared = other.frequency;
  one.error += other.error;
  return !one.differs();
}

// The frequency of a declared pair; past the last, as the ladder goes on.
double declared_frequency(const Rotary& truth, std::size_t i) {
  if (i < truth.pairs.size()) return truth.pairs[i].frequency;
  const std::size_t n = truth.pairs.size();
  if (n < 2) return truth.pairs.back().frequency;
  const double ratio = truth.pairs[1].frequency / truth.pairs[0].frequency;
  return truth.pairs[0].frequency * std::pow(ratio, static_cast<double>(i));
}

std::vector<PairOf> pairs_of(const Channels& channels, const Layout& layout, const Rotary& truth) {
  // The outputs that hold the rotated first and second channel of each pair.
  std::vector<PairOf> out;
  for (std::size_t i = 0; i < layout.pairs; ++i) {
    const auto [a, b] = layout.channels(i);
    PairOf pair{i, nullptr, nullptr, declared_frequency(truth, i)};
    for (const MeasuredChannel& one : channels) {
      if (one.shares.empty()) continue;
      if (one.own == a) pair.first = &one;
      if (one.own == b) pair.second = &one;
    }
    out.push_back(pair);
  }
  return out;
}

// The sine of one of the two has the other sign. True where that was said of all pairs or of none.
bool describe_signs(std::vector<PairOf>& pairs, Described& to) {
  std::vector<std::size_t> of_first, of_second;
  for (const PairOf& pair : pairs) {
    const Rotating a = rotation(*pair.first), b = rotation(*pair.second);
    if (same(to, pair.declared, *pair.first, *pair.second, pair.index)) continue;
    if (!(std::abs(a.frequency + b.frequency) <= a.error + b.error + 1e-6 * std::abs(a.frequency)))
      return false;
    (a.frequency * pair.declared < 0 ? of_first : of_second).push_back(pair.index);
  }
  const auto tell = [&](std::string_view which, const std::vector<std::size_t>& of) {
    if (of.empty()) return;
    to.out.push_back(fmt::format("the sine in the {} channel of {} has the wrong sign", which,
                                 of.size() != pairs.size() ? numbered("pair", of)
                                 : pairs.size() == 1       ? "the pair"
                                                           : "each pair"));
  };
  tell("first", of_first);
  tell("second", of_second);
  for (PairOf& pair : pairs) {
    if (std::ranges::find(of_first, pair.index) != of_first.end()) pair.first = pair.second;
    if (std::ranges::find(of_second, pair.index) != of_second.end()) pair.second = pair.first;
  }
  return true;
}

// A table of one angle for each channel under the other layout: its own frequency for each of a pair.
bool describe_frequencies_by_channel(const Channels& channels, const Layout& layout, Described& to) {
  const std::size_t n = layout.pairs;
  struct {
    std::function<std::size_t(std::size_t)> pair;
    const char* words;
  } const maps[] = {
      {[](std::size_t c) { return c / 2; },
       "channel c rotates at the frequency of pair floor(c/2), as of a table [w0, w0, w1, w1, ..]"},
      {[n](std::size_t c) { return c % n; },
       "channel c rotates at the frequency of pair c mod {}, as of a table [w0, w1, .., w0, w1, ..]"},
  };
  for (const auto& map : maps) {
    bool all = true;
    for (std::size_t c = 0; c < channels.size(); ++c)
      if (channels[c].rotates)
        all = all && c < 2 * n &&
              !frequency(to, declared_frequency(to.truth, map.pair(c)), channels[c], map.pair(c)).differs();
    if (!all) continue;
    to.out.push_back(fmt::format(fmt::runtime(map.words), n));
    return true;
  }
  return false;
}

// The phase at position 0, as so many positions ahead, of all pairs alike.
bool describe_phases(const std::vector<PairOf>& pairs, Described& to) {
  const auto off = [&](const PairOf& pair) { return std::abs(rotation(*pair.first).phase); };
  // Of each pair: rounding of the angles near 0, and what the frequency may be off over the sequence.
  const auto slack = [&](const PairOf& pair) {
    const Rotating is = rotation(*pair.first);
    return 4 * rotation_rounding(to.precision, 256, pair_like(to.truth, pair.index, is.frequency)) +
           256 * is.error;
  };
  if (std::ranges::all_of(pairs, [&](const PairOf& pair) { return off(pair) <= slack(pair); })) return true;
  const auto all = [&](const std::function<bool(const Rotating&, double slack)>& is) {
    return std::ranges::all_of(pairs,
                               [&](const PairOf& pair) { return is(rotation(*pair.first), slack(pair)); });
  };
  const auto apart = [](double a, double b) { return std::abs(std::remainder(a - b, 2 * std::numbers::pi)); };
  // cos and sin in each other's place: theta -> pi/2 - theta.
  if (all([&](const Rotating& is, double slack_of) {
        return apart(is.phase, std::numbers::pi / 2) <= slack_of;
      })) {
    const bool back = std::ranges::all_of(
        pairs, [&](const PairOf& pair) { return rotation(*pair.first).frequency * pair.declared < 0; });
    to.out.push_back(back ? "cosine and sine are swapped" : "every rotation is a quarter of a turn ahead");
    return true;
  }
  if (all([&](const Rotating& is, double slack_of) {
        return apart(is.phase, std::numbers::pi) <= slack_of;
      })) {
    to.out.push_back("every rotated channel has the wrong sign");
    return true;
  }
  // The fastest pair that has not gone round for so many positions decides on a whole number.
  for (int ahead = -64; ahead <= 64; ++ahead)
    if (ahead != 0 && all([&](const Rotating& is, double slack_of) {
          return apart(is.phase, is.frequency * ahead) <= slack_of;
        })) {
      const int many = std::abs(ahead);
      to.out.push_back(fmt::format("positions are {} {}", many == 1 ? "one" : fmt::format("{}", many),
                                   ahead > 0 ? "ahead" : "behind"));
      return true;
    }
  const Rotating slow = rotation(*pairs.back().first);
  const double shift = slow.phase / slow.frequency,
               known = slack(pairs.back()) / std::abs(slow.frequency * shift);
  if (std::abs(shift) < 1e6 && known < 0.05 && all([&](const Rotating& is, double slack_of) {
        return apart(is.phase, is.frequency * shift) <= slack_of + std::abs(is.frequency * shift) * known;
      })) {
    to.out.push_back(
        fmt::format("positions are {} {}", number(std::abs(shift), known), shift > 0 ? "ahead" : "behind"));
    return true;
  }
  const auto sharpest = std::ranges::min_element(pairs, {}, slack);
  const double phase = std::remainder(rotation(*sharpest->first).phase, 2 * std::numbers::pi);
  if (all([&](const Rotating& is, double slack_of) {
        return apart(is.phase, phase) <= slack_of + slack(*sharpest);
      })) {
    to.out.push_back(fmt::format("every angle is {} {}",
                                 number(std::abs(phase), slack(*sharpest) / std::abs(phase)),
                                 phase > 0 ? "ahead" : "behind"));
    return true;
  }
  return false;
}

std::string as_factor(double factor, std::size_t dim, double known) {
  const double root = std::sqrt(static_cast<double>(dim));
  const auto is = [&](double x) { return std::abs(factor / x - 1) <= known; };
  if (is(root)) return fmt::format("sqrt({})", dim);
  if (is(1 / root)) return fmt::format("1/sqrt({})", dim);
  return number(factor, known);
}

// Amplitudes, of the outputs.
bool describe_amplitudes(const Channels& channels, Described& to) {
  const double known = 16 * (to.precision.result + to.precision.table()) + 1e-7;
  std::map<long, std::vector<std::size_t>> by_factor;
  std::map<long, double> factors;
  std::size_t rotated = 0;
  for (std::size_t c = 0; c < channels.size(); ++c) {
    if (!channels[c].rotates) continue;
    ++rotated;
    const double factor = channels[c].rotates->amplitude / to.truth.amplitude;
    if (std::abs(factor - 1) <= known) continue;
    const long key = std::lround(std::log(factor) / (4 * known));
    by_factor[key].push_back(c);
    factors[key] = channels[c].rotates->amplitude;
  }
  if (by_factor.size() > 3) return false;
  for (const auto& [key, which] : by_factor) {
    const double is = factors[key];
    const std::string of = which.size() == rotated ? "every rotation" : numbered("channel", which);
    const char* multiplied = which.size() == rotated || which.size() == 1 ? "is" : "are";
    if (std::abs(is - 1) <= known)
      to.out.push_back(which.size() == rotated ? not_multiplied(to)
                                               : fmt::format("{} {} not multiplied by {}", of, multiplied,
                                                             number(to.truth.amplitude, 1e-6)));
    else
      to.out.push_back(fmt::format("{} {} multiplied by {}, not by {}", of, multiplied,
                                   as_factor(is, to.truth.dim, known), number(to.truth.amplitude, 1e-6)));
  }
  return true;
}

// What is left as it is, or 0, beside what was declared; of declared pairs as a whole, the frequency says it.
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
  if (const auto other = layout_of(found); other && !alone) {
    to.out.push_back(fmt::format("{} rotate together, not {}", other->words(), declared.words()));
    if (other->pairs == declared.pairs && other->neighbours != declared.neighbours &&
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
  const auto is = [&](const std::function<bool(const MeasuredChannel&)>& one) {
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
          !one.starts_with("for channel c "))
        one = fmt::format("counted from channel {}: {}", first, one);
  return said;
}

}  // namespace posproof
