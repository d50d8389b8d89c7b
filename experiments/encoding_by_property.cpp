#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "catalogue/experiments/encoding_by_property.h"
#include "catalogue/properties.h"
#include "measure.h"
#include "run/agreement.h"
#include "run/catalogued.h"
#include "run/matrix.h"
#include "run/sharpness.h"

namespace posproof {
namespace {

using namespace document;

// `holds 31 %`: the worst of all cases used 31 % of what rounding allows. `fails 1.95`: the recorded witness
// is off by that much. A question mark: nobody claims it.
std::string cell_text(const Cell& cell) {
  std::string out;
  for (const Answer& answer : cell.answers) {
    const bool claimed = answer.claim != nullptr || cell.property == agreement_id;
    std::string word;
    if (answer.status != ClaimStatus::as_claimed)
      word = fmt::format("**{}**", name(answer.status));
    else if (const auto* holds = std::get_if<Holds>(&answer.verdict))
      word = fmt::format("holds{} {:.2g} %", claimed ? "" : "?", 100 * holds->worst.error_over_bound());
    else if (const auto* refuted = std::get_if<Refuted>(&answer.verdict))
      word = claimed ? fmt::format("fails {:.3g}", refuted->residual.error) : "fails?";
    if (!word.empty()) out += (out.empty() ? "" : " / ") + word;
  }
  return out;
}

std::string group(const std::string& property) {
  const auto slash = property.find('/');
  return slash == std::string::npos ? "" : property.substr(0, slash);
}

Grid grid_of(const std::vector<Cell>& cells, const std::string& wanted) {
  std::vector<std::string> encodings, properties;
  std::map<std::pair<std::string, std::string>, std::string> texts;
  for (const Cell& cell : cells) {
    if (group(cell.property) != wanted || cell_text(cell).empty()) continue;
    if (std::find(encodings.begin(), encodings.end(), cell.encoding) == encodings.end())
      encodings.push_back(cell.encoding);
    if (std::find(properties.begin(), properties.end(), cell.property) == properties.end())
      properties.push_back(cell.property);
    texts[{cell.property, cell.encoding}] = cell_text(cell);
  }
  std::sort(properties.begin(), properties.end());
  Grid grid;
  grid.columns = {"property"};
  for (const std::string& encoding : encodings) grid.columns.push_back(fmt::format("`{}`", encoding));
  for (const std::string& property : properties) {
    std::vector<std::string> row = {
        fmt::format("`{}`", wanted.empty() ? property : property.substr(wanted.size() + 1))};
    for (const std::string& encoding : encodings) {
      const auto found = texts.find({property, encoding});
      row.push_back(found == texts.end() ? "" : found->second);
    }
    grid.rows.push_back(std::move(row));
  }
  return grid;
}

Grid conditions_of(const std::vector<Cell>& cells) {
  Grid grid{.columns = {"encoding", "property", "claim", "for"}, .rows = {}};
  for (const Cell& cell : cells)
    for (const Answer& answer : cell.answers)
      if (answer.claim != nullptr && !answer.claim->when.all.empty())
        grid.rows.push_back({fmt::format("`{}`", cell.encoding), fmt::format("`{}`", cell.property),
                             answer.claim->holds ? "holds" : "fails", answer.claim->when.text()});
  return grid;
}

Grid failures_of(const std::vector<Cell>& cells) {
  Grid grid{.columns = {"encoding", "property", "off by", "at", "because"}, .rows = {}};
  for (const Cell& cell : cells)
    for (const Answer& answer : cell.answers)
      if (answer.claim != nullptr && !answer.claim->holds)
        grid.rows.push_back({fmt::format("`{}`", cell.encoding), fmt::format("`{}`", cell.property),
                             fmt::format("{:.3g}", answer.claim->by),
                             fmt::format("`{}`", answer.claim->witness), std::string(answer.claim->because)});
  return grid;
}

Grid facts_of(const std::vector<Cell>& cells) {
  Grid grid{.columns = {"what is declared", "of", "what follows from it"}, .rows = {}};
  const auto quoted = [](const std::vector<std::string>& names) {
    return fmt::format("`{}`", fmt::join(names, "`, `"));
  };
  for (const auto& [fact, encodings, claims] : followed(cells))
    grid.rows.push_back({std::string(fact), quoted(encodings), quoted(claims)});
  return grid;
}

// What one kind's negative examples prove to be seen, and what right code of that kind uses.
struct Seen {
  std::string property;
  std::string_view kind;
  std::optional<Sharpness> in_f32, in_16_bits;
  double share = 0;  // of the bound, in the worst of all claims that hold
};

double share_of(const std::vector<Cell>& cells, std::string_view property, std::string_view kind) {
  double share = 0;
  for (const Cell& cell : cells) {
    const EncodingSpec& spec = encoding_named(cell.encoding);
    if (cell.property != property || posproof::kind(spec.make(with(spec, {}))) != kind) continue;
    for (const Answer& answer : cell.answers)
      if (const auto* held = std::get_if<Holds>(&answer.verdict))
        share = std::max(share, held->worst.error_over_bound());
  }
  return share;
}

std::vector<Seen> seen_by_properties(const std::vector<Cell>& cells) {
  std::vector<Seen> out;
  for (const auto& [id, property] : catalogue::properties())
    for (const SharpestOf& of : sharpest(id, *property)) {
      if (of.example == nullptr) continue;
      if (out.empty() || out.back().property != id || out.back().kind != of.kind)
        out.push_back({std::string(id), of.kind, {}, {}, share_of(cells, id, of.kind)});
      (of.in_16_bits ? out.back().in_16_bits : out.back().in_f32) = of.sharpness;
    }
  return out;
}

// Between what right code uses of a bound and what is proved to be seen, in f32: how many times the one the
// other is.
std::string gap_text(const Seen& seen) {
  const bool in_bounds = seen.in_f32 && seen.in_f32->measure == Measure::bound;
  return in_bounds && seen.share > 0 ? fmt::format("{:.0f}", seen.in_f32->times / seen.share) : "";
}

Grid sharpness_of(const std::vector<Seen>& all) {
  Grid grid{.columns = {"property", "kind", "seen in f32", "seen in 16 bits", "used by right code", "gap"},
            .rows = {}};
  const auto text = [](const std::optional<Sharpness>& sharpness) {
    return sharpness ? sharpness->text() : "";
  };
  for (const Seen& seen : all)
    grid.rows.push_back({fmt::format("`{}`", seen.property), std::string(seen.kind), text(seen.in_f32),
                         text(seen.in_16_bits),
                         seen.share > 0 ? fmt::format("{:.2g} %", 100 * seen.share) : "", gap_text(seen)});
  return grid;
}

struct Counts {
  std::size_t holds = 0, fails = 0, open = 0, wrong = 0;
};

Counts count_of(const std::vector<Cell>& cells) {
  Counts counts;
  for (const Cell& cell : cells)
    for (const Answer& answer : cell.answers) {
      const bool claimed = answer.claim != nullptr || cell.property == agreement_id;
      if (answer.status != ClaimStatus::as_claimed)
        ++counts.wrong;
      else if (!claimed)
        ++counts.open;
      else if (std::holds_alternative<Holds>(answer.verdict))
        ++counts.holds;
      else
        ++counts.fails;
    }
  return counts;
}

struct Measured {
  MatrixOptions options;
  std::vector<Cell> cells;
  Counts counts;
  std::vector<Seen> seen;
};

Measured measure() {
  Measured m{.options = {}, .cells = matrix({}), .counts = {}, .seen = {}};
  m.counts = count_of(m.cells);
  m.seen = seen_by_properties(m.cells);
  return m;
}

std::vector<Block> grids(const std::vector<Cell>& cells) {
  std::set<std::string> groups;
  for (const Cell& cell : cells) groups.insert(group(cell.property));
  std::vector<Block> out;
  for (const std::string& one : groups) {
    Grid grid = grid_of(cells, one);
    if (grid.rows.empty()) continue;
    out.push_back(Section{one.empty() ? "Agreement with the paper" : fmt::format("`{}/`", one)});
    out.push_back(std::move(grid));
  }
  out.push_back(Section{"What follows from a declared fact"});
  out.push_back(Paragraph{
      "These claims are made once, with the fact; every encoding that declares the fact has them, and each is searched or replayed like any other."});
  out.push_back(facts_of(cells));
  return out;
}

std::vector<Block> details(const std::vector<Cell>& cells) {
  std::vector<Block> out = {Section{"What fails, where and why"}, failures_of(cells)};
  if (Grid conditions = conditions_of(cells); !conditions.rows.empty()) {
    out.push_back(Section{"Claims made for some parameters only"});
    out.push_back(std::move(conditions));
  }
  return out;
}

std::vector<Block> sharpness(const std::vector<Seen>& seen) {
  return {
      Section{"How little has to be wrong to be seen"},
      Paragraph{
          "Every property has implementations that are wrong by little and that it must refute. "
          "*Seen* is the smallest error that these prove to be refuted: the largest error over bound of the sharpest of them, over 300 cases. "
          "A statement that allows nothing counts units of the answer's precision; one that asks for a least effect says by what the threshold would have to be divided. "
          "*Used by right code* is the largest share of the bound over all claims above, in double precision. "
          "The *gap* is one divided by the other: errors in between are neither proved to be refuted nor met in right code."},
      sharpness_of(seen)};
}

Paragraph legend() {
  return {
      "A cell that says *holds* was searched for a counterexample; the percentage is how much of what rounding allows the worst case used. "
      "A cell that says *fails* was replayed from a recorded witness and is off by the number that is given; all of them are listed below with the reason. "
      "A question mark is a claim that nobody has made yet: what a search at the standard parameters says. "
      "An empty cell is a statement that cannot be asked of that encoding. "
      "Two entries in one cell belong to different parameters."};
}

Document run() {
  const Measured m = measure();
  const std::string finding =
      fmt::format("{} claims hold, {} recorded failures fail as recorded, {} claims are broken or unchecked",
                  m.counts.holds, m.counts.fails, m.counts.wrong);
  return {.title = "Which property holds for which encoding",
          .finding = finding,
          .condition = fmt::format(
              "seed {}, {} cases for each claim over the encoding's grid of parameters, double precision",
              m.options.seed, m.options.budget.cases),
          .blocks = experiments::joined({{legend()},
                                         grids(m.cells),
                                         sharpness(m.seen),
                                         details(m.cells),
                                         {document::Verdict{finding + "."}}})};
}

}  // namespace

const Experiment experiments::encoding_by_property{
    .question = "Which property holds for which encoding, and what does a failure look like?",
    .method =
        "Every claim of every encoding is judged: what is said to hold is searched, what is said to fail is replayed; cells without a claim are searched at the standard parameters.",
    .run = &run,
};

}  // namespace posproof
