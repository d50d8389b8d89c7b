// What the gate makes of what it found, on subjects within this process: which claims are asked, what counts
// as a problem, what is skipped and what is left unchecked, and that it is said.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <numbers>
#include <set>
#include <thread>

#include "attention/reference_attention.h"
#include "core/call.h"
#include "core/failure.h"
#include "run/agreement.h"
#include "run/catalogued.h"
#include "run/gate.h"
#include "run/history.h"

namespace posproof::gate_verdicts_test {
namespace {

using std::chrono::milliseconds;
using Answering = std::function<Tensor(const Encoding& right, const Call& call)>;
using Texts = std::vector<std::string>;

// An encoding, its parameters, and how a subject answers for it.
struct Gated {
  std::string encoding, parameters;
  Answering answering = [](const Encoding& right, const Call& call) { return answer(right, call); };
  std::function<void(Subject&)> change = [](Subject&) {};

  const EncodingSpec& spec() const { return encoding_named(encoding); }
  Parameters all() const { return with(spec(), Case::parse(parameters)); }

  GateResult with_options(const GateOptions& options) const {
    const Encoding right = spec().make(all());
    const auto opening = [&](const Expected&) {
      Subject subject{"made", "", right, all_f64};
      change(subject);
      subject.encoding = answered_by(subject.encoding, [right = subject.encoding, this](const Call& call) {
        return answering(right, call);
      });
      return subject;
    };
    return gate(encoding, spec(), all(), opening, options);
  }
  GateResult operator()(std::uint64_t cases = 40, const std::string& filter = "") const {
    return with_options({.budget = {.cases = cases}, .filter = filter});
  }
};

const PropertyResult* asking(const GateResult& found, std::string_view id) {
  const auto at = std::ranges::find(found.results, id, &PropertyResult::id);
  return at == found.results.end() ? nullptr : &*at;
}

template <class Kind>
const Kind& verdict(const GateResult& found, std::string_view id) {
  const PropertyResult* one = asking(found, id);
  if (one == nullptr) throw std::logic_error("not asked: " + std::string(id));
  if (const auto* kind = std::get_if<Kind>(&one->verdict)) return *kind;
  throw std::logic_error(std::string(id) + ": " + std::string(name(one->verdict)));
}

Texts asked_of(const GateResult& found) {
  Texts ids;
  for (const PropertyResult& one : found.results) ids.push_back(one.id);
  return ids;
}

bool has(const Texts& texts, std::string_view text) {
  return std::ranges::find(texts, text) != texts.end();
}

std::string starting_with(const Texts& texts, std::string_view start) {
  for (const std::string& text : texts)
    if (text.starts_with(start)) return text;
  return "";
}

std::string not_holding(const GateResult& found) {
  std::string out;
  for (const PropertyResult& one : found.results)
    if (!std::holds_alternative<Holds>(one.verdict))
      out += one.id + " " + std::string(name(one.verdict)) + "\n";
  for (const std::string& why : found.not_checked) out += why + "\n";
  return out;
}

GateResult of_verdicts(std::vector<Verdict> verdicts) {
  GateResult out = Gated{"raw_index", "dim=1"}(1, "no property");
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

TEST(GateConditions, what_is_claimed_to_fail_is_not_asked_and_nothing_twice) {
  const Texts ids = asked_of(Gated{"sinusoidal", "dim=4"}(3));
  EXPECT_EQ(ids.front(), agreement_id);
  EXPECT_EQ(std::set<std::string>(ids.begin(), ids.end()).size(), ids.size());
  EXPECT_FALSE(has(ids, "score/depends_on_offset"));
  EXPECT_TRUE(has(ids, "table/has_constant_norm"));
  EXPECT_FALSE(has(ids, "call/refuses_out_of_range"));  // it says nothing of an end
  EXPECT_FALSE(has(ids, history_id));                   // it cannot be started anew
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

TEST(GateSkips, calls_of_a_file) {
  Gated file{"rope", "dim=4 heads=2"};
  file.change = [](Subject& subject) { subject.live = false; };
  const GateResult found = file(3);
  EXPECT_TRUE(has(found.skipped, "call/agrees_in_chunks: a file answers no calls"));
  EXPECT_EQ(asking(found, "call/agrees_in_chunks"), nullptr);
  EXPECT_FALSE(found.observed.has_value());
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
      ": at the positions that this subject has it is not true of the exact encoding either: ";
  const GateResult window = ends_at("relative_table", "axes=line width=32", 31)(60, "bias/saturates");
  EXPECT_EQ(not_holding(window), "");
  EXPECT_EQ(starting_with(window.skipped, "bias/saturates" + why),
            "bias/saturates" + why + "far=31 near=30 side=past i=31");
  const GateResult skewed = ends_at("music_transformer", "dim=4 length=600", 511)(60, "contextual/saturates");
  EXPECT_EQ(not_holding(skewed), "");
  EXPECT_FALSE(starting_with(skewed.skipped, "contextual/saturates" + why).empty());
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

TEST(GateOptions, progress_counts_the_properties) {
  GateOptions options{.budget = {.cases = 2}, .filter = "rotary/"};
  std::vector<std::size_t> numbers;
  std::size_t all = 0;
  options.progress = [&](std::string_view, std::size_t number, std::size_t of) {
    numbers.push_back(number);
    all = of;
  };
  const EncodingSpec& rope = encoding_named("rope");
  const Parameters parameters = with(rope, Case::parse("dim=6"));
  gate(
      "rope", rope, parameters,
      [&](const Expected& one) {
        return Subject{"made", "", rope.make(one.parameters), all_f64};
      },
      options);
  ASSERT_GE(all, 2u);
  ASSERT_EQ(numbers.size(), all);
  for (std::size_t n = 0; n < all; ++n) EXPECT_EQ(numbers[n], n + 1);
}

TEST(GateOptions, reach_the_subject_and_the_search) {
  GateOptions options{.budget = {.cases = 5}, .filter = "rotary/is_linear", .call_time = milliseconds(1234)};
  options.sandbox = true;
  const EncodingSpec& rope = encoding_named("rope");
  const Parameters parameters = with(rope, Case::parse("dim=6"));
  std::vector<Expected> expected;
  std::vector<std::string> steps;
  options.progress = [&](std::string_view id, std::size_t number, std::size_t of) {
    steps.push_back(std::string(id) + " " + std::to_string(number) + "/" + std::to_string(of));
  };
  const auto opening = [&](const Expected& one) {
    expected.push_back(one);
    return Subject{"made", "", rope.make(one.parameters), all_f64};
  };
  const GateResult found = gate("rope", rope, parameters, opening, options);
  ASSERT_EQ(expected.size(), 1u);
  EXPECT_EQ(expected[0].encoding, "rope");
  EXPECT_EQ(expected[0].parameters, parameters);
  EXPECT_EQ(expected[0].call_time, milliseconds(1234));
  EXPECT_TRUE(expected[0].sandbox);
  ASSERT_EQ(expected[0].declared.size(), 3u);
  EXPECT_TRUE(std::holds_alternative<Rotary>(expected[0].declared[0]));
  EXPECT_EQ(verdict<Holds>(found, "rotary/is_linear").cases, 5u);
  EXPECT_EQ(steps, Texts{"rotary/is_linear 1/1"});
  EXPECT_EQ(found.encoding, "rope");
  EXPECT_EQ(found.parameters, parameters);
}

TEST(GateOptions, a_seed_draws_its_own_cases_and_the_same_again) {
  const auto asked = [](std::uint64_t seed) {
    std::vector<Position> seen;
    Gated listening{"rope", "dim=4", [&](const Encoding& right, const Call& call) {
                      seen.insert(seen.end(), call.positions.whole.begin(), call.positions.whole.end());
                      return answer(right, call);
                    }};
    GateOptions options{.seed = seed, .budget = {.cases = 10}, .filter = "rotary/is_linear"};
    listening.with_options(options);
    return seen;
  };
  EXPECT_EQ(asked(1), asked(1));
  EXPECT_NE(asked(1), asked(2));
}

TEST(GateOptions, two_heads_are_those_of_a_rotation_alone) {
  GateOptions options{.budget = {.cases = 5}, .filter = std::string(agreement_id)};
  const auto heads = [&](bool two, std::string encoding, std::string parameters, bool live = true) {
    options.two_heads = two;
    Gated one{std::move(encoding), std::move(parameters)};
    const EncodingSpec& spec = one.spec();
    const GateResult found = gate(
        one.encoding, spec, one.all(),
        [&](const Expected& expected) {
          return Subject{.name = "made",
                         .description = "",
                         .encoding = spec.make(expected.parameters),
                         .precision = all_f64,
                         .live = live};
        },
        options);
    EXPECT_FALSE(found.refuted() || found.undecided()) << not_holding(found);
    return found.parameters.integer("heads");
  };
  EXPECT_EQ(heads(true, "rope", "dim=4"), 2);
  EXPECT_EQ(heads(false, "rope", "dim=4"), 1);
  EXPECT_EQ(heads(true, "rope", "dim=4", false), 1);
  EXPECT_EQ(heads(true, "alibi", "heads=3"), 3);
}

TEST(GateOptions, exhaustive_adds_every_position_to_what_was_searched) {
  GateOptions options{.budget = {.cases = 7}, .filter = std::string(agreement_id)};
  options.positions = std::pair{Position{0}, Position{9999}};
  const Gated right{"rope", "dim=4"};
  const GateResult sample = right.with_options(options);
  EXPECT_FALSE(sample.accuracy.has_value());
  options.exhaustive = true;
  const GateResult all = right.with_options(options);
  ASSERT_TRUE(all.accuracy.has_value());
  EXPECT_EQ(all.accuracy->rows, 10000u);
  EXPECT_EQ(verdict<Holds>(all, agreement_id).cases, verdict<Holds>(sample, agreement_id).cases + 10000);
}

Tensor all_zero(Tensor out) {
  std::ranges::fill(out.data, 0.0);
  return out;
}

// What only the walk over all positions sees, and what the search saw before.
TEST(GateOptions, exhaustive_refutes_what_a_sample_misses) {
  GateOptions options{.budget = {.cases = 3}, .filter = std::string(agreement_id)};
  options.positions = std::pair{Position{0}, Position{19999}};
  const Gated wrong{"rope", "dim=4", [](const Encoding& right, const Call& call) {
                      Tensor out = answer(right, call);
                      const std::vector<Position>& at = call.positions.whole;
                      for (std::size_t r = 0; r < out.rows(); ++r)
                        if (at[r % at.size()] == 12345) std::ranges::fill(out.row(r), 0.0);
                      return out;
                    }};
  EXPECT_FALSE(wrong.with_options(options).refuted());
  options.exhaustive = true;
  const GateResult found = wrong.with_options(options);
  EXPECT_EQ(verdict<Refuted>(found, agreement_id).counterexample.integer("t"), 12345);
  EXPECT_TRUE(found.explanations.empty());
}

TEST(GateFailures, are_shown_once_and_the_first_is_named) {
  const Gated raising{"rope", "dim=4", [](const Encoding& right, const Call& call) -> Tensor {
                        if (!call.positions.whole.empty() && call.positions.whole.front() >= 3)
                          throw Failure(Failure::How::raised, "no such row", "rotate: no such row");
                        return answer(right, call);
                      }};
  const GateResult found = raising();
  const PropertyResult *first = asking(found, agreement_id), *second = asking(found, "rotary/is_linear");
  ASSERT_TRUE(first != nullptr && second != nullptr);
  EXPECT_EQ(first->same_as, "");
  EXPECT_GT(verdict<Refuted>(found, agreement_id).shrinks, 0u);
  EXPECT_EQ(second->same_as, agreement_id);
  EXPECT_EQ(verdict<Refuted>(found, "rotary/is_linear").shrinks, 0u);
  EXPECT_EQ(verdict<Refuted>(found, "rotary/is_linear").instead, "rotate: no such row");
}

// A subject with a memory: wrong from its third call on, or always. `renewed`: how often it was started anew.
GateResult remembering(int wrong_from, const std::string& filter = std::string(agreement_id),
                       int* renewed = nullptr) {
  const auto calls = std::make_shared<int>(0);
  Gated one{"rope", "dim=4", [=](const Encoding& right, const Call& call) {
              return ++*calls >= wrong_from ? all_zero(answer(right, call)) : answer(right, call);
            }};
  one.change = [=](Subject& subject) {
    subject.renew = [=] {
      *calls = 0;
      if (renewed != nullptr) ++*renewed;
    };
  };
  return one(20, filter);
}

TEST(GateFailures, that_need_what_was_asked_before_say_so) {
  int renewed = 0;
  const GateResult late = remembering(3), always = remembering(1, "rotary/", &renewed);
  ASSERT_TRUE(late.refuted() && always.refuted());
  EXPECT_TRUE(asking(late, agreement_id)->needs_history);
  EXPECT_EQ(asking(late, agreement_id)->follows_from, "") << "history was not asked";
  std::size_t fail = 0;
  for (const PropertyResult& one : always.results) {
    EXPECT_FALSE(one.needs_history) << one.id;
    fail += std::holds_alternative<Refuted>(one.verdict) ? 1 : 0;
  }
  EXPECT_GT(fail, 2u);
  EXPECT_EQ(renewed, 2) << "for the first of them, which shows at once, and for what explains it";
}

// Each of them, not the first alone; they follow from history where that was asked.
TEST(GateFailures, that_need_what_was_asked_before_are_all_told) {
  for (const std::string filter : {"rotary/", "r"}) {
    const GateResult late = remembering(9, filter);
    const std::string from(filter == "r" ? history_id : "");
    std::size_t need = 0, fail = 0;
    for (const PropertyResult& one : late.results) {
      if (one.id == history_id || !std::holds_alternative<Refuted>(one.verdict)) continue;
      ++fail;
      need += one.needs_history ? 1 : 0;
      EXPECT_EQ(one.follows_from, one.needs_history ? from : "") << one.id;
    }
    EXPECT_GT(fail, 2u);
    EXPECT_EQ(need, fail) << filter;
  }
}

// What is wrong in every object stands by itself, and says nothing of what is wrong in an old one alone.
TEST(GateFailures, that_need_no_history_stand_beside_those_that_do) {
  const auto calls = std::make_shared<int>(0);
  Gated one{"rope", "dim=4", [=](const Encoding& right, Call call) {
              if (call.positions.whole.size() == 1) ++call.positions.whole[0];
              return ++*calls >= 9 ? all_zero(answer(right, call)) : answer(right, call);
            }};
  one.change = [=](Subject& subject) { subject.renew = [=] { *calls = 0; }; };
  const GateResult found = one(20);
  verdict<Refuted>(found, history_id);
  EXPECT_FALSE(asking(found, history_id)->needs_history);
  EXPECT_EQ(asking(found, history_id)->follows_from, "");
  verdict<Refuted>(found, agreement_id);
  EXPECT_FALSE(asking(found, agreement_id)->needs_history);
  EXPECT_EQ(asking(found, agreement_id)->follows_from, "");
  verdict<Refuted>(found, "rotary/preserves_norm");
  EXPECT_TRUE(asking(found, "rotary/preserves_norm")->needs_history);
  EXPECT_EQ(asking(found, "rotary/preserves_norm")->follows_from, history_id);
}

// A single token after other calls is rotated at 0: compared with a defect that was asked nothing before,
// either.
TEST(GateFailures, are_explained_by_a_subject_that_was_asked_nothing_before) {
  const auto called = std::make_shared<bool>(false);
  Gated one{"rope", "dim=4", [=](const Encoding& right, Call call) {
              if (*called && call.positions.whole.size() == call.batch)
                std::ranges::fill(call.positions.whole, Position{0});
              *called = true;
              return answer(right, call);
            }};
  one.change = [=](Subject& subject) { subject.renew = [=] { *called = false; }; };
  const GateResult found = one(100, std::string(agreement_id));
  Texts names;
  for (const Explanation& explanation : found.explanations) names.push_back(explanation.what);
  EXPECT_EQ(names,
            (Texts{"after the first call a single token counts as 0", "rope/decode_restarts_at_zero"}));
}

TEST(GateFailures, are_explained_and_what_holds_is_not) {
  const Gated ahead{"rope", "dim=4", [](const Encoding& right, Call call) {
                      for (Position& t : call.positions.whole) ++t;
                      return answer(right, call);
                    }};
  const GateResult found = ahead(20, std::string(agreement_id));
  ASSERT_EQ(found.explanations.size(), 2u);
  EXPECT_EQ(found.explanations[0].what, "positions are one ahead");
  EXPECT_EQ(found.explanations[1].what, "rope/one_position_ahead");
  EXPECT_TRUE(Gated({"rope", "dim=4"})(20, std::string(agreement_id)).explanations.empty());
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
}  // namespace posproof::gate_verdicts_test
