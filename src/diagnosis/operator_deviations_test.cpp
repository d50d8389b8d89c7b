// Whole operators that are wrong in what their softmax sees, in their mask or in what they add to values.
#include "diagnosis/operator_deviations.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "attention/dot_product.h"
#include "attention/reference_attention.h"
#include "core/function.h"
#include "diagnosis/testing/deviations.h"
#include "encodings/inside_attention.h"
#include "testing/each_entry.h"

namespace posproof::operator_deviations_test {
namespace {

using testing::said;
using testing::Sentences;

using Attend = Function<Tensor(const Attention& declared, const Tensor& q, const Tensor& k, const Tensor& v,
                               const Mask& mask)>;

Sentences of(const std::string& family, const std::string& words, const Attend& wrong) {
  return said(family, words, [wrong, family](const Parameters& parameters) {
    const std::vector<Encoding> kinds = attention::in_every_kind(encoding_named(family).make(parameters));
    Attention own = as<Attention>(kinds.back());
    own.attend = [wrong, declared = own](const Tensor& q, const Tensor& k, const Tensor& v,
                                         const Mask& mask) { return wrong(declared, q, k, v, mask); };
    return Encoding(own);
  });
}

Attend with_mask(const Function<bool(const Mask&, std::size_t, std::size_t)>& sees) {
  return
      [sees](const Attention& declared, const Tensor& q, const Tensor& k, const Tensor& v, const Mask& mask) {
        Mask other = mask;
        for (std::size_t i = 0; i < mask.rows(); ++i)
          for (std::size_t j = 0; j < mask.width(); ++j) other.at(i, j) = sees(mask, i, j) ? 1 : 0;
        return declared.attend(q, k, v, other);
      };
}

TEST(OperatorDeviations, name_another_mask) {
  EXPECT_EQ(of("none", "dim=4", with_mask([](const Mask&, std::size_t, std::size_t) { return true; })),
            (Sentences{"the mask is ignored: every key is seen"}));
  EXPECT_EQ(of("none", "dim=4", with_mask([](const Mask&, std::size_t i, std::size_t j) { return j <= i; })),
            (Sentences{"the mask is taken for a causal one: every key up to the query's own is seen"}));
  EXPECT_EQ(of("none", "dim=4", with_mask([](const Mask& mask, std::size_t i, std::size_t j) {
                 return i > 0 ? mask.at(i, j) != 0 : true;
               })),
            (Sentences{"the first query: the mask is ignored: every key is seen"}));
  EXPECT_EQ(of("none", "dim=4", with_mask([](const Mask& mask, std::size_t i, std::size_t j) {
                 return mask.at(i, j) != 0 || j == i + 1;
               })),
            (Sentences{"the key after the query is seen, too"}));
  const auto hides_the_last = [](const Mask& mask) {
    return mask.at(mask.rows() - 1, mask.width() - 1) == 0;
  };
  EXPECT_EQ(of("rope", "dim=4", with_mask([=](const Mask& mask, std::size_t i, std::size_t j) {
                 return mask.at(i, j) != 0 || hides_the_last(mask);
               })),
            (Sentences{"a padding mask is ignored: every key is seen"}));
  EXPECT_EQ(of("none", "dim=4", with_mask([=](const Mask& mask, std::size_t i, std::size_t j) {
                 return hides_the_last(mask) ? j <= i : mask.at(i, j) != 0;
               })),
            (Sentences{"a padding mask is taken for a causal one"}));
}

TEST(OperatorDeviationsInFull, name_what_multiplies_the_content) {
  const auto by = [](double factor) -> Attend {
    return [factor](const Attention& declared, Tensor q, const Tensor& k, const Tensor& v, const Mask& mask) {
      for (double& x : q.data) x *= factor;
      return declared.attend(q, k, v, mask);
    };
  };
  const std::string root = "products of query and key are ";
  EXPECT_EQ(of("none", "dim=4", by(2)), (Sentences{root + "not divided by the root of the width"}));
  EXPECT_EQ(of("none", "dim=16", by(0.25)), (Sentences{root + "divided by the root of the width twice"}));
  EXPECT_EQ(of("shaw_values", "dim=4 clip=3", by(-1)),
            (Sentences{"products of query and key have the other sign"}));
}

// softmax(content q.k / sqrt(d) + position P) v, P being what the declared logits have beside q.k / sqrt(d).
Attend made_of(double content, double position) {
  return [=](const Attention& declared, const Tensor& q, const Tensor& k, const Tensor& v, const Mask& mask) {
    Tensor values({k.rows(), declared.value_dim}), scores({q.rows(), k.rows()});
    for (std::size_t from = 0; from < k.rows(); from += declared.value_dim) {
      Tensor one({k.rows(), declared.value_dim});
      for (std::size_t n = 0; n < declared.value_dim && from + n < k.rows(); ++n) one.at(from + n, n) = 1;
      const Tensor y = declared.attend(q, k, one, mask);
      for (std::size_t i = 0; i < q.rows(); ++i)
        for (std::size_t n = 0; n < declared.value_dim && from + n < k.rows(); ++n) {
          double product = 0;
          for (std::size_t c = 0; c < q.width(); ++c) product += q.at(i, c) * k.at(from + n, c);
          product /= std::sqrt(static_cast<double>(q.width()));
          if (mask.at(i, from + n) == 0) continue;
          const double place = std::log(y.at(i, n)) - product;
          scores.at(i, from + n) = content * product + (position == 0 ? 0 : position * place);
        }
    }
    return attention::product(attention::softmax(scores, mask), v);
  };
}

TEST(OperatorDeviationsInFull, name_what_multiplies_the_position) {
  EXPECT_EQ(of("forgetting_transformer", "dim=4", made_of(1, 0)),
            (Sentences{"what a logit has from its position is missing"}));
  EXPECT_EQ(of("forgetting_transformer", "dim=4", made_of(2, 0.5)),
            (Sentences{"the product of query and key is not divided by sqrt(4)",
                       "what a logit has from its position is 1/2 of the declared one"}));
  EXPECT_EQ(of("selective_rope", "dim=4", made_of(1, 0)),
            (Sentences{"what a logit has from its position is missing"}));
}

TEST(OperatorDeviationsInFull, name_the_positions_of_values) {
  const Attend without = [](const Attention& declared, const Tensor& q, const Tensor& k, const Tensor& v,
                            const Mask& mask) {
    Tensor out = declared.attend(q, k, v, mask);
    const Tensor zero = declared.attend(q, k, Tensor(v.shape), mask);
    for (std::size_t e = 0; e < out.data.size(); ++e) out.data[e] -= zero.data[e];
    return out;
  };
  EXPECT_EQ(of("shaw_values", "dim=4 clip=3", without),
            (Sentences{"what is added to values for their positions is missing"}));
}

// softmax(logits) v, of one head of four channels.
using Logit = Function<double(double content, double i, double j, double first_of_query)>;

Attention operator_of(const Logit& logit) {
  Attention out;
  out.dim = out.value_dim = 4;
  out.attend = [logit](const Tensor& q, const Tensor& k, const Tensor& v, const Mask& mask) {
    Tensor scores({q.rows(), k.rows()});
    for (std::size_t i = 0; i < q.rows(); ++i)
      for (std::size_t j = 0; j < k.rows(); ++j) {
        double product = 0;
        for (std::size_t c = 0; c < 4; ++c) product += q.at(i, c) * k.at(j, c);
        scores.at(i, j) =
            logit(product / 2, static_cast<double>(i), static_cast<double>(j), q.at(i, 0) * k.at(j, 1));
      }
    return attention::product(attention::softmax(scores, mask), v);
  };
  out.errors = testing::each_entry([](const auto&...) { return 1e-6; });
  return out;
}

std::vector<Sentences> measured(const Logit& subject, const Logit& declared) {
  std::vector<Sentences> out;
  const Attention truth = operator_of(declared);
  for (const Deviation& one : operator_deviations(operator_of(subject), truth, truth, 1))
    out.push_back(one.sentences);
  return out;
}

// By least squares, and as they come where they are no numbers in use.
TEST(OperatorDeviations, measure_what_multiplies_content_and_position) {
  using D = double;
  const auto behind = [](D i, D j) { return -0.4 * std::fmod(i - j, 3); };
  const Logit by_position = [=](D c, D i, D j, D) { return c + behind(i, j); },
              by_query = [](D c, D i, D j, D q) { return c * std::cos(0.5 * (i - j)) + q; };
  const std::string product = "the product of query and key is ",
                    position = "what a logit has from its position is ";
  EXPECT_EQ(measured(by_position, by_position), std::vector<Sentences>{});
  EXPECT_EQ(measured([=](D c, D i, D j, D) { return 3 * c + 0.7 * behind(i, j); }, by_position),
            (std::vector<Sentences>{
                {product + "3 times the declared one", position + "0.7 times the declared one"}}));
  EXPECT_EQ(
      measured([=](D c, D i, D j, D) { return 2 * c + 0.25 * behind(i, j); }, by_position),
      (std::vector<Sentences>{{product + "not divided by sqrt(4)", position + "1/4 of the declared one"}}));
  EXPECT_EQ(measured([=](D c, D i, D j, D) { return 0.5 * c - behind(i, j); }, by_position),
            (std::vector<Sentences>{{product + "divided by sqrt(4) once more",
                                     "what a logit has from its position has the other sign"}}));
  // Where nothing comes from the position, the key before has as much.
  const Logit content = [](D c, D, D, D) { return c; };
  const auto missing = measured(content, by_position),
             thrice = measured([](D c, D, D, D) { return 3 * c; }, content);
  ASSERT_FALSE(missing.empty() || thrice.empty());
  EXPECT_EQ(missing.front(), Sentences{position + "missing"});
  EXPECT_EQ(thrice.front(), Sentences{product + "3 times the declared one"});
  // Where what is beside the content depends on queries, too, they are not told apart.
  EXPECT_EQ(measured([=](D c, D i, D j, D q) { return 3 * by_query(c, i, j, q); }, by_query),
            (std::vector<Sentences>{{"every logit is 3 times the declared one"}}));
  EXPECT_EQ(measured(content, by_query), (std::vector<Sentences>{{position + "missing"}}));
  // By more than a millionth they do, by less they do not.
  const auto thrice_with = [](double share) {
    const Logit declared = [=](D c, D, D, D q) { return c + share * q; };
    return measured([=](D c, D i, D j, D q) { return 3 * declared(c, i, j, q); }, declared);
  };
  EXPECT_EQ(thrice_with(5e-6), (std::vector<Sentences>{{"every logit is 3 times the declared one"}}));
  EXPECT_EQ(thrice_with(2e-7), thrice);
  // Nor is a square of what is declared a multiple of it.
  EXPECT_EQ(measured([=](D c, D i, D j, D) { return c - std::pow(behind(i, j), 2); }, by_position),
            std::vector<Sentences>{});
}

// Vectors that have no rule at one offset, on the side of the keys, of the values, or of both.
TEST(OperatorDeviations, say_which_half_is_wrong_where_no_rule_is_known) {
  static constexpr Position clip = 5;
  const auto with_added = [](double to_keys, double to_values, Position offset) -> Attend {
    return
        [=](const Attention& declared, const Tensor& q, const Tensor& k, const Tensor& v, const Mask& mask) {
          const std::size_t dim = declared.dim;
          Tensor keys = inside::trained(2 * clip + 1, dim, 1), values = inside::trained(2 * clip + 1, dim, 2);
          const auto row = static_cast<std::size_t>(clip + offset);
          keys.at(row, 0) += to_keys, values.at(row, 1) += to_values;
          Tensor out({q.rows(), dim});
          for (std::size_t i = 0; i < q.rows(); ++i) {
            std::vector<double> logits(k.rows(), -std::numeric_limits<double>::infinity());
            const auto row_of = [i](std::size_t j) {
              const Position ahead = static_cast<Position>(j) - static_cast<Position>(i);
              return static_cast<std::size_t>(clip + std::clamp<Position>(ahead, -clip, clip));
            };
            for (std::size_t j = 0; j < k.rows(); ++j) {
              if (mask.at(i, j) == 0) continue;
              logits[j] = 0;
              for (std::size_t c = 0; c < dim; ++c)
                logits[j] += q.at(i, c) * (k.at(j, c) + keys.at(row_of(j), c)) / 2;
            }
            const double most = std::ranges::max(logits);
            double sum = 0;
            for (std::size_t j = 0; j < k.rows(); ++j) {
              if (mask.at(i, j) == 0) continue;
              const double weight = std::exp(logits[j] - most);
              sum += weight;
              for (std::size_t c = 0; c < dim; ++c)
                out.at(i, c) += weight * (v.at(j, c) + values.at(row_of(j), c));
            }
            for (double& x : out.row(i)) x /= sum;
          }
          return out;
        };
  };
  const std::string words = "dim=4 clip=5";
  EXPECT_EQ(
      of("shaw_values", words, with_added(0, 0.5, 2)),
      (Sentences{
          "the values, or what is added to them, are wrong at offset 2 of the key; the weights of the keys "
          "are as declared",
          "wrong in channel 1 of 4 alone"}));
  EXPECT_EQ(of("shaw_values", words, with_added(0.7, 0, 0)),
            (Sentences{"the weights of the keys are wrong; what is added to the values is as declared"}));
}

// What is added to values, times a factor of each channel.
TEST(OperatorDeviations, multiply_what_is_added_to_values_where_every_channel_has_the_same_factor) {
  const auto adding = [](const std::vector<double>& factors) {
    Attention out = operator_of(
        [](double content, double i, double j, double) { return content - 0.4 * std::fmod(i - j, 3); });
    out.attend = [factors, own = out.attend](const Tensor& q, const Tensor& k, Tensor v, const Mask& mask) {
      for (std::size_t j = 0; j < v.rows(); ++j)
        for (std::size_t c = 0; c < 4; ++c) v.at(j, c) += factors[c] * static_cast<double>(c + j) / 8;
      return own(q, k, v, mask);
    };
    return out;
  };
  const Attention truth = adding({1, 1, 1, 1});
  const auto said = [&](const std::vector<double>& factors) {
    std::vector<Sentences> all;
    for (const Deviation& one : operator_deviations(adding(factors), truth, truth, 1))
      all.push_back(one.sentences);
    return all;
  };
  EXPECT_EQ(said({1, 1, 1, 1}), std::vector<Sentences>{});
  EXPECT_EQ(said({2, 2, 2, 2}).at(0),
            Sentences{"what is added to values for their positions is twice the declared one"});
  EXPECT_EQ(said({1, 1, 1, 2}), std::vector<Sentences>{});  // the largest is in channel 3
  EXPECT_EQ(said({2, 1, 2, 2}), std::vector<Sentences>{});
}

}  // namespace
}  // namespace posproof::operator_deviations_test
