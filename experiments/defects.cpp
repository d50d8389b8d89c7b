#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <set>

#include "catalogue/defects.h"
#include "catalogue/experiments/defects.h"
#include "catalogue/properties.h"
#include "core/call.h"
#include "defects/not_asked.h"
#include "defects/sources.h"
#include "gate/history.h"
#include "measure.h"
#include "run/agreement.h"
#include "run/catalogued.h"
#include "run/claimed.h"
#include "search/trial.h"

namespace posproof::experiments_defects {
namespace {

using namespace document;

constexpr std::uint64_t cases_of_the_named = 300, cases = 100, histories = 10;

// One defect at its setting.
struct Row {
  std::string family;
  const Defect* defect;
  std::string named;               // the property that must refute it
  std::vector<std::string> asked;  // what the right encoding claims there, agreement and history
  std::set<std::string> refuted;

  std::string name() const { return fmt::format("`{}/{}`", family, defect->name); }
  bool survives() const { return !refuted.contains(named); }
};

// Off by a few roundings of an answer, where the statement allows none: whether a case shows it is a matter
// of the last bits of sines and powers, which another processor has otherwise.
bool is_rounding(const Residual& off, const Precision& precision) {
  const double size =
      off.ceiling > 0 ? off.ceiling : 1;  // 0: said of what has to be exact; entries are near 1
  return std::isfinite(size) && off.error <= 8 * precision.result * size;
}

bool refutes(const Property& property, const Encoding& wrong, const Precision& precision,
             const std::string& id, std::uint64_t most, bool named) {
  const auto one = trial(property, wrong, precision);
  if (!one) return false;
  const Trial beyond_rounding = [&](Draw& draw) {
    Residual off = (*one)(draw);
    if (!off.holds() && is_rounding(off, precision)) off.bound = off.error;
    return off;
  };
  const Verdict verdict =
      search(named ? *one : beyond_rounding, {.id = id, .budget = {.cases = most, .shrinks = 0}});
  return std::holds_alternative<Refuted>(verdict);
}

// The defect as a process is: made anew where that is asked for.
Subject made_anew(const Defect& defect, const Parameters& parameters) {
  const auto object = std::make_shared<Encoding>(defect.make(parameters));
  return {.name = std::string(defect.name),
          .description = "",
          .encoding = answered_by(*object, [object](const Call& call) { return answer(*object, call); }),
          .precision = defect.precision,
          .renew = [object, &defect, parameters] { *object = defect.make(parameters); }};
}

Row judged(std::string_view family, const Defect& defect) {
  const EncodingSpec& spec = encoding_named(family);
  const Parameters parameters = with(spec, Case::parse(defect.setting));
  const Encoding truth = spec.oracle(parameters);
  Row row{.family = std::string(family),
          .defect = &defect,
          .named = std::string(agreement_id),
          .asked = {},
          .refuted = {}};
  if (defect.refuted_by != nullptr) row.named = id_of(*defect.refuted_by);
  const auto ask = [&](const std::string& id, const Property& property, const Subject& subject,
                       std::uint64_t most) {
    if (std::ranges::find(row.asked, id) != row.asked.end()) return;
    row.asked.push_back(id);
    // The tests search under this name.
    const std::string search = fmt::format("{}.{}", family, defect.name);
    const bool named = id == row.named;
    if (refutes(property, subject.encoding, defect.precision, search, named ? cases_of_the_named : most,
                named))
      row.refuted.insert(id);
  };
  ask(std::string(agreement_id), agreement(truth), made_anew(defect, parameters), cases);
  const Subject remembering = made_anew(defect, parameters);
  ask(std::string(history_id), history(truth, remembering), remembering, histories);
  for (const Claim& claim : claims_of(spec))
    if (claim.holds && claim.when.met(parameters))
      ask(std::string(id_of(*claim.property)), *claim.property, made_anew(defect, parameters), cases);
  return row;
}

struct Measured {
  std::vector<Row> rows;
  std::size_t survivors = 0, shipped = 0, by_agreement_alone = 0;
  std::set<std::string_view> recorded;
};

Measured measure() {
  Measured m;
  for (const auto& [family, defects] : catalogue::defects())
    for (const Defect& defect : defects->defects) {
      m.rows.push_back(judged(family, defect));
      m.survivors += m.rows.back().survives() ? 1 : 0;
      m.shipped += is_kin(defect) ? 0 : 1;
      auto others = m.rows.back().refuted;
      others.erase(std::string(agreement_id));
      others.erase(std::string(history_id));
      m.by_agreement_alone += others.empty() ? 1 : 0;
      m.recorded.insert(defect.recorded.begin(), defect.recorded.end());
    }
  return m;
}

std::vector<Block> by_property(const Measured& m) {
  struct Count {
    std::size_t asked = 0, refuted = 0, alone = 0, named = 0;
  };
  std::map<std::string, Count> counts;
  for (const Row& row : m.rows) {
    for (const std::string& id : row.asked) ++counts[id].asked;
    for (const std::string& id : row.refuted) ++counts[id].refuted;
    for (const std::string& id : row.refuted) {
      // Agreement and history compare with the oracle; alone is what no other statement sees.
      auto others = row.refuted;
      others.erase(id);
      if (others.empty()) ++counts[id].alone;
    }
    ++counts[row.named].named;
  }
  std::vector<std::pair<std::string, Count>> sorted(counts.begin(), counts.end());
  std::ranges::stable_sort(sorted, std::greater{}, [](const auto& one) { return one.second.refuted; });
  Grid grid{.columns = {"property", "asked of", "refutes", "alone", "named in advance for"}, .rows = {}};
  std::vector<std::string> none, never;
  for (const auto& [id, property] : catalogue::properties())
    if (!counts.contains(std::string(id)) || counts.at(std::string(id)).asked == 0)
      never.push_back(fmt::format("`{}`", id));
  for (const auto& [id, count] : sorted)
    if (count.refuted == 0)
      none.push_back(fmt::format("`{}`", id));
    else
      grid.rows.push_back({fmt::format("`{}`", id), std::to_string(count.asked),
                           std::to_string(count.refuted), std::to_string(count.alone),
                           std::to_string(count.named)});
  return {
      Section{"What each property refutes"},
      Paragraph{
          "*Asked of* counts the defects at whose setting the right encoding claims the property; *alone* those that no other property here refutes."},
      std::move(grid),
      Paragraph{
          (none.empty() ? std::string("Every property that is asked of a defect refutes one.")
                        : fmt::format("Of the properties that are asked of a defect, {} alone refutes none.",
                                      fmt::join(none, " and "))) +
          (never.empty() ? std::string() : fmt::format(" {} is asked of none.", fmt::join(never, " and ")))}};
}

std::string heading(const std::string& id) {
  return fmt::format("`{}`", id);
}

// One family's rows against every property that refutes one of them.
Grid matrix_of(const std::vector<const Row*>& rows) {
  std::vector<std::string> columns;
  for (const Row* row : rows)
    for (const std::string& id : row->asked)
      if (std::ranges::find(columns, id) == columns.end() &&
          std::ranges::any_of(rows, [&](const Row* one) { return one->refuted.contains(id); }))
        columns.push_back(id);
  Grid grid{.columns = {"defect"}, .rows = {}};
  for (const std::string& id : columns) grid.columns.push_back(heading(id));
  for (const Row* row : rows) {
    std::vector<std::string> cells = {fmt::format("`{}`", row->defect->name)};
    for (const std::string& id : columns) {
      const bool asked = std::ranges::find(row->asked, id) != row->asked.end();
      const std::string mark = row->refuted.contains(id) ? "x" : asked ? "" : "-";
      cells.push_back(id == row->named ? fmt::format("**{}**", mark) : mark);
    }
    grid.rows.push_back(std::move(cells));
  }
  return grid;
}

std::vector<Block> matrices(const Measured& m) {
  std::vector<Block> out = {
      Section{"Defect by property"},
      Paragraph{
          "x: refuted; **x**: by the property that is named in advance; -: the right encoding does not claim it at that setting; empty: it holds there, or fails by rounding alone. A property that refutes no defect of a family has no column in its table."}};
  std::map<std::string, std::vector<const Row*>> families;
  for (const Row& row : m.rows) families[row.family].push_back(&row);
  for (const auto& [family, rows] : families) {
    out.push_back(Section{fmt::format("`{}`", family)});
    out.push_back(matrix_of(rows));
  }
  return out;
}

std::string linked(const Defect& defect) {
  std::vector<std::string> links;
  for (const auto& [name, url] : sources_of(defect)) links.push_back(fmt::format("[{}]({})", name, url));
  return fmt::format("{}{}", is_kin(defect) ? kin : "", fmt::join(links, ", "));
}

std::vector<Block> what_each_is(const Measured& m) {
  Grid grid{.columns = {"defect", "what is wrong", "setting", "recorded as", "sources"}, .rows = {}};
  for (const Row& row : m.rows)
    grid.rows.push_back({row.name(), std::string(row.defect->wrong), fmt::format("`{}`", row.defect->setting),
                         fmt::format("{}", fmt::join(row.defect->recorded, ", ")), linked(*row.defect)});
  return {
      Section{"What each is, and where it was shipped"},
      Paragraph{
          "*Kin of* marks a defect that was not found itself: a neighbour of a reported one, or what a report asks for. `posproof gate` compares a refuted subject with all of its family."},
      std::move(grid)};
}

std::vector<Block> left_out(const Measured& m) {
  Grid grid{.columns = {"recorded as", "family", "why it is not asked"}, .rows = {}};
  for (const NotAsked& one : not_asked)
    grid.rows.push_back({std::string(one.id), std::string(one.family), std::string(one.because)});
  return {
      Section{"Recorded, and not asked"},
      Paragraph{fmt::format(
          "Of the {} records of threads, commits and gaps {} have a defect here that stands for them; these {} have none, some because they are no defects of released code.",
          m.recorded.size() + not_asked.size(), m.recorded.size(), not_asked.size())},
      std::move(grid)};
}

std::string finding(const Measured& m) {
  return fmt::format(
      "{} of {} defects survive: at the setting that is named for it each {}is refuted by the property that is named in advance. {} of them were shipped, {} are kin of reported ones; they stand for {} of the {} threads, commits and gaps that were recorded. {} are refuted by agreement with the exact numbers alone.",
      m.survivors, m.rows.size(), m.survivors == 0 ? "" : "of the others ", m.shipped,
      m.rows.size() - m.shipped, m.recorded.size(), m.recorded.size() + not_asked.size(),
      m.by_agreement_alone);
}

Document run() {
  const Measured m = measure();
  return {
      .title = "Defects that were shipped, and what refutes them",
      .finding = finding(m),
      .condition = fmt::format(
          "Each defect at the setting that is named for it and in the precision that it claims; seed 1; {} cases for the property that is named in advance, {} for every other that the right encoding claims at that setting, {} sequences of calls for `{}`; a counterexample that is off by no more than eight roundings of an answer counts for the property that is named in advance alone.",
          cases_of_the_named, cases, histories, history_id),
      .blocks = experiments::joined(
          {by_property(m), matrices(m), what_each_is(m), left_out(m), {document::PageVerdict{finding(m)}}})};
}

}  // namespace

const Experiment entry{
    .question = "Is every known defect seen, and by which property?",
    .method =
        "Each defect is an implementation of its own, made by an operator on the right one. Every property that the right encoding claims at that setting is searched for a counterexample, as the tests `defects.*` do with the one that is named in advance.",
    .run = &run,
    .asked_by = Asker::implementing,
};

}  // namespace posproof::experiments_defects
