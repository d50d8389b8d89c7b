#include "testing/function_tests.h"

#include <vector>

namespace posproof::testing {
namespace {

// Of the whole program, in the order in which its objects start.
std::vector<FunctionTest>& listed() {
  static std::vector<FunctionTest> all;
  return all;
}

class Runs : public ::testing::Test {
 public:
  explicit Runs(void (*body)()) : body_(body) {}
  void TestBody() override { body_(); }

 private:
  void (*body_)();
};

}  // namespace

bool list(const FunctionTest& test) {
  listed().push_back(test);
  return true;
}

void add_function_tests(const std::function<bool(std::string_view suite)>& asked_for) {
  for (const FunctionTest& test : listed())
    if (asked_for(test.suite))
      ::testing::RegisterTest(test.suite, test.name, nullptr, nullptr, test.file, test.line,
                              [body = test.body]() -> ::testing::Test* { return new Runs(body); });
}

}  // namespace posproof::testing
