// What a program is taken for that says nothing of what it is.
#include "identify/identified_subject.h"

#include <gtest/gtest.h>

#include <string>

#include "subject/testing/subjects.h"

namespace posproof::identified_subject_test {
namespace {

// One that gives rows, and has no rotation to answer with.
TEST(IdentifiedSubject, is_asked_as_the_next_kind_where_it_does_not_take_part) {
  const Unidentified asked(testing::sdk("processors"), {.dim = 2});
  ASSERT_TRUE(asked.live());
  EXPECT_EQ(asked.taken_for().encoding, "sinusoidal");
  EXPECT_EQ(asked.taken_for().parameters.text(), "dim=2");
}

}  // namespace
}  // namespace posproof::identified_subject_test
