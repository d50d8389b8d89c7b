#include "benchmarks/microarchitecture.h"

#include <gtest/gtest.h>

namespace posproof::microarchitecture_test {
namespace {

TEST(Microarchitecture, is_told_by_model_and_stepping) {
  EXPECT_EQ(microarchitecture("GenuineIntel", 6, 143, 8), "Sapphire Rapids");
  EXPECT_EQ(microarchitecture("GenuineIntel", 6, 85, 4), "Skylake");
  EXPECT_EQ(microarchitecture("GenuineIntel", 6, 85, 7), "Cascade Lake");
  EXPECT_EQ(microarchitecture("GenuineIntel", 6, 85, 11), "Cooper Lake");
  EXPECT_EQ(microarchitecture("AuthenticAMD", 25, 17, 1), "Zen 4");
  EXPECT_EQ(microarchitecture("AuthenticAMD", 25, 1, 1), "Zen 3");
}

TEST(Microarchitecture, of_others_is_unknown) {
  EXPECT_EQ(microarchitecture("AuthenticAMD", 6, 143, 8), "unknown");
  EXPECT_EQ(microarchitecture("GenuineIntel", 6, 1, 0), "unknown");
  EXPECT_EQ(microarchitecture("GenuineIntel", 5, 143, 0), "unknown");
  EXPECT_EQ(microarchitecture("GenuineIntel", 6, 85, 9), "unknown");
  EXPECT_EQ(microarchitecture("unknown", -1, -1, -1), "unknown");
}

}  // namespace
}  // namespace posproof::microarchitecture_test
