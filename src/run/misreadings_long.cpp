// Every misreading of a formula is refuted at its setting, and named in these words alone.
#include <gtest/gtest.h>

#include "run/testing/misread.h"

namespace posproof {
namespace {

TEST(Misread, each_is_named) {
  for (const auto& [id, family] : catalogue::misreadings())
    for (const Misreading& one : family->misreadings) testing::expect_named(std::string(id), one);
}

}  // namespace
}  // namespace posproof
