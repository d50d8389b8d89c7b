#include <cmath>

#include "core/hard.h"
#include "oracle/asked.h"
#include "oracle/exact.h"
#include "oracle/oracle.h"

namespace posproof::oracle {
namespace {

// The slope 2^(-max_bias * numerator / denominator).
struct Slope {
  std::int64_t numerator, denominator;
};

std::vector<Slope> slopes_of(std::int64_t heads, bool official) {
  std::int64_t power = 1;
  while (power * 2 <= heads) power *= 2;
  std::vector<Slope> slopes;
  const std::int64_t first = official ? power : heads;
  for (std::int64_t h = 1; h <= first; ++h) slopes.push_back({h, first});
  // The authors' rule for what is left: every other slope of the set for twice as many heads.
  for (std::int64_t h = 1; static_cast<std::int64_t>(slopes.size()) < heads; h += 2)
    slopes.push_back({h, 2 * power});
  return slopes;
}

enum class Form { causal, symmetric, key_index };

// The whole number that a slope is multiplied with.
Position factor(Form form, Position i, Position j) {
  if (form == Form::key_index) return j;
  if (form == Form::symmetric) return i < j ? i - j : j - i;
  return j <= i ? j - i : 0;
}

}  // namespace

Encoding alibi(const Parameters& parameters) {
  const Asked asked(parameters, "alibi", {"heads", "rule", "form", "rows", "max_bias"});
  const std::size_t heads = asked.width("heads", 8);
  const bool official = asked.word("rule", {"official", "geometric"}) == "official";
  const bool causal = asked.word("form", {"causal", "symmetric"}) == "causal";
  const bool key_index = asked.word("rows", {"relative", "key_index"}) == "key_index";
  if (key_index && !causal)
    asked.refuse("`rows=key_index` is the same only after a causal softmax, so `form` is causal");
  const double max_bias = asked.positive("max_bias", 8);
  const Form form = key_index ? Form::key_index : causal ? Form::causal : Form::symmetric;
  const auto slopes = slopes_of(static_cast<std::int64_t>(heads), official);

  Bias bias{.heads = heads, .causal = causal};
  for (const Slope& slope : slopes)
    bias.slopes.push_back(power_of_two(max_bias, slope.numerator, slope.denominator, 1));
  bias.positions.hard = hard_positions(std::span<const Pair>{}, bias.positions.lo, bias.positions.hi);
  bias.bias = [slopes, max_bias, form](std::span<const Position> queries, std::span<const Position> keys) {
    Tensor out({slopes.size(), queries.size(), keys.size()});
    auto entry = out.data.begin();
    for (const Slope& slope : slopes)
      for (const Position i : queries)
        for (const Position j : keys)
          *entry++ = power_of_two(max_bias, slope.numerator, slope.denominator, factor(form, i, j));
    return out;
  };
  return bias;
}

}  // namespace posproof::oracle
