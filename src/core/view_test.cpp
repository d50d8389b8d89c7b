#include "core/view.h"
#include "core/function.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <span>
#include <vector>

#include "core/error.h"
#include "core/formats.h"

namespace posproof::view_test {
namespace {

using Rounding = Function<double(double)>;

TEST(OnAxis, pairs_of_another_axis_stand_still) {
  Table table{.dim = 4, .pairs = {{0, 1, 1.0, 0}, {2, 3, 0.5, 1}}};
  table.pairs[1].axis = 1;
  table.positions.axes = 2;
  for (const std::size_t axis : {0, 1}) {
    const Encoding on = on_axis(table, axis);
    EXPECT_EQ(pairs_of(on)[0].frequency, axis == 0 ? 1 : 0);
    EXPECT_EQ(pairs_of(on)[1].frequency, axis == 0 ? 0 : 0.5);
    EXPECT_EQ(pairs_of(on)[1].axis, 0u);
  }
}

// Two pairs, one radian a position and a hundredth, each operation rounded to its own format.
Rotary rotary(const Rounding& angle, const Rounding& work, const Rounding& result) {
  Rotary out{.dim = 4, .pairs = {{0, 1, 1.0, 0}, {2, 3, static_cast<double>(0.01F), 1}}};
  out.rotate = [angle, work, result, pairs = out.pairs](const Tensor& x, const Positions& positions, Role) {
    Tensor y = x;
    for (const Pair& pair : pairs) {
      const double at = angle(static_cast<double>(positions[0]) * pair.frequency);
      const double c = work(std::cos(at)), s = work(std::sin(at));
      const double a = x.at(0, pair.first), b = x.at(0, pair.second);
      y.at(0, pair.first) = result(work(work(a * c) - work(b * s)));
      y.at(0, pair.second) = result(work(work(a * s) + work(b * c)));
    }
    return y;
  };
  return out;
}

// The largest share of what is allowed of the logits of the frequencies that were used.
double share(const Rotary& subject, const Precision& p) {
  const Score score = *posproof::score(subject);
  double most = 0;
  std::uint64_t state = 1;
  const auto next = [&state] {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return std::ldexp(static_cast<double>(state >> 11), -53);
  };
  for (int n = 0; n < 20000; ++n) {
    std::array<double, 4> q, k;
    for (double& value : q) value = to_bf16(2 * next() - 1);
    for (double& value : k) value = to_bf16(2 * next() - 1);
    const double far = std::ldexp(1.0, static_cast<int>(21 * next()));
    const auto i = static_cast<Position>(far * next()), j = static_cast<Position>(far * next());
    long double exact = 0;
    for (const Pair& pair : subject.pairs) {
      const long double angle = static_cast<long double>(i - j) * pair.frequency;
      const std::size_t a = pair.first, b = pair.second;
      exact += (q[a] * k[a] + q[b] * k[b]) * std::cos(angle) + (q[a] * k[b] - q[b] * k[a]) * std::sin(angle);
    }
    const Score::Measured measured = score.measured(q, k, i, j, p);
    EXPECT_EQ(measured.value, score.at(q, k, i, j));
    most = std::max(most, std::abs(measured.value - static_cast<double>(exact)) / measured.rounding);
  }
  return most;
}

TEST(Score, of_a_rotation_is_within_its_rounding_and_near_it) {
  for (const auto& [subject, words] : {std::pair(rotary(&to_f32, &to_f32, &to_f32), "f32"),
                                       {rotary(&to_f32, &to_f32, &to_bf16), "bf16"},
                                       {rotary(&to_f32, &to_bf16, &to_bf16), "bf16+table=bf16"},
                                       {rotary(&to_f32, &to_f32, &to_f16), "f16"}}) {
    const double most = share(subject, Precision::parse(words));
    EXPECT_LE(most, 1) << words;
    EXPECT_GE(most, 0.3) << words;
  }
}

TEST(Score, of_a_logit_without_a_frequency_is_as_far_from_its_own_as_from_the_exact_one) {
  Contextual contextual{.dim = 1, .causal = true};
  contextual.logits = [](const Tensor&, const Tensor&, const Positions&, const Positions&) {
    return Tensor({1, 1, 1}, {3});
  };
  contextual.error = [](std::span<const double>, std::span<const double>, std::span<const double>,
                        std::span<const double>, const Precision&) { return 0.25; };
  const Score score = *posproof::score(contextual);
  EXPECT_TRUE(score.causal);
  const std::array<double, 1> one = {1};
  EXPECT_EQ(score.measured(one, one, 1, 0, all_f32).value, 3);
  EXPECT_EQ(score.measured(one, one, 1, 0, all_f32).rounding, 0.25);
}

using Numbers = std::vector<double>;

// Sums of rounded numbers in another order differ by so much of themselves.
void expect_same(double there, double here) {
  EXPECT_NEAR(there, here, 1e-14 * std::abs(here));
}

// A table of width 3: one pair, and a column that no ladder makes.
Table small_table(bool on_a_ladder = true) {
  Table table{.dim = 3, .amplitude = 0.5};
  if (on_a_ladder) table.pairs = {{0, 1, 0.25, 0}};
  table.rows = [](const Positions& positions, Position length) {
    Tensor rows({2, 3});
    for (std::size_t r = 0; r < 2; ++r)
      for (std::size_t c = 0; c < 3; ++c)
        rows.at(r, c) = static_cast<double>(positions[r]) / 64 + static_cast<double>(c) / 8 +
                        static_cast<double>(length) / 1024;
    return rows;
  };
  return table;
}
const Numbers small_q = {1, -2, 3}, small_k = {-0.5, 0.75, 2};

Numbers plus(const Numbers& a, const Numbers& b) {
  Numbers out = a;
  for (std::size_t c = 0; c < out.size(); ++c) out[c] += b[c];
  return out;
}

// The bound of a product of two lists, (n + 1) roundings of our own among it.
double of_product(const Numbers& a, const Numbers& da, const Numbers& b, const Numbers& db) {
  double sum = 0;
  for (std::size_t c = 0; c < a.size(); ++c)
    sum += std::abs(a[c] * db[c]) + std::abs(da[c] * b[c]) + da[c] * db[c] +
           (static_cast<double>(a.size()) + 1) * unit_f64 * std::abs(a[c] * b[c]);
  return sum;
}

TEST(Score, of_a_table_is_that_of_the_sums_in_one_sequence_as_long_as_the_later_token_needs) {
  const Score score = *posproof::score(small_table());
  EXPECT_EQ(score.dim, 3u);
  for (const auto& [i, j] : {std::pair<Position, Position>{16, 31}, {31, 16}}) {
    const double a = static_cast<double>(i) / 64 + 32.0 / 1024, b = static_cast<double>(j) / 64 + 32.0 / 1024;
    const Numbers x = plus(small_q, {a, a + 0.125, a + 0.25}), y = plus(small_k, {b, b + 0.125, b + 0.25});
    EXPECT_EQ(score.at(small_q, small_k, i, j), x[0] * y[0] + x[1] * y[1] + x[2] * y[2]);
  }
}

TEST(Score, of_a_table_is_off_by_what_its_rows_are_and_by_our_own_sums) {
  for (const Precision& p : {all_f32, all_f64}) {
    const Table table = small_table();
    const Position i = 16, j = 31;
    const Numbers row_i = {0.28125, 0.40625, 0.53125}, row_j = {0.515625, 0.640625, 0.765625};
    Numbers da = row_error(table, p, i, row_i), db = row_error(table, p, j, row_j);
    const Numbers a = plus(small_q, row_i), b = plus(small_k, row_j);
    for (std::size_t c = 0; c < 3; ++c)
      da[c] += unit_f64 * std::abs(a[c]), db[c] += unit_f64 * std::abs(b[c]);
    const Score score = *posproof::score(table);
    expect_same(score.error(small_q, small_k, i, j, p), of_product(a, da, b, db));
    const Score::Measured measured = score.measured(small_q, small_k, i, j, p);
    EXPECT_EQ(measured.value, score.at(small_q, small_k, i, j));
    EXPECT_EQ(measured.rounding, score.error(small_q, small_k, i, j, p));
  }
}

TEST(Score, of_ones_against_a_ladder_is_off_by_what_the_largest_entries_three_positions_on_are) {
  const Table table = small_table();
  const Score score = *posproof::score(table);
  for (const Precision& p : {all_f32, all_f64}) {
    const Numbers size(3, 1.5), off = row_error(table, p, 1003, Numbers(3, 0.5));
    expect_same(score.error_of_ones(1000, p), of_product(size, off, size, off));
  }
  EXPECT_FALSE(posproof::score(small_table(false))->error_of_ones);
}

// Whatever is asked, two heads answer as they were told to, of a query and of a key.
Rotary answering(const Numbers& query, const Numbers& key) {
  Rotary rotary{.dim = 5, .heads = 2, .pairs = {{0, 1, 0.5, 0}, {2, 3, 0.125, 1}}, .amplitude = 1.25};
  rotary.rotate = [query, key](const Tensor& x, const Positions& positions, Role role) {
    EXPECT_EQ(x.shape, (Shape{1, 2, 1, 5}));
    Tensor y(x.shape);
    for (std::size_t c = 0; c < 5; ++c) {
      EXPECT_EQ(x.at(1, c), x.at(0, c));
      y.at(0, c) = (role == Role::query ? query : key)[c] * static_cast<double>(positions[0]);
      y.at(1, c) = 1e9;
    }
    return y;
  };
  return rotary;
}
const Numbers five_q = {3, -4, 5, 12, 2}, five_k = {8, 15, -7, 24, -3};
const Numbers turned_q = {3.25, -4.5, 5.75, 11, 2}, turned_k = {9, 14, -6, 25, -3.5};

TEST(Score, of_a_rotation_is_that_of_the_first_head_of_query_and_key) {
  const Score score = *posproof::score(answering(turned_q, turned_k));
  EXPECT_EQ(score.dim, 5u);
  const double dot = 3.25 * 9 - 4.5 * 14 - 5.75 * 6 + 11.0 * 25 - 2 * 3.5;
  EXPECT_EQ(score.at(five_q, five_k, 2, 3), 2 * 3 * dot);
  // Norms 5 and 13 of the query's pairs, 17 and 25 of the key's.
  EXPECT_DOUBLE_EQ(score.range(five_q, five_k), 2 * 1.25 * 1.25 * (5 * 17 + 13 * 25));
}

TEST(Score, of_a_rotation_is_off_by_what_each_pair_of_query_and_key_is) {
  const Rotary rotary = answering(turned_q, turned_k);
  const Score score = *posproof::score(rotary);
  for (const char* words : {"f64", "f32", "f16", "bf16+table=bf16"}) {
    const Precision p = Precision::parse(words);
    const auto expected = [&](const Numbers& q, const Numbers& k, Position i, Position j) {
      double error = 0;
      for (std::size_t c = 0; c < 5; ++c) error += 6 * unit_f64 * std::abs(q[c] * k[c]);
      for (const Pair& pair : rotary.pairs) {
        const double a = 1.25 * std::hypot(q[pair.first], q[pair.second]),
                     b = 1.25 * std::hypot(k[pair.first], k[pair.second]), least = rotation_underflow(p);
        const double ei = rotation_error(p, static_cast<double>(i), pair) + amplitude_error(rotary, p);
        const double ej = rotation_error(p, static_cast<double>(j), pair) + amplitude_error(rotary, p);
        error += a * b * (ei + ej + ei * ej + 12 * unit_f64) + a * (1 + ei) * least + b * (1 + ej) * least +
                 least * least;
      }
      return error;
    };
    EXPECT_NEAR(score.error(five_q, five_k, 1000, 7, p), expected(five_q, five_k, 1000, 7),
                1e-11 * expected(five_q, five_k, 1000, 7))
        << words;
    const Numbers ones(5, 1), none(5, 0);
    EXPECT_DOUBLE_EQ(score.error(none, none, 1000, 7, p), 2 * rotation_underflow(p) * rotation_underflow(p))
        << words;

    EXPECT_NEAR(score.error_of_ones(1000, p), expected(ones, ones, 1003, 1003),
                1e-11 * expected(ones, ones, 1003, 1003))
        << words;
  }
}

// One without frequencies of its own says what each channel of its answer is off by.
TEST(Score, of_a_rotation_that_knows_its_error_is_off_by_that_of_query_and_key) {
  const Numbers of_query = {0.5, 0.25, 1, 2, 0}, of_key = {0.125, 3, 0.5, 0.75, 1};
  Rotary rotary = answering(turned_q, turned_k);
  rotary.error = [=](std::span<const double> x, std::span<const double> position, Role role, const Precision&,
                     std::span<double> error) {
    EXPECT_EQ(Numbers(x.begin(), x.end()), role == Role::query ? five_q : five_k);
    EXPECT_EQ(Numbers(position.begin(), position.end()), Numbers{role == Role::query ? 2.0 : 3.0});
    std::ranges::copy(role == Role::query ? of_query : of_key, error.begin());
  };
  Numbers q = turned_q, k = turned_k;
  for (double& entry : q) entry *= 2;
  for (double& entry : k) entry *= 3;
  expect_same(posproof::score(rotary)->error(five_q, five_k, 2, 3, all_f32),
              of_product(q, of_query, k, of_key));
}

// A pair as answered, at (x, y): what its angle, its norm and its channels may be off by.
struct Turned {
  double x, y, angle, norm_error, x_error, y_error;
};

double off_by(const Turned& z, double a, double b) {
  const double both = std::hypot(z.x, z.y) * std::hypot(a, b);
  const double along = z.angle * std::abs(z.x * b - z.y * a) + z.angle * z.angle / 2 * both;
  return std::min(along, std::min(2.0, z.angle) * both) + z.norm_error * std::hypot(a, b) +
         z.x_error * std::abs(a) + z.y_error * std::abs(b) +
         z.angle * std::hypot(z.x_error, z.y_error) * std::hypot(a, b);
}

double whole_error(const Turned& z) {
  return std::min(2.0, z.angle) * std::hypot(z.x, z.y) + z.norm_error + std::hypot(z.x_error, z.y_error);
}

TEST(Score, of_a_rotation_is_off_from_its_own_by_the_roundings_of_its_answers) {
  constexpr double root = std::numbers::sqrt2, b = unit_bf16, u = unit_f32, h = unit_f16;
  // What multiplies a norm beside the amplitude's error, and half the distance of neighbours between 1 and 2.
  struct Known {
    const char* words;
    double products, amplitude, stored, least;
  };
  for (const Known& known :
       {Known{"f32", root * 3 * u, 7 * u, u, 0}, Known{"bf16", root * 3 * u, 7 * u, u + b, 0},
        Known{"bf16/bf16", root * 3 * b, 7 * b, b, 0},
        Known{"bf16+table=bf16", root * (2 * u + b) + b, 2 * b + 5 * u, b, 0},
        Known{"f16", root * 3 * u, 7 * u, u + h, 2 * root * 0x1p-25}}) {
    const Precision p = Precision::parse(known.words);
    const Rotary rotary = answering(turned_q, turned_k);
    const Score score = *posproof::score(rotary);
    const auto turned = [&](const Numbers& content, const Numbers& answer, Position t, const Pair& pair) {
      const double norm = std::hypot(content[pair.first], content[pair.second]);
      const auto step = [&](double x) {
        return known.stored * (x == 0 ? 0 : std::exp2(std::floor(std::log2(std::abs(x)))));
      };
      const double x = answer[pair.first] * static_cast<double>(t),
                   y = answer[pair.second] * static_cast<double>(t);
      return Turned{
          x,
          y,
          angle_rounding(p, static_cast<double>(t), pair),
          1.25 * norm * ((1 + known.products) * (1 + known.amplitude) - 1) + (norm == 0 ? 0 : known.least),
          step(x),
          step(y)};
    };
    const auto expected = [&](const Numbers& q, const Numbers& k, Position i, Position j) {
      double error = 0;
      for (std::size_t c = 0; c < 5; ++c)
        error += 6 * unit_f64 * std::abs(turned_q[c] * turned_k[c] * static_cast<double>(i * j));
      for (const Pair& pair : rotary.pairs) {
        const Turned x = turned(q, turned_q, i, pair), y = turned(k, turned_k, j, pair);
        error += off_by(x, y.x, y.y) + off_by(y, x.x, x.y) + whole_error(x) * whole_error(y);
      }
      return error;
    };
    // Of the first two, the second pair of the query has no norm; of the last, no angle is known any more.
    for (const auto& [q, i] : {std::pair<Numbers, Position>{{3, -4, 0, 0, 2}, 1},
                               {five_q, 1},
                               {five_q, 1000},
                               {five_q, Position{1} << 42}}) {
      const Score::Measured measured = score.measured(q, five_k, i, 1, p);
      EXPECT_EQ(measured.value, score.at(q, five_k, i, 1));
      EXPECT_NEAR(measured.rounding, expected(q, five_k, i, 1), 1e-9 * expected(q, five_k, i, 1))
          << known.words << " at " << i;
    }
  }
}

TEST(Score, of_a_bias_is_that_of_the_first_head_and_off_by_its_entry_and_our_own_sum) {
  Bias bias{.heads = 2, .slopes = {0.5, 0.25}, .causal = true};
  bias.bias = [](const Positions& queries, const Positions& keys) {
    return Tensor({2, 1, 1}, {0.5 * static_cast<double>(keys[0] - queries[0]), 1e9});
  };
  const Score score = *posproof::score(bias);
  EXPECT_EQ(score.dim, 4u);
  EXPECT_TRUE(score.causal);
  const Numbers q = {1, 2, -3, 0.5}, k = {4, 1, 2, 8};  // 4 + 2 - 6 + 4, and 16 without signs
  EXPECT_EQ(score.at(q, k, 7, 1), 4 - 3);
  for (const Precision& p : {all_f32, all_f64}) {
    const double ours = 5 * unit_f64 * 16 + unit_f64 * (4 + 3);
    expect_same(score.error(q, k, 7, 1, p), bias_error(p, -3, bias, 0) + ours);
    EXPECT_EQ(score.measured(q, k, 7, 1, p).value, 1);
    expect_same(score.measured(q, k, 7, 1, p).rounding, bias_rounding(p, -3, 0.5) + ours);
  }
  bias.slopes.clear();
  const Precision f16 = Precision::parse("f16");
  expect_same(posproof::score(bias)->measured(q, k, 7, 1, f16).rounding,
              bias_rounding(f16, -3, 0) + 5 * unit_f64 * 16 + unit_f64 * 7);
}

TEST(Score, of_contents_with_positions_is_the_logit_of_one_query_and_one_key) {
  Contextual contextual{.dim = 2};
  contextual.logits = [](const Tensor& q, const Tensor& k, const Positions& queries, const Positions& keys) {
    EXPECT_EQ(q.shape, (Shape{1, 2}));
    EXPECT_EQ(k.shape, (Shape{1, 2}));
    const auto place = static_cast<double>(100 * queries[0] + keys[0]);
    return Tensor({2, 1, 1},
                  {1000 * (q.at(0, 0) + 2 * q.at(0, 1) + 4 * k.at(0, 0) + 8 * k.at(0, 1)) + place, 1e9});
  };
  contextual.error = [](std::span<const double>, std::span<const double>, std::span<const double>,
                        std::span<const double>, const Precision&) { return 0.0; };
  const Score score = *posproof::score(contextual);
  EXPECT_EQ(score.dim, 2u);
  EXPECT_FALSE(score.causal);
  EXPECT_EQ(score.at(Numbers{1, 2}, Numbers{3, 5}, 7, 4), 1000 * (1 + 4 + 12 + 40) + 704);
  EXPECT_FALSE(posproof::score(Attention{}));
}

}  // namespace
}  // namespace posproof::view_test
