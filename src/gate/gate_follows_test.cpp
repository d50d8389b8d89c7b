// Which refutations the gate takes for findings of their own, where it says that an answer is wrong, and what
// it tells while it runs.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "core/call.h"
#include "core/function.h"
#include "gate/gate.h"
#include "gate/history.h"
#include "run/agreement.h"
#include "run/catalogued.h"

namespace posproof::gate_follows_test {
namespace {

using Texts = std::vector<std::string>;
using Answering = Function<Tensor(const Encoding& right, const Call& call)>;

const EncodingSpec& rope() {
  return encoding_named("rope");
}
const Parameters& parameters() {
  static const Parameters all = with(rope(), Case::parse("dim=4 heads=2"));
  return all;
}

GateResult gated(const Answering& answering, GateOptions options = {}, bool ends = false) {
  options.budget.cases = 60;
  return gate(
      "rope", rope(), parameters(),
      [&](const Expected&) {
        Encoding right = rope().make(parameters());
        Domain domain(0, 4095);
        domain.ends = ends;
        if (ends) right = with_positions(right, domain);
        return Subject{"made", "",
                       answered_by(right, [=](const Call& call) { return answering(right, call); }), all_f64};
      },
      options);
}

// Positions past 100 are taken for 100.
Tensor clamped(const Encoding& right, const Call& call) {
  Call other = call;
  for (Position& t : other.positions.whole) t = std::min<Position>(t, 100);
  return answer(right, other);
}

Texts refuted(const GateResult& found, std::string_view from) {
  Texts out;
  for (const PropertyResult& one : found.results)
    if (std::holds_alternative<Refuted>(one.verdict) && one.follows_from == from) out.push_back(one.id);
  return out;
}

TEST(GateFollows, what_is_wrong_by_wrong_answers_alone_follows_from_agreement) {
  const GateResult found = gated(&clamped);
  EXPECT_EQ(refuted(found, ""), (Texts{"agrees_with_its_oracle"}));
  const Texts following = refuted(found, agreement_id);
  EXPECT_GT(following.size(), 2u);
  EXPECT_NE(std::ranges::find(following, "rotary/composes"), following.end());
  for (const PropertyResult& one : found.results) {
    const auto* refuted = std::get_if<Refuted>(&one.verdict);
    EXPECT_EQ(one.wrong != nullptr, refuted != nullptr) << one.id;
    if (refuted == nullptr) continue;
    ASSERT_TRUE(refuted->place) << one.id;
    EXPECT_GT(refuted->place->position.at(0), 100) << "the answer that is wrong, not the first: " << one.id;
    EXPECT_FALSE(refuted->place->off.holds());
    EXPECT_EQ(refuted->place->off.error, one.wrong->place->off.error);
  }
}

// It also answers where it says that it refuses.
TEST(GateFollows, what_else_is_wrong_is_a_finding_of_its_own) {
  const GateResult found = gated(&clamped, {}, true);
  const Texts own = refuted(found, "");
  EXPECT_EQ(own, (Texts{"agrees_with_its_oracle", "call/refuses_out_of_range"}));
  EXPECT_GT(refuted(found, agreement_id).size(), 2u);
}

TEST(GateFollows, nothing_follows_from_an_agreement_that_was_not_asked) {
  const GateResult found = gated(&clamped, {.filter = "rotary/"});
  EXPECT_EQ(refuted(found, agreement_id), Texts());
  EXPECT_GT(refuted(found, "").size(), 1u);
}

TEST(GateFollows, nothing_is_said_of_what_holds) {
  const GateResult found = gated([](const Encoding& right, const Call& call) { return answer(right, call); });
  EXPECT_FALSE(found.refuted());
  EXPECT_EQ(found.interrupted, "");
  for (const PropertyResult& one : found.results) {
    EXPECT_EQ(one.follows_from, "");
    EXPECT_EQ(one.wrong, nullptr);
  }
}

TEST(GateTells, of_each_property_before_it_and_behind_it_and_of_every_call) {
  Texts begun, ended;
  std::set<std::size_t> of;
  std::uint64_t calls = 0, answered = 0;
  const GateResult found = gated(
      [&](const Encoding& right, const Call& call) {
        ++answered;
        return clamped(right, call);
      },
      {.filter = {},
       .progress =
           [&](std::string_view id, std::size_t number, std::size_t all) {
             begun.emplace_back(id);
             of.insert(all);
             EXPECT_EQ(number, std::min(begun.size(), all));
           },
       .ended = [&](const PropertyResult& one) { ended.push_back(one.id); },
       .called = [&] { ++calls; }});
  Texts ids;
  for (const PropertyResult& one : found.results) ids.push_back(one.id);
  EXPECT_EQ(ended, ids);
  EXPECT_EQ(calls, answered);
  EXPECT_GT(calls, 1000u);
  ASSERT_GE(begun.size(), 2u);
  EXPECT_EQ(begun.front(), agreement_id);
  EXPECT_EQ(begun[begun.size() - 2], "the same bits in every call");
  EXPECT_EQ(begun.back(), "what explains it");
  EXPECT_EQ(of, (std::set<std::size_t>{found.results.size() + found.skipped.size()}))
      << "each that is asked, also what comes to nothing";
}

}  // namespace
}  // namespace posproof::gate_follows_test
