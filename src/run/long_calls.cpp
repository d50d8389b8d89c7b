#include "run/long_calls.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/call.h"
#include "core/draw.h"
#include "run/agreement.h"
#include "run/long_cases.h"
#include "run/narrowed.h"
#include "search/budget_clock.h"
#include "search/case_result.h"
#include "search/trial.h"

namespace posproof {
namespace {

using Clock = BudgetClock;

// What a wide call has more of than others of its kind, and the most that those have.
struct Width {
  std::string_view name;
  std::int64_t usual;
};
std::optional<Width> width_of(const Case& one) {
  const auto more_than = [&](std::string_view name, std::int64_t usual) {
    return one.has(name) && one.integer(name) > usual;
  };
  for (const std::string_view tokens : {"tokens", "rows"})
    if (more_than(tokens, most_usual_tokens)) return Width{tokens, most_usual_tokens};
  if (more_than("batch", 3)) return Width{"batch", 3};
  return std::nullopt;
}

// The most tokens of a long call that are half as many, or one more, at most.
std::optional<std::int64_t> half_as_long(std::int64_t tokens) {
  const auto next = std::ranges::upper_bound(long_sizes, tokens / 2 + 1);
  return next == long_sizes.begin() ? std::nullopt : std::optional(*std::prev(next));
}

std::int64_t about_half(const Width& width, std::int64_t count) {
  const std::int64_t half = count / 2 + 1;
  return width.name == "batch" ? half : half_as_long(count).value_or(half);
}

// A program that raises an error for so many batch rows or tokens may have been built for fewer, which no
// declaration says: it is asked for about half as many, as long as they are more than others of its calls
// have, and then left alone.
CaseResult asked_for_fewer(const Trial& trial, Case one) {
  CaseResult found = run_repaired(trial, one);
  const auto width = width_of(one);
  while (found.raised && width) {
    const std::int64_t fewer = about_half(*width, one.integer(width->name));
    if (fewer <= width->usual) break;
    one.set(width->name, static_cast<double>(fewer));
    found = run_repaired(trial, one);
  }
  return found;
}

// Whether a call is worth its time. What rebuilds everything for each token, in a loop, may take so long for
// the largest calls that nothing else is known of it: one that has more than four times as many entries as
// any before is left out where it would take this long.
class Pace {
 public:
  bool allows(const Case& one) const {
    constexpr double patience = 3;  // seconds
    return size_of(one) <= 4 * largest_ || size_of(one) * seconds_each_ <= patience;
  }
  void learn(const Case& one, BudgetClock::duration taken) {
    const double size = size_of(one);
    if (size < largest_ / 2) return;
    largest_ = std::max(largest_, size);
    seconds_each_ = std::chrono::duration<double>(taken).count() / size;
  }

 private:
  // Rows times tokens, queries times keys, or of the whole operator its square.
  static double size_of(const Case& one) {
    const auto count = [&](std::string_view name) {
      return one.has(name) ? static_cast<double>(std::max<std::int64_t>(1, one.integer(name))) : 1.0;
    };
    const double tokens = count("tokens");
    return count("batch") * count("rows") * count("nq") * count("nk") * tokens *
           (one.has("mask") ? tokens : 1);
  }

  double largest_ = 0, seconds_each_ = 0;
};

// What a long call has many of, and how many.
struct Length {
  std::string_view field, word;
  std::int64_t count = 0;
};
Length length_of(const Case& one) {
  Length most;
  for (const auto& [field, word] : {std::pair<std::string_view, std::string_view>{"tokens", "tokens"},
                                    {"rows", "tokens"},
                                    {"nq", "queries"},
                                    {"nk", "keys"}})
    if (one.has(field) && one.integer(field) > most.count) most = {field, word, one.integer(field)};
  return most;
}

// The token alone at which a long call is farthest off, where it is wrong alone, too; else the call.
CaseResult of_one_token(const Encoding& truth, const Encoding& subject, const Precision& precision,
                        const Trial& trial, const CaseResult& found) {
  const auto same = as_the_subject(truth, subject);
  if (!same || !signature(*same).positions || signature(*same).has(Axis::key)) return found;
  const Domain domain = overlap(positions_of(subject), positions_of(*same));
  if (domain.axes > 1 || domain.real) return found;
  try {
    Replay draw(found.drawn.values);
    const Call call = draw_call(*same, domain, draw);
    const Tensor expected = answer(*same, call), given = answer(subject, call);
    if (given.shape != expected.shape) return found;
    const Bound allowed = bound(*same, call, given, precision);
    const Comparison worst = compare(*same, call, given, expected, allowed);
    const auto place = place_of(*same, call, given, expected, allowed, worst.at);
    if (!place || place->position.empty()) return found;
    const auto t = static_cast<Position>(place->position.front());
    CaseResult alone =
        run_repaired(trial, case_of(*same, domain, t, contents_of_all_digits(*same, precision), call.role));
    return alone.fails() ? alone : found;
  } catch (const std::exception&) {  // it gave an answer before, and none now
    return found;
  }
}

}  // namespace

std::optional<Verdict> agreement_in_long_calls(const Encoding& truth, const Encoding& subject,
                                               const Precision& precision, const Budget& budget) {
  const std::vector<Case> by_length = long_cases(truth, subject, precision),
                          wide = wide_cases(truth, subject, precision);
  if (by_length.empty() && wide.empty()) return std::nullopt;
  const Trial one = *trial(agreement(truth), subject, precision);
  const auto deadline = Clock::now() + budget.time;
  Holds holds;
  std::optional<Verdict> end;
  std::optional<Errored> late;
  std::int64_t too_many = std::numeric_limits<std::int64_t>::max();
  // No answer came: of the next fewer there may be one, and no other call of so many is asked. The subject is
  // given up where a second one does not come.
  const auto asked_for_less = [&](Case asked, const CaseResult& without) {
    const Length length = length_of(asked);
    late = std::get<Errored>(verdict_of(without, holds.cases + 1));
    too_many = length.count;
    const auto fewer = half_as_long(length.count);
    if (!fewer) return without;
    asked.set(length.field, static_cast<double>(*fewer));
    CaseResult found = run_repaired(one, asked);
    if (found.end == CaseResult::End::held)
      late->what += fmt::format("; {} {} are answered, and right", *fewer, length.word);
    return found;
  };
  Pace pace;
  const auto ends = [&](const Case& asked, bool is_wide) {
    if (length_of(asked).count >= too_many || (is_wide && !pace.allows(asked))) return false;
    if (Clock::now() >= deadline)
      end = Undecided{
          fmt::format("stopped by {} after {} of the long calls", budget.limit_text(), holds.cases), holds};
    if (end) return true;
    const auto begins = Clock::now();
    CaseResult found;
    try {
      found = is_wide ? asked_for_fewer(one, asked) : run_repaired(one, asked);
    } catch (const Inapplicable&) {  // what takes as many queries as keys is asked for no others
      if (!is_wide) throw;
      return false;
    }
    if (found.end == CaseResult::End::threw) {
      found = late ? found : asked_for_less(asked, found);
      if (found.end == CaseResult::End::threw) {
        end = late;
        return true;
      }
    }
    const bool is_too_wide = is_wide && found.raised && width_of(asked);
    if (found.fails() && !is_too_wide)
      end = shrunk(one, of_one_token(truth, subject, precision, one, found), holds.cases + 1, budget);
    pace.learn(asked, Clock::now() - begins);
    if (found.end == CaseResult::End::held) holds.add(found.residual, found.drawn.values);
    return end.has_value();
  };
  const auto longest = std::span(by_length).last(std::min<std::size_t>(2, by_length.size()));
  if (std::ranges::any_of(longest, [&](const Case& asked) { return ends(asked, false); })) return end;
  if (std::ranges::any_of(wide, [&](const Case& asked) { return ends(asked, true); })) return end;
  if (late) return late;
  if (!holds.learned()) return std::nullopt;
  return holds;
}

}  // namespace posproof
