#include "report/words.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>

#include "core/bounded.h"
#include "core/bounds.h"
#include "report/place.h"
#include "report/upper.h"
#include "run/agreement.h"
#include "run/catalogued.h"
#include "subject/words.h"

namespace posproof::report {
namespace {

std::string off_by(const Residual& residual, const Precision& precision) {
  if (std::isnan(residual.error)) return "the answer is not a number";
  return fmt::format("off by {:.6g}, rounding in {} allows {:.6g}", residual.error, precision.text(),
                     residual.bound);
}

// The entry that is wrong, and nothing else where that is all.
std::string off_at(const Refuted& refuted, const Precision& precision) {
  if (!refuted.place) return off_by(refuted.residual, precision);
  const Place& place = *refuted.place;
  const std::string entry = fmt::format("{}: {}; rounding in {} allows {:.6g}", where(place), what(place),
                                        precision.text(), place.off.bound);
  if (is_all_of(refuted)) return entry;
  return fmt::format("{}\n  an answer is wrong: {}", off_by(refuted.residual, precision), entry);
}

struct Story {
  const Precision& precision;

  std::string operator()(const Holds& holds) const {
    return bounded("{} cases, {} of them vacuous, error at most {} of the bound", holds.cases, holds.vacuous,
                   percent_at_most(holds.worst.error_over_bound()));
  }
  std::string operator()(const Refuted& refuted) const {
    std::string out = refuted.instead.empty() ? off_at(refuted, precision) : printable(refuted.instead);
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

// Agreement says nothing that the entry does not.
bool speaks_for_itself(std::string_view id, const Verdict& verdict) {
  const auto* refuted = std::get_if<Refuted>(&verdict);
  return refuted != nullptr && id == agreement_id && is_all_of(*refuted);
}

const Case* counterexample(const Verdict& verdict) {
  if (const auto* refuted = std::get_if<Refuted>(&verdict)) return &refuted->counterexample;
  if (const auto* errored = std::get_if<Errored>(&verdict)) return &errored->at;
  return nullptr;
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

std::string as_shell_word(std::string_view words) {
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
  std::string out = fmt::format("{}  {}{}\n", word, who, id);
  if (!speaks_for_itself(id, verdict)) out += fmt::format("  {}  {}\n", property.statement, property.formula);
  out += fmt::format("  {}\n", story);
  const Case* at = counterexample(verdict);
  if (at != nullptr && !at->empty() && !again.empty())
    out += fmt::format("  again: {} --case {}\n", again, as_shell_word(at->text()));
  return out;
}

std::string again(std::string_view property, std::string_view encoding, const Parameters& parameters,
                  const Subject* subject, const std::optional<std::pair<Position, Position>>& positions) {
  std::string out = fmt::format("posproof check {} {}{}", property, encoding,
                                options(encoding_named(encoding), parameters));
  if (positions) out += fmt::format(" --positions={}:{}", positions->first, positions->second);
  if (subject == nullptr) return out;
  return out + fmt::format(" {}{}", as_shell_word(subject->name),
                           subject->containment.contained.empty() ? "" : " --sandbox");
}

std::string claimed_to_fail(const Claim& claim, const ClaimResult& witness, const Verdict& searched) {
  if (witness.status != ClaimStatus::as_claimed)
    return fmt::format("  claimed to fail: {}: {}\n", name(witness.status), witness.why);
  return fmt::format("  fails as claimed\n  witness  {}  off by {:.3g}{}\n  because  {}\n", claim.witness,
                     claim.by,
                     std::holds_alternative<Refuted>(searched) ? "" : " (what was searched does not show it)",
                     claim.because);
}

}  // namespace posproof::report
