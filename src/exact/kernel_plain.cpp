#define POSPROOF_ISA plain
#define POSPROOF_LANES 2
#define POSPROOF_FMA 0
#include "exact/kernel_of.h"

namespace posproof::exact {

const Kernel plain_kernel{"plain",
                          &plain::multiply,
                          &plain::bound,
                          &plain::fill,
                          &plain::count,
                          &plain::compare,
                          nullptr,
                          &plain::angles_of_row,
                          &plain::verify_rotated,
                          &plain::compare_rotated};

}  // namespace posproof::exact
