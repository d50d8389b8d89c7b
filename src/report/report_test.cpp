#include "report/report.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "catalogue/encodings.h"
#include "report/figure.h"
#include "report/markdown.h"

namespace posproof::report::report_test {
namespace {

namespace fs = std::filesystem;
using namespace document;

double measured = 0.125;

Document small() {
  return {
      .title = "Two halves",
      .finding = "A half is " + fixed(measured, 3) + ".",
      .condition = "f64",
      .blocks = {
          Section{"Result"},
          Grid{{"width", "what", "a|b"}, {{"8", "α", fixed(measured, 3)}, {"16", "two", "-1.000"}}, "Sizes."},
          Plot{.name = "line",
               .title = "A & B",
               .description = "A \"line\" < 3",
               .x = {"t"},
               .y = {"u"},
               .curves = {{"up", {{0, 0}, {1, measured}}, false, false}},
               .caption = "Ups."},
          HeatMap{.name = "map",
                  .title = "Map",
                  .description = "A map",
                  .x = {"c"},
                  .y = {"r"},
                  .values = {{0, 1}, {measured, -1}},
                  .lo = -1,
                  .hi = 1,
                  .caption = "Cells."},
          PageVerdict{"Yes."}}};
}

const Experiment experiment{
    .question = "How much?", .method = "By halves.", .run = &small, .asked_by = Asker::numerics};

struct Folder {
  fs::path path = fs::temp_directory_path() / ("posproof_report_test_" + std::to_string(::getpid()));
  Folder() { fs::remove_all(path); }
  ~Folder() { fs::remove_all(path); }
};

TEST(Markdown, is_written_from_the_document) {
  EXPECT_EQ(markdown(small(), page_of("halves", experiment)),
            "# Two halves\n\n"
            "A half is 0.125.\n\n"
            "**Question.** How much?\n\n"
            "**Method.** By halves.\n\n"
            "**Condition.** f64\n\n"
            "## Result\n\n"
            "| width | what |   a\\|b |\n"
            "| ----: | ---- | -----: |\n"
            "|     8 | α    |  0.125 |\n"
            "|    16 | two  | -1.000 |\n\n"
            "*Sizes.*\n\n"
            "<picture>\n"
            "  <source media=\"(prefers-color-scheme: dark)\" srcset=\"figures/halves/line-dark.svg\">\n"
            "  <img alt=\"A &quot;line&quot; < 3\" src=\"figures/halves/line-light.svg\">\n"
            "</picture>\n\n"
            "Data: [line.csv](figures/halves/line.csv)\n\n"
            "*Ups.*\n\n"
            "<picture>\n"
            "  <source media=\"(prefers-color-scheme: dark)\" srcset=\"figures/halves/map-dark.svg\">\n"
            "  <img alt=\"A map\" src=\"figures/halves/map-light.svg\">\n"
            "</picture>\n\n"
            "Data: [map.csv](figures/halves/map.csv)\n\n"
            "*Cells.*\n\n"
            "> **Verdict.** Yes.\n\n"
            "---\n\n"
            "This page is written by `posproof report halves`.\n");
}

TEST(Markdown, finds_the_figures_of_a_page_in_a_folder) {
  const std::string page = markdown(small(), {"encodings/halves", "Q", "M", "make it"});
  EXPECT_NE(
      page.find(
          "srcset=\"../figures/encodings/halves/line-dark.svg\">\n  <img alt=\"A &quot;line&quot; < 3\" "
          "src=\"../figures/encodings/halves/line-light.svg\">\n"),
      std::string::npos);
  EXPECT_NE(page.find("Data: [line.csv](../figures/encodings/halves/line.csv)\n"), std::string::npos);
}

TEST(Markdown, refuses_a_row_of_another_length) {
  Document document = small();
  std::get<Grid>(document.blocks[1]).rows[0].pop_back();
  EXPECT_THROW(markdown(document, page_of("halves", experiment)), std::logic_error);
}

std::string block(const Block& one) {
  const std::string page =
      markdown({.title = "T", .finding = "F", .condition = "C", .blocks = {one}}, {"p", "Q", "M", "make p"});
  const std::string before = "# T\n\nF\n\n**Question.** Q\n\n**Method.** M\n\n**Condition.** C\n\n",
                    after = "\n---\n\nThis page is written by `make p`.\n";
  EXPECT_EQ(page.find(before), 0u) << page;
  EXPECT_TRUE(page.ends_with(after)) << page;
  return page.substr(before.size(), page.size() - before.size() - after.size());
}

TEST(Markdown, has_each_block_in_its_own_form) {
  EXPECT_EQ(block(Paragraph{"Some | text"}), "Some | text\n");
  EXPECT_EQ(block(Section{"Result"}), "## Result\n");
  EXPECT_EQ(block(PageVerdict{"No."}), "> **Verdict.** No.\n");
}

// A column goes to the right where more of its cells are numbers than words; empty ones and `none` are
// neither.
TEST(Markdown, sets_columns_of_numbers_to_the_right) {
  EXPECT_EQ(block(Grid{{"n", "tie", "mostly", "few", "blank"},
                       {{"1.5e-08", "1", "12 %", "x", ""},
                        {"-2", "x", "+3,000", "none", "none"},
                        {"1", "", "x", "2", ""}}}),
            "|       n | tie | mostly | few  | blank |\n"
            "| ------: | --- | -----: | ---- | ----- |\n"
            "| 1.5e-08 | 1   |   12 % | x    |       |\n"
            "|      -2 | x   | +3,000 | none | none  |\n"
            "|       1 |     |      x | 2    |       |\n");
}

TEST(Markdown, is_as_wide_as_letters_not_bytes) {
  EXPECT_EQ(block(Grid{{"α"}, {{"ωω|ω"}, {"e-+.%"}}}),
            "| α     |\n"
            "| ----- |\n"
            "| ωω\\|ω |\n"
            "| e-+.% |\n");
  EXPECT_EQ(block(Grid{{"a"}, {}}), "| a   |\n| --- |\n");
}

TEST(Numbers, have_no_negative_zero) {
  EXPECT_EQ(fixed(-0.00004L, 4), "0.0000");
  EXPECT_EQ(fixed(-0.00006L, 4), "-0.0001");
  EXPECT_EQ(fixed(0.5L, 0), "0");
  EXPECT_EQ(scientific(0, 3), "0");
  EXPECT_EQ(scientific(-1234.5L, 3), "-1.23e+03");
}

std::vector<File> drawn() {
  try {
    return files("halves", experiment);
  } catch (const NoGnuplot&) {
    return {};
  }
}

TEST(Report, is_the_same_bytes_twice_and_others_for_another_number) {
  const auto once = drawn();
  if (once.empty()) GTEST_SKIP() << "gnuplot is not installed (Debian: gnuplot-nox)";
  ASSERT_EQ(once.size(), 7u);
  const auto twice = drawn();
  measured = 0.25;
  const auto other = drawn();
  measured = 0.125;
  for (std::size_t f = 0; f < once.size(); ++f) {
    EXPECT_EQ(once[f].path, twice[f].path);
    EXPECT_EQ(once[f].bytes, twice[f].bytes);
    EXPECT_NE(once[f].bytes, other[f].bytes) << once[f].path;
  }
}

TEST(Report, figures_speak_to_those_who_cannot_see_them) {
  const auto all = drawn();
  if (all.empty()) GTEST_SKIP() << "gnuplot is not installed (Debian: gnuplot-nox)";
  EXPECT_EQ(all[3].path, "figures/halves/line-light.svg");
  const std::string& line = all[3].bytes;
  EXPECT_NE(line.find("<svg role=\"img\""), std::string::npos);
  EXPECT_NE(line.find("<title>A &amp; B</title>\n<desc>A \"line\" &lt; 3</desc>\n<!-- gnuplot "),
            std::string::npos);
  EXPECT_EQ(line.find("GNUPLOT"), std::string::npos);
  EXPECT_EQ(line.find("<title>gnuplot"), std::string::npos);
  EXPECT_EQ(all[6].path, "figures/halves/map-dark.svg");
  EXPECT_NE(all[6].bytes.find("<image style=\"image-rendering:pixelated\""), std::string::npos);
}

TEST(Report, what_gnuplot_complains_of_is_an_error) {
  if (drawn().empty()) GTEST_SKIP() << "gnuplot is not installed (Debian: gnuplot-nox)";
  try {
    gnuplot("set terminal svg\nplot nonsense_\n");
    FAIL() << "no error";
  } catch (const std::runtime_error& error) {
    EXPECT_NE(std::string(error.what()).find("undefined variable: nonsense_"), std::string::npos)
        << error.what();
  }
}

// As on a machine without gnuplot.
class EmptyPath {
 public:
  EmptyPath() { ::setenv("PATH", "/nonexistent", 1); }
  ~EmptyPath() { ::setenv("PATH", path_.c_str(), 1); }
  EmptyPath(const EmptyPath&) = delete;
  EmptyPath& operator=(const EmptyPath&) = delete;

 private:
  const std::string path_ = std::getenv("PATH") ? std::getenv("PATH") : "";
};

TEST(Report, a_missing_gnuplot_names_the_package) {
  const EmptyPath without;
  std::string said;
  try {
    gnuplot("");
  } catch (const NoGnuplot& error) {
    said = error.what();
  }
  EXPECT_EQ(said, "figures need `gnuplot`, which is not on the PATH; on Debian: apt install gnuplot-nox");
}

TEST(Report, index_quotes_the_findings) {
  const File page{"halves.md", markdown(small(), page_of("halves", experiment))};
  const std::string text = index({page, {"figures/halves/line-light.svg", "<svg>"}}).bytes;
  EXPECT_TRUE(text.ends_with("\n\n- [Two halves](halves.md): A half is 0.125.\n")) << text;
}

// Pages in the order in which they are given; the performance page, which nothing computes, at the end.
TEST(Report, index_has_a_line_a_page) {
  const std::string text = index({{"a.md", "# A\n\nOne.\n\nmore"},
                                  {"figures/a/x.csv", "x"},
                                  {"performance.md", "anything"},
                                  {"b.md", "# B b\n\nTwo, and three.\nmore"}})
                               .bytes;
  EXPECT_EQ(text.find("# Reports\n\nWhat the experiments found. "), 0u);
  EXPECT_NE(
      text.find("\n\nThe [matrix](encoding_by_property.md) is the front page: which property holds for which "
                "encoding, and from there\n[a page for each encoding](encodings/).\n\n"),
      std::string::npos);
  EXPECT_TRUE(
      text.ends_with("\n\n- [A](a.md): One.\n- [B b](b.md): Two, and three.\n"
                     "\n[Performance](performance.md) is what `./run performance` measured on the machine "
                     "that it names; no test compares it.\n"))
      << text;
  EXPECT_EQ(index({}).path, "README.md");
  EXPECT_EQ(index({}, "- [A1](x) Why?\n").bytes,
            index({}).bytes +
                "\n## The founding questions\n\nWhere each question that the project began with is "
                "answered. [All claims and questions](founding_questions.md) have their verdicts "
                "there.\n\n- [A1](x) Why?\n");
  EXPECT_THROW(index({{"a.md", "A\n\nOne.\n"}}), std::logic_error);
  EXPECT_THROW(index({{"a.md", "# A\n\nOne."}}), std::logic_error);
}

// By who asks, in an order of their own; pages of no experiment come first.
TEST(Report, index_groups_pages_by_who_asks) {
  const auto page = [](const std::string& name) { return File{name + ".md", "# T\n\nF.\n"}; };
  const std::string text =
      index({page("x"), page("defects"), page("encoding_by_property"), page("rope_error_by_position"),
             page("the_kernel_of_the_sinusoid"), page("why_not_the_normalised_index")})
          .bytes;
  EXPECT_TRUE(
      text.ends_with("\n\n- [T](x.md): F.\n"
                     "\n## Choosing an encoding\n\n- [T](encoding_by_property.md): F.\n"
                     "- [T](why_not_the_normalised_index.md): F.\n"
                     "\n## Implementing one\n\n- [T](defects.md): F.\n"
                     "\n## Understanding why it works\n\n- [T](the_kernel_of_the_sinusoid.md): F.\n"
                     "\n## Numerics\n\n- [T](rope_error_by_position.md): F.\n"))
      << text;
}

// A page is an experiment's by its whole name.
TEST(Report, index_has_pages_whose_name_begins_as_an_experiments_with_the_others) {
  const std::string text = index({File{"defects_of_mine.md", "# T\n\nF.\n"}}).bytes;
  EXPECT_TRUE(text.ends_with("\n\n- [T](defects_of_mine.md): F.\n")) << text;
  EXPECT_EQ(text.find("\n## "), text.npos) << text;
}

TEST(Report, no_page_of_that_name_says_which_is_near) {
  try {
    files("translation_is");
    FAIL() << "there is no such page";
  } catch (const std::invalid_argument& error) {
    EXPECT_STREQ(
        error.what(),
        "there is no experiment `translation_is`; near it: translation_is_a_rotation; all: posproof list "
        "experiments");
  }
}

TEST(Report, no_page_of_that_name_is_an_error) {
  for (const char* name :
       {"no_such_experiment", "encodings/no_such", "encodings/ropes", "encodings/", "encodings", "rope"})
    EXPECT_THROW(files(name), std::invalid_argument) << name;
}

TEST(Report, has_a_page_for_each_experiment_and_each_encoding) {
  const std::vector<std::string> experiments = names(), encodings = encoding_pages(), all = page_names();
  EXPECT_EQ(encodings.size(), catalogue::encodings().size());
  EXPECT_EQ(encodings.front(), "encodings/alibi");
  EXPECT_EQ(all.size(), experiments.size() + encodings.size());
  EXPECT_EQ(all.front(), experiments.front());
  EXPECT_EQ(all.back(), encodings.back());
}

// What is left of an encoding that there is no longer is found, and removed when anything is written.
TEST(Report, has_no_page_of_an_encoding_that_is_gone) {
  if (drawn().empty()) GTEST_SKIP() << "gnuplot is not installed (Debian: gnuplot-nox)";
  const Folder folder;
  EXPECT_TRUE(compare_pages_of_encodings(folder.path).empty());
  std::vector<std::string> told;
  const auto written =
      write_all(folder.path, {"encodings/none"}, [&](std::string_view name, std::size_t n, std::size_t of) {
        told.push_back(fmt::format("{} {} {}", name, n, of));
      });
  EXPECT_EQ(told, (std::vector<std::string>{"encodings/none 0 1"}));
  EXPECT_EQ(written,
            (std::vector<std::string>{"encodings/none.md", "figures/encodings/none/curve.csv",
                                      "figures/encodings/none/curve-light.svg",
                                      "figures/encodings/none/curve-dark.svg", "glossary.md", "README.md"}));
  EXPECT_TRUE(compare_pages_of_encodings(folder.path).empty());
  fs::create_directories(folder.path / "figures/encodings/gone");
  std::ofstream(folder.path / "figures/encodings/gone/curve.csv") << "x";
  std::ofstream(folder.path / "encodings/gone.md") << "# gone";
  const std::vector<std::string> gone = {"encodings/gone.md", "figures/encodings/gone"};
  std::vector<std::string> found;
  for (const Difference& one : compare_pages_of_encodings(folder.path)) {
    found.push_back(one.path);
    EXPECT_EQ(one.text(), one.path + ": there is no such encoding");
  }
  EXPECT_EQ(found, gone);
  EXPECT_EQ(write_all(folder.path, {"encodings/none"}), gone);
  EXPECT_FALSE(fs::exists(folder.path / "figures/encodings/gone"));
  EXPECT_TRUE(fs::exists(folder.path / "encodings/none.md"));
}

std::string read(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

std::string texts_of(const Comparison& found) {
  std::string out;
  for (const Difference& difference : found.differences) out += difference.text() + "\n";
  return out;
}

// One experiment of the catalogue, written, read back, spoilt and written again.
TEST(Report, is_written_once_and_what_differs_is_found) {
  if (drawn().empty()) GTEST_SKIP() << "gnuplot is not installed (Debian: gnuplot-nox)";
  const Folder folder;
  const std::string name = "why_not_the_normalised_index", page = name + ".md";
  const auto written = write_all(folder.path, {name});
  ASSERT_GE(written.size(), 5u);  // the page, a figure's data, it for light and dark, the index
  EXPECT_EQ(written.front(), page);
  EXPECT_EQ(written.back(), "README.md");
  EXPECT_TRUE(write_all(folder.path, {name}).empty());
  EXPECT_EQ(texts_of(compare(folder.path, name)), "");
  EXPECT_TRUE(compare_index(folder.path).empty());
  for (const auto& entry : fs::recursive_directory_iterator(folder.path))
    EXPECT_NE(entry.path().extension(), ".part") << entry.path();

  const std::string right = read(folder.path / page);
  std::string wrong = right;
  wrong[2] = '0';  // in the first line, the title
  std::ofstream(folder.path / page, std::ios::binary) << wrong;
  std::ofstream(folder.path / "figures" / name / "old-light.svg") << "<svg/>";
  const std::string found = texts_of(compare(folder.path, name));
  EXPECT_EQ(
      found,
      page +
          ":1 differs\n  checked in  # 0hy not the normalised index?\n  now         # Why not the normalised index?\n"
          "figures/" +
          name + "/old-light.svg: the experiment has no such figure\n");
  EXPECT_EQ(compare_index(folder.path).size(), 1u);

  EXPECT_EQ(write_all(folder.path, {name}),
            (std::vector<std::string>{page, "figures/" + name + "/old-light.svg"}));
  EXPECT_EQ(read(folder.path / page), right);
  EXPECT_EQ(texts_of(compare(folder.path, name)), "");
}

// A folder with one experiment's files, to be spoilt.
class Spoilt : public ::testing::Test {
 protected:
  void SetUp() override {
    if (drawn().empty()) GTEST_SKIP() << "gnuplot is not installed (Debian: gnuplot-nox)";
    write_all(folder_.path, {"why_not_the_normalised_index"});
  }

  void change(const std::string& path, const std::string& from, const std::string& to) const {
    std::string bytes = read(folder_.path / path);
    const auto at = bytes.find(from);
    ASSERT_NE(at, std::string::npos) << path;
    std::ofstream(folder_.path / path, std::ios::binary) << bytes.replace(at, from.size(), to);
  }
  Comparison compared() const { return compare(folder_.path, "why_not_the_normalised_index"); }

  const Folder folder_;
  const std::string figure_ = "figures/why_not_the_normalised_index/step_by_length";
};

TEST_F(Spoilt, data_is_compared_without_gnuplot_too) {
  change(figure_ + ".csv", "2.000000e+00,1.000000e+00", "2.000000e+00,1.000000e+03");
  fs::copy(folder_.path / (figure_ + ".csv"), folder_.path / "figures/why_not_the_normalised_index/old.csv");
  const std::string differs = figure_ +
                              ".csv:2 differs\n  checked in  t/(L-1),2.000000e+00,1.000000e+03\n"
                              "  now         t/(L-1),2.000000e+00,1.000000e+00\n",
                    stale =
                        "figures/why_not_the_normalised_index/old.csv: the experiment has no such figure\n",
                    missing = figure_ + ".csv: no such file\n",
                    undrawn = figure_ + "-dark.svg: no such file\n";
  EXPECT_EQ(texts_of(compared()), differs + stale);
  const EmptyPath without;
  EXPECT_EQ(texts_of(compared()), differs + stale);
  EXPECT_NE(compared().drawings_not_compared.find("apt install gnuplot-nox"), std::string::npos);
  fs::remove(folder_.path / (figure_ + ".csv"));
  fs::remove(folder_.path / (figure_ + "-dark.svg"));
  EXPECT_EQ(texts_of(compared()), missing + undrawn + stale);
}

TEST_F(Spoilt, drawings_are_compared_under_the_version_that_wrote_them) {
  const std::string light = figure_ + "-light.svg", version(drawn_by(read(folder_.path / light)));
  ASSERT_TRUE(version.starts_with("gnuplot ")) << version;
  change(light, "</svg>", "<g/></svg>");
  EXPECT_EQ(compared().differences.size(), 1u);
  EXPECT_EQ(compared().drawings_not_compared, "");
  change(light, version, "gnuplot 3.7 patchlevel 1");
  EXPECT_EQ(texts_of(compared()), "");
  EXPECT_EQ(compared().drawings_not_compared, "gnuplot 3.7 patchlevel 1 wrote them, here is " + version);
  change(light, "<!-- gnuplot 3.7 patchlevel 1 -->\n", "");
  EXPECT_EQ(compared().differences.size(), 1u);
}

TEST_F(Spoilt, stale_data_is_removed) {
  std::ofstream(folder_.path / "figures/why_not_the_normalised_index/old.csv") << "series,x,y\n";
  EXPECT_EQ(write_all(folder_.path, {"why_not_the_normalised_index"}),
            std::vector<std::string>{"figures/why_not_the_normalised_index/old.csv"});
  EXPECT_FALSE(fs::exists(folder_.path / "figures/why_not_the_normalised_index/old.csv"));
}

TEST(Report, labels_are_not_over_one_another) {
  const Plot plot{
      .name = "p",
      .title = "P",
      .description = "",
      .x = {"x"},
      .y = {"y"},
      .curves = {{"one", {{0, 0}, {1, 1}}}, {"two", {{0, 2}, {1, 1}}}, {"three", {{0, 3}, {1, 1.01}}}}};
  const std::string text = script(plot, Theme::light);
  std::vector<double> heights;
  for (const char* label : {"'one'", "'two'", "'three'"}) {
    const auto at = text.find(',', text.find(label));
    heights.push_back(std::stod(text.substr(at + 1)) * 420);
  }
  std::sort(heights.begin(), heights.end());
  EXPECT_GT(heights[1] - heights[0], 14);
  EXPECT_GT(heights[2] - heights[1], 14);
}

TEST(Report, founding_questions_need_all_pages) {
  const Folder folder;
  const auto found = compare_founding(folder.path);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].text(), "founding_questions.md: it quotes pages that are missing");
}

TEST(Report, differences_name_the_first_line) {
  const Difference found{"halves.md", 3, "A half is 0.125.", "A half is 0.250."};
  EXPECT_EQ(found.text(),
            "halves.md:3 differs\n  checked in  A half is 0.125.\n  now         A half is 0.250.");
}

}  // namespace
}  // namespace posproof::report::report_test
