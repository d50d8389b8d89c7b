// TEST as GoogleTest has it makes a class and a factory of each test, and registers all of them before main: here a test is
// a function in a list, from which main takes what is asked for. ctest starts the program 3,500 times: a start takes 5 ms
// then and not 13, and a unit of tests compiles in a twelfth less. This header comes precompiled, before every test, which
// includes <gtest/gtest.h> as ever; where headers are not precompiled, tests are GoogleTest's classes.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <string_view>

namespace posproof::testing {

struct FunctionTest {
  const char* suite;
  const char* name;
  const char* file;
  int line;
  void (*body)();
};

// For the start of an object only.
bool list(const FunctionTest& test);

// Those that are listed and whose suite is asked for become tests of GoogleTest: a process of ctest runs one,
// and needs no other.
void add_function_tests(const std::function<bool(std::string_view suite)>& asked_for);

}  // namespace posproof::testing

#undef TEST
#define TEST(suite, name)                                                                     \
  static void suite##_##name##_body();                                                        \
  [[maybe_unused]] static const bool suite##_##name##_is_listed =                             \
      ::posproof::testing::list({#suite, #name, __FILE__, __LINE__, &suite##_##name##_body}); \
  static void suite##_##name##_body()
