#include "diagnosis/exchanged_positions.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "core/call.h"
#include "core/function.h"
#include "run/catalogued.h"

namespace posproof::exchanged_positions_test {
namespace {

using Other = Function<Position(Position t)>;

// What is said of a table or a rotation in which another position stands for each, of so many.
std::vector<std::string> said(const std::string& family, const std::string& words, Position last,
                              const Other& of, double off = 0) {
  const EncodingSpec& spec = encoding_named(family);
  const Parameters parameters = with(spec, Case::parse(words));
  Domain domain{0, last};
  domain.ends = true;
  const Encoding declared = with_positions(spec.oracle(parameters), domain);
  Parameters from_row_0 = parameters;  // of a table that begins behind others
  const Position before = family == "rope" ? 0 : static_cast<Position>(parameters.real("offset"));
  if (family != "rope") from_row_0.set("offset", 0.0);
  const Encoding right = spec.oracle(from_row_0);
  const Encoding subject = answered_by(declared, [=](const Call& call) {
    Call there = call;
    for (Position& t : there.positions.whole) t = of(t) + before;
    Tensor out = answer(right, there);
    for (double& entry : out.data) entry += off;
    return out;
  });
  const auto one = exchanged_positions(subject, declared, spec, parameters, all_f32);
  if (!one) return {};
  Call call;  // what is corrected answers as the subject does
  for (Position t = 0; t <= last; ++t) call.positions.whole.push_back(t);
  if (std::holds_alternative<Rotary>(declared)) {
    call.contents = {Tensor({1, 1, call.positions.whole.size(), 8})};
    for (std::size_t e = 0; e < call.contents[0].data.size(); ++e) call.contents[0].data[e] = 1;
  }
  EXPECT_EQ(answer(one->corrected, call).data, answer(subject, call).data);  // of one oracle, both
  return one->sentences;
}

using Sentences = std::vector<std::string>;

TEST(ExchangedPositions, name_a_few_by_number) {
  const Other one = [](Position t) { return t == 33 ? 32 : t; };
  EXPECT_EQ(said("rope", "dim=8", 63, one), (Sentences{"position 33 has the rotation of position 32"}));
  EXPECT_EQ(said("sinusoidal", "dim=8", 63, one), (Sentences{"position 33 has the row of position 32"}));
  EXPECT_EQ(said("learned", "dim=8 length=64 table=seeded", 63,
                 [](Position t) { return t == 7    ? 50
                                         : t == 50 ? 7
                                                   : t; }),
            (Sentences{"position 7 has the row of position 50", "position 50 has the row of position 7"}));
}

TEST(ExchangedPositions, name_what_is_so_from_a_position_on) {
  EXPECT_EQ(said("rope", "dim=8", 63, [](Position t) { return t >= 20 ? t - 3 : t; }),
            (Sentences{"each position has the rotation of the one 3 before it, from position 20 on"}));
  EXPECT_EQ(said("sinusoidal", "dim=8", 63, [](Position t) { return t >= 20 && t < 40 ? t + 2 : t; }),
            (Sentences{"each position has the row of the one 2 after it, from position 20 to 39"}));
  EXPECT_EQ(said("learned", "dim=8 length=64 table=seeded", 63, [](Position t) { return 63 - t; }),
            (Sentences{"rows are counted back: position t has that of position 63 - t"}));
  EXPECT_EQ(
      said("learned", "dim=8 length=64 table=seeded", 63, [](Position t) { return t >= 33 ? 96 - t : t; }),
      (Sentences{"rows are counted back: position t has that of position 96 - t, from position 33 on"}));
}

TEST(ExchangedPositions, name_blocks_that_are_alike) {
  EXPECT_EQ(
      said("rope", "dim=8", 255, [](Position t) { return t / 32 * 32 + (t + 16) % 32; }),
      (Sentences{"of every 32 positions, 0 to 15 have the rotation of those 16 after them, 16 to 31 have "
                 "the rotation of those 16 before them"}));
  EXPECT_EQ(
      said("learned", "dim=8 length=64 table=seeded", 63,
           [](Position t) { return t % 4 == 1   ? t + 1
                                   : t % 4 == 2 ? t - 1
                                                : t; }),
      (Sentences{"of every 4 positions, 1 has the row of the one 1 after it, 2 has the row of the one 1 "
                 "before it"}));
}

TEST(ExchangedPositions, name_the_first_of_those_that_have_no_rule) {
  EXPECT_EQ(said("sinusoidal", "dim=8", 63, [](Position t) { return t * t % 61; }),
            Sentences{"62 positions have the row of others: 2 that of 4, 3 that of 9, 4 that of 16, .."});
}

TEST(ExchangedPositions, are_of_queries_or_of_keys) {
  const EncodingSpec& spec = encoding_named("rope");
  const Parameters parameters = with(spec, Case::parse("dim=8"));
  const Encoding declared = with_positions(spec.oracle(parameters), Domain(0, 255));
  const auto of = [&](const Other& queries, const Other& keys) {
    const Encoding subject = answered_by(declared, [=](const Call& call) {
      Call there = call;
      for (Position& t : there.positions.whole) t = call.role == Role::key ? keys(t) : queries(t);
      return answer(declared, there);
    });
    const auto one = exchanged_positions(subject, declared, spec, parameters, all_f32);
    if (!one) return Sentences{};
    for (const Role role : {Role::query, Role::key}) {
      Call call{.positions = {.whole = {3, 33, 34}}, .role = role};
      call.contents = {Tensor({1, 1, 3, 8}, std::vector<double>(24, 1.0))};
      EXPECT_EQ(answer(one->corrected, call).data, answer(subject, call).data);
    }
    return one->sentences;
  };
  const Other right = [](Position t) { return t; }, late = [](Position t) { return t >= 20 ? t - 3 : t; },
              one = [](Position t) { return t == 33 ? 32 : t; };
  const std::string words = "each position has the rotation of the one 3 before it, from position 20 on";
  EXPECT_EQ(of(late, late), Sentences{words});
  EXPECT_EQ(of(late, right), Sentences{"queries: " + words});
  EXPECT_EQ(of(right, late), Sentences{"keys: " + words});
  EXPECT_EQ(of(right, one), Sentences{"keys: position 33 has the rotation of position 32"});
  EXPECT_EQ(of(one, late), Sentences{});
}

// Of a table that begins behind two rows.
TEST(ExchangedPositions, reach_rows_before_the_first_position) {
  EXPECT_EQ(said("sinusoidal", "dim=8 offset=2", 40, [](Position t) { return t >= 20 ? t - 2 : t; }),
            (Sentences{"each position has the row of the one 2 before it, from position 20 on"}));
  EXPECT_EQ(said("learned", "dim=8 length=66 table=seeded offset=2", 63, [](Position t) { return 61 - t; }),
            (Sentences{"rows are counted back: position t has that of position 61 - t"}));
  EXPECT_EQ(said("sinusoidal", "dim=8 offset=2", 40, [](Position t) { return 38 - t; }),
            (Sentences{"rows are counted back: position t has that of position 38 - t"}));
}

TEST(ExchangedPositions, say_nothing_of_right_rows_of_rows_of_no_position_and_of_no_rule) {
  EXPECT_EQ(said("sinusoidal", "dim=8", 63, [](Position t) { return t; }), Sentences{});
  EXPECT_EQ(said(
                "sinusoidal", "dim=8", 63, [](Position t) { return t == 33 ? 32 : t; }, 0.125),
            Sentences{});
  const auto of_many = [](Position last, const Other& of) { return said("rope", "dim=8", last, of); };
  // A few of them say no rule: not all positions are asked for.
  EXPECT_EQ(of_many(8192, [](Position t) { return t < 61 ? t * t % 61 : t; }), Sentences{});
  // Three blocks show no rule of blocks, and five runs say none.
  EXPECT_EQ(
      of_many(47, [](Position t) { return t / 16 * 16 + (t + 8) % 16; }),
      Sentences{"48 positions have the rotation of others: 0 that of 8, 1 that of 9, 2 that of 10, .."});
  EXPECT_EQ(of_many(8199, [](Position t) { return t / 10 * 10 + 9 - t % 10; }), Sentences{});
}

TEST(ExchangedPositions, name_blocks_of_which_four_are_seen) {
  EXPECT_EQ(
      said("learned", "dim=8 length=64 table=seeded", 63,
           [](Position t) { return t / 16 * 16 + (t + 8) % 16; }),
      (Sentences{"of every 16 positions, 0 to 7 have the row of those 8 after them, 8 to 15 have the row "
                 "of those 8 before them"}));
}

// The middle of an even sum alone is its own.
TEST(ExchangedPositions, are_not_counted_back_where_another_than_the_middle_is_right) {
  EXPECT_EQ(
      said("learned", "dim=8 length=64 table=seeded", 63, [](Position t) { return t == 10 ? t : 63 - t; }),
      (Sentences{"63 positions have the row of others: 0 that of 63, 1 that of 62, 2 that of 61, .."}));
}

}  // namespace
}  // namespace posproof::exchanged_positions_test
