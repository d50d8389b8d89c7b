// cmake/slow_tests.txt: what `./run test` leaves out.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <memory>
#include <set>
#include <string>

#include "test_paths.h"

namespace posproof::slow_tests_test {
namespace {

// Every test of this program as it lists them, and `Suite.*` of every suite.
std::set<std::string> tests() {
  const std::string self = std::filesystem::read_symlink("/proc/self/exe");
  const std::unique_ptr<FILE, int (*)(FILE*)> listed(
      popen(fmt::format("'{}' --gtest_list_tests", self).c_str(), "r"), &pclose);
  std::set<std::string> out;
  std::string suite;
  char buffer[4096];
  while (listed && std::fgets(buffer, sizeof buffer, listed.get()) != nullptr) {
    std::string line = buffer;
    line = line.substr(0, line.find_first_of("#\n"));
    line.erase(line.find_last_not_of(' ') + 1);
    if (line.starts_with("  ")) {
      out.insert(suite + line.substr(2));
    } else {
      suite = line;
      out.insert(suite + "*");
    }
  }
  return out;
}

TEST(SlowTests, are_tests_named_once) {
  std::set<std::string> left = tests();
  std::ifstream in(std::filesystem::path(POSPROOF_SOURCE) / "cmake" / "slow_tests.txt");
  std::size_t named = 0;
  for (std::string line; std::getline(in, line);) {
    if (line.starts_with('#')) continue;
    EXPECT_EQ(left.erase(line), 1) << "`" << line << "` is no test, or stands there twice";
    ++named;
  }
  EXPECT_GT(named, 200);
}

}  // namespace
}  // namespace posproof::slow_tests_test
