#if defined(__x86_64__)
#define POSPROOF_ISA v4_vbmi2
#define POSPROOF_LANES 8
#define POSPROOF_FMA 1
#define POSPROOF_VBMI2 1
#include "exact/kernel_of.h"

namespace posproof::exact {
namespace {

template <auto own, auto of_kernel>
constexpr auto f32_or = [](Format format, auto... rest) {
  return format == Format::f32 ? own(format, rest...) : (v4_kernel.*of_kernel)(format, rest...);
};

}  // namespace

const Kernel v4_vbmi2_kernel{"v4_vbmi2",
                             &v4_vbmi2::multiply,
                             &v4_vbmi2::bound,
                             f32_or<&v4_vbmi2::fill, &Kernel::fill>,
                             f32_or<&v4_vbmi2::count, &Kernel::count>,
                             f32_or<&v4_vbmi2::compare, &Kernel::compare>,
                             &v4_vbmi2::intervals,
                             &v4_vbmi2::angles_of_row,
                             f32_or<&v4_vbmi2::verify_rotated, &Kernel::verify_rotated>,
                             f32_or<&v4_vbmi2::compare_rotated, &Kernel::compare_rotated>};

}  // namespace posproof::exact
#endif
