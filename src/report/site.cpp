#include "report/site.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "catalogue/site.h"
#include "report/glossary.h"
#include "report/html.h"
#include "report/inline_html.h"
#include "report/page_html.h"

namespace posproof::report {
namespace {

template <class Figure>
File data_of(std::string_view page, const Figure& figure) {
  return {fmt::format("figures/{}/{}.json", page, figure.name), figure_json(figure)};
}

std::string listed(const std::vector<SiteEntry>& pages, bool of_encodings) {
  std::string items;
  for (const SiteEntry& one : pages)
    if (one.path.starts_with("encodings/") == of_encodings)
      items += fmt::format("<li><a href=\"{}.html\">{}</a>{}</li>\n", escaped(one.path),
                           inline_html(one.title), of_encodings ? "" : ": " + inline_html(one.finding));
  if (items.empty()) return "";
  return fmt::format("<h2 id=\"{0}\">{1}</h2>\n<ul>\n{2}</ul>\n", of_encodings ? "encodings" : "reports",
                     of_encodings ? "Encodings" : "Reports", items);
}

File front(const std::vector<SiteEntry>& pages, bool has_matrix) {
  return {
      "index.html",
      framed("index", "Reports",
             fmt::format(
                 "<h1>Reports of posproof</h1>\n{}{}{}",
                 has_matrix
                     ? "<p class=\"finding\"><a href=\"matrix.html\">The matrix</a>: which property holds "
                       "for which encoding, with statement, reason, witness and command.</p>\n"
                     : "",
                 listed(pages, false), listed(pages, true)))};
}

File glossary_file() {
  std::string terms;
  for (const Term& term : glossary())
    terms += fmt::format("<dt>{}</dt>\n<dd>{} Used in: {}.</dd>\n",
                         escaped(fmt::format("{}", fmt::join(term.names, ", "))),
                         inline_html(term.definition), inline_html(term.used_in));
  return {"glossary.html",
          framed("glossary", "Glossary", fmt::format("<h1>Glossary</h1>\n<dl>\n{}</dl>\n", terms))};
}

}  // namespace

std::vector<File> site_page(const Document& document, const Page& page, const std::vector<File>& files) {
  std::vector<File> out = {{fmt::format("{}.html", page.id), html(document, page)}};
  for (const document::Block& block : document.blocks) {
    if (const auto* plot = std::get_if<document::Plot>(&block)) out.push_back(data_of(page.id, *plot));
    if (const auto* map = std::get_if<document::HeatMap>(&block)) out.push_back(data_of(page.id, *map));
  }
  for (const File& file : files)
    if (file.path.starts_with("figures/")) out.push_back(file);
  return out;
}

File site_text(std::string_view name, std::string_view markdown) {
  const PageHtml page = page_html(markdown);
  return {fmt::format("{}.html", name), framed(name, page.title, page.body)};
}

std::vector<File> site_matrix(const MatrixPage& matrix) {
  return {{"matrix.html", matrix_html(matrix)},
          {"matrix.json", matrix_json(matrix)},
          {"matrix.csv", matrix_csv(matrix)}};
}

std::vector<File> site_frame(const std::vector<SiteEntry>& pages, bool has_matrix) {
  std::vector<File> out = {front(pages, has_matrix), glossary_file()};
  for (const auto& [name, text] : catalogue::site()) out.push_back({std::string(name), text});
  return out;
}

}  // namespace posproof::report
