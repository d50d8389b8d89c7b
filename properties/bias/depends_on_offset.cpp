#include "entries.h"

#include <cmath>

#include "catalogue/properties/bias/depends_on_offset.h"

namespace posproof::properties_bias_depends_on_offset {
namespace {

using namespace biases;

Residual check(const Bias& bias, Precision p, Draw& draw) {
  const Domain& domain = bias.positions;
  const Position i = draw.position("i", domain);
  const Position last = bias.causal ? i : domain.hi;
  const Position j = draw.position("j", domain, domain.lo, last),
                 k = draw.position("k", domain, domain.lo, last);
  const Position t = draw.position("t", domain, 0, domain.hi - std::max({i, j, k}));
  if (t == 0 || j == k) throw Discard{};

  const std::vector<Position> queries = {i, i + t}, keys = {j, k, j + t, k + t};
  const Entries b = entries(bias, queries, keys);
  Residual worst{0, 0, 0};
  for (std::size_t h = 0; h < b.heads; ++h) {
    const double here = b.at(h, 0, 0) - b.at(h, 0, 1), there = b.at(h, 1, 2) - b.at(h, 1, 3);
    if (!std::isfinite(here) || !std::isfinite(there)) return holds_if(false);
    // The softmax does not see what a whole row has in common, so a row is compared by its differences. The
    // slope is the same everywhere, so its own error cancels; each entry is rounded. Ours: two differences.
    double bound = term(Term::ours, unit_f64 * (std::abs(here) + std::abs(there)));
    for (const auto& [query, key] : {std::pair(0, 0), {0, 1}, {1, 2}, {1, 3}})
      bound += bias_rounding(p, b.at(h, query, key), bias, h, queries[query], keys[key]);
    worst = worse(worst, difference(there, here, bound));
  }
  return worst;
}

// Of the two queries i and i + t, and the keys j, k, j + t and k + t, the first meets the first two keys.

Encoding leaking_position() {
  Bias bias = bias_of(2, [](std::size_t h, Position i, Position j) {
    const auto distance = static_cast<double>(std::abs(i - j));
    return -distance * (h == 0 ? 0.5 : 0.25) * (1 + 1e-12 * static_cast<double>(j));
  });
  bias.slopes = {0.5, 0.25};
  return bias;
}

// 16 units of f32, where one entry against another of 0 may be off by 4 on each side.
Encoding odd_queries_are_larger() {
  Bias bias = bias_of(1, [](std::size_t, Position i, Position j) {
    return -0.5 * static_cast<double>(std::abs(i - j)) * (i % 2 == 0 ? 1 : 1 + 0x1p-20);
  });
  bias.slopes = {0.5};
  return bias;
}

// A table indexed with the key instead of the offset, on the second head only.
Encoding absolute_index() {
  return bias_of(2, [](std::size_t h, Position i, Position j) {
    return static_cast<double>((h == 0 ? std::abs(i - j) : j) % 7);
  });
}

}  // namespace

const Property entry{
    .statement = "The bias depends on the offset alone, up to a constant that all keys of a query share.",
    .formula = "b(i+t, j+t) - b(i+t, k+t) = b(i, j) - b(i, k)",
    .source =
        "Press et al. 2022, ALiBi, section 3; Raffel et al. 2020, T5, section 2.1: an offset key - query",
    .checks = {CheckOf<Bias>(&check)},
    .must_reject =
        joined({{"slopes that grow by 1e-12 of themselves with every key", &leaking_position},
                {"rows of odd queries that are larger by 2^-20 of themselves, in f32",
                 &odd_queries_are_larger, all_f32},
                {"a table that the second head reads at the key's position", &absolute_index},
                off("entries of the second of four keys", &sloped, -0x1p-20, &is_second_key),
                off("entries of the third of four keys", &sloped, 0x1p-20, &is_third_key),
                off("entries of queries past position 65536", &sloped, 0x1p-20, &past_65536),
                off("entries of a table, of the last head and the last key,", &tabled_and_causal, 0x1p-20,
                    &is_last)},
               joined(last_and_first(&sloped, 0x1p-20, 0x1p-5), last_and_first(&tabled, 0x1p-20, 0x1p-4))),
};

}  // namespace posproof::properties_bias_depends_on_offset
