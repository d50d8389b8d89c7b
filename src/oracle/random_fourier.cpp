#include "catalogue/oracle/random_fourier.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "core/error.h"
#include "core/hard.h"
#include "exact/numbers.h"
#include "exact/waves.h"

namespace posproof {

using namespace exact;

namespace {

// cos(w t + b + 2 pi turns): b is what a list has, turns what is drawn.
struct Feature {
  double w, b, turns;
};

std::vector<Feature> drawn_features(const Arguments& p, std::size_t count) {
  const std::int64_t seed = p.whole("frequency_seed");
  std::vector<Feature> out(count);
  for (std::size_t n = 0; n < count; ++n) out[n].w = seeded_normal(p.real("sigma"), seed, n);
  if (p.is("form", "phase"))
    for (std::size_t n = 0; n < count; ++n) out[n].turns = seeded_share(seed, 2 * count + n);
  return out;
}

std::vector<Feature> listed_features(const Arguments& p, std::size_t count) {
  const auto number = [&](std::string_view list, std::size_t n) {
    const auto& all = p.list(list);
    return n < all.size() ? all[n] : all.back();
  };
  std::vector<Feature> out(count);
  for (std::size_t n = 0; n < count; ++n)
    out[n] = {number("frequency_list", n), p.is("form", "phase") ? number("phase_list", n) : 0, 0};
  return out;
}

// Column of the cosine and of the sine of a feature.
std::array<std::size_t, 2> columns_of(const std::string& layout, std::size_t n, std::size_t count) {
  if (layout == "interleaved") return {2 * n, 2 * n + 1};
  if (layout == "cos_sin") return {n, count + n};
  return {count + n, n};
}

}  // namespace

Encoding oracle::random_fourier(const Arguments& p) {
  const std::size_t dim = p.width("dim");
  const bool paired = p.is("form", "paired"), plain = p.is("norm", "none");
  const std::string layout = p.word("layout");
  const auto features = p.is("frequencies", "listed") ? listed_features(p, paired ? dim / 2 : dim)
                                                      : drawn_features(p, paired ? dim / 2 : dim);
  const Real amplitude = plain ? wave_number(1) : root_of(p.is("norm", "one") ? 2 : 1, dim);

  Table table{.dim = dim, .amplitude = amplitude.nearest()};
  for (std::size_t n = 0; paired && n < features.size(); ++n) {
    const auto [cosine, sine] = columns_of(layout, n, features.size());
    table.pairs.push_back({sine, cosine, features[n].w, n, {.condition = 0, .roundings = 1}});
  }
  table.positions = {-256, 256, hard_positions(std::span<const Pair>{}, -256, 256)};
  table.positions.real = true;
  // Four roundings of w t and three of the phase (w, t, the product; pi and its product; the sum), and a root
  // that is rounded twice where an amplitude that is given is once.
  const Table beside = table;
  if (!paired)
    table.row_error = [features, beside](std::span<const double> at, std::span<const double>,
                                         const Precision& precision, std::span<double> error) {
      for (std::size_t n = 0; n < features.size(); ++n) {
        const auto& [w, b, turns] = features[n];
        const double units = 4 * std::abs(w * at[0]) + 3 * std::abs(b + 2 * std::numbers::pi * turns);
        error[n] = beside.amplitude * std::min(2.0, units * precision.angle) +
                   entry_error(beside, precision) +
                   (beside.amplitude == 1 ? 0 : precision.result * beside.amplitude);
      }
    };
  table.rows = [=](const Positions& positions, Position) {
    Tensor rows({positions.size(), dim});
    for (std::size_t r = 0; r < positions.size(); ++r)
      for (std::size_t n = 0; n < features.size(); ++n) {
        const std::array frequency = {wave_number(features[n].w), wave_number(features[n].b)};
        const std::array at = {positions.at(r), 1.0};
        const WavePoint point = wave(frequency, AngleUnit::radians, at, features[n].turns, amplitude);
        const auto [cosine, sine] = columns_of(layout, n, features.size());
        rows.at(r, paired ? cosine : n) = point.cosine;
        if (paired) rows.at(r, sine) = point.sine;
      }
    return rows;
  };
  return table;
}

}  // namespace posproof
