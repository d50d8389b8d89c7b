// cmake/slow_tests.txt: what `./run test` leaves out.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "exact/random_tables.h"
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

// A test for each kernel (exact/kernel.h) stands in the list for every processor; one that this processor
// lacks has no tests here.
bool is_of_a_kernel_that_is_not_here(const std::string& line, const std::set<std::string>& listed) {
  const std::vector<std::string> here = exact::random_tables::kernel_names();
  const std::size_t slash = line.rfind('/');
  if (slash == std::string::npos || !listed.contains(line.substr(0, slash) + "/plain")) return false;
  const std::string kernel = line.substr(slash + 1);
  return (kernel == "v3" || kernel == "v4" || kernel == "v4_vbmi2") && std::ranges::count(here, kernel) == 0;
}

TEST(SlowTests, are_tests_named_once) {
  const std::set<std::string> listed = tests();
  std::set<std::string> left = listed;
  std::ifstream in(std::filesystem::path(POSPROOF_SOURCE) / "cmake" / "slow_tests.txt");
  std::size_t named = 0;
  for (std::string line; std::getline(in, line);) {
    if (line.starts_with('#')) continue;
    EXPECT_EQ(left.erase(line) + is_of_a_kernel_that_is_not_here(line, listed), 1)
        << "`" << line << "` is no test, or stands there twice";
    ++named;
  }
  EXPECT_GT(named, 200);
}

}  // namespace
}  // namespace posproof::slow_tests_test
