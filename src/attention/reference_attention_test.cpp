#include "attention/reference_attention.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <stdexcept>

#include "attention/dot_product.h"
#include "attention/generator.h"
#include "attention/mask.h"
#include "attention/to_logits.h"
#include "core/error.h"
#include "core/view.h"

namespace posproof::attention::reference_attention_test {
namespace {

// Row t is (t, 2t).
Table counting() {
  Table table{.dim = 2};
  table.rows = [](Positions positions, Position) {
    Tensor rows({positions.size(), 2});
    for (std::size_t r = 0; r < positions.size(); ++r) {
      rows.at(r, 0) = static_cast<double>(positions[r]);
      rows.at(r, 1) = 2 * static_cast<double>(positions[r]);
    }
    return rows;
  };
  return table;
}

// Two heads of one pair, rotated by a quarter a position; the second head the other way round.
Rotary quarter_turns() {
  Rotary rotary{.dim = 2, .heads = 2, .pairs = {{0, 1, std::numbers::pi / 2}}};
  rotary.rotate = [](const Tensor& x, Positions positions, Role) {
    Tensor out = x;
    const std::size_t n = x.shape.at(2);
    for (std::size_t r = 0; r < x.rows(); ++r)
      for (Position step = 0; step < positions[r % n]; ++step) {
        const double a = out.at(r, 0), b = out.at(r, 1);
        const bool first = r / n == 0;
        out.at(r, 0) = first ? -b : b;
        out.at(r, 1) = first ? a : -a;
      }
    return out;
  };
  return rotary;
}

// -slope * |i - j|, one head for each slope.
Bias distances(std::vector<double> slopes) {
  Bias bias{.heads = slopes.size(), .slopes = slopes};
  bias.bias = [slopes](Positions queries, Positions keys) {
    Tensor out({slopes.size(), queries.size(), keys.size()});
    for (std::size_t h = 0; h < slopes.size(); ++h)
      for (std::size_t i = 0; i < queries.size(); ++i)
        for (std::size_t j = 0; j < keys.size(); ++j)
          out.at(h * queries.size() + i, j) =
              -slopes[h] * static_cast<double>(std::abs(queries[i] - keys[j]));
    return out;
  };
  return bias;
}

TEST(Plug, a_table_is_added_to_queries_keys_and_values) {
  const Attention attention = reference_attention(counting());
  const Tensor q({2, 2}, {1, 0, 0, 1}), k({3, 2}, {1, 1, 0, 0, 0, -1}), v({3, 2}, {1, 0, 0, 1, 5, 5});
  EXPECT_EQ(attention.attend(q, k, v, mask::none(2, 3)),
            scaled_dot_product(Tensor({2, 2}, {1, 0, 1, 3}), Tensor({3, 2}, {1, 1, 1, 2, 2, 3}),
                               Tensor({3, 2}, {1, 0, 1, 3, 7, 9}), mask::none(2, 3)));
  EXPECT_FALSE(attention.only_logits);
  EXPECT_TRUE(attention.positional);
  EXPECT_EQ(attention.value_dim, 2u);
}

TEST(Plug, a_table_is_asked_once_and_for_the_length_of_the_longer_side) {
  Table table = counting();
  std::vector<Position> lengths;
  table.rows = [&lengths](Positions positions, Position length) {
    lengths.push_back(length);
    return Tensor({positions.size(), 2});
  };
  reference_attention(table).attend(Tensor({2, 2}), Tensor({3, 2}), Tensor({3, 2}), mask::none(2, 3));
  EXPECT_EQ(lengths, (std::vector<Position>{3}));
}

// Of positions that begin at 5, three tokens have 5, 6 and 7: there is none at 0 to ask for.
TEST(Plug, tokens_begin_at_the_first_position_where_that_is_past_0) {
  Table table = counting();
  table.positions.lo = 5, table.positions.hi = 7;
  std::vector<Position> asked;
  Position length = 0;
  table.rows = [&](Positions positions, Position of) {
    asked.assign(positions.whole().begin(), positions.whole().end());
    length = of;
    return Tensor({positions.size(), 2});
  };
  const Attention attention = reference_attention(table);
  const auto attend = [&](std::size_t n) {
    return attention.attend(Tensor({n, 2}), Tensor({n, 2}), Tensor({n, 2}), mask::none(n));
  };
  attend(3);
  EXPECT_EQ(asked, (std::vector<Position>{5, 6, 7}));
  EXPECT_EQ(length, 8);
  EXPECT_THROW(attend(4), Refusal);

  Bias bias{.heads = 1};
  bias.positions.lo = 5;
  bias.bias = [&asked](const Positions& queries, const Positions& keys) {
    asked.assign(keys.whole().begin(), keys.whole().end());
    return Tensor({1, queries.size(), keys.size()});
  };
  const Attention operate = reference_attention(bias);
  operate.attend(Tensor({2, operate.dim}), Tensor({2, operate.dim}), Tensor({2, operate.value_dim}),
                 mask::none(2));
  EXPECT_EQ(asked, (std::vector<Position>{5, 6}));
}

TEST(Plug, a_rotary_turns_queries_and_keys_of_each_head_and_no_value) {
  const Attention attention = reference_attention(quarter_turns());
  EXPECT_EQ(attention.dim, 4u);
  EXPECT_TRUE(attention.only_logits);
  const Tensor q({2, 4}, {1, 0, 1, 0, 1, 2, 3, 4}), k({2, 4}, {1, 1, 2, 1, 1, 0, 0, 1}),
      v({2, 4}, {1, 2, 3, 4, 5, 6, 7, 8});
  const Tensor out = attention.attend(q, k, v, mask::none(2));
  // Row 0 stays, row 1 is rotated: (a, b) -> (-b, a) in the first head, (b, -a) in the second.
  const Tensor first = scaled_dot_product(Tensor({2, 2}, {1, 0, -2, 1}), Tensor({2, 2}, {1, 1, 0, 1}),
                                          Tensor({2, 2}, {1, 2, 5, 6}), mask::none(2));
  const Tensor second = scaled_dot_product(Tensor({2, 2}, {1, 0, 4, -3}), Tensor({2, 2}, {2, 1, 1, 0}),
                                           Tensor({2, 2}, {3, 4, 7, 8}), mask::none(2));
  for (std::size_t r = 0; r < 2; ++r)
    for (std::size_t c = 0; c < 2; ++c) {
      EXPECT_EQ(out.at(r, c), first.at(r, c));
      EXPECT_EQ(out.at(r, c + 2), second.at(r, c));
    }
}

// Content of 0: the weights are the softmax of the bias. One step of slope 1 is a weight of 1 / (1 + e); had
// the bias been divided by sqrt(4) with the logit, as Falcon does, it would be 1 / (1 + sqrt(e)) = 0.378.
TEST(Plug, a_bias_is_added_after_the_scale) {
  const Attention attention = reference_attention(distances({1.0}));
  const Tensor zero({2, 4}), v({2, 4}, {0, 0, 0, 0, 1, 1, 1, 1});
  const Tensor out = attention.attend(zero, zero, v, mask::none(2));
  EXPECT_NEAR(out.at(0, 0), 0.26894142136999512, 1e-16);
  EXPECT_NEAR(out.at(1, 0), 1 - 0.26894142136999512, 1e-15);
}

// Three tokens have the positions 0, 1 and 2; a fourth would stand outside of the window, where nobody is
// asked.
TEST(Plug, there_are_as_many_tokens_as_positions) {
  std::size_t asked = 0;
  Bias bias{.heads = 1};
  bias.positions.hi = 2;
  bias.bias = [&asked](const Positions& queries, const Positions& keys) {
    asked = std::max(queries.size(), keys.size());
    return Tensor({1, queries.size(), keys.size()});
  };
  const Attention attention = reference_attention(bias);
  const auto attend = [&](std::size_t queries, std::size_t keys) {
    return attention.attend(Tensor({queries, attention.dim}), Tensor({keys, attention.dim}),
                            Tensor({keys, attention.value_dim}), mask::none(queries, keys));
  };
  EXPECT_NO_THROW(attend(3, 3));
  for (const auto& [queries, keys] : {std::pair<std::size_t, std::size_t>{4, 3}, {3, 4}})
    EXPECT_THROW(attend(queries, keys), Refusal);
  EXPECT_EQ(asked, 3u);
}

TEST(Plug, each_head_has_its_own_bias) {
  const Attention attention = reference_attention(distances({1.0, 0.0}));
  EXPECT_EQ(attention.dim, 8u);
  const Tensor zero({2, 8});
  Tensor v({2, 8});
  for (std::size_t c = 0; c < 8; ++c) v.at(1, c) = 1;
  const Tensor out = attention.attend(zero, zero, v, mask::none(2));
  EXPECT_NEAR(out.at(0, 3), 0.26894142136999512, 1e-16);
  EXPECT_EQ(out.at(0, 4), 0.5);
}

TEST(Plug, a_contextual_gives_the_logits_as_they_are) {
  Contextual contextual{.dim = 3, .heads = 2, .positional = false};
  contextual.logits = [](const Tensor&, const Tensor&, Positions, Positions) {
    return Tensor({2, 1, 2}, {0, -1, 0, 0});
  };
  const Attention attention = reference_attention(contextual);
  EXPECT_EQ(attention.value_dim, 4u);  // 3 channels do not split in two
  EXPECT_FALSE(attention.positional);
  const Tensor out = attention.attend(Tensor({1, 3}), Tensor({2, 3}),
                                      Tensor({2, 4}, {0, 0, 0, 0, 1, 1, 1, 1}), mask::none(1, 2));
  EXPECT_NEAR(out.at(0, 1), 0.26894142136999512, 1e-16);
  EXPECT_EQ(out.at(0, 2), 0.5);
}

TEST(Plug, an_operator_passes_through) {
  Attention attention{.dim = 7, .value_dim = 5, .only_logits = true};
  EXPECT_EQ(reference_attention(attention).dim, 7u);
  EXPECT_EQ(reference_attention(attention).value_dim, 5u);
  EXPECT_FALSE(to_logits(attention).has_value());
}

TEST(Plug, what_has_another_shape_is_refused) {
  const Attention attention = reference_attention(counting());
  EXPECT_THROW(attention.attend(Tensor({2, 3}), Tensor({2, 2}), Tensor({2, 2}), mask::none(2)),
               std::invalid_argument);
  EXPECT_THROW(attention.attend(Tensor({2, 2}), Tensor({2, 2}), Tensor({3, 2}), mask::none(2)),
               std::invalid_argument);
  EXPECT_THROW(attention.attend(Tensor({2, 2}), Tensor({2, 2}), Tensor({2, 2}), mask::none(2, 3)),
               std::invalid_argument);
}

TEST(Plug, a_query_that_sees_no_key_is_refused) {
  const Attention attention = reference_attention(counting());
  const Tensor x({2, 2});
  const Mask blind({2, 2}, {1, 1, 0, 0});
  EXPECT_THROW(attention.attend(x, x, x, blind), Refusal);
  EXPECT_THROW(largest_error(attention, x, x, x, blind, all_f64), Refusal);
}

// Equal logits of 0, values 1 and -1, u the unit of f32: logits are exact, the exponentials within 4u, so
// the answer within 4u * (2/2), and 2 * 2 + 4 roundings of 1.
TEST(PlugError, by_hand_without_a_position) {
  const Attention attention = reference_attention(distances({0.0}));
  const Tensor zero({2, 4}), v({2, 4}, {1, 1, 1, 1, -1, -1, -1, -1});
  EXPECT_DOUBLE_EQ(largest_error(attention, zero, zero, v, mask::none(2), all_f32), 12 * unit_f32);
}

// Logits of 4 * (1/2) = 2 and -2 from products of size 4: (4 + 1 + 3) units of 2 from the products, one of
// |2| for the sum with the bias, 4 for the difference of -2 and the largest logit, and 4 for the exponential:
// 22 and 26 units. The weights are w and 1 - w, the values 1 and -1 are 2 (1 - w) and 2 w from their mean. 8
// roundings of the size 1 follow.
TEST(PlugError, by_hand_with_a_logit) {
  const Attention attention = reference_attention(distances({0.0}));
  const Tensor q({1, 4}, {1, 1, 1, 1}), k({2, 4}, {1, 1, 1, 1, -1, -1, -1, -1});
  const double w = 1 / (1 + std::exp(-4)), first_order = (2 * w * (1 - w) * (22 + 26) + 8) * unit_f32;
  const double error = largest_error(attention, q, k, k, mask::none(1, 2), all_f32);
  EXPECT_GE(error, first_order);
  EXPECT_LE(error, first_order * (1 + 4 * 26 * unit_f32));
}

TEST(PlugError, is_never_more_than_the_range_of_the_values_and_its_roundings) {
  const Attention attention = reference_attention(distances({0.0}));
  Tensor q({1, 4}, {1e6, 1e6, 1e6, 1e6}), k({2, 4}, {1e6, 0, 0, 0, -1e6, 0, 0, 0}),
      v({2, 4}, {3, 3, 3, 3, 1, 1, 1, 1});
  EXPECT_DOUBLE_EQ(largest_error(attention, q, k, v, mask::none(1, 2), Precision::parse("bf16")),
                   2 + (4 * unit_f32 + 4 * unit_bf16) * 3);
}

// The steeper bias counts whichever head has it.
TEST(PlugError, of_heads_is_that_of_the_one_that_is_farthest_off) {
  const auto error_of = [](std::vector<double> slopes) {
    const std::size_t dim = 4 * slopes.size();
    const Tensor zero({2, dim});
    Tensor v({2, dim});
    for (std::size_t c = 0; c < dim; ++c) v.at(0, c) = 1, v.at(1, c) = -1;
    return largest_error(reference_attention(distances(std::move(slopes))), zero, zero, v, mask::none(2),
                         all_f32);
  };
  const double steep = error_of({2}), flat = error_of({0});
  EXPECT_GT(steep, flat);
  EXPECT_EQ(error_of({0, 2}), steep);
  EXPECT_EQ(error_of({2, 0}), steep);
  EXPECT_EQ(error_of({0, 0}), flat);
}

TEST(PlugError, of_a_table_is_that_of_its_values_where_there_is_one_key) {
  Table table = counting();
  const Attention attention = reference_attention(table);
  const Tensor x({1, 2}, {4, 0});
  // The code of row 0 is 0 and exact; the sum 4 is rounded once, and 2 * 1 + 4 roundings of 4 follow.
  EXPECT_DOUBLE_EQ(largest_error(attention, x, x, x, mask::none(1), all_f32),
                   4 * unit_f32 + 6 * 4 * unit_f32);
}

// The whole operator in float, operation by operation, over a table, against the operator in double.
TEST(PlugError, covers_an_operator_in_float_and_not_by_far) {
  const Attention attention = reference_attention(counting());
  Generator generator(3);
  double most = 0;
  for (int round = 0; round < 200; ++round) {
    const std::size_t n = 5;
    Tensor x = generator.normal({n, 2}, 1.0);
    for (double& value : x.data) value = std::nearbyint(value * 16) / 16;
    const Tensor exact = attention.attend(x, x, x, mask::none(n));
    const double bound = largest_error(attention, x, x, x, mask::none(n), all_f32);
    float a[n][2];
    for (std::size_t r = 0; r < n; ++r)
      for (std::size_t c = 0; c < 2; ++c)
        a[r][c] = static_cast<float>(x.at(r, c)) + static_cast<float>(r) * static_cast<float>(c + 1);
    for (std::size_t i = 0; i < n; ++i) {
      float l[n], top = -1e30f, sum = 0;
      for (std::size_t j = 0; j < n; ++j) {
        l[j] = (a[i][0] * a[j][0] + a[i][1] * a[j][1]) / std::sqrt(2.0f);
        top = std::max(top, l[j]);
      }
      for (std::size_t j = 0; j < n; ++j) sum += l[j] = std::exp(l[j] - top);
      for (std::size_t c = 0; c < 2; ++c) {
        float out = 0;
        for (std::size_t j = 0; j < n; ++j) out += l[j] / sum * a[j][c];
        const double off = std::abs(static_cast<double>(out) - exact.at(i, c));
        EXPECT_LE(off, bound);
        most = std::max(most, off / bound);
      }
    }
  }
  EXPECT_GT(most, 0.005);
}

TEST(PlugError, nothing_is_allowed_to_what_is_not_a_number) {
  const Attention attention = reference_attention(counting());
  Tensor x({2, 2}, {1, 2, std::nan(""), 4});
  EXPECT_EQ(largest_error(attention, x, x, x, mask::none(2), all_f64), 0);
}

TEST(PlugError, nothing_is_allowed_to_a_mean_of_what_is_not_a_number) {
  const Attention attention = reference_attention(distances({0.0}));
  const Tensor zero({2, 4}), values({2, 4}, {1, 1, 1, 1, 1, 1, 1, std::nan("")});
  constexpr double u = unit_f32;  // 2 + 4 roundings of one key, 4 + 4 of two
  EXPECT_EQ(attention.errors(zero, zero, values, mask::causal(2), all_f32),
            Tensor({2, 4}, {6 * u, 6 * u, 6 * u, 6 * u, 8 * u, 8 * u, 8 * u, 0}));
}

// Of the first query, which sees the first key alone, all is finite; the second one's logits overflow.
TEST(PlugError, nothing_is_allowed_where_a_query_overflows) {
  const Attention attention = reference_attention(distances({0.0}));
  const Tensor zero({2, 4}), ones({2, 4}, std::vector<double>(8, 1.0));
  const Tensor far({2, 4}, {0, 0, 0, 0, 1e200, 0, 0, 0});
  constexpr double u = unit_f32;
  EXPECT_EQ(attention.errors(zero, far, ones, mask::causal(2), all_f32),
            Tensor({2, 4}, {6 * u, 6 * u, 6 * u, 6 * u, 8 * u, 8 * u, 8 * u, 8 * u}));
  EXPECT_EQ(attention.errors(far, far, ones, mask::causal(2), all_f32),
            Tensor({2, 4}, {6 * u, 6 * u, 6 * u, 6 * u, 0, 0, 0, 0}));
}

// Each head and each query has its own: the second head's values are apart from the second key on.
TEST(PlugError, is_that_of_each_query_and_each_channel) {
  const Attention attention = reference_attention(distances({0.0, 0.0}));
  Tensor zero({3, 8}), v({3, 8});
  for (std::size_t c = 0; c < 8; ++c) v.at(0, c) = v.at(2, c) = 1, v.at(1, c) = c < 4 ? 1 : -1;
  const Tensor errors = attention.errors(zero, zero, v, mask::causal(3), all_f32);
  constexpr double u = unit_f32;
  const double three = std::exp(4 * u) * std::expm1(4 * u) * 8 / 9;  // from 1/3: 2/3, 4/3 and 2/3 apart
  for (std::size_t c = 0; c < 8; ++c) {
    EXPECT_DOUBLE_EQ(errors.at(0, c), 6 * u) << c;
    EXPECT_DOUBLE_EQ(errors.at(1, c), (c < 4 ? 8 : 12) * u) << c;
    EXPECT_DOUBLE_EQ(errors.at(2, c), 10 * u + (c < 4 ? 0 : three)) << c;
  }
}

TEST(Lift, gives_the_logits_that_the_softmax_sees) {
  const std::vector<Position> queries = {3}, keys = {1, 2};
  const Tensor q({1, 2}, {1, 0}), k({2, 2}, {0, 1, 2, 0});
  const auto table = to_logits(counting());
  // (4, 6) . (1, 3) = 22 and (4, 6) . (4, 4) = 40.
  const Tensor of_table = table->logits(q, k, queries, keys);
  EXPECT_EQ(of_table.shape, (Shape{1, 1, 2}));
  EXPECT_DOUBLE_EQ(of_table.at(0, 0), 22 / std::numbers::sqrt2);
  EXPECT_DOUBLE_EQ(of_table.at(0, 1), 40 / std::numbers::sqrt2);

  const auto bias = to_logits(distances({0.5, 0.25}));
  EXPECT_EQ(bias->dim, 8u);
  EXPECT_EQ(bias->heads, 2u);
  Tensor wide_q({1, 8}), wide_k({2, 8});
  wide_q.at(0, 4) = 2, wide_k.at(1, 4) = 3;
  EXPECT_EQ(bias->logits(wide_q, wide_k, queries, keys), Tensor({2, 1, 2}, {-1, -0.5, -0.5, 2.75}));

  const auto rotary = to_logits(quarter_turns());
  // (1, 0) at 3 is (0, -1), (1, 0) at 2 is (-1, 0) and (0, 1) at 1 is (-1, 0), all in the first head.
  Tensor q4({1, 4}, {1, 0, 0, 0}), k4({2, 4}, {1, 0, 0, 0, 0, 1, 0, 0});
  const Tensor of_rotary = rotary->logits(q4, k4, queries, keys);
  EXPECT_DOUBLE_EQ(of_rotary.at(0, 0), -1 / std::numbers::sqrt2);  // (0, -1) . (0, 1)
  EXPECT_DOUBLE_EQ(of_rotary.at(0, 1), 1 / std::numbers::sqrt2);   // (0, -1) . (0, -1)
}

TEST(Lift, the_error_of_a_pair_is_that_of_its_worst_head) {
  const auto bias = to_logits(distances({0.5, 0.25}));
  const std::vector<double> zero(8, 0.0);
  // A product with a slope of 1/2: the bias's own bound, and one rounding of the sum.
  EXPECT_DOUBLE_EQ(logit_error(*bias, zero, zero, 3, 1, all_f32),
                   bias_error(all_f32, -1.0, 0.5, 1) + unit_f32);
}

// (1, 0) at 0 against 0 at 1, which is (1, 2): 2 + 1 + 3 roundings of the product 1, the query's sum (1 unit
// of 1), and the key's code and sum (2 + 1 units of 1), all over sqrt(2); and the product of both sides'
// errors, 1 unit times 3.
TEST(Lift, the_error_of_a_table_counts_both_sides) {
  const auto table = to_logits(counting());
  const std::vector<double> q = {1, 0}, k = {0, 0};
  const double right = (10 * unit_f32 + 3 * unit_f32 * unit_f32) / std::numbers::sqrt2;
  EXPECT_DOUBLE_EQ(logit_error(*table, q, k, 0, 1, all_f32), right);
  EXPECT_DOUBLE_EQ(logit_error(*table, k, q, 1, 0, all_f32), right);
}

TEST(Lift, each_head_has_the_error_of_its_own_slope) {
  const std::vector<Position> query = {3}, key = {1};
  const Tensor error =
      logits(distances({0.5, 0.25}))->bounded(Tensor({1, 8}), Tensor({1, 8}), query, key, all_f32).error;
  EXPECT_DOUBLE_EQ(error.at(1, 0), bias_error(all_f32, -0.5, 0.25, 2) + unit_f32 / 2);
}

TEST(Lift, a_rotary_is_told_which_are_queries_and_which_keys) {
  Rotary rotary = quarter_turns();
  std::vector<Role> roles;
  rotary.rotate = [&roles](const Tensor& x, Positions, Role role) {
    roles.push_back(role);
    return x;
  };
  const std::vector<Position> at = {1};
  logits(rotary)->at(Tensor({1, 4}), Tensor({1, 4}), at, at);
  EXPECT_EQ(roles, (std::vector<Role>{Role::query, Role::key}));
}

TEST(Lift, the_error_of_a_rotary_pair_grows_with_the_position) {
  const auto rotary = to_logits(quarter_turns());
  const std::vector<double> x = {1, 0, 0, 0};
  const double near = logit_error(*rotary, x, x, 4, 4, all_f32),
               far = logit_error(*rotary, x, x, 4096, 4096, all_f32);
  // At least the error of the two angles of size t * pi/2, over sqrt(2), where cosine and sine share it.
  EXPECT_GT(near, 0);
  EXPECT_GT(far, 4096 * unit_f32);
  EXPECT_LT(far, 2000 * near);
}

// Keys after the query mean nothing where only those before it do.
TEST(Plug, takes_any_mask_where_later_keys_mean_something) {
  Bias bias = distances({1.0});
  EXPECT_TRUE(reference_attention(bias).any_mask);
  bias.causal = true;
  EXPECT_FALSE(reference_attention(bias).any_mask);
}

}  // namespace
}  // namespace posproof::attention::reference_attention_test
