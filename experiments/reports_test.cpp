// The reports that are checked in are what the experiments give: pages and the data of their figures byte for
// byte, the drawings too where the gnuplot that drew them is installed.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iostream>

#include "report/report.h"
#include "test_paths.h"

namespace posproof::reports_test {
namespace {

const std::filesystem::path folder = std::filesystem::path(POSPROOF_SOURCE) / "reports";

void expect_none(const std::vector<report::Difference>& found, const std::string& approve) {
  for (const report::Difference& difference : found)
    ADD_FAILURE() << "reports/" << difference.text() << "\nif this is right: " << approve;
}

class Golden : public ::testing::Test {
 public:
  explicit Golden(std::string name) : name_(std::move(name)) {}

  void TestBody() override {
    const report::Comparison found = report::compare(folder, name_);
    expect_none(found.differences, "posproof report " + name_);
    if (!found.drawings_not_compared.empty())
      std::cout << "reports/" << name_
                << ".md and the data of its figures were compared, the drawings were not: "
                << found.drawings_not_compared << '\n';
  }

 private:
  std::string name_;
};

class Index : public ::testing::Test {
  void TestBody() override { expect_none(report::compare_index(folder), "posproof report"); }
};

// Every row has its evidence in the pages as they are checked in.
class FoundingQuestions : public ::testing::Test {
  void TestBody() override {
    expect_none(report::compare_founding(folder), "posproof report NAME, of any page");
  }
};

std::string text_of(const std::filesystem::path& path) {
  std::ifstream in(path);
  return {std::istreambuf_iterator<char>(in), {}};
}

// The others have the label long: `reports.encodings`.
TEST(Pages, of_two_encodings_are_what_is_known_of_them) {
  for (const std::string name : {"encodings/alibi", "encodings/cope"})
    expect_none(report::compare(folder, name).differences, "posproof report " + name);
  expect_none(report::compare_pages_of_encodings(folder), "posproof report");
}

class Encodings : public ::testing::Test {
  void TestBody() override {
    for (const std::string& name : report::encoding_pages())
      expect_none(report::compare(folder, name).differences, "posproof report " + name);
  }
};

TEST(Pages, cite_their_sources_and_caption_every_figure) {
  for (const std::string& name : report::names()) {
    const std::string page = text_of(folder / (name + ".md"));
    if (name == "defects" || name == "conventions") {  // threads, commits and papers stand beside each
      EXPECT_NE(page.find("](https://github.com/"), std::string::npos) << name;
    } else {
      const auto references = page.find("\n## References\n\n- ");
      ASSERT_NE(references, std::string::npos) << name;
      EXPECT_NE(page.find("](https://arxiv.org/abs/", references), std::string::npos) << name;
    }
    for (auto at = page.find("</picture>"); at != std::string::npos; at = page.find("</picture>", at + 1)) {
      const auto data = page.find("\nData: ", at), end = page.find('\n', data + 1);
      EXPECT_EQ(page.substr(end, 3), "\n\n*")
          << name << ": a figure without a caption, after " << page.substr(data + 1, end - data - 1);
    }
  }
}

// The performance page is no experiment's and has no name here: it is another one on every machine.
const bool registered = [] {
  for (const std::string& name : report::names())
    testing::RegisterTest("reports", name.c_str(), nullptr, nullptr, __FILE__, __LINE__,
                          [name]() -> ::testing::Test* { return new Golden(name); });
  testing::RegisterTest("reports", "encodings", nullptr, nullptr, __FILE__, __LINE__,
                        []() -> ::testing::Test* { return new Encodings; });
  testing::RegisterTest("reports", "README", nullptr, nullptr, __FILE__, __LINE__,
                        []() -> ::testing::Test* { return new Index; });
  testing::RegisterTest("reports", "founding_questions", nullptr, nullptr, __FILE__, __LINE__,
                        []() -> ::testing::Test* { return new FoundingQuestions; });
  return true;
}();

}  // namespace
}  // namespace posproof::reports_test
