#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>

#include "report/upper.h"
#include "report/words.h"

namespace posproof::report {

std::string matrix(const std::vector<Cell>& cells, const Style& style) {
  std::vector<std::string> encodings, properties;
  std::map<std::pair<std::string, std::string>, std::string> words;
  std::string out;
  for (const Cell& cell : cells) {
    if (std::find(encodings.begin(), encodings.end(), cell.encoding) == encodings.end())
      encodings.push_back(cell.encoding);
    if (std::find(properties.begin(), properties.end(), cell.property) == properties.end())
      properties.push_back(cell.property);
    words[{cell.encoding, cell.property}] = summary(cell);
    for (const Answer& answer : cell.answers)
      if (answer.status != ClaimStatus::as_claimed)
        out += fmt::format("{}  {}.{}: {}\n", style.paint(fmt::format("{:11}", upper(name(answer.status)))),
                           cell.encoding, cell.property, answer.why);
  }
  std::size_t wide = 8;
  for (const std::string& property : properties) wide = std::max(wide, property.size());
  out += fmt::format("{:{}}", "", wide);
  for (const std::string& encoding : encodings) out += fmt::format("  {:16}", encoding);
  out += "\n";
  for (const std::string& property : properties) {
    std::string line = fmt::format("{:{}}", property, wide);
    for (const std::string& encoding : encodings) {
      const auto found = words.find({encoding, property});
      line += fmt::format("  {:16}", found == words.end() ? "" : found->second);
    }
    line.erase(line.find_last_not_of(' ') + 1);
    out += line + "\n";
  }
  for (const auto& [fact, having, claims] : followed(cells))
    out +=
        fmt::format("follows from `{}` ({}): {}\n", fact, fmt::join(having, ", "), fmt::join(claims, ", "));
  return out;
}

}  // namespace posproof::report
