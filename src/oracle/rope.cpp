#include <fmt/format.h>

#include <numbers>

#include "core/error.h"
#include "core/hard.h"
#include "exact/exact_table.h"
#include "exact/ladder.h"
#include "oracle/asked.h"
#include "oracle/oracle.h"

namespace posproof::oracle {

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

// Refuses what no formula has a meaning for.
Scaling scaling_of(const Asked& asked, double base, std::size_t d) {
  const std::string kind = asked.word("scaling", {"none", "linear", "ntk", "by_parts", "yarn", "llama3"});
  const double factor = asked.positive("factor", 8), length = asked.positive("original_length", 8192);
  const double low = asked.positive("low_freq_factor", 1), high = asked.positive("high_freq_factor", 4);
  const double multiprecision = asked.positive("beta_slow", 1), fast = asked.positive("beta_fast", 32);
  const bool truncate = asked.word("truncate", {"true", "false"}) == "true";
  if (kind == "none") return Unscaled{};
  if (factor < 1) asked.refuse("a scaling stretches: its `factor` is 1 or more");
  if (base <= 1) asked.refuse("a ladder that is scaled falls: its `base` is above 1");
  if (kind == "linear") return Linear{factor};
  if (kind == "ntk") {
    if (d <= 2) asked.refuse("`scaling=ntk` divides by d - 2: what the exponent divides 2i by is above 2");
    return NtkAware{factor};
  }
  if (kind == "yarn") {
    if (multiprecision > fast) asked.refuse("`beta_slow` is at most `beta_fast`");
    return ByIndex{factor, length, fast, multiprecision, truncate};
  }
  const bool llama = kind == "llama3";
  if (!((llama ? low : multiprecision) < (llama ? high : fast)))
    asked.refuse(llama ? "`low` is below `high`" : "`beta_slow` is below `beta_fast`");
  return ByParts{factor, length, llama ? low : multiprecision, llama ? high : fast};
}

// What the roundings of an implementation lose where it scales the frequency w of a pair to v.
struct FrequencyErrorFrom {
  double w, v, index, d, base;

  FrequencyError operator()(const Unscaled&) const { return {}; }
  FrequencyError operator()(const Linear&) const { return divided(); }
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
Amplitude amplitude_of(const Parameters& parameters, const Asked& asked, const Scaling& scaling) {
  const Value* word = parameters.find("attention_factor");
  const bool formula = word == nullptr || *word == Value(0.0);
  const double given = formula ? 1 : asked.positive("attention_factor", 1);
  const auto* yarn = std::get_if<ByIndex>(&scaling);
  if (yarn == nullptr) return 1.0;
  return formula ? Amplitude(YarnAmplitude{yarn->factor}) : Amplitude(given);
}

}  // namespace

Encoding rope(const Parameters& parameters) {
  const Asked asked(parameters, "rope",
                    {"dim", "heads", "base", "layout", "rotary_dim", "exponent", "direction", "scaling",
                     "factor", "original_length", "low_freq_factor", "high_freq_factor", "beta_fast",
                     "beta_slow", "truncate", "attention_factor"});
  const std::size_t dim = asked.width("dim", 64);
  const std::size_t heads = asked.width("heads", 1);
  const std::int64_t asked_width = asked.whole("rotary_dim", 0, 0, widest);
  const std::size_t width = asked_width == 0 ? dim : static_cast<std::size_t>(asked_width);
  if (width > dim) asked.refuse("`rotary_dim` is at most `dim`");
  if (width % 2 != 0) asked.refuse("the channels that rotate (`rotary_dim`, or `dim`) are even in number");
  const bool half_split = asked.word("layout", {"half_split", "interleaved"}) == "half_split";
  const std::size_t over = asked.word("exponent", {"rotary_dim", "dim"}) == "dim" ? dim : width;
  const bool backward = asked.word("direction", {"forward", "backward"}) == "backward";

  Geometric powers{asked.positive("base", 10000), {}};
  for (std::size_t i = 0; i < width / 2; ++i)
    powers.exponents.push_back({2 * static_cast<std::int64_t>(i), static_cast<std::int64_t>(over)});
  const std::vector<Real> plain = exact::exact(Frequencies{powers}, 64);
  powers.scaling = scaling_of(asked, powers.base, over);
  const auto ladder = std::make_shared<const Ladder>(Frequencies{powers, backward},
                                                     amplitude_of(parameters, asked, powers.scaling));

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

}  // namespace posproof::oracle
