#include "core/call.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "core/error.h"
#include "core/failure.h"
#include "core/testing/axial.h"

namespace posproof::call_test {
namespace {

// The size that is asked for where it may be had, else the last answer that there is.
class Sized final : public Draw {
 public:
  explicit Sized(std::int64_t size) : size_(static_cast<double>(size)) {}

 protected:
  Value answer(std::string_view, const Choice& choice) override {
    if (std::holds_alternative<choice::Size>(choice)) return answers(size_, choice) ? size_ : 1.0;
    if (const auto* values = std::get_if<choice::Values>(&choice)) return std::vector<double>(values->size);
    if (const auto* place = std::get_if<choice::PositionIn>(&choice)) return static_cast<double>(place->hi);
    if (const auto* one = std::get_if<choice::OneOf>(&choice)) return one->values.back();
    return static_cast<double>(std::get<choice::Integer>(choice).hi);
  }

 private:
  Value size_;
};

// Entry (row, channel) is 10 t + c.
Encoding table() {
  Table table{.dim = 3};
  table.rows = [](std::span<const Position> positions, Position) {
    Tensor rows({positions.size(), 3});
    for (std::size_t r = 0; r < positions.size(); ++r)
      for (std::size_t c = 0; c < 3; ++c)
        rows.at(r, c) = 10 * static_cast<double>(positions[r]) + static_cast<double>(c);
    return rows;
  };
  return table;
}

// Entry (head, i, j) is 100 h + 10 i + j.
Encoding bias(bool causal = false) {
  Bias bias{.heads = 2, .causal = causal};
  bias.bias = [](std::span<const Position> queries, std::span<const Position> keys) {
    Tensor out({2, queries.size(), keys.size()});
    std::size_t at = 0;
    for (const double h : {0.0, 1.0})
      for (const Position i : queries)
        for (const Position j : keys)
          out.data[at++] = 100 * h + 10 * static_cast<double>(i) + static_cast<double>(j);
    return out;
  };
  return bias;
}

// x + 1000 b of the batch row's first position + t, in every channel.
Encoding rotary() {
  Rotary rotary{.dim = 2, .heads = 2};
  rotary.rotate = [](const Tensor& x, std::span<const Position> positions, Role role) {
    Tensor y = x;
    const std::size_t heads = x.shape[1], n = x.shape[2];
    for (std::size_t r = 0; r < x.rows(); ++r)
      for (double& value : y.row(r))
        value += static_cast<double>(positions[r / (heads * n) * n + r % n]) + (role == Role::key ? 0.5 : 0);
    return y;
  };
  return rotary;
}

Call rotary_call() {
  Call call = sequence(rotary(), {1, 2, 3, 4, 5, 6}, nullptr, 2);
  for (std::size_t n = 0; n < call.contents[0].data.size(); ++n)
    call.contents[0].data[n] = 100 * static_cast<double>(n);
  return call;
}

// Whatever is taken of a call, its answer is what is taken of the answer.
void expect_commutes(const Encoding& encoding, const Call& call, Axis axis,
                     const std::vector<std::size_t>& indices) {
  const Tensor taken = take(signature(encoding).gives, answer(encoding, call), axis, indices);
  EXPECT_EQ(answer(encoding, take(encoding, call, axis, indices)), taken) << static_cast<int>(axis);
}

TEST(Call, what_is_taken_of_it_is_answered_as_what_is_taken_of_the_answer) {
  expect_commutes(table(), sequence(table(), {7, 5, 6}), Axis::token, {2, 0, 0});
  Call pairs = sequence(bias(), {4, 9});
  pairs.keys.whole = {1, 2, 3};
  expect_commutes(bias(), pairs, Axis::query, {1, 0, 1});
  expect_commutes(bias(), pairs, Axis::key, {2, 0});
  for (const auto& [axis, indices] : {std::pair{Axis::batch, std::vector<std::size_t>{1, 1, 0}},
                                      {Axis::head, {1, 0}},
                                      {Axis::token, {2, 1}}})
    expect_commutes(rotary(), rotary_call(), axis, indices);
}

TEST(Call, what_is_taken_keeps_its_order_and_shape) {
  const Call taken = take(rotary(), rotary_call(), Axis::batch, std::vector<std::size_t>{1});
  EXPECT_EQ(taken.batch, 1u);
  EXPECT_EQ(taken.positions.whole, (std::vector<Position>{4, 5, 6}));
  EXPECT_EQ(taken.contents[0].shape, (Shape{1, 2, 3, 2}));
  EXPECT_EQ(taken.contents[0].data[0], 1200);
  const Call tokens = take(rotary(), rotary_call(), Axis::token, std::vector<std::size_t>{2, 0});
  EXPECT_EQ(tokens.positions.whole, (std::vector<Position>{3, 1, 6, 4}));
  EXPECT_THROW(take(rotary(), rotary_call(), Axis::head, std::vector<std::size_t>{2}), std::out_of_range);
}

TEST(Call, an_answer_of_another_shape_says_what_was_asked_for) {
  const Encoding shorter = answered_by(table(), [](const Call&) { return Tensor({1, 3}); });
  try {
    answer(shorter, sequence(shorter, {0, 1}));
    FAIL();
  } catch (const Failure& error) {
    EXPECT_EQ(error.how, Failure::How::answered_otherwise);
    EXPECT_STREQ(error.what(), "rows was asked for [2, 3] and answers [1, 3]");
  }
}

TEST(Call, an_answer_has_as_many_values_as_its_shape) {
  Table cut{.dim = 2};
  cut.rows = [](const Positions& at, Position) {
    Tensor out({at.size(), 2});
    out.data.pop_back();
    return out;
  };
  EXPECT_THROW(answer(cut, {.positions = {.whole = {5}}}), Failure);
}

TEST(Call, answered_by_passes_on_all_of_the_call) {
  Call heard;
  const Encoding listening = answered_by(rotary(), [&heard](const Call& call) {
    heard = call;
    return call.contents[0];
  });
  Call call = rotary_call();
  call.role = Role::key;
  answer(listening, call);
  EXPECT_EQ(heard.batch, 2u);
  EXPECT_EQ(heard.positions.whole, call.positions.whole);
  EXPECT_EQ(heard.contents, call.contents);
  EXPECT_EQ(heard.role, Role::key);
}

Bound exact(const Tensor& answer) {
  Bound none{Tensor(answer.shape), Tensor(answer.shape)};
  std::fill(none.ceiling.data.begin(), none.ceiling.data.end(), no_ceiling);
  return none;
}

TEST(Comparison, every_entry_is_looked_at_and_the_worst_is_found) {
  const Call call = sequence(bias(), {0, 1, 2});
  const Tensor here = answer(bias(), call);
  for (std::size_t at = 0; at < here.data.size(); ++at) {
    Tensor there = here;
    there.data[at] += 0.25;
    const Comparison found = compare(bias(), call, there, here, exact(here));
    EXPECT_EQ(found.worst.error, 0.25);
    EXPECT_EQ(found.at, at);
  }
  EXPECT_TRUE(compare(bias(), call, here, here, exact(here)).worst.holds());
}

TEST(Comparison, what_a_causal_mask_hides_does_not_matter) {
  const Call call = sequence(bias(true), {0, 1, 2});
  const Tensor here = answer(bias(true), call);
  for (std::size_t at = 0; at < here.data.size(); ++at) {
    Tensor there = here;
    there.data[at] = std::nan("");
    const bool hidden = at % 3 > at / 3 % 3;
    EXPECT_EQ(compare(bias(true), call, there, here, exact(here)).worst.holds(), hidden) << at;
  }
}

TEST(Comparison, a_constant_of_a_row_may_be_free) {
  const Call call = sequence(bias(), {0, 1, 2});
  const Tensor here = answer(bias(), call);
  Tensor there = here;
  for (double& value : there.row(4)) value += 8;  // of the second head's second query
  EXPECT_EQ(compare(bias(), call, there, here, exact(here)).worst.error, 8);
  EXPECT_TRUE(compare(bias(), call, there, here, exact(here), Freedom::constant_per_row).worst.holds());
  there.at(4, 0) += 1;
  const Residual off = compare(bias(), call, there, here, exact(here), Freedom::constant_per_row).worst;
  EXPECT_EQ(off.error, 1);
  EXPECT_FALSE(off.holds());
}

// A query on a grid has its own key where both numbers are its own: neither (0, 1) nor (1, 0) is (1, 1).
TEST(Comparison, on_a_grid_the_own_key_has_all_numbers_of_the_query) {
  Bias grid{.heads = 1};
  grid.positions.axes = 2;
  const Call call{.positions = {.whole = {1, 1}, .axes = 2},
                  .keys = {.whole = {0, 1, 1, 0, 1, 1}, .axes = 2}};
  const Tensor here({1, 1, 3}, {1, 2, 3});
  const auto worst = [&](const Tensor& there) {
    const Comparison found = compare(grid, call, there, here, exact(here), Freedom::constant_per_row);
    return std::pair(found.worst.error, found.at);
  };
  EXPECT_EQ(worst(Tensor({1, 1, 3}, {9, 10, 11})), std::pair(0.0, std::size_t{0}));
  EXPECT_EQ(worst(Tensor({1, 1, 3}, {9.5, 10, 11})), std::pair(0.5, std::size_t{0}));
  EXPECT_EQ(worst(Tensor({1, 1, 3}, {9, 10.25, 11})), std::pair(0.25, std::size_t{1}));
  EXPECT_TRUE(compare(grid, call, Tensor({1, 1, 3}, {9, 10, 11}), here, exact(here)).worst.error > 1);
}

TEST(Comparison, relative_to_the_own_key_the_errors_of_both_entries_count_and_of_the_difference) {
  const Call call = sequence(bias(), {0, 1, 2});
  const Tensor here = answer(bias(), call);
  Tensor there = here;
  there.at(4, 0) += 1;  // 110 - 111 becomes 111 - 111
  Bound quarter = exact(here);
  std::fill(quarter.error.data.begin(), quarter.error.data.end(), 0.25);
  const Comparison off = compare(bias(), call, there, here, quarter, Freedom::constant_per_row);
  EXPECT_EQ(off.worst.error, 1);
  EXPECT_EQ(off.worst.bound, 0.25 + 0.25 + unit_f64 * (0 + 1));
  EXPECT_EQ(off.at, 12u);
}

TEST(Comparison, nan_is_no_answer_but_to_whoever_listens) {
  const Call call = sequence(table(), {0});
  const Tensor nan({1, 3}, {0, std::nan(""), 2});
  EXPECT_FALSE(compare(table(), call, nan, nan, exact(nan)).worst.holds());
  std::size_t heard = 0;
  const auto listen = [&heard](const Residual&) { ++heard; };
  EXPECT_TRUE(compare(table(), call, nan, nan, exact(nan), Freedom::none, listen).worst.holds());
  EXPECT_EQ(heard, 3u);
}

TEST(Positions, of_several_axes_are_sliced_token_by_token) {
  Call call = sequence(testing_encodings::axial(), {});
  call.positions = {.whole = {1, 2, 3, 4, 5, 6}, .axes = 2};
  call.contents = {Tensor({1, 1, 3, 4}, {1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0})};
  expect_commutes(testing_encodings::axial(), call, Axis::token, {2, 0});
  EXPECT_EQ(
      take(testing_encodings::axial(), call, Axis::token, std::vector<std::size_t>{2, 0}).positions.whole,
      (std::vector<Position>{5, 6, 1, 2}));
}

// Two numbers that are exchanged show; past the end it goes on from the first position, and what is outside
// stays there.
TEST(Positions, of_a_sequence_on_a_grid_run_beside_its_diagonal) {
  Encoding grid = testing_encodings::axial();
  EXPECT_EQ(sequence(grid, {0, 1, 63, 64, 65, -1}).positions.whole,
            (std::vector<Position>{0, 3, 1, 4, 63, 1, 64, 2, 65, 65, -1, -1}));
  Domain domain = positions_of(grid);
  domain.last_on_axis = {64, 4};
  EXPECT_EQ(sequence(with_positions(grid, domain), {0, 1, 2}).positions.whole,
            (std::vector<Position>{0, 3, 1, 4, 2, 0}));
}

// No tokens, or no channels, are entries of an axis as well.
TEST(Positions, of_an_empty_answer_are_taken) {
  const Operand rows{"rows", {Axis::token, Axis::channel}};
  EXPECT_EQ(take(rows, Tensor({0, 4}), Axis::token, {}), Tensor({0, 4}));
  EXPECT_EQ(take(rows, Tensor({3, 0}), Axis::token, std::vector<std::size_t>{2, 0}), Tensor({2, 0}));
  EXPECT_THROW(take(rows, Tensor({0, 4}), Axis::token, std::vector<std::size_t>{0}), std::out_of_range);
}

TEST(Positions, end_on_each_axis_where_they_are_said_to) {
  Domain domain(2, 100, {2, 5, 90});
  domain.axes = 2;
  EXPECT_EQ(domain.last(1), 100);
  domain.last_on_axis = {100, 5};
  domain.ends = true;
  EXPECT_EQ(domain.last(0), 100);
  EXPECT_EQ(domain.last(1), 5);
  const Domain second = domain.on(1);
  EXPECT_EQ(second.lo, 2);
  EXPECT_EQ(second.hi, 5);
  EXPECT_EQ(second.hard, (std::vector<Position>{2, 5}));
  EXPECT_EQ(second.axes, 1u);
  EXPECT_TRUE(second.ends);
  EXPECT_EQ(domain.on(0).hard.size(), 3u);
  EXPECT_FALSE(second.real);
  domain.real = true;
  EXPECT_TRUE(domain.on(1).real);
}

TEST(Positions, end_with_the_last_whole_number_of_them) {
  EXPECT_EQ(last_of(TokenPositions{.whole = {3, 9, 4}}), 9);
  EXPECT_EQ(last_of(TokenPositions{.real = {0.5, 2.75, 1}}), 2);
  EXPECT_EQ(last_of(TokenPositions{.real = {-0.5}}), -1);
  EXPECT_EQ(last_of(TokenPositions{}), std::nullopt);
}

TEST(Positions, of_several_axes_have_the_error_of_the_axis_of_their_pair) {
  Call call = sequence(testing_encodings::axial(), {});
  call.positions = {.whole = {60, 0}, .axes = 2};
  call.contents = {Tensor({1, 1, 1, 4}, {1, 0, 1, 0})};
  const Bound found =
      bound(testing_encodings::axial(), call, answer(testing_encodings::axial(), call), all_f32);
  const auto declared = as<Rotary>(testing_encodings::axial());
  EXPECT_EQ(found.error.at(0, 0), rotated_error(declared, all_f32, 60, call.contents[0].row(0))[0]);
  EXPECT_EQ(found.error.at(0, 2), rotated_error(declared, all_f32, 0, call.contents[0].row(0))[2]);
  EXPECT_GT(found.error.at(0, 0), found.error.at(0, 2));
}

// Both columns of the second pair are at the second number.
TEST(Positions, of_several_axes_have_the_errors_of_a_row_at_the_axis_of_each_pair) {
  Table grid{.dim = 4, .pairs = as<Rotary>(testing_encodings::axial()).pairs};
  grid.positions.axes = 2;
  const Tensor row({1, 4}, {0.5, 0.5, 0.5, 0.5});
  const Call call{.positions = {.whole = {60, 7000}, .axes = 2}};
  const auto first = row_error(grid, all_f32, 60, row.row(0)),
             second = row_error(grid, all_f32, 7000, row.row(0));
  EXPECT_EQ(bound(grid, call, row, all_f32).error,
            Tensor({1, 4}, {first[0], first[1], second[2], second[3]}));
}

TEST(Positions, a_function_of_one_number_a_token_refuses_others) {
  const std::vector<Position> two = {1, 2};
  const std::vector<double> halves = {0.5};
  const auto rows = as<Table>(table()).rows;
  EXPECT_THROW(rows(Positions(std::span(two), 2), 3), Refusal);
  EXPECT_THROW(rows(Positions(std::span(halves)), 3), Refusal);
  EXPECT_EQ(rows(two, 3).rows(), 2u);
}

// Column, then row, of each token.
TEST(Arrangement, of_a_grid_in_blocks_and_of_two_grids) {
  const auto at = [](Arrangement::Kind kind, std::size_t columns, std::size_t tokens,
                     std::size_t axes_behind) {
    return Arrangement{kind, columns}.positions(tokens, 3, {3, 100}, axes_behind);
  };
  using Positions = std::vector<Position>;
  using enum Arrangement::Kind;
  EXPECT_EQ(at(blocks, 4, 12, 0), (Positions{3, 4, 3, 4, 5, 6, 5, 6, 3, 4, 3, 4}));
  EXPECT_EQ(at(blocks, 4, 12, 1), (Positions{3, 3, 4, 4, 3, 3, 4, 4, 5, 5, 6, 6}));
  EXPECT_EQ(at(blocks, 4, 12, 2), Positions(12, 3)) << "time stands still";
  EXPECT_EQ(at(two_grids, 2, 12, 0), (Positions{3, 4, 3, 4, 3, 4, 3, 4, 5, 3, 4, 5})) << "2 by 3, and 3 by 2";
  EXPECT_EQ(at(two_grids, 2, 12, 1), (Positions{3, 3, 4, 4, 5, 5, 3, 3, 3, 4, 4, 4}));
}

TEST(Arrangement, gives_the_positions_of_a_long_call) {
  using enum Arrangement::Kind;
  const auto at = [](Arrangement::Kind kind, std::size_t turn, Position first, const Domain& within) {
    return Arrangement{kind, turn}.positions(5, first, within);
  };
  using Places = std::vector<Position>;
  const Domain wide(0, 100);
  EXPECT_EQ(at(consecutive, 0, 7, wide), (Places{7, 8, 9, 10, 11}));
  EXPECT_EQ(at(left_padded, 2, 0, wide), (Places{0, 0, 0, 1, 2}));
  EXPECT_EQ(at(packed, 3, 0, wide), (Places{0, 1, 2, 0, 1}));
  EXPECT_EQ(at(spread, 0, 0, wide), (Places{0, 20, 40, 60, 80}));
  EXPECT_EQ(at(consecutive, 0, 3, Domain(2, 4)), (Places{3, 4, 2, 3, 4}));
}

// Every kind, every size: inside the domain, as many values as are allowed, and the text of the case short.
TEST(DrawCall, long_and_empty_calls_are_whole_calls) {
  Contextual logits{.dim = 3, .heads = 2};
  Attention attend{.dim = 4, .value_dim = 2};
  const Domain domain(3, 40);
  const std::vector<Encoding> kinds = {table(), rotary(), bias(), logits, attend};
  for (const Encoding& encoding : kinds)
    for (const std::int64_t n : {0, 1, 16, 33, 129}) {
      if (n == 0 && signature(encoding).mask) continue;
      Sized draw(n);
      const Call call = draw_call(encoding, domain, draw);
      const Shape shape = shape_of_answer(encoding, call);
      EXPECT_EQ(count(shape) == 0, n == 0) << kind(encoding);
      EXPECT_TRUE(std::find(shape.begin(), shape.end(), n) != shape.end()) << kind(encoding) << text(shape);
      for (const Position t : call.positions.whole) EXPECT_TRUE(t >= domain.lo && t <= domain.hi) << t;
      EXPECT_LE(draw.drawn().text().size(), 250u) << draw.drawn().text();
    }
}

// Of an operator as many channels as its values came with; without contents as many as it declares.
TEST(Call, has_the_channels_of_the_values_that_came) {
  const Attention attend{.dim = 4, .value_dim = 2};
  const Call narrow{.contents = {Tensor({3, 4}), Tensor({5, 4}), Tensor({5, 2})}},
      wide{.contents = {Tensor({3, 4}), Tensor({5, 4}), Tensor({5, 6})}};
  EXPECT_EQ(shape_of_answer(attend, narrow), (Shape{3, 2}));
  EXPECT_EQ(shape_of_answer(attend, wide), (Shape{3, 6}));
}

TEST(Call, keeps_of_every_content_and_of_real_positions_what_is_taken) {
  Call turned{.batch = 2, .contents = {Tensor({2, 1, 2, 1}, {1, 2, 3, 4})}};
  turned.positions.real = {0.5, 1.5, 2.5, 3.5};
  const Call second = take(Rotary{.dim = 1}, turned, Axis::token, std::array<std::size_t, 1>{1});
  EXPECT_EQ(second.positions.real, (std::vector<double>{1.5, 3.5}));
  EXPECT_EQ(second.contents.at(0), Tensor({2, 1, 1, 1}, {2, 4}));
  const Call whole{.contents = {Tensor({2, 1}, {1, 2}), Tensor({2, 1}, {3, 4}), Tensor({2, 1}, {5, 6})},
                   .mask = Tensor({2, 2}, {1, 0, 1, 1})};
  const Call keys =
      take(Attention{.dim = 1, .value_dim = 1}, whole, Axis::key, std::array<std::size_t, 1>{1});
  EXPECT_EQ(keys.contents.at(0), whole.contents.at(0));
  EXPECT_EQ(keys.contents.at(1), Tensor({1, 1}, {4}));
  EXPECT_EQ(keys.contents.at(2), Tensor({1, 1}, {6}));
  EXPECT_EQ(keys.mask, Tensor({2, 1}, {0, 1}));
}

TEST(Call, of_one_token_is_written_as_a_case_of_its_kind) {
  const Domain domain(2, 9);
  const auto words = [&](const Encoding& encoding, Role role) {
    return case_of(encoding, domain, 5, {1, 2}, role).text();
  };
  EXPECT_EQ(words(Table{.dim = 2}, Role::query), "rows=1 t=5 n=10");
  EXPECT_EQ(words(Rotary{.dim = 2}, Role::query), "batch=1 tokens=1 t=5 role=query x=[1,2]");
  EXPECT_EQ(words(Rotary{.dim = 2}, Role::key), "batch=1 tokens=1 t=5 role=key x=[1,2]");
  EXPECT_EQ(words(Bias{.heads = 1}, Role::query), "nq=1 nk=1 i=5 j=2");
  EXPECT_EQ(words(Contextual{.dim = 2}, Role::query), "nq=1 nk=1 i=5 j=2 q=[1,2] k=[1,2]");
}

TEST(Call, of_a_sequence_is_as_long_as_its_last_position_needs) {
  const Call rows = sequence(Table{.dim = 2}, {3, 7, 5}, nullptr, 1);
  EXPECT_EQ(rows.length, 8);
  EXPECT_TRUE(rows.keys.whole.empty());
  EXPECT_EQ(sequence(Table{.dim = 2}, {}, nullptr, 1).length, 0);
  EXPECT_EQ(sequence(Bias{.heads = 1}, {3, 7}, nullptr, 1).keys.whole, (std::vector<Position>{3, 7}));
}

}  // namespace
}  // namespace posproof::call_test
