#include "testing/function_tests.h"

#include <span>

// The linker's names for where the section begins and ends, in the whole program. Without precompiled headers
// there is none.
extern "C" [[gnu::weak]] const posproof::testing::FunctionTest* const __start_posproof_tests[];
extern "C" [[gnu::weak]] const posproof::testing::FunctionTest* const __stop_posproof_tests[];

namespace posproof::testing {
namespace {

class Runs : public ::testing::Test {
 public:
  explicit Runs(void (*body)()) : body_(body) {}
  void TestBody() override { body_(); }

 private:
  void (*body_)();
};

}  // namespace

void add_function_tests(const std::function<bool(std::string_view suite)>& asked_for) {
  for (const FunctionTest* test : std::span(__start_posproof_tests, __stop_posproof_tests))
    if (asked_for(test->suite))
      ::testing::RegisterTest(test->suite, test->name, nullptr, nullptr, test->file, test->line,
                              [body = test->body]() -> ::testing::Test* { return new Runs(body); });
}

}  // namespace posproof::testing
