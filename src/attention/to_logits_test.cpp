#include "attention/to_logits.h"

#include <gtest/gtest.h>

#include <array>
#include <memory>
#include <span>
#include <vector>

#include "attention/order.h"
#include "attention/reference_attention.h"
#include "core/error.h"
#include "run/catalogued.h"

namespace posproof::attention::to_logits_test {
namespace {

// Rows that hold the length of the sequence that they are asked in.
TEST(ToLogits, of_a_table_asks_for_a_sequence_that_has_every_query_and_key) {
  std::vector<Position> lengths;
  const Table table{.dim = 1, .rows = [&](const Positions& at, Position length) {
                      lengths.push_back(length);
                      return Tensor({at.size(), 1});
                    }};
  const Tensor q({1, 1}, {1}), k({2, 1}, {1, 1});
  const std::array<Position, 1> near = {2}, far = {9};
  const std::array<Position, 2> keys = {0, 7};
  logits(table)->at(q, k, near, keys);
  logits(table)->at(q, k, far, keys);
  const Tensor no_rows({0, 1});
  const std::vector<Position> nowhere;
  logits(table)->at(no_rows, no_rows, nowhere, nowhere);
  EXPECT_EQ(lengths, (std::vector<Position>{8, 8, 10, 10, 0}));
}

// What a rotation may be off by is that of the whole call: of its last position, wherever that stands.
TEST(ToLogits, of_a_rotary_may_be_off_by_what_a_call_up_to_its_last_position_is) {
  std::vector<Position> lasts;
  Rotary rotary{.dim = 2, .pairs = {{0, 1, 1.0}}};
  rotary.rotate = [](const Tensor& x, const Positions&, Role) { return x; };
  rotary.in_call = [&lasts, own = rotary](Position last) {
    lasts.push_back(last);
    return std::make_shared<const Rotary>(own);
  };
  const std::array<Position, 2> queries = {2, 9};
  const std::array<Position, 3> keys = {3, 7, 1};
  const std::vector<Position> nowhere;
  logits(rotary)->bounded(Tensor({2, 2}), Tensor({3, 2}), queries, keys, all_f32);
  logits(rotary)->bounded(Tensor({0, 2}), Tensor({0, 2}), nowhere, nowhere, all_f32);
  EXPECT_EQ(lasts, (std::vector<Position>{9, 7, 0, 0}));
}

TEST(RowErrors, of_rows_of_a_table_are_those_of_each_position) {
  const auto table = as<Table>(encoding_named("sinusoidal").oracle(Case::parse("dim=4")));
  const std::array<Position, 3> at = {1, 1000, 7};
  const Tensor rows = table.rows(at, 1001), errors = row_errors(table, rows, at, all_f32);
  for (std::size_t r = 0; r < at.size(); ++r) {
    const std::vector<double> own = row_error(table, all_f32, at[r], rows.row(r));
    EXPECT_EQ(std::vector<double>(errors.row(r).begin(), errors.row(r).end()), own) << at[r];
  }
  EXPECT_GT(errors.at(1, 0), 10 * errors.at(0, 0));
}

// The query is far, where its row is off by more than the key's.
TEST(ToLogits, of_a_table_may_be_off_by_what_the_rows_of_query_and_key_are) {
  const auto table = as<Table>(encoding_named("sinusoidal").oracle(Case::parse("dim=4")));
  const std::array<Position, 1> far = {1000}, near = {1};
  const Tensor ones({1, 4}, {1, 1, 1, 1}), row = table.rows(far, 1001), other = table.rows(near, 1001);
  const Tensor a = sum(ones, row), b = sum(ones, other);
  const Tensor da = sum_error(a, row_errors(table, row, far, all_f32), all_f32),
               db = sum_error(b, row_errors(table, other, near, all_f32), all_f32);
  EXPECT_EQ(logits(table)->bounded(ones, ones, far, near, all_f32).error.data,
            scaled_error(a, da, b, db, all_f32).data);
}

TEST(ToLogits, of_contents_with_positions_are_off_by_as_much_in_every_head) {
  Contextual two{.dim = 1, .heads = 2};
  two.logits = [](const Tensor& q, const Tensor& k, const Positions&, const Positions&) {
    return Tensor({2, q.rows(), k.rows()});
  };
  two.error = [](std::span<const double> q, std::span<const double>, std::span<const double> query,
                 std::span<const double> key,
                 const Precision&) { return q[0] + 10 * query[0] + 100 * key[0]; };
  const std::array<Position, 1> query = {3};
  const std::array<Position, 2> keys = {1, 2};
  EXPECT_EQ(logits(Encoding(two))->bounded(Tensor({1, 1}, {5}), Tensor({2, 1}), query, keys, all_f32).error,
            Tensor({2, 1, 2}, {135, 235, 135, 235}));
}

TEST(ToLogits, of_a_bias_may_be_off_by_what_its_worst_head_is) {
  Bias bias{.heads = 2, .slopes = {0x1p-20, 0.5}, .causal = true};
  bias.bias = [](const Positions& queries, const Positions& keys) {
    Tensor out({2, queries.size(), keys.size()});
    for (std::size_t i = 0; i < queries.size(); ++i)
      for (std::size_t j = 0; j < keys.size(); ++j) {
        const auto past = static_cast<double>(queries[i] - keys[j]);
        out.at(i, j) = -0x1p-20 * past;
        out.at(queries.size() + i, j) = -0.5 * past;
      }
    return out;
  };
  const auto both = to_logits(bias).value();
  EXPECT_TRUE(both.causal);
  EXPECT_TRUE(reference_attention(bias).causal);
  EXPECT_FALSE(both.modulo_rows);
  const std::vector<double> zero(8, 0.0);
  EXPECT_GT(logit_error(both, zero, zero, 1000, 0, all_f32), 1000 * 0.5 * unit_f32);
  bias.modulo_rows = true;
  EXPECT_GT(logit_error(*to_logits(bias), zero, zero, 1000, 1000, all_f32), 1000 * 0.5 * unit_f32)
      << "a shifted row holds the slope times a position";
  EXPECT_TRUE(to_logits(bias)->modulo_rows);
}

// What the bias says of itself is of the head, the query and the key that stand there.
TEST(ToLogits, of_a_bias_with_its_own_error_are_off_by_that_of_their_pair) {
  Bias bias{.heads = 2};
  bias.bias = [](const Positions& queries, const Positions& keys) {
    return Tensor({2, queries.size(), keys.size()});
  };
  const auto error = [&](double times) {
    bias.error = [times](std::size_t head, std::span<const double> query, std::span<const double> key, double,
                         const Precision&) {
      return times * (100.0 * static_cast<double>(head + 1) + 10 * query[0] + key[0]);
    };
    const Logits all = *logits(Encoding(bias));
    const std::array<Position, 2> queries = {3, 5};
    const std::array<Position, 3> keys = {1, 4, 2};
    return all.bounded(Tensor({2, all.dim}), Tensor({3, all.dim}), queries, keys, all_f32).error;
  };
  const Tensor none = error(0), own = error(1);
  EXPECT_EQ(own.shape, (Shape{2, 2, 3}));
  const std::vector<double> right = {131, 134, 132, 151, 154, 152, 231, 234, 232, 251, 254, 252};
  for (std::size_t e = 0; e < right.size(); ++e) {
    EXPECT_DOUBLE_EQ(own.data[e], right[e]) << e;
    EXPECT_LT(none.data[e], 1e-30) << e;
  }
}

// A row of keys counted from 1, or from the last token of the call, holds numbers up to all positions.
TEST(ToLogits, of_a_bias_with_shifted_rows_may_be_off_by_the_farthest_position) {
  Bias bias{.heads = 2, .slopes = {0.25, 0.5}};
  bias.bias = [](const Positions& queries, const Positions& keys) {
    return Tensor({2, queries.size(), keys.size()});
  };
  const std::vector<Position> near = {1, 2}, far = {3, 9}, before = {-12, 4};
  const auto more = [&](const std::vector<Position>& queries, const std::vector<Position>& keys) {
    const Tensor zero({2, 2 * 1});
    Bias shifted = bias;
    shifted.modulo_rows = true;
    const auto error = [&](const Bias& one) {
      const Logits all = *logits(Encoding(one));
      const Tensor q({2, all.dim}), k({2, all.dim});
      return all.bounded(q, k, queries, keys, all_f32).error;
    };
    Tensor out = error(shifted);
    const Tensor plain = error(bias);
    for (std::size_t e = 0; e < out.data.size(); ++e) out.data[e] -= plain.data[e];
    return out.data;
  };
  const auto allowed = [](double positions) {
    const double first = bias_rounding(all_f32, 0.25 * positions, 0.25),
                 second = bias_rounding(all_f32, 0.5 * positions, 0.5);
    return std::vector<double>{first, first, first, first, second, second, second, second};
  };
  const auto expect = [&](const std::vector<double>& found, const std::vector<double>& right) {
    ASSERT_EQ(found.size(), right.size());
    for (std::size_t e = 0; e < right.size(); ++e) EXPECT_NEAR(found[e], right[e], 1e-20) << e;
  };
  expect(more(near, far), allowed(10));
  expect(more(far, near), allowed(10));
  expect(more(near, before), allowed(13));
}

TEST(ToLogits, sums_are_of_as_many_rows_as_there_are_contents) {
  EXPECT_EQ(sum(Tensor({1, 2}, {1, 2}), Tensor({2, 2}, {3, 4, 5, 6})), Tensor({1, 2}, {4, 6}));
  EXPECT_THROW(sum(Tensor({2, 2}), Tensor({1, 2})), std::out_of_range);
  EXPECT_THROW(sum(Tensor({1, 2}), Tensor({1, 3})), std::out_of_range);
}

TEST(ToLogits, an_order_is_the_identity_where_nothing_moves) {
  using Order = std::vector<std::size_t>;
  EXPECT_TRUE(is_identity(Order{0, 1, 2}));
  EXPECT_FALSE(is_identity(Order{0, 2, 1}));
  EXPECT_FALSE(is_identity(Order{1, 0, 2}));
}

}  // namespace
}  // namespace posproof::attention::to_logits_test
