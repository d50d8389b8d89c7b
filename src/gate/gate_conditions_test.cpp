// Which claims the gate asks of a subject, and what counts as a problem.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <set>
#include <utility>

#include "core/formats.h"
#include "core/function.h"
#include "gate/backward.h"
#include "gate/history.h"
#include "gate/testing/gated.h"
#include "run/agreement.h"

namespace posproof::gate_conditions_test {
namespace {

using namespace gated;

GateResult of_verdicts(std::vector<Verdict> verdicts) {
  GateResult out = Gated{"raw_index", "dim=1"}(1, "no property");
  out.not_checked.clear();
  for (Verdict& one : verdicts) out.results.push_back({"id", nullptr, std::move(one)});
  return out;
}

const Verdict held = Holds{1, 0, {}, {}}, fails = Refuted{{}, {}, 1, 0}, undecided = Undecided{"why"},
              errored = Errored{"what", {}}, none = NotApplicable{"none"};

TEST(GateResult, is_refuted_by_any_and_undecided_by_any_that_neither_held_nor_was_refuted) {
  EXPECT_FALSE(of_verdicts({}).refuted() || of_verdicts({}).undecided());
  EXPECT_FALSE(of_verdicts({held}).refuted() || of_verdicts({held}).undecided());
  EXPECT_TRUE(of_verdicts({fails, held}).refuted());
  EXPECT_TRUE(of_verdicts({held, fails}).refuted());
  EXPECT_FALSE(of_verdicts({held, fails}).undecided());
  for (const Verdict& one : {undecided, errored, none}) {
    EXPECT_TRUE(of_verdicts({one, held}).undecided()) << name(one);
    EXPECT_TRUE(of_verdicts({held, one}).undecided()) << name(one);
    EXPECT_FALSE(of_verdicts({held, one}).refuted()) << name(one);
  }
  GateResult unchecked = of_verdicts({held});
  unchecked.not_checked.push_back("some positions");
  EXPECT_TRUE(unchecked.undecided());
  EXPECT_FALSE(unchecked.refuted());
}

// Every encoding passes its own gate, in settings in which some of its claims are not made.
TEST(GateConditions, what_is_claimed_elsewhere_is_not_asked) {
  for (const auto& [encoding, parameters] : {std::pair{"rope", "dim=4 scaling=yarn"},
                                             {"rope", "dim=4 scaling=linear layout=interleaved"},
                                             {"alibi", "heads=2 rows=key_index"},
                                             {"alibi", "heads=3 form=symmetric"},
                                             {"sinusoidal", "dim=3 odd=truncate"},
                                             {"learned", "dim=2 length=17 table=seeded"},
                                             {"binary", "dim=3 values=signs"},
                                             {"binary", "dim=3"},
                                             {"normalized_index", "range=per_length"}}) {
    const GateResult found = Gated{encoding, parameters}();
    EXPECT_FALSE(found.refuted() || found.undecided()) << encoding << " " << parameters << "\n"
                                                       << not_holding(found);
    EXPECT_GT(found.results.size(), 5u);
  }
  const auto asked = [](std::string_view encoding, std::string_view parameters, std::string_view id) {
    return asking(Gated{std::string(encoding), std::string(parameters)}(3), id) != nullptr;
  };
  EXPECT_TRUE(asked("rope", "dim=4", "rotary/preserves_norm"));
  EXPECT_FALSE(asked("rope", "dim=4 scaling=yarn", "rotary/preserves_norm"));
  EXPECT_TRUE(asked("rope", "dim=4 scaling=yarn", "rotary/is_linear"));
  EXPECT_TRUE(asked("alibi", "heads=2", "bias/is_zero_at_offset_zero"));
  EXPECT_FALSE(asked("alibi", "heads=2 rows=key_index", "bias/is_zero_at_offset_zero"));
  EXPECT_FALSE(asked("sinusoidal", "dim=3 odd=truncate", "table/has_constant_norm"));
}

// The exact encoding has no backward pass of its own that could fail as well.
TEST(GateConditions, a_backward_pass_that_rotates_forward_is_refuted_and_explained) {
  Gated forward{"rope", "dim=4"};
  forward.change = [](Subject& subject) { subject.backward = subject.encoding; };
  const GateResult found = forward(20, std::string(backward_id));
  EXPECT_FALSE(verdict<Refuted>(found, backward_id).residual.holds());
  ASSERT_FALSE(found.explanations.empty());
  EXPECT_EQ(found.explanations.front().what,
            "the gradient is rotated forward, as the forward pass rotates, not back");
}

// Calls that are drawn are shorter, and their contents have eight digits.
TEST(GateConditions, a_backward_pass_is_asked_in_long_calls_and_of_contents_of_many_digits) {
  const auto refuted = [](const Function<Call(Call)>& to) {
    Gated back{"rope", "dim=4"};
    back.change = [&](Subject& subject) {
      const Encoding right = transposed(as<Rotary>(subject.encoding));
      subject.backward = answered_by(right, [right, to](const Call& call) { return answer(right, to(call)); });
    };
    const GateResult found = back(5, std::string(backward_id));
    return std::holds_alternative<Refuted>(asking(found, backward_id)->verdict);
  };
  EXPECT_FALSE(refuted([](Call call) { return call; }));
  EXPECT_TRUE(refuted([](Call call) {
    if (call.positions.whole.size() > 300) call.positions.whole.back() += 1;
    return call;
  }));
  EXPECT_TRUE(refuted([](Call call) {
    for (double& x : call.contents.front().data) x = to_bf16(x);
    return call;
  }));
}

TEST(GateConditions, a_filter_that_nothing_contains_is_answered_with_what_is_near) {
  const GateResult found = Gated{"sinusoidal", "dim=4"}(3, "has_constant_nrom");
  EXPECT_TRUE(found.results.empty());
  EXPECT_EQ(found.not_checked,
            Texts{"no property that is asked of `sinusoidal` here contains `has_constant_nrom`; near it: "
                  "table/has_constant_norm"});
  EXPECT_EQ((Gated{"sinusoidal", "dim=4"}(3, "has_constant_norm").not_checked), Texts{});
}

TEST(GateConditions, what_is_claimed_to_fail_is_not_asked_and_nothing_twice) {
  const GateResult found = Gated{"sinusoidal", "dim=4"}(3);
  const Texts ids = asked_of(found);
  EXPECT_EQ(ids.front(), agreement_id);
  EXPECT_EQ(std::set<std::string>(ids.begin(), ids.end()).size(), ids.size());
  EXPECT_FALSE(has(ids, "score/depends_on_offset"));
  EXPECT_TRUE(has(ids, "table/has_constant_norm"));
  EXPECT_FALSE(has(ids, "call/refuses_out_of_range"));  // it says nothing of an end
  EXPECT_EQ(starting_with(found.skipped, "call/refuses_out_of_range"), "") << "and it is not skipped either";
  EXPECT_FALSE(has(ids, history_id));  // it cannot be started anew
  Gated ending{"sinusoidal", "dim=4"};
  ending.change = [](Subject& subject) {
    Domain domain(0, 99);
    domain.ends = true;
    subject.encoding = with_positions(subject.encoding, domain);
    subject.renew = [] {};
  };
  const Texts of_ending = asked_of(ending(3));
  EXPECT_TRUE(has(of_ending, "call/refuses_out_of_range"));
  EXPECT_EQ(of_ending.at(1), history_id);
}

TEST(GateConditions, a_filter_asks_what_it_is_part_of) {
  const GateResult found = Gated{"rope", "dim=4"}(3, "rotary/is_");
  EXPECT_EQ(asked_of(found), (Texts{"rotary/is_identity_at_zero", "rotary/is_linear"}));
  EXPECT_FALSE(found.observed.has_value());
  EXPECT_TRUE(found.alike.empty());
  const GateResult whole = Gated{"rope", "dim=4"}(3);
  EXPECT_TRUE(whole.observed.has_value());
  EXPECT_FALSE(whole.alike.empty());
}

// jaxnerf, nerfstudio and tiny-cuda-nn: the angle and pi/2 are added in f32, so that a pair is of two angles.
TEST(GateVerdicts, a_cosine_that_is_the_sine_of_a_quarter_turn_more_is_no_fault) {
  for (const std::string factor : {"one", "pi"}) {
    Gated nerf{"nerf", "frequencies=10 factor=" + factor};
    nerf.answering = [&factor](const Encoding& right, const Call& call) {
      constexpr float pi = std::numbers::pi_v<float>;
      Tensor rows(shape_of_answer(right, call));
      for (std::size_t r = 0; r < rows.rows(); ++r)
        for (std::size_t c = 0; c < rows.width(); ++c) {
          const auto x = static_cast<float>(Positions(call.positions).at(r, 0));
          const float angle = std::ldexp(factor == "pi" ? pi * x : x, static_cast<int>(c / 2));
          rows.at(r, c) = std::sin(c % 2 == 0 ? angle : angle + pi / 2);
        }
      return rows;
    };
    nerf.change = [](Subject& subject) { subject.precision = all_f32; };
    const GateResult found = nerf(100);
    for (const PropertyResult& one : found.results)
      EXPECT_FALSE(std::holds_alternative<Refuted>(one.verdict)) << factor << ": " << one.id;
    EXPECT_TRUE(std::holds_alternative<Holds>(asking(found, agreement_id)->verdict)) << factor;
  }
}

}  // namespace
}  // namespace posproof::gate_conditions_test
