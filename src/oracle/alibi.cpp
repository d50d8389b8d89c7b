#include <algorithm>
#include <cstdlib>

#include "catalogue/oracle/alibi.h"
#include "core/hard.h"
#include "exact/bias_kernels.h"

namespace posproof {

using namespace exact;

namespace {

std::vector<LinearBias> kernels_of(std::int64_t heads, bool official, double max_bias) {
  std::int64_t power = 1;
  while (power * 2 <= heads) power *= 2;
  std::vector<LinearBias> kernels;
  const std::int64_t first = official ? power : heads;
  for (std::int64_t h = 1; h <= first; ++h) kernels.emplace_back(Linear{max_bias, h, first});
  // The authors' rule for what is left: every other slope of the set for twice as many heads.
  for (std::int64_t h = 1; static_cast<std::int64_t>(kernels.size()) < heads; h += 2)
    kernels.emplace_back(Linear{max_bias, h, 2 * power});
  return kernels;
}

enum class Form { causal, symmetric, key_index };

// The distance that the bias is of: of the offset key - query, or of the key.
Position distance(Form form, Position offset) {
  if (form == Form::symmetric) return std::abs(offset);
  return form == Form::causal ? std::max<Position>(-offset, 0) : -offset;
}

}  // namespace

Encoding oracle::alibi(const Arguments& p) {
  const std::size_t heads = p.width("heads");
  const bool causal = p.is("form", "causal"), key_index = p.is("rows", "key_index");
  const Form form = key_index ? Form::key_index : causal ? Form::causal : Form::symmetric;
  const auto kernels = kernels_of(p.whole("heads"), p.is("rule", "official"), p.real("max_bias"));

  Bias bias{.heads = heads, .causal = causal, .modulo_rows = p.is("rows", "any")};
  for (const LinearBias& kernel : kernels) bias.slopes.push_back(kernel.slope());
  bias.positions.hard = hard_positions(std::span<const Pair>{}, bias.positions.lo, bias.positions.hi);
  ExactBias exact{.of_key = key_index};
  exact.fill = [kernels, form](std::size_t head, Position first, Format format, std::span<double> out) {
    for (double& entry : out) entry = kernels.at(head).at(distance(form, first++), format);
  };
  bias.bias = [kernels, form, exact](std::span<const Position> queries, std::span<const Position> keys) {
    Tensor out({kernels.size(), queries.size(), keys.size()});
    auto entry = out.data.begin();
    for (const LinearBias& kernel : kernels)
      for (const Position i : queries)
        for (const Position j : keys) *entry++ = kernel.at(distance(form, exact.offset(i, j)), Format::f64);
    return out;
  };
  bias.exact = std::move(exact);
  return bias;
}

}  // namespace posproof
