// What is looked into behind a refutation, and when no more.
#include "gate/explained.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "core/formats.h"
#include "core/function.h"
#include "gate/history.h"
#include "gate/testing/gated.h"
#include "run/agreement.h"
#include "search/trial.h"
#include "subject/testing/npy.h"

namespace posproof::explained_test {
namespace {

using namespace gated;

// A gate in which agreement alone was asked for, and refuted, after explain().
GateResult explained(const std::string& encoding, const std::string& words, const Precision& precision,
                     const Function<Encoding(const Encoding& truth)>& wrong, BudgetClock::duration left,
                     const Function<void()>& renew = {}) {
  const EncodingSpec& spec = encoding_named(encoding);
  const Parameters parameters = with(spec, Case::parse(words));
  const Encoding truth = spec.oracle(parameters), subject = wrong(truth);
  const Property property = agreement(truth);
  const Trial asked = *trial(property, subject, precision);
  GateResult gated{.encoding = encoding,
                   .parameters = parameters,
                   .subject = {"made", "", subject, precision},
                   .results = {{std::string(agreement_id), &property, search(asked, {.id = "explained"})}},
                   .skipped = {},
                   .explanations = {},
                   .made = {}};
  gated.subject.renew = renew;
  EXPECT_TRUE(gated.refuted());
  EXPECT_NO_THROW(explain({.spec = spec,
                           .truth = truth,
                           .expected = {.encoding = encoding, .parameters = parameters, .declared = {truth}},
                           .seed = 1,
                           .deadline = BudgetClock::now() + left,
                           .trial = [&](std::string_view) -> const Trial& { return asked; }},
                          gated));
  EXPECT_TRUE(gated.refuted());
  gated.results.front().property = nullptr;  // which ends here
  return gated;
}

// A rotation that is wrong from its third call on, and how often it was started anew.
struct Explained {
  bool needs_history = false;
  int renewed = 0;
};

Explained explained(BudgetClock::duration left, const Function<void()>& on_renewal = {}) {
  const auto calls = std::make_shared<int>(0), renewed = std::make_shared<int>(0);
  const auto wrong = [=](const Encoding& truth) {
    return answered_by(truth, [=](const Call& call) {
      return ++*calls >= 3 ? all_zero(answer(truth, call)) : answer(truth, call);
    });
  };
  const GateResult gated = explained("rope", "dim=4", all_f64, wrong, left, [=] {
    *calls = 0, ++*renewed;
    if (on_renewal) on_renewal();
  });
  return {gated.results.front().needs_history, *renewed};
}

TEST(Explained, asks_nothing_of_a_new_object_after_its_time) {
  const Explained in_time = explained(std::chrono::minutes(10)), late = explained(BudgetClock::duration(0));
  EXPECT_TRUE(in_time.needs_history);
  EXPECT_EQ(in_time.renewed, 2) << "for the counterexample, and for what explains it";
  EXPECT_FALSE(late.needs_history);
  EXPECT_EQ(late.renewed, 1);
}

// A refuted property, and whether its counterexample shows on a new object, too.
struct Shown {
  std::string id;
  bool anew;
  std::string same_as = {};
};

// What explain() says of a subject of which that was found.
struct Explaining {
  std::string encoding = "rope", parameters = "dim=4";
  Function<Tensor(const Encoding& right, Call call)> answering = [](const Encoding& right, Call call) {
    return answer(right, call);
  };
  std::vector<Shown> shown = {};
  Function<void()> renew = [] {};
  BudgetClock::duration left = std::chrono::minutes(10);
  std::optional<Subject> file = {};
  SeemingPrecision seeming = {};
  std::optional<Position> last = {};  // where it says that it ends
  std::string takes_positions = "each", holds_as = {};
  Texts asked = {}, needing = {}, following = {}, explanations = {};  // filled

  void operator()() {
    const EncodingSpec& spec = encoding_named(encoding);
    const Parameters all = with(spec, Case::parse(parameters));
    const Encoding truth = spec.oracle(all), right = spec.make(all);
    GateResult gated{
        .encoding = encoding,
        .parameters = all,
        .subject =
            file ? *file
                 : Subject{"made", "",
                           answered_by(right,
                                       [this, right](const Call& call) { return answering(right, call); }),
                           all_f32},
        .results = {},
        .skipped = {},
        .explanations = {},
        .made = {},
        .seeming = seeming};
    gated.subject.takes_positions = takes_positions;
    gated.holds_as = holds_as;
    if (gated.subject.live) gated.subject.renew = renew;
    if (last) {
      Domain domain(0, *last);
      domain.ends = true;
      gated.subject.encoding = with_positions(gated.subject.encoding, domain);
    }
    std::map<std::string, Trial, std::less<>> trials;
    for (const Shown& one : shown) {
      gated.results.push_back({one.id, nullptr, Refuted{{}, difference(1, 0, 0), 1, 0}, one.same_as});
      trials[one.id] = [this, one](Draw&) {
        asked.push_back(one.id);
        return difference(one.anew ? 1 : 0, 0, 0);
      };
    }
    explain({.spec = spec,
             .truth = truth,
             .expected = {.encoding = encoding, .parameters = all, .declared = {truth}},
             .seed = 1,
             .deadline = BudgetClock::now() + left,
             .trial = [&](std::string_view id) -> const Trial& { return trials.find(id)->second; }},
            gated);
    for (const PropertyResult& one : gated.results) {
      if (one.needs_history) needing.push_back(one.id);
      if (!one.follows_from.empty()) following.push_back(one.id + " from " + one.follows_from);
    }
    for (const Explanation& one : gated.explanations) explanations.push_back(one.what);
    seeming = gated.seeming;
    holds_as = gated.holds_as;
  }
};

const std::string of_calls(history_id), agreed(agreement_id);

Tensor declines(const Encoding&, const Call&) {
  throw Refusal("not now");
}

// Each of them is asked anew, from the first on that needs the calls before it.
TEST(Explained, says_of_each_counterexample_whether_it_needs_the_calls_before) {
  struct Of {
    std::vector<Shown> shown;
    Texts asked, needing, following;
  };
  for (const auto& [shown, asked, needing, following] :
       {Of{{{"a", false}, {"b", true}, {"c", false}}, {"a", "b", "c"}, {"a", "c"}, {}},
        Of{{{"a", true}, {"b", false}}, {"a"}, {}, {}},
        Of{{{"a", false}, {"b", false, "a"}, {"c", false}}, {"a", "c"}, {"a", "c"}, {}},
        Of{{{of_calls, false}, {"a", true}, {"b", false}},
           {"a", "b"},
           {"b"},
           {"b from answers_like_a_new_object"}}}) {
    Explaining one{.answering = &declines, .shown = shown};
    one();
    EXPECT_EQ(one.asked, asked);
    EXPECT_EQ(one.needing, needing);
    EXPECT_EQ(one.following, following);
  }
  Explaining late{.answering = &declines, .shown = {{"a", false}}, .left = BudgetClock::duration(0)};
  late();
  EXPECT_EQ(late.asked, Texts{});
  // What does not start again is not said to need anything.
  Explaining gone{
      .answering = &declines, .shown = {{"a", false}}, .renew = [] { throw SubjectError("it is gone"); }};
  gone();
  EXPECT_EQ(gone.asked, Texts{});
  EXPECT_EQ(gone.needing, Texts{});
}

// The precision that would allow all stands beside what is rounded, and where nothing is known.
TEST(Explained, says_no_precision_beside_another_cause) {
  const auto said = [](const Function<Tensor(const Encoding& right, Call call)>& answering, double share) {
    Explaining one{.answering = answering,
                   .shown = {{agreed, true}},
                   .seeming = {.answers = 9, .word = "f32+iterated", .share = 0.5, .declared_share = share}};
    one();
    EXPECT_EQ(one.seeming.allowed_alone, one.seeming.word.empty());
    return one.seeming.word;
  };
  const auto ahead_by_one = [](const Encoding& right, Call call) {
    for (Position& t : call.positions.whole) ++t;
    return answer(right, call);
  };
  const auto in_f16 = [](const Encoding& right, Call call) {
    Tensor out = answer(right, call);
    for (double& x : out.data) x = to_f16(x);
    return out;
  };
  EXPECT_EQ(said(ahead_by_one, 2), "");
  EXPECT_EQ(said(ahead_by_one, 0.5), "f32+iterated") << "it says what the subject seems to work in";
  EXPECT_EQ(said(in_f16, 2), "f32+iterated");
  EXPECT_EQ(said(&declines, 2), "f32+iterated");
}

// Positions are two ahead; after a first call of one token they are one ahead, which is a defect, too.
Explaining ahead(std::vector<Shown> shown, const std::string& encoding = "rope",
                 const std::string& parameters = "dim=4") {
  const auto by = std::make_shared<Position>(0);
  return {.encoding = encoding,
          .parameters = parameters,
          .answering =
              [by](const Encoding& right, Call call) {
                if (*by == 0) *by = call.positions.size() == 1 ? 1 : 2;
                for (Position& t : call.positions.whole) t += *by;
                return answer(right, call);
              },
          .shown = std::move(shown),
          .renew = [by] { *by = 0; }};
}

// What is measured then, and was not before, is said with the call that came first; defects are those of a
// new object.
TEST(Explained, measures_after_another_call_where_calls_matter) {
  const std::string after = "after a first call at position 0: positions are one ahead";
  Explaining both = ahead({{of_calls, true}, {agreed, true}}), alone = ahead({{agreed, true}}),
             late = ahead({{of_calls, true}, {agreed, true}});
  both(), alone();
  ASSERT_FALSE(alone.explanations.empty());
  Texts expected = alone.explanations;
  expected.push_back(after);
  EXPECT_EQ(both.explanations, expected);
  EXPECT_FALSE(has(alone.explanations, "positions are one ahead"));
  late.left = BudgetClock::duration(0);
  late();
  EXPECT_EQ(late.explanations, alone.explanations);
  // Of a grid no first position is one number.
  Explaining grid = ahead({{of_calls, true}, {agreed, true}}, "axial_rope", "dim=8"),
             same = ahead({{agreed, true}}, "axial_rope", "dim=8");
  grid(), same();
  EXPECT_FALSE(same.explanations.empty());
  EXPECT_EQ(grid.explanations, same.explanations);
  // What is measured again as it was before is not said twice.
  Explaining always{.answering =
                        [](const Encoding& right, Call call) {
                          for (Position& t : call.positions.whole) ++t;
                          return answer(right, call);
                        },
                    .shown = {{of_calls, true}, {agreed, true}}};
  always();
  EXPECT_EQ(always.explanations, (Texts{"positions are one ahead", "rope/one_position_ahead"}));
}

// A table whose row 5 is another, and that counts positions past its end as the last one.
Explaining past_the_end(std::vector<Shown> shown) {
  return {.encoding = "learned",
          .parameters = "dim=3 length=8",
          .answering =
              [](const Encoding& right, Call call) {
                for (Position& t : call.positions.whole) t = std::clamp<Position>(t, 0, 7);
                Tensor out = answer(right, call);
                for (std::size_t r = 0; r < out.rows(); ++r)
                  if (call.positions.whole[r] == 5) out.at(r, 1) += 0.125;
                return out;
              },
          .shown = std::move(shown)};
}

// A place is no cause, and what was not refuted is none.
TEST(Explained, is_what_is_done_besides_where_no_answer_says_the_cause) {
  const std::string last = "positions past 7 are not refused: they count as 7",
                    refuses = "call/refuses_out_of_range";
  Explaining place = past_the_end({{agreed, true}}), both = past_the_end({{agreed, true}, {refuses, true}}),
             late = past_the_end({{agreed, true}, {refuses, true}});
  place(), both();
  late.left = BudgetClock::duration(0);
  late();
  ASSERT_EQ(place.explanations.size(), 1u);
  EXPECT_NE(place.explanations[0], last);
  EXPECT_EQ(both.explanations, Texts{last});
  EXPECT_EQ(late.explanations, place.explanations);
  // So where nothing else is refuted: no other words for it come first.
  Explaining alone = past_the_end({{refuses, true}});
  alone.encoding = "sinusoidal", alone.parameters = "dim=4", alone.last = 7;
  alone.answering = [](const Encoding& right, Call call) {
    for (Position& t : call.positions.whole) t = std::min<Position>(t, 7);
    return answer(right, call);
  };
  alone();
  EXPECT_EQ(alone.explanations, Texts{last});
  // A factor of every call is a cause where the calls before were seen to matter.
  const auto calls = std::make_shared<int>(0);
  Explaining halving{.encoding = "alibi",
                     .parameters = "heads=2",
                     .answering =
                         [calls](const Encoding& right, const Call& call) {
                           Tensor out = answer(right, call);
                           for (double& entry : out.data) entry *= std::ldexp(1.0, -*calls);
                           ++*calls;
                           return out;
                         },
                     .shown = {{agreed, true}},
                     .renew = [calls] { *calls = 0; }};
  const std::string factor =
      "each call multiplies the answers by 0.5: those to the first are as declared, to the next multiplied "
      "once";
  halving();
  EXPECT_FALSE(has(halving.explanations, factor));
  halving.shown.push_back({of_calls, true});
  halving.explanations.clear();
  halving();
  EXPECT_EQ(halving.explanations, Texts{factor});
}

// Of a file other orders of its columns are tried first, where there is time.
TEST(Explained, is_the_order_of_the_columns_where_there_is_time) {
  const EncodingSpec& spec = encoding_named("rope");
  const Parameters all = with(spec, Case::parse("dim=4 layout=half_split"));
  const auto rope = spec.make<Rotary>(all);
  Tensor x({1, 1, 64, 4}), both({64, 4});
  std::vector<Position> at;
  for (Position t = 0; t < 64; ++t) at.push_back(t);
  for (std::size_t r = 0; r < 64; ++r) x.at(r, 0) = x.at(r, 1) = 1;
  const Tensor rotated = rope.rotate(x, at, Role::query);
  for (std::size_t r = 0; r < 64; ++r)
    for (std::size_t i = 0; i < 2; ++i) {
      both.at(r, 2 * i) = rotated.at(r, i);
      both.at(r, 2 * i + 1) = rotated.at(r, i + 2);
    }
  const testing::Written written("explained.npy", both, true);
  const auto explanations = [&](BudgetClock::duration left) {
    Explaining one{.parameters = "dim=4 layout=half_split", .shown = {{agreed, true}}, .left = left};
    one.file = open(written.subject(), {.encoding = "rope", .parameters = all, .declared = {rope}});
    one();
    return one.explanations;
  };
  const std::string order = "cosine and sine of a pair stand next to each other: ";
  EXPECT_TRUE(explanations(std::chrono::minutes(10)).at(0).starts_with(order));
  EXPECT_EQ(starting_with(explanations(BudgetClock::duration(0)), order), "");
}

TEST(Explained, what_fails_while_it_is_explained_stays_refuted) {
  const auto renewals = std::make_shared<int>(0);
  const Explained failing = explained(std::chrono::minutes(10), [=] {
    if (++*renewals == 2) throw std::out_of_range("vector::_M_range_check");
  });
  EXPECT_TRUE(failing.needs_history);
  EXPECT_EQ(failing.renewed, 2);
}

// That angles which are made one from another would explain it says nothing where positions are one ahead.
TEST(Explained, says_nothing_of_steps_beside_another_cause) {
  Explaining ahead{.answering =
                       [](const Encoding&right, Call call) {
                         for (Position& t : call.positions.whole) ++t;
                         return answer(right, call);
                       },
                   .shown = {{agreed, true}},
                   .holds_as = "f32+iterated"},
      unknown{.answering = &declines, .shown = {{agreed, true}}, .holds_as = "f32+iterated"};
  ahead(), unknown();
  EXPECT_EQ(ahead.holds_as, "");
  EXPECT_EQ(unknown.holds_as, "f32+iterated");
}

// Where it is wrong is said of what takes each position as it is. What counts them for itself is wrong
// elsewhere after other calls.
TEST(Explained, says_where_it_is_wrong_of_what_takes_each_position) {
  for (const std::string way : {"each", "sequence"}) {
    Explaining place = past_the_end({{of_calls, true}, {agreed, true}});
    place.takes_positions = way;
    place();
    EXPECT_EQ(place.explanations.empty(), way != "each") << way;
  }
}

// Code of self-attention that raises an error where it is asked for fewer queries than keys.
TEST(Explained, of_self_attention_alone_asks_no_more_than_that) {
  int across = 0;
  const auto wrong = [&](const Encoding& truth) {
    return answered_by(truth, [&across, truth](const Call& call) {
      if (call.contents[0].rows() != call.contents[1].rows()) {
        ++across;
        throw Inapplicable{"it takes as many queries as keys"};
      }
      Tensor out = answer(truth, call);
      for (double& x : out.data) x *= 1 + 1e-3 * std::abs(x);
      return out;
    });
  };
  explained("shaw_values", "dim=4 clip=2", all_f32, wrong, std::chrono::minutes(10));
  EXPECT_GT(across, 0);
}

}  // namespace
}  // namespace posproof::explained_test
