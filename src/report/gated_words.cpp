#include <fmt/format.h>
#include <fmt/ranges.h>

#include <map>

#include "report/accuracy.h"
#include "report/upper.h"
#include "report/words.h"
#include "run/catalogued.h"
#include "run/history.h"
#include "subject/words.h"

namespace posproof::report {
namespace {

std::string tallied(const GateResult& gated) {
  std::map<std::string_view, std::size_t> counts;
  for (const PropertyResult& result : gated.results) ++counts[name(result.verdict)];
  std::vector<std::string> parts;
  for (const auto& [word, n] : counts) parts.push_back(fmt::format("{} {}", n, word));
  return fmt::format("{} properties asked: {}", gated.results.size(), fmt::join(parts, ", "));
}

}  // namespace

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
    else if (explanation.kind == Explanation::Kind::measured)
      out += fmt::format("measured: {}\n", explanation.what);
    else
      out += fmt::format("behaves exactly like defect {} ({})\n  {}\n", explanation.what, explanation.sources,
                         explanation.meaning);
  }
  if (gated.refuted() && gated.explanations.empty())
    out += "no other setting of the encoding and no known defect explains every case\n";
  return out + tallied(gated) + "\n";
}

}  // namespace posproof::report
