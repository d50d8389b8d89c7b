#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/document.h"
#include "report/markdown.h"

// Pages of HTML: valid XML, too. No page asks a network for anything; style and scripts stand beside the
// pages.
namespace posproof::report {

// What stands around everything: header with links and the switch of the theme, `body` within <main>. `id`
// says how deep the page lies: of `encodings/rope` the style is `../style.css`. `scripts` are files beside
// the style.
std::string framed(std::string_view id, std::string_view title, std::string_view body,
                   const std::vector<std::string_view>& scripts = {});

// A table that scrolls on its own, called by its number on the page and the heading above it.
std::string table_html(const document::Grid& grid, std::string_view heading, int number);

// The page of a document, as `markdown` writes it. Figures are expected in figures/<id>/, their data as CSV
// and JSON.
std::string html(const Document& document, const Page& page);

// Of the figure's data, the same values as its CSV has: one JSON object with title, axes and series, or
// cells.
std::string figure_json(const document::Plot& plot);
std::string figure_json(const document::HeatMap& map);

}  // namespace posproof::report
