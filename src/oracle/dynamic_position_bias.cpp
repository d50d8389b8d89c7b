#include "catalogue/oracle/dynamic_position_bias.h"
#include "exact/number.h"
#include "exact/numbers.h"
#include "oracle/dynamic_bias.h"
#include "oracle/formula.h"

namespace posproof {

Encoding oracle::dynamic_position_bias(const Arguments& p) {
  DynamicBias of{p.width("width"),
                 p.width("depth"),
                 p.width("heads"),
                 p.is("offset", "distance"),
                 p.is("scale", "log"),
                 p.is("activation", "silu"),
                 {}};
  for (std::uint64_t at = 0; at < of.count(); ++at)
    of.numbers.push_back(exact::seeded(p.real("std"), p.whole("mlp_seed"), at));

  Bias bias{.heads = of.heads};
  bias.error = bound_of(of);
  bias.bias = [of, kept = Kept<std::vector<double>>()](const Positions& queries, const Positions& keys) {
    const auto entries_at = [&of](Position offset) {
      std::vector<double> entries;
      for (const exact::Number& x : of.outputs(exact::InFull(), static_cast<double>(offset)))
        entries.push_back(x.nearest());
      return entries;
    };
    Tensor out({of.heads, queries.size(), keys.size()});
    for (std::size_t i = 0; i < queries.size(); ++i)
      for (std::size_t j = 0; j < keys.size(); ++j) {
        const Position offset = of.distance ? std::abs(queries[i] - keys[j]) : queries[i] - keys[j];
        const std::vector<double> entries = kept(offset, entries_at);
        for (std::size_t h = 0; h < of.heads; ++h) out.at(h * queries.size() + i, j) = entries[h];
      }
    return out;
  };
  return bias;
}

}  // namespace posproof
