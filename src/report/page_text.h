#pragma once

#include <string>
#include <string_view>
#include <vector>

// A page as `markdown` wrote it, read back: its sentences and the cells of its tables, so that another page
// can quote them.
namespace posproof::report {

struct PageTable {
  std::vector<std::string> columns;
  std::vector<std::vector<std::string>> rows;
};

struct PagePart {
  std::string heading;                 // empty: what stands before the first one
  std::vector<std::string> sentences;  // of paragraphs, lists, captions and verdicts, in order
  std::vector<PageTable> tables;
};

struct PageText {
  std::string title;
  std::vector<PagePart> parts;
};

PageText page_text(std::string_view markdown);

// The part of a heading as links name it, as GitHub does: `is-it-so-` gives `#is-it-so-`; empty for none.
std::string fragment(std::string_view heading);

// These throw std::invalid_argument, which says what there is instead, unless exactly one is found.

const PagePart& part_of(const PageText& page, std::string_view heading);

// The sentence in which these words stand.
const std::string& sentence_with(const PagePart& part, std::string_view words);

// The cell in this column of the row that begins with these cells.
struct FoundCell {
  std::string row;  // `width 512, mask none`: the cells that it was found by, with their columns
  std::string value;
};
FoundCell cell_at(const PagePart& part, const std::vector<std::string_view>& row, std::string_view column);

}  // namespace posproof::report
