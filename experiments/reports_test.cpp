// The reports that are checked in are what the experiments give, byte for byte.
#include <gtest/gtest.h>

#include <filesystem>
#include <optional>

#include "report/figure.h"
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
    const std::string approve = "posproof report " + name_;
    try {
      expect_none(report::compare(folder, name_), approve);
    } catch (const report::NoGnuplot& missing) {
      expect_none(report::compare(folder, name_, false), approve);
      GTEST_SKIP() << "the page was compared, the figures were not: " << missing.what();
    }
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
