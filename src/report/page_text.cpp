#include "report/page_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <stdexcept>

namespace posproof::report {
namespace {

bool is(char c, int (*kind)(int)) {
  return kind(static_cast<unsigned char>(c)) != 0;
}

std::string trimmed(std::string_view text) {
  const auto first = text.find_first_not_of(' '), last = text.find_last_not_of(' ');
  return first == std::string_view::npos ? "" : std::string(text.substr(first, last - first + 1));
}

// `| a | b\|c |` -> a, b|c
std::vector<std::string> cells(std::string_view line) {
  std::vector<std::string> out;
  std::string cell;
  for (std::size_t at = 1; at < line.size(); ++at) {
    if (line[at] == '|') {
      out.push_back(trimmed(cell));
      cell.clear();
      continue;
    }
    at += line[at] == '\\' && at + 1 < line.size() && line[at + 1] == '|';
    cell += line[at];
  }
  return out;
}

// A sentence ends at `.`, `?` or `!` before a blank, and the next begins with no small letter and no digit:
// `Su et al. 2021, eq. 3` goes on.
bool ends_at(std::string_view text, std::size_t at) {
  if (text[at] != '.' && text[at] != '?' && text[at] != '!') return false;
  if (at + 2 >= text.size() || text[at + 1] != ' ') return false;
  return !is(text[at + 2], &std::islower) && !is(text[at + 2], &std::isdigit);
}

void add_sentences(std::vector<std::string>& out, std::string_view text) {
  std::size_t begin = 0;
  for (std::size_t at = 0; at < text.size(); ++at)
    if (ends_at(text, at)) {
      out.push_back(trimmed(text.substr(begin, at + 1 - begin)));
      begin = at + 1;
    }
  if (std::string last = trimmed(text.substr(begin)); !last.empty()) out.push_back(std::move(last));
}

// A paragraph's own words, without what makes it a verdict, a list or a caption.
std::string_view plain(std::string_view line) {
  for (const std::string_view mark : {"> **Verdict.** ", "- "})
    if (line.starts_with(mark)) return line.substr(mark.size());
  if (line.size() > 2 && line[0] == '*' && line[1] != '*' && line.back() == '*')
    return line.substr(1, line.size() - 2);
  return line;
}

bool is_no_text(std::string_view line) {
  return line.starts_with('<') || line.starts_with("  <") || line.starts_with("Data: [") || line == "---";
}

bool is_rule(std::string_view line) {
  return line.find_first_not_of("|-: ") == std::string_view::npos;
}

void add_row(std::vector<PageTable>& tables, bool goes_on, std::string_view line) {
  if (!goes_on)
    tables.push_back({cells(line), {}});
  else if (!is_rule(line))
    tables.back().rows.push_back(cells(line));
}

bool begins_with(const std::vector<std::string>& row, const std::vector<std::string_view>& cells) {
  return cells.size() <= row.size() && std::equal(cells.begin(), cells.end(), row.begin());
}

[[noreturn]] void refuse(std::string_view what, std::size_t found, const std::vector<std::string>& there) {
  throw std::invalid_argument(fmt::format("{} {}; there are: {}", found == 0 ? "no" : "more than one", what,
                                          fmt::join(there, " / ")));
}

}  // namespace

PageText page_text(std::string_view markdown) {
  PageText out;
  out.parts.emplace_back();
  bool in_table = false;
  while (!markdown.empty()) {
    const auto end = std::min(markdown.find('\n'), markdown.size());
    const std::string_view line = markdown.substr(0, end);
    markdown.remove_prefix(std::min(end + 1, markdown.size()));
    const bool row = line.starts_with('|');
    if (row)
      add_row(out.parts.back().tables, in_table, line);
    else if (line.starts_with("# "))
      out.title = line.substr(2);
    else if (line.starts_with("## "))
      out.parts.push_back({std::string(line.substr(3)), {}, {}});
    else if (!is_no_text(line))
      add_sentences(out.parts.back().sentences, plain(line));
    in_table = row;
  }
  return out;
}

std::string fragment(std::string_view heading) {
  std::string out;
  for (const char c : heading)
    if (c == ' ')
      out += '-';
    else if (is(c, &std::isalnum) || c == '-' || c == '_' || static_cast<unsigned char>(c) >= 0x80)
      out += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return heading.empty() ? "" : "#" + out;
}

const PagePart& part_of(const PageText& page, std::string_view heading) {
  std::vector<std::string> there;
  const PagePart* found = nullptr;
  std::size_t number = 0;
  for (const PagePart& part : page.parts) {
    there.push_back(fmt::format("`{}`", part.heading));
    if (part.heading == heading) found = &part, ++number;
  }
  if (number != 1) refuse(fmt::format("section `{}`", heading), number, there);
  return *found;
}

const std::string& sentence_with(const PagePart& part, std::string_view words) {
  const std::string* found = nullptr;
  std::size_t number = 0;
  for (const std::string& sentence : part.sentences)
    if (sentence.find(words) != std::string::npos) found = &sentence, ++number;
  if (number != 1) refuse(fmt::format("sentence with `{}`", words), number, part.sentences);
  return *found;
}

FoundCell cell_at(const PagePart& part, const std::vector<std::string_view>& row, std::string_view column) {
  std::vector<std::string> there;
  FoundCell found;
  std::size_t number = 0;
  for (const PageTable& table : part.tables) {
    const auto at = std::ranges::find(table.columns, column) - table.columns.begin();
    there.push_back(fmt::format("{}", fmt::join(table.columns, ", ")));
    if (static_cast<std::size_t>(at) == table.columns.size()) continue;
    for (const auto& cells : table.rows) {
      if (!begins_with(cells, row)) continue;
      found = {"", cells[static_cast<std::size_t>(at)]}, ++number;
      for (std::size_t c = 0; c < row.size(); ++c)
        found.row += fmt::format("{}{} {}", c == 0 ? "" : ", ", table.columns[c], cells[c]);
    }
  }
  if (number != 1) refuse(fmt::format("cell `{}` at `{}`", column, fmt::join(row, ", ")), number, there);
  return found;
}

}  // namespace posproof::report
