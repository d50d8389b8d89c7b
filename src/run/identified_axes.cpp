#include "run/identified_axes.h"

#include <optional>

#include "run/axes_deviations.h"
#include "run/catalogued.h"
#include "run/identified_rotary.h"

namespace posproof {
namespace {

struct MeasuredAxes {
  MeasuredRotation all;  // each channel as measured along the number that rotates it
  std::vector<double> pairs;
};

std::optional<MeasuredAxes> measured_axes(const Rotary& subject, const Precision& precision) {
  MeasuredAxes out;
  for (std::size_t axis = 0; axis < subject.positions.axes; ++axis) {
    Rotary one = along_axis(subject, axis, subject.positions);
    one.pairs.clear();  // nothing is declared
    const auto measured = measured_rotation(one, one, Role::query, precision);
    if (!measured || measured->heads.empty()) return std::nullopt;
    if (axis == 0) out.all = *measured;
    double channels = 0;
    const auto& first = measured->heads.front();
    for (std::size_t c = 0; c < first.size(); ++c) {
      if (!first[c].rotates) continue;
      ++channels;
      out.all.heads.front()[c] = first[c];
    }
    out.pairs.push_back(channels / 2);
  }
  return out;
}

void add_settings(const std::string& id, const Parameters& given, std::vector<Candidate>& to) {
  for (Candidate& one : settings(id, encoding_named(id), given)) to.push_back(std::move(one));
}

}  // namespace

std::vector<Candidate> axes_candidates(const Rotary& subject, const Precision& precision) {
  std::vector<Candidate> out;
  const auto measured = measured_axes(subject, precision);
  if (!measured) return out;
  for (const IdentifiedChannels& channels : identified_channels(measured->all, precision)) {
    Parameters shape;
    shape.set("dim", static_cast<double>(subject.dim));
    shape.set("heads", static_cast<double>(subject.heads));
    shape.set("layout", channels.settings.word("layout"));
    Parameters axial = shape;
    std::vector<double> parts = measured->pairs;
    for (double& width : parts) width *= 2;
    axial.set("axes", static_cast<double>(parts.size()));
    axial.set("parts", parts);
    add_settings("axial_rope", axial, out);
    if (parts.size() != 3) continue;
    shape.set("sections", measured->pairs);
    if (channels.width != subject.dim) shape.set("rotary_dim", static_cast<double>(channels.width));
    for (const Parameters& ladder : scaled_ladders(channels.ladder, channels.width)) {
      if (ladder.word("scaling") != "none") continue;
      shape.set("base", ladder.real("base"));
      add_settings("m_rope", shape, out);
    }
  }
  return out;
}

}  // namespace posproof
