// What each test reaches, where many run in one process: the copy of the sources has this among its tests.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include "core/mutants_switch.h"

namespace posproof::core_mutants_listener_test {
namespace {

constexpr int most = 65536;  // suite.py

// One line a test in the file that POSPROOF_MUTANTS_TESTS names: its name, whether it is green, milliseconds,
// the source it stands in, and the mutants that it, or what it started, asked for. Counts begin anew.
class Listener : public ::testing::EmptyTestEventListener {
 public:
  explicit Listener(const char* path) : path_(path) {}

  void OnTestStart(const ::testing::TestInfo&) override {
    std::fill_n(posproof_mutants::posproof_mutants_reached, most, 0u);
  }

  void OnTestEnd(const ::testing::TestInfo& test) override {
    std::FILE* out = std::fopen(path_, "a");
    if (out == nullptr) return;
    const ::testing::TestResult& result = *test.result();
    std::fprintf(out, "%s.%s\t%s\t%lld\t%s\t", test.test_suite_name(), test.name(),
                 result.Failed() ? "red" : "green", static_cast<long long>(result.elapsed_time()),
                 test.file());
    for (int number = 0; number < most; ++number)
      if (posproof_mutants::posproof_mutants_reached[number] != 0) std::fprintf(out, " %d", number);
    std::fputc('\n', out);
    std::fclose(out);
  }

 private:
  const char* path_;
};

// The list of listeners owns it.
[[maybe_unused]] const bool listens = [] {
  const char* path = std::getenv("POSPROOF_MUTANTS_TESTS");
  if (path != nullptr) ::testing::UnitTest::GetInstance()->listeners().Append(new Listener(path));
  return path != nullptr;
}();

}  // namespace
}  // namespace posproof::core_mutants_listener_test
