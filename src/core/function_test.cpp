#include "core/function.h"

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <string>

namespace posproof::function_test {
namespace {

int doubled(int x) {
  return 2 * x;
}

TEST(Function, calls_what_it_was_made_of) {
  const int three = 3;
  EXPECT_EQ(Function<int(int)>([three](int x) { return three * x; })(7), 21);
  EXPECT_EQ(Function<int(int)>(doubled)(7), 14);
  EXPECT_EQ(Function<int(int)>(&doubled)(7), 14);
  EXPECT_EQ(Function<long(int)>(std::negate<int>())(7), -7L);
}

TEST(Function, gives_a_reference_where_it_is_one) {
  std::string held = "a";
  const Function<std::string&()> get = [&]() -> std::string& { return held; };
  get() += "b";
  EXPECT_EQ(held, "ab");
}

TEST(Function, passes_arguments_on_as_they_are) {
  const Function<void(std::string&)> append = [](std::string& text) { text += "!"; };
  std::string text = "a";
  append(text);
  EXPECT_EQ(text, "a!");
  const Function<int(std::unique_ptr<int>)> take = [](std::unique_ptr<int> owned) { return *owned; };
  EXPECT_EQ(take(std::make_unique<int>(5)), 5);
}

TEST(Function, of_nothing_is_false_and_throws_when_it_is_called) {
  int (*no_pointer)(int) = nullptr;
  for (const Function<int(int)>& none :
       {Function<int(int)>(), Function<int(int)>(nullptr), Function<int(int)>(no_pointer),
        Function<int(int)>(std::function<int(int)>())}) {
    EXPECT_FALSE(none);
    EXPECT_TRUE(none == nullptr);
    EXPECT_THROW(none(1), std::bad_function_call);
  }
  const Function<int(int)> one = doubled;
  EXPECT_TRUE(one);
  EXPECT_TRUE(one != nullptr);
}

TEST(Function, keeps_what_it_holds_as_long_as_a_copy_is_left) {
  auto counted = std::make_shared<int>(4);
  const std::weak_ptr<int> alive = counted;
  Function<int()> first = [counted] { return *counted; };
  counted.reset();
  Function<int()> second = first;
  EXPECT_EQ(alive.use_count(), 1);  // a copy shares
  first = nullptr;
  EXPECT_EQ(second(), 4);
  Function<int()> third = std::move(second);
  EXPECT_FALSE(second);
  EXPECT_EQ(third(), 4);
  const Function<int()>& itself = third;
  third = itself;
  EXPECT_EQ(third(), 4);
  third = [] { return 0; };
  EXPECT_TRUE(alive.expired());
}

TEST(Function, holds_what_cannot_be_copied) {
  const Function<int()> owner = [owned = std::make_unique<int>(6)] { return *owned; };
  const Function<int()> copy = owner;
  EXPECT_EQ(copy(), 6);
}

TEST(Function, knows_what_type_it_was_made_of) {
  struct Fixed {
    int operator()() const { return 1; }
  };
  EXPECT_TRUE(Function<int()>(Fixed()).holds<Fixed>());
  EXPECT_FALSE(Function<int()>([] { return 1; }).holds<Fixed>());
  EXPECT_FALSE(Function<int()>().holds<Fixed>());
}

// What changes itself when it is called, and what answers or takes something else, is refused when it is
// compiled.
struct Counter {
  int operator()(int) { return ++count; }
  int count = 0;
};
static_assert(!std::is_constructible_v<Function<int(int)>, Counter>);
static_assert(!std::is_constructible_v<Function<int(int)>, std::string (*)(int)>);
static_assert(!std::is_constructible_v<Function<int(int)>, int (*)(int*)>);
static_assert(std::is_constructible_v<Function<void(int)>, int (*)(int)>);

}  // namespace
}  // namespace posproof::function_test
