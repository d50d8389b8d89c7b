#include "identify/identified_window.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <string>

namespace posproof {
namespace {

using Column = std::vector<double>;  // of all heads

std::optional<Column> column_of_key(const MeasuredBias& bias, std::size_t query, std::size_t key) {
  Column out;
  for (std::size_t h = 0; h < bias.heads(); ++h) {
    out.push_back(bias.at(h, query, key));
    if (!std::isfinite(out.back())) return std::nullopt;
  }
  return out;
}

// The tokens of a file: a class token first, where there is one, and the places row by row.
std::vector<Position> tokens_of(const Parameters& window, std::size_t count) {
  std::vector<Position> out;
  if (window.word("axes") == "line") {
    for (std::size_t t = 0; t < count; ++t) out.push_back(static_cast<Position>(t));
    return out;
  }
  if (window.word("class_token") == "three_rows") out = {-1, -1};
  const auto width = static_cast<Position>(window.real("width"));
  for (Position place = 0; out.size() < 2 * count; ++place) {
    out.push_back(place / width);
    out.push_back(place % width);
  }
  return out;
}

// The row of the table for each query and key, of one head.
Tensor rows_of_window(const EncodingSpec& spec, Parameters window, std::size_t count) {
  window.set("heads", 1.0);
  window.set("table", std::string("index"));
  const std::vector<Position> tokens = tokens_of(window, count);
  const Positions at(tokens, tokens.size() / count);
  const Encoding made = spec.make(window);
  return as<Bias>(made).bias(at, at);
}

bool has_these_rows(const Tensor& rows, const MeasuredBias& bias) {
  std::map<double, Column> of;
  for (std::size_t query = 0; query < bias.size(); ++query)
    for (std::size_t key = 0; key < bias.size(); ++key) {
      const auto here = column_of_key(bias, query, key);
      if (!here) return false;
      const auto [known, is_new] = of.emplace(rows.at(query, key), *here);
      if (!is_new && known->second != *here) return false;
    }
  std::set<Column> different;
  for (const auto& [row, numbers] : of) different.insert(numbers);
  return different.size() == of.size() && 2 * of.size() <= bias.size() * bias.size();
}

// Past this distance all later keys have the same column: as no two rows are alike, earlier ones have, too.
std::size_t reach(const MeasuredBias& bias) {
  const std::size_t last = bias.size() - 1;
  for (std::size_t distance = last; distance > 0; --distance)
    if (column_of_key(bias, 0, distance) != column_of_key(bias, 0, distance - 1)) return distance;
  return 0;
}

// Whether some head rises and falls on the way from a token on, or back to it: of a line all along, of a
// window along one row of places or one column.
bool is_irregular(const MeasuredBias& bias, std::size_t count, std::size_t step) {
  const auto turns = [&](std::size_t head, auto entry) {
    bool rises = false, falls = false;
    for (std::size_t n = 1; n < count; ++n) {
      const double change = entry(head, n * step) - entry(head, (n - 1) * step);
      rises = rises || change > 0;
      falls = falls || change < 0;
    }
    return rises && falls;
  };
  const std::size_t first = bias.size() - 1 - (count - 1) * step, last = bias.size() - 1;
  for (std::size_t h = 0; h < bias.heads(); ++h)
    if (turns(h, [&](std::size_t head, std::size_t n) { return bias.at(head, first, first + n); }) ||
        turns(h, [&](std::size_t head, std::size_t n) { return bias.at(head, last, last - n); }))
      return true;
  return false;
}

Parameters window_of(const MeasuredBias& bias, std::size_t width) {
  Parameters out;
  out.set("heads", static_cast<double>(bias.heads()));
  out.set("width", static_cast<double>(width));
  return out;
}

void add_lines(const MeasuredBias& bias, std::vector<Parameters>& windows) {
  const std::size_t width = reach(bias) + 1;
  if (!is_irregular(bias, bias.size(), 1)) return;
  Parameters line = window_of(bias, width);
  line.set("axes", std::string("line"));
  windows.push_back(std::move(line));
}

void add_windows(const MeasuredBias& bias, const std::string& class_token, std::vector<Parameters>& windows) {
  const std::size_t places = bias.size() - (class_token == "none" ? 0 : 1);
  for (std::size_t width = 2; 2 * width <= places; ++width) {
    const std::size_t height = places / width;
    if (places % width != 0 || (!is_irregular(bias, width, 1) && !is_irregular(bias, height, width)))
      continue;
    Parameters one = window_of(bias, width);
    one.set("axes", std::string("rows_and_columns"));
    one.set("height", static_cast<double>(height));
    one.set("class_token", class_token);
    windows.push_back(std::move(one));
  }
}

}  // namespace

std::vector<Candidate> trained_windows(const EncodingSpec& spec, const MeasuredBias& bias) {
  std::vector<Candidate> out;
  if (bias.size() < 2) return out;
  std::vector<Parameters> windows;
  add_lines(bias, windows);
  for (const std::string class_token : {"none", "three_rows"}) add_windows(bias, class_token, windows);
  for (Parameters& window : windows)
    for (const std::string relative : {"query_minus_key", "key_minus_query", "distance"}) {
      window.set("relative", relative);
      if (!makes_sense(spec, window) || !has_these_rows(rows_of_window(spec, window, bias.size()), bias))
        continue;
      for (const std::string fastest : {"columns", "rows"}) {
        if (fastest == "rows" && window.word("axes") == "line") continue;
        Candidate one{"relative_table", window};
        if (window.word("axes") != "line") one.parameters.set("fastest", fastest);
        out.push_back(std::move(one));
      }
    }
  return out;
}

}  // namespace posproof
