#include "run/history.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <numeric>
#include <optional>
#include <vector>

#include "attention/mask.h"
#include "attention/reference_attention.h"
#include "core/call.h"
#include "core/failure.h"
#include "run/narrowed.h"
#include "search/case_result.h"

namespace posproof {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::int64_t most_before = 15, most_tokens = 129, most_batch = 5;

// The exact encoding in the kind that the subject answers in, and where both are defined.
struct Compared {
  Encoding truth, subject;
  Domain domain;
  Precision precision;
  std::function<void()> renew;
};

std::optional<Compared> compared(const Encoding& truth, const Subject& subject) {
  if (!subject.renew || positions_of(truth).axes != 1) return std::nullopt;
  for (const Encoding& same : attention::in_every_kind(truth))
    if (same.index() == subject.encoding.index())
      return Compared{same, subject.encoding, overlap(positions_of(subject.encoding), positions_of(same)),
                      subject.precision, subject.renew};
  return std::nullopt;
}

// One vector for all tokens, moved on by a channel from token to token and halved: the counterexample stays
// one vector, and tokens that are mixed up differ.
Tensor moved_on(const Shape& shape, const std::vector<double>& content) {
  Tensor x(shape);
  for (std::size_t r = 0; r < x.rows(); ++r)
    for (std::size_t c = 0; c < x.width(); ++c)
      x.at(r, c) = std::ldexp(content[(c + r) % content.size()], -static_cast<int>(r % 4));
  return x;
}

// Contents that nobody drew: 1, -0.5, 0.25 and so on, which every format holds.
std::vector<double> any_content(std::size_t width) {
  constexpr std::array<double, 5> values = {1, -0.5, 0.25, 0.75, -1};
  std::vector<double> out(width);
  for (std::size_t c = 0; c < width; ++c) out[c] = values[c % values.size()];
  return out;
}

// Consecutive tokens. The names of what is drawn end in `which`: a number for the calls before, nothing for
// the last, which alone has contents of its own.
Call drawn_call(const Compared& all, Draw& draw, const std::string& which) {
  const Signature& known = signature(all.truth);
  const auto named = [&which](std::string_view name) { return std::string(name) + which; };
  const Domain& domain = all.domain;
  const Position longest = known.positions ? domain.hi - domain.lo + 1 : most_tokens;
  const auto n = draw.integer(named("n"), 1, std::min<Position>(longest, most_tokens));
  std::vector<Position> positions(static_cast<std::size_t>(n));
  if (known.positions)
    std::iota(positions.begin(), positions.end(),
              draw.position(named("t"), domain, domain.lo, domain.hi - n + 1));
  std::size_t batch = 1;
  if (known.has(Axis::batch)) batch = static_cast<std::size_t>(draw.integer(named("batch"), 1, most_batch));
  std::vector<Position> rows;
  for (std::size_t b = 0; b < batch; ++b) rows.insert(rows.end(), positions.begin(), positions.end());

  Call call{.batch = batch, .positions = {std::move(rows)}};
  if (known.positions) call.length = positions.back() + 1;
  if (known.has(Axis::key)) call.keys = call.positions;
  if (known.mask) {
    const auto tokens = static_cast<std::size_t>(n);
    const std::vector<Value> masks =
        is_causal(all.truth) ? std::vector<Value>{"causal"} : std::vector<Value>{"none", "causal"};
    const bool causal = std::get<std::string>(draw.one_of(named("mask"), masks)) == "causal";
    call.mask =
        causal ? mask::causal(tokens) : Mask({tokens, tokens}, std::vector<double>(tokens * tokens, 1));
    call.contents.assign(known.takes.size(), Tensor({tokens, 0}));
  }
  if (known.role)
    call.role = std::get<std::string>(draw.one_of(named("role"), {"query", "key"})) == "query" ? Role::query
                                                                                               : Role::key;
  std::vector<Tensor> contents;
  for (std::size_t c = 0; c < known.takes.size(); ++c) {
    const std::size_t width = width_of_content(all.truth, c);
    Shape shape = shape_of_content(all.truth, call, c);
    contents.push_back(
        moved_on(shape, which.empty() ? draw.content(known.takes[c].name, width) : any_content(width)));
  }
  call.contents = std::move(contents);
  return call;
}

// What an answer is off by: each entry of it within rounding of the exact one, or of another answer within
// both.
Residual off_by(const Compared& all, const Call& call, const Tensor& there, const Tensor* instead = nullptr) {
  const Tensor exact = answer(all.truth, call);
  Bound allowed = bound(all.truth, call, exact, all.precision);
  for (std::size_t n = 0; n < exact.data.size(); ++n)
    allowed.error.data[n] += unit_f64 * std::abs(exact.data[n]);
  if (instead != nullptr) allowed *= 2;
  return compare(all.truth, call, there, instead != nullptr ? *instead : exact, allowed).worst;
}

// Asked of an object that was asked nothing before.
Tensor asked_alone(const Compared& all, const Call& call) {
  all.renew();
  return answer(all.subject, call);
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
  for (std::int64_t k = 1; k <= before; ++k) calls.push_back(drawn_call(all, draw, std::to_string(k)));
  calls.push_back(drawn_call(all, draw, ""));

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
  if (exact.holds()) return exact;
  const Tensor alone = asked_alone(all, calls.back());
  return off_by(all, calls.back(), last, &alone);
}

// One call of a sequence, as a case draws it.
struct Step {
  Position t;
  std::int64_t n;
  std::int64_t batch = 1;
  std::string role = "query";
  std::string mask = "causal";
};

// As case fields, cut to what the domain has.
void put(const Compared& all, Case& into, Step step, const std::string& which) {
  const Signature& known = signature(all.truth);
  const Position tokens = known.positions ? all.domain.hi - all.domain.lo + 1 : most_tokens;
  step.n = std::min(step.n, tokens);
  step.t = std::clamp(step.t, all.domain.lo, std::max(all.domain.lo, all.domain.hi - step.n + 1));
  into.set("n" + which, static_cast<double>(step.n));
  if (known.positions) into.set("t" + which, static_cast<double>(step.t));
  if (known.has(Axis::batch)) into.set("batch" + which, static_cast<double>(step.batch));
  if (known.mask) into.set("mask" + which, is_causal(all.truth) ? "causal" : step.mask);
  if (known.role) into.set("role" + which, step.role);
}

// All calls up to this one, which is the last.
Case case_of(const Compared& all, const std::vector<Step>& steps, std::size_t last) {
  Case out;
  out.set("before", static_cast<double>(last));
  for (std::size_t k = 0; k < last; ++k) put(all, out, steps[k], std::to_string(k + 1));
  put(all, out, steps[last], "");
  const Signature& known = signature(all.truth);
  for (std::size_t c = 0; c < known.takes.size(); ++c)
    out.set(known.takes[c].name, any_content(width_of_content(all.truth, c)));
  return out;
}

std::vector<std::vector<Step>> sequences(const Domain& domain) {
  const Position lo = domain.lo, hi = domain.hi;
  return {
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
       {lo + 17, 1},
       {lo + 18, 1},
       {lo, 5, 1, "query", "none"},
       {lo + 5, 1},
       {lo, 17, 2},
       {lo + 17, 1, 2},
       {lo, 17}},
  };
}

// One sequence of a new object; every answer is compared.
class Walk {
 public:
  Walk(const Compared& all, const Trial& trial, const Plan& plan, Clock::time_point deadline)
      : all_(all), trial_(trial), plan_(plan), deadline_(deadline) {}

  // What ends the search.
  std::optional<Verdict> along(const std::vector<Step>& steps) {
    all_.renew();
    for (std::size_t k = 0; k < steps.size(); ++k) {
      if (Clock::now() >= deadline_)
        return Undecided{fmt::format("stopped by {} after {} calls", plan_.budget.limit_text(), held_.cases),
                         held_};
      const Case asked = case_of(all_, steps, k);
      if (right(asked)) continue;
      if (++wrong_ > most_wrong)
        return Undecided{"too many answers are wrong without any call before them", held_};
      const CaseResult found = run_repaired(trial_, asked);
      if (found.fails()) return shrunk(trial_, fewest(steps, k, found), held_.cases + 1, plan_.budget);
      again(steps, k);
    }
    return std::nullopt;
  }

  const Holds& held() const { return held_; }

 private:
  static constexpr int most_wrong = 3;  // calls that are wrong in every object: agreement says so

  // The case without the calls that it does not need.
  CaseResult fewest(std::vector<Step> steps, std::size_t last, CaseResult found) const {
    for (std::size_t k = 0; k < last && Clock::now() < deadline_;) {
      std::vector<Step> without = steps;
      without.erase(without.begin() + static_cast<std::ptrdiff_t>(k));
      CaseResult fewer = run_repaired(trial_, case_of(all_, without, last - 1));
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
    for (std::size_t k = 0; k <= last; ++k) right(case_of(all_, steps, k));
  }

  bool right(const Case& asked) {
    Replay draw(asked);
    const Call call = drawn_call(all_, draw, "");
    try {
      const Residual exact = off_by(all_, call, answer(all_.subject, call));
      if (!exact.holds()) return false;
      held_.add(exact, asked);
    } catch (const Refusal&) {  // within its own bounds it may
    } catch (const Failure&) {
      return false;
    }
    return true;
  }

  const Compared& all_;
  const Trial& trial_;
  const Plan& plan_;
  Clock::time_point deadline_;
  Holds held_;
  int wrong_ = 0;
};

}  // namespace

Property history(const Encoding& truth, const Subject& subject) {
  return {
      .statement = "A call is answered as by a new object, whatever was asked before.",
      .formula = "f(x; t) after f(y; s), ... = f(x; t) of a new f",
      .source =
          "huggingface/transformers#25308 (a base that stays grown), EleutherAI/gpt-neox e9dc55f (positions "
          "add up); caches that grow once",
      .checks = {CallCheck{[](const Encoding&) { return true; },
                           [all = compared(truth, subject)](const Encoding&, Precision, Draw& draw) {
                             if (!all) throw Inapplicable{"the subject cannot be started anew"};
                             return check(*all, draw);
                           }}},
      .must_reject = {},
      .needs = Needs::live_subject};
}

Verdict history_searched(const Encoding& truth, const Subject& subject, const Plan& plan) {
  const auto all = compared(truth, subject);
  if (!all) return NotApplicable{"the subject cannot be started anew, or answers in another kind"};
  const Trial trial = [&all](Draw& draw) { return check(*all, draw); };
  Walk walk(*all, trial, plan, Clock::now() + plan.budget.time);
  try {
    for (const std::vector<Step>& steps : sequences(all->domain))
      if (auto end = walk.along(steps)) return std::move(*end);
  } catch (const SubjectError& error) {
    return Errored{error.what(), {}};
  }
  if (!walk.held().learned())
    return Undecided{"no call was answered whose answer could have come out otherwise"};
  return walk.held();
}

}  // namespace posproof
