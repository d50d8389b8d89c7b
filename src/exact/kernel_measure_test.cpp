// The kernels' own arithmetic on two entries, where what they are given is chosen to the last bit.
#define POSPROOF_ISA kernel_measure_test
#define POSPROOF_LANES 2
#define POSPROOF_FMA 0
#include "exact/kernel_measure.h"

#include <gtest/gtest.h>

namespace posproof::exact::kernel_measure_test {
namespace {

// The exact value is within e of what `off` was measured from, and half a place of f32 at 1 is 2^-24: farther
// than that by more than e is wrong, nearer by more than e is right, and what is between stays open.
TEST(KernelMeasure, tells_wrong_and_open_apart_to_the_last_bit) {
  const double half = 0x1p-24, e = 0x1p-60, bit = 0x1p-76;
  const struct {
    double off;
    bool wrong, open;
  } cases[] = {{half + e + bit, true, false}, {half + 1.5 * e, true, false}, {half + e, false, true},
               {half, false, true},           {half - e, false, true},       {half - e - bit, false, false}};
  for (const auto& [off, wrong, open] : cases) {
    const EntryError found = measured<Format::f32>(all(off), all(1.0), all(e), Mask{});
    EXPECT_EQ(found.wrong[0] != 0, wrong) << off - half;
    EXPECT_EQ(found.open[1] != 0, open) << off - half;
  }
}

}  // namespace
}  // namespace posproof::exact::kernel_measure_test

#undef POSPROOF_ISA
#undef POSPROOF_LANES
#undef POSPROOF_FMA
