#include "diagnosis/exchanged_positions.h"

#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include "core/call.h"
#include "run/catalogued.h"

namespace posproof::exchanged_positions_test {
namespace {

using Other = std::function<Position(Position t)>;

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
  EXPECT_EQ(said("sinusoidal", "dim=8", 63, [](Position t) { return t * t % 61; }), Sentences{});
}

}  // namespace
}  // namespace posproof::exchanged_positions_test
