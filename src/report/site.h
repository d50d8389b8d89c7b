#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "core/document.h"
#include "report/html_matrix.h"
#include "report/markdown.h"
#include "report/report.h"

// The reports to look at in a browser: a folder of pages that needs no server and no network.
namespace posproof::report {

// The page of a document; of its figures the data as JSON, and the drawings and the CSV among `files`, where
// figures/ is. Paths are within the site.
std::vector<File> site_page(const Document& document, const Page& page, const std::vector<File>& files);

// A page that no document is behind, from its Markdown. `name` is that of its file, without `.md`.
File site_text(std::string_view name, std::string_view markdown);

// The matrix as a page, as JSON and as CSV.
std::vector<File> site_matrix(const MatrixPage& matrix);

// One line of the front page.
struct SiteEntry {
  std::string path, title, finding;  // `rope_error_by_position`; Markdown
};

// Style, scripts, the glossary, and the front page with the matrix first, if it is there, then these pages,
// and those of encodings in a list of their own.
std::vector<File> site_frame(const std::vector<SiteEntry>& pages, bool has_matrix);

}  // namespace posproof::report
