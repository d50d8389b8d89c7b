#include "report/json.h"

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "report/accuracy.h"
#include "report/file.h"
#include "report/headline.h"
#include "report/upper.h"
#include "run/agreement.h"
#include "run/catalogued.h"

namespace posproof::report {
namespace {

using Json = nlohmann::ordered_json;

Json number(double value) {
  return std::isfinite(value) ? Json(value) : Json(nullptr);
}

std::string_view word_of(Explanation::Kind kind) {
  switch (kind) {
    using enum Explanation::Kind;
    case convention:
      return "convention";
    case measured:
      return "measured";
    case defect:
      return "defect";
    case place:
      return "place";
    case unfinished:
      return "unfinished";
  }
  return "";
}

Json without_ceiling(const Residual& residual) {
  return {{"error", number(residual.error)}, {"bound", number(residual.bound)}};
}

Json of(const Residual& residual) {
  Json out = without_ceiling(residual);
  out["ceiling"] = number(residual.ceiling);
  return out;
}

Json of(const std::vector<double>& position) {
  return position.size() == 1 ? number(position.front()) : Json(position);
}

Json of(const Place& place) {
  Json out = {{"answer", place.answer}, {"answers", place.answers}};
  for (const auto& [axis, index] : place.axes) out[std::string(name(axis))] = index;
  if (!place.position.empty()) out["position"] = of(place.position);
  if (!place.key_position.empty()) out["key_position"] = of(place.key_position);
  if (place.pair) out.update({{"pair", place.pair->index}, {"second_of_pair", place.pair->second}});
  if (place.relative_to_key) out["relative_to_key"] = *place.relative_to_key;
  out.update({{"expected", number(place.expected)},
              {"got", number(place.got)},
              {"error", number(place.off.error)},
              {"bound", number(place.off.bound)}});
  return out;
}

struct Fields {
  Json operator()(const Holds& holds) const {
    return {{"cases", holds.cases},
            {"vacuous", holds.vacuous},
            {"worst", of(holds.worst)},
            {"worst_at", holds.worst_at.text()}};
  }
  Json operator()(const Refuted& refuted) const {
    Json out = {{"case", refuted.counterexample.text()},
                {"residual", of(refuted.residual)},
                {"found_after", refuted.found_after},
                {"shrinks", refuted.shrinks},
                {"repeats", refuted.repeats},
                {"irrelevant", refuted.irrelevant}};
    if (!refuted.instead.empty()) out["instead"] = refuted.instead;
    if (refuted.place) out["place"] = of(*refuted.place);
    return out;
  }
  Json operator()(const Undecided& undecided) const {
    return {{"why", undecided.why}, {"cases", undecided.held.cases}, {"vacuous", undecided.held.vacuous}};
  }
  Json operator()(const Errored& errored) const {
    return {{"why", errored.what}, {"case", errored.at.text()}};
  }
  Json operator()(const NotApplicable& none) const { return {{"why", none.why}}; }
};

Json of(const Verdict& verdict) {
  Json out = {{"verdict", name(verdict)}};
  out.update(std::visit(Fields{}, verdict));
  return out;
}

Json of(const Parameters& parameters) {
  Json out = Json::object();
  for (const auto& [name, value] : parameters.fields()) {
    if (const auto* real = std::get_if<double>(&value))
      out[name] = number(*real);
    else
      out[name] = text(value);
  }
  return out;
}

// Nothing without a sandbox.
Json of(const Containment& containment) {
  if (containment.contained.empty()) return Json::object();
  return {{"contained", containment.contained}, {"not_contained", containment.not_contained}};
}

// A position, or the numbers of a place.
Json numbers(const Accuracy& accuracy, Position position) {
  return accuracy.places ? Json(accuracy.places->at(position)) : Json(position);
}

Json of(const Accuracy& accuracy, const Entry& entry) {
  const Json position = numbers(accuracy, entry.position);
  if (accuracy.channels > 0)
    return {{"position", position},
            {"head", entry.column / accuracy.channels},
            {"column", entry.column % accuracy.channels}};
  if (accuracy.keys == 0) return {{"position", position}, {"column", entry.column}};
  return {{"query", position},
          {"key", numbers(accuracy, accuracy.first + static_cast<Position>(entry.column % accuracy.keys))},
          {"head", entry.column / accuracy.keys}};
}

Json of(const Accuracy& accuracy) {
  Json out = {{"format", name(accuracy.format)},
              {"first", numbers(accuracy, accuracy.first)},
              {"last", numbers(accuracy, accuracy.last)},
              {"rows", accuracy.rows},
              {"declined", accuracy.declined},
              {"entries", accuracy.entries},
              {"not_correctly_rounded", accuracy.wrong},
              {"stopped", accuracy.stopped}};
  if (accuracy.failed)
    out["failed"] = {{"instead", accuracy.failed->instead}, {"case", accuracy.failed->counterexample.text()}};
  if (accuracy.errored)
    out["errored"] = {{"why", accuracy.errored->what}, {"case", accuracy.errored->at.text()}};
  if (accuracy.entries == 0) return out;
  out["largest_ulp"] = {{"ulp", number(accuracy.ulp)}};
  if (accuracy.wrong > 0) out["largest_ulp"]["at"] = of(accuracy, accuracy.ulp_at);
  out["largest_error"] = {{"error", number(accuracy.largest)},
                          {"bound_only", accuracy.of_angles && !accuracy.largest_at}};
  if (is_from_rounded(accuracy)) out["largest_error"]["from"] = "the exact value rounded to f64";
  if (accuracy.largest_at) out["largest_error"]["at"] = of(accuracy, *accuracy.largest_at);
  out["within_bound"] = !accuracy.beyond;
  if (accuracy.beyond)
    out["first_beyond"] = {{"at", of(accuracy, accuracy.beyond->at)},
                           {"case", accuracy.beyond->again.text()},
                           {"residual", without_ceiling(accuracy.beyond->residual)}};
  else {
    out["worst"] = {{"case", accuracy.worst_at.text()}, {"residual", without_ceiling(accuracy.worst)}};
    out["worst"]["residual"]["bound_only"] = is_only_a_bound(accuracy, accuracy.worst.error);
  }
  out["against_rounded_frequencies"] = Json::array();
  for (const auto& against : accuracy.against)
    out["against_rounded_frequencies"].push_back(
        {{"frequencies", name(against.frequencies)}, {"not_correctly_rounded", against.wrong}});
  out["curve"] = Json::array();
  for (const PositionRange& range : accuracy.profile)
    out["curve"].push_back({{"first", range.first},
                            {"last", range.last},
                            {"error", number(range.error)},
                            {"bound_only", is_only_a_bound(accuracy, range.error)},
                            {"bound", number(range.bound)},
                            {"ulp", number(range.ulp)}});
  return out;
}

// Whether what is said of the property is the comparison of every entry.
bool is_worst_of(const std::optional<Accuracy>& accuracy, const PropertyResult& result) {
  const auto* held = std::get_if<Holds>(&result.verdict);
  return accuracy && held != nullptr && result.id == agreement_id &&
         held->worst_at.text() == accuracy->worst_at.text() && held->worst.error == accuracy->worst.error;
}

Json of(const Observation& observation) {
  return {{"calls", observation.calls},
          {"differ", observation.differ},
          {"largest", number(observation.largest)},
          {"first", observation.first.text()}};
}

std::string written(const Json& json) {
  // File names and the words of a command line need not be UTF-8: U+FFFD in their place, and no exception.
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace

std::string json(const GateResult& gated) {
  const Headline said = headline(gated);
  Json out = {{"verdict", lower(said.verdict)},
              {"cause", said.cause.empty() ? Json(nullptr) : Json(said.cause)},
              {"encoding", gated.encoding},
              {"parameters", of(gated.parameters)},
              {"subject", gated.subject.name},
              {"description", gated.subject.description},
              {"kind", kind(gated.subject.encoding)},
              {"precision", gated.subject.precision.word()},
              {"refuted", gated.refuted()},
              {"undecided", gated.undecided()},
              {"asked", Json::array()},
              {"skipped", gated.skipped},
              {"not_checked", gated.not_checked},
              {"alike", gated.alike},
              {"explanations", Json::array()}};
  out.update(of(gated.subject.containment));
  if (!gated.interrupted.empty()) out["interrupted"] = gated.interrupted;
  for (const PropertyResult& result : gated.results) {
    Json one = {{"property", result.id}};
    one.update(of(result.verdict));
    if (is_worst_of(gated.accuracy, result))
      one["worst"]["bound_only"] = is_only_a_bound(*gated.accuracy, gated.accuracy->worst.error);
    if (!result.same_as.empty()) one["same_as"] = result.same_as;
    if (!result.follows_from.empty()) one["follows_from"] = result.follows_from;
    if (result.needs_history) one["needs_history"] = true;
    out["asked"].push_back(one);
  }
  if (gated.observed)
    out["observed"] = {{"repeated", of(gated.observed->repeated)}, {"alone", of(gated.observed->alone)}};
  if (gated.seeming.answers > 0)
    out["seeming_precision"] = {{"answers", gated.seeming.answers},
                                {"precision", gated.seeming.word},
                                {"share", number(gated.seeming.share)},
                                {"declared_share", number(gated.seeming.declared_share)},
                                {"tighter_by_far", gated.seeming.tighter_by_far}};
  if (!gated.holds_as.empty()) out["would_hold_as"] = gated.holds_as;
  if (gated.accuracy) out["accuracy"] = of(*gated.accuracy);
  for (const Explanation& explanation : gated.explanations)
    out["explanations"].push_back({{"kind", word_of(explanation.kind)},
                                   {"what", explanation.what},
                                   {"meaning", explanation.meaning},
                                   {"sources", explanation.sources}});
  return written(out);
}

std::string json(const std::vector<Cell>& cells) {
  Json out = Json::array();
  for (const Cell& cell : cells) {
    Json answers = Json::array();
    for (const Answer& answer : cell.answers) {
      Json one = {{"claim", answer.claim == nullptr ? "none"
                            : answer.claim->holds   ? "holds"
                                                    : "fails"},
                  {"standing", name(answer.status)},
                  {"why", answer.why}};
      if (answer.claim != nullptr) one["when"] = answer.claim->when.text();
      if (answer.claim != nullptr && answer.claim->follows_from != nullptr)
        one["follows_from"] = answer.claim->follows_from->name;
      one.update(of(answer.verdict));
      answers.push_back(one);
    }
    out.push_back({{"encoding", cell.encoding}, {"property", cell.property}, {"answers", answers}});
  }
  return written(out);
}

std::string json(std::string_view id, const Verdict& verdict, const Containment& containment,
                 const std::optional<Replayed>& claimed_to_fail) {
  Json out = {{"property", id}};
  out.update(of(verdict));
  out.update(of(containment));
  if (claimed_to_fail)
    out["claimed_to_fail"] = {{"standing", name(claimed_to_fail->witness.status)},
                              {"why", claimed_to_fail->witness.why},
                              {"witness", claimed_to_fail->claim.witness},
                              {"by", claimed_to_fail->claim.by},
                              {"because", claimed_to_fail->claim.because}};
  return written(out);
}

std::string json(const AccuracyReport& report) {
  Json out = {{"encoding", report.encoding},           {"parameters", of(report.parameters)},
              {"subject", report.subject.name},        {"description", report.subject.description},
              {"kind", kind(report.subject.encoding)}, {"precision", report.subject.precision.word()}};
  out.update(of(report.subject.containment));
  out.update(of(report.accuracy));
  return written(out);
}

std::string json(const WrittenArray& it) {
  Json out = {{"file", it.file},
              {"encoding", it.encoding},
              {"parameters", of(it.parameters)},
              {"positions", {it.first, it.last}},
              {"array", it.array.name},
              {"shape", it.array.shape},
              {"format", name(it.array.format)},
              {"rounding", it.array.rounding},
              {"bytes", it.bytes}};
  if (!it.array.grid.empty()) out["positions"] = {{"grid", it.array.grid}};
  return written(out);
}

}  // namespace posproof::report
