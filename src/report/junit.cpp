#include "report/junit.h"

#include <fmt/format.h>

namespace posproof::report {
namespace {

// What a subject says may hold anything: characters that XML 1.0 cannot hold become a question mark.
std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      case '\n':
        out += "&#10;";
        break;
      case '\t':
        out += "&#9;";
        break;
      default:
        out += static_cast<unsigned char>(c) < 0x20 || c == 0x7F ? '?' : c;
    }
  return out;
}

struct Outcome {
  std::string_view element;  // empty: passed
  std::string message;
};

struct Judge {
  Outcome operator()(const Holds&) const { return {"", ""}; }
  Outcome operator()(const Refuted& r) const {
    return {"failure",
            fmt::format("off by {:.6g}, rounding allows {:.6g}, at {}{}", r.residual.error, r.residual.bound,
                        r.counterexample.text(), r.repeats ? "" : " (does not repeat)")};
  }
  Outcome operator()(const Undecided& u) const { return {"skipped", fmt::format("undecided: {}", u.why)}; }
  Outcome operator()(const Errored& e) const {
    return {"error", fmt::format("{}, at {}", e.what, e.at.text())};
  }
  Outcome operator()(const NotApplicable& n) const {
    return {"skipped", fmt::format("not applicable: {}", n.why)};
  }
};

}  // namespace

std::string junit(const GateResult& gated) {
  std::string cases;
  int failures = 0, errors = 0, skipped = 0;
  for (const PropertyResult& result : gated.results) {
    const Outcome outcome = std::visit(Judge{}, result.verdict);
    failures += outcome.element == "failure";
    errors += outcome.element == "error";
    skipped += outcome.element == "skipped";
    cases += fmt::format("  <testcase classname=\"{}\" name=\"{}\"", escaped(gated.subject.name),
                         escaped(result.id));
    cases += outcome.element.empty() ? "/>\n"
                                     : fmt::format("><{} message=\"{}\"/></testcase>\n", outcome.element,
                                                   escaped(outcome.message));
  }
  if (!gated.not_covered.empty()) {
    ++errors;
    cases +=
        fmt::format("  <testcase classname=\"{}\" name=\"positions\"><error message=\"{}\"/></testcase>\n",
                    escaped(gated.subject.name), escaped(gated.not_covered));
  }
  std::string properties;
  if (const auto& accuracy = gated.accuracy)
    properties = fmt::format(
        "  <properties>\n"
        "    <property name=\"entries\" value=\"{}\"/>\n"
        "    <property name=\"entries not correctly rounded\" value=\"{}\"/>\n"
        "    <property name=\"largest error in ulp\" value=\"{:.6g}\"/>\n"
        "    <property name=\"largest error\" value=\"{:.6g}\"/>\n"
        "  </properties>\n",
        accuracy->entries, accuracy->wrong, accuracy->ulp, accuracy->largest);
  return fmt::format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
      "<testsuite name=\"{}\" tests=\"{}\" failures=\"{}\" errors=\"{}\" skipped=\"{}\">\n{}{}</testsuite>\n",
      escaped(fmt::format("posproof gate {} {}", gated.encoding, gated.parameters.text())),
      gated.results.size() + (gated.not_covered.empty() ? 0 : 1), failures, errors, skipped, properties,
      cases);
}

}  // namespace posproof::report
