#include "diagnosis/memory_evidence.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <random>
#include <utility>

#include "core/case.h"
#include "diagnosis/answered.h"
#include "diagnosis/call_fits.h"
#include "diagnosis/memory_effects.h"
#include "run/catalogued.h"
#include "run/narrowed.h"

namespace posproof::memory_evidence_test {
namespace {

Encoding rope() {
  const EncodingSpec& spec = encoding_named("rope");
  return spec.oracle(with(spec, Case::parse("dim=4 heads=1")));
}

Call of(std::size_t batch, Role role, std::vector<Position> positions) {
  Call out{.batch = batch, .positions = {.whole = std::move(positions)}};
  out.role = role;
  out.contents = {Tensor({batch, 1, out.positions.whole.size() / batch, 4})};
  std::ranges::fill(out.contents[0].data, 1.0);
  return out;
}

// Position 42 is the first that a table has not which was made for 10 and doubled for 20. Then one to four
// tokens of one or two rows, some of them from 0 on, and ever farther.
std::vector<Call> calls() {
  std::mt19937 random(1);
  std::vector<Call> out = {of(1, Role::query, {10}), of(1, Role::query, {20}), of(1, Role::query, {42})};
  for (std::size_t n = 0; n < 80; ++n) {
    const std::size_t batch = 1 + random() % 2, tokens = 1 + random() % 4;
    std::vector<Position> all;
    for (std::size_t t = 0; t < batch * tokens; ++t)
      all.push_back(static_cast<Position>(random() % (20 + n)));
    if (random() % 2 == 0) all[0] = static_cast<Position>(random() % 2);
    const bool asked = std::ranges::any_of(out, [&](const Call& one) { return one.positions.whole == all; });
    if (!asked) out.push_back(of(batch, random() % 2 == 0 ? Role::query : Role::key, std::move(all)));
  }
  return out;
}

// Rope at the positions that an effect of memory leads to, until it is renewed.
Subject remembering(const Effect& effect) {
  const auto steps = std::make_shared<Steps>(effect.begin());
  Subject out{
      "made", "",
      answered_by(rope(), [steps](const Call& call) { return answer(rope(), (*steps)(call, 0, 1).call); }),
      all_f32};
  out.renew = [steps, effect] { *steps = effect.begin(); };
  return out;
}

// What answers these calls as they were answered, whatever was asked before.
Subject without_memory(const std::vector<Answered>& answered) {
  Subject out{"made", "",
              answered_by(rope(),
                          [answered](const Call& call) {
                            for (const Answered& one : answered)
                              if (one.call.batch == call.batch && one.call.role == call.role &&
                                  one.call.positions.whole == call.positions.whole)
                                return one.answer;
                            return answer(rope(), call);
                          }),
              all_f32};
  out.renew = [] {};
  return out;
}

// Both give the same recorded answers, which each effect explains.
TEST(MemoryEvidence, is_none_of_a_subject_without_memory_that_gives_the_same_answers) {
  const Model model = model_of(rope(), all_f32);
  for (const Effect& effect : effects_of_memory()) {
    const Subject subject = remembering(effect);
    std::vector<Answered> answered;
    for (const Call& call : calls()) answered.push_back({{}, call, answer(subject.encoding, call)});
    const Explained alone = explained(model, rope(), answered);
    const std::vector<bool> all(alone.rows.size(), true);
    ASSERT_GT(alone.wrong(), 0u) << effect.words;
    const auto seen = [&](const Subject& one) {
      return remembers_as(effect, all, alone, model, one, rope(), answered);
    };
    EXPECT_TRUE(seen(subject)) << effect.words;
    EXPECT_FALSE(seen(without_memory(answered))) << effect.words;
    Subject never_renewed = subject;
    never_renewed.renew = [] { throw SubjectError("it does not start again"); };
    EXPECT_FALSE(seen(never_renewed)) << effect.words;
  }
}

// Calls that are wrong in any case prove nothing: after four of them no other one is asked. Those of one row
// come first.
TEST(MemoryEvidence, is_sought_in_four_calls) {
  std::vector<Call> in_order = calls();
  std::ranges::stable_sort(in_order, {}, &Call::batch);
  const Model model = model_of(rope(), all_f32);
  const Effect effect = effects_of_memory().front();
  const auto seen = [&](std::size_t broken) {
    Subject subject = remembering(effect);
    subject.encoding = answered_by(rope(), [own = subject.encoding, broken, in_order](const Call& call) {
      Tensor out = answer(own, call);
      for (std::size_t n = 0; n < broken; ++n)
        if (call.positions.whole == in_order.at(n).positions.whole)
          for (double& x : out.data) x += 7;
      return out;
    });
    std::vector<Answered> answered;
    for (const Call& call : calls()) answered.push_back({{}, call, answer(subject.encoding, call)});
    const Explained alone = explained(model, rope(), answered);
    const std::vector<bool> all(alone.rows.size(), true);
    return remembers_as(effect, all, alone, model, subject, rope(), answered);
  };
  EXPECT_TRUE(seen(0));
  EXPECT_TRUE(seen(3));
  EXPECT_FALSE(seen(4));
}

// Rows that the effect does not explain say nothing of it, and the subject is not asked for them.
TEST(MemoryEvidence, is_sought_in_rows_that_the_effect_explains) {
  const Model model = model_of(rope(), all_f32);
  const Effect effect = effects_of_memory().front();
  Subject subject = remembering(effect);
  std::vector<Answered> answered;
  for (const Call& call : calls()) answered.push_back({{}, call, answer(subject.encoding, call)});
  const Explained alone = explained(model, rope(), answered);
  const std::vector<bool> none(alone.rows.size(), false);
  std::size_t renewed = 0;
  subject.renew = [&renewed] { ++renewed; };
  EXPECT_FALSE(remembers_as(effect, none, alone, model, subject, rope(), answered));
  EXPECT_EQ(renewed, 0u);
}

// A learned table has no row -1, to which the largest so far leads where it is 0.
TEST(MemoryEvidence, is_none_where_the_encoding_is_not_defined) {
  const EncodingSpec& spec = encoding_named("learned");
  const Encoding declared = spec.oracle(with(spec, Case::parse("dim=8 length=64")));
  Subject last{"made", "",
               answered_by(declared,
                           [declared](const Call& asked) {
                             Call call = asked;
                             for (Position& t : call.positions.whole) t = std::min(t, Position{62});
                             return answer(declared, call);
                           }),
               all_f32};
  last.renew = [] {};
  const auto answered = answers_of(last, declared, Case::parse("rows=1 t=63 n=64"), 1);
  EXPECT_EQ(call_deviation(model_of(declared, all_f32), last, declared, answered).value_or("nothing"),
            "positions past 62 count as 62");
}

// The last row of a table of 4096 is that of the row before. "The largest so far" is always the last one.
TEST(MemoryEvidence, is_needed_where_a_constant_explains_the_same) {
  const std::string so_far = "positions past m - 1 count as m - 1, m being the largest so far";
  const auto said = [](Subject subject, const std::string& first) {
    subject.encoding = narrowed(std::move(subject.encoding), 0, 4095);
    const Encoding declared = rope();
    const auto answered = answers_of(subject, declared, Case::parse(first), 1);
    return call_deviation(model_of(declared, all_f32), subject, declared, answered).value_or("nothing");
  };
  const std::string last = "batch=1 tokens=1 t=4095 role=query x=[1,0,0,0]";
  Subject constant{"made", "",
                   answered_by(rope(),
                               [](const Call& asked) {
                                 Call call = asked;
                                 for (Position& t : call.positions.whole) t = std::min(t, Position{4094});
                                 return answer(rope(), call);
                               }),
                   all_f32};
  EXPECT_EQ(said(constant, last), "positions past 4094 count as 4094") << "it cannot be renewed";
  constant.renew = [] {};
  EXPECT_EQ(said(constant, last), "positions past 4094 count as 4094");
  const auto all = effects_of_memory();
  const auto effect = std::ranges::find(all, so_far, &Effect::words);
  ASSERT_NE(effect, all.end());
  EXPECT_EQ(said(remembering(*effect), "batch=1 tokens=1 t=64 role=query x=[1,0,0,0]"), so_far);
}

}  // namespace
}  // namespace posproof::memory_evidence_test
