#include "gate/history.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

#include "attention/reference_attention.h"
#include "core/call.h"
#include "core/failure.h"
#include "core/function.h"
#include "core/term.h"
#include "gate/history_calls.h"
#include "run/agreement.h"
#include "run/narrowed.h"
#include "search/budget_clock.h"
#include "search/case_result.h"

namespace posproof {
namespace {

using Clock = BudgetClock;
using histories::Callee;
using histories::most_before;
using histories::most_behind;
using histories::Step;

// The exact encoding in the kind that the subject answers in, asked where both are defined.
struct Compared {
  histories::Callee truth;
  Encoding subject;
  Precision precision;
  Function<void()> renew;
};

// Of several numbers a rotation's position may have any, and the row of a table; a class token has places of
// its own, and tokens of a window are no sequence.
bool has_calls(const Encoding& truth) {
  const Domain& domain = positions_of(truth);
  const Signature& known = signature(truth);
  return domain.axes == 1 || known.role || (known.has(Axis::token) && !domain.real && !domain.class_token);
}

// Why there is nothing to compare, where there is nothing.
std::string why_not(const Encoding& truth, const Subject& subject) {
  if (!subject.renew) return "the subject cannot be started anew";
  if (!has_calls(truth))
    return fmt::format("the calls are of a sequence, and a position has {} numbers",
                       positions_of(truth).axes);
  return fmt::format("the subject answers as {}, and the exact encoding, a {}, does not",
                     kind(subject.encoding), kind(truth));
}

std::optional<Compared> compared(const Encoding& truth, const Subject& subject) {
  if (!subject.renew || !has_calls(truth)) return std::nullopt;
  const std::vector<Encoding> kinds = attention::in_every_kind(truth);
  const Encoding* same = attention::same_kind(kinds, subject.encoding);
  if (same == nullptr) return std::nullopt;
  return Compared{{*same, overlap(positions_of(subject.encoding), positions_of(*same))},
                  subject.encoding,
                  subject.precision,
                  subject.renew};
}

// What an answer is off by: each entry of it within rounding of the exact one, or of another answer within
// both.
Residual off_by(const Compared& all, const Call& call, const Tensor& there, const Tensor* instead = nullptr) {
  const Tensor exact = answer(all.truth.encoding, call);
  Agreement found =
      agreement_in_full(all.truth.encoding, call, there, exact, all.precision, positions_of(all.subject));
  if (instead == nullptr) return found.compared.worst;
  found.allowed *= 2;
  return compare(all.truth.encoding, call, there, *instead, found.allowed).worst;
}

// Asked of an object that was asked nothing before.
Tensor asked_alone(const Compared& all, const Call& call) {
  all.renew();
  return answer(all.subject, call);
}

// The same, where an object that was asked others before gave the right answer.
Tensor asked_alone_too(const Compared& all, const Call& call) {
  try {
    return asked_alone(all, call);
  } catch (const Refusal& refusal) {
    throw Failure(Failure::How::raised, "a new object declines it",
                  fmt::format("a new object declines it: {}", refusal.what()));
  }
}

// Whether it answers when it is asked alone.
bool answers_alone(const Compared& all, const Call& call) {
  try {
    asked_alone(all, call);
    return true;
  } catch (const Failure&) {
    return false;
  }
}

Residual check(const Compared& all, Draw& draw) {
  const std::int64_t before = draw.integer("before", 0, most_before);
  std::vector<Call> calls;
  for (std::int64_t k = 1; k <= before; ++k) calls.push_back(drawn_call(all.truth, draw, std::to_string(k)));
  calls.push_back(drawn_call(all.truth, draw, ""));
  // Of one call alone agreement says whether it is right: in a recorded case that is asked for.
  const bool against_the_exact_answer =
      before == 0 && draw.one_of("against", {histories::a_new_object}, {histories::the_exact_answer}) ==
                         Value(histories::the_exact_answer);

  all.renew();
  Tensor last;
  for (const Call& call : calls) {
    try {
      last = answer(all.subject, call);
    } catch (const Failure&) {
      // One that a new object fails in as well says nothing of the calls before.
      if (!answers_alone(all, call)) throw Discard{};
      throw;
    }
  }
  const Residual exact = off_by(all, calls.back(), last);
  if (against_the_exact_answer) return exact;
  const Tensor alone = exact.holds() ? asked_alone_too(all, calls.back()) : asked_alone(all, calls.back());
  const Residual as_alone = off_by(all, calls.back(), last, &alone);
  return exact.holds() && as_alone.holds() ? exact : as_alone;
}

Step every_second(Position t, std::int64_t n) {
  return {.t = t, .n = n, .step = 2};
}
Step backwards(Position t, std::int64_t n) {
  return {.t = t, .n = n, .step = -1};
}
Step backwards_between(Position t, std::int64_t n) {
  return {.t = t, .n = n, .step = 0};
}

Step rows_apart(Position t, std::int64_t n, std::int64_t apart) {
  return {.t = t, .n = n, .batch = 3, .rows_apart = apart};
}

Step axes_apart(Position t, std::int64_t n, std::int64_t apart) {
  return {.t = t, .n = n, .axes_apart = apart};
}

// One token whose keys are all before it, or so many tokens.
Step behind(Position lo, std::int64_t tokens, std::int64_t n = 1) {
  return {.t = lo + tokens, .n = n, .behind = tokens};
}

std::vector<std::vector<Step>> sequences(const Callee& of) {
  const Position lo = of.domain.lo, hi = of.domain.hi;
  std::vector<std::vector<Step>> all = {
      // grows, from one token to the end; then it is short again, in batches, as keys, elsewhere
      {{lo, 1},
       {lo, 8},
       {lo, 33},
       {lo, 129},
       {lo + 500, 13, 1},
       {lo + 4090, 7},
       {hi - 2, 3},
       {lo, 8, 1, "query", "none"},
       {lo, 8, 3},
       {lo + 100, 8, 3},
       {lo, 8, 1, "key"},
       {lo + 100, 8},
       {lo, 5, 2, "key", "none"}},
      // from the far end: what grew stays grown
      {{hi, 1}, {lo, 4}, {lo, 64}, {lo, 4, 5}, {lo, 4}, {lo + 1000, 4, 1, "key"}, {lo + 3, 1}},
      // prefill and decode, twice
      {{lo, 17},
       behind(lo, 17),
       behind(lo, 18),
       {lo, 5, 1, "query", "none"},
       behind(lo, 5),
       {lo, 17, 2},
       {lo + 17, 1, 2},
       {lo, 17}},
      // as many tokens from the same first position on, or to the same last one, or both
      {{lo, 4},
       every_second(lo, 4),
       {lo + 3, 4},
       backwards(lo, 4),
       {lo, 7},
       backwards(lo, 7),
       {lo, 6},
       backwards_between(lo, 6)},
  };
  const Signature& known = signature(of.encoding);
  // keys before any query
  if (known.role) all.push_back({{lo, 8, 1, "key"}, {lo, 8}, {lo + 3, 5, 2, "key"}});
  // rows of which the first stands where it stood, and the others do not
  if (known.has(Axis::batch) && known.positions)
    all.push_back({rows_apart(lo, 16, 0), rows_apart(lo, 16, 5), rows_apart(lo, 16, 2),
                   rows_apart(lo + 16, 1, 5), rows_apart(lo + 16, 1, 3), rows_apart(lo + 16, 1, 0)});
  // numbers of one axis stand where they stood, and those of others do not
  if (of.domain.axes > 1 && known.positions)
    all.push_back({axes_apart(lo, 16, 0), axes_apart(lo, 16, 3), axes_apart(lo, 16, 0),
                   axes_apart(lo, 16, -3), axes_apart(lo + 16, 1, 0), axes_apart(lo + 16, 1, 5),
                   axes_apart(lo + 16, 1, -5)});
  // what was made for a prompt, asked for tokens far behind it, one and some; then for a longer prompt
  if (known.has(Axis::key) && known.positions)
    all.push_back({{lo, 4},
                   behind(lo, 4),
                   behind(lo, 12),
                   {lo, 10},
                   behind(lo, 10),
                   behind(lo, 60),
                   behind(lo, 61, 3),
                   behind(lo, 300),
                   {lo, 33},
                   behind(lo, 33),
                   behind(lo, 40, 4)});
  return all;
}

// So many positions the models that people use are made for, where that is none of the numbers below: patches
// of images and frames of speech, mostly, and tokens of texts.
constexpr std::array<Position, 12> of_images_and_speech = {77,  197,  257,  320,  577,  640,
                                                           729, 1370, 1500, 1601, 3600, 4032};
constexpr std::array<Position, 12> of_texts = {7168,   14336,  28672,  32000,  40960,  81920,
                                               120000, 128000, 130048, 163840, 202752, 256000};

// The first position behind each of these many, in a new object that was asked none further: there what is
// kept for as many may grow one call too late. Where a key stands so far before a query, so may what is kept
// by the distance.
std::vector<std::vector<Step>> behind_full_caches(const Callee& of) {
  if (!signature(of.encoding).positions) return {};
  constexpr Position longest = Position{1} << 18;
  const bool has_keys = signature(of.encoding).has(Axis::key);
  const std::int64_t n = has_keys ? 2 : 1;  // a token has no offset from itself
  std::vector<Step> powers, thirds, round, images, texts;
  const auto add = [&](std::vector<Step>& to, Position count) {
    if (count > of.domain.lo && count <= std::min(of.domain.hi, longest)) to.push_back({count - n + 1, n});
  };
  for (Position power = 32; power <= longest; power *= 2) {
    add(powers, power);
    add(thirds, power / 2 * 3);
  }
  for (Position ten = 100; ten < longest; ten *= 10)
    for (const Position times : {1, 2, 5}) add(round, times * ten);
  for (const Position count : of_images_and_speech) add(images, count);
  for (const Position count : of_texts) add(texts, count);
  std::vector<std::vector<Step>> out = {powers, thirds, round, images, texts};
  for (std::size_t one = 0, all = out.size(); has_keys && one < all; ++one) {
    std::vector<Step> apart;
    for (const Step& step : out[one])
      if (const Position count = step.t + n - 1 - of.domain.lo; count < most_behind)
        apart.push_back(behind(of.domain.lo, count));
    out.push_back(std::move(apart));
  }
  return out;
}

// One sequence of a new object; every answer is compared.
class Walk {
 public:
  Walk(const Compared& all, const Trial& trial, const Plan& plan, Clock::time_point deadline)
      : all_(all), trial_(trial), plan_(plan), deadline_(deadline) {}

  // What ends the search.
  std::optional<Verdict> along(std::vector<Step> steps) {
    all_.renew();
    for (std::size_t k = 0; k < steps.size(); ++k) {
      if (of_itself_alone_)
        for (Step& step : steps) step.behind = 0;
      if (Clock::now() >= deadline_)
        return Undecided{fmt::format("stopped by {} after {} calls", plan_.budget.limit_text(), held_.cases),
                         held_};
      const Case asked = case_of(all_.truth, steps, k);
      const Answered answered = asked_now(asked);
      if (answered == Answered::right) continue;
      if (answered == Answered::inapplicable) {
        of_itself_alone_ = true;
        continue;
      }
      if (answered == Answered::wrong) {
        if (++wrong_ > most_wrong)
          return Undecided{"too many answers are wrong without any call before them", held_};
        const CaseResult found = run_repaired(trial_, asked);
        if (found.fails()) return shrunk(trial_, fewest(steps, k, found), held_.cases + 1, plan_.budget);
        if (!alone_) alone_ = case_of(all_.truth, {steps[k]}, 0);
      }
      if (answered == Answered::refused && all_are_refused_) continue;
      // A new object does the same; one that was asked for the far end, or for keys far behind it, may not.
      Step far{all_.truth.domain.hi, 1};
      if (steps[k].behind > 0) far.behind = most_behind;
      const std::vector<Step> grown = {far, steps[k]};
      const CaseResult other = run_repaired(trial_, case_of(all_.truth, grown, 1));
      if (other.fails()) return shrunk(trial_, other, held_.cases + 1, plan_.budget);
      all_are_refused_ = answered == Answered::refused;
      again(steps, k);
    }
    return std::nullopt;
  }

  const Holds& held() const { return held_; }
  // A call that an object is wrong in whatever it was asked before.
  const std::optional<Case>& wrong_alone() const { return alone_; }

 private:
  static constexpr int most_wrong = 3;  // calls that are wrong in every object: agreement says so

  // The case without the calls that it does not need.
  CaseResult fewest(std::vector<Step> steps, std::size_t last, CaseResult found) const {
    for (std::size_t k = 0; k < last && Clock::now() < deadline_;) {
      std::vector<Step> without = steps;
      without.erase(without.begin() + static_cast<std::ptrdiff_t>(k));
      CaseResult fewer = run_repaired(trial_, case_of(all_.truth, without, last - 1));
      if (!fewer.fails_like(found)) {
        ++k;
        continue;
      }
      steps = std::move(without);
      found = std::move(fewer);
      --last;
    }
    return found;
  }

  // The object was replaced: a new one is asked the calls before.
  void again(const std::vector<Step>& steps, std::size_t last) {
    all_.renew();
    const Holds before = held_;
    for (std::size_t k = 0; k <= last; ++k) asked_now(case_of(all_.truth, steps, k));
    held_ = before;  // they were counted when they were asked first
  }

  enum class Answered { right, wrong, refused, inapplicable };

  Answered asked_now(const Case& asked) {
    Replay draw(asked);
    const Call call = drawn_call(all_.truth, draw, "");
    try {
      const Residual exact = off_by(all_, call, answer(all_.subject, call));
      if (!exact.holds()) return Answered::wrong;
      held_.add(exact, asked);
    } catch (const Inapplicable&) {  // what takes as many queries as keys is asked for no others
      return Answered::inapplicable;
    } catch (const Refusal&) {  // within its own bounds it may
      return Answered::refused;
    } catch (const Failure&) {
      return Answered::wrong;
    }
    return Answered::right;
  }

  const Compared& all_;
  const Trial& trial_;
  const Plan& plan_;
  Clock::time_point deadline_;
  Holds held_;
  int wrong_ = 0;
  std::optional<Case> alone_;
  bool of_itself_alone_ = false;
  bool all_are_refused_ =
      false;  // the last that was refused is by an object that was asked for the far end, too
};

}  // namespace

bool needs_calls_before(const Refuted& refuted) {
  const Case& found = refuted.counterexample;
  return !found.has("before") || found.integer("before") > 0;
}

Property history(const Encoding& truth, const Subject& subject) {
  return {
      .statement = "A call is answered as by a new object, whatever was asked before.",
      .formula = "f(x; t) after f(y; s), ... = f(x; t) of a new f",
      .source =
          "huggingface/transformers#25308 (a base that stays grown), EleutherAI/gpt-neox e9dc55f (positions "
          "add up); caches that grow once",
      .checks = {CallCheck{[](const Encoding&) { return true; },
                           [all = compared(truth, subject), why = why_not(truth, subject)](
                               const Encoding&, Precision, Draw& draw) {
                             if (!all) throw Inapplicable{why};
                             return check(*all, draw);
                           }}},
      .must_reject = {},
      .needs = Needs::live_subject};
}

TrialOf history_of(const Encoding& truth, const Subject& subject) {
  return [truth, subject](const Encoding& instead) -> std::optional<Trial> {
    Subject other = subject;
    other.encoding = instead;
    const auto all = compared(truth, other);
    if (!all) return std::nullopt;
    return [all = *all](Draw& draw) { return check(all, draw); };
  };
}

Verdict history_searched(const Encoding& truth, const Subject& subject, const Plan& plan, Agrees agrees) {
  const auto all = compared(truth, subject);
  if (!all) return NotApplicable{why_not(truth, subject)};
  const Trial trial = [&all](Draw& draw) { return check(*all, draw); };
  Walk walk(*all, trial, plan, Clock::now() + plan.budget.time);
  const auto end_of = [&](const std::vector<std::vector<Step>>& sequences) -> std::optional<Verdict> {
    for (const std::vector<Step>& steps : sequences)
      if (auto end = steps.empty() ? std::nullopt : walk.along(steps)) return end;
    return std::nullopt;
  };
  // A call that agreement has not asked for: nothing else says that it is wrong.
  const auto wrong_alone = [&]() -> std::optional<Verdict> {
    if (agrees == Agrees::unknown || !walk.wrong_alone()) return std::nullopt;
    Case asked = *walk.wrong_alone();
    asked.set("against", histories::the_exact_answer);
    const CaseResult found = run_repaired(trial, asked);
    if (!found.fails()) return std::nullopt;
    return shrunk(trial, found, walk.held().cases + 1, plan.budget);
  };
  try {
    auto end = end_of(sequences(all->truth));
    if (!end) end = end_of(behind_full_caches(all->truth));
    if (end && std::holds_alternative<Refuted>(*end)) return std::move(*end);
    if (auto alone = wrong_alone()) return std::move(*alone);
    if (end) return std::move(*end);
  } catch (const SubjectError& error) {
    return Errored{error.what(), {}};
  }
  if (!walk.held().learned()) return Undecided{"none of the answered calls could have failed"};
  return walk.held();
}

}  // namespace posproof
