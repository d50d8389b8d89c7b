#include "report/identified.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "core/bounded.h"
#include "core/bounds.h"
#include "core/call.h"
#include "report/place.h"
#include "run/catalogued.h"
#include "subject/words.h"

namespace posproof::report {
namespace {

using Json = nlohmann::ordered_json;

std::string gate_of(const Candidate& candidate, std::string_view subject) {
  return fmt::format("posproof gate {} {}", convention(candidate), as_shell_word(subject));
}

std::string compared(const Identified& found) {
  const Convention& answer = found.hold.front();
  if (answer.trained)
    return answer.candidate.encoding == "t5_bias"
               ? "  every entry depends on its bucket alone; the numbers in the buckets are trained ones and were compared "
                 "with none\n"
               : "  every entry depends on its offset alone; the numbers, trained ones perhaps, were compared with none\n";
  return bounded("  {} {} are within rounding in {}, at most {} of what it allows\n", found.compared,
                 positions_of(found.subject.encoding).ends && !found.subject.live ? "positions" : "answers",
                 found.subject.precision.text(), percent_at_most(answer.share));
}

// What a convention with a causal mask says nothing of, and was not looked at.
bool hides_later_keys(const Candidate& answer) {
  const EncodingSpec& spec = encoding_named(answer.encoding);
  return is_causal(spec.make(with(spec, answer.parameters)));
}

std::string not_compared(const Candidate& answer) {
  return hides_later_keys(answer)
             ? "  keys after the query, which its causal mask hides, were compared with nothing\n"
             : "";
}

// As whom a gate has to read it.
std::string_view read_as(const Identified& found, std::string_view subject) {
  return found.read_as.empty() ? subject : found.read_as;
}

std::string fewer_digits(const Identified& found) {
  if (found.read_as.empty()) return "";
  return fmt::format(
      "  read as {}: all numbers of the file are numbers of {}; taken for {} no convention holds\n",
      as_shell_word(found.read_as), found.read_as.substr(found.read_as.rfind('@') + 1), found.stored_in);
}

std::string not_told(const Identified& found) {
  std::string out;
  for (const NotTold& one : found.not_told)
    out += fmt::format("    {}: {}{}\n", one.parameter, fmt::join(one.values, ", "),
                       one.apart.empty() ? "" : fmt::format(" (`{}` tells them apart)", one.apart));
  std::string others;
  for (const Candidate& other : found.or_else) others += fmt::format("    {}\n", convention(other));
  if (found.less_simple > 0)
    others += fmt::format("    {} more, with longer parameters\n", found.less_simple);
  if (!out.empty()) out = "  this subject cannot tell:\n" + out;
  return others.empty() ? out : out + "  every answer agrees with these, too:\n" + others;
}

std::string explained(const Explanation& explanation) {
  if (explanation.kind == Explanation::Kind::convention)
    return fmt::format("every case agrees with `{}` instead ({})", explanation.what, explanation.meaning);
  if (explanation.kind == Explanation::Kind::measured) return "measured: " + explanation.what;
  if (explanation.kind == Explanation::Kind::place) return "located: " + explanation.what;
  if (explanation.kind == Explanation::Kind::unfinished) return "not explained: " + explanation.what;
  return fmt::format("behaves exactly like defect {} ({})", explanation.what, explanation.sources);
}

std::string nearest(const Identified& found, std::string_view subject) {
  const NearestConvention& near = *found.nearest;
  std::string out = fmt::format("  nearest: {}: {} of {} answers {} beyond what rounding in {} allows\n",
                                convention(near.candidate), near.wrong, near.of,
                                near.wrong == 1 ? "is" : "are", found.subject.precision.text());
  if (near.first) out += fmt::format("    {}: {}\n", where(*near.first), what(*near.first));
  for (const Explanation& explanation : near.explanations)
    out += fmt::format("    {}\n", explained(explanation));
  if (!near.precision.empty()) out += fmt::format("    would hold as `@{}`\n", near.precision);
  return out + fmt::format("  gate it: {}\n", gate_of(near.candidate, subject));
}

Json json_of(const Parameters& parameters) {
  Json out = Json::object();
  for (const auto& [name, value] : parameters.fields()) {
    if (const auto* real = std::get_if<double>(&value))
      out[name] = *real;
    else
      out[name] = text(value);
  }
  return out;
}

Json json_of(const Candidate& candidate) {
  return {{"encoding", candidate.encoding},
          {"parameters", json_of(with(encoding_named(candidate.encoding), candidate.parameters))}};
}

Json json_of(const NearestConvention& near, std::string_view subject) {
  Json out = json_of(near.candidate);
  out["wrong"] = near.wrong;
  out["of"] = near.of;
  if (near.first) out["first"] = fmt::format("{}: {}", where(*near.first), what(*near.first));
  out["explanations"] = Json::array();
  for (const Explanation& explanation : near.explanations)
    out["explanations"].push_back(explained(explanation));
  if (!near.precision.empty()) out["would_hold_as"] = near.precision;
  out["gate"] = gate_of(near.candidate, subject);
  return out;
}

}  // namespace

std::string convention(const Candidate& candidate) {
  const EncodingSpec& spec = encoding_named(candidate.encoding);
  return candidate.encoding + options(spec, with(spec, candidate.parameters));
}

std::string identified(const Identified& found, std::string_view subject, const Style& style) {
  const std::string name = printable(subject);
  const std::string described =
      (found.subject.description.empty() ? "" : fmt::format("  {}\n", printable(found.subject.description))) +
      contained(found.subject.containment);
  const std::string cut_short =
      found.interrupted.empty() ? ""
                                : fmt::format("  {}: not all conventions were tried\n", found.interrupted);
  if (found.hold.empty())
    return fmt::format(
        "{}  {}: {}\n{}{}{}", style.paint("NOT IDENTIFIED"), name,
        found.tried == 0
            ? "no convention has answers like these, so none was compared"
            : fmt::format("none of {} convention{} holds", found.tried, found.tried == 1 ? "" : "s"),
        cut_short, described, found.nearest ? nearest(found, subject) : "  no convention is near\n");
  const Convention& answer = found.hold.front();
  std::string out = fmt::format("{}  {} of {}\n{}{}{}{}{}", style.paint("IDENTIFIED"),
                                convention(answer.candidate), name, cut_short, described, fewer_digits(found),
                                compared(found) + not_compared(answer.candidate), not_told(found));
  if (!found.seeming.empty()) out += fmt::format("  {}\n", found.seeming);
  if (!answer.trained)
    out += fmt::format("  gate it: {}\n", gate_of(answer.candidate, read_as(found, subject)));
  return out;
}

std::string identified_json(const Identified& found, std::string_view subject) {
  Json out = {{"subject", printable(subject)},
              {"description", printable(found.subject.description)},
              {"identified", nullptr},
              {"compared", found.compared},
              {"tried", found.tried}};
  if (!found.interrupted.empty()) out["interrupted"] = found.interrupted;
  if (!found.hold.empty()) {
    const Convention& answer = found.hold.front();
    out["identified"] = json_of(answer.candidate);
    out["identified"]["share_of_bound"] = answer.share;
    out["identified"]["trained_numbers"] = answer.trained;
    out["identified"]["not_compared"] = Json::array();
    if (hides_later_keys(answer.candidate))
      out["identified"]["not_compared"].push_back("keys after the query, which its causal mask hides");
    if (!answer.trained) out["identified"]["gate"] = gate_of(answer.candidate, read_as(found, subject));
    out["precision"] = found.subject.precision.word();
    if (!found.read_as.empty()) out["read_as"] = printable(found.read_as);
  }
  if (!found.subject.containment.contained.empty()) {
    out["contained"] = found.subject.containment.contained;
    out["not_contained"] = found.subject.containment.not_contained;
  }
  out["not_told_apart"] = Json::array();
  for (const NotTold& one : found.not_told)
    out["not_told_apart"].push_back(
        {{"parameter", one.parameter}, {"values", one.values}, {"apart", one.apart}});
  out["or_else"] = Json::array();
  for (const Candidate& other : found.or_else) out["or_else"].push_back(json_of(other));
  out["less_simple"] = found.less_simple;
  if (found.nearest) out["nearest"] = json_of(*found.nearest, subject);
  return out.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace posproof::report
