// Biases, pair by pair as a mask shows them, and rotations, as both basis vectors tell them: right and wrong
// by little, with every entry compared.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <limits>
#include <numeric>

#include "core/call.h"
#include "core/failure.h"
#include "run/narrowed.h"
#include "run/testing/accuracy.h"

namespace posproof::accuracy_of_kinds_test {
namespace {

using testing::of_file;
using testing::python;
using testing::Setting;
using testing::Written;

constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

TEST(Accuracy, of_a_bias_compares_every_pair_that_a_mask_shows) {
  const Setting alibi{"alibi", "heads=4"};
  std::vector<Position> at;
  for (Position t = 0; t < 40; ++t) at.push_back(t);
  Tensor values = as<Bias>(alibi.truth()).bias(at, at);
  values.at(0, 39) = not_a_number;  // key 39 after query 0: hidden
  const Accuracy right = of_file(alibi, values, false);
  EXPECT_EQ(right.wrong, 0u);
  EXPECT_FALSE(right.of_angles);
  EXPECT_TRUE(right.hides_later_keys);
  EXPECT_EQ(right.rows, 40u);
  EXPECT_EQ(right.entries, 4u * 40u * 41u / 2u);
  EXPECT_FALSE(right.beyond);
  values.at(2 * 40 + 30, 11) *= 1.001;
  const Accuracy found = of_file(alibi, values, false);
  EXPECT_EQ(found.wrong, 1u);
  ASSERT_TRUE(found.beyond);
  EXPECT_EQ(found.beyond->at.column, 2u * 40u + 11u);
  EXPECT_EQ(found.beyond->again.text(), "nq=1 nk=1 i=30 j=11");
}

// Its buckets are for the keys after the query, where a causal mask would hide them all.
TEST(Accuracy, of_a_one_sided_bias_compares_the_side_that_has_the_buckets) {
  const Setting setting{"t5_bias", "heads=1 direction=unidirectional relative=query_minus_key"};
  const std::vector<Position> at = {0, 1, 2, 3};
  Tensor values = as<Bias>(setting.truth()).bias(at, at);
  const Accuracy right = of_file(setting, values, true);
  EXPECT_EQ(right.entries, 16u);
  EXPECT_FALSE(right.hides_later_keys);
  EXPECT_EQ(right.wrong, 0u);
  values.at(0, 3) = 2;  // the bucket of two keys on, not of three
  const Accuracy found = of_file(setting, values, true);
  ASSERT_TRUE(found.beyond);
  EXPECT_EQ(found.beyond->again.text(), "nq=1 nk=1 i=0 j=3");
}

// The slope's double is half way between two numbers of f32.
TEST(Accuracy, of_a_bias_is_judged_by_entries_rounded_once) {
  const Setting trap{"alibi", "heads=1 max_bias=0.99999991400867705"};
  const std::vector<Position> at = {0, 1};
  Tensor values = as<Bias>(trap.truth()).bias(at, at);
  for (double& value : values.data) value = nearest(Format::f32, value);
  const Accuracy twice = of_file(trap, values, true);
  EXPECT_EQ(twice.wrong, 1u);
  EXPECT_EQ(twice.ulp_at.position, 1);
  EXPECT_EQ(twice.ulp_at.column, 0u);
  EXPECT_FALSE(twice.beyond);
  values.at(1, 0) = -0x1.000002p-1;
  EXPECT_EQ(of_file(trap, values, true).wrong, 0u);
}

// In bf16 257 is half way between 256 and 258, and 259 between 258 and 260: ties go to the even one.
TEST(Accuracy, of_a_bias_rounds_ties_to_even) {
  const Setting alibi{"alibi", "heads=1"};
  std::vector<Position> at;
  for (Position t = 0; t < 262; ++t) at.push_back(t);
  Tensor values = as<Bias>(alibi.truth()).bias(at, at);
  for (double& value : values.data) value = nearest(Format::bf16, value);
  EXPECT_EQ(values.at(257, 0), -1);
  EXPECT_EQ(values.at(259, 0), -260.0 / 256);
  EXPECT_EQ(of_file(alibi, values, true, "@bf16").wrong, 0u);
  values.at(257, 0) = values.at(259, 0) = -258.0 / 256;
  const Accuracy odd = of_file(alibi, values, true, "@bf16");
  EXPECT_EQ(odd.wrong, 2u);
  EXPECT_EQ(odd.ulp, 0.5);
  EXPECT_EQ(odd.ulp_at.position, 257);
  EXPECT_FALSE(odd.beyond);
}

TEST(Accuracy, of_a_bias_finds_every_single_wrong_entry_where_it_is) {
  for (const Setting& setting : {Setting{"alibi", "heads=3"},
                                 {"alibi", "heads=3 form=symmetric"},
                                 {"alibi", "heads=3 rows=key_index"},
                                 {"t5_bias", "heads=3 table=seeded"}}) {
    const auto truth = as<Bias>(setting.truth());
    std::vector<Position> at;
    for (Position t = 0; t < 50; ++t) at.push_back(t);
    Tensor right = truth.bias(at, at);
    for (double& value : right.data) value = nearest(Format::f32, value);
    EXPECT_EQ(of_file(setting, right, true).wrong, 0u) << setting.parameters;
    for (const auto& [head, query, key] :
         {std::array{0u, 49u, 0u}, {1u, 1u, 1u}, {2u, 49u, 48u}, {2u, 30u, 7u}}) {
      Tensor values = right;
      double& planted = values.at(head * 50 + query, key);
      planted = static_cast<double>(std::nextafter(static_cast<float>(planted), 2e9f));
      const Accuracy found = of_file(setting, values, true);
      EXPECT_EQ(found.wrong, 1u) << setting.parameters << " " << head << " " << query << " " << key;
      EXPECT_EQ(found.ulp_at.position, query);
      EXPECT_EQ(found.ulp_at.column, head * 50 + key);
    }
  }
}

Accuracy of_variant(const std::string& name, const std::string& parameters,
                    const AccuracyOptions& options = {}) {
  const Setting setting{"rope", parameters};
  return accuracy(setting.truth(), setting.open(python("src/subject/testing/variants.py", name)), options);
}

TEST(Accuracy, of_a_live_rotary_asks_both_basis_vectors_and_every_head) {
  const AccuracyOptions some{.positions = std::pair{Position{0}, Position{1199}}};
  const Accuracy right = of_variant("half_split", "dim=8 heads=2", some);
  EXPECT_EQ(right.rows, 1200u);
  EXPECT_EQ(right.entries, 2u * 1200u * 8u);  // the heads answer alike
  EXPECT_EQ(right.format, Format::f32);
  EXPECT_GT(right.wrong, 0u);
  EXPECT_FALSE(right.beyond) << right.beyond->again.text();

  const Accuracy head = of_variant("last_head", "dim=8 heads=3", some);
  ASSERT_TRUE(head.beyond);
  EXPECT_EQ(head.beyond->at.position, 700);
  EXPECT_EQ(head.entries, 2u * 1200u * 8u + 2u * 1024u * 8u);

  const Accuracy keys = of_variant("keys_are_not_rotated", "dim=8", some);
  ASSERT_TRUE(keys.beyond);
  EXPECT_EQ(keys.beyond->at.position, 1);
  EXPECT_EQ(keys.beyond->again.word("role"), "key");
}

// What says nothing of its end is asked for 4096 positions.
TEST(Accuracy, of_a_live_subject_is_of_as_many_positions_as_it_says) {
  const Setting table{"sinusoidal", "dim=2"};
  const Encoding right = table.spec().make(table.all());
  const auto rows = [&](const Encoding& encoding) {
    return accuracy(table.truth(), Subject{"made", "", encoding, all_f64}, {}).rows;
  };
  EXPECT_EQ(rows(right), 4096u);
  EXPECT_EQ(rows(narrowed(right, 0, 5999)), 6000u);
}

// Queries are one basis vector and keys the other: of both the first position.
TEST(Accuracy, of_a_rotary_finds_the_first_that_is_wrong_in_either_basis_vector) {
  const Setting rope{"rope", "dim=4"};
  const Encoding right = rope.spec().make(rope.all());
  for (const auto& [of_queries, of_keys] : {std::pair<Position, Position>{50, 10}, {10, 50}}) {
    const Encoding wrong = answered_by(right, [&, queries = of_queries, keys = of_keys](const Call& call) {
      Tensor out = answer(right, call);
      for (std::size_t r = 0; r < out.rows(); ++r)
        if (call.positions.whole[r] == (call.role == Role::key ? keys : queries)) out.at(r, 0) += 1;
      return out;
    });
    const Accuracy found = accuracy(rope.truth(), Subject{"made", "", wrong, all_f64},
                                    {.positions = std::pair{Position{0}, Position{99}}});
    ASSERT_TRUE(found.beyond);
    EXPECT_EQ(found.beyond->at.position, 10);
    EXPECT_EQ(found.beyond->again.word("role"), of_keys == 10 ? "key" : "query");
  }
}

TEST(Accuracy, of_a_rotary_sees_its_tail) {
  const AccuracyOptions some{.positions = std::pair{Position{0}, Position{99}}};
  EXPECT_FALSE(of_variant("half_split", "dim=8", some).beyond);
  const Setting partial{"rope", "dim=8 rotary_dim=4"};
  Encoding made = partial.spec().make(partial.all());
  auto& rotary = as<Rotary>(made);
  rotary.rotate = [rotate = rotary.rotate](const Tensor& x, std::span<const Position> positions, Role role) {
    Tensor out = rotate(x, positions, role);
    for (std::size_t r = 0; r < out.rows(); ++r)
      if (positions[r] == 60) out.at(r, 7) = 0;
    return out;
  };
  const Accuracy found = accuracy(partial.truth(), {"rope", "", made, all_f64, true}, some);
  ASSERT_TRUE(found.beyond);
  EXPECT_EQ(found.beyond->at.position, 60);
  EXPECT_EQ(found.beyond->at.column, 7u);
}

// Behind it stand others of which nothing is allowed either, and nothing is wrong.
TEST(Accuracy, of_a_rotary_sees_a_channel_before_others_of_its_tail) {
  const Setting partial{"rope", "dim=8 rotary_dim=4"};
  for (const std::size_t channel : {4u, 5u, 7u}) {
    const Encoding made = answered_by(narrowed(partial.truth(), 0, 99), [&](const Call& call) {
      Tensor out = answer(partial.truth(), call);
      for (std::size_t r = 0; r < out.rows(); ++r)
        if (call.positions.whole[r] == 60) out.at(r, channel) += 1e-9;
      return out;
    });
    const Accuracy found = accuracy(partial.truth(), {"rope", "", made, all_f64, true});
    ASSERT_TRUE(found.beyond) << channel;
    EXPECT_EQ(found.beyond->at.position, 60);
    EXPECT_EQ(found.beyond->at.column, channel);
  }
}

// Of what becomes of (0, 1) the cosine stands in the second channel.
TEST(Accuracy, of_a_rotary_tells_the_channel_of_the_answer) {
  const Setting setting{"rope", "dim=4"};
  for (const auto& [role, channel] :
       {std::pair{Role::key, 3u}, {Role::key, 1u}, {Role::query, 1u}, {Role::query, 2u}}) {
    Encoding made = narrowed(setting.truth(), 0, 99);
    auto& rotary = as<Rotary>(made);
    rotary.rotate = [right = rotary.rotate, role = role, channel = channel](const Tensor& x,
                                                                            const Positions& at, Role asked) {
      Tensor out = right(x, at, asked);
      for (std::size_t r = 0; r < out.rows(); ++r)
        if (at[r] == 60 && asked == role) out.at(r, channel) += 0.01;
      return out;
    };
    const Accuracy found = accuracy(setting.truth(), {"rope", "", made, all_f64, true});
    ASSERT_TRUE(found.beyond && found.largest_at);
    EXPECT_EQ(found.beyond->at.column, channel);
    EXPECT_EQ(found.largest_at->column, channel);
    EXPECT_EQ(found.ulp_at.column, channel);
    EXPECT_EQ(found.wrong, 1u);
  }
}

// Nobody asked for all of them.
TEST(Accuracy, of_a_live_bias_is_of_its_first_positions_and_says_no_more) {
  const Setting alibi{"alibi", "heads=1"};
  const Accuracy found =
      accuracy(alibi.truth(), Subject{"made", "", alibi.spec().make(alibi.all()), all_f64});
  EXPECT_EQ(found.last, 1023);
  EXPECT_EQ(found.stopped, "");
}

}  // namespace
}  // namespace posproof::accuracy_of_kinds_test
