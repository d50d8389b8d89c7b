#include "report/junit.h"

#include <fmt/format.h>
#include <utf8.h>

#include <iterator>
#include <map>
#include <pugixml.hpp>
#include <sstream>

#include "core/bounds.h"
#include "report/place.h"

namespace posproof::report {
namespace {

// What a subject says may hold anything: bytes that are not UTF-8 and characters that XML 1.0 cannot hold
// become a question mark. (utf8::replace_invalid throws where the text ends within a character.)
std::string holdable(std::string_view text) {
  std::string out;
  for (auto at = text.begin(); at != text.end();) {
    const auto begin = at;
    try {
      const char32_t c = utf8::next(at, text.end());
      const bool control = (c < 0x20 && c != '\t' && c != '\n') || (c >= 0x7F && c < 0xA0);
      utf8::append(control || c == 0xFFFE || c == 0xFFFF ? U'?' : c, std::back_inserter(out));
    } catch (const utf8::exception&) {
      at = begin + 1;
      // Of the bytes of a character that is cut short, one stands for all.
      while (at != text.end() && (*at & 0xC0) == 0x80) ++at;
      out += '?';
    }
  }
  return out;
}

void set(pugi::xml_node& node, const char* name, std::string_view value) {
  node.append_attribute(name) = holdable(value).c_str();
}

// A case of that name, with an element for anything but a pass.
void add_case(pugi::xml_node& suite, const GateResult& gated, std::string_view name, std::string_view element,
              std::string_view message) {
  pugi::xml_node one = suite.append_child("testcase");
  set(one, "classname", gated.subject.name);
  set(one, "name", name);
  if (element.empty()) return;
  pugi::xml_node outcome = one.append_child(std::string(element).c_str());
  set(outcome, "message", message);
}

struct Outcome {
  std::string_view element;  // empty: passed
  std::string message;
};

struct Judge {
  Outcome operator()(const Holds&) const { return {"", ""}; }
  Outcome operator()(const Refuted& r) const {
    if (!r.instead.empty()) return {"failure", fmt::format("{}, at {}", r.instead, r.counterexample.text())};
    std::string off =
        fmt::format("off by {:.6g}, rounding allows {:.6g}", r.residual.error, r.residual.bound);
    if (r.place) {
      const std::string entry =
          fmt::format("{}: {}, rounding allows {:.6g}", where(*r.place), what(*r.place), r.place->off.bound);
      off = is_all_of(r) ? entry : off + ", " + entry;
    }
    return {"failure",
            fmt::format("{}, at {}{}", off, r.counterexample.text(), r.repeats ? "" : " (does not repeat)")};
  }
  // An error: most readers take what is skipped for a pass.
  Outcome operator()(const Undecided& u) const { return {"error", fmt::format("undecided: {}", u.why)}; }
  Outcome operator()(const Errored& e) const {
    return {"error", fmt::format("{}, at {}", e.what, e.at.text())};
  }
  Outcome operator()(const NotApplicable& n) const {
    return {"skipped", fmt::format("not applicable: {}", n.why)};
  }
};

}  // namespace

std::string junit(const GateResult& gated) {
  pugi::xml_document document;
  pugi::xml_node declaration = document.append_child(pugi::node_declaration);
  set(declaration, "version", "1.0");
  set(declaration, "encoding", "UTF-8");
  pugi::xml_node suite = document.append_child("testsuite");
  set(suite, "name", fmt::format("posproof gate {} {}", gated.encoding, gated.parameters.text()));

  std::map<std::string_view, std::size_t> counts = {{"failure", 0}, {"error", 0}, {"skipped", 0}};
  counts["error"] += gated.not_checked.size();
  for (const PropertyResult& result : gated.results) ++counts[std::visit(Judge{}, result.verdict).element];
  set(suite, "tests", fmt::format("{}", gated.results.size() + gated.not_checked.size()));
  set(suite, "failures", fmt::format("{}", counts["failure"]));
  set(suite, "errors", fmt::format("{}", counts["error"]));
  set(suite, "skipped", fmt::format("{}", counts["skipped"]));

  if (const auto& accuracy = gated.accuracy) {
    pugi::xml_node properties = suite.append_child("properties");
    const auto add = [&](const char* name, const std::string& value) {
      pugi::xml_node property = properties.append_child("property");
      set(property, "name", name);
      set(property, "value", value);
    };
    add("entries", fmt::format("{}", accuracy->entries));
    add("entries not correctly rounded", fmt::format("{}", accuracy->wrong));
    add("largest error in ulp", fmt::format("{:.6g}", accuracy->ulp));
    add("largest error", accuracy->of_angles && !accuracy->largest_at
                             ? "<= " + figures_up(accuracy->largest, 6)
                             : fmt::format("{:.6g}", accuracy->largest));
  }
  for (const PropertyResult& result : gated.results) {
    Outcome outcome = std::visit(Judge{}, result.verdict);
    if (!result.follows_from.empty())
      outcome.message = fmt::format("follows from {}: {}", result.follows_from, outcome.message);
    add_case(suite, gated, result.id, outcome.element, outcome.message);
  }
  for (const std::string& why : gated.not_checked) add_case(suite, gated, "not checked", "error", why);

  std::ostringstream out;
  document.save(out, "  ");
  return out.str();
}

}  // namespace posproof::report
