#include "report/markdown.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "report/numeric_columns.h"

namespace posproof::report {
namespace {

using namespace document;

// Letters, not bytes: a table with `ω` in it stays aligned.
std::size_t letters(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(
      text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

std::string cell(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '|') out += '\\';
    out += c;
  }
  return out;
}

std::string escaped_quotes(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '"')
      out += "&quot;";
    else
      out += c;
  }
  return out;
}

std::string captioned(std::string_view caption) {
  return caption.empty() ? "" : fmt::format("\n*{}*\n", caption);
}

// From the page's folder to that of its figures: of `encodings/rope`, `../figures/encodings/rope`.
std::string figures_of(std::string_view id) {
  std::string out;
  for (const char c : id)
    if (c == '/') out += "../";
  return fmt::format("{}figures/{}", out, id);
}

template <class Figure>
std::string picture(std::string_view id, const Figure& figure) {
  return fmt::format(
             "<picture>\n"
             "  <source media=\"(prefers-color-scheme: dark)\" srcset=\"{0}/{1}-dark.svg\">\n"
             "  <img alt=\"{2}\" src=\"{0}/{1}-light.svg\">\n"
             "</picture>\n\n"
             "Data: [{1}.csv]({0}/{1}.csv)\n",
             figures_of(id), figure.name, escaped_quotes(figure.description)) +
         captioned(figure.caption);
}

struct Writer {
  std::string_view id;

  std::string operator()(const Paragraph& paragraph) const { return fmt::format("{}\n", paragraph.text); }
  std::string operator()(const Section& section) const { return fmt::format("## {}\n", section.heading); }
  std::string operator()(const Plot& plot) const { return picture(id, plot); }
  std::string operator()(const HeatMap& map) const { return picture(id, map); }
  std::string operator()(const PageVerdict& verdict) const {
    return fmt::format("> **Verdict.** {}\n", verdict.text);
  }

  // Columns of numbers (and a word here and there) are set to the right, as wide as their widest cell, so
  // that the source reads as a table too.
  std::string operator()(const Grid& grid) const {
    const std::size_t columns = grid.columns.size();
    std::vector<std::size_t> width(columns);
    check_rows(grid, id);
    const std::vector<bool> right = numeric_columns(grid);
    for (std::size_t c = 0; c < columns; ++c)
      width[c] = std::max<std::size_t>(3, letters(cell(grid.columns[c])));
    for (const auto& row : grid.rows)
      for (std::size_t c = 0; c < columns; ++c) width[c] = std::max(width[c], letters(cell(row[c])));
    const auto line = [&](const std::vector<std::string>& cells) {
      std::string out = "|";
      for (std::size_t c = 0; c < columns; ++c) {
        const std::string text = cell(cells[c]);
        const std::string blank(width[c] - letters(text), ' ');
        out += right[c] ? fmt::format(" {}{} |", blank, text) : fmt::format(" {}{} |", text, blank);
      }
      return out + "\n";
    };
    std::string out = line(grid.columns) + "|";
    for (std::size_t c = 0; c < columns; ++c)
      out += fmt::format(" {:-<{}}{} |", "", width[c] - (right[c] ? 1 : 0), right[c] ? ":" : "");
    out += "\n";
    for (const auto& row : grid.rows) out += line(row);
    return out + captioned(grid.caption);
  }
};

}  // namespace

std::string markdown(const Document& document, const Page& page) {
  std::string out =
      fmt::format("# {}\n\n{}\n\n**Question.** {}\n\n**Method.** {}\n\n**Condition.** {}\n", document.title,
                  document.finding, page.question, page.method, document.condition);
  for (const Block& block : document.blocks) out.append("\n").append(std::visit(Writer{page.id}, block));
  return out + fmt::format("\n---\n\nThis page is written by `{}`.\n", page.command);
}

Page page_of(std::string_view id, const Experiment& experiment) {
  return {id, experiment.question, experiment.method, fmt::format("posproof report {}", id)};
}

}  // namespace posproof::report
