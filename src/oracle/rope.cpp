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
std::vector<Run> runs_of(std::span<const Pair> pairs, bool half_split) {
  if (pairs.empty()) return {};
  const auto [first, second] = std::pair(pairs.front().first, pairs.front().second);
  if (!half_split) return {{Run::Part::cosines_and_sines, first, 0, pairs.size()}};
  return {{Run::Part::cosines, first, 0, pairs.size()}, {Run::Part::sines, second, 0, pairs.size()}};
}

// One divisor for each of so many frequencies: the last of the list stands for those after it.
std::vector<double> divisors_of(std::vector<double> list, std::size_t count) {
  list.resize(count, list.empty() ? 1 : list.back());
  return list;
}

Scaling scaling_of(const Arguments& p, std::size_t pairs) {
  const std::string& kind = p.word("scaling");
  const double factor = p.real("factor"), length = p.real("original_length");
  if (kind == "linear") return Interpolated{factor};
  if (kind == "ntk") return NtkAware{factor};
  if (kind == "longrope") return Divided{divisors_of(p.list("factors"), pairs)};
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
  FrequencyError operator()(const Divided&) const { return divided_by_each(); }
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

// Only YaRN and LongRoPE have one; 0 asks for their formula's.
Amplitude amplitude_of(const Arguments& p) {
  const bool yarn = p.is("scaling", "yarn");
  if (!yarn && !p.is("scaling", "longrope")) return 1.0;
  if (const double given = p.real("attention_factor"); given != 0) return given;
  const double factor = p.real("factor");
  if (yarn) return YarnAmplitude{factor, p.real("mscale"), p.real("mscale_all_dim")};
  return LongRopeAmplitude{factor, p.real("original_length")};
}

// The channels that rotate together, fastest pair first.
std::vector<Pair> pairs_of(const Arguments& p) {
  const std::size_t dim = p.width("dim"), kept = p.width("kept_pairs");
  const std::size_t width = p.width("rotary_dim") == 0 ? dim : p.width("rotary_dim");
  const std::size_t before = p.is("rotary_part", "last") ? dim - width : 0;
  std::vector<Pair> pairs;
  for (std::size_t i = 0; i < (kept == 0 ? width / 2 : kept); ++i)
    pairs.push_back(p.is("layout", "half_split") ? Pair{before + i, before + i + width / 2, 0, i}
                                                 : Pair{before + 2 * i, before + 2 * i + 1, 0, i});
  return pairs;
}

}  // namespace

Encoding oracle::rope(const Arguments& p) {
  const std::size_t dim = p.width("dim"), heads = p.width("heads");
  const std::size_t width = p.width("rotary_dim") == 0 ? dim : p.width("rotary_dim");
  const std::size_t over = p.is("exponent", "dim") ? dim : width;
  const bool half_split = p.is("layout", "half_split");

  Geometric powers{p.real("base"), {}};
  Rotary rotary{.dim = dim, .heads = heads, .pairs = pairs_of(p)};
  for (std::size_t i = 0; i < rotary.pairs.size(); ++i)
    powers.exponents.push_back({2 * static_cast<std::int64_t>(i), static_cast<std::int64_t>(over)});
  const std::vector<Real> plain = exact::exact(Frequencies{powers}, 64);
  powers.scaling = scaling_of(p, rotary.pairs.size());
  const auto ladder =
      std::make_shared<const Ladder>(Frequencies{powers, p.is("direction", "backward")}, amplitude_of(p));

  rotary.amplitude = ladder->multiprecision().with(256).amplitude.nearest();
  for (Pair& pair : rotary.pairs) {
    pair.frequency = ladder->frequency(pair.index);
    const FrequencyErrorFrom from{plain[pair.index].nearest(), std::abs(pair.frequency),
                                  static_cast<double>(pair.index), static_cast<double>(over), powers.base};
    pair.frequency_error = std::visit(from, powers.scaling);
  }
  rotary.exact = std::make_shared<const ExactTable>(ladder, runs_of(rotary.pairs, half_split), dim, 0);
  rotary.positions.hard = hard_positions(rotary.pairs, rotary.positions.lo, rotary.positions.hi);
  rotary.rotate = [ladder, pairs = rotary.pairs, heads, dim](const Tensor& x,
                                                             std::span<const Position> positions, Role) {
    return rotated(*ladder, pairs, x, positions, heads, dim);
  };
  return rotary;
}

}  // namespace posproof
