#include "report/html.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "report/figure_data.h"
#include "report/inline_html.h"
#include "report/numeric_columns.h"

namespace posproof::report {
namespace {

using namespace document;

// From the page's folder to the site's.
std::string up_from(std::string_view id) {
  std::string out;
  for (const char c : id)
    if (c == '/') out += "../";
  return out;
}

template <class Figure>
std::string picture(std::string_view id, const Figure& figure) {
  const std::string folder = fmt::format("{}figures/{}", up_from(id), id);
  std::string out = "<figure>\n";
  for (const char* theme : {"light", "dark"})
    out += fmt::format("<img class=\"{0}\" src=\"{1}/{2}-{0}.svg\" alt=\"{3}\"/>\n", theme, folder,
                       figure.name, escaped(figure.description));
  return out + fmt::format(
                   "<figcaption>{0} Data: <a href=\"{1}/{2}.csv\">{2}.csv</a>, "
                   "<a href=\"{1}/{2}.json\">{2}.json</a></figcaption>\n</figure>\n",
                   inline_html(figure.caption), folder, figure.name);
}

struct Writer {
  std::string_view id;
  std::string heading = {};  // the last one: what a table is called
  int tables = 0;

  std::string operator()(const Paragraph& paragraph) const { return paragraphs_html(paragraph.text); }
  std::string operator()(const Section& section) {
    heading = plain_text(section.heading);
    return fmt::format("<h2 id=\"{}\">{}</h2>\n", escaped(anchor(section.heading)),
                       inline_html(section.heading));
  }
  std::string operator()(const Plot& plot) const { return picture(id, plot); }
  std::string operator()(const HeatMap& map) const { return picture(id, map); }
  std::string operator()(const PageVerdict& verdict) const {
    return fmt::format("<blockquote><p><strong>Verdict.</strong> {}</p></blockquote>\n",
                       inline_html(verdict.text));
  }

  std::string operator()(const Grid& grid) {
    check_rows(grid, id);
    return table_html(grid, heading, ++tables);
  }
};

// Where there is something to jump to.
std::string contents(const Document& document) {
  std::string items;
  int sections = 0;
  for (const Block& block : document.blocks)
    if (const auto* section = std::get_if<Section>(&block)) {
      items += fmt::format("<li><a href=\"#{}\">{}</a></li>\n", escaped(anchor(section->heading)),
                           inline_html(section->heading));
      ++sections;
    }
  return sections < 3
             ? ""
             : fmt::format("<nav class=\"contents\" aria-label=\"On this page\">\n<ul>\n{}</ul>\n</nav>\n",
                           items);
}

}  // namespace

std::string framed(std::string_view id, std::string_view title, std::string_view body,
                   const std::vector<std::string_view>& scripts) {
  const std::string up = up_from(id);
  std::string more;
  for (const std::string_view script : scripts)
    more += fmt::format("<script src=\"{}{}\" defer=\"defer\"></script>\n", up, script);
  return fmt::format(
      "<!DOCTYPE html>\n"
      "<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n"
      "<title>{1} - posproof</title>\n<link rel=\"icon\" href=\"data:,\"/>\n"
      "<link rel=\"stylesheet\" href=\"{0}style.css\"/>\n<script src=\"{0}theme.js\"></script>\n{3}</head>\n<body>\n"
      "<a class=\"skip\" href=\"#main\">Skip to the content</a>\n"
      "<header>\n<nav aria-label=\"Reports\">\n<a href=\"{0}index.html\">Reports</a>\n"
      "<a href=\"{0}matrix.html\">Matrix</a>\n<a href=\"{0}glossary.html\">Glossary</a>\n</nav>\n"
      "<button id=\"theme\" type=\"button\" aria-pressed=\"false\">Dark theme</button>\n</header>\n"
      "<main id=\"main\" tabindex=\"-1\">\n{2}</main>\n</body>\n</html>\n",
      up, escaped(title), body, more);
}

// A wide table scrolls on its own, with the keyboard too.
std::string table_html(const document::Grid& grid, std::string_view heading, int number) {
  const std::vector<bool> right = numeric_columns(grid);
  std::string out = fmt::format(
      "<div class=\"table\" role=\"group\" tabindex=\"0\" aria-label=\"Table {}: {}\">\n<table>\n", number,
      escaped(heading));
  if (!grid.caption.empty()) out += fmt::format("<caption>{}</caption>\n", inline_html(grid.caption));
  const auto of = [&](std::size_t c) { return right[c] ? " class=\"number\"" : ""; };
  out += "<thead>\n<tr>";
  for (std::size_t c = 0; c < grid.columns.size(); ++c)
    out += fmt::format("<th scope=\"col\"{}>{}</th>", of(c), inline_html(grid.columns[c]));
  out += "</tr>\n</thead>\n<tbody>\n";
  for (const auto& row : grid.rows) {
    out += "<tr>";
    for (std::size_t c = 0; c < row.size(); ++c)
      out += fmt::format("<{0}{1}>{2}</{3}>", c == 0 ? "th scope=\"row\"" : "td", of(c), inline_html(row[c]),
                         c == 0 ? "th" : "td");
    out += "</tr>\n";
  }
  return out + "</tbody>\n</table>\n</div>\n";
}

std::string html(const Document& document, const Page& page) {
  std::string body = fmt::format("<h1>{}</h1>\n<p class=\"finding\">{}</p>\n", inline_html(document.title),
                                 inline_html(document.finding));
  for (const auto& [name, text] : {std::pair{"Question", page.question}, std::pair{"Method", page.method},
                                   std::pair{"Condition", std::string_view(document.condition)}})
    body += fmt::format("<p><strong>{}.</strong> {}</p>\n", name, inline_html(text));
  body += contents(document);
  Writer writer{.id = page.id};
  for (const Block& block : document.blocks) body += std::visit(writer, block);
  body += fmt::format("<footer>\n<p>This page is written by <code>{} --html</code>.</p>\n</footer>\n",
                      escaped(page.command));
  return framed(page.id, plain_text(document.title), body);
}

namespace {

using Json = nlohmann::ordered_json;

// The digits that are drawn and published.
Json json_number(const std::string& text) {
  return Json::parse(text);
}

Json axis(const FigureAxis& axis) {
  return {{"label", axis.label}, {"logarithmic", axis.logarithmic}};
}

template <class Figure>
Json about(const Figure& figure) {
  return {{"title", figure.title},
          {"description", figure.description},
          {"caption", plain_text(figure.caption)},
          {"x", axis(figure.x)},
          {"y", axis(figure.y)}};
}

}  // namespace

std::string figure_json(const Plot& plot) {
  Json out = about(plot);
  for (const Curve& curve : plot.curves) {
    Json points = Json::array();
    const auto at = printed(plot, curve), band = printed_band(plot, curve);
    for (std::size_t n = 0; n < at.size(); ++n) {
      Json point = {{"x", json_number(at[n].first)}, {"y", json_number(at[n].second)}};
      if (!band.empty())
        point.update({{"low", json_number(band[n].first)}, {"high", json_number(band[n].second)}});
      points.push_back(std::move(point));
    }
    out["series"].push_back(
        {{"name", curve.name.empty() ? curve.label : curve.name}, {"points", std::move(points)}});
  }
  return out.dump(1) + "\n";
}

std::string figure_json(const HeatMap& map) {
  Json out = about(map);
  for (const auto& row : map.values) {
    Json cells = Json::array();
    for (const double value : row) cells.push_back(json_number(fixed(value, map.decimals)));
    out["rows"].push_back(std::move(cells));
  }
  return out.dump(1) + "\n";
}

}  // namespace posproof::report
