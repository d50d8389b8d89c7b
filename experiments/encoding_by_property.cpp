#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <set>

#include "catalogue/experiments/encoding_by_property.h"
#include "core/bounded.h"
#include "measure.h"
#include "measured_matrix.h"
#include "references.h"
#include "run/agreement.h"
#include "run/catalogued.h"
#include "run/sharpness.h"
#include "search/search.h"

namespace posproof::experiments_encoding_by_property {
namespace {

using namespace document;

using experiments::failed_by;
using experiments::LeastEffects;

constexpr double no_share = 1e-4;  // less is rounding that another processor's last bits may not have

std::string share_text(double of_bound) {
  return of_bound < no_share ? "0 %" : fmt::format("{:.2g} %", 100 * of_bound);
}

// `holds 31 %`: the worst of all cases used 31 % of the error bound. `fails 1.95`: the recorded witness is
// off by that much. A question mark: nobody claims it. Of agreement, `holds` alone: what the
// reference is off by comes from the last bits of powers and exponentials in long double, which are the
// processor's.
std::string cell_text(const Cell& cell, const LeastEffects& least) {
  std::string out;
  for (const Answer& answer : cell.answers) {
    const bool claimed = answer.claim != nullptr || cell.property == agreement_id;
    std::string word;
    if (answer.status != ClaimStatus::as_claimed)
      word = fmt::format("**{}**", name(answer.status));
    else if (const auto* holds = std::get_if<Holds>(&answer.verdict))
      word = cell.property == agreement_id
                 ? "holds"
                 : fmt::format("holds{} {}", claimed ? "" : "?", share_text(holds->worst.error_over_bound()));
    else if (const auto* refuted = std::get_if<Refuted>(&answer.verdict))
      word = claimed ? fmt::format("fails {}", failed_by(cell.property, *refuted, least)) : "fails?";
    if (!word.empty()) out += (out.empty() ? "" : " / ") + word;
  }
  return out;
}

std::string group(const std::string& property) {
  const auto slash = property.find('/');
  return slash == std::string::npos ? "" : property.substr(0, slash);
}

std::string_view kind_of(const std::string& encoding) {
  const EncodingSpec& spec = encoding_named(encoding);
  return posproof::kind(spec.make(with(spec, {})));
}

// The encodings that a group's properties can be asked of, of one kind, in parts that fit a page.
std::vector<std::vector<std::string>> columns_of(const std::vector<Cell>& cells, const std::string& wanted,
                                                 std::string_view kind, const LeastEffects& least) {
  constexpr std::size_t most = 7;
  std::set<std::string> encodings;
  for (const Cell& cell : cells)
    if (group(cell.property) == wanted && kind_of(cell.encoding) == kind && !cell_text(cell, least).empty())
      encodings.insert(cell.encoding);
  const std::size_t parts = (encodings.size() + most - 1) / most;
  std::vector<std::vector<std::string>> out(parts);
  std::size_t n = 0;
  for (const std::string& encoding : encodings) out[n++ * parts / encodings.size()].push_back(encoding);
  return out;
}

// Of the properties of one group, with these encodings across.
Grid grid_of(const std::vector<Cell>& cells, const std::string& wanted,
             const std::vector<std::string>& encodings, const LeastEffects& least) {
  std::vector<std::string> properties;
  std::map<std::pair<std::string, std::string>, std::string> texts;
  for (const Cell& cell : cells) {
    if (group(cell.property) != wanted || cell_text(cell, least).empty() ||
        std::find(encodings.begin(), encodings.end(), cell.encoding) == encodings.end())
      continue;
    if (std::find(properties.begin(), properties.end(), cell.property) == properties.end())
      properties.push_back(cell.property);
    texts[{cell.property, cell.encoding}] = cell_text(cell, least);
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

Grid failures_of(const std::vector<Cell>& cells, const LeastEffects& least) {
  Grid grid{
      .columns = {"encoding", "property", "fails by", "at", "because"},
      .rows = {},
      .caption =
          "Fails by: the error of the witness in the unit of the statement; where a least effect is asked for, the effect and what is asked for. `posproof explain PROPERTY` prints the statement."};
  for (const Cell& cell : cells)
    for (const Answer& answer : cell.answers)
      if (answer.claim != nullptr && !answer.claim->holds)
        grid.rows.push_back({fmt::format("`{}`", cell.encoding), fmt::format("`{}`", cell.property),
                             std::holds_alternative<Refuted>(answer.verdict)
                                 ? failed_by(cell.property, std::get<Refuted>(answer.verdict), least)
                                 : fmt::format("**{}**", name(answer.status)),
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
    if (cell.property != property || kind_of(cell.encoding) != kind) continue;
    for (const Answer& answer : cell.answers)
      if (const auto* held = std::get_if<Holds>(&answer.verdict))
        share = std::max(share, held->worst.error_over_bound());
  }
  return share;
}

std::vector<Seen> seen_by_properties(const experiments::MeasuredMatrix& measured) {
  std::vector<Seen> out;
  for (const auto& [id, of] : measured.seen) {
    if (out.empty() || out.back().property != id || out.back().kind != of.kind)
      out.push_back({id, of.kind, {}, {}, share_of(measured.cells, id, of.kind)});
    (of.in_16_bits ? out.back().in_16_bits : out.back().in_f32) = of.sharpness;
  }
  return out;
}

// Between what right code uses of a bound and what is proved to be seen, in f32: how many times the one the
// other is.
std::string gap_text(const Seen& seen) {
  const bool in_bounds = seen.in_f32 && seen.in_f32->measure == Measure::bound;
  return in_bounds && seen.share >= no_share ? fmt::format("{:.0f}", seen.in_f32->times / seen.share) : "";
}

Grid sharpness_of(const std::vector<Seen>& all) {
  Grid grid{.columns = {"property", "kind", "seen in f32", "seen in 16 bits", "used by right code", "gap"},
            .rows = {}};
  const auto text = [](const std::optional<Sharpness>& sharpness) {
    return sharpness ? sharpness->text() : "";
  };
  for (const Seen& seen : all)
    grid.rows.push_back({fmt::format("`{}`", seen.property), std::string(seen.kind), text(seen.in_f32),
                         text(seen.in_16_bits), seen.share < no_share ? "" : share_text(seen.share),
                         gap_text(seen)});
  return grid;
}

struct Counts {
  std::size_t holds = 0, fails = 0, open = 0, wrong = 0;
  // Of a claim that holds: a case that the check cannot use is drawn anew, a few times.
  std::uint64_t least_asked = std::numeric_limits<std::uint64_t>::max();
  std::uint64_t least_not_vacuous = std::numeric_limits<std::uint64_t>::max();

  void held(const Holds& one) {
    ++holds;
    least_asked = std::min(least_asked, one.cases);
    least_not_vacuous = std::min(least_not_vacuous, one.cases - one.vacuous);
  }
};

Counts count_of(const std::vector<Cell>& cells) {
  Counts counts;
  for (const Cell& cell : cells)
    for (const Answer& answer : cell.answers) {
      const bool claimed = answer.claim != nullptr || cell.property == agreement_id;
      if (answer.status != ClaimStatus::as_claimed)
        ++counts.wrong;
      else if (!claimed)  // what is not applicable was not searched
        counts.open += std::holds_alternative<NotApplicable>(answer.verdict) ? 0 : 1;
      else if (const auto* one = std::get_if<Holds>(&answer.verdict))
        counts.held(*one);
      else
        ++counts.fails;
    }
  return counts;
}

struct Measured {
  const experiments::MeasuredMatrix& matrix;
  const std::vector<Cell>& cells;
  Counts counts;
  std::vector<Seen> seen;
};

Measured measure() {
  const experiments::MeasuredMatrix& matrix = experiments::measured_matrix();
  return {matrix, matrix.cells, count_of(matrix.cells), seen_by_properties(matrix)};
}

// How many claims of each encoding hold, fail as recorded, or neither.
Grid summary(const std::vector<Cell>& cells) {
  Grid grid{
      .columns = {"encoding", "kind", "claims that hold", "recorded failures", "broken or unchecked",
                  "searched without a claim"},
      .rows = {},
      .caption =
          "Each encoding has a page of its own: formula, conventions, claims, curve, accuracy, defects."};
  std::map<std::string, std::vector<Cell>> by_encoding;
  for (const Cell& cell : cells) by_encoding[cell.encoding].push_back(cell);
  for (const auto& [encoding, of] : by_encoding) {
    const Counts counts = count_of(of);
    grid.rows.push_back({fmt::format("[`{0}`](encodings/{0}.md)", encoding), std::string(kind_of(encoding)),
                         std::to_string(counts.holds), std::to_string(counts.fails),
                         std::to_string(counts.wrong), std::to_string(counts.open)});
  }
  const Counts all = count_of(cells);
  grid.rows.push_back({"all", "", std::to_string(all.holds), std::to_string(all.fails),
                       std::to_string(all.wrong), std::to_string(all.open)});
  return grid;
}

constexpr std::array<std::pair<std::string_view, std::string_view>, 5> kinds = {
    {{"table", "Tables, added to the tokens."},
     {"rotary", "Rotations of queries and keys."},
     {"bias", "Biases on the logits."},
     {"contextual", "Logits that depend on content and positions."},
     {"attention", "Whole operators."}}};

std::vector<Block> grids(const Measured& m) {
  const std::vector<Cell>& cells = m.cells;
  std::set<std::string> groups;
  for (const Cell& cell : cells) groups.insert(group(cell.property));
  std::vector<Block> out;
  for (const std::string& one : groups) {
    out.push_back(Section{one.empty() ? "Agreement with the reference" : fmt::format("`{}/`", one)});
    for (const auto& [kind, caption] : kinds)
      for (const auto& encodings : columns_of(cells, one, kind, m.matrix.least)) {
        Grid grid = grid_of(cells, one, encodings, m.matrix.least);
        grid.caption = caption;
        out.push_back(std::move(grid));
      }
  }
  out.push_back(Section{"What follows from a declared fact"});
  out.push_back(Paragraph{
      "These claims are made once, with the fact. An encoding that declares it has those that can be asked of it, for the parameters for which it declares it, but for those that it withdraws or claims the contrary of; each is searched or replayed like any other. Where two facts give the same claim, it stands with one of them, and an encoding is listed with a fact from which a claim of its own follows."});
  out.push_back(facts_of(cells));
  return out;
}

std::vector<Block> details(const std::vector<Cell>& cells, const LeastEffects& least) {
  std::vector<Block> out = {Section{"What fails, where and why"}, failures_of(cells, least)};
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
          "Every property has implementations that are wrong and that it must refute, by little but where it holds or does not. "
          "*Seen* is the smallest error that these prove to be refuted: the largest error over bound of the sharpest of them, over 300 cases. "
          "A statement that allows nothing counts units of the answer's precision; one that asks for a least effect says by what the threshold would have to be divided. "
          "*Used by right code* is the largest share of the bound over all claims above, in double precision, where that is 0.01 % or more. "
          "The *gap* is the error seen in f32 divided by that share: errors in between are neither proved to be refuted nor met in right code."},
      sharpness_of(seen)};
}

std::vector<Block> legend(const Measured& m) {
  return {
      Section{"Summary"}, summary(m.cells), Section{"How to read the tables"},
      Paragraph{bounded(
          "- `holds 31 %`: a search of {} drawn cases found no counterexample; the largest error was 31 % of the error bound. Cases that a check cannot use are drawn anew, up to {} times, and then left out: at least {} were asked of each claim, and at least {} could have failed; of `attention/keeps_constant_sequences_constant`, where an encoding acts on the logits alone, only by an answer that is no number, for weights of any logits sum to 1. `holds 0 %`: it was less than 0.01 %. Where positions are real numbers, agreement and `call/` are searched over these, every other claim over the whole numbers.\n"
          "- `holds` alone, of agreement, which is asked at recorded hard cases, too: no largest error is said, since what the reference is off by depends on the last bits of powers and exponentials in long double, which are the processor's.\n"
          "- `fails 1.95`: the recorded witness, replayed, is off by 1.95 in the unit of the statement. All witnesses are listed [below](#what-fails-where-and-why) with the reason.\n"
          "- `fails 3.1e-05 of 0.00049`: the statement asks for an effect of at least 2^-11, which is 0.00049 to two digits, and the effect of the witness is 3.1e-05.\n"
          "- `holds? 3 %` and `fails?`: nobody claims it; what a search at the standard parameters says.\n"
          "- An empty cell is a statement that cannot be asked of that encoding, or one that nobody claims and of which no case of a search could have failed.\n"
          "- Entries separated by ` / ` belong to different parameters of one encoding.",
          m.matrix.options.budget.cases, draws_per_case, m.counts.least_asked, m.counts.least_not_vacuous)}};
}

Document run() {
  const Measured m = measure();
  const std::string finding = bounded(
      "{} claims hold in a search of {} drawn cases each; of the cases of every claim at least {} could have failed (those of one property only by an answer that is no number, as the legend says); {} recorded failures fail as recorded, {} claims are broken or unchecked.",
      m.counts.holds, m.matrix.options.budget.cases, m.counts.least_not_vacuous, m.counts.fails,
      m.counts.wrong);
  return {
      .title = "Which property holds for which encoding",
      .finding = finding,
      .condition = fmt::format(
          "Seed {}, {} drawn cases for each claim over the encoding's grid of parameters, double precision.",
          m.matrix.options.seed, m.matrix.options.budget.cases),
      .blocks = experiments::joined(
          {legend(m),
           grids(m),
           sharpness(m.seen),
           details(m.cells, m.matrix.least),
           {document::PageVerdict{finding}},
           experiments::references({experiments::vaswani_2017, experiments::su_2021, experiments::press_2021,
                                    experiments::raffel_2020})})};
}

}  // namespace

const Experiment entry{
    .question = "Which property holds for which encoding, and what does a failure look like?",
    .method =
        "Every claim of every encoding is judged: what is said to hold is searched, what is said to fail is replayed; cells without a claim are searched at the standard parameters.",
    .run = &run,
    .asked_by = Asker::choosing,
};

}  // namespace posproof::experiments_encoding_by_property
