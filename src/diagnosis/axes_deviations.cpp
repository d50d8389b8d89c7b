#include "diagnosis/axes_deviations.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/call.h"
#include "core/error.h"
#include "core/function.h"
#include "diagnosis/ladder_deviations.h"
#include "diagnosis/measured_rotation.h"
#include "diagnosis/measured_words.h"
#include "run/narrowed.h"

namespace posproof {
namespace {

using Sentences = std::vector<std::string>;

// What a channel rotates by: radians per position of each axis, counted as those of its declared pair.
struct Turning {
  std::vector<double> frequency, error;
};
using Channels = std::vector<Turning>;  // of the rotated channels, a first one and a second one for each pair

constexpr double still = 1e-3;  // a phase or an amplitude that is that of no rotation at all

// None where the channel is no sum of its pair's two, each rotated by an angle that is 0 at the first
// position.
std::optional<std::pair<double, double>> turning(const MeasuredChannel& one, std::size_t channel,
                                                 std::size_t partner, const Precision& precision) {
  const double known = still + 16 * (precision.result + precision.table());
  if (one.constant && one.own == channel && std::abs(*one.constant - 1) <= known) return std::pair(0.0, 0.0);
  const bool is = one.rotates && one.own == channel && one.partner == partner &&
                  std::abs(one.rotates->phase) <= known && std::abs(one.rotates->amplitude - 1) <= known;
  return is ? std::optional(std::pair(one.rotates->frequency, one.rotates->error)) : std::nullopt;
}

class Along {
 public:
  Along(const Rotary& subject, const Rotary& truth, const Domain& domain, const Parameters& parameters,
        const Precision& precision)
      : subject_(subject), truth_(truth), domain_(domain), parameters_(parameters), precision_(precision) {}

  // Of each head; 2 pairs channels each. None where it is no rotation of the declared pairs.
  std::optional<std::vector<Channels>> measured(Role role) const {
    std::vector<Channels> heads;
    for (std::size_t axis = 0; axis < domain_.axes; ++axis) {
      const auto one = measured_rotation(along_axis(subject_, axis, domain_),
                                         along_axis(truth_, axis, domain_), role, precision_);
      if (!one) return std::nullopt;
      heads.resize(one->heads.size(), Channels(2 * truth_.pairs.size()));
      for (std::size_t head = 0; head < heads.size(); ++head)
        if (!add(one->heads[head], heads[head])) return std::nullopt;
    }
    for (Channels& channels : heads)
      for (std::size_t n = 0; n < channels.size(); ++n) settle(channels[n]);
    return heads;
  }

  // What differs in the words of all heads and both roles.
  Sentences said(const Channels& channels) const {
    if (auto tiled = by_tiling(channels)) return std::move(*tiled);
    if (auto table = by_table(channels)) return std::move(*table);
    const Sentences first = of_half(channels, 0), second = of_half(channels, 1);
    if (first == second) return first;
    Sentences out;
    for (const auto& [half, which] : {std::pair{&first, "first"}, std::pair{&second, "second"}})
      for (const std::string& one : *half)
        out.push_back(fmt::format("in the {} channel of each pair: {}", which, one));
    return out;
  }

 private:
  bool add(const std::vector<MeasuredChannel>& measured, Channels& to) const {
    for (std::size_t i = 0; i < truth_.pairs.size(); ++i) {
      const auto& [first, second, frequency, index, error, axis] = truth_.pairs[i];
      const auto a = turning(measured[first], first, second, precision_),
                 b = turning(measured[second], second, first, precision_);
      if (!a || !b) return false;
      for (const auto& [n, is] : {std::pair{2 * i, a}, std::pair{2 * i + 1, b}}) {
        to[n].frequency.push_back(is->first);
        to[n].error.push_back(is->second);
      }
    }
    std::vector<bool> rotates(measured.size());
    for (const Pair& pair : truth_.pairs) rotates[pair.first] = rotates[pair.second] = true;
    for (std::size_t c = 0; c < measured.size(); ++c)
      if (!rotates[c] && !turning(measured[c], c, c, precision_)) return false;
    return true;
  }

  MeasuredFrequency compared(double declared, double measured, double error, std::size_t pair) const {
    Pair like = truth_.pairs[pair];
    like.frequency = std::max(std::abs(declared), std::abs(measured));
    return {declared, measured, error, angle_error(precision_, 1, like) + 1e-15};
  }

  // What is within rounding of a declared frequency is that.
  void settle(Turning& one) const {
    for (std::size_t axis = 0; axis < domain_.axes; ++axis)
      for (std::size_t i = 0; i < truth_.pairs.size(); ++i)
        if (one.frequency[axis] != 0 &&
            !compared(truth_.pairs[i].frequency, one.frequency[axis], one.error[axis], i).differs()) {
          one.frequency[axis] = truth_.pairs[i].frequency;
          break;
        }
  }

  // A table of angles [w0, w1, .., w0, w1, ..] for channels that are rotated with their neighbours.
  std::optional<Sentences> by_tiling(const Channels& channels) const {
    std::size_t most = 0;
    for (std::size_t axis = 0; axis < domain_.axes; ++axis) {
      const std::vector<std::size_t> own = of_axis(axis);
      most = std::max(most, own.size());
      for (std::size_t n = 0; n < 2 * own.size(); ++n) {
        const std::size_t other = own[n % own.size()], is = 2 * own[n / 2] + n % 2;
        if (!rotates_as(channels[is], axis, other)) return std::nullopt;
      }
    }
    if (most < 3) return std::nullopt;
    return Sentences{
        "channel c of an axis rotates at the frequency of its pair c mod its pairs, as of a table "
        "[w0, w1, .., w0, w1, ..]"};
  }

  // The same across all axes: a table of an angle for each channel that is made for the other layout.
  std::optional<Sentences> by_table(const Channels& channels) const {
    const std::size_t pairs = truth_.pairs.size();
    if (pairs < 3) return std::nullopt;
    // Of each rotated channel, rising, its place among the measured ones.
    std::map<std::size_t, std::size_t> places;
    for (std::size_t i = 0; i < pairs; ++i)
      places[truth_.pairs[i].first] = 2 * i, places[truth_.pairs[i].second] = 2 * i + 1;
    const struct {
      Function<std::size_t(std::size_t n)> pair;
      std::string words;
    } tables[] = {
        {[](std::size_t n) { return n / 2; },
         "channel c rotates as pair floor(c/2), by its axis and frequency, as of a table [w0, w0, w1, w1, ..]"},
        {[pairs](std::size_t n) { return n % pairs; },
         fmt::format("channel c rotates as pair c mod {}, by its axis and frequency, as of a table "
                     "[w0, w1, .., w0, w1, ..]",
                     pairs)}};
    for (const auto& table : tables) {
      bool all = true, declared = true;
      std::size_t n = 0;
      for (const auto& [channel, place] : places) {
        const std::size_t other = table.pair(n++);
        declared = declared && other == place / 2;
        all = all && rotates_as(channels[place], truth_.pairs[other].axis, other);
      }
      if (all && !declared) return Sentences{table.words};
    }
    return std::nullopt;
  }

  bool rotates_as(const Turning& one, std::size_t axis, std::size_t pair) const {
    for (std::size_t other = 0; other < domain_.axes; ++other) {
      const double w = other == axis ? truth_.pairs[pair].frequency : 0;
      if (compared(w, one.frequency[other], one.error[other], pair).differs()) return false;
    }
    return true;
  }

  std::vector<std::size_t> of_axis(std::size_t axis) const {
    std::vector<std::size_t> out;
    for (std::size_t i = 0; i < truth_.pairs.size(); ++i)
      if (truth_.pairs[i].axis == axis) out.push_back(i);
    return out;
  }

  // Of the first channels of all pairs, or of the second.
  Sentences of_half(const Channels& channels, std::size_t second) const {
    Sentences out;
    std::map<std::pair<std::size_t, std::size_t>, std::vector<std::size_t>> moved;
    std::map<std::string, std::vector<std::size_t>> sums;
    std::vector<MeasuredFrequency> ladder;
    for (std::size_t i = 0; i < truth_.pairs.size(); ++i) {
      const Turning& is = channels[2 * i + second];
      const std::size_t own = truth_.pairs[i].axis;
      std::size_t by = own;
      for (std::size_t axis = 0; axis < domain_.axes; ++axis)
        if (is.frequency[axis] != 0 && is.frequency[own] == 0) by = axis;
      if (numbers_of(is, i).size() > 1) {
        sums[of_sum(is, i)].push_back(i);
        ladder.push_back(compared(truth_.pairs[i].frequency, truth_.pairs[i].frequency, 0, i));
        continue;
      }
      if (by != own) moved[{own, by}].push_back(i);
      ladder.push_back(compared(truth_.pairs[i].frequency, is.frequency[by], is.error[by], i));
    }
    for (const auto& [sum, pairs] : sums)
      out.push_back(
          fmt::format("{} {} by {}", numbered("pair", pairs), pairs.size() == 1 ? "rotates" : "rotate", sum));
    for (const auto& [axes, pairs] : moved)
      out.push_back(fmt::format("{} {} by the {}, not by the {}", numbered("pair", pairs),
                                pairs.size() == 1 ? "rotates" : "rotate",
                                axis_name(axes.second, domain_.axes), axis_name(axes.first, domain_.axes)));
    for (std::string& one : of_ladder(ladder)) out.push_back(std::move(one));
    return out;
  }

  // Those that it rotates by, as far as that is measured.
  std::vector<std::size_t> numbers_of(const Turning& is, std::size_t pair) const {
    std::vector<std::size_t> out;
    for (std::size_t axis = 0; axis < domain_.axes; ++axis)
      if (compared(0, is.frequency[axis], is.error[axis], pair).differs()) out.push_back(axis);
    return out;
  }

  // `16 times the row and once the column, in units of the declared frequency`.
  std::string of_sum(const Turning& is, std::size_t pair) const {
    const double declared = truth_.pairs[pair].frequency;
    std::string out;
    for (const std::size_t axis : numbers_of(is, pair)) {
      const double by = is.frequency[axis] / declared;
      const double error = is.error[axis] / declared + 1e-6 * std::abs(by);
      out += fmt::format("{}{} the {}", out.empty() ? "" : " and ",
                         std::abs(by - 1) <= error ? "once" : number(by, error / std::abs(by)) + " times",
                         axis_name(axis, domain_.axes));
    }
    return out + ", in units of the declared frequency and up to whole turns";
  }

  // A whole axis that has another ladder; else pair by pair.
  Sentences of_ladder(const std::vector<MeasuredFrequency>& all) const {
    std::vector<MeasuredFrequency> rest = all;
    Sentences out;
    for (std::size_t axis = 0; axis < domain_.axes; ++axis) {
      std::vector<MeasuredFrequency> own;
      for (const std::size_t i : of_axis(axis)) own.push_back(all[i]);
      const auto said =
          ladder_deviations(own, with_base_of_axis(parameters_, axis), 2 * static_cast<double>(own.size()));
      if (said.size() != 1 || own.size() < 3 || said.front().starts_with("pair")) continue;
      out.push_back(fmt::format("of the {}: {}", axis_name(axis, domain_.axes), said.front()));
      for (const std::size_t i : of_axis(axis)) rest[i].measured = rest[i].declared;
    }
    for (std::string& one : ladder_deviations(rest, parameters_, 2 * static_cast<double>(rest.size())))
      out.push_back(std::move(one));
    return out;
  }

  const Rotary &subject_, &truth_;
  const Domain& domain_;
  const Parameters& parameters_;
  const Precision& precision_;
};

// Those that all heads share once, and of the others which heads they are of.
Sentences of_heads(const Along& along, const std::vector<Channels>& heads) {
  std::vector<std::pair<Sentences, std::vector<std::size_t>>> groups;
  for (std::size_t head = 0; head < heads.size(); ++head) {
    const Sentences said = along.said(heads[head]);
    const auto same = std::ranges::find_if(groups, [&](const auto& group) { return group.first == said; });
    if (same == groups.end())
      groups.push_back({said, {head}});
    else
      same->second.push_back(head);
  }
  if (groups.size() == 1) return groups.front().first;
  Sentences out;
  for (const auto& [said, which] : groups)
    for (const std::string& one : said)
      out.push_back(fmt::format("{} of {}: {}", numbered("head", which), heads.size(), one));
  return out;
}

using Roles = std::array<std::vector<Channels>, 2>;

Rotary corrected(const Rotary& truth, const Roles& roles) {
  Rotary out = truth;
  out.exact = nullptr;
  // A pair that is faster than declared is as far off as a fast one.
  for (const auto& heads : roles)
    for (const Channels& channels : heads)
      for (std::size_t n = 0; n < channels.size(); ++n)
        for (const double w : channels[n].frequency)
          out.pairs[n / 2].frequency = std::max(out.pairs[n / 2].frequency, std::abs(w));
  out.rotate = [pairs = truth.pairs, shared = std::make_shared<const Roles>(roles)](
                   const Tensor& x, const Positions& positions, Role role) {
    const auto& heads = (*shared)[role == Role::query ? 0 : 1];
    const std::size_t n = x.shape[2];
    Tensor y = x;
    for (std::size_t r = 0; r < x.rows(); ++r) {
      const Channels& channels = heads[r / n % heads.size()];
      const std::size_t token = r / (heads.size() * n) * n + r % n;
      const auto angle = [&](const Turning& one) {
        long double sum = 0;
        for (std::size_t axis = 0; axis < one.frequency.size(); ++axis)
          sum += static_cast<long double>(positions.at(token, axis)) * one.frequency[axis];
        return sum;
      };
      for (std::size_t i = 0; i < pairs.size(); ++i) {
        const double a = x.at(r, pairs[i].first), b = x.at(r, pairs[i].second);
        const long double first = angle(channels[2 * i]), second = angle(channels[2 * i + 1]);
        y.at(r, pairs[i].first) = static_cast<double>(a * std::cos(first) - b * std::sin(first));
        y.at(r, pairs[i].second) = static_cast<double>(a * std::sin(second) + b * std::cos(second));
      }
    }
    return y;
  };
  return out;
}

}  // namespace

Rotary along_axis(const Rotary& rotary, std::size_t axis, const Domain& domain) {
  Rotary out = rotary;
  out.positions = Domain(domain.lo, domain.last(axis), {});
  out.exact = nullptr;
  for (Pair& pair : out.pairs) {
    if (pair.axis != axis) pair.frequency = 0;
    pair.axis = 0;
  }
  out.rotate = [rotate = rotary.rotate, axis, axes = domain.axes, lo = domain.lo](
                   const Tensor& x, const Positions& positions, Role role) {
    TokenPositions all{std::vector<Position>(positions.size() * axes, lo), {}, axes};
    for (std::size_t token = 0; token < positions.size(); ++token)
      all.whole[token * axes + axis] = static_cast<Position>(positions.at(token));
    return rotate(x, all, role);
  };
  return out;
}

std::optional<Deviation> axes_deviation(const Rotary& subject, const Rotary& truth,
                                        const Parameters& parameters, const Precision& precision) {
  const Domain domain = overlap(subject.positions, truth.positions);
  if (domain.lo != 0 || truth.amplitude != 1 || truth.error || truth.pairs.empty()) return std::nullopt;
  const Along along(subject, truth, domain, parameters, precision);
  auto queries = along.measured(Role::query), keys = along.measured(Role::key);
  if (!queries || !keys) return std::nullopt;
  const Sentences of_queries = of_heads(along, *queries), of_keys = of_heads(along, *keys);
  Deviation out{of_queries, corrected(truth, {std::move(*queries), std::move(*keys)})};
  if (of_queries != of_keys) {
    out.sentences.clear();
    for (const auto& [role, said] : {std::pair{"queries", &of_queries}, std::pair{"keys", &of_keys}})
      for (const std::string& one : *said) out.sentences.push_back(fmt::format("{}: {}", role, one));
  }
  return out.sentences.empty() ? std::nullopt : std::optional(std::move(out));
}

}  // namespace posproof
