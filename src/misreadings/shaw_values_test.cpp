#include "catalogue/misreadings/shaw_values.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <optional>
#include <vector>

#include "misreadings/testing/formulas.h"

namespace posproof::misreadings_shaw_values_test {
namespace {

using inside::dot, inside::Pairwise, inside::Real;
using testing::PairFormula;

// Which rows are added to keys and to values: of which table, 0 of the keys' and 1 of the values', in which
// direction of the declared one.
struct Rows {
  int table;
  int direction = 1;
};
constexpr Rows keys{0}, values{1};

// What multiplies the row of a value: of the logits of all keys that its query sees, and the key's number.
using Share = Real (*)(const std::vector<Real>& logits, std::size_t j);

Real softmax(const std::vector<Real>& logits, std::size_t j) {
  Real sum = 0;
  for (const Real one : logits) sum += std::exp(one);
  return std::exp(logits[j]) / sum;
}

PairFormula added(std::optional<Rows> to_keys, std::optional<Rows> to_values, bool divided = true,
                  int clip = 0, Share share = &softmax) {
  return [=](const Arguments& p, const Tensor& q, const Tensor& k, const Tensor& v, const Mask&) {
    const int sign = p.is("relative", "key_minus_query") ? 1 : -1;
    int before = int(p.whole("clip")), after = before;
    if (p.whole("clip_right") >= 0) (sign > 0 ? after : before) = int(p.whole("clip_right"));
    const auto count = std::size_t(before + after + 1);
    const std::array tables = {inside::trained(count, q.width(), p.whole("table_seed")),
                               inside::trained(count, q.width(), p.whole("table_seed") + 1)};
    const auto entry = [=](const Rows& rows, std::size_t i, std::size_t j, std::size_t c) -> Real {
      int offset = rows.direction * sign * (int(j) - int(i));
      const int most = after - clip, least = clip - before;
      if (p.is("beyond", "zero") && (offset > most || offset < least)) return 0;
      if (offset > most) offset = most;
      if (offset < least) offset = least;
      return tables[std::size_t(rows.table)].at(std::size_t(before + offset), c);
    };
    const auto logit = [=, &q, &k](std::size_t i, std::size_t j) {
      Real met = 0;
      for (std::size_t c = 0; to_keys && c < q.width(); ++c) met += q.at(i, c) * entry(*to_keys, i, j, c);
      const Real root = inside::root(q.width());
      return dot(q.row(i), k.row(j)) / root + met / (divided ? root : 1);
    };
    // What is said here is under the causal mask. The answer weighs values, so the share is by the weight.
    return Pairwise{logit, [=, &v](std::size_t i, std::size_t j, std::size_t c) -> Real {
                      std::vector<Real> logits;
                      for (std::size_t l = 0; l <= i; ++l) logits.push_back(logit(i, l));
                      const Real row = to_values ? entry(*to_values, i, j, c) : 0;
                      return v.at(j, c) + share(logits, j) / softmax(logits, j) * row;
                    }};
  };
}

TEST(MisreadShawValues, is_what_the_sentence_says) {
  testing::expect_attention(
      "shaw_values", misreadings::shaw_values,
      {{"the values have no rows added: a^V is left out", added(keys, {})},
       {"the keys have no rows added: a^K is left out", added({}, values)},
       {"no rows are added, to the keys or to the values", added({}, {})},
       {"the rows of the values are read in the other direction: at i - j for j - i", added(keys, {{1, -1}})},
       {"the rows of the keys are read in the other direction: at i - j for j - i", added({{0, -1}}, values)},
       {"the rows of the values are read from the table of the keys", added(keys, keys)},
       {"the rows of the keys are read from the table of the values", added(values, values)},
       {"the two tables stand in each other's place", added(values, keys)},
       {"q.a^K is not divided by sqrt(dim)", added(keys, values, false)},
       {"offsets are clipped one earlier, at clip - 1", added(keys, values, true, 1)},
       {"the window ends one earlier, at clip - 1: the largest offset has no vector",
        added(keys, values, true, 1)},
       // Of six keys.
       {"what the rows of the values add is divided by the number of keys",
        added(keys, values, true, 0,
              [](const std::vector<Real>& logits, std::size_t j) { return softmax(logits, j) / 6; })},
       {"the rows of the values are multiplied by the logits, not by their softmax",
        added(keys, values, true, 0,
              [](const std::vector<Real>& logits, std::size_t j) { return logits[j]; })}},
      {"", "relative=query_minus_key table_seed=2", "clip=2 beyond=zero", "clip=2 clip_right=1",
       "clip=1 clip_right=2 relative=query_minus_key"});
}

}  // namespace
}  // namespace posproof::misreadings_shaw_values_test
