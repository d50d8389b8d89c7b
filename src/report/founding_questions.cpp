#include "report/founding_questions.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <functional>
#include <map>
#include <stdexcept>

#include "core/bounded.h"
#include "core/function.h"
#include "report/page_text.h"

namespace posproof::report {
namespace {

using namespace founding;

constexpr std::string_view matrix_page = "encoding_by_property";
constexpr std::size_t most_need_training = 10;

// Pages are read when the first row asks for them.
class Pages {
 public:
  explicit Pages(const std::vector<File>& files) : files_(files) {}

  const PageText& operator[](std::string_view name) {
    if (const auto known = read_.find(name); known != read_.end()) return known->second;
    const auto file = std::ranges::find(files_, fmt::format("{}.md", name), &File::path);
    if (file == files_.end()) throw std::invalid_argument(fmt::format("there is no page `{}`", name));
    return read_.emplace(name, page_text(file->bytes)).first->second;
  }

 private:
  const std::vector<File>& files_;
  std::map<std::string, PageText, std::less<>> read_;
};

// `[The clock: The hands](the_clock.md#the-hands)`
std::string link(Pages& pages, std::string_view page, std::string_view section) {
  return fmt::format("[{}{}{}]({}.md{})", pages[page].title, section.empty() ? "" : ": ", section, page,
                     fragment(section));
}

// A number that was typed: what stands in backquotes is a formula.
bool has_typed_number(std::string_view text) {
  bool formula = false, address = false;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    formula ^= c == '`';
    address = address ? c != ')' : text.substr(at).starts_with("](");
    if (!formula && !address && c >= '0' && c <= '9') return true;
  }
  return false;
}

struct Quote {
  std::string text, where;  // what stands there; the link to it, empty: none
};

// Each kind of evidence as the page prints it. Throws std::invalid_argument where it is not there.
struct Quoted {
  Pages& pages;

  Quote operator()(const Said& said) const {
    if (has_typed_number(said.words) || said.words.empty())
      throw std::invalid_argument(
          fmt::format("the words `{}` of a sentence have a digit, or are none", said.words));
    return {fmt::format("“{}”", sentence_with(part_of(pages[said.page], said.section), said.words)),
            link(pages, said.page, said.section)};
  }

  Quote operator()(const Cell& cell) const {
    const FoundCell found = cell_at(part_of(pages[cell.page], cell.section), cell.row, cell.column);
    return {fmt::format("{}, {}: **{}**", found.row, cell.column, found.value),
            link(pages, cell.page, cell.section)};
  }

  Quote operator()(const OfProperty& of) const {
    const auto slash = of.property.find('/');
    const bool is_file = slash != std::string_view::npos;
    const std::string section =
        is_file ? fmt::format("`{}`", of.property.substr(0, slash + 1)) : "Agreement with the reference";
    const std::string row = fmt::format("`{}`", of.property.substr(is_file ? slash + 1 : 0)),
                      column = fmt::format("`{}`", of.encoding);
    const FoundCell found = cell_at(part_of(pages[matrix_page], section), {row}, column);
    const std::string property =
        fmt::format(fmt::runtime(is_file ? "[`{0}`](../properties/{0}.cpp)" : "`{0}`"), of.property);
    return {fmt::format("{} of `{}`: **{}**", property, of.encoding, found.value),
            link(pages, matrix_page, section)};
  }

  Quote operator()(const NoPageYet& page) const {
    return {fmt::format("no page yet: {}", page.question), ""};
  }
};

// `a, b ([page](link)); c ([other](link))`: what stands in one place has one link.
std::string with_links(const std::vector<Evidence>& evidence, Pages& pages) {
  std::string out;
  for (std::size_t n = 0; n < evidence.size(); ++n) {
    const auto [text, where] = std::visit(Quoted{pages}, evidence[n]);
    const bool last = n + 1 == evidence.size();
    out += text;
    if (!last && std::visit(Quoted{pages}, evidence[n + 1]).where == where)
      out += "; ";
    else
      out += (where.empty() ? "" : fmt::format(" ({})", where)) + (last ? "" : "; ");
  }
  return out;
}

std::string_view word(Answer answer) {
  switch (answer) {
    case Answer::is_true:
      return "true";
    case Answer::is_false:
      return "false";
    case Answer::under_a_condition:
      return "true under a condition";
    case Answer::answered:
      return "answered";
    case Answer::definition:
      return "a definition";
    case Answer::needs_training:
      return "needs training";
  }
  return "";
}

bool waits(const Claim& claim) {
  return std::ranges::any_of(claim.evidence,
                             [](const Evidence& one) { return std::holds_alternative<NoPageYet>(one); });
}

void add_faults(std::vector<std::string>& out, const Claim& claim, Pages& pages, MayWait wait) {
  const auto fault = [&](const std::string& what) { out.push_back(fmt::format("{}: {}", claim.id, what)); };
  if (claim.says.empty() || claim.why.empty())
    fault("a row says what is claimed and why the answer is as it is");
  for (const std::string_view text : {claim.why, claim.on_paper})
    if (has_typed_number(text)) fault(fmt::format("a number that was typed, in `{}`", text));
  if (claim.evidence.empty() && claim.answer != Answer::needs_training) fault("no evidence");
  if (waits(claim) && wait == MayWait::no) fault("no page yet");
  for (const Evidence& one : claim.evidence) try {
      std::visit(Quoted{pages}, one);
    } catch (const std::invalid_argument& error) {
      fault(error.what());
    }
}

// `- **A1.** Claim. **Verdict: true.** Why. Shown by: evidence`
std::string item(const Claim& claim, Pages& pages) {
  const std::string evidence = with_links(claim.evidence, pages);
  return fmt::format("- <a id=\"{0}\"></a>**{0}.** {1} **Verdict: {2}.** {3}{4}{5}{6}\n", claim.id,
                     claim.says, word(claim.answer), claim.why,
                     claim.on_paper.empty() ? "" : fmt::format(" *On paper it was: {}*", claim.on_paper),
                     evidence.empty() ? "" : " Shown by: ", evidence);
}

std::size_t count(std::span<const Source> sources, const Function<bool(const Claim&)>& counted) {
  std::size_t out = 0;
  for (const Source& source : sources)
    out += static_cast<std::size_t>(std::ranges::count_if(source.claims, counted));
  return out;
}

// What the entries of the matrix say that rows quote.
std::string legend(std::span<const Source> sources, Pages& pages) {
  if (count(sources, [](const Claim& claim) {
        return std::ranges::any_of(claim.evidence,
                                   [](const Evidence& e) { return std::holds_alternative<OfProperty>(e); });
      }) == 0)
    return "";
  return fmt::format(
      "\nWhat is quoted of a property and an encoding is the entry of the matrix: `holds 14 %` says that a search found no "
      "counterexample and that its largest error was 14 % of the error bound (`holds` alone, of agreement, says the former), `fails 0.2` that the recorded counterexample is off by "
      "0.2 in the unit of the statement. Entries separated by ` / ` belong to different parameters of the encoding, such as another "
      "scaling of RoPE or an odd width ({}).\n",
      link(pages, matrix_page, "How to read the tables"));
}

std::string head(std::span<const Source> sources) {
  std::vector<std::string> parts;
  for (const Answer answer : {Answer::is_true, Answer::is_false, Answer::under_a_condition, Answer::answered,
                              Answer::definition, Answer::needs_training})
    parts.push_back(fmt::format("{} {}", count(sources, [&](const Claim& c) { return c.answer == answer; }),
                                word(answer)));
  const std::size_t waiting = count(sources, &waits);
  const std::size_t corrected = count(sources, [](const Claim& c) { return !c.on_paper.empty(); });
  return fmt::format(
      "# The founding questions\n\n"
      "The {} claims and questions that this project began with, each with its answer: {}.\n\n"
      "They come from five documents on the web about positional encodings, and stand here in our words. The numbers and "
      "sentences after *Shown by* are quoted from the reports when this page is written; a test fails where one is no longer there. "
      "{} verdicts that had been derived on paper are corrected by a measurement and give both.{}\n",
      count(sources, [](const Claim&) { return true; }), fmt::join(parts, ", "), corrected,
      waiting == 0 ? "" : fmt::format(" {} wait for a page that is still to be written.", waiting));
}

}  // namespace

std::vector<std::string> founding_faults(std::span<const Source> sources, const std::vector<File>& files,
                                         MayWait wait) {
  Pages pages(files);
  std::vector<std::string> out;
  for (const Source& source : sources)
    for (std::size_t n = 0; n < source.claims.size(); ++n) {
      const Claim& claim = source.claims[n];
      if (const std::string id = fmt::format("{}{}", source.letter, n + 1); claim.id != id)
        out.push_back(fmt::format("{}: the row after its predecessor is {}", claim.id, id));
      add_faults(out, claim, pages, wait);
    }
  const std::size_t trained =
      count(sources, [](const Claim& claim) { return claim.answer == Answer::needs_training; });
  if (trained > most_need_training)
    out.push_back(bounded("{} rows need training; at most {} may", trained, most_need_training));
  return out;
}

File founding_page(std::span<const Source> sources, const std::vector<File>& files, MayWait wait) {
  if (const auto faults = founding_faults(sources, files, wait); !faults.empty())
    throw std::logic_error(fmt::format("{}.md:\n  {}", founding_name, fmt::join(faults, "\n  ")));
  Pages pages(files);
  std::string out = head(sources) + legend(sources, pages);
  for (const Source& source : sources) {
    out += fmt::format("\n## {}: {}\n\n", source.letter, source.about);
    for (const Claim& claim : source.claims) out += item(claim, pages);
  }
  return {fmt::format("{}.md", founding_name), out + "\n---\n\nThis page is written by `posproof report`.\n"};
}

std::string founding_map(std::span<const Source> sources, const std::vector<File>& files) {
  Pages pages(files);
  std::string out;
  for (const Source& source : sources)
    for (const Claim& claim : source.claims) {
      if (!claim.says.ends_with('?')) continue;
      std::vector<std::string> where;
      for (const Evidence& one : claim.evidence) {
        const Quote quote = std::visit(Quoted{pages}, one);
        const std::string& text = quote.where.empty() ? quote.text : quote.where;
        if (std::ranges::find(where, text) == where.end()) where.push_back(text);
      }
      if (where.empty()) where.emplace_back(word(claim.answer));
      out += fmt::format("- [{0}]({1}.md#{0}) {2} {3}\n", claim.id, founding_name, claim.says,
                         fmt::join(where, "; "));
    }
  return out;
}

}  // namespace posproof::report
