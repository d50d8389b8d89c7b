// Whole operators that do something else with the declared logits, made as people write them.
#include "diagnosis/operator_rules.h"

#include <gtest/gtest.h>

#include <cmath>

#include "attention/dot_product.h"
#include "attention/reference_attention.h"
#include "core/formats.h"
#include "core/function.h"
#include "diagnosis/testing/deviations.h"
#include "testing/each_entry.h"

namespace posproof::operator_rules_test {
namespace {

using testing::said;
using testing::Sentences;

using Weights = Function<Tensor(const Tensor& logits, const Mask& mask)>;
using Moved = Function<Tensor(const Tensor& x, const Parameters& parameters)>;

Tensor softmax_of(const Tensor& logits, const Mask& mask) {
  return attention::softmax(logits, mask);
}
Tensor as_it_is(const Tensor& x, const Parameters&) {
  return x;
}

// The position of a row of so many.
using Numbered = Function<Position(Position row, std::size_t rows)>;
Position by_row(Position row, std::size_t) {
  return row;
}

std::vector<Position> rows_of(const Tensor& x, const Numbered& number = &by_row) {
  std::vector<Position> out;
  for (std::size_t n = 0; n < x.rows(); ++n) out.push_back(number(static_cast<Position>(n), x.rows()));
  return out;
}

Moved times(double factor) {
  return [factor](const Tensor& x, const Parameters&) {
    Tensor out = x;
    for (double& one : out.data) one *= factor;
    return out;
  };
}

struct Wrong {
  Weights weights = &softmax_of;
  Moved values = &as_it_is, answers = &as_it_is;
  Numbered queries = &by_row, keys = &by_row;
};

Sentences of(const std::string& family, const std::string& words, const Wrong& wrong) {
  return said(family, words, [wrong, family](const Parameters& parameters) {
    const Encoding encoding = encoding_named(family).make(parameters);
    Attention own = attention::reference_attention(encoding);
    const auto logits = *attention::to_logits(encoding);
    own.attend = [=](const Tensor& q, const Tensor& k, const Tensor& v, const Mask& mask) {
      Tensor of = logits.logits(q, k, rows_of(q, wrong.queries), rows_of(k, wrong.keys));
      of.shape = {q.rows(), k.rows()};
      return wrong.answers(attention::product(wrong.weights(of, mask), wrong.values(v, parameters)),
                           parameters);
    };
    return Encoding(own);
  });
}

Tensor each(const Tensor& logits, const Function<double(std::size_t, std::size_t, double)>& other) {
  Tensor out = logits;
  for (std::size_t i = 0; i < out.rows(); ++i)
    for (std::size_t j = 0; j < out.width(); ++j) out.at(i, j) = other(i, j, logits.at(i, j));
  return out;
}

Mask all_of(const Mask& mask) {
  Mask out = mask;
  for (std::size_t i = 0; i < out.rows(); ++i)
    for (std::size_t j = 0; j < out.width(); ++j) out.at(i, j) = 1;
  return out;
}

// A function of the logits of the keys that are seen, divided by the sum of its row.
Weights divided(const Function<double(double)>& weight) {
  return [=](const Tensor& logits, const Mask& mask) {
    const Tensor weights =
        each(logits, [&](auto i, auto j, double l) { return mask.at(i, j) != 0 ? weight(l) : 0.0; });
    return each(weights, [&](auto i, auto, double w) {
      double sum = 0;
      for (const double other : weights.row(i)) sum += other;
      return sum == 0 ? 0 : w / sum;
    });
  };
}

const auto positive = [](double l) { return std::max(l, 0.0); };

void expect_over_queries(const std::string& family, const std::string& words) {
  const Weights over_queries = [](const Tensor& logits, const Mask& mask) {
    return each(logits, [&](auto i, auto j, double l) {
      double sum = 0;
      for (std::size_t n = 0; n < logits.rows(); ++n)
        if (mask.at(n, j) != 0) sum += std::exp(logits.at(n, j) - l);
      return mask.at(i, j) != 0 ? 1 / sum : 0;
    });
  };
  EXPECT_EQ(of(family, words, {.weights = over_queries}),
            (Sentences{"the softmax runs over the queries, not over the keys"}))
      << family;
}

// e^x as a format of that largest number has it, over the sum of its row, which may be infinite, too.
Weights overflowing(double most, double (*rounded)(double)) {
  return [=](const Tensor& logits, const Mask& mask) {
    const Tensor powers = each(logits, [&](auto i, auto j, double l) {
      const double power = std::exp(l);
      return mask.at(i, j) == 0 ? 0 : power > most ? HUGE_VAL : rounded(power);
    });
    return each(powers, [&](auto i, auto j, double w) {
      double sum = 0;
      for (const double other : powers.row(i)) sum += other;
      return mask.at(i, j) != 0 ? w / sum : 0;
    });
  };
}

TEST(OperatorRules, name_a_softmax_that_overflows) {
  const std::string words = "the softmax does not take the largest logit off: in ";
  EXPECT_EQ(of("none", "dim=4", {.weights = overflowing(65504, [](double x) { return to_f16(x); })}),
            Sentences{words + "f16 e^x overflows from x = 11.09 on"});
  EXPECT_EQ(of("none", "dim=4", {.weights = overflowing(0x1.fffffep127, [](double x) { return to_f32(x); })}),
            Sentences{words + "f32 or bf16 e^x overflows from x = 88.723 on"});
}

// With the label long.
TEST(OperatorRulesInFull, name_no_softmax_that_overflows_where_no_format_ends) {
  EXPECT_EQ(of("none", "dim=4", {.weights = overflowing(1000, [](double x) { return x; })}), Sentences{});
}

// With the label long.
TEST(OperatorRulesInFull, name_a_softmax_over_queries_of_encoded_logits) {
  expect_over_queries("rope", "dim=4");
  expect_over_queries("alibi", "heads=1");
}

TEST(OperatorRules, name_what_stands_for_the_softmax) {
  const Weights relu = divided(positive);
  expect_over_queries("none", "dim=4");
  EXPECT_EQ(of("none", "dim=4", {.weights = relu}),
            (Sentences{"max(logit, 0), divided by its sum over the keys, stands for the softmax"}));
  EXPECT_EQ(of("none", "dim=4",
               {.weights =
                    [](const Tensor& logits, const Mask& mask) {
                      return each(logits, [&](auto i, auto j, double l) {
                        return mask.at(i, j) != 0 ? positive(l) : 0;
                      });
                    }}),
            (Sentences{"max(logit, 0) stands for the softmax"}));
  EXPECT_EQ(of("none", "dim=4",
               {.weights =
                    [](const Tensor& logits, const Mask& mask) {
                      return each(logits, [&](auto i, auto j, double l) {
                        return mask.at(i, j) != 0 ? 1 / (1 + std::exp(-l)) : 0;
                      });
                    }}),
            (Sentences{"the sigmoid of each logit stands for the softmax"}));
  // Sums of several logits are allowed more than weights whose sum is 1: 2^-17 of them, and not 2^-13.
  EXPECT_EQ(of("none", "dim=4", {.weights = relu, .answers = times(1 + 0x1p-17)}),
            (Sentences{"max(logit, 0), divided by its sum over the keys, stands for the softmax"}));
  EXPECT_EQ(of("none", "dim=4", {.weights = relu, .answers = times(1 + 0x1p-13)}), Sentences{});
  // exp2(l) is named by its factor; of a leaky max nothing is known.
  EXPECT_EQ(of("none", "dim=4", {.weights = divided([](double l) { return std::max(l, 0.01 * l) + 1; })}),
            Sentences{});
}

TEST(OperatorRules, name_what_a_mask_does) {
  const auto less = [](double by) -> Weights {
    return [by](const Tensor& logits, const Mask& mask) {
      return attention::softmax(
          each(logits, [&](auto i, auto j, double l) { return mask.at(i, j) != 0 ? l : l - by; }),
          all_of(mask));
    };
  };
  for (const auto& [by, words] :
       {std::pair{1.0, "1"}, std::pair{4.0, "4"}, std::pair{2.5, "2.5"}, std::pair{8.0, "8"}})
    EXPECT_EQ(of("rope", "dim=4", {.weights = less(by)}),
              (Sentences{std::string("a mask hides a key by no more than ") + words +
                         " off its logit: hidden keys are seen"}));
  EXPECT_EQ(of("none", "dim=4",
               {.weights =
                    [](const Tensor& logits, const Mask& mask) {
                      return each(attention::softmax(logits, all_of(mask)),
                                  [&](auto i, auto j, double w) { return mask.at(i, j) != 0 ? w : 0; });
                    }}),
            (Sentences{"the mask is applied after the softmax: the weights of a query do not add up to 1"}));
  EXPECT_EQ(of("none", "dim=4",
               {.weights =
                    [](const Tensor& logits, const Mask& mask) {
                      return attention::softmax(
                          each(logits, [&](auto i, auto j, double l) { return mask.at(i, j) != 0 ? l : 0; }),
                          all_of(mask));
                    }}),
            (Sentences{"the mask is multiplied with the logits: a hidden key has logit 0"}));
}

// Of values that have positions, too: what is added to them is lost with the weights.
TEST(OperatorRules, name_a_mask_after_the_softmax_where_values_have_positions) {
  const auto of_power = [](double power) {
    return said("shaw_values", "dim=4 clip=2", [=](const Parameters& parameters) -> Encoding {
      Attention out = as<Attention>(encoding_named("shaw_values").make(parameters));
      out.attend = [=, own = out.attend](const Tensor& q, const Tensor& k, const Tensor& v,
                                         const Mask& mask) {
        Tensor to = own(q, k, v, mask);
        const Tensor zeros(v.shape), without = own(q, k, zeros, all_of(mask));
        std::vector<double> shares(to.rows());  // of the keys that are seen, each in a column of its own
        for (std::size_t from = 0; from < k.rows(); from += 4) {
          Tensor keys = zeros;
          for (std::size_t j = from; j < std::min(from + 4, k.rows()); ++j) keys.at(j, j - from) = 1;
          const Tensor with = own(q, k, keys, all_of(mask));
          for (std::size_t i = 0; i < to.rows(); ++i)
            for (std::size_t j = from; j < std::min(from + 4, k.rows()); ++j)
              shares[i] += mask.at(i, j) * (with.at(i, j - from) - without.at(i, j - from));
        }
        for (std::size_t i = 0; i < to.rows(); ++i)
          for (double& y : to.row(i)) y *= std::pow(shares[i], power);
        return to;
      };
      return out;
    });
  };
  EXPECT_EQ(of_power(1),
            (Sentences{"the mask is applied after the softmax: the weights of a query do not add up to 1"}));
  EXPECT_EQ(of_power(2), Sentences{});
}

TEST(OperatorRules, name_positions_inside) {
  const Numbered zero = [](Position, std::size_t) { return Position{0}; };
  const std::pair<std::string, Numbered> of_keys[] = {
      {"keys stand one position ahead", [](Position row, std::size_t) { return row + 1; }},
      {"keys count as 0", zero},
      {"keys have their positions with the other sign", [](Position row, std::size_t) { return -row; }},
      {"keys are numbered from the last to the first",
       [](Position row, std::size_t rows) { return static_cast<Position>(rows) - 1 - row; }}};
  for (const auto& [words, keys] : of_keys) EXPECT_EQ(of("rope", "dim=4", {.keys = keys}), Sentences{words});
  EXPECT_EQ(of("rope", "dim=4", {.queries = zero}), Sentences{"queries count as 0"});
}

TEST(OperatorRules, name_what_is_rotated) {
  const auto rotated = [](Position sign, const std::string& family = "rope", Role role = Role::key) -> Moved {
    return [=](const Tensor& x, const Parameters& parameters) {
      const auto rope = as<Rotary>(encoding_named(family).make(parameters));
      std::vector<Position> at = rows_of(x);
      for (Position& t : at) t *= sign;
      Tensor out = rope.rotate(Tensor({1, 1, x.rows(), x.width()}, x.data), at, role);
      out.shape = x.shape;
      return out;
    };
  };
  EXPECT_EQ(of("rope", "dim=4", {.values = rotated(1)}), (Sentences{"values are rotated, as keys are"}));
  EXPECT_EQ(of("rope", "dim=4", {.answers = rotated(1)}),
            (Sentences{"the answer is rotated, as its query is"}));
  EXPECT_EQ(of("rope", "dim=4", {.values = rotated(1), .answers = rotated(-1)}),
            (Sentences{"values are rotated, as keys are, and the answer is rotated back by its query's "
                       "position"}));
  EXPECT_EQ(
      of("rope", "dim=4", {.values = rotated(1), .keys = [](Position, std::size_t) { return Position{0}; }}),
      (Sentences{"values are rotated, and keys are not"}));
  // What is scaled as a query is, is none of a key, and the other way round.
  EXPECT_EQ(of("xpos", "dim=4", {.answers = rotated(1, "xpos", Role::query)}),
            (Sentences{"the answer is rotated, as its query is"}));
  EXPECT_EQ(of("xpos", "dim=4", {.answers = rotated(1, "xpos", Role::key)}), Sentences{});
  EXPECT_EQ(of("xpos", "dim=4", {.values = rotated(1, "xpos", Role::key)}),
            (Sentences{"values are rotated, as keys are"}));
  EXPECT_EQ(of("rope", "dim=4", {.values = rotated(-1)}), Sentences{}) << "backwards: nothing known";
  EXPECT_EQ(of("rope", "dim=4", {.values = rotated(1), .answers = times(1 + 0x1p-17)}), Sentences{});
}

// Gates made anew: softmax(q.k / sqrt(d) + of_sum(sum over j < l <= i of f(ln gate of l))) v.
TEST(OperatorRules, name_what_a_token_adds) {
  using Function = Function<double(double)>;
  const Function itself = [](double x) { return x; };
  const auto with = [](const Function& f, const Function& of_sum) {
    return said("forgetting_transformer", "dim=4", [f, of_sum](const Parameters& parameters) {
      auto own = as<Attention>(encoding_named("forgetting_transformer").make(parameters));
      own.attend = [f, of_sum, right = own](const Tensor& q, const Tensor& k, const Tensor& v,
                                            const Mask& mask) {
        Tensor logits = attention::scaled_logits(q, k);
        std::vector<double> added;
        for (std::size_t l = 0; l < k.rows(); ++l) {
          // Of two keys, a zero and this one, both seen by a query without content: weights f and 1.
          Tensor keys({2, k.width()}), values({2, v.width()}), query({2, k.width()});
          std::ranges::copy(k.row(l), keys.row(1).begin());
          values.at(0, 0) = 1;
          const Mask causal({2, 2}, {1, 0, 1, 1});
          const double gate = right.attend(query, keys, values, causal).at(1, 0);
          std::swap(values.at(0, 0), values.at(1, 0));
          added.push_back(f(std::log(gate / right.attend(query, keys, values, causal).at(1, 0))));
        }
        for (std::size_t i = 0; i < q.rows(); ++i)
          for (std::size_t j = 0; j < k.rows(); ++j) {
            double sum = 0;
            for (std::size_t l = j + 1; l <= i && l < k.rows(); ++l) sum += added[l];
            logits.at(i, j) += of_sum(sum);
          }
        return attention::product(attention::softmax(logits, mask), v);
      };
      return Encoding(own);
    });
  };
  const auto by = [&](const Function& f) { return with(f, itself); };
  const std::string adds = "what a token adds to the logits of keys before it is ";
  EXPECT_EQ(by([](double x) { return std::exp(x); }),
            (Sentences{adds + "e^x of the declared x: no logarithm is taken"}));
  EXPECT_EQ(by([](double x) { return -std::exp(x); }),
            (Sentences{adds + "-e^x of the declared x: the gate stands for its logarithm"}));
  EXPECT_EQ(by([](double x) { return std::sinh(x); }), Sentences{});
  const auto held = [&](double limit) {
    return with(itself, [limit](double sum) { return std::max(sum, limit); });
  };
  EXPECT_EQ(held(-1), (Sentences{"what is added to the logit of a key is no less than -1"}));
  EXPECT_EQ(held(-2.5), (Sentences{"what is added to the logit of a key is no less than -2.5"}));
  EXPECT_EQ(with(itself, [](double sum) { return sum < -1 ? -1 + sum / 256 : sum; }), Sentences{});
}

// softmax(q.k / sqrt(d)) (v + j / 8), and what it gives with the mask after the softmax: what is added to
// values is no part of the weights.
TEST(OperatorRules, mask_the_weights_alone_after_the_softmax) {
  const auto with_positions = [](Tensor v) {
    for (std::size_t j = 0; j < v.rows(); ++j)
      for (double& x : v.row(j)) x += static_cast<double>(j + 1) / 8;
    return v;
  };
  Attention own;
  own.dim = own.value_dim = 2;
  own.attend = [=](const Tensor& q, const Tensor& k, const Tensor& v, const Mask& mask) {
    return attention::product(attention::softmax(attention::scaled_logits(q, k), mask), with_positions(v));
  };
  own.errors = testing::each_entry([](const auto&...) { return 1e-6; });
  const Tensor q({3, 2}, {1, 0, -1, 2, 0.5, 1}), k({3, 2}, {0, 1, 2, -1, 1, 1}),
      v({3, 2}, {1, 2, 3, 4, 5, 6});
  const Mask mask({3, 3}, {1, 0, 0, 0, 1, 1, 1, 1, 1});
  // The rule multiplies what the keys that are seen give by their share in the weights of all.
  const Tensor weights = attention::softmax(attention::scaled_logits(q, k), all_of(mask));
  const Tensor ought = attention::product(
      each(weights, [&](auto i, auto j, double w) { return mask.at(i, j) * w; }), with_positions(v));
  std::size_t found = 0;
  for (const Deviation& one : operator_rules(own, own, own, own).all) {
    if (!one.sentences.at(0).starts_with("the mask is applied after the softmax")) continue;
    const auto made = as<Attention>(one.corrected);
    const Tensor is = made.attend(q, k, v, mask);
    bool near = true;
    for (std::size_t e = 0; e < is.data.size(); ++e) near &= std::abs(is.data[e] - ought.data[e]) < 1e-12;
    found += near ? 1 : 0;
  }
  EXPECT_EQ(found, 1u);
}

// Without positions the key before gives what the key itself gives: a model that answers as declared, but is
// allowed more, would explain weights that are wrong by little.
TEST(OperatorRules, name_nothing_that_answers_as_declared) {
  const Weights less_where_one_is_seen = [](const Tensor& logits, const Mask& mask) {
    return each(attention::softmax(logits, mask), [&](auto i, auto, double w) {
      double keys = 0;
      for (std::size_t j = 0; j < logits.width(); ++j) keys += mask.at(i, j);
      return keys == 1 ? w * (1 - 1e-6) : w;
    });
  };
  EXPECT_EQ(of("none", "dim=4", {.weights = less_where_one_is_seen}), Sentences{});
}

}  // namespace
}  // namespace posproof::operator_rules_test
