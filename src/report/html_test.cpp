// Pages of HTML: what is escaped, how they are built, and that each is well-formed XML whose links lead
// somewhere.
#include "report/html.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <pugixml.hpp>
#include <set>
#include <stdexcept>

#include "report/inline_html.h"
#include "report/numeric_columns.h"

namespace posproof::report::html_test {
namespace {

using namespace document;

struct Written {
  std::string markdown, html;
};

TEST(InlineHtml, is_the_markdown_of_cells_and_paragraphs) {
  for (const auto& [markdown, html] : std::vector<Written>{
           {"", ""},
           {"plain", "plain"},
           {"a < b & c > \"d\"", "a &lt; b &amp; c &gt; &quot;d&quot;"},
           {"`a<b`", "<code>a&lt;b</code>"},
           {"`a*b*c` and `d`", "<code>a*b*c</code> and <code>d</code>"},
           {"*so*", "<em>so</em>"},
           {"**so** it is", "<strong>so</strong> it is"},
           {"**a `b*` c**", "<strong>a <code>b*</code> c</strong>"},
           {"2 * 3 * 4", "2 * 3 * 4"},
           {"a* b*", "a* b*"},
           {"q=[0*4]", "q=[0*4]"},
           {"****", "****"},
           {"``", "``"},
           {"`open", "`open"},
           {"*open", "*open"},
           {"p_t[2i] = A", "p_t[2i] = A"},
           {"[rope](rope.md)", "<a href=\"rope.html\">rope</a>"},
           {"[a](../defects.md#b)", "<a href=\"../defects.html#b\">a</a>"},
           {"[a](#what-fails)", "<a href=\"#what-fails\">a</a>"},
           {"[a](https://x.org/README.md)", "<a href=\"https://x.org/README.md\">a</a>"},
           {"[x](figures/a.csv)", "<a href=\"figures/a.csv\">x</a>"},
           {"[`a`](b\"c)", "<a href=\"b&quot;c\"><code>a</code></a>"},
           {"[0, 1] and [a](b)", "[0, 1] and <a href=\"b\">a</a>"},
           {"a <b>`c`", "a &lt;b&gt;<code>c</code>"},
           {"- <a id=\"A1\"></a>**A1.**", "- <span id=\"A1\"></span><strong>A1.</strong>"},
           {"<a id=\"A1\">x</a>", "&lt;a id=&quot;A1&quot;&gt;x&lt;/a&gt;"},
           {"<a id=\"A1", "&lt;a id=&quot;A1"},
           {"[a] (b", "[a] (b"},
           {"[a](b", "[a](b"},
           {"ω ≥ 2", "ω ≥ 2"},
       }) {
    EXPECT_EQ(inline_html(markdown), html) << markdown;
  }
}

TEST(InlineHtml, has_paragraphs_and_lists) {
  const std::string words(50, 'a');
  EXPECT_EQ(inline_html(words + " < b"), words + " &lt; b");
  for (const auto& [markdown, html] : std::vector<Written>{
           {"", ""},
           {"one", "<p>one</p>\n"},
           {"one\ntwo", "<p>one\ntwo</p>\n"},
           {"one\n\n*two*", "<p>one</p>\n<p><em>two</em></p>\n"},
           {"- a\n- `b`", "<ul>\n<li>a</li>\n<li><code>b</code></li>\n</ul>\n"},
           {"One:\n- a\n  more\n\nTwo", "<p>One:</p>\n<ul>\n<li>a\n  more</li>\n</ul>\n<p>Two</p>\n"},
       }) {
    EXPECT_EQ(paragraphs_html(markdown), html) << markdown;
  }
}

TEST(InlineHtml, is_plain_where_marks_mean_nothing) {
  EXPECT_EQ(plain_text("**a** `b` *c* [d](e) 2 * 3 <f>"), "a b c d 2 * 3 <f>");
  EXPECT_EQ(anchor("What fails, where and why"), "what-fails-where-and-why");
  EXPECT_EQ(anchor("`score/` in bf16_x-y"), "score-in-bf16_x-y");
  EXPECT_EQ(anchor("Größe 2"), "größe-2");
}

TEST(NumericColumns, have_more_numbers_than_words) {
  const Grid grid{{"n", "tie", "words", "blank"},
                  {{"1.5e-08", "1", "x", ""}, {"-2 %", "x", "none", "none"}, {"", "", "y2", ""}}};
  EXPECT_EQ(numeric_columns(grid), (std::vector<bool>{true, false, false, false}));
  const Grid found{{"found at"}, {{"none"}, {"5"}, {""}}};
  EXPECT_EQ(numeric_columns(found), (std::vector<bool>{true})) << "none of what was looked for is no word";
  EXPECT_NO_THROW(check_rows(grid, "p"));
  EXPECT_THROW(check_rows({{"a"}, {{"1"}, {"1", "2"}}}, "p"), std::logic_error);
}

Plot line() {
  return {.name = "line",
          .title = "A & B",
          .description = "A \"line\" < 3",
          .x = {"t"},
          .y = {.label = "u", .logarithmic = true},
          .curves = {{.label = "up", .points = {{0, 1}, {1, 10}}, .band = {{0.5, 2}, {5, 20}}},
                     {.label = "", .points = {{0, 1}, {1, -1}}, .name = "limit"}},
          .decimals = 1,
          .caption = "*Ups* of `a`."};
}

HeatMap map() {
  return {.name = "map",
          .title = "Map",
          .description = "A map",
          .x = {"c"},
          .y = {"r"},
          .values = {{0, 1}, {0.125, -1}},
          .lo = -1,
          .hi = 1,
          .decimals = 3};
}

Document document() {
  return {.title = "Two `halves` & more",
          .finding = "A half is **0.5**.",
          .condition = "f64",
          .blocks = {Section{"Result, first"}, Paragraph{"See [below](#last).\n\n- one"},
                     Grid{{"width", "a < b"}, {{"8", "α & β"}, {"16", ""}}, "Sizes of `x`."}, line(),
                     Section{"Maps"}, map(), Section{"Last"}, Grid{{"w"}, {}},
                     document::PageVerdict{"Yes, *so*."}}};
}

const Page page{"encodings/halves", "How <much>?", "By halves.", "posproof report &halves"};

pugi::xml_document parsed(const std::string& text) {
  pugi::xml_document out;
  const pugi::xml_parse_result result =
      out.load_string(text.c_str(), pugi::parse_full | pugi::parse_ws_pcdata);
  EXPECT_TRUE(result) << result.description() << " at "
                      << text.substr(static_cast<std::size_t>(result.offset), 80);
  return out;
}

TEST(Html, has_each_block_in_its_own_form) {
  const std::string text = html(document(), page);
  const auto begin = text.find("<h1>"), end = text.find("</main>");
  EXPECT_EQ(
      text.substr(begin, end - begin),
      "<h1>Two <code>halves</code> &amp; more</h1>\n"
      "<p class=\"finding\">A half is <strong>0.5</strong>.</p>\n"
      "<p><strong>Question.</strong> How &lt;much&gt;?</p>\n"
      "<p><strong>Method.</strong> By halves.</p>\n"
      "<p><strong>Condition.</strong> f64</p>\n"
      "<nav class=\"contents\" aria-label=\"On this page\">\n<ul>\n"
      "<li><a href=\"#result-first\">Result, first</a></li>\n<li><a href=\"#maps\">Maps</a></li>\n"
      "<li><a href=\"#last\">Last</a></li>\n</ul>\n</nav>\n"
      "<h2 id=\"result-first\">Result, first</h2>\n"
      "<p>See <a href=\"#last\">below</a>.</p>\n<ul>\n<li>one</li>\n</ul>\n"
      "<div class=\"table\" role=\"group\" tabindex=\"0\" aria-label=\"Table 1: Result, first\">\n<table>\n"
      "<caption>Sizes of <code>x</code>.</caption>\n"
      "<thead>\n<tr><th scope=\"col\" class=\"number\">width</th><th scope=\"col\">a &lt; b</th></tr>\n</thead>\n"
      "<tbody>\n<tr><th scope=\"row\" class=\"number\">8</th><td>α &amp; β</td></tr>\n"
      "<tr><th scope=\"row\" class=\"number\">16</th><td></td></tr>\n</tbody>\n</table>\n</div>\n"
      "<figure>\n"
      "<img class=\"light\" src=\"../figures/encodings/halves/line-light.svg\" alt=\"A &quot;line&quot; &lt; 3\"/>\n"
      "<img class=\"dark\" src=\"../figures/encodings/halves/line-dark.svg\" alt=\"A &quot;line&quot; &lt; 3\"/>\n"
      "<figcaption><em>Ups</em> of <code>a</code>. Data: "
      "<a href=\"../figures/encodings/halves/line.csv\">line.csv</a>, "
      "<a href=\"../figures/encodings/halves/line.json\">line.json</a></figcaption>\n</figure>\n"
      "<h2 id=\"maps\">Maps</h2>\n"
      "<figure>\n"
      "<img class=\"light\" src=\"../figures/encodings/halves/map-light.svg\" alt=\"A map\"/>\n"
      "<img class=\"dark\" src=\"../figures/encodings/halves/map-dark.svg\" alt=\"A map\"/>\n"
      "<figcaption> Data: <a href=\"../figures/encodings/halves/map.csv\">map.csv</a>, "
      "<a href=\"../figures/encodings/halves/map.json\">map.json</a></figcaption>\n</figure>\n"
      "<h2 id=\"last\">Last</h2>\n"
      "<div class=\"table\" role=\"group\" tabindex=\"0\" aria-label=\"Table 2: Last\">\n<table>\n"
      "<thead>\n<tr><th scope=\"col\">w</th></tr>\n</thead>\n<tbody>\n</tbody>\n</table>\n</div>\n"
      "<blockquote><p><strong>Verdict.</strong> Yes, <em>so</em>.</p></blockquote>\n"
      "<footer>\n<p>This page is written by <code>posproof report &amp;halves --html</code>.</p>\n</footer>\n");
  parsed(text);
}

TEST(Html, frames_a_page_by_how_deep_it_lies) {
  EXPECT_EQ(framed("a/b", "T & U", "<p>x</p>\n", {"more.js"}),
            "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n"
            "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n"
            "<title>T &amp; U - posproof</title>\n<link rel=\"icon\" href=\"data:,\"/>\n"
            "<link rel=\"stylesheet\" href=\"../style.css\"/>\n<script src=\"../theme.js\"></script>\n"
            "<script src=\"../more.js\" defer=\"defer\"></script>\n</head>\n<body>\n"
            "<a class=\"skip\" href=\"#main\">Skip to the content</a>\n"
            "<header>\n<nav aria-label=\"Reports\">\n<a href=\"../index.html\">Reports</a>\n"
            "<a href=\"../matrix.html\">Matrix</a>\n<a href=\"../glossary.html\">Glossary</a>\n</nav>\n"
            "<button id=\"theme\" type=\"button\" aria-pressed=\"false\">Dark theme</button>\n</header>\n"
            "<main id=\"main\" tabindex=\"-1\">\n<p>x</p>\n</main>\n</body>\n</html>\n");
  EXPECT_NE(framed("a", "T", "").find("href=\"style.css\""), std::string::npos);
}

TEST(Html, names_sections_only_where_there_are_three) {
  Document two = document();
  std::get<Section>(two.blocks[0]).heading = "One";
  std::erase_if(two.blocks, [](const Block& block) {
    const auto* section = std::get_if<Section>(&block);
    return section != nullptr && section->heading == "Maps";
  });
  EXPECT_EQ(html(two, page).find("<nav class=\"contents\""), std::string::npos);
  std::get<Grid>(two.blocks[2]).rows[0].pop_back();
  EXPECT_THROW(html(two, page), std::logic_error);
}

// The digits that are drawn; what a logarithmic axis cannot show is left out.
TEST(FigureJson, has_the_data_of_the_csv) {
  const auto plot = nlohmann::json::parse(figure_json(line()));
  EXPECT_EQ(plot["title"], "A & B");
  EXPECT_EQ(plot["description"], "A \"line\" < 3");
  EXPECT_EQ(plot["caption"], "Ups of a.");
  EXPECT_EQ(plot["x"], (nlohmann::json{{"label", "t"}, {"logarithmic", false}}));
  EXPECT_EQ(plot["y"], (nlohmann::json{{"label", "u"}, {"logarithmic", true}}));
  EXPECT_EQ(
      plot["series"],
      nlohmann::json::parse(
          R"([{"name": "up", "points": [{"x": 0.0, "y": 1.0, "low": 0.5, "high": 2.0}, {"x": 1.0, "y": 10.0, "low": 5.0, "high": 20.0}]},
                    {"name": "limit", "points": [{"x": 0.0, "y": 1.0}]}])"));
  const auto cells = nlohmann::json::parse(figure_json(map()));
  EXPECT_EQ(cells["rows"], nlohmann::json::parse("[[0, 1], [0.125, -1]]"));
  EXPECT_EQ(cells["title"], "Map");
}

TEST(Html, of_a_page_two_folders_deep_goes_up_twice) {
  EXPECT_NE(framed("a/b/c", "T", "").find("href=\"../../style.css\""), std::string::npos);
}

TEST(InlineHtml, emphasises_nothing_before_a_blank) {
  EXPECT_EQ(inline_html("2 *3 * 4"), "2 *3 * 4");
  EXPECT_EQ(inline_html("2 * 3* 4"), "2 * 3* 4");
}

}  // namespace
}  // namespace posproof::report::html_test
