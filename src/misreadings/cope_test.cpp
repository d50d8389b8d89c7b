#include "catalogue/misreadings/cope.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "core/formats.h"
#include "misreadings/testing/formulas.h"

namespace posproof::misreadings_cope_test {
namespace {

using inside::dot, inside::Pairwise, inside::Real;
using testing::PairFormula;

// Of the open gates of a query: of all keys, the key's number, the query's.
using Count = Real (*)(const std::vector<Real>& gates, std::size_t j, std::size_t i, std::size_t behind);
// Of a number between two rows: the share of the upper one.
using Share = Real (*)(Real between);

Real from_the_key(const std::vector<Real>& gates, std::size_t j, std::size_t i, std::size_t behind) {
  Real sum = 0;
  for (std::size_t l = j + behind; l <= i; ++l) sum += gates[l];
  return sum;
}
Real linear(Real between) {
  return between;
}

struct Read {
  Real (*gate)(Real product) = [](Real x) { return 1 / (1 + std::exp(-x)); };
  bool of_keys = false;
  Count count = &from_the_key;
  Share share = &linear;
  bool divided = false;
  int rows_less = 0;
  bool wraps = false;
  bool seen_alone = true;  // gates of keys that are hidden from a query are 0; else of its later ones alone
};

PairFormula counted(const Read& as) {
  return [=](const Arguments& p, const Tensor& q, const Tensor& k, const Tensor& v, const Mask& mask) {
    const Tensor table = inside::trained(p.width("length"), q.width(), p.whole("table_seed"));
    const Real root = inside::root(q.width()), scale = p.is("gate", "plain") ? 1 : 1 / root;
    const std::size_t behind = p.is("counting", "exclusive") ? 1 : 0;
    return Pairwise{[=, &q, &k, &mask](std::size_t i, std::size_t j) {
                      std::vector<Real> gates;
                      for (std::size_t l = 0; l < k.rows(); ++l) {
                        const bool hidden = as.seen_alone && l <= i && mask.at(i, l) == 0;
                        const Real open = as.gate(scale * dot((as.of_keys ? k.row(l) : q.row(i)), k.row(l)));
                        gates.push_back(hidden ? 0 : open);
                      }
                      const Real most = Real(table.rows()) - 1 - as.rows_less;
                      Real at = as.count(gates, j, i, behind);
                      if (as.wraps)
                        while (at >= most) at -= most;
                      at = at < 0 ? 0 : at > most ? most : at;
                      const Real whole = std::floor(at), share = as.share(at - whole);
                      Real met = (1 - share) * dot(q.row(i), table.row(std::size_t(whole)));
                      if (whole < most) met += share * dot(q.row(i), table.row(std::size_t(whole) + 1));
                      if (whole == most) met = dot(q.row(i), table.row(std::size_t(most)));
                      return dot(q.row(i), k.row(j)) / root + met / (as.divided ? root : 1);
                    },
                    [&v](std::size_t, std::size_t j, std::size_t c) -> Real { return v.at(j, c); }};
  };
}

using Format = double (*)(double);

template <Format format>
Real in(Real x) {
  return format(static_cast<double>(x));
}
template <Format format>
Real gate_in(Real x) {
  return in<format>(1 / (1 + std::exp(-x)));
}
template <Format format>
Real product_and_gate_in(Real x) {
  return gate_in<format>(in<format>(x));
}
template <Format format>
Real sum_in(const std::vector<Real>& gates, std::size_t j, std::size_t i, std::size_t behind) {
  return in<format>(from_the_key(gates, j, i, behind));
}
// From the query back to the key.
template <Format format>
Real steps_in(const std::vector<Real>& gates, std::size_t j, std::size_t i, std::size_t behind) {
  Real sum = 0;
  for (std::size_t l = i + 1; l > j + behind; --l) sum = in<format>(sum + gates[l - 1]);
  return sum;
}

template <Format format>
std::vector<std::pair<std::string, PairFormula>> kept_in(const std::string& name) {
  return {{"the gates are rounded to " + name, counted({.gate = &gate_in<format>})},
          {"the gates and their sums are rounded to " + name,
           counted({.gate = &gate_in<format>, .count = &sum_in<format>})},
          {"the gates and each step of their sums are rounded to " + name,
           counted({.gate = &gate_in<format>, .count = &steps_in<format>})},
          {"the products in the gates, and the gates, are rounded to " + name,
           counted({.gate = &product_and_gate_in<format>})},
          {"the products in the gates, the gates and their sums are rounded to " + name,
           counted({.gate = &product_and_gate_in<format>, .count = &sum_in<format>})},
          {"the products in the gates, the gates and each step of their sums are rounded to " + name,
           counted({.gate = &product_and_gate_in<format>, .count = &steps_in<format>})}};
}

TEST(MisreadCope, is_what_the_sentence_says) {
  testing::Formulas<PairFormula> all = {
      {"the gates are counted from the first key up to this one, not from this one to the query",
       counted({.count =
                    [](const std::vector<Real>& gates, std::size_t j, std::size_t, std::size_t behind) {
                      Real sum = 0;
                      for (std::size_t l = 0; l + behind <= j; ++l) sum += gates[l];
                      return sum;
                    }})},
      {"every gate is 1: positions are distances", counted({.gate = [](Real) -> Real { return 1; }})},
      {"the gates are 1 - sigmoid: they close where they should open",
       counted({.gate = [](Real x) { return 1 / (1 + std::exp(x)); }})},
      {"the gates are of a key's product with itself, not with the query", counted({.of_keys = true})},
      {"the gates of masked keys count as well",
       counted({.count = [](const std::vector<Real>& gates, std::size_t j, std::size_t,
                            std::size_t behind) { return from_the_key(gates, j, gates.size() - 1, behind); },
                .seen_alone = false})},
      {"the gates of masked keys up to the query's own count as well", counted({.seen_alone = false})},
      {"positions are limited to length - 2, not to length - 1", counted({.rows_less = 1})},
      {"positions are taken modulo length - 1, not limited to it", counted({.wraps = true})},
      {"positions count from 1, not from 0",
       counted({.count = [](const std::vector<Real>& gates, std::size_t j, std::size_t i,
                            std::size_t behind) { return from_the_key(gates, j, i, behind) + 1; }})},
      {"positions are smaller by 1",
       counted({.count = [](const std::vector<Real>& gates, std::size_t j, std::size_t i,
                            std::size_t behind) { return from_the_key(gates, j, i, behind) - 1; }})},
      {"positions are rounded to the nearest row, not interpolated",
       counted({.share = [](Real x) -> Real { return x > 0.5L ? 1 : 0; }})},
      {"positions are rounded down to a row, not interpolated",
       counted({.share = [](Real) -> Real { return 0; }})},
      {"positions are rounded up to a row, not interpolated",
       counted({.share = [](Real x) -> Real { return x > 0 ? 1 : 0; }})},
      {"the two rows of the interpolation have each other's share",
       counted({.share = [](Real x) { return x == 0 ? x : 1 - x; }})},
      {"the product of the query with the row is divided by sqrt(dim)", counted({.divided = true})}};
  const auto f16 = kept_in<&to_f16>("f16"), bf16 = kept_in<&to_bf16>("bf16");
  for (const auto& kept : {&f16, &bf16})
    for (const auto& [sentence, formula] : *kept) all[sentence] = formula;
  testing::expect_attention("cope", misreadings::cope, all,
                            {"", "gate=plain counting=exclusive table_seed=2"});
}

}  // namespace
}  // namespace posproof::misreadings_cope_test
