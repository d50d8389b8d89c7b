#include <algorithm>
#include <cstdlib>
#include <map>

#include "catalogue/oracle/alibi.h"
#include "core/hard.h"
#include "exact/bias_kernels.h"
#include "oracle/bias_bounds.h"
#include "oracle/grid_bounds.h"

namespace posproof {

using namespace exact;

namespace {

// The slopes of so many heads, in order.
std::vector<Linear> slopes_of(const Arguments& p, std::int64_t heads) {
  const double max_bias = p.real("max_bias");
  std::vector<Linear> all;
  if (p.is("rule", "log_linear")) {
    // 2^-1 2^(-(max_bias - 1) h / (heads - 1)): the difference is exact, as max_bias is 1 or more.
    for (std::int64_t h = 0; h < heads; ++h) all.push_back({max_bias - 1, h, heads - 1, 1});
    return all;
  }
  std::int64_t power = 1;
  while (power * 2 <= heads) power *= 2;
  const std::int64_t first = p.is("rule", "official") ? power : heads;
  for (std::int64_t h = 1; h <= first; ++h) all.push_back({max_bias, h, first});
  // The authors' rule for what is left: every other slope of the set for twice as many heads.
  for (std::int64_t h = 1; static_cast<std::int64_t>(all.size()) < heads; h += 2)
    all.push_back({max_bias, h, 2 * power});
  return all;
}

// Of each head; those without a bias are 0.
std::vector<Linear> kernels_of(const Arguments& p) {
  const std::int64_t heads = p.whole("heads"), width = p.whole("head_dim"),
                     with_bias = p.whole("biased_heads");
  std::vector<Linear> all = slopes_of(p, with_bias == 0 ? heads : with_bias);
  for (Linear& slope : all) slope.divisor = width == 0 ? 1 : width;
  all.resize(static_cast<std::size_t>(heads), {.max_bias = 0, .numerator = 0, .denominator = 1, .factor = 0});
  return all;
}

// Of each head, for the keys up to the query and for those after it.
struct Head {
  LinearBias past, future;
};

std::vector<Head> heads_of(const Arguments& p) {
  std::vector<Head> all;
  for (const Linear& slope : kernels_of(p)) {
    Linear future = slope;
    if (p.is("form", "asymmetric")) future.factor *= p.real("future_factor");
    all.push_back({LinearBias(slope), LinearBias(future)});
  }
  return all;
}

struct Form {
  bool causal, key_index;
  Position future_offset;

  // Of the offset key - query, or of the key alone.
  double entry(const Head& head, Position offset, Format format) const {
    if (key_index) return head.past.at(-offset, format);
    if (offset <= 0) return head.past.at(-offset, format);
    return causal ? 0 : head.future.at(offset + future_offset, format);
  }
};

// The distances of places on a grid, as whole numbers: of the Euclidean ones their squares.
struct Places {
  std::size_t axes;
  bool euclidean, class_token;

  Position of(const Positions& queries, std::size_t i, const Positions& keys, std::size_t j) const {
    Position sum = 0;
    for (std::size_t axis = 0; axis < axes; ++axis) {
      const Position query = queries.flat()[i * axes + axis], key = keys.flat()[j * axes + axis];
      if (class_token && (query < 0 || key < 0)) return 0;
      sum += euclidean ? (query - key) * (query - key) : std::abs(query - key);
    }
    return sum;
  }
  // m sqrt(n) is m / sqrt(n) times n.
  double entry(Linear head, Position whole, Format format) const {
    if (whole == 0) return 0;
    if (euclidean) head.divisor *= whole;
    return value(head, whole, format);
  }
};

// Each number once for each head, however many pairs of places have it.
Encoding on_a_grid(const Arguments& p) {
  const Places places{p.list("grid").size(), p.is("metric", "euclidean"), p.is("class_token", "zero")};
  const std::vector<Linear> kernels = kernels_of(p);
  Bias bias{.heads = kernels.size(), .modulo_rows = p.is("rows", "any")};
  for (const Linear& kernel : kernels) bias.slopes.push_back(slope(kernel, Format::f64));
  bias.error = bias_bounds::of_slopes_on_a_grid(bias.slopes, places.axes, !places.euclidean);
  bias.positions.axes = places.axes;
  bias.positions.lo = places.class_token ? -1 : 0;
  if (places.class_token) bias.positions.class_token = -1;
  for (const double extent : p.list("grid"))
    bias.positions.last_on_axis.push_back(static_cast<Position>(extent) - 1);
  bias.positions.hi = std::ranges::max(bias.positions.last_on_axis);
  bias.bias = [places, kernels](const Positions& queries, const Positions& keys) {
    Tensor out({kernels.size(), queries.size(), keys.size()});
    auto to = out.data.begin();
    for (const Linear& kernel : kernels) {
      std::map<Position, double> known;
      for (std::size_t i = 0; i < queries.size(); ++i)
        for (std::size_t j = 0; j < keys.size(); ++j) {
          const auto [at, is_new] = known.try_emplace(places.of(queries, i, keys, j));
          if (is_new) at->second = places.entry(kernel, at->first, Format::f64);
          *to++ = at->second;
        }
    }
    return out;
  };
  return bias;
}

}  // namespace

Encoding oracle::alibi(const Arguments& p) {
  if (!p.is("axes", "line")) return on_a_grid(p);
  const bool key_index = p.is("rows", "key_index");
  const Form form{p.is("form", "causal"), key_index,
                  p.is("form", "asymmetric") ? p.whole("future_offset") : 0};
  const std::vector<Head> all = heads_of(p);

  Bias bias{.heads = all.size(), .causal = form.causal, .modulo_rows = p.is("rows", "any")};
  for (const Head& head : all) bias.slopes.push_back(head.past.slope());
  if (p.is("form", "asymmetric")) bias.error = bias_bounds::of_asymmetric_slopes(bias.slopes);
  bias.positions.hard = hard_positions(std::span<const Pair>{}, bias.positions.lo, bias.positions.hi);
  ExactBias exact{.of_key = key_index};
  exact.fill = [all, form](std::size_t head, Position first, Format format, std::span<double> out) {
    for (double& entry : out) entry = form.entry(all.at(head), first++, format);
  };
  bias.bias = [all, form, exact](std::span<const Position> queries, std::span<const Position> keys) {
    Tensor out({all.size(), queries.size(), keys.size()});
    auto entry = out.data.begin();
    for (const Head& head : all)
      for (const Position i : queries)
        for (const Position j : keys) *entry++ = form.entry(head, exact.offset(i, j), Format::f64);
    return out;
  };
  bias.exact = std::move(exact);
  return bias;
}

}  // namespace posproof
