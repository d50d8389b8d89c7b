#include "identify/identified_stretch.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <optional>

#include "diagnosis/measured_stretches.h"
#include "identify/identified_ladder.h"
#include "run/catalogued.h"

namespace posproof {
namespace {

// By how much the first position and the one after it differ, of what rotates the first head's (1, 0) in
// pairs of that layout; none where an angle does not rise from 0 to below half a turn.
std::optional<MeasuredLadder> step_of(const Rotary& subject, const Rotary& like, const Precision& precision) {
  const std::array<Position, 2> at = {subject.positions.lo, subject.positions.lo + 1};
  Tensor x({1, subject.heads, 2, subject.dim});
  for (std::size_t r = 0; r < x.rows(); ++r)
    for (const Pair& pair : like.pairs) x.at(r, pair.first) = 1;
  const Tensor y = subject.rotate(x, at, Role::query);
  if (y.shape != x.shape) return std::nullopt;
  MeasuredLadder out;
  for (const Pair& pair : like.pairs) {
    const auto angle = [&](std::size_t r) { return std::atan2(y.at(r, pair.second), y.at(r, pair.first)); };
    const double w = std::remainder(angle(1) - angle(0), 2 * std::numbers::pi);
    if (!(w > 0)) return std::nullopt;
    out.frequencies.push_back(w);
    out.errors.push_back(16 * std::max(precision.result, precision.table()) / w + 4 * precision.angle);
  }
  return out;
}

// Numbers beyond those of f32 were not measured.
bool is_held(const Parameters& parameters, const Domain& domain) {
  const double gamma = parameters.real("gamma"), fastest = std::log((1 + gamma) / gamma),
               centre = parameters.real("centre");
  const double farthest = parameters.word("centre_at") != "position"
                              ? static_cast<double>(domain.hi + 2) / 2
                              : std::max(std::abs(static_cast<double>(domain.hi) - centre),
                                         std::abs(static_cast<double>(domain.lo) - centre));
  return farthest / parameters.real("scale_base") * fastest < 85;
}

// The same numbers, about another centre: where it was in the calls that were measured says nothing.
Parameters centred_at(const char* half, Parameters parameters) {
  parameters.set("centre_at", std::string(half));
  parameters.set("centre", 0.0);
  return parameters;
}

// How many channels, the first ones, are not kept as they are one position past the first.
std::size_t width_of(const Rotary& subject) {
  const std::array<Position, 1> at = {subject.positions.lo + 1};
  Tensor x({1, subject.heads, 1, subject.dim});
  std::ranges::fill(x.data, 1);
  const Tensor y = subject.rotate(x, at, Role::query);
  if (y.shape != x.shape) return subject.dim;
  std::size_t width = subject.dim;
  while (width > 2 && y.at(0, width - 1) == 1 && y.at(0, width - 2) == 1) width -= 2;
  return width;
}

bool keeps_sizes(const Rotary& subject, const Rotary& like) {
  const Position last = std::min<Position>(subject.positions.hi, subject.positions.lo + 1000);
  Tensor x({1, subject.heads, 1, subject.dim});
  for (std::size_t r = 0; r < x.rows(); ++r) x.at(r, like.pairs.front().first) = 1;
  const auto size = [&](Position t) {
    const std::array<Position, 1> at = {t};
    const Tensor y = subject.rotate(x, at, Role::query);
    double sum = 0;
    for (const double one : y.row(0)) sum += one * one;
    return sum;
  };
  return std::abs(size(last) - size(subject.positions.lo)) < 0.05;
}

}  // namespace

std::vector<Candidate> stretched_candidates(const Rotary& subject, const Precision& precision) {
  const EncodingSpec& spec = encoding_named("xpos");
  std::vector<Candidate> out;
  const std::size_t width = width_of(subject);
  for (const std::string layout : {"interleaved", "half_split"}) {
    Parameters given = standard(spec);
    given.set("dim", static_cast<double>(subject.dim));
    given.set("heads", static_cast<double>(subject.heads));
    given.set("layout", layout);
    if (width != subject.dim) given.set("rotary_dim", static_cast<double>(width));
    if (!makes_sense(spec, given)) return {};
    const auto like = spec.oracle<Rotary>(given);
    if (keeps_sizes(subject, like)) return {};
    const auto ladder = step_of(subject, like, precision);
    if (!ladder) continue;
    std::vector<double> exponents;
    for (std::size_t i = 0; i < ladder->frequencies.size(); ++i)
      exponents.push_back(2 * static_cast<double>(i) / static_cast<double>(width));
    for (const double base : bases(*ladder, exponents)) {
      given.set("base", base);
      const auto truth = spec.oracle<Rotary>(given);
      std::vector<Parameters> all = {given};
      for (Parameters& other : measured_stretches(subject, truth, given, precision))
        all.push_back(std::move(other));
      for (const Parameters& one : all) {
        if (!makes_sense(spec, one)) continue;
        if (one == given || is_held(one, truth.positions)) out.push_back({"xpos", one});
        for (const char* half : {"half_of_call", "half_of_call_rounded_up"})
          if (Parameters other = centred_at(half, one); is_held(other, truth.positions)) {
            out.push_back({"xpos", other});
            other.set("length_of", std::string("row"));
            out.push_back({"xpos", other});
          }
      }
    }
  }
  return out;
}

}  // namespace posproof
