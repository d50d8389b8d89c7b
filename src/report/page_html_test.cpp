#include "report/page_html.h"

#include <gtest/gtest.h>

namespace posproof::report::page_html_test {
namespace {

TEST(PageHtml, has_each_block_in_its_own_form) {
  const PageHtml page = page_html(
      "# The `x` & y\n\nFirst\n*more*.\n\n## A: b\nunder it\n\n- one\n- two\n\n---\n\n> **Verdict.** Yes.\n\n*No caption.*\n");
  EXPECT_EQ(page.title, "The x & y");
  EXPECT_EQ(
      page.body,
      "<h1>The <code>x</code> &amp; y</h1>\n<p>First\n<em>more</em>.</p>\n<h2 id=\"a-b\">A: b</h2>\n<p>under it</p>\n"
      "<ul>\n<li>one</li>\n<li>two</li>\n</ul>\n<blockquote><p><strong>Verdict.</strong> Yes.</p>\n</blockquote>\n"
      "<p><em>No caption.</em></p>\n");
}

TEST(PageHtml, has_tables_with_the_captions_after_them) {
  const PageHtml page = page_html(
      "# T\n\n## Speed `now`\n\n| what | ms |\n| ---- | -: |\n| a \\| b | 1.5 |\n|  | 2 |\n\n*In `ms`.*\n\n| z |\n| - |\n| y |\n\n**Not one.**\n");
  EXPECT_EQ(
      page.body,
      "<h1>T</h1>\n<h2 id=\"speed-now\">Speed <code>now</code></h2>\n"
      "<div class=\"table\" role=\"group\" tabindex=\"0\" aria-label=\"Table 1: Speed now\">\n<table>\n"
      "<caption>In <code>ms</code>.</caption>\n<thead>\n"
      "<tr><th scope=\"col\">what</th><th scope=\"col\" class=\"number\">ms</th></tr>\n</thead>\n<tbody>\n"
      "<tr><th scope=\"row\">a | b</th><td class=\"number\">1.5</td></tr>\n"
      "<tr><th scope=\"row\"></th><td class=\"number\">2</td></tr>\n</tbody>\n</table>\n</div>\n"
      "<div class=\"table\" role=\"group\" tabindex=\"0\" aria-label=\"Table 2: Speed now\">\n<table>\n<thead>\n"
      "<tr><th scope=\"col\">z</th></tr>\n</thead>\n<tbody>\n<tr><th scope=\"row\">y</th></tr>\n</tbody>\n"
      "</table>\n</div>\n<p><strong>Not one.</strong></p>\n");
}

TEST(PageHtml, has_figures_in_both_themes) {
  const std::string picture =
      "<picture>\n  <source media=\"(prefers-color-scheme: dark)\" srcset=\"f/a-dark.svg\">\n"
      "  <img alt=\"1 &lt; 2\" src=\"f/a-light.svg\">\n</picture>\n";
  const std::string drawn =
      "<figure>\n<img class=\"light\" src=\"f/a-light.svg\" alt=\"1 &lt; 2\"/>\n"
      "<img class=\"dark\" src=\"f/a-dark.svg\" alt=\"1 &lt; 2\"/>\n<figcaption>";
  EXPECT_EQ(page_html(picture + "\nData: [a.csv](f/a.csv)\n\n*It grows.*\n\nAfter.\n").body,
            drawn + "It grows. Data: <a href=\"f/a.csv\">a.csv</a></figcaption>\n</figure>\n<p>After.</p>\n");
  EXPECT_EQ(page_html(picture + "\n*It grows.*\n").body, drawn + "It grows.</figcaption>\n</figure>\n");
  EXPECT_EQ(page_html(picture + "\n*A*\n").body, drawn + "A</figcaption>\n</figure>\n");
  EXPECT_EQ(page_html(picture).body, drawn + "</figcaption>\n</figure>\n");
  EXPECT_EQ(page_html("").body, "");
}

}  // namespace
}  // namespace posproof::report::page_html_test
