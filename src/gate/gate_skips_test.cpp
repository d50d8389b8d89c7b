// What the gate skips and what it leaves unchecked, and that it says so.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <thread>
#include <utility>

#include "attention/reference_attention.h"
#include "catalogue/properties/score/depends_on_order.h"
#include "core/failure.h"
#include "gate/history.h"
#include "gate/testing/gated.h"
#include "gate/vacuous.h"
#include "run/agreement.h"
#include "search/generate.h"
#include "search/trial.h"

namespace posproof::gate_skips_test {
namespace {

using namespace gated;
using std::chrono::milliseconds;

TEST(GateSkips, what_the_subjects_kind_cannot_be_asked) {
  Gated logits{"rope", "dim=4"};
  logits.change = [](Subject& subject) {
    subject.encoding = attention::in_every_kind(subject.encoding).at(1);
  };
  const GateResult found = logits(3);
  EXPECT_FALSE(found.refuted()) << not_holding(found);
  EXPECT_TRUE(has(found.skipped, "rotary/is_linear: cannot be asked of a subject that gives contextual"));
  EXPECT_EQ(asking(found, "rotary/is_linear"), nullptr);
  EXPECT_NE(asking(found, "score/depends_on_offset"), nullptr);
}

// What it claims not to have, or to have with other parameters alone, is neither asked nor skipped.
TEST(GateSkips, nothing_that_is_not_claimed_with_these_parameters) {
  const auto of = [](const std::string& parameters) {
    const GateResult found = Gated{"t5_bias", parameters}(3, "buckets");
    Texts all = asked_of(found);
    all.insert(all.end(), found.skipped.begin(), found.skipped.end());
    return all;
  };
  EXPECT_EQ(of("heads=2"), (Texts{"bias/has_exact_buckets", "bias/has_monotone_buckets"}));
  EXPECT_EQ(of("heads=2 direction=unidirectional relative=query_minus_key table=seeded"), Texts{});
}

TEST(GateSkips, what_the_subject_is_not_asked_for_is_said_first) {
  Gated offset{"rope", "dim=4"};
  offset.change = [](Subject& subject) { subject.not_asked = {"positions that jump: it takes an offset"}; };
  const GateResult found = offset(3, std::string(agreement_id));
  ASSERT_FALSE(found.skipped.empty());
  EXPECT_EQ(found.skipped.front(), "positions that jump: it takes an offset");
  EXPECT_FALSE(found.refuted() || found.undecided());
}

TEST(GateSkips, calls_of_a_file) {
  Gated file{"rope", "dim=4 heads=2"};
  file.change = [](Subject& subject) { subject.live = false; };
  const GateResult found = file(3);
  EXPECT_TRUE(has(found.skipped, "call/agrees_in_chunks: a file answers no calls"));
  EXPECT_EQ(asking(found, "call/agrees_in_chunks"), nullptr);
  EXPECT_FALSE(found.observed.has_value());
}

// That a table ends is claimed by its file and by its encoding.
TEST(GateSkips, each_call_of_a_file_once) {
  Gated file{"learned", "dim=4 length=8"};
  file.change = [](Subject& subject) { subject.live = false; };
  const GateResult found = file(3);
  EXPECT_EQ(std::ranges::count(found.skipped, "call/refuses_out_of_range: a file answers no calls"), 1);
}

// A table of 8 rows, and a subject that has fewer.
TEST(GateSkips, positions_that_the_encoding_alone_has_are_named) {
  const auto said = [](Position last) {
    Gated one{"learned", "dim=4 length=8"};
    one.change = [last](Subject& subject) {
      Domain positions(0, last);
      positions.ends = true;
      subject.encoding = with_positions(subject.encoding, positions);
    };
    std::string out;
    for (const std::string& skipped : one(3, std::string(agreement_id)).skipped)
      if (skipped.starts_with("positions ")) out += skipped;
    return out;
  };
  EXPECT_EQ(said(7), "");
  EXPECT_EQ(said(6), "positions 7 to 7: the encoding has them, and the subject ends before");
  EXPECT_EQ(said(9), "");
}

// A file of rows is compared as a whole; of a bias, whose pairs it has for some positions, calls say more.
TEST(GateSkips, the_sample_of_a_file_of_rows_and_not_of_one_of_a_bias) {
  const auto sampled = [](const std::string& encoding, const std::string& parameters) {
    Gated file{encoding, parameters};
    file.change = [](Subject& subject) {
      subject.live = false;
      Domain positions(0, 20);
      positions.ends = true;
      subject.encoding = with_positions(subject.encoding, positions);
    };
    return file(3, std::string(agreement_id)).seeming.answers;
  };
  EXPECT_GT(sampled("alibi", "heads=2"), 0u);
  EXPECT_EQ(sampled("sinusoidal", "dim=4"), 0u);
}

TEST(GateSkips, what_even_the_truth_could_not_show) {
  const GateResult found = Gated{"rope", "dim=4"}();
  EXPECT_FALSE(found.refuted() || found.undecided()) << not_holding(found);
  EXPECT_FALSE(starting_with(found.skipped, "call/treats_heads_alike: ").empty());
  EXPECT_FALSE(starting_with(found.skipped, "rotary/leaves_the_tail_untouched: ").empty());
  EXPECT_NE(asking(Gated{"rope", "dim=4 heads=2"}(), "call/treats_heads_alike"), nullptr);
}

// In bf16 no order shows: thirty cases, then the truth is asked instead.
TEST(GateSkips, what_even_the_truth_could_not_show_without_asking_for_every_case) {
  const std::string id = "score/depends_on_order";
  std::uint64_t calls = 0;
  Gated one{"rope", "dim=64", [&calls](const Encoding& right, const Call& call) {
              ++calls;
              return answer(right, call);
            }};
  EXPECT_EQ(verdict<Holds>(one(300, id), id).cases, 300u);
  const std::uint64_t all = std::exchange(calls, 0);
  one.change = [](Subject& subject) { subject.precision = Precision::parse("bf16"); };
  const std::string why = id + ": even the exact encoding has nothing to show here: none of 300";
  EXPECT_FALSE(starting_with(one(300, id).skipped, why).empty());
  EXPECT_TRUE(calls >= 30 && calls <= all / 8) << calls << " of " << all;
}

// What its time cut short says nothing of the truth.
TEST(GateSkips, nothing_of_which_the_truth_could_not_be_asked_in_time) {
  const EncodingSpec& spec = encoding_named("rope");
  const Parameters parameters = with(spec, Case::parse("dim=64"));
  const Encoding truth = spec.oracle(parameters);
  const Subject subject{"made", "", spec.make(parameters), Precision::parse("bf16")};
  const Property& property = properties::score::depends_on_order;
  const Trial of_the_subject = *trial(property, subject.encoding, subject.precision);
  const AskedOf asked{property, of_the_subject, truth, subject};
  Plan plan{.id = "score/depends_on_order"};
  const Undecided none{"none of 300 cases could have come out the other way"};
  EXPECT_EQ(
      nothing_to_ask(asked, plan, none),
      "even the exact encoding has nothing to show here: none of 300 cases could have come out the other "
      "way");
  EXPECT_EQ(nothing_to_ask(asked, plan, Undecided{none.why, {}, true}), std::nullopt);
  plan.budget.time = milliseconds(0);
  EXPECT_EQ(nothing_to_ask(asked, plan, none), std::nullopt);
}

// It is asked after the thirtieth vacuous case alone: what it could show does not change.
TEST(GateSkips, nothing_of_which_the_truth_has_something_to_show_and_it_is_asked_once) {
  const EncodingSpec& spec = encoding_named("rope");
  const Parameters parameters = with(spec, Case::parse("dim=4"));
  std::size_t asked_of_the_truth = 0;
  const Encoding truth =
      answered_by(spec.make(parameters), [&, right = spec.make(parameters)](const Call& call) {
        ++asked_of_the_truth;
        return answer(right, call);
      });
  const Subject subject{"made", "", spec.make(parameters), all_f32};
  const Trial vacuous = [](Draw&) { return Residual{0, 1, 1}; };
  const AskedOf asked{properties::score::depends_on_order, vacuous, truth, subject};
  const Trial doubting = with_doubts(asked, {.id = "score/depends_on_order", .budget = {.cases = 5}});
  std::vector<std::size_t> after;
  for (std::uint64_t n = 0; n < 40; ++n) {
    RandomDraw draw(1, "x", n, 0);
    doubting(draw);
    after.push_back(asked_of_the_truth);
  }
  EXPECT_EQ(after[28], 0u);
  EXPECT_GT(after[29], 0u);
  EXPECT_EQ(after[39], after[29]);
}

// After a case that fails what is asked are cases that shrink it, and none of them tells of the truth.
TEST(GateSkips, nothing_after_a_case_that_failed_and_could_have_said_nothing) {
  const EncodingSpec& spec = encoding_named("rope");
  const Parameters parameters = with(spec, Case::parse("dim=64"));
  const Encoding truth = spec.oracle(parameters);
  const Subject subject{"made", "", spec.make(parameters), Precision::parse("bf16")};
  const auto asks = [&](double first_error) {
    int calls = 0;
    const Trial vacuous = [&](Draw&) {
      if (calls++ != 0) return Residual{0, 1, 1};
      if (first_error > 0) throw Failure(Failure::How::raised, "not now", "ValueError");
      return Residual{first_error, 1, 1};
    };
    const AskedOf asked{properties::score::depends_on_order, vacuous, truth, subject};
    const Trial doubting = with_doubts(asked, {.id = "score/depends_on_order"});
    for (std::uint64_t n = 0; n < 40; ++n) {
      RandomDraw draw(1, "x", n, 0);
      try {
        doubting(draw);
      } catch (const Failure&) {
      }
    }
    return calls;
  };
  EXPECT_EQ(asks(std::nan("")), 40);
  EXPECT_EQ(asks(1), 40) << "it raised";
  EXPECT_THROW(asks(0), Inapplicable);
}

// Of those nothing is looked at, whatever is answered: it is said that they were not.
TEST(GateSkips, keys_that_a_causal_mask_hides) {
  const std::string why = "keys after the query: they are not compared, as a causal mask hides them";
  const auto said = [&](std::string encoding, std::string parameters) {
    const GateResult found = Gated{std::move(encoding), std::move(parameters)}(20, "attention/is_causal");
    EXPECT_EQ(not_holding(found), "");
    return std::ranges::count(found.skipped, why);
  };
  EXPECT_EQ(said("alibi", "heads=2"), 1);
  EXPECT_EQ(said("alibi", "heads=2 form=symmetric"), 0);
  EXPECT_EQ(said("t5_bias", "direction=unidirectional"), 1);
  EXPECT_EQ(said("music_transformer", "dim=2"), 1);
  EXPECT_EQ(said("transformer_xl", "dim=2 form=bidirectional"), 0);
  EXPECT_EQ(said("rope", "dim=2"), 0);
  EXPECT_EQ(said("forgetting_transformer", "dim=2"), 0);
}

// The cases that shrink it hold, and none of them could have failed: they say nothing against it.
TEST(GateSkips, nothing_that_fails_in_a_property_that_has_nothing_to_show) {
  const std::string id = "score/depends_on_order";
  Gated raises{"rope", "dim=64", [](const Encoding& right, const Call& call) -> Tensor {
                 for (const Position t : call.positions.whole)
                   if (t >= 100000) throw Failure(Failure::How::raised, "too far", "ValueError");
                 return answer(right, call);
               }};
  raises.change = [](Subject& subject) { subject.precision = Precision::parse("bf16"); };
  const GateResult found = raises(300, id);
  EXPECT_TRUE(found.skipped.empty());
  EXPECT_FALSE(verdict<Refuted>(found, id).failure.empty());
}

// A bias saturates past its window, logits past the largest distance that has a vector.
TEST(GateSkips, what_the_truth_fails_where_the_subject_ends) {
  const auto ends_at = [](std::string encoding, std::string parameters, Position last) {
    Gated one{std::move(encoding), std::move(parameters)};
    one.change = [last](Subject& subject) {
      subject.encoding = with_positions(subject.encoding, Domain(0, last));
    };
    return one;
  };
  const std::string why =
      ": with these parameters, at the positions and in the format that this subject has, it is not true of the exact encoding either: ";
  const GateResult window = ends_at("relative_table", "axes=line width=32", 31)(60, "bias/saturates");
  EXPECT_EQ(not_holding(window), "");
  EXPECT_EQ(starting_with(window.skipped, "bias/saturates" + why),
            "bias/saturates" + why + "far=31 near=30 side=past i=31");
  const GateResult skewed = ends_at("music_transformer", "dim=4 length=600", 511)(60, "contextual/saturates");
  EXPECT_EQ(not_holding(skewed), "");
  EXPECT_FALSE(starting_with(skewed.skipped, "contextual/saturates" + why).empty());
}

// 257 and 256 are one number in bf16, and the index is the row; a row that is another's in f32 is a finding.
TEST(GateSkips, what_the_truth_fails_in_the_subjects_format) {
  const std::string id = "table/has_distinct_positions";
  const auto in = [](const char* name) {
    Gated one{"learned", "dim=1", [name](const Encoding& right, const Call& call) {
                Tensor out = answer(right, call);
                for (double& row : out.data) row = nearest(*format(name), row);
                return out;
              }};
    one.change = [name](Subject& subject) { subject.precision = Precision::parse(name); };
    return one;
  };
  const GateResult narrow = in("bf16")(300, id);
  EXPECT_EQ(not_holding(narrow), "");
  EXPECT_FALSE(
      starting_with(narrow.skipped, id + ": with these parameters, at the positions and in the format")
          .empty());
  EXPECT_EQ(verdict<Holds>(in("f32")(300, id), id).cases, 300u);
  // What raises an error there is wrong, whatever the truth is.
  Gated raising = in("bf16");
  raising.answering = [rounding = raising.answering](const Encoding& right, const Call& call) {
    Tensor out = rounding(right, call);
    if (out.data.size() == 2 && out.data[0] == out.data[1])
      throw Failure(Failure::How::raised, "two rows are equal", "rows: two rows are equal");
    return out;
  };
  EXPECT_EQ(not_holding(raising(300, id)), id + " refuted\n");
  Gated repeated{"learned", "dim=1", [](const Encoding& right, const Call& call) {
                   Tensor out = answer(right, call);
                   for (std::size_t r = 0; r < out.data.size(); ++r)
                     if (call.positions.whole[r] == 6) out.data[r] = 5;
                   return out;
                 }};
  EXPECT_EQ(not_holding(repeated(300, id)), id + " refuted\n");
}

TEST(GateSkips, nothing_that_is_true_of_the_truth) {
  const Gated never_flat{"relative_table", "axes=line width=32", [](const Encoding& right, const Call& call) {
                           Tensor out = answer(right, call);
                           const std::size_t nk = call.keys.whole.size();
                           for (std::size_t n = 0; n < out.data.size(); ++n)
                             out.data[n] += 1e-3 * static_cast<double>(call.keys.whole[n % nk]);
                           return out;
                         }};
  const GateResult found = never_flat(60, "bias/saturates");
  EXPECT_GT(verdict<Refuted>(found, "bias/saturates").residual.error, 0);
  EXPECT_EQ(found.skipped, Texts{});
}

// The subject is to blame: it declines what the truth answers.
TEST(GateUndecided, what_the_subject_declines_is_undecided_and_not_skipped) {
  const Gated one_row{"rope", "dim=4", [](const Encoding& right, const Call& call) -> Tensor {
                        if (call.batch > 1) throw Refusal("one row at a time");
                        return answer(right, call);
                      }};
  const GateResult found = one_row();
  const std::string id = "call/treats_batch_rows_independently";
  EXPECT_NE(verdict<Undecided>(found, id).why.find("one row at a time"), std::string::npos);
  EXPECT_TRUE(starting_with(found.skipped, id).empty());
  EXPECT_TRUE(found.undecided());
  EXPECT_FALSE(found.refuted());
  ASSERT_EQ(found.not_checked.size(), 1u);
  EXPECT_NE(found.not_checked.front().find("calls inside the domain 0 to 1048576 were declined"),
            std::string::npos)
      << found.not_checked.front();
}

TEST(GateUndecided, agreement_of_a_subject_that_declines_everything_is_undecided) {
  const GateResult found =
      Gated{"rope", "dim=4", [](const Encoding&, const Call&) -> Tensor { throw Refusal("not today"); }}(20);
  EXPECT_NE(verdict<Undecided>(found, agreement_id).why.find("not today"), std::string::npos);
  EXPECT_TRUE(found.undecided());
}

// With one position nothing that compares two can be learned, of anybody.
TEST(GateSkips, what_the_truth_could_not_show_at_these_positions) {
  Gated narrow{"sinusoidal", "dim=2"};
  narrow.change = [](Subject& subject) { subject.encoding = with_positions(subject.encoding, Domain(5, 5)); };
  const GateResult found = narrow();
  EXPECT_FALSE(found.refuted() || found.undecided()) << not_holding(found);
  EXPECT_GT(found.skipped.size(), 2u);
}

TEST(GateUndecided, a_history_of_which_nothing_was_learned_is_undecided) {
  Gated declining{"rope", "dim=4",
                  [](const Encoding&, const Call&) -> Tensor { throw Refusal("not today"); }};
  declining.change = [](Subject& subject) { subject.renew = [] {}; };
  EXPECT_NE(asking(declining(5), history_id), nullptr);
  EXPECT_TRUE(std::holds_alternative<Undecided>(asking(declining(5), history_id)->verdict));
}

TEST(GateUndecided, an_error_is_errored_and_no_pass) {
  const GateResult found = Gated{"rope", "dim=4", [](const Encoding&, const Call&) -> Tensor {
                                   throw SubjectError("the exchange broke down");
                                 }}(20);
  EXPECT_EQ(verdict<Errored>(found, agreement_id).what, "the exchange broke down");
  EXPECT_TRUE(found.undecided());
  EXPECT_FALSE(found.refuted());
}

TEST(GateUndecided, what_its_whole_time_cut_off_is_said) {
  GateOptions options;
  options.budget.cases = 40;
  options.total = milliseconds(0);
  const GateResult found = Gated{"rope", "dim=4"}.with_options(options);
  EXPECT_GT(found.results.size(), 10u);
  for (const PropertyResult& one : found.results)
    EXPECT_EQ(std::get<Undecided>(one.verdict).why,
              "not asked: the time for the whole run was used up (`--budget`, 0 s)")
        << one.id;
  EXPECT_FALSE(found.observed.has_value());
}

TEST(GateUndecided, a_search_that_was_cut_short_says_what_cut_it) {
  const Gated slow{"rope", "dim=4", [](const Encoding& right, const Call& call) {
                     std::this_thread::sleep_for(milliseconds(1));
                     return answer(right, call);
                   }};
  GateOptions options{.budget = {.cases = 1000000}, .filter = "rotary/is_linear"};
  options.budget.time = milliseconds(5);
  std::string why = verdict<Undecided>(slow.with_options(options), "rotary/is_linear").why;
  EXPECT_TRUE(why.starts_with("stopped by `--time` (0.005 s) after ")) << why;
  options.budget.time = milliseconds(60000);
  options.total = milliseconds(5);
  why = verdict<Undecided>(slow.with_options(options), "rotary/is_linear").why;
  EXPECT_TRUE(why.starts_with("stopped by `--budget` (")) << why;
}

// The positions before the first one as well as those past the last.
TEST(GatePositions, that_are_not_there_are_said_at_both_ends) {
  const auto found = [](const char* id, Position first, Position last) {
    std::set<Position> seen;
    const std::string words = id == std::string("rope") ? "dim=4" : "heads=1";
    Gated listening{id, words, [&](const Encoding& right, const Call& call) {
                      seen.insert(call.positions.whole.begin(), call.positions.whole.end());
                      return answer(right, call);
                    }};
    GateOptions options{.budget = {.cases = 60}, .filter = std::string(agreement_id)};
    options.positions = std::pair{first, last};
    GateResult result = listening.with_options(options);
    EXPECT_EQ(*seen.begin(), id == std::string("rope") ? first : std::max<Position>(first, 0)) << id;
    EXPECT_LE(*seen.rbegin(), last);
    return result;
  };
  EXPECT_EQ(found("alibi", 0, 100).not_checked, Texts{});
  EXPECT_FALSE(found("alibi", 3, 100).undecided());
  const GateResult before = found("alibi", -5, 100);
  EXPECT_EQ(before.not_checked,
            Texts{"positions -5 to 100 were asked for: those beyond 0 to 100 were not compared"});
  EXPECT_TRUE(before.undecided());
  EXPECT_EQ(found("alibi", 7, (1 << 20) + 1).not_checked,
            Texts{"positions 7 to 1048577 were asked for: those beyond 7 to 1048576 were not compared"});
  // Angles are products of the position: nothing ends there.
  EXPECT_EQ(found("rope", -5, 100).not_checked, Texts{});
  EXPECT_EQ(found("rope", 7, (1 << 20) + 1).not_checked, Texts{});
}

}  // namespace
}  // namespace posproof::gate_skips_test
