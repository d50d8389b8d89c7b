#include "report/json.h"

#include <cmath>
#include <nlohmann/json.hpp>

#include "report/accuracy.h"
#include "run/catalogued.h"

namespace posproof::report {
namespace {

using Json = nlohmann::ordered_json;

Json number(double value) {
  return std::isfinite(value) ? Json(value) : Json(nullptr);
}

Json residual_of(const Residual& residual) {
  return {{"error", number(residual.error)},
          {"bound", number(residual.bound)},
          {"ceiling", number(residual.ceiling)}};
}

struct Fields {
  Json operator()(const Holds& holds) const {
    return {{"cases", holds.cases},
            {"vacuous", holds.vacuous},
            {"worst", residual_of(holds.worst)},
            {"worst_at", holds.worst_at.text()}};
  }
  Json operator()(const Refuted& refuted) const {
    return {{"case", refuted.counterexample.text()},
            {"residual", residual_of(refuted.residual)},
            {"found_after", refuted.found_after},
            {"shrinks", refuted.shrinks},
            {"repeats", refuted.repeats},
            {"irrelevant", refuted.irrelevant}};
  }
  Json operator()(const Undecided& undecided) const { return {{"why", undecided.why}}; }
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

std::string written(const Json& json) {
  return json.dump(2) + "\n";
}

}  // namespace

std::string json(const GateResult& gated) {
  Json out = {{"encoding", gated.encoding},
              {"parameters", of(gated.parameters)},
              {"subject", gated.subject.name},
              {"description", gated.subject.description},
              {"kind", kind(gated.subject.encoding)},
              {"precision", gated.subject.precision.word()},
              {"refuted", gated.refuted()},
              {"undecided", gated.undecided()},
              {"asked", Json::array()},
              {"not_asked", gated.skipped},
              {"left_out", gated.not_covered},
              {"explanations", Json::array()}};
  for (const PropertyResult& result : gated.results) {
    Json one = {{"property", result.id}};
    one.update(of(result.verdict));
    out["asked"].push_back(one);
  }
  if (gated.accuracy) out["accuracy"] = Json::parse(json(*gated.accuracy));
  for (const Explanation& explanation : gated.explanations)
    out["explanations"].push_back(
        {{"kind", explanation.kind == Explanation::Kind::convention ? "convention" : "defect"},
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
      one.update(of(answer.verdict));
      answers.push_back(one);
    }
    out.push_back({{"encoding", cell.encoding}, {"property", cell.property}, {"answers", answers}});
  }
  return written(out);
}

std::string json(std::string_view id, const Verdict& verdict) {
  Json out = {{"property", id}};
  out.update(of(verdict));
  return written(out);
}

}  // namespace posproof::report
