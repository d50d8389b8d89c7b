#include "identify/identified_axes.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "diagnosis/axes_deviations.h"
#include "identify/identified_rotary.h"
#include "run/catalogued.h"

namespace posproof {
namespace {

struct MeasuredAxes {
  MeasuredRotation all;                // each channel as measured along the number that rotates it
  std::vector<MeasuredRotation> each;  // along one number
  std::vector<double> pairs;           // which that number rotates
  bool few_frames = false;             // the first of three is too short to be measured along
};

std::optional<MeasuredAxes> measured_axes(const Rotary& subject, const Precision& precision) {
  MeasuredAxes out;
  for (std::size_t axis = 0; axis < subject.positions.axes; ++axis) {
    if (axis == 0 && subject.positions.axes == 3 && subject.positions.last(0) + 1 < fewest_positions) {
      out.few_frames = true;
      continue;
    }
    Rotary one = along_axis(subject, axis, subject.positions);
    one.pairs.clear();  // nothing is declared
    const auto measured = measured_rotation(one, one, Role::query, precision);
    if (!measured || measured->heads.empty()) return std::nullopt;
    if (out.each.empty()) out.all = *measured;
    double channels = 0;
    const auto& first = measured->heads.front();
    for (std::size_t c = 0; c < first.size(); ++c) {
      if (!first[c].rotates) continue;
      ++channels;
      out.all.heads.front()[c] = first[c];
    }
    out.pairs.push_back(channels / 2);
    out.each.push_back(*measured);
  }
  return out;
}

void add_settings(const std::string& id, const Parameters& given, std::vector<Candidate>& to) {
  for (Candidate& one : settings(id, encoding_named(id), given)) to.push_back(std::move(one));
}

// Parts in the order of the channels; an even share of the width is not said.
std::vector<Parameters> axial_shapes(const Parameters& shape, const std::vector<double>& pairs) {
  std::vector<Parameters> out;
  std::vector<double> parts;
  for (const double one : pairs) parts.push_back(2 * one);
  const double share = std::floor(shape.real("dim") / (2 * static_cast<double>(parts.size())));
  for (const char* order : {"given", "reversed"}) {
    Parameters one = shape;
    one.set("axes", static_cast<double>(parts.size()));
    one.set("axis_order", order);
    if (std::ranges::any_of(pairs, [&](double own) { return own != share; })) one.set("parts", parts);
    out.push_back(one);
    if (one.word("layout") == "half_split") {  // of all channels, or of those of each axis
      one.set("layout", "half_split_by_axis");
      out.push_back(std::move(one));
    }
    std::ranges::reverse(parts);
  }
  return out;
}

struct Divided {
  double base, factor;
};

// What the ladder along one number is: a base, and what positions are divided by.
std::vector<Divided> divided(const MeasuredRotation& along, double pairs, const Precision& precision) {
  std::vector<Divided> out;
  for (const IdentifiedChannels& channels : identified_channels(along, precision))
    for (const Parameters& ladder : scaled_ladders(channels.ladder, static_cast<std::size_t>(2 * pairs))) {
      const std::string& scaling = ladder.word("scaling");
      if (scaling != "none" && scaling != "linear") continue;
      out.push_back({ladder.real("base"), scaling == "linear" ? ladder.real("factor") : 1});
    }
  return out;
}

// The first number's ladder is the same whether ladders are restarted or strided: its base and its divisor.
// Where the others have that base and divisors that differ, each has its own; those are of ladders that are
// restarted. So are bases that differ where nothing is divided.
void add_divided(const std::vector<std::vector<Divided>>& along, const Parameters& axial, std::size_t first,
                 std::vector<Candidate>& to) {
  for (const auto& [base, factor] : along[first]) {
    Parameters one = axial;
    one.set("coordinates", "whole");
    one.set("base", base);
    if (factor != 1) one.set("factor", factor);
    add_settings("axial_rope", one, to);
    std::vector<double> factors;
    for (const std::vector<Divided>& other : along)
      if (const auto same = std::ranges::find(other, base, &Divided::base); same != other.end())
        factors.push_back(same->factor);
    if (factors.size() != along.size() || std::ranges::count(factors, factor) == std::ssize(factors))
      continue;
    one.set("factor", 1.0);
    one.set("factors", factors);
    one.set("ladder", "restarted");
    add_settings("axial_rope", one, to);
  }
  Parameters one = axial;
  std::vector<double> bases;
  for (const std::vector<Divided>& each : along)
    if (const auto own = std::ranges::find(each, 1, &Divided::factor); own != each.end())
      bases.push_back(own->base);
  if (bases.size() != along.size() || std::ranges::count(bases, bases[0]) == std::ssize(bases)) return;
  one.set("coordinates", "whole");
  one.set("base", 10000.0);
  one.set("bases", bases);
  one.set("ladder", "restarted");
  add_settings("axial_rope", one, to);
}

// Radians for each step of an axis by which a head rotates its pairs, in their order; none where one is no
// rotation. The simplest numbers that measuring allows.
std::optional<std::vector<double>> frequencies_of(const std::vector<MeasuredChannel>& channels,
                                                  bool half_split, const Precision& precision) {
  std::vector<double> out;
  const std::size_t pairs = channels.size() / 2;
  for (std::size_t i = 0; i < pairs; ++i) {
    const std::size_t first = half_split ? i : 2 * i, second = half_split ? i + pairs : 2 * i + 1;
    const MeasuredChannel& channel = channels[first];
    if (channel.own != first) return std::nullopt;
    if (channel.constant && *channel.constant == 1) {
      out.push_back(0);
      continue;
    }
    if (!channel.rotates || channel.partner != second) return std::nullopt;
    const double w = channel.rotates->frequency,
                 off = channel.rotates->error + 2 * precision.angle * std::abs(w);
    out.push_back(simplest({w - off, w + off}));
  }
  return out;
}

// Every pair rotates by every number: the frequencies are what was measured, [axes, heads or 1, pairs].
std::optional<Parameters> mixed(const MeasuredAxes& measured, bool half_split, const Precision& precision) {
  std::vector<double> of_first, of_all;
  bool same = true;
  for (const MeasuredRotation& along : measured.each)
    for (std::size_t head = 0; head < along.heads.size(); ++head) {
      const auto own = frequencies_of(along.heads[head], half_split, precision);
      if (!own) return std::nullopt;
      if (head == 0) of_first.insert(of_first.end(), own->begin(), own->end());
      same = same &&
             std::equal(own->begin(), own->end(), of_first.end() - static_cast<std::ptrdiff_t>(own->size()));
      of_all.insert(of_all.end(), own->begin(), own->end());
    }
  Parameters out;
  out.set("axes", static_cast<double>(measured.each.size()));
  out.set("layout", half_split ? "half_split" : "interleaved");
  out.set("shared", same ? "true" : "false");
  out.set("table", "given");
  out.set("frequencies", same ? of_first : of_all);
  return out;
}

// Of a picture in a model of three numbers, whose first is 0 everywhere, the pairs of that one do not rotate;
// of a few frames they are those that the other numbers do not rotate, of the same base.
void add_still_images(const MeasuredAxes& measured, const std::vector<std::vector<Divided>>& along,
                      std::size_t dim, std::vector<Candidate>& to) {
  if (measured.pairs.size() != 2) return;
  const double still = static_cast<double>(dim / 2) - measured.pairs[0] - measured.pairs[1];
  if (!(still > 0) || measured.pairs[0] == 0 || measured.pairs[1] == 0) return;
  Parameters given;
  given.set("dim", static_cast<double>(dim));
  given.set("axes", 3.0);
  given.set("parts", std::vector<double>{2 * still, 2 * measured.pairs[0], 2 * measured.pairs[1]});
  given.set("axis_order", "given");
  given.set("order", "blocks");
  given.set("ladder", "restarted");
  given.set("coordinates", "whole");
  for (const auto& [base, factor] : along.front()) {
    if (factor != 1) continue;
    given.set("base", base);
    add_settings("axial_rope", given, to);
  }
}

}  // namespace

std::vector<double> pairs_of_three_axes(double pairs) {
  const double each = std::floor(3 * pairs / 8);
  return {pairs - 2 * each, each, each};
}

std::vector<double> parts_of_three_axes(double dim) {
  std::vector<double> parts = pairs_of_three_axes(dim / 2);
  for (double& width : parts) width *= 2;
  return parts;
}

std::vector<Candidate> axes_candidates(const Rotary& subject, const Precision& precision) {
  std::vector<Candidate> out;
  const auto measured = measured_axes(subject, precision);
  if (!measured) return out;
  std::vector<std::vector<Divided>> along;
  for (std::size_t axis = 0; axis < measured->each.size(); ++axis)
    along.push_back(divided(measured->each[axis], measured->pairs[axis], precision));
  if (measured->few_frames) {
    add_still_images(*measured, along, subject.dim, out);
    return out;
  }
  for (const IdentifiedChannels& channels : identified_channels(measured->all, precision)) {
    Parameters shape;
    shape.set("dim", static_cast<double>(subject.dim));
    shape.set("heads", static_cast<double>(subject.heads));
    shape.set("layout", channels.settings.word("layout"));
    for (const Parameters& axial : axial_shapes(shape, measured->pairs)) {
      add_settings("axial_rope", axial, out);
      add_divided(along, axial, axial.word("axis_order") == "given" ? 0 : along.size() - 1, out);
    }
    if (measured->pairs.size() != 3) continue;
    shape.set("sections", measured->pairs);
    if (channels.width != subject.dim) shape.set("rotary_dim", static_cast<double>(channels.width));
    for (const Parameters& ladder : scaled_ladders(channels.ladder, channels.width)) {
      if (ladder.word("scaling") != "none") continue;
      shape.set("base", ladder.real("base"));
      add_settings("m_rope", shape, out);
    }
  }
  add_still_images(*measured, along, subject.dim, out);
  for (const bool half_split : {false, true})
    if (auto one = mixed(*measured, half_split, precision)) {
      one->set("dim", static_cast<double>(subject.dim));
      one->set("heads", static_cast<double>(subject.heads));
      out.push_back({"mixed_rope", std::move(*one)});
    }
  return out;
}

std::vector<Candidate> counted_from_1(const std::vector<Candidate>& candidates) {
  std::vector<Candidate> out;
  for (const Candidate& one : candidates) {
    if (one.encoding != "axial_rope" || !one.parameters.has("coordinates")) continue;
    const std::string& coordinates = one.parameters.word("coordinates");
    if (coordinates != "whole" && coordinates != "resized") continue;
    out.push_back(one);
    out.back().parameters.set("offset", 1.0);
  }
  return out;
}

}  // namespace posproof
