#if defined(__x86_64__)
#define POSPROOF_ISA v4_vbmi2
#define POSPROOF_LANES 8
#define POSPROOF_FMA 1
#define POSPROOF_VBMI2 1
#include "exact/kernel_of.h"

namespace posproof::exact {

const Kernel v4_vbmi2_kernel{"v4_vbmi2",
                             &v4_vbmi2::multiply,
                             &v4_vbmi2::bound,
                             &v4_vbmi2::fill,
                             &v4_vbmi2::count,
                             &v4_vbmi2::compare,
                             &v4_vbmi2::intervals,
                             &v4_vbmi2::angles_of_row,
                             &v4_vbmi2::verify_rotated,
                             &v4_vbmi2::compare_rotated};

}  // namespace posproof::exact
#endif
