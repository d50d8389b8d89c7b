#include "diagnosis/answered.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <exception>
#include <memory>
#include <new>
#include <numeric>
#include <utility>

#include "attention/reference_attention.h"
#include "core/failure.h"
#include "diagnosis/near_draw.h"
#include "diagnosis/time_limit.h"
#include "run/agreement.h"
#include "run/long_cases.h"
#include "search/budget_clock.h"
#include "search/case_result.h"
#include "search/generate.h"
#include "search/trial.h"

namespace posproof {
namespace {

struct Last {
  Call call;
  Tensor answer;
};

// The same function, which leaves what it was asked and its answer in `last`.
Encoding remembering(const Encoding& encoding, const std::shared_ptr<Last>& last) {
  return answered_by(encoding, [encoding, last](const Call& call) {
    last->call = call;
    return last->answer = answer(encoding, call);
  });
}

// Tokens of all its rows.
std::int64_t tokens_of(const Case& one) {
  const auto count = [&](std::string_view name) { return one.has(name) ? one.integer(name) : 1; };
  return count("batch") * count("tokens") * count("rows");
}

// Longer than any call that is drawn.
bool is_long(const Call& call) {
  const std::size_t tokens = call.positions.whole.size() / std::max<std::size_t>(1, call.batch),
                    masked = call.mask.shape.empty() ? 0 : call.mask.shape.front();
  return std::max({tokens, masked, call.keys.whole.size()}) >
         static_cast<std::size_t>(std::ranges::max(tile_edges));
}

}  // namespace

std::vector<Answered> answers_of(const Subject& subject, const Encoding& truth, const Case& counterexample,
                                 std::uint64_t seed) {
  // As they come, and then those that have an unusual size, which some defects show in alone: see
  // search/generate.cpp.
  constexpr std::uint64_t as_they_come = 80, all = as_they_come + 40;
  const auto number = [](std::uint64_t n) {
    return n < as_they_come ? n : 8 * (n - as_they_come) + as_they_come + 7;
  };
  const auto time = std::chrono::milliseconds(10000);
  std::vector<Answered> answered;
  const auto last = std::make_shared<Last>();
  const auto one = trial(agreement(truth), remembering(subject.encoding, last), subject.precision);
  if (!one) return answered;
  std::size_t wrong = 0;
  const auto ask = [&](Draw& draw, bool near = false) {
    try {
      wrong += (*one)(draw).holds() ? 0 : 1;
      answered.push_back({draw.drawn(), last->call, last->answer, near});
    } catch (const std::bad_alloc&) {
      throw;
    } catch (const Discard&) {
    } catch (const std::exception&) {  // declined or died: nothing to compare
    }
  };
  if (!counterexample.empty()) {
    Replay first(counterexample);
    ask(first);
  }
  const auto ask_too = [&](const Case& asked) {
    const CaseResult found = run_repaired(*one, asked);
    if (found.end == CaseResult::End::refuted) ++wrong;
    if (found.end == CaseResult::End::held || found.end == CaseResult::End::refuted)
      answered.push_back({found.drawn.values, last->call, last->answer});
  };
  const bool of_many_tokens = !answered.empty() && is_long(answered.front().call);
  if (of_many_tokens)
    for (const Case& longer : long_cases(truth, subject.encoding, subject.precision)) ask_too(longer);
  // What holds of the few batch rows that are drawn may be otherwise in the next block of a kernel, and what
  // holds of a thousand tokens in the next thousand; and in calls of few tokens none is longer than was
  // trained on by the number of its tokens.
  // What costs more than all others together is asked where the counterexample is as large.
  constexpr std::int64_t usual_tokens = 6002;
  const std::int64_t most = std::max(usual_tokens, tokens_of(counterexample));
  for (const Case& wide : wide_cases(truth, subject.encoding, subject.precision))
    if (tokens_of(wide) <= most && ((of_many_tokens && !wide.has("nk")) || depends_on_the_call(truth) ||
                                    (wide.has("batch") && wide.integer("batch") > 1)))
      ask_too(wide);
  const auto deadline = BudgetClock::now() + time;
  for (std::uint64_t n = 0; n < all && BudgetClock::now() < deadline; ++n) {
    RandomDraw draw(seed, "diagnosis", number(n));
    ask(draw);
  }
  // What a number of tokens decides is told by calls of each small number of them, and of some around tiles.
  constexpr std::int64_t most_tokens = 24;
  constexpr std::array<std::int64_t, 8> around_tiles = {33, 48, 64, 65, 70, 100, 127, 130};
  std::vector<std::int64_t> sizes(most_tokens);
  std::iota(sizes.begin(), sizes.end(), std::int64_t{1});
  sizes.insert(sizes.end(), around_tiles.begin(), around_tiles.end());
  const std::size_t drawn = answered.size();
  const bool sized = subject.live && wrong > 0 && wrong < drawn;
  const auto one_of_them = [&](std::int64_t n) {
    return answered[drawn - 1 - static_cast<std::size_t>(n) % drawn].asked;
  };
  for (const std::int64_t n : sizes) {
    if (!sized || BudgetClock::now() >= deadline) break;
    Case other = one_of_them(n);
    for (const char* field : {"tokens", "rows"})
      if (other.has(field)) {
        other.set(field, static_cast<double>(n));
        ask_too(other);
        break;
      }
  }
  // One that is wrong in few places is asked more: nothing is explained by less than several wrong answers.
  constexpr std::uint64_t enough = 8, more = 240;
  const auto few_are_wrong = [&] { return wrong > 0 && wrong < enough; };
  for (std::uint64_t n = number(all);
       n < number(all) + more && few_are_wrong() && BudgetClock::now() < deadline; ++n) {
    RandomDraw draw(seed, "diagnosis", n);
    ask(draw);
  }
  // What is wrong in calls that hardly any draw hits, as those that end at one position, is asked there: with
  // other contents, other tokens beside, other positions in the place of some. So is what shows in contents
  // of many digits.
  const bool of_many_digits = std::ranges::any_of(
      counterexample.fields(), [](const Case::Field& field) { return has_many_digits(field.value); });
  for (std::uint64_t n = 0; n < near_draws && !counterexample.empty() &&
                            (few_are_wrong() || of_many_digits) && BudgetClock::now() < deadline;
       ++n) {
    NearDraw draw(counterexample, seed, n);
    ask(draw, true);
  }
  // Of queries and keys, by as many of both, and by fewer of either: last, since what keeps the largest may
  // be spoilt by them. Every candidate answers these calls, too: where the exact answer takes long, as that
  // of a perceptron for each offset, there are no more of them.
  constexpr std::chrono::milliseconds long_enough{30};
  for (const std::int64_t n : around_tiles) {
    const auto begins = BudgetClock::now();
    if (!sized || begins >= deadline) break;
    Case other = one_of_them(n);
    if (!other.has("nq") || !other.has("nk")) break;
    for (const auto& [queries, keys] : {std::pair{n, n}, {n / 2, n}, {n, n / 2}}) {
      other.set("nq", static_cast<double>(queries));
      other.set("nk", static_cast<double>(keys));
      ask_too(other);
    }
    if (BudgetClock::now() - begins > long_enough) break;
  }
  return answered;
}

Encoding compared_as(Encoding candidate, const Encoding& truth) {
  const std::vector<Encoding> kinds = attention::in_every_kind(truth);
  if (const Encoding* same = attention::same_kind(kinds, candidate))
    std::visit(
        [&](auto& own) {
          const auto& declared = std::get<std::decay_t<decltype(own)>>(*same);
          if constexpr (requires { own.causal; }) own.causal = declared.causal;
          if constexpr (requires { own.any_mask; }) own.any_mask = declared.any_mask;
          if constexpr (requires { own.modulo_rows; }) own.modulo_rows = declared.modulo_rows;
        },
        candidate);
  return candidate;
}

Unexplained compare(const Encoding& candidate, const Subject& subject, const std::vector<Answered>& answered,
                    Until until, std::uint64_t most) {
  Unexplained compared;
  std::uint64_t differ = 0;
  const Tensor* given = nullptr;
  const auto one =
      trial(agreement(candidate, [&](const Residual& entry) { differ += entry.holds() ? 0 : 1; }),
            answered_by(subject.encoding, [&given](const Call&) { return *given; }), subject.precision);
  for (const Answered& now : answered) {
    TimeLimit::go_on();
    given = &now.answer;
    differ = 0;
    bool declines = false;
    try {
      Replay draw(now.asked);
      if (!one) throw std::invalid_argument("another kind");
      (*one)(draw);
    } catch (const std::bad_alloc&) {
      throw;
    } catch (const Refusal&) {
      declines = true;
    } catch (const NoAnswer&) {  // its domain is another
      declines = true;
    } catch (const std::exception&) {  // another shape
      differ = std::max<std::uint64_t>(1, now.answer.data.size());
    } catch (const Discard&) {
      declines = true;
    }
    compared.entries += differ;
    compared.differs.push_back(differ > 0);
    compared.declined.push_back(declines);
    const bool first = compared.differs.front() || compared.declined.front();
    if (until == Until::unexplained && (first || compared.entries > most)) break;
  }
  return compared;
}

namespace {

// In how many of the cases that were wrong the candidate does not allow these answers.
Told told_of(const Encoding& candidate, const Subject& subject, const std::vector<Answered>& others,
             const Unexplained& wrong) {
  const Unexplained left = compare(candidate, subject, others, Until::all);
  Told out;
  for (std::size_t n = 0; n < others.size(); ++n)
    if (wrong.differs[n]) ++out.wrong, out.told += left.differs[n] ? 1 : 0;
  return out;
}

}  // namespace

Told told(const Encoding& candidate, const Encoding& truth, const Subject& subject,
          std::vector<Answered> answered, const Unexplained& wrong) {
  const std::vector<Encoding> kinds = attention::in_every_kind(truth);
  if (const Encoding* same = attention::same_kind(kinds, subject.encoding))
    for (Answered& one : answered) one.answer = answer(*same, one.call);
  return told_of(candidate, subject, answered, wrong);
}

Told told_from_others(const Encoding& candidate, const Encoding& truth, const Subject& subject,
                      std::vector<Answered> answered, const Unexplained& wrong) {
  const std::vector<Encoding> kinds = attention::in_every_kind(truth);
  const Encoding* same = attention::same_kind(kinds, subject.encoding);
  for (Answered& one : answered) {
    const Tensor right = same ? answer(*same, one.call) : one.answer;
    if (right.shape != one.answer.shape) continue;
    for (std::size_t r = 0; r < right.rows(); ++r) {
      double largest = 0;
      for (std::size_t c = 0; c < right.width(); ++c)
        for (const double entry : {right.at(r, c), one.answer.at(r, c)})
          if (std::isfinite(entry)) largest = std::max(largest, std::abs(entry));
      for (std::size_t c = 0; c < right.width(); ++c)
        one.answer.at(r, c) += (c % 2 == 0 ? largest : -largest) / 4;
    }
  }
  return told_of(candidate, subject, answered, wrong);
}

}  // namespace posproof
