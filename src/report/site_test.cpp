// The site: the matrix as data and as a page, the front page, and everything that pages refer to being there.
#include "report/site.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <pugixml.hpp>
#include <set>

#include "catalogue/properties/rotary/preserves_norm.h"
#include "catalogue/site.h"
#include "report/figure.h"
#include "report/file.h"
#include "run/agreement.h"

namespace posproof::report::site_test {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

const Fact fact{.name = "turns <all>", .claims = {}};
const Claim holding{.property = &properties::rotary::preserves_norm, .holds = true, .follows_from = &fact};
const Claim own{.property = &properties::rotary::preserves_norm,
                .holds = true,
                .when = {.all = {{"scaling", {std::string("none")}}}}};
const Claim failing{.property = &properties::rotary::preserves_norm,
                    .holds = false,
                    .witness = "dim=4 t=1",
                    .by = 0.5,
                    .because = "a \"stretch\", & more"};

const Holds held{.cases = 300, .vacuous = 2, .worst = {0.25, 1, 2}, .worst_at = Case::parse("dim=8 t=3")};
const Refuted refuted{Case::parse("t=1"), {0.5, 0, 1}, 1, 0};

std::vector<Cell> cells() {
  return {{"rope", std::string(agreement_id), {{nullptr, ClaimStatus::as_claimed, held, ""}}},
          {"rope",
           "rotary/preserves_norm",
           {{&holding, ClaimStatus::as_claimed, held, ""}, {&failing, ClaimStatus::as_claimed, refuted, ""}}},
          {"xpos", "rotary/preserves_norm", {{&own, ClaimStatus::broken, refuted, "off by 1"}}},
          {"alibi", "rotary/preserves_norm", {}},
          {"none", "rotary/preserves_norm", {{nullptr, ClaimStatus::as_claimed, held, ""}}},
          {"shaw", "rotary/preserves_norm", {{nullptr, ClaimStatus::as_claimed, refuted, ""}}},
          {"cope", "rotary/preserves_norm", {{nullptr, ClaimStatus::as_claimed, Undecided{"late"}, ""}}},
          {"tupe", "rotary/preserves_norm", {{&own, ClaimStatus::stale, held, ""}}},
          {"fire", "rotary/preserves_norm", {{&own, ClaimStatus::as_claimed, held, ""}}},
          {"dape", "rotary/preserves_norm", {{&own, ClaimStatus::not_checked, Undecided{"late"}, "late"}}}};
}

Json matrix() {
  const auto all = cells();
  return Json::parse(matrix_json(
      {.cells = all,
       .failed_by = [](const std::string& property,
                       const Refuted& one) { return fmt::format("{} by {}", property, one.residual.error); },
       .condition = "Seed 1."}));
}

TEST(SiteMatrix, has_an_answer_for_every_claim_that_was_judged) {
  const Json data = matrix();
  EXPECT_EQ(data["condition"], "Seed 1.");
  std::vector<std::string> verdicts, reasons, commands, encodings, properties;
  for (const Json& one : data["answers"]) {
    verdicts.push_back(
        fmt::format("{} {}", one["encoding"].get<std::string>(), one["verdict"].get<std::string>()));
    reasons.push_back(one["because"]);
    commands.push_back(one["command"]);
  }
  for (const Json& one : data["encodings"]) encodings.push_back(one["id"]);
  for (const Json& one : data["properties"]) properties.push_back(one["id"]);
  EXPECT_EQ(verdicts,
            (std::vector<std::string>{"rope holds", "rope holds", "rope fails", "xpos broken", "none holds?",
                                      "shaw fails?", "tupe stale", "fire holds", "dape not checked"}));
  EXPECT_EQ(reasons,
            (std::vector<std::string>{"its reference and its oracle are compared entry by entry",
                                      "it turns <all>", "a \"stretch\", & more", "off by 1",
                                      "nobody claims it: a search at the standard parameters says so",
                                      "nobody claims it: a search at the standard parameters says so",
                                      "claimed by the encoding, and searched for a counterexample",
                                      "claimed by the encoding, and searched for a counterexample", "late"}));
  EXPECT_EQ(
      commands,
      (std::vector<std::string>{
          "posproof matrix --filter rope.agrees_with_its_oracle",
          "posproof matrix --filter rope.rotary/preserves_norm",
          "posproof check rotary/preserves_norm rope --case 'dim=4 t=1'",
          "posproof matrix --filter xpos.rotary/preserves_norm", "posproof check rotary/preserves_norm none",
          "posproof check rotary/preserves_norm shaw", "posproof matrix --filter tupe.rotary/preserves_norm",
          "posproof matrix --filter fire.rotary/preserves_norm",
          "posproof matrix --filter dape.rotary/preserves_norm"}));
  EXPECT_EQ(encodings, (std::vector<std::string>{"rope", "xpos", "none", "shaw", "tupe", "fire", "dape"}));
  EXPECT_EQ(properties, (std::vector<std::string>{"agrees_with_its_oracle", "rotary/preserves_norm"}));
  EXPECT_EQ(data["encodings"][1]["kind"], "rotary");
  EXPECT_EQ(data["properties"][1]["statement"], "Rotating a token keeps its norm.");
}

TEST(SiteMatrix, has_what_was_measured) {
  const Json data = matrix();
  EXPECT_EQ(data["answers"][1], (Json{{"encoding", "rope"},
                                      {"property", "rotary/preserves_norm"},
                                      {"verdict", "holds"},
                                      {"where", ""},
                                      {"because", "it turns <all>"},
                                      {"follows_from", "turns <all>"},
                                      {"command", "posproof matrix --filter rope.rotary/preserves_norm"},
                                      {"cases", 300},
                                      {"vacuous", 2},
                                      {"error", 0.25},
                                      {"bound", 1.0},
                                      {"share_of_bound", 0.25},
                                      {"case", "dim=8 t=3"}}));
  const Json& failed = data["answers"][2];
  EXPECT_EQ(failed["off_by"], "rotary/preserves_norm by 0.5");
  EXPECT_EQ(failed["case"], "dim=4 t=1");
  EXPECT_EQ(failed["share_of_bound"], nullptr);  // of a bound of 0
  EXPECT_EQ(data["answers"][3]["where"], "scaling is none");
  EXPECT_EQ(data["answers"][5]["case"], "t=1");
}

MatrixPage page_of(const std::vector<Cell>& all) {
  return {.cells = all,
          .failed_by = [](const std::string&, const Refuted&) { return "1, \"2\" <3>"; },
          .condition = "Seed <1>."};
}

TEST(SiteMatrix, is_the_same_as_a_table) {
  std::vector<Cell> all = cells();
  all.erase(all.begin() + 2, all.end());
  EXPECT_EQ(
      matrix_csv(page_of(all)),
      "encoding,property,verdict,where,cases,vacuous,error,bound,off_by,because,case,follows_from,command\n"
      "rope,agrees_with_its_oracle,holds,,300,2,0.25,1.0,,its reference and its oracle are compared entry by "
      "entry,dim=8 t=3,,posproof matrix --filter rope.agrees_with_its_oracle\n"
      "rope,rotary/preserves_norm,holds,,300,2,0.25,1.0,,it turns <all>,dim=8 t=3,turns <all>,posproof matrix "
      "--filter rope.rotary/preserves_norm\n"
      "rope,rotary/preserves_norm,fails,,,,0.5,0.0,\"1, \"\"2\"\" <3>\",\"a \"\"stretch\"\", & more\",dim=4 t=1,,"
      "posproof check rotary/preserves_norm rope --case 'dim=4 t=1'\n");
}

// The data stand in the page, and no character of theirs ends it.
TEST(SiteMatrix, is_a_page_with_the_data_in_it) {
  const std::vector<Cell> all = cells();
  const std::string text = matrix_html(page_of(all));
  pugi::xml_document page;
  ASSERT_TRUE(page.load_string(text.c_str()));
  const std::string data = page.select_node("//script[@id='data']").node().child_value();
  EXPECT_EQ(data.find_first_of("<>&"), std::string::npos);
  EXPECT_EQ(Json::parse(data), Json::parse(matrix_json(page_of(all))));
  EXPECT_NE(text.find("<p>Seed &lt;1&gt;. Choose a cell"), std::string::npos);
  for (const auto& label : page.select_nodes("//label[@for]")) {
    const std::string id = label.node().attribute("for").value();
    EXPECT_TRUE(page.select_node(fmt::format("//*[@id='{}']", id).c_str())) << id;
  }
  EXPECT_TRUE(page.select_node("//head/script[@src='matrix.js']"));
}

// Every id that the script asks for is on the page.
TEST(SiteMatrix, has_what_its_script_looks_for) {
  const std::vector<Cell> all = cells();
  const std::string text = matrix_html(page_of(all));
  std::string script;
  for (const auto& [name, content] : catalogue::site())
    if (name == "matrix.js") script = content;
  std::size_t asked = 0;
  for (auto at = script.find("at(\""); at != std::string::npos; at = script.find("at(\"", at + 1)) {
    const std::string id = script.substr(at + 4, script.find('"', at + 4) - at - 4);
    EXPECT_NE(text.find(fmt::format(" id=\"{}\"", id)), std::string::npos) << id;
    ++asked;
  }
  EXPECT_GT(asked, 10u);
}

// A person who opens a page from a disk is sent nowhere: nothing but links that are followed names another
// host.
TEST(Site, asks_no_network) {
  for (const auto& [name, text] : catalogue::site())
    for (const std::string_view word :
         {"http:", "https:", "//cdn", "@import", "url(", "fetch(", "XMLHttpRequest"})
      EXPECT_EQ(std::string_view(text).find(word), std::string_view::npos) << name << " " << word;
}

TEST(Site, has_a_front_page_style_scripts_and_the_glossary) {
  std::vector<std::string> names;
  const auto files =
      site_frame({{"a", "A `x`", "One & all."}, {"encodings/rope", "`rope`: turns", "n"}}, true);
  for (const File& file : files) names.push_back(file.path);
  EXPECT_EQ(names,
            (std::vector<std::string>{"index.html", "glossary.html", "matrix.js", "style.css", "theme.js"}));
  const std::string& front = files[0].bytes;
  EXPECT_NE(
      front.find("<h1>Reports of posproof</h1>\n<p class=\"finding\"><a href=\"matrix.html\">The matrix</a>"),
      std::string::npos);
  EXPECT_NE(front.find("<h2 id=\"reports\">Reports</h2>\n<ul>\n"
                       "<li><a href=\"a.html\">A <code>x</code></a>: One &amp; all.</li>\n</ul>\n"
                       "<h2 id=\"encodings\">Encodings</h2>\n<ul>\n"
                       "<li><a href=\"encodings/rope.html\"><code>rope</code>: turns</a></li>\n</ul>\n"),
            std::string::npos);
  EXPECT_NE(files[1].bytes.find("<dt>vacuous"), std::string::npos);
  const std::string without = site_frame({}, false)[0].bytes;
  EXPECT_EQ(without.find("The matrix"), std::string::npos);
  EXPECT_EQ(without.find("<h2"), std::string::npos);
}

TEST(Site, has_pages_that_no_document_is_behind) {
  const File page = site_text(
      "asked", "# The `x` & y\n\nFirst\nmore.\n\n## A: b\n\n- <a id=\"A1\"></a>one\n- two\n\n---\n\nEnd.\n");
  EXPECT_EQ(page.path, "asked.html");
  EXPECT_NE(page.bytes.find("<title>The x &amp; y - posproof</title>"), std::string::npos);
  const auto begin = page.bytes.find("<h1>");
  EXPECT_EQ(page.bytes.substr(begin, page.bytes.find("</main>") - begin),
            "<h1>The <code>x</code> &amp; y</h1>\n<p>First\nmore.</p>\n<h2 id=\"a-b\">A: b</h2>\n"
            "<ul>\n<li><span id=\"A1\"></span>one</li>\n<li>two</li>\n</ul>\n<p>End.</p>\n");
}

// What a page refers to within the site.
std::set<std::string> targets(const pugi::xml_document& page) {
  std::set<std::string> out;
  for (const char* path : {"//@href", "//@src"})
    for (const auto& found : page.select_nodes(path)) {
      const std::string target = found.attribute().value();
      if (target.find(':') == std::string::npos && !target.starts_with('#'))
        out.insert(target.substr(0, target.find('#')));
    }
  return out;
}

// One report and one encoding, written as the command does: each page is well-formed, and what it shows and
// the pages of its own kind are there.
TEST(Site, is_whole) {
  const fs::path folder = fs::temp_directory_path() / fmt::format("posproof_site_test_{}", ::getpid());
  fs::remove_all(folder);
  try {
    write_all(folder, {"why_not_the_normalised_index", "encodings/cable"}, {}, true);
  } catch (const NoGnuplot& missing) {
    GTEST_SKIP() << missing.what();
  }
  EXPECT_FALSE(fs::exists(folder / "html/matrix.html"));
  std::size_t pages = 0, figures = 0;
  for (const auto& entry : fs::recursive_directory_iterator(folder / "html")) {
    if (entry.path().extension() != ".html") continue;
    ++pages;
    pugi::xml_document page;
    ASSERT_TRUE(page.load_file(entry.path().c_str())) << entry.path();
    EXPECT_EQ(page.select_nodes("//h1").size(), 1u) << entry.path();
    std::set<std::string> ids;
    for (const auto& id : page.select_nodes("//@id"))
      EXPECT_TRUE(ids.insert(id.attribute().value()).second) << entry.path();
    for (const auto& link : page.select_nodes("//@href")) {
      const std::string target = link.attribute().value();
      EXPECT_TRUE(!target.starts_with('#') || ids.contains(target.substr(1))) << entry.path() << target;
    }
    for (const std::string& target : targets(page)) {
      if (target.ends_with(".html") && !target.ends_with("index.html") && !target.ends_with("glossary.html"))
        continue;
      EXPECT_TRUE(fs::exists(entry.path().parent_path() / target)) << entry.path() << " " << target;
      figures += target.ends_with(".json") ? 1 : 0;
    }
  }
  EXPECT_EQ(pages, 4u);  // these two, the front page and the glossary
  EXPECT_EQ(figures, 3u);
  // A page that is not written anew stays on the front page.
  std::ofstream(folder / "founding_questions.md")
      << "# Asked\n\nOf all.\n\n[x](../src/x.cpp) [y](a.md) [z](../src/z.cpp)\n";
  // And what was measured on some machine is there as it stands in Markdown, with its figures.
  std::ofstream(folder / "performance.md") << "# Speed\n\nFast.\n\n| a |\n| - |\n| [x](../src/x.cpp) |\n";
  fs::create_directories(folder / "figures/performance");
  std::ofstream(folder / "figures/performance/growth-light.svg") << "drawn";
  write_all(folder, {"encodings/none"}, {}, true);
  EXPECT_NE(file_bytes(folder / "html/founding_questions.html")
                .value()
                .find("<a href=\"../../src/x.cpp\">x</a> <a href=\"a.html\">y</a> "
                      "<a href=\"../../src/z.cpp\">z</a>"),
            std::string::npos);
  EXPECT_NE(file_bytes(folder / "html/performance.html")
                .value()
                .find("<th scope=\"row\"><a href=\"../../src/x.cpp\">x</a></th>"),
            std::string::npos);
  EXPECT_EQ(file_bytes(folder / "html/figures/performance/growth-light.svg"), "drawn");
  const std::string front = file_bytes(folder / "html/index.html").value();
  for (const char* name : {"founding_questions.html", "why_not_the_normalised_index.html",
                           "encodings/cable.html", "encodings/none.html", "performance.html"})
    EXPECT_NE(front.find(fmt::format("href=\"{}\"", name)), std::string::npos) << name;
  write_all(folder, {"encodings/pope"});
  EXPECT_FALSE(fs::exists(folder / "html/encodings/pope.html"));
  fs::remove_all(folder);
}

}  // namespace
}  // namespace posproof::report::site_test
