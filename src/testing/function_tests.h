// TEST as GoogleTest has it makes a class and a factory of each test, and registers all of them before main:
// here a test is a function, and the linker lists it in a section, from which main takes what is asked for.
// ctest starts the program 3,500 times: a start takes 5 ms then and not 13, and a unit of tests compiles in
// an eighth less. This header comes precompiled, before every test, which includes <gtest/gtest.h> as ever;
// where headers are not precompiled, tests are GoogleTest's classes.
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

// Those that are listed and whose suite is asked for become tests of GoogleTest: a process of ctest runs one,
// and needs no other.
void add_function_tests(const std::function<bool(std::string_view suite)>& asked_for);

}  // namespace posproof::testing

// A pointer and not the test itself: where a section begins and how far its entries are apart is the same for
// each.
#undef TEST
#define TEST(suite, name)                                                                                 \
  static void suite##_##name##_body();                                                                    \
  static constexpr ::posproof::testing::FunctionTest suite##_##name##_listed = {                          \
      #suite, #name, __FILE__, __LINE__, &suite##_##name##_body};                                         \
  [[gnu::used, gnu::section("posproof_tests")]] static constexpr const ::posproof::testing::FunctionTest* \
      suite##_##name##_entry = &suite##_##name##_listed;                                                  \
  static void suite##_##name##_body()
