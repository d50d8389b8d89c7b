#if defined(__x86_64__)
#define POSPROOF_ISA v4
#define POSPROOF_LANES 8
#define POSPROOF_FMA 1
#include "exact/kernel_of.h"

namespace posproof::exact {

const Kernel v4_kernel{
    "v4",         &v4::multiply,  &v4::bound,         &v4::fill,           &v4::count,
    &v4::compare, &v4::intervals, &v4::angles_of_row, &v4::verify_rotated, &v4::compare_rotated};

}  // namespace posproof::exact
#endif
