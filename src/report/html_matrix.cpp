#include "report/html_matrix.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <nlohmann/json.hpp>
#include <string_view>

#include "report/html.h"
#include "report/inline_html.h"
#include "report/words.h"
#include "run/agreement.h"
#include "run/catalogued.h"

namespace posproof::report {
namespace {

using Json = nlohmann::ordered_json;

bool is_claimed(const Cell& cell, const Answer& answer) {
  return answer.claim != nullptr || cell.property == agreement_id;
}

std::string verdict_of(const Cell& cell, const Answer& answer) {
  if (answer.status != ClaimStatus::as_claimed) return std::string(name(answer.status));
  const std::string_view mark = is_claimed(cell, answer) ? "" : "?";
  if (std::holds_alternative<Holds>(answer.verdict)) return fmt::format("holds{}", mark);
  return std::holds_alternative<Refuted>(answer.verdict) ? fmt::format("fails{}", mark) : "";
}

// Why it is so, as far as somebody said: the reason of a failure, or the fact that it follows from.
std::string because(const Cell& cell, const Answer& answer) {
  if (!answer.why.empty()) return answer.why;
  if (answer.claim == nullptr)
    return cell.property == agreement_id ? "its reference and its oracle are compared entry by entry"
                                         : "nobody claims it: a search at the standard parameters says so";
  if (!answer.claim->because.empty()) return std::string(answer.claim->because);
  if (answer.claim->follows_from != nullptr) return fmt::format("it {}", answer.claim->follows_from->name);
  return "claimed by the encoding, and searched for a counterexample";
}

// What judges it again.
std::string command(const Cell& cell, const Answer& answer) {
  if (answer.claim != nullptr && !answer.claim->holds)
    return fmt::format("posproof check {} {} --case {}", cell.property, cell.encoding,
                       as_shell_word(answer.claim->witness));
  if (is_claimed(cell, answer))
    return fmt::format("posproof matrix --filter {}.{}", cell.encoding, cell.property);
  return fmt::format("posproof check {} {}", cell.property, cell.encoding);
}

Json finite(double value) {
  return std::isfinite(value) ? Json(value) : Json(nullptr);
}

Json answer_of(const MatrixPage& matrix, const Cell& cell, const Answer& answer) {
  Json out = {{"encoding", cell.encoding},
              {"property", cell.property},
              {"verdict", verdict_of(cell, answer)},
              {"where", answer.claim == nullptr ? "" : answer.claim->when.text()},
              {"because", because(cell, answer)},
              {"follows_from", answer.claim != nullptr && answer.claim->follows_from != nullptr
                                   ? answer.claim->follows_from->name
                                   : std::string_view{}},
              {"command", command(cell, answer)}};
  if (const auto* held = std::get_if<Holds>(&answer.verdict))
    out.update({{"cases", held->cases},
                {"vacuous", held->vacuous},
                {"error", finite(held->worst.error)},
                {"bound", finite(held->worst.bound)},
                {"share_of_bound", finite(held->worst.error_over_bound())},
                {"case", held->worst_at.text()}});
  if (const auto* refuted = std::get_if<Refuted>(&answer.verdict))
    out.update({{"error", finite(refuted->residual.error)},
                {"bound", finite(refuted->residual.bound)},
                {"share_of_bound", finite(refuted->residual.error_over_bound())},
                {"off_by", matrix.failed_by(cell.property, *refuted)},
                {"case", answer.claim == nullptr ? refuted->counterexample.text()
                                                 : std::string(answer.claim->witness)}});
  return out;
}

Json property_of(const std::string& id) {
  if (id == agreement_id)
    return {{"id", id},
            {"statement", "The reference and the oracle give the same values, within rounding."},
            {"formula", ""},
            {"source", ""}};
  const Property& property = property_named(id);
  return {{"id", id},
          {"statement", property.statement},
          {"formula", property.formula},
          {"source", property.source}};
}

Json encoding_of(const std::string& id) {
  const EncodingSpec& spec = encoding_named(id);
  return {{"id", id}, {"kind", kind(spec.make(with(spec, {})))}, {"summary", spec.summary}};
}

Json data_of(const MatrixPage& matrix) {
  Json out = {{"condition", matrix.condition},
              {"encodings", Json::array()},
              {"properties", Json::array()},
              {"answers", Json::array()}};
  std::set<std::string> encodings, properties;
  for (const Cell& cell : matrix.cells) {
    bool any = false;
    for (const Answer& answer : cell.answers)
      if (!verdict_of(cell, answer).empty()) {
        out["answers"].push_back(answer_of(matrix, cell, answer));
        any = true;
      }
    if (any && encodings.insert(cell.encoding).second) out["encodings"].push_back(encoding_of(cell.encoding));
    if (any) properties.insert(cell.property);
  }
  for (const std::string& property : properties) out["properties"].push_back(property_of(property));
  return out;
}

// RFC 4180.
std::string field(const Json& value) {
  const std::string text = value.is_string() ? value.get<std::string>() : value.is_null() ? "" : value.dump();
  if (text.find_first_of(",\"\n") == std::string::npos) return text;
  std::string out;
  for (const char c : text) out.append(c == '"' ? 2 : 1, c);
  return fmt::format("\"{}\"", out);
}

// No mark of HTML or XML stands in it.
std::string embedded(const Json& json) {
  std::string out;
  for (const char c : json.dump()) {
    if (c == '<' || c == '>' || c == '&')
      out += fmt::format("\\u{:04x}", static_cast<unsigned>(c));
    else
      out += c;
  }
  return out;
}

constexpr std::string_view controls = R"html(<form id="filters" aria-label="Filters">
<p><label for="encoding">Encoding</label> <select id="encoding"><option value="">all</option></select></p>
<p><label for="property">Property contains</label> <input id="property" type="search" autocomplete="off"/></p>
<fieldset><legend>Verdict</legend><span id="verdicts"></span></fieldset>
<fieldset><legend>View</legend>
<label><input type="radio" name="view" value="grid" checked="checked"/> Grid</label>
<label><input type="radio" name="view" value="list"/> List</label></fieldset>
<p><button type="reset">Clear the filters</button></p>
</form>
<p id="count" role="status"></p>
<div id="grid" class="table" role="group" tabindex="0" aria-label="The matrix: properties down, encodings across"></div>
<div id="list" class="table" role="group" tabindex="0" aria-label="The claims as a list" hidden="hidden"></div>
<dialog id="cell" aria-labelledby="cell-title">
<h2 id="cell-title"></h2>
<div id="cell-body"></div>
<p><button id="close" type="button">Close</button></p>
</dialog>
)html";

}  // namespace

std::string matrix_json(const MatrixPage& matrix) {
  return data_of(matrix).dump(1) + "\n";
}

std::string matrix_csv(const MatrixPage& matrix) {
  constexpr std::array<std::string_view, 13> columns = {
      "encoding", "property", "verdict", "where", "cases",        "vacuous", "error",
      "bound",    "off_by",   "because", "case",  "follows_from", "command"};
  std::string out;
  for (const std::string_view column : columns) out += fmt::format("{}{}", out.empty() ? "" : ",", column);
  out += '\n';
  const Json data = data_of(matrix);
  for (const Json& answer : data["answers"]) {
    for (const std::string_view column : columns)
      out += fmt::format("{}{}", column == columns.front() ? "" : ",",
                         answer.contains(column) ? field(answer[std::string(column)]) : "");
    out += '\n';
  }
  return out;
}

std::string matrix_html(const MatrixPage& matrix) {
  return framed(
      "matrix", "Which property holds for which encoding",
      fmt::format(
          "<h1>Which property holds for which encoding</h1>\n"
          "<p>{} Choose a cell for the statement, the reason, the witness and the command that judges it again; arrow "
          "keys move between cells. The same as a page without scripts: "
          "<a href=\"encoding_by_property.html\">encoding by property</a>. Data: <a href=\"matrix.csv\">matrix.csv</a>, "
          "<a href=\"matrix.json\">matrix.json</a>.</p>\n"
          "<noscript><p>This page needs JavaScript.</p></noscript>\n{}"
          "<script type=\"application/json\" id=\"data\">{}</script>\n",
          escaped(matrix.condition), controls, embedded(data_of(matrix))),
      {"matrix.js"});
}

}  // namespace posproof::report
