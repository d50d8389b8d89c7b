#include "diagnosis/described_pairs.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>
#include <utility>

#include "core/error.h"
#include "core/function.h"
#include "diagnosis/measured_words.h"

namespace posproof::rotation_words {

Rotating rotation(const MeasuredChannel& one) {
  return one.rotates ? *one.rotates : Rotating{one.constant.value_or(0), 0, 0, 0};
}

namespace {

double allowed(const Described& of, const Pair& pair) {
  return angle_error(of.precision, 1, pair) + 1e-15;
}

Pair pair_like(const Rotary& truth, std::size_t i, double w) {
  Pair like = truth.pairs.at(std::min(i, truth.pairs.size() - 1));
  like.frequency = w;
  return like;
}

}  // namespace

MeasuredFrequency frequency(const Described& of, double declared, const MeasuredChannel& one, std::size_t i) {
  const Rotating is = rotation(one);
  const double widest = std::max(std::abs(declared), std::abs(is.frequency));
  return {declared, is.frequency, is.error, allowed(of, pair_like(of.truth, i, widest))};
}

namespace {

bool same(const Described& of, double declared, const MeasuredChannel& a, const MeasuredChannel& b,
          std::size_t i) {
  MeasuredFrequency one = frequency(of, declared, a, i);
  const Rotating other = rotation(b);
  one.declared = other.frequency;
  one.error += other.error;
  return !one.differs();
}

// In as many digits as tell it from the declared one.
std::string factor_words(double factor, double known, const Described& to) {
  const double root = std::sqrt(static_cast<double>(to.truth.dim));
  const auto is = [&](double x) { return std::abs(factor / x - 1) <= known; };
  if (is(root)) return fmt::format("sqrt({})", to.truth.dim);
  if (is(1 / root)) return fmt::format("1/sqrt({})", to.truth.dim);
  return told_apart(factor, known, to.truth.amplitude).first;
}

}  // namespace

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

bool describe_frequencies_by_channel(const Channels& channels, const Layout& layout, Described& to) {
  const std::size_t n = layout.pairs;
  struct {
    Function<std::size_t(std::size_t)> pair;
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

bool describe_phases(const std::vector<PairOf>& pairs, Described& to) {
  const auto off = [&](const PairOf& pair) { return std::abs(rotation(*pair.first).phase); };
  // Of each pair: rounding of the angles near 0, and what the frequency may be off over the sequence.
  const auto slack = [&](const PairOf& pair) {
    const Rotating is = rotation(*pair.first);
    return 4 * rotation_rounding(to.precision, 256, pair_like(to.truth, pair.index, is.frequency)) +
           256 * is.error;
  };
  if (std::ranges::all_of(pairs, [&](const PairOf& pair) { return off(pair) <= slack(pair); })) return true;
  const auto all = [&](const Function<bool(const Rotating&, double slack)>& is) {
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
                                   factor_words(is, known, to), number(to.truth.amplitude, 1e-6)));
  }
  return true;
}

}  // namespace posproof::rotation_words
