#include "run/declined.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "core/call.h"
#include "run/catalogued.h"

namespace posproof {
namespace {

// Declines every position from `end` on, and all of its domain from there.
Encoding ending(Position end, std::size_t tokens_at_most = 1000) {
  const EncodingSpec& spec = encoding_named("sinusoidal");
  auto table = std::get<Table>(spec.make(with(spec, Case::parse("dim=4"))));
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

TEST(Declined, what_lies_outside_the_domain_may_be_declined) {
  Encoding subject = ending(100);
  Domain domain(0, 99);
  domain.ends = true;
  subject = with_positions(subject, domain);
  EXPECT_EQ(declined_of(subject, {{100}, {5, 4000}, {99}}), "");
}

}  // namespace
}  // namespace posproof
