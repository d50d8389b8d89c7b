#include "catalogue/oracle/alibi.h"
#include "core/hard.h"
#include "exact/bias_kernels.h"
#include "oracle/bias_bounds.h"

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

// Of each head, for the keys up to the query and for those after it.
struct Head {
  LinearBias past, future;
};

std::vector<Head> heads_of(const Arguments& p) {
  const std::int64_t heads = p.whole("heads"), width = p.whole("head_dim"),
                     with_bias = p.whole("biased_heads");
  std::vector<Head> all;
  for (Linear slope : slopes_of(p, with_bias == 0 ? heads : with_bias)) {
    slope.divisor = width == 0 ? 1 : width;
    Linear future = slope;
    if (p.is("form", "asymmetric")) future.factor = p.real("future_factor");
    all.push_back({LinearBias(slope), LinearBias(future)});
  }
  const LinearBias nothing(Linear{.max_bias = 0, .numerator = 0, .denominator = 1, .factor = 0});
  all.resize(static_cast<std::size_t>(heads), {nothing, nothing});
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

}  // namespace

Encoding oracle::alibi(const Arguments& p) {
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
