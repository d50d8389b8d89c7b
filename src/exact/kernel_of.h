// The kernels of one instruction set: POSPROOF_ISA (its name), POSPROOF_LANES, POSPROOF_FMA. Included by
// kernel_plain.cpp, kernel_v3.cpp and kernel_v4.cpp, once each.
#include <type_traits>
#include <utility>

#include "exact/kernel_count.h"
#include "exact/kernel_fill.h"
#include "exact/kernel_measure.h"
#include "exact/kernel_rotate.h"

namespace posproof::exact::POSPROOF_ISA {
namespace {

// Calls f with the format and the part as constants.
template <Format format, class F>
POSPROOF_INLINE auto by_part(Part part, F f) {
  switch (part) {
    case Part::sine:
      return f.template operator()<format, Part::sine>();
    case Part::cosine:
      return f.template operator()<format, Part::cosine>();
    case Part::sine_and_cosine:
      return f.template operator()<format, Part::sine_and_cosine>();
    case Part::cosine_and_sine:
      return f.template operator()<format, Part::cosine_and_sine>();
    default:
      return f.template operator()<format, Part::sine_apart_cosine>();
  }
}
template <class F>
POSPROOF_INLINE auto by_format(Format format, Part part, F f) {
  if constexpr (only_f32) {
    return by_part<Format::f32>(part, f);
  } else {
    switch (format) {
      case Format::f64:
        return by_part<Format::f64>(part, f);
      case Format::f32:
        return by_part<Format::f32>(part, f);
      case Format::bf16:
        return by_part<Format::bf16>(part, f);
      default:
        return by_part<Format::f16>(part, f);
    }
  }
}

void multiply(const Phasor& a, const Phasor& b, const Phasor& out, std::size_t width) {
  for (std::size_t lane = 0; lane < width; lane += lanes) {
    const DoubleDouble sa = sine_of(a, lane), ca = cosine_of(a, lane), sb = sine_of(b, lane),
                       cb = cosine_of(b, lane);
    const DoubleDouble s = sum_of_products(sa, cb, ca, sb), c = sum_of_products(ca, cb, -sa, sb);
    store(out.sine + lane, s.head);
    store(out.sine_rest + lane, s.rest);
    store(out.cosine + lane, c.head);
    store(out.cosine_rest + lane, c.rest);
  }
}

void bound(const Phasor& giant, const double* largest_sine, const double* frequency, double farthest,
           double amplitude, Errors& errors, std::size_t width) {
  const Doubles off = all(bounds::giant * amplitude);
  double power = 1;  // of two, at or above the amplitude
  while (power < amplitude * (1 + 0x1p-50)) power *= 2;
  while (power / 2 >= amplitude * (1 + 0x1p-50)) power /= 2;
  errors.shift = 0x1.8p52 * bounds::quantum * power;
  errors.split = bounds::split * power + off[0];
  errors.small = bounds::coarse * bounds::too_small_to_split * amplitude;
  for (std::size_t lane = 0; lane < width; lane += lanes) {
    const Doubles s = abs(load<Doubles>(giant.sine + lane)), c = abs(load<Doubles>(giant.cosine + lane));
    const Doubles most = load<Doubles>(largest_sine + lane),
                  angle = load<Doubles>(frequency + lane) * farthest;
    const Doubles sine_off = off * (angle < 1.0 ? angle : all(1.0));
    const Doubles sine_terms = s + c * most, cosine_terms = c + s * most;
    store(errors.sine + lane, sine_terms * bounds::coarse + sine_off);
    store(errors.cosine + lane, cosine_terms * bounds::coarse + off);
    store(errors.fine_sine + lane, sine_terms * bounds::fine + sine_off);
    store(errors.fine_cosine + lane, cosine_terms * bounds::fine + off);
  }
}

void fill(Format format, const Blocks& blocks, const Columns& columns, void* at, bool streaming,
          const Undecided& undecided) {
  by_format(format, columns.part, [&]<Format one, Part part>() {
    if (streaming)
      fill_run<one, part, true>(blocks, columns, static_cast<char*>(at), undecided);
    else
      fill_run<one, part, false>(blocks, columns, static_cast<char*>(at), undecided);
  });
}

void count(Format format, const Blocks& blocks, const Columns& columns, const void* at, std::uint64_t* wrong,
           const Undecided& undecided, const Undecided& of_twins) {
  by_format(format, columns.part, [&]<Format one, Part part>() {
    count_run<one, part>(blocks, columns, static_cast<const char*>(at), wrong, undecided, of_twins);
  });
}

void compare(Format format, const Block& block, const Columns& columns, const void* at, Found& found,
             const Undecided& undecided) {
  by_format(format, columns.part, [&]<Format one, Part part>() {
    compare_run<one, part>(block, columns, static_cast<const char*>(at), found, undecided);
  });
}

}  // namespace
}  // namespace posproof::exact::POSPROOF_ISA
