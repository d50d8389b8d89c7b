#pragma once

#include <string>
#include <string_view>

// The Markdown of paragraphs and cells, as HTML that is XML, too.
namespace posproof::report {

// `&`, `<`, `>` and `"` as entities.
std::string escaped(std::string_view text);

// One line: `code`, **strong**, *emphasis*, [words](link), and the anchor `<a id="A1"></a>`. Anything else, a
// star or a bracket alone, too, is text. A link to a page of the reports is one to its HTML.
std::string inline_html(std::string_view markdown);

// Paragraphs, and lists of lines that begin with `- `.
std::string paragraphs_html(std::string_view markdown);

// The same text without marks: what a screen reader or a title is given.
std::string plain_text(std::string_view markdown);

// The anchor of a heading: `what-fails-where-and-why`.
std::string anchor(std::string_view heading);

}  // namespace posproof::report
