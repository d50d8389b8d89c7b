#include "run/history.h"

#include <gtest/gtest.h>

#include <memory>

#include "core/call.h"
#include "core/failure.h"
#include "run/catalogued.h"
#include "search/trial.h"

namespace posproof {
namespace {

// An implementation whose objects remember: what a call is answered with, given the calls before it.
struct Memory {
  int calls = 0;
  Position longest = 0;
  std::size_t shape = 0;
};
using Remembering = std::function<Tensor(const Encoding& right, Memory& memory, const Call& call)>;

struct Made {
  Encoding truth;
  Subject subject;
  std::shared_ptr<int> renewed = std::make_shared<int>(0);
};

Made made(std::string_view id, std::string_view parameters, Remembering function) {
  const EncodingSpec& spec = encoding_named(id);
  Made out{spec.oracle(with(spec, Case::parse(parameters))), {}};
  const auto memory = std::make_shared<Memory>();
  out.subject = {"made", "", out.truth, all_f64, true};
  out.subject.encoding =
      answered_by(out.truth, [right = out.truth, memory, function = std::move(function)](const Call& call) {
        ++memory->calls;
        return function(right, *memory, call);
      });
  out.subject.renew = [memory, renewed = out.renewed] {
    *memory = {};
    ++*renewed;
  };
  return out;
}

Verdict searched(const Made& made) {
  return history_searched(made.truth, made.subject, {.id = std::string(history_id)});
}

const std::pair<std::string_view, std::string_view> kinds[] = {
    {"sinusoidal", "dim=8"}, {"rope", "dim=8"}, {"alibi", "heads=2"}, {"none", "dim=4"}};

TEST(History, what_remembers_nothing_holds_in_every_kind) {
  for (const auto& [id, parameters] : kinds) {
    const Made right =
        made(id, parameters, [](const Encoding& of, Memory&, const Call& call) { return answer(of, call); });
    const Verdict verdict = searched(right);
    const auto* holds = std::get_if<Holds>(&verdict);
    ASSERT_NE(holds, nullptr) << id << ": " << name(verdict);
    EXPECT_GE(holds->cases, 25u) << id;
    EXPECT_EQ(*right.renewed, 3) << "one new object for each sequence";
  }
}

// By 2^-30 of each entry, in the last call only, from the third call of an object on.
TEST(History, what_changes_by_little_with_the_calls_is_refuted_in_every_kind) {
  for (const auto& [id, parameters] : kinds) {
    const Made drifting = made(id, parameters, [](const Encoding& of, Memory& memory, const Call& call) {
      Tensor out = answer(of, call);
      if (memory.calls > 2)
        for (double& value : out.data) value *= 1 + 0x1p-30;
      return out;
    });
    const Verdict verdict = searched(drifting);
    const auto* refuted = std::get_if<Refuted>(&verdict);
    ASSERT_NE(refuted, nullptr) << id << ": " << name(verdict);
    EXPECT_EQ(refuted->counterexample.integer("before"), 2) << id << ": " << refuted->counterexample.text();
    const auto one = trial(history(drifting.truth, drifting.subject), drifting.subject.encoding, all_f64);
    EXPECT_TRUE(std::holds_alternative<Refuted>(replay(*one, refuted->counterexample))) << id;
  }
}

TEST(History, an_error_after_other_calls_is_refuted_and_one_of_every_object_is_not) {
  const auto raising = [](bool after_others) {
    return made("rope", "dim=8", [after_others](const Encoding& of, Memory& memory, const Call& call) {
      if (call.batch == 3 && (memory.calls > 1 || !after_others))
        throw Failure(Failure::How::raised, "no batches", "rotate: no batches");
      return answer(of, call);
    });
  };
  const Verdict after = searched(raising(true));
  const auto* refuted = std::get_if<Refuted>(&after);
  ASSERT_NE(refuted, nullptr) << name(after);
  EXPECT_EQ(refuted->instead, "rotate: no batches");
  EXPECT_EQ(refuted->counterexample.integer("before"), 1) << refuted->counterexample.text();
  EXPECT_FALSE(std::holds_alternative<Refuted>(searched(raising(false)))) << "agreement says so";
}

// Whatever it is asked, it is wrong: that is for agreement to say.
TEST(History, what_is_wrong_in_a_new_object_too_says_nothing) {
  const Made wrong = made("sinusoidal", "dim=8", [](const Encoding& of, Memory&, const Call& call) {
    Tensor out = answer(of, call);
    for (double& value : out.data) value += 1e-3;
    return out;
  });
  const Verdict verdict = searched(wrong);
  EXPECT_TRUE(std::holds_alternative<Undecided>(verdict)) << name(verdict);
  EXPECT_LT(*wrong.renewed, 40);
}

TEST(History, is_not_asked_of_what_cannot_be_started_anew) {
  Made file =
      made("rope", "dim=8", [](const Encoding& of, Memory&, const Call& call) { return answer(of, call); });
  file.subject.renew = {};
  EXPECT_TRUE(std::holds_alternative<NotApplicable>(searched(file)));
}

TEST(History, ends_when_its_time_is_over) {
  const Made right =
      made("rope", "dim=8", [](const Encoding& of, Memory&, const Call& call) { return answer(of, call); });
  const Verdict verdict = history_searched(right.truth, right.subject,
                                           {.id = "time", .budget = {.time = std::chrono::milliseconds(0)}});
  EXPECT_TRUE(std::holds_alternative<Undecided>(verdict)) << name(verdict);
}

}  // namespace
}  // namespace posproof
