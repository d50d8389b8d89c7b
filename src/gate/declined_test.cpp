#include "gate/declined.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "core/call.h"
#include "run/catalogued.h"

namespace posproof::declined_test {
namespace {

// Declines every position from `end` on, and all of its domain from there.
Encoding ending(Position end, std::size_t tokens_at_most = 1000) {
  const EncodingSpec& spec = encoding_named("sinusoidal");
  auto table = spec.make<Table>(with(spec, Case::parse("dim=4")));
  table.rows = [=, rows = table.rows](const Positions& positions, Position length) {
    if (positions.size() > tokens_at_most) throw Refusal("too many tokens");
    for (std::size_t n = 0; n < positions.size(); ++n)
      if (positions.flat()[n] >= end) throw Refusal("index out of range");
    return rows(positions, length);
  };
  return table;
}

std::string declined_of(Encoding subject, const std::vector<std::vector<Position>>& calls) {
  const auto declined = std::make_shared<Declined>();
  const Encoding counting = counting_declined(std::move(subject), declined);
  for (const auto& positions : calls) {
    try {
      answer(counting, sequence(counting, positions));
    } catch (const Refusal&) {
    }
  }
  return in_words(counting, *declined);
}

TEST(Declined, nothing_is_said_where_all_was_answered) {
  EXPECT_EQ(declined_of(ending(1000), {{0, 1}, {999}}), "");
}

TEST(Declined, says_from_where_on_and_how_to_declare_it) {
  for (const Position end : {1, 2, 100, 2048}) {
    const std::string words = declined_of(ending(end), {{0}, {5000}, {4000, 3}, {900000}});
    EXPECT_NE(words.find(fmt::format(
                  "from position {} on; if it ends there, declare domain=(0, {}), ends=True", end, end - 1)),
              std::string::npos)
        << words;
    EXPECT_EQ(words.rfind("3 calls inside the domain 0 to 1048576 were declined", 0), 0u) << words;
    EXPECT_NE(words.find("(index out of range)"), std::string::npos) << words;
  }
}

TEST(Declined, suggests_no_end_where_the_position_is_not_the_reason) {
  const std::string words = declined_of(ending(1 << 30, 2), {{0, 1, 2}});
  EXPECT_EQ(words.find("domain=("), std::string::npos) << words;
  EXPECT_NE(words.find("(too many tokens)"), std::string::npos) << words;
  EXPECT_EQ(declined_of(ending(0), {{0}}).find("domain=("), std::string::npos)
      << "it declines its first position";
}

// The farthest position of a bias may be a key's.
TEST(Declined, says_from_which_key_on) {
  const EncodingSpec& spec = encoding_named("alibi");
  auto bias = spec.make<Bias>(with(spec, Case::parse("heads=2")));
  bias.bias = [entries = bias.bias](const Positions& queries, const Positions& keys) {
    for (std::size_t n = 0; n < keys.size(); ++n)
      if (keys[n] >= 100) throw Refusal("no such key");
    return entries(queries, keys);
  };
  const auto declined = std::make_shared<Declined>();
  const Encoding counting = counting_declined(bias, declined);
  Call call = sequence(bias, {0});
  call.keys.whole = {5000};
  EXPECT_THROW(answer(counting, call), Refusal);
  EXPECT_EQ(declined->first, Position{5000});
  EXPECT_NE(in_words(counting, *declined).find("from position 100 on"), std::string::npos);
}

// Row 2 of a window of 2 rows and 3 columns is outside, though column 2 is not.
TEST(Declined, counts_what_is_inside_on_every_axis) {
  Table window{.dim = 1};
  window.positions.axes = 2, window.positions.hi = 2, window.positions.last_on_axis = {1, 2};
  window.rows = [](const Positions&, Position) -> Tensor { throw Refusal("no"); };
  for (const auto& [at, calls] :
       {std::pair<std::vector<Position>, int>{{1, 2}, 1}, {{2, 0}, 0}, {{0, 3}, 0}}) {
    const auto declined = std::make_shared<Declined>();
    Call call = sequence(window, {0});
    call.positions.whole = at;
    EXPECT_THROW(answer(counting_declined(window, declined), call), Refusal);
    EXPECT_EQ(declined->calls, calls) << at[0] << ", " << at[1];
  }
}

// The smallest of the farthest positions of declined calls is where the end is sought.
TEST(Declined, keeps_the_nearest_of_the_farthest_positions_and_its_reason) {
  const auto declined = std::make_shared<Declined>();
  const EncodingSpec& spec = encoding_named("sinusoidal");
  auto table = spec.make<Table>(with(spec, Case::parse("dim=4")));
  table.rows = [](const Positions& positions, Position) -> Tensor {
    throw Refusal(fmt::format("no {}", positions.flat().front()));
  };
  const Encoding counting = counting_declined(table, declined);
  for (const std::vector<Position>& at : {std::vector<Position>{700, 3}, {2, 500}, {900}, {600}, {500, 1}})
    EXPECT_THROW(answer(counting, sequence(counting, at)), Refusal);
  EXPECT_EQ(declined->calls, 5u);
  EXPECT_EQ(declined->first, 500);
  EXPECT_EQ(declined->reason, "no 2");
}

TEST(Declined, what_lies_outside_the_domain_may_be_declined) {
  Encoding subject = ending(100);
  Domain domain(0, 99);
  domain.ends = true;
  subject = with_positions(subject, domain);
  EXPECT_EQ(declined_of(subject, {{100}, {5, 4000}, {99}}), "");
  EXPECT_EQ(declined_of(with_positions(ending(50), Domain(10, 99)), {{9, 60}, {100}}), "");
}

}  // namespace
}  // namespace posproof::declined_test
