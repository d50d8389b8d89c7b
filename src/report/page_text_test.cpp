#include "report/page_text.h"

#include <gtest/gtest.h>

#include <stdexcept>
#include <string>

#include "core/function.h"

namespace posproof::report::page_text_test {
namespace {

constexpr std::string_view page =
    "# A title\n\nThe finding is 3.5. It has two sentences.\n\n**Question.** What?\n\n"
    "## Is it so?\n\n"
    "Su et al. 2021, eq. 3 say so. `x` is. Yes! vs. no\n\n"
    "<picture>\n  <img alt=\"An image. With text.\">\n</picture>\n\nData: [a.csv](a.csv)\n\n*A caption. Two.*\n\n"
    "| width | a\\|b |   n |\n| ----- | ---- | --: |\n|     8 | x    | 1.5 |\n|    16 | y    | 2,5 |\n|    16 | z    | 3   |\n\n"
    "| width | other |\n| ----- | ----- |\n| 8     | 9     |\n\n"
    "## Again `/x_y`\n\n- one\n- two. Three\n\n> **Verdict.** It is. Over 2^20.\n\n---\n";

const PageText& text() {
  static const PageText out = page_text(page);
  return out;
}

std::string said(const Function<void()>& what) {
  try {
    what();
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return "no error";
}

using Sentences = std::vector<std::string>;

TEST(PageText, has_title_headings_and_sentences) {
  EXPECT_EQ(text().title, "A title");
  ASSERT_EQ(text().parts.size(), 3u);
  EXPECT_EQ(text().parts[0].heading, "");
  EXPECT_EQ(text().parts[0].sentences,
            (Sentences{"The finding is 3.5.", "It has two sentences.", "**Question.** What?"}));
  EXPECT_EQ(text().parts[1].heading, "Is it so?");
  EXPECT_EQ(text().parts[1].sentences,
            (Sentences{"Su et al. 2021, eq. 3 say so.", "`x` is.", "Yes! vs. no", "A caption.", "Two."}));
  EXPECT_EQ(text().parts[2].heading, "Again `/x_y`");
  EXPECT_EQ(text().parts[2].sentences, (Sentences{"one", "two.", "Three", "It is.", "Over 2^20."}));
}

TEST(PageText, has_the_cells_of_its_tables) {
  const auto& tables = text().parts[1].tables;
  ASSERT_EQ(tables.size(), 2u);
  EXPECT_EQ(tables[0].columns, (Sentences{"width", "a|b", "n"}));
  ASSERT_EQ(tables[0].rows.size(), 3u);
  EXPECT_EQ(tables[0].rows[1], (Sentences{"16", "y", "2,5"}));
  EXPECT_EQ(tables[1].columns, (Sentences{"width", "other"}));
  EXPECT_EQ(tables[1].rows, (std::vector<Sentences>{{"8", "9"}}));
}

TEST(PageText, names_parts_as_links_do) {
  EXPECT_EQ(fragment("Is it so?"), "#is-it-so");
  EXPECT_EQ(fragment("Again `/x_y`"), "#again-x_y");
  EXPECT_EQ(fragment("A - b, 2d"), "#a---b-2d");
  EXPECT_EQ(fragment("α"), "#α");
  EXPECT_EQ(fragment(""), "");
}

TEST(PageText, quotes_the_one_sentence_that_has_the_words) {
  const PagePart& part = part_of(text(), "Is it so?");
  EXPECT_EQ(sentence_with(part, "say"), "Su et al. 2021, eq. 3 say so.");
  EXPECT_EQ(sentence_with(part_of(text(), ""), "finding"), "The finding is 3.5.");
  EXPECT_EQ(said([] { part_of(text(), "So?"); }),
            "no section `So?`; there are: `` / `Is it so?` / `Again `/x_y``");
  EXPECT_EQ(
      said([&] { sentence_with(part_of(text(), ""), "no such"); }),
      "no sentence with `no such`; there are: The finding is 3.5. / It has two sentences. / **Question.** What?");
  EXPECT_TRUE(
      said([&] { sentence_with(part, "o"); }).starts_with("more than one sentence with `o`; there are: "));
  EXPECT_TRUE(
      said([&] { part_of(page_text("## A\n## A\n"), "A"); }).starts_with("more than one section `A`; "));
}

TEST(PageText, finds_the_one_cell) {
  const PagePart& part = part_of(text(), "Is it so?");
  EXPECT_EQ(cell_at(part, {"8"}, "n").value, "1.5");
  EXPECT_EQ(cell_at(part, {"8"}, "other").value, "9");
  const FoundCell two = cell_at(part, {"16", "z"}, "n");
  EXPECT_EQ(two.value, "3");
  EXPECT_EQ(two.row, "width 16, a|b z");
  EXPECT_EQ(said([&] { cell_at(part, {"9"}, "n"); }),
            "no cell `n` at `9`; there are: width, a|b, n / width, other");
  EXPECT_EQ(said([&] { cell_at(part, {"8"}, "m"); }),
            "no cell `m` at `8`; there are: width, a|b, n / width, other");
  EXPECT_TRUE(said([&] { cell_at(part, {"16"}, "n"); }).starts_with("more than one cell `n` at `16`; "));
  EXPECT_TRUE(said([&] { cell_at(part, {"8", "x", "1.5", "4"}, "n"); }).starts_with("no cell"));
}

}  // namespace
}  // namespace posproof::report::page_text_test
