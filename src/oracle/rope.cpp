#include <fmt/format.h>

#include <numbers>

#include "catalogue/oracle/rope.h"
#include "core/error.h"
#include "core/hard.h"
#include "exact/exact_table.h"
#include "exact/ladder.h"

namespace posproof {

using namespace exact;

namespace {

Tensor rotated(const Ladder& ladder, std::span<const Pair> pairs, Tensor x,
               std::span<const Position> positions, std::size_t heads, std::size_t dim) {
  if (x.shape.size() != 4 || x.shape[1] != heads || x.shape[3] != dim ||
      positions.size() != x.shape[0] * x.shape[2])
    throw Refusal(
        fmt::format("rope: x is [batch, {}, n, {}] with batch * n positions, {} and {} positions came", heads,
                    dim, text(x.shape), positions.size()));
  const std::size_t batch = x.shape[0], n = x.shape[2];
  std::vector<std::vector<Ladder::Coordinates>> tokens(pairs.size());
  for (std::size_t b = 0; b < batch; ++b)
    for (std::size_t token = 0; token < n; ++token) {
      for (std::size_t i = 0; i < pairs.size(); ++i) {
        tokens[i].clear();
        for (std::size_t h = 0; h < heads; ++h) {
          const auto channels = x.row((b * heads + h) * n + token);
          tokens[i].push_back({&channels[pairs[i].first], &channels[pairs[i].second]});
        }
      }
      ladder.rotate(positions[b * n + token], tokens);
    }
  return x;
}

// Of what becomes of (1, 0) in every pair: the cosine in its first channel, the sine in its second.
std::vector<Run> runs_of(std::size_t width, bool half_split) {
  const std::size_t pairs = width / 2;
  if (pairs == 0) return {};
  if (!half_split) return {{Run::Part::cosines_and_sines, 0, 0, pairs}};
  return {{Run::Part::cosines, 0, 0, pairs}, {Run::Part::sines, pairs, 0, pairs}};
}

Scaling scaling_of(const Arguments& p) {
  const std::string& kind = p.word("scaling");
  const double factor = p.real("factor"), length = p.real("original_length");
  if (kind == "linear") return Interpolated{factor};
  if (kind == "ntk") return NtkAware{factor};
  if (kind == "yarn")
    return ByIndex{factor, length, p.real("beta_fast"), p.real("beta_slow"), p.flag("truncate")};
  if (kind == "llama3") return ByParts{factor, length, p.real("low_freq_factor"), p.real("high_freq_factor")};
  if (kind == "by_parts") return ByParts{factor, length, p.real("beta_slow"), p.real("beta_fast")};
  return Unscaled{};
}

// What the roundings of an implementation lose where it scales the frequency w of a pair to v.
struct FrequencyErrorFrom {
  double w, v, index, d, base;

  FrequencyError operator()(const Unscaled&) const { return {}; }
  FrequencyError operator()(const Interpolated&) const { return divided(); }
  FrequencyError operator()(const Divided&) const { return divided(); }
  FrequencyError operator()(const NtkAware& ntk) const {
    return from_scaled_base(2 * index / (d - 2), ntk.factor);
  }
  FrequencyError operator()(const ByParts& parts) const {
    return by_rotations(w, v, parts.factor, parts.original_length * w / (2 * std::numbers::pi), parts.least,
                        parts.most);
  }
  FrequencyError operator()(const ByIndex& by) const {
    const auto [first, last] = ends(by, base, static_cast<std::int64_t>(d));
    const double farther = std::max(std::abs(first), std::abs(last));
    return by_index(w, v, by.factor, index, first, last, by.truncate ? 0 : ramp_end_error(d, base, farther));
  }
};

// Only YaRN has one; 0 asks for its formula's.
Amplitude amplitude_of(const Arguments& p, const Scaling& scaling) {
  const auto* yarn = std::get_if<ByIndex>(&scaling);
  if (yarn == nullptr) return 1.0;
  const double given = p.real("attention_factor");
  return given == 0 ? Amplitude(YarnAmplitude{yarn->factor}) : Amplitude(given);
}

}  // namespace

Encoding oracle::rope(const Arguments& p) {
  const std::size_t dim = p.width("dim"), heads = p.width("heads");
  const std::size_t width = p.width("rotary_dim") == 0 ? dim : p.width("rotary_dim");
  const std::size_t over = p.is("exponent", "dim") ? dim : width;
  const bool half_split = p.is("layout", "half_split");

  Geometric powers{p.real("base"), {}};
  for (std::size_t i = 0; i < width / 2; ++i)
    powers.exponents.push_back({2 * static_cast<std::int64_t>(i), static_cast<std::int64_t>(over)});
  const std::vector<Real> plain = exact::exact(Frequencies{powers}, 64);
  powers.scaling = scaling_of(p);
  const auto ladder = std::make_shared<const Ladder>(Frequencies{powers, p.is("direction", "backward")},
                                                     amplitude_of(p, powers.scaling));

  Rotary rotary{.dim = dim, .heads = heads};
  rotary.amplitude = ladder->multiprecision().with(256).amplitude.nearest();
  for (std::size_t i = 0; i < width / 2; ++i) {
    const double v = ladder->frequency(i);
    const FrequencyErrorFrom from{plain[i].nearest(), std::abs(v), static_cast<double>(i),
                                  static_cast<double>(over), powers.base};
    rotary.pairs.push_back({half_split ? i : 2 * i, half_split ? i + width / 2 : 2 * i + 1, v, i,
                            std::visit(from, powers.scaling)});
  }
  rotary.exact = std::make_shared<const ExactTable>(ladder, runs_of(width, half_split), dim, 0);
  rotary.positions.hard = hard_positions(rotary.pairs, rotary.positions.lo, rotary.positions.hi);
  rotary.rotate = [ladder, pairs = rotary.pairs, heads, dim](const Tensor& x,
                                                             std::span<const Position> positions, Role) {
    return rotated(*ladder, pairs, x, positions, heads, dim);
  };
  return rotary;
}

}  // namespace posproof
