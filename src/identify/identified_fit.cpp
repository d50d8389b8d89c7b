#include "identify/identified_fit.h"

#include <algorithm>
#include <cmath>
#include <new>

#include "attention/reference_attention.h"
#include "core/call.h"
#include "core/failure.h"
#include "core/function.h"
#include "run/agreement.h"
#include "run/catalogued.h"
#include "run/exhaustive.h"
#include "run/narrowed.h"
#include "run/overflows.h"
#include "search/generate.h"

namespace posproof {
namespace {

constexpr std::uint64_t calls = 100, calls_of_a_file = 32;  // all rows of a file are compared on top
// Values: an exact answer may take a microsecond for each, or a hundred.
constexpr std::size_t longest_answer = 4096;

// Call number n, as agreement draws it, and what came; none where nothing did.
std::optional<Answers::One> asked(const Encoding& subject, const Domain& domain, std::uint64_t n) {
  try {
    RandomDraw draw(1, "identify", n);
    Answers::One out{draw_call(subject, domain, draw), {}};
    if (count(shape_of_answer(subject, out.call)) > longest_answer) return std::nullopt;
    out.answer = answer(subject, out.call);
    return out;
  } catch (const std::bad_alloc&) {
    throw;
  } catch (const Discard&) {
  } catch (const Refusal&) {
  } catch (const Failure&) {
  }
  return std::nullopt;
}

// The answers that a candidate is compared with, one by one, until it has been told enough.
using Each = Function<bool(const Answers::One&)>;
using Source = Function<void(const Each&)>;

Source recorded(const Answers& answers) {
  return [&answers](const Each& each) {
    for (const Answers::One& one : answers.all())
      if (!each(one)) return;
  };
}

Source asking(const Encoding& subject, const Domain& domain) {
  return [&subject, domain](const Each& each) {
    for (std::uint64_t n = 0; n < calls_of_a_file; ++n)
      if (const auto one = asked(subject, domain, n); one && !each(*one)) return;
  };
}

// How near entries are, whatever rounding allows: what tells a slip, or noise on all of a table, from another
// convention, of which some entries are right by chance and the others far off. Where both are 0, as in the
// pairs that a content leaves empty, nothing is told.
void add_entries(const Tensor& there, const Tensor& here, const Bound& allowed, Fit& to) {
  const auto largest_of = [](const Tensor& answer) {
    double out = 0;
    for (const double entry : answer.data) out = std::max(out, std::abs(entry));
    return out;
  };
  double largest = largest_of(here);
  if (const double given = largest_of(there); given < largest / 2) largest = given;  // zeros are not near small ones
  for (std::size_t n = 0; n < here.data.size(); ++n) {
    if (there.data[n] == 0 && here.data[n] == 0) continue;
    const double off = std::abs(there.data[n] - here.data[n]), half = 0.01 * largest;
    to.near += off <= allowed.error.data[n] ? 1
               : off <= half                ? 1 - off / (2 * half)
               : off > half                 ? half / (2 * off)
                                            : 0;  // NaN
    ++to.entries;
  }
}

int passes_over(const Encoding& truth) {
  return is_modulo_rows(truth) ? 2 : is_causal(truth) ? 1 : 0;
}

// Answer by answer. What the candidate is not defined for is not compared, and an answer without entries is
// that of every convention.
Fit fit(const Encoding& truth, const Source& answers, const Subject& subject, FitUntil until) {
  Fit out{.passes_over = passes_over(truth)};
  answers([&](const Answers::One& one) {
    if (one.answer.data.empty() || overflows(truth, one.call)) return true;
    try {
      const Tensor here = answer(truth, one.call);
      if (here.shape != one.answer.shape) throw std::invalid_argument("another number of heads, say");
      const Agreement found = agreement_in_full(truth, one.call, one.answer, here, subject.precision,
                                                positions_of(subject.encoding));
      const Residual& worst = found.compared.worst;
      ++out.of;
      if (until != FitUntil::first_wrong) add_entries(one.answer, here, found.allowed, out);
      if (worst.holds()) {
        out.share = std::max(out.share, worst.error_over_bound());
        return true;
      }
      ++out.wrong;
      if (!out.first)
        out.first = place_of(truth, one.call, one.answer, here, found.allowed, found.compared.at);
    } catch (const std::bad_alloc&) {
      throw;
    } catch (const Refusal&) {
      return true;
    } catch (const std::exception&) {  // it takes calls of another shape
      ++out.of, ++out.wrong;
    }
    return until != FitUntil::first_wrong;
  });
  return out;
}

// Whether an answer is so far from that of the reference, in long double, that it is wrong by the exact one,
// too, which takes hundreds of digits. The reference is off by less than what the subject is
// allowed, and the exact answer is allowed about as much.
bool is_far_off(const Encoding& reference, const Source& answers, const Subject& subject) {
  constexpr double certainly = 4;  // in bounds
  bool far_off = false;
  answers([&](const Answers::One& one) {
    if (one.answer.data.empty() || overflows(reference, one.call)) return true;
    try {
      const Tensor here = answer(reference, one.call);
      if (here.shape != one.answer.shape) return false;
      const Agreement found = agreement_in_full(reference, one.call, one.answer, here, subject.precision,
                                                positions_of(subject.encoding));
      far_off = found.compared.worst.error_over_bound() > certainly;
      return !far_off;
    } catch (const std::bad_alloc&) {
      throw;
    } catch (const std::exception&) {  // what it refuses, the oracle may not
      return false;
    }
  });
  return far_off;
}

// Wrong, and by how much is not asked.
Fit wrong_at_once(const Encoding& encoding) {
  Fit out{.passes_over = passes_over(encoding)};
  out.of = out.wrong = 1;
  return out;
}

std::optional<Fit> fit_of_a_program(const Candidate& candidate, const Unidentified& asked,
                                    const Answers& answers, FitUntil until) {
  const EncodingSpec& spec = encoding_named(candidate.encoding);
  const Parameters parameters = with(spec, candidate.parameters);
  const Subject& subject = asked.subject();
  const std::vector<Encoding> references = attention::in_every_kind(spec.make(parameters));
  const Encoding* reference = attention::same_kind(references, subject.encoding);
  if (reference == nullptr) return std::nullopt;
  if (until == FitUntil::all_nearly) return fit(*reference, recorded(answers), subject, until);
  if (until == FitUntil::first_wrong && is_far_off(*reference, recorded(answers), subject))
    return wrong_at_once(*reference);
  const std::vector<Encoding> truths = attention::in_every_kind(spec.oracle(parameters));
  return fit(*attention::same_kind(truths, subject.encoding), recorded(answers), subject, until);
}

// Where the answer to that case is wrong.
std::optional<Place> place_in(const Encoding& truth, const Subject& subject, const Case& counterexample) {
  Replay draw(counterexample);
  const Call call = draw_call(truth, overlap(positions_of(subject.encoding), positions_of(truth)), draw);
  const Tensor there = answer(subject.encoding, call), here = answer(truth, call);
  const Agreement found =
      agreement_in_full(truth, call, there, here, subject.precision, positions_of(subject.encoding));
  return place_of(truth, call, there, here, found.allowed, found.compared.at);
}

// Of a file: the convention has an end, and some of the rows stand behind it.
bool has_rows_past_the_end(const Encoding& file, const Encoding& truth) {
  const Domain &has = positions_of(file), &declared = positions_of(truth);
  return has.axes == 1 && declared.axes == 1 && declared.ends && has.hi > declared.hi;
}

void add_every_row(const Encoding& truth, const Subject& subject, Fit& out) {
  Budget budget{.time = std::chrono::seconds(20)};
  budget.shrinks = 0;
  const Exhaustive all = exhaustive(truth, subject, budget, true);
  if (!all.verdict) return;
  if (const auto* refuted = std::get_if<Refuted>(&*all.verdict)) {
    out.wrong = 1;
    out.counterexample = refuted->counterexample;
    out.first = place_in(truth, subject, refuted->counterexample);
  } else if (const auto* held = std::get_if<Holds>(&*all.verdict)) {
    out.share = std::max(out.share, held->worst.error_over_bound());
    out.of = static_cast<std::size_t>(all.accuracy ? all.accuracy->rows : held->cases);
  } else {
    out.wrong = 1;
  }
}

}  // namespace

void record(const Answers& answers, const Subject& subject) {
  const Encoding kept = answers.kept_of(subject.encoding);
  for (std::uint64_t n = 0; n < (subject.live ? calls : calls_of_a_file); ++n)
    asked(kept, positions_of(subject.encoding), n);
}

std::optional<Fit> fit(const Candidate& candidate, const Unidentified& asked, const Answers& answers,
                       FitUntil until) {
  const EncodingSpec& spec = encoding_named(candidate.encoding);
  try {
    if (asked.live()) return fit_of_a_program(candidate, asked, answers, until);
    const std::vector<Encoding> kinds =
        attention::in_every_kind(spec.oracle(with(spec, candidate.parameters)));
    const Subject subject = asked.as(candidate, kinds);
    const Encoding* truth = attention::same_kind(kinds, subject.encoding);
    if (truth == nullptr || has_rows_past_the_end(subject.encoding, *truth)) return std::nullopt;
    const Domain both = overlap(positions_of(subject.encoding), positions_of(*truth));
    if (until == FitUntil::first_wrong) {
      const std::vector<Encoding> references =
          attention::in_every_kind(spec.make(with(spec, candidate.parameters)));
      const Encoding* reference = attention::same_kind(references, subject.encoding);
      if (reference != nullptr && is_far_off(*reference, asking(subject.encoding, both), subject))
        return wrong_at_once(*truth);
    }
    Fit out = fit(*truth, asking(subject.encoding, both), subject, until);
    if (out.holds() && positions_of(subject.encoding).ends) add_every_row(*truth, subject, out);
    return out;
  } catch (const std::invalid_argument&) {  // the file has another shape
    return std::nullopt;
  } catch (const Refusal&) {
    return std::nullopt;
  }
}

}  // namespace posproof
