#if defined(__x86_64__)
#define POSPROOF_ISA v3
#define POSPROOF_LANES 4
#define POSPROOF_FMA 1
#include "exact/kernel_of.h"

namespace posproof::exact {

const Kernel v3_kernel{
    "v3",         &v3::multiply,  &v3::bound,         &v3::fill,           &v3::count,
    &v3::compare, &v3::intervals, &v3::angles_of_row, &v3::verify_rotated, &v3::compare_rotated};

}  // namespace posproof::exact
#endif
