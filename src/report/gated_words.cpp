#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>

#include "gate/history.h"
#include "report/accuracy.h"
#include "report/headline.h"
#include "report/upper.h"
#include "report/words.h"
#include "run/catalogued.h"
#include "subject/words.h"

namespace posproof::report {
namespace {

std::string tallied(const GateResult& gated) {
  std::map<std::string_view, std::size_t> counts;
  for (const PropertyResult& result : gated.results) ++counts[name(result.verdict)];
  std::vector<std::string> parts;
  for (const auto& [word, n] : counts) parts.push_back(fmt::format("{} {}", n, word));
  return fmt::format("{} properties asked: {}\n", gated.results.size(), fmt::join(parts, ", "));
}

std::string verdict_line(const GateResult& gated, const Style& style) {
  const Headline said = headline(gated);
  const std::string positions =
      gated.positions ? fmt::format(" --positions={}:{}", gated.positions->first, gated.positions->second)
                      : "";
  return fmt::format("{}  {}{}{} of {}: {}\n", style.paint(said.verdict), gated.encoding,
                     options(encoding_named(gated.encoding), gated.parameters), positions,
                     printable(gated.subject.name), in_words(said, gated));
}

std::string explained(const GateResult& gated) {
  std::string out;
  for (const Explanation& explanation : gated.explanations) {
    if (explanation.kind == Explanation::Kind::convention)
      out += fmt::format("every case agrees with `{}` instead ({})\n", explanation.what, explanation.meaning);
    else if (explanation.kind == Explanation::Kind::measured)
      out += fmt::format("measured: {}\n", explanation.what);
    else if (explanation.kind == Explanation::Kind::place)
      out += fmt::format("located: {}\n", explanation.what);
    else if (explanation.kind == Explanation::Kind::unfinished)
      out += fmt::format("not explained: {} (--budget gives more)\n", explanation.what);
    else
      out += fmt::format("behaves exactly like defect {} ({})\n  {}\n", explanation.what, explanation.sources,
                         explanation.meaning);
  }
  const bool nothing_explains = std::ranges::all_of(
      gated.explanations, [](const Explanation& one) { return one.kind == Explanation::Kind::place; });
  if (gated.refuted() && nothing_explains && gated.interrupted.empty())
    out += "no other setting of the encoding and no known defect explains every case\n";
  return out;
}

std::string in_full(const PropertyResult& result, const GateResult& gated, const Style& style) {
  std::string out = verdict("", result.id, *result.property, result.verdict, gated.subject.precision,
                            result.needs_history ? ""
                                                 : again(result.id, gated.encoding, gated.parameters,
                                                         &gated.subject, gated.positions),
                            style);
  if (!result.follows_from.empty()) out += fmt::format("  follows from {}\n", result.follows_from);
  if (result.needs_history)
    out += fmt::format(
        "  it depends on the calls before: a new object that is asked only this is right, see {}\n",
        history_id);
  return out;
}

// `REFUTED    a, b: follow from c`, a line for each c.
std::string grouped(const std::map<std::string, std::vector<std::string>>& by, std::string_view one,
                    std::string_view many, std::string_view more, const Style& style) {
  std::string out;
  for (const auto& [from, ids] : by)
    out += fmt::format("{}  {}: {} {}{}\n", style.paint(fmt::format("{:9}", "REFUTED")), fmt::join(ids, ", "),
                       ids.size() == 1 ? one : many, from, more);
  return out;
}

// Findings first, each in full, then what follows from them.
std::string refutations(const GateResult& gated, const Style& style, const Wanted& wanted) {
  std::string out;
  std::map<std::string, std::vector<std::string>> alike, following;
  for (const PropertyResult& result : gated.results) {
    if (!std::holds_alternative<Refuted>(result.verdict)) continue;
    if (!result.same_as.empty())
      alike[result.same_as].push_back(result.id);
    else if (!result.follows_from.empty() && !wanted.in_full)
      following[result.follows_from].push_back(result.id);
    else
      out += in_full(result, gated, style);
  }
  out += grouped(alike, "fails in the same way as", "fail in the same way as", "", style);
  return out + grouped(following, "follows from", "follow from", " (--in-full prints each)", style);
}

std::string others(const GateResult& gated, const Style& style) {
  std::string undecided, holds;
  for (const PropertyResult& result : gated.results) {
    if (std::holds_alternative<Refuted>(result.verdict)) continue;
    (std::holds_alternative<Holds>(result.verdict) ? holds : undecided) += in_full(result, gated, style);
  }
  return undecided + holds;
}

std::string measured(const GateResult& gated, const Style& style) {
  std::string out;
  if (gated.observed)
    out += fmt::format("observed   a call repeated: {}\n           a batch row or token alone: {}\n",
                       words(gated.observed->repeated), words(gated.observed->alone));
  if (const std::string seems = in_words(gated.seeming, gated.subject.precision); !seems.empty())
    out += "precision  " + seems + "\n";
  if (!gated.holds_as.empty())
    out += fmt::format("precision  would hold as `@{}`: each frequency is the one before times a ratio\n",
                       gated.holds_as);
  if (gated.accuracy) out += "accuracy\n" + summary(*gated.accuracy, gated.subject.precision, style);
  return out;
}

std::string not_asked(const GateResult& gated, const Style& style) {
  std::string out;
  for (const std::string& why : gated.not_checked)
    out += fmt::format("{}  {}\n", style.paint("NOT CHECKED"), printable(why));
  for (const std::string& alike : gated.alike) out += fmt::format("alike      {}\n", alike);
  for (const std::string& why : gated.skipped) out += fmt::format("skipped    {}\n", printable(why));
  return out;
}

bool has_a_wrong_answer(const GateResult& gated) {
  return std::ranges::any_of(gated.results, [](const PropertyResult& one) { return one.wrong != nullptr; });
}

}  // namespace

std::string gated(const GateResult& gated, const Style& style, const Wanted& wanted) {
  std::string out = verdict_line(gated, style);
  out += fmt::format("  {} gives {} in {}\n", printable(gated.subject.description),
                     kind(gated.subject.encoding), gated.subject.precision.text());
  out += contained(gated.subject.containment) + explained(gated) + refutations(gated, style, wanted);
  if (has_a_wrong_answer(gated)) out += reproduced(wanted.reproduced);
  return out + others(gated, style) + measured(gated, style) + not_asked(gated, style) + tallied(gated);
}

std::string ended(const PropertyResult& result, const Style& style) {
  return fmt::format("{}  {}", style.paint(fmt::format("{:9}", upper(name(result.verdict)))), result.id);
}

std::string reproduced(std::string_view file) {
  if (file.empty())
    return "reproduce  --reproduce FILE.py writes a script for an issue, which needs neither posproof nor its "
           "SDK\n";
  return fmt::format(
      "reproduce  {}: a script for an issue; put the code under test into `subject` and run it\n",
      printable(file));
}

}  // namespace posproof::report
