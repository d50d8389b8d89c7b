#include "report/page_html.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <vector>

#include "core/document.h"
#include "report/html.h"
#include "report/inline_html.h"
#include "report/numeric_columns.h"

namespace posproof::report {
namespace {

using Lines = std::vector<std::string_view>;

// What stands between empty lines; a heading is a block of its own.
std::vector<Lines> blocks_of(std::string_view markdown) {
  std::vector<Lines> out = {{}};
  while (!markdown.empty()) {
    const std::size_t end = std::min(markdown.find('\n'), markdown.size());
    const std::string_view line = markdown.substr(0, end);
    markdown.remove_prefix(std::min(end + 1, markdown.size()));
    const bool heading = line.starts_with("# ") || line.starts_with("## ");
    if ((line.empty() || heading) && !out.back().empty()) out.emplace_back();
    if (!line.empty()) out.back().push_back(line);
    if (heading) out.emplace_back();
  }
  if (out.back().empty()) out.pop_back();
  return out;
}

std::string_view trimmed(std::string_view text) {
  const auto first = text.find_first_not_of(' ');
  return first == text.npos ? "" : text.substr(first, text.find_last_not_of(' ') - first + 1);
}

// `| a | b \| c |` has two cells.
std::vector<std::string> cells_of(std::string_view line) {
  std::vector<std::string> out = {""};
  for (std::size_t n = 1; n < line.size(); ++n) {
    if (line[n] == '\\' && n + 1 < line.size() && line[n + 1] == '|')
      out.back() += line[++n];
    else if (line[n] == '|')
      out.emplace_back();
    else
      out.back() += line[n];
  }
  out.pop_back();  // behind the last bar
  for (std::string& cell : out) cell = std::string(trimmed(cell));
  return out;
}

document::Grid grid_of(const Lines& lines) {
  document::Grid grid{.columns = cells_of(lines.front()), .rows = {}};
  for (const std::string_view line : std::span(lines).subspan(std::min<std::size_t>(2, lines.size())))
    grid.rows.push_back(cells_of(line));
  return grid;
}

// The value of name="value" in some line, as it stands there.
std::string attribute(const Lines& lines, std::string_view name) {
  const std::string begin = fmt::format(" {}=\"", name);
  for (const std::string_view line : lines)
    if (const auto at = line.find(begin); at != line.npos) {
      const auto from = at + begin.size();
      return std::string(line.substr(from, line.find('"', from) - from));
    }
  return "";
}

// The blocks that are left, the first of which is the next one.
struct Reader {
  std::span<const Lines> left;
  std::string heading = {};  // the last one: what a table is called
  int tables = 0;

  // A paragraph of one line, `*all of it emphasised*`, and the mark that it is gone.
  std::string caption() {
    if (left.empty() || left.front().size() != 1) return "";
    const std::string_view line = left.front().front();
    if (line.size() < 3 || !line.starts_with('*') || line.starts_with("**") || !line.ends_with('*'))
      return "";
    left = left.subspan(1);
    return std::string(line.substr(1, line.size() - 2));
  }

  std::string table(const Lines& lines) {
    document::Grid grid = grid_of(lines);
    check_rows(grid, heading);
    grid.caption = caption();
    return table_html(grid, heading, ++tables);
  }

  std::string figure(const Lines& lines) {
    std::string said;
    if (!left.empty() && left.front().front().starts_with("Data: ")) {
      said = std::string(left.front().front());
      left = left.subspan(1);
    }
    if (const std::string words = caption(); !words.empty())
      said = said.empty() ? words : fmt::format("{} {}", words, said);
    return fmt::format(
        "<figure>\n<img class=\"light\" src=\"{0}\" alt=\"{2}\"/>\n<img class=\"dark\" src=\"{1}\" alt=\"{2}\"/>\n"
        "<figcaption>{3}</figcaption>\n</figure>\n",
        attribute(lines, "src"), attribute(lines, "srcset"), attribute(lines, "alt"), inline_html(said));
  }

  std::string block(const Lines& lines) {
    const std::string_view first = lines.front();
    if (first.starts_with("|")) return table(lines);
    if (first == "<picture>") return figure(lines);
    if (first == "---") return "";
    std::string all;
    for (const std::string_view line : lines) all += fmt::format("{}\n", line);
    if (first.starts_with("> "))
      return fmt::format("<blockquote>{}</blockquote>\n", paragraphs_html(std::string_view(all).substr(2)));
    if (!first.starts_with("## ")) return paragraphs_html(all);
    heading = plain_text(first.substr(3));
    return fmt::format("<h2 id=\"{}\">{}</h2>\n", anchor(first.substr(3)), inline_html(first.substr(3)));
  }
};

}  // namespace

PageHtml page_html(std::string_view markdown) {
  const std::vector<Lines> blocks = blocks_of(markdown);
  PageHtml out;
  Reader reader{.left = blocks};
  while (!reader.left.empty()) {
    const Lines& lines = reader.left.front();
    reader.left = reader.left.subspan(1);
    if (lines.front().starts_with("# ")) {
      out.title = plain_text(lines.front().substr(2));
      out.body += fmt::format("<h1>{}</h1>\n", inline_html(lines.front().substr(2)));
    } else {
      out.body += reader.block(lines);
    }
  }
  return out;
}

}  // namespace posproof::report
