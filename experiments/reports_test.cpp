// The reports that are checked in are what the experiments give: pages and the data of their figures byte for
// byte, the drawings too where the gnuplot that drew them is installed.
#include <gtest/gtest.h>

#include <filesystem>
#include <iostream>

#include "report/report.h"
#include "test_paths.h"

namespace posproof {
namespace {

const std::filesystem::path folder = std::filesystem::path(POSPROOF_SOURCE) / "reports";

void expect_none(const std::vector<report::Difference>& found, const std::string& approve) {
  for (const report::Difference& difference : found)
    ADD_FAILURE() << "reports/" << difference.text() << "\nif this is right: " << approve;
}

class Golden : public testing::Test {
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

class Index : public testing::Test {
  void TestBody() override { expect_none(report::compare_index(folder), "posproof report"); }
};

// The performance page is no experiment's and has no name here: it is another one on every machine.
const bool registered = [] {
  for (const std::string& name : report::names())
    testing::RegisterTest("reports", name.c_str(), nullptr, nullptr, __FILE__, __LINE__,
                          [name]() -> testing::Test* { return new Golden(name); });
  testing::RegisterTest("reports", "README", nullptr, nullptr, __FILE__, __LINE__,
                        []() -> testing::Test* { return new Index; });
  return true;
}();

}  // namespace
}  // namespace posproof
