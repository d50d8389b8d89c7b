#include "report/headline.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "core/call.h"
#include "gate/history.h"
#include "subject/words.h"

namespace posproof::report {
namespace {

template <class Kind>
std::size_t count(const GateResult& gated) {
  return static_cast<std::size_t>(std::ranges::count_if(
      gated.results, [](const PropertyResult& one) { return std::holds_alternative<Kind>(one.verdict); }));
}

// Of one kind: settings and defects, each of which explains all by itself, or what was measured, together.
std::string named(const GateResult& gated, Explanation::Kind kind, std::string_view shape,
                  std::string_view between) {
  std::vector<std::string> all;
  for (const Explanation& one : gated.explanations)
    if (one.kind == kind) all.push_back(fmt::format(fmt::runtime(shape), one.what));
  return fmt::format("{}", fmt::join(all, between));
}

// The last line of what it said: of an error with a traceback, the error.
std::string last_line(std::string_view words) {
  while (!words.empty() && words.back() == '\n') words.remove_suffix(1);
  return printable(words.substr(words.rfind('\n') + 1));
}

// Whether one question is several calls of the implementation, which remembers: a question that fails on a
// new object may fail by the first of its calls.
bool is_remembered_within_a_call(const GateResult& gated) {
  return gated.subject.takes_positions != "each" &&
         std::ranges::any_of(gated.results, [](const PropertyResult& one) {
           const auto* refuted = std::get_if<Refuted>(&one.verdict);
           return one.id == history_id && refuted != nullptr && needs_calls_before(*refuted);
         });
}

std::string cause(const GateResult& gated) {
  for (const std::string& words : {named(gated, Explanation::Kind::convention, "`{}`", " or "),
                                   named(gated, Explanation::Kind::measured, "{}", "; "),
                                   named(gated, Explanation::Kind::defect, "defect {}", " or ")})
    if (!words.empty()) return words;
  for (const PropertyResult& one : gated.results) {
    const auto* refuted = std::get_if<Refuted>(&one.verdict);
    if (refuted == nullptr) continue;
    if (one.needs_history || (one.id == history_id && needs_calls_before(*refuted)))
      return "answers depend on the calls before";
    if (!refuted->instead.empty()) return what_came(refuted->instead, gated.subject.encoding);
    break;
  }
  return is_remembered_within_a_call(gated) ? "answers depend on the calls before" : "";
}

// That rounding could be as large does not say that it is rounding.
std::string looser_precision(const GateResult& gated) {
  if (!gated.holds_as.empty())
    return fmt::format("nothing is off by more than rounding in `@{}`", gated.holds_as);
  const SeemingPrecision& seeming = gated.seeming;
  const bool looser = seeming.answers > 0 && !seeming.word.empty() && !(seeming.declared_share <= 1);
  return looser ? fmt::format("no answer is off by more than rounding in `@{}`", seeming.word) : "";
}

// Of the first property that came to no end, or of what was not asked.
std::string why_undecided(const GateResult& gated) {
  for (const PropertyResult& one : gated.results) {
    if (const auto* undecided = std::get_if<Undecided>(&one.verdict))
      return fmt::format("{}: {}", one.id, last_line(undecided->why));
    if (const auto* errored = std::get_if<Errored>(&one.verdict))
      return fmt::format("{}: {}", one.id, last_line(errored->what));
    if (const auto* none = std::get_if<NotApplicable>(&one.verdict))
      return fmt::format("{}: {}", one.id, last_line(none->why));
  }
  return gated.not_checked.empty() ? "no property was asked"
                                   : fmt::format("not checked: {}", printable(gated.not_checked.front()));
}

}  // namespace

std::string what_came(std::string_view instead, const Encoding& subject) {
  const std::string line = last_line(instead);
  const std::size_t call = line.find(fmt::format("{}(", signature(subject).call));
  return call == std::string::npos ? line : line.substr(call);
}

Headline headline(const GateResult& gated) {
  const std::size_t all = gated.results.size();
  if (gated.refuted()) {
    Headline out{.verdict = "REFUTED",
                 .counted = fmt::format("{} of {} properties", count<Refuted>(gated), all),
                 .cause = cause(gated)};
    if (out.cause.empty()) out.hint = named(gated, Explanation::Kind::place, "{}", "; ");
    if (out.cause.empty() && out.hint.empty()) out.looser = looser_precision(gated);
    return out;
  }
  const std::string holding = fmt::format("{} of {} properties hold", count<Holds>(gated), all);
  if (gated.undecided() || all == 0)
    return {.verdict = "NOT DECIDED", .counted = holding, .why = why_undecided(gated)};
  return {.verdict = "HOLDS", .counted = fmt::format("{} of {} properties", all, all)};
}

std::string in_words(const Headline& headline, const GateResult& gated) {
  std::string out = headline.counted;
  if (!headline.looser.empty())
    out += fmt::format("; {}", headline.looser);
  else if (headline.verdict == "REFUTED")
    out += fmt::format("; cause: {}", headline.cause.empty() ? "not known" : headline.cause);
  if (!headline.hint.empty()) out += fmt::format("; {}", headline.hint);
  if (!headline.why.empty()) out += fmt::format("; {}", headline.why);
  if (!gated.interrupted.empty()) out += fmt::format("; {}", gated.interrupted);
  return out;
}

}  // namespace posproof::report
