#include "report/words.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <iterator>
#include <map>

#include "report/accuracy.h"
#include "run/agreement.h"
#include "run/catalogued.h"
#include "run/claimed.h"
#include "run/history.h"
#include "run/sharpness.h"
#include "subject/words.h"

namespace posproof::report {
namespace {

std::string upper(std::string_view word) {
  std::string out(word);
  std::transform(out.begin(), out.end(), out.begin(),
                 [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  return out;
}

std::string off_by(const Residual& residual, const Precision& precision) {
  if (std::isnan(residual.error)) return "the answer is not a number";
  return fmt::format("off by {:.6g}, rounding in {} allows {:.6g}", residual.error, precision.text(),
                     residual.bound);
}

struct Story {
  const Precision& precision;

  std::string operator()(const Holds& holds) const {
    const double percent = 100 * holds.worst.error_over_bound();
    return fmt::format("{} cases, {} of them vacuous, error at most {:.2g} % of the bound", holds.cases,
                       holds.vacuous, percent);
  }
  std::string operator()(const Refuted& refuted) const {
    std::string out =
        refuted.instead.empty() ? off_by(refuted.residual, precision) : printable(refuted.instead);
    out += fmt::format("\n  at  {}", refuted.counterexample.text());
    if (!refuted.repeats) out += "\n  flaky: asked again, alone, the same case did not fail";
    if (!refuted.irrelevant.empty())
      out += fmt::format("\n  does not matter: {}", fmt::join(refuted.irrelevant, ", "));
    return out;
  }
  std::string operator()(const Undecided& undecided) const { return printable(undecided.why); }
  std::string operator()(const Errored& errored) const {
    const std::string what = printable(errored.what);
    return errored.at.empty() ? what : fmt::format("{}\n  at  {}", what, errored.at.text());
  }
  std::string operator()(const NotApplicable& none) const { return printable(none.why); }
};

const Case* counterexample(const Verdict& verdict) {
  if (const auto* refuted = std::get_if<Refuted>(&verdict)) return &refuted->counterexample;
  if (const auto* errored = std::get_if<Errored>(&verdict)) return &errored->at;
  return nullptr;
}

std::string tallied(const GateResult& gated) {
  std::map<std::string_view, std::size_t> counts;
  for (const PropertyResult& result : gated.results) ++counts[name(result.verdict)];
  std::vector<std::string> parts;
  for (const auto& [word, n] : counts) parts.push_back(fmt::format("{} {}", n, word));
  return fmt::format("{} properties asked: {}", gated.results.size(), fmt::join(parts, ", "));
}

}  // namespace

std::string Style::paint(std::string_view word) const {
  if (!colour) return std::string(word);
  const auto is = [&](std::string_view other) { return word.find(other) != std::string_view::npos; };
  const int code = is("REFUTED") || is("BROKEN") || is("STALE") || is("ERRORED") ? 31 : is("HOLDS") ? 32 : 33;
  return fmt::format("\x1b[{}m{}\x1b[0m", code, word);
}

std::string options(const EncodingSpec& spec, const Parameters& parameters) {
  std::string out;
  for (const Parameter& parameter : spec.parameters) {
    const Value* value = parameters.find(parameter.name);
    if (value != nullptr && text(*value) != text(parameter.standard))
      out += fmt::format(" --{} {}", parameter.name, text(*value));
  }
  return out;
}

std::string contained(const Containment& containment) {
  if (containment.contained.empty()) return "";
  return fmt::format("  contained: {}\n  not contained: {}\n", fmt::join(containment.contained, ", "),
                     fmt::join(containment.not_contained, ", "));
}

std::string quoted(std::string_view words) {
  const bool plain = printable(words) == words;
  std::string out = plain ? "'" : "$'";
  for (const char c : words) {
    const auto byte = static_cast<unsigned char>(c);
    if (plain)
      out += c == '\'' ? std::string("'\\''") : std::string(1, c);
    else if (byte < ' ' || byte > '~')
      out += fmt::format("\\{:03o}", byte);
    else
      out += c == '\'' || c == '\\' ? std::string{'\\', c} : std::string(1, c);
  }
  return out + "'";
}

std::string verdict(std::string_view subject, std::string_view id, const Property& property,
                    const Verdict& verdict, const Precision& precision, std::string_view again,
                    const Style& style) {
  const std::string word = style.paint(fmt::format("{:9}", upper(name(verdict))));
  const std::string story = std::visit(Story{precision}, verdict);
  if (std::holds_alternative<Holds>(verdict)) return fmt::format("{}  {:44}  {}\n", word, id, story);
  const std::string who = subject.empty() ? "" : fmt::format("{}  ", printable(subject));
  std::string out =
      fmt::format("{}  {}{}\n  {}  {}\n  {}\n", word, who, id, property.statement, property.formula, story);
  const Case* at = counterexample(verdict);
  if (at != nullptr && !at->empty() && !again.empty())
    out += fmt::format("  again: {} --case {}\n", again, quoted(at->text()));
  return out;
}

std::string again(std::string_view property, std::string_view encoding, const Parameters& parameters,
                  const Subject* subject) {
  std::string out = fmt::format("posproof check {} {}{}", property, encoding,
                                options(encoding_named(encoding), parameters));
  if (subject == nullptr) return out;
  return out + fmt::format(" {}{}", quoted(subject->name),
                           subject->containment.contained.empty() ? "" : " --sandbox");
}

std::string claimed_to_fail(const Claim& claim, const ClaimResult& witness, const Verdict& searched) {
  if (witness.status != ClaimStatus::as_claimed)
    return fmt::format("  claimed to fail: {}: {}\n", name(witness.status), witness.why);
  return fmt::format(
      "  fails as claimed, because {}\n  witness  {}  off by {:.3g}{}\n", claim.because, claim.witness,
      claim.by, std::holds_alternative<Refuted>(searched) ? "" : " (what was searched does not show it)");
}

std::string gated(const GateResult& gated, const Style& style) {
  std::string out =
      fmt::format("gate {}{} of {}\n", gated.encoding,
                  options(encoding_named(gated.encoding), gated.parameters), printable(gated.subject.name));
  out += fmt::format("  {} gives {} in {}\n", printable(gated.subject.description),
                     kind(gated.subject.encoding), gated.subject.precision.text());
  out += contained(gated.subject.containment);
  for (const PropertyResult& result : gated.results) {
    const Property& property = *result.property;
    if (!result.same_as.empty()) {
      out += fmt::format("{}  {}  fails in the same way as {}\n", style.paint(fmt::format("{:9}", "REFUTED")),
                         result.id, result.same_as);
      continue;
    }
    out += verdict(
        "", result.id, property, result.verdict, gated.subject.precision,
        result.needs_history ? "" : again(result.id, gated.encoding, gated.parameters, &gated.subject),
        style);
    if (result.needs_history)
      out += fmt::format(
          "  it depends on the calls before: a new object that is asked only this is right, see {}\n",
          history_id);
  }
  if (gated.observed)
    out += fmt::format("observed   a call repeated: {}\n           a batch row or token alone: {}\n",
                       words(gated.observed->repeated), words(gated.observed->alone));
  if (const std::string seems = in_words(gated.seeming, gated.subject.precision); !seems.empty())
    out += "precision  " + seems + "\n";
  if (gated.accuracy) out += "accuracy\n" + summary(*gated.accuracy, gated.subject.precision, style);
  for (const std::string& why : gated.not_checked)
    out += fmt::format("{}  {}\n", style.paint("NOT CHECKED"), printable(why));
  for (const std::string& alike : gated.alike) out += fmt::format("alike      {}\n", alike);
  for (const std::string& why : gated.skipped) out += fmt::format("skipped    {}\n", printable(why));
  for (const Explanation& explanation : gated.explanations) {
    if (explanation.kind == Explanation::Kind::convention)
      out += fmt::format("every case agrees with `{}` instead: {}\n", explanation.what, explanation.meaning);
    else
      out += fmt::format("behaves exactly like defect {} ({})\n  {}\n", explanation.what, explanation.sources,
                         explanation.meaning);
  }
  if (gated.refuted() && gated.explanations.empty())
    out += "no other setting of the encoding and no known defect explains every case\n";
  return out + tallied(gated) + "\n";
}

std::string matrix(const std::vector<Cell>& cells, const Style& style) {
  std::vector<std::string> encodings, properties;
  std::map<std::pair<std::string, std::string>, std::string> words;
  std::string out;
  for (const Cell& cell : cells) {
    if (std::find(encodings.begin(), encodings.end(), cell.encoding) == encodings.end())
      encodings.push_back(cell.encoding);
    if (std::find(properties.begin(), properties.end(), cell.property) == properties.end())
      properties.push_back(cell.property);
    words[{cell.encoding, cell.property}] = summary(cell);
    for (const Answer& answer : cell.answers)
      if (answer.status != ClaimStatus::as_claimed)
        out += fmt::format("{}  {}.{}: {}\n", style.paint(fmt::format("{:11}", upper(name(answer.status)))),
                           cell.encoding, cell.property, answer.why);
  }
  std::size_t wide = 8;
  for (const std::string& property : properties) wide = std::max(wide, property.size());
  out += fmt::format("{:{}}", "", wide);
  for (const std::string& encoding : encodings) out += fmt::format("  {:16}", encoding);
  out += "\n";
  for (const std::string& property : properties) {
    std::string line = fmt::format("{:{}}", property, wide);
    for (const std::string& encoding : encodings) {
      const auto found = words.find({encoding, property});
      line += fmt::format("  {:16}", found == words.end() ? "" : found->second);
    }
    line.erase(line.find_last_not_of(' ') + 1);
    out += line + "\n";
  }
  for (const auto& [fact, having, claims] : followed(cells))
    out +=
        fmt::format("follows from `{}` ({}): {}\n", fact, fmt::join(having, ", "), fmt::join(claims, ", "));
  return out;
}

namespace {

// ` (2.3 bounds)` where it is wrong by little.
std::string seen(std::string_view id, const Property& property, const NegativeExample& example) {
  if (property.yes_or_no) return "";
  const Sharpness found = sharpness(property, example, {.id = std::string(id)});
  return found.is_sharp() ? fmt::format(" ({})", found.text()) : "";
}

}  // namespace

std::string explain(std::string_view id, const Property& property) {
  std::string out = fmt::format("property {}\n  {}\n  {}\n  source: {}\n", id, property.statement,
                                property.formula, property.source);
  if (property.needs == Needs::live_subject) out += "  asked of live implementations only\n";
  for (const NegativeExample& example : property.must_reject)
    out += fmt::format("  refutes: {}{}\n", example.wrong, seen(id, property, example));
  if (property.yes_or_no) out += "  nothing is wrong by little: it is so or it is not\n";
  if (!property.never_fails_of.empty())
    out += fmt::format("  no number breaks it of: {}\n", fmt::join(property.never_fails_of, ", "));
  if (!property.not_in_16_bits.empty())
    out += fmt::format("  not asked in 16 bits: {}\n", property.not_in_16_bits);
  return out;
}

std::string explain(std::string_view id, const EncodingSpec& spec) {
  std::string out =
      fmt::format("encoding {}\n  {}\n  {}\n  source: {}\n", id, spec.summary, spec.formula, spec.source);
  for (const Parameter& parameter : spec.parameters)
    out += fmt::format("  --{:14} {}\n", parameter.name, help(parameter));
  for (const Claim& claim : claims_of(spec)) {
    const std::string when = claim.when.text();
    out += fmt::format(
        "  {} {}{}{}\n", claim.holds ? "holds" : "fails", id_of(*claim.property),
        when.empty() ? "" : " where " + when,
        claim.follows_from == nullptr ? "" : fmt::format(", follows from: {}", claim.follows_from->name));
    if (!claim.holds)
      out += fmt::format("        by {:.3g}, because {}\n        at {}\n", claim.by, claim.because,
                         claim.witness);
  }
  return out;
}

std::string explain(std::string_view id, const Defect& defect) {
  return fmt::format("defect {}\n  {}\n  seen in: {}\n  shows at: {}\n  refuted by: {}\n", id, defect.wrong,
                     defect.sources, defect.setting.empty() ? "the standard parameters" : defect.setting,
                     defect.refuted_by == nullptr ? agreement_id : id_of(*defect.refuted_by));
}

std::string explain(std::string_view id, const Experiment& experiment) {
  return fmt::format("experiment {}\n  {}\n  {}\n  report: reports/{}.md\n", id, experiment.question,
                     experiment.method, id);
}

std::string explain(const Term& term) {
  return fmt::format("{}\n  {}\n  used in: {}\n", fmt::join(term.names, ", "), term.definition, term.used_in);
}

}  // namespace posproof::report
