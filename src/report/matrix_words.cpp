#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <map>

#include "report/upper.h"
#include "report/words.h"
#include "run/agreement.h"

namespace posproof::report {
namespace {

constexpr std::size_t least_column = 16;  // letters for an encoding at least, two spaces before them

struct Grid {
  std::vector<std::string> encodings, properties;
  std::map<std::pair<std::string, std::string>, std::string> words;
};

Grid grid_of(const std::vector<Cell>& cells) {
  Grid out;
  const auto once = [](std::vector<std::string>& all, const std::string& one) {
    if (std::find(all.begin(), all.end(), one) == all.end()) all.push_back(one);
  };
  for (const Cell& cell : cells) {
    once(out.encodings, cell.encoding);
    once(out.properties, cell.property);
    out.words[{cell.encoding, cell.property}] = summary(cell);
  }
  return out;
}

std::string not_as_claimed(const std::vector<Cell>& cells, const Style& style) {
  std::string out;
  for (const Cell& cell : cells)
    for (const Answer& answer : cell.answers)
      if (answer.status != ClaimStatus::as_claimed)
        out += fmt::format("{}  {}.{}: {}\n", style.paint(fmt::format("{:11}", upper(name(answer.status)))),
                           cell.encoding, cell.property, answer.why);
  return out;
}

// As many letters as the longest name has.
std::size_t column_of(const Grid& grid) {
  std::size_t column = least_column;
  for (const std::string& encoding : grid.encodings) column = std::max(column, encoding.size());
  return column;
}

// Some of the encodings across, all properties down.
std::string block(const Grid& grid, std::size_t wide, std::size_t first, std::size_t last) {
  const std::size_t column = column_of(grid);
  std::string out = fmt::format("{:{}}", "", wide);
  for (std::size_t n = first; n < last; ++n) out += fmt::format("  {:{}}", grid.encodings[n], column);
  out += "\n";
  for (const std::string& property : grid.properties) {
    std::string line = fmt::format("{:{}}", property, wide);
    for (std::size_t n = first; n < last; ++n) {
      const auto found = grid.words.find({grid.encodings[n], property});
      line += fmt::format("  {:{}}", found == grid.words.end() ? "" : found->second, column);
    }
    line.erase(line.find_last_not_of(' ') + 1);
    out += line + "\n";
  }
  return out;
}

// As many encodings in a block as a line has room for, one at least.
std::string blocks(const Grid& grid, std::size_t width) {
  std::size_t wide = 8;
  for (const std::string& property : grid.properties) wide = std::max(wide, property.size());
  const std::size_t of = grid.encodings.size();
  const std::size_t room = width == 0 ? of : width < wide ? 1 : (width - wide) / (column_of(grid) + 2);
  const std::size_t at_once = std::max<std::size_t>(room, 1);
  std::string out = of == 0 ? block(grid, wide, 0, 0) : "";
  for (std::size_t first = 0; first < of; first += at_once)
    out += (first == 0 ? "" : "\n") + block(grid, wide, first, std::min(first + at_once, of));
  return out;
}

struct Meaning {
  std::string_view word, text;
};

constexpr std::array<Meaning, 7> meanings = {{
    {"holds", "claimed to hold, and no case was found in which it does not"},
    {"fails", "claimed to fail, and the recorded witness does"},
    {"holds?", "nothing is claimed; no case was found in which it fails"},
    {"fails?", "nothing is claimed; a case was found in which it fails"},
    {"BROKEN", "it does not hold, or fails otherwise than recorded"},
    {"STALE", "the recorded witness no longer fails"},
    {"not checked", "nothing was learned: undecided, or an error"},
}};

// Of the words that stand in the table.
std::string legend(const Grid& grid) {
  std::string out;
  const auto stands = [&](std::string_view word) {
    const std::string whole = fmt::format(" / {} / ", word);
    return std::any_of(grid.words.begin(), grid.words.end(), [&](const auto& cell) {
      return fmt::format(" / {} / ", cell.second).find(whole) != std::string::npos;
    });
  };
  for (const auto& [word, text] : meanings)
    if (stands(word)) out += fmt::format("  {:11}  {}\n", word, text);
  const auto any = [&](const auto& is) {
    return std::any_of(grid.words.begin(), grid.words.end(),
                       [&](const auto& cell) { return is(cell.second); });
  };
  if (any([](const std::string& words) { return words.find(" / ") != std::string::npos; }))
    out += fmt::format("  {:11}  {}\n", "a / b", "several claims, each of some parameters");
  if (any([](const std::string& words) { return words.empty(); }))
    out += fmt::format("  {:11}  {}\n", "(blank)",
                       "it cannot be asked of that encoding, or no case says anything");
  return out;
}

constexpr std::array worst_first = {ClaimStatus::broken, ClaimStatus::stale, ClaimStatus::not_checked};

// A cell counts once, as the worst of its answers.
std::string tally(const std::vector<Cell>& cells) {
  using enum ClaimStatus;
  std::map<ClaimStatus, std::size_t> counts;
  std::size_t unclaimed = 0, blank = 0;
  for (const Cell& cell : cells) {
    const auto has = [&](ClaimStatus status) { return any({cell}, status); };
    const bool claimed = cell.property == agreement_id ||
                         std::any_of(cell.answers.begin(), cell.answers.end(),
                                     [](const Answer& answer) { return answer.claim != nullptr; });
    if (const auto worst = std::find_if(worst_first.begin(), worst_first.end(), has);
        worst != worst_first.end())
      ++counts[*worst];
    else if (summary(cell).empty())
      ++blank;
    else
      ++(claimed ? counts[as_claimed] : unclaimed);
  }
  return fmt::format("{} cells: {} as claimed, {} broken, {} stale, {} not checked, {} unclaimed, {} blank\n",
                     cells.size(), counts[as_claimed], counts[broken], counts[stale], counts[not_checked],
                     unclaimed, blank);
}

}  // namespace

std::string matrix(const std::vector<Cell>& cells, const Style& style, std::size_t width) {
  const Grid grid = grid_of(cells);
  std::string out = not_as_claimed(cells, style) + blocks(grid, width) + "\n" + legend(grid);
  for (const auto& [fact, having, claims] : followed(cells))
    out +=
        fmt::format("follows from `{}` ({}): {}\n", fact, fmt::join(having, ", "), fmt::join(claims, ", "));
  return out + tally(cells);
}

}  // namespace posproof::report
