#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "catalogue/encodings.h"
#include "core/function.h"
#include "core/misreading.h"
#include "encodings/inside_attention.h"

// For tests of misreadings: the answers of each beside the formula that its sentence says, written out again.
// A misreading without a formula fails.
namespace posproof::testing {

using inside::Real;

// By the sentence.
template <class Formula>
using Formulas = std::map<std::string_view, Formula>;

inline void expect_same(double found, Real expected, const std::string& where) {
  const auto wanted = static_cast<double>(expected);
  if (std::isinf(wanted))
    ASSERT_EQ(found, wanted) << where;
  else
    ASSERT_NEAR(found, wanted, 1e-14 * (1 + std::abs(wanted))) << where;
}

// Calls compare(made, its arguments, the formula, where) for each misreading, at its own setting and with
// those words added to it, or in the place of its own.
template <class Kind, class Formula, class Compare>
void expect_formulas(const std::string& id, const MisreadingFamily& family, const Formulas<Formula>& formulas,
                     const std::vector<std::string>& settings, const Compare& compare) {
  const auto all = catalogue::encodings();
  const auto named = std::ranges::find(all, id, [](const auto& one) { return std::string(one.id); });
  ASSERT_NE(named, all.end()) << id;
  const EncodingSpec& spec = *named->value;
  EXPECT_EQ(formulas.size(), family.misreadings.size());
  for (const Misreading& one : family.misreadings) {
    const auto formula = formulas.find(one.what);
    if (formula == formulas.end()) {
      ADD_FAILURE() << id << " has no formula here of `" << one.what << "`";
      continue;
    }
    for (const std::string& more : settings) {
      Case all = Case::parse(std::string(one.setting));
      const Case other = Case::parse(more);
      for (const auto& [name, value] : other.fields()) all.set(name, value);
      Parameters words;
      std::optional<Kind> made;
      try {
        words = with(spec, all);
        made = std::get<Kind>(one.make(words));
      } catch (const Refusal&) {  // in another setting than its own there may be nothing to misread
        ASSERT_FALSE(more.empty()) << one.what;
        continue;
      }
      compare(*made, Arguments(spec.parameters, words), formula->second,
              std::string(one.what) + "; " + words.text());
    }
  }
}

// The bias of a head on a query at i and a key at j.
using EntryFormula = Function<Real(const Arguments&, std::size_t head, Position i, Position j)>;

inline void expect_biases(const std::string& id, const MisreadingFamily& family,
                          const Formulas<EntryFormula>& formulas,
                          const std::vector<std::string>& settings = {""}) {
  expect_formulas<Bias>(
      id, family, formulas, settings,
      [](const Bias& made, const Arguments& p, const EntryFormula& formula, const std::string& where) {
        const std::vector<Position> at = {0, 1, 2, 5, 7, 8, 9, 16, 23, 150};
        const Tensor all = made.bias(at, at);
        for (std::size_t h = 0; h < made.heads; ++h)
          for (std::size_t i = 0; i < at.size(); ++i)
            for (std::size_t j = 0; j < at.size(); ++j)
              expect_same(all.at(h * at.size() + i, j), formula(p, h, at[i], at[j]), where);
      });
}

// What multiplies a pair, which `rotate` and `stretch` have to do alike.
using StretchFormula = Function<Real(const Arguments&, std::size_t pair, Real t, Role)>;

inline void expect_stretches(const std::string& id, const MisreadingFamily& family,
                             const Formulas<StretchFormula>& formulas,
                             const std::vector<std::string>& settings = {""}) {
  expect_formulas<Rotary>(
      id, family, formulas, settings,
      [](const Rotary& made, const Arguments& p, const StretchFormula& formula, const std::string& where) {
        const Position at[] = {0, 1, 6, 7, 8, 23, 24, 100};
        const std::size_t n = std::size(at), width = made.dim;
        const Tensor ones({2, made.heads, n, width}, std::vector<double>(2 * made.heads * n * width, 1.0));
        std::vector<Position> positions(at, at + n);
        positions.insert(positions.end(), std::rbegin(at), std::rend(at));  // of the second batch row
        for (const Role role : {Role::query, Role::key}) {
          const Tensor rotated = made.rotate(ones, positions, role);
          for (std::size_t row = 0; row < rotated.rows(); ++row) {
            const Position t = positions[row / (made.heads * n) * n + row % n];
            for (const Pair& pair : made.pairs) {
              const Real expected = formula(p, pair.index, static_cast<Real>(t), role);
              const double size = std::hypot(rotated.at(row, pair.first), rotated.at(row, pair.second));
              expect_same(size, expected * std::sqrt(Real{2}), where);
              expect_same(made.stretch(pair, static_cast<double>(t), role), expected, where);
            }
          }
        }
      });
}

// The row at a position, which has a number for each axis.
using RowFormula = Function<std::vector<Real>(const Arguments&, const std::vector<double>& position)>;

inline void expect_rows(const std::string& id, const MisreadingFamily& family,
                        const Formulas<RowFormula>& formulas,
                        const std::vector<std::string>& settings = {""}) {
  expect_formulas<Table>(
      id, family, formulas, settings,
      [](const Table& made, const Arguments& p, const RowFormula& formula, const std::string& where) {
        for (const std::vector<double>& all :
             {std::vector{0.0, 0.0, 0.0}, {0.5, -0.25, 2.0}, {3.0, 0.75, 1.0}}) {
          const std::vector<double> at(all.begin(), all.begin() + made.positions.axes);
          const Tensor row = made.rows(Positions(std::span<const double>(at), at.size()), 1);
          const std::vector<Real> expected = formula(p, at);
          ASSERT_EQ(row.data.size(), expected.size()) << where;
          for (std::size_t c = 0; c < expected.size(); ++c) expect_same(row.data[c], expected[c], where);
        }
      });
}

// The logit of a head.
using LogitFormula = Function<Real(const Arguments&, std::span<const double> q, std::span<const double> k,
                                   Position i, Position j, std::size_t head)>;

inline void expect_logits(const std::string& id, const MisreadingFamily& family,
                          const Formulas<LogitFormula>& formulas,
                          const std::vector<std::string>& settings = {""}) {
  expect_formulas<Contextual>(
      id, family, formulas, settings,
      [](const Contextual& made, const Arguments& p, const LogitFormula& formula, const std::string& where) {
        const std::vector<Position> queries = {0, 2, 5}, keys = {0, 1, 3, 7};
        const Tensor q = inside::trained(queries.size(), made.dim, 11),
                     k = inside::trained(keys.size(), made.dim, 12), found = made.logits(q, k, queries, keys);
        for (std::size_t h = 0; h < made.heads; ++h)
          for (std::size_t i = 0; i < queries.size(); ++i)
            for (std::size_t j = 0; j < keys.size(); ++j)
              expect_same(found.at(h * queries.size() + i, j),
                          formula(p, q.row(i), k.row(j), queries[i], keys[j], h), where);
      });
}

// The logits and the values of one call.
using PairFormula = Function<inside::Pairwise(const Arguments&, const Tensor& q, const Tensor& k,
                                              const Tensor& v, const Mask& mask)>;

// Under the causal mask, which every one of them is said of; where one is said of masked keys, the
// second key is hidden from all later queries, too.
inline void expect_attention(const std::string& id, const MisreadingFamily& family,
                             const Formulas<PairFormula>& formulas,
                             const std::vector<std::string>& settings = {""}) {
  expect_formulas<Attention>(
      id, family, formulas, settings,
      [](const Attention& made, const Arguments& p, const PairFormula& formula, const std::string& where) {
        // Past the first block, where a sentence has one.
        const std::string_view every = "begin again at 0 every ";
        const auto block = where.find(every);
        const std::size_t n = block == where.npos ? 6 : std::stoul(where.substr(block + every.size())) + 12;
        const Tensor q = inside::trained(n, made.dim, 11), k = inside::trained(n, made.dim, 12),
                     v = inside::trained(n, made.dim, 13);
        Mask mask({n, n});
        for (std::size_t i = 0; i < n; ++i)
          for (std::size_t j = 0; j <= i; ++j) mask.at(i, j) = 1;
        if (where.find("that the mask hides") != where.npos || where.find("of masked keys") != where.npos)
          for (std::size_t i = 2; i < n; ++i) mask.at(i, 1) = 0;
        const Tensor found = made.attend(q, k, v, mask);
        const inside::Pairwise of = formula(p, q, k, v, mask);
        for (std::size_t i = 0; i < n; ++i)
          for (std::size_t c = 0; c < made.dim; ++c) {
            Real sum = 0, whole = 0;
            for (std::size_t j = 0; j <= i; ++j) {
              if (mask.at(i, j) == 0) continue;
              const Real weight = std::exp(of.logit(i, j));
              sum += weight * of.value(i, j, c);
              whole += weight;
            }
            expect_same(found.at(i, c), sum / whole, where);
          }
      });
}

}  // namespace posproof::testing
