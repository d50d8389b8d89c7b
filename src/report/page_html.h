#pragma once

#include <string>
#include <string_view>

// A page that exists as Markdown alone, as HTML that is XML, too.
namespace posproof::report {

struct PageHtml {
  std::string title, body;  // without marks; what stands within <main>
};

// Of the Markdown that `markdown` writes: headings, paragraphs, lists, tables and figures with the captions
// after them, and verdicts. Anything else is a paragraph; rules are left out.
PageHtml page_html(std::string_view markdown);

}  // namespace posproof::report
