#include <algorithm>
#include <cmath>
#include <map>
#include <mutex>
#include <numbers>
#include <numeric>

#include "catalogue/oracle/rope.h"
#include "core/by_row.h"
#include "core/error.h"
#include "core/hard.h"
#include "core/rotation.h"
#include "exact/exact_table.h"
#include "exact/shared_ladder.h"

namespace posproof {

using namespace exact;

namespace {

Tensor rotated(const Ladder& ladder, std::span<const Pair> pairs, Tensor x,
               std::span<const Position> positions, std::size_t heads, std::size_t dim) {
  check_rotation(x, positions, heads, dim);
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

// Of a sequence of so many tokens.
Scaling scaling_of(const Arguments& p, std::size_t pairs, Position tokens) {
  const std::string& kind = p.word("scaling");
  const double factor = p.real("factor"), length = p.real("original_length");
  if (kind == "linear") return Interpolated{factor};
  if (kind == "ntk") return NtkAware{factor};
  if (kind == "dynamic_ntk" && static_cast<double>(tokens) > length)
    return DynamicNtk{factor, length, static_cast<double>(tokens)};
  if (kind == "longrope") {
    const bool trained_on = static_cast<double>(tokens) <= length && !p.list("short_factors").empty();
    return Divided{divisors_of(p.list(trained_on ? "short_factors" : "factors"), pairs)};
  }
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
  FrequencyError operator()(const DynamicNtk& ntk) const {
    return from_length(2 * index / (d - 2), ntk.factor, ntk.length / ntk.original_length);
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

// The channel of the rotation that stands at each channel of the answer.
std::vector<std::size_t> order_of(const Arguments& p) {
  if (p.is("layout", "half_split") || p.is("output_layout", "as_taken")) return {};
  const std::size_t dim = p.width("dim");
  const std::size_t width = p.width("rotary_dim") == 0 ? dim : p.width("rotary_dim");
  std::vector<std::size_t> order(dim);
  std::iota(order.begin(), order.end(), std::size_t{0});
  const std::size_t before = p.is("rotary_part", "last") ? dim - width : 0;
  // The layout's pairs, those that are not kept among them.
  for (std::size_t i = 0; i < width / 2; ++i) {
    order[before + i] = before + 2 * i;
    order[before + width / 2 + i] = before + 2 * i + 1;
  }
  return order;
}

Rotary of(const Arguments& p, Position tokens) {
  const std::size_t dim = p.width("dim"), heads = p.width("heads");
  const std::size_t width = p.width("rotary_dim") == 0 ? dim : p.width("rotary_dim");
  const std::size_t over = p.is("exponent", "dim") ? dim : width;
  const bool half_split = p.is("layout", "half_split");

  Geometric powers{p.real("base"), {}};
  Rotary rotary{.dim = dim, .heads = heads, .pairs = pairs_of(p)};
  for (std::size_t i = 0; i < rotary.pairs.size(); ++i)
    powers.exponents.push_back({2 * static_cast<std::int64_t>(i), static_cast<std::int64_t>(over)});
  const auto unscaled = shared_ladder(Frequencies{powers});
  const std::vector<Real>& plain = unscaled->multiprecision().with(64).frequencies;
  powers.scaling = scaling_of(p, rotary.pairs.size(), tokens);
  const auto ladder = shared_ladder(Frequencies{powers, p.is("direction", "backward")}, amplitude_of(p));

  rotary.amplitude = exact::exact(ladder->multiprecision().amplitude(), 256).nearest();
  for (Pair& pair : rotary.pairs) {
    pair.frequency = ladder->frequency(pair.index);
    const FrequencyErrorFrom from{plain[pair.index].nearest(), std::abs(pair.frequency),
                                  static_cast<double>(pair.index), static_cast<double>(over), powers.base};
    pair.frequency_error = std::visit(from, powers.scaling);
  }
  rotary.order = order_of(p);
  if (rotary.order.empty())
    rotary.exact = std::make_shared<const ExactTable>(ladder, runs_of(rotary.pairs, half_split), dim, 0);
  rotary.positions.hard = hard_positions(rotary.pairs, rotary.positions.lo, rotary.positions.hi);
  rotary.rotate = [ladder, pairs = rotary.pairs, order = rotary.order, heads, dim](
                      const Tensor& x, std::span<const Position> positions, Role) {
    const Tensor y = rotated(*ladder, pairs, x, positions, heads, dim);
    Tensor out = y;
    for (std::size_t c = 0; c < order.size(); ++c)
      for (std::size_t r = 0; r < y.rows(); ++r) out.at(r, c) = y.at(r, order[c]);
    return out;
  };
  return rotary;
}

// The last few rotations by the length of the call: a ladder in multiprecision is dear.
class ByLength {
 public:
  explicit ByLength(Arguments p) : p_(std::move(p)) {}

  std::shared_ptr<const Rotary> operator()(Position last) {
    // All calls that were trained on have one ladder.
    const auto tokens = std::max(last + 1, static_cast<Position>(std::floor(p_.real("original_length"))));
    const std::lock_guard lock(mutex_);
    if (made_.size() > 64) made_.clear();
    auto& one = made_[tokens];
    if (!one) one = std::make_shared<const Rotary>(of(p_, tokens));
    return one;
  }

 private:
  Arguments p_;
  std::mutex mutex_;
  std::map<Position, std::shared_ptr<const Rotary>> made_;
};

}  // namespace

Encoding oracle::rope(const Arguments& p) {
  const Position length = p.whole("length");
  Rotary rotary = of(p, length);
  const bool two_lists = p.is("scaling", "longrope") && !p.list("short_factors").empty();
  if (length != 0 || (!two_lists && !p.is("scaling", "dynamic_ntk"))) return rotary;

  const auto by_length = std::make_shared<ByLength>(p);
  rotary.exact = {};
  add_switches(rotary.positions, p.real("original_length"));
  rotary.in_call = [by_length](Position last) { return (*by_length)(last); };
  rotary.rotate = [by_length](const Tensor& x, std::span<const Position> positions, Role role) {
    const Position last = positions.empty() ? 0 : *std::ranges::max_element(positions);
    return (*by_length)(last)->rotate(x, positions, role);
  };
  if (p.is("length_of", "row")) return by_row(std::move(rotary));
  return rotary;
}

}  // namespace posproof
