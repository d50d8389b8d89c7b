#pragma once
// What the kernels compute with, for one instruction set: see kernel_of.h. The sines and cosines of a group
// of lanes at a row, rounded to a format, with a record of the lanes where more than one value is possible.
#include <type_traits>
#include <utility>

#include "exact/bounds.h"
#include "exact/kernel.h"
#include "exact/simd.h"

namespace posproof::exact::POSPROOF_ISA {
namespace {

constexpr bool has_sines(Part part) {
  return part != Part::cosine;
}
constexpr bool has_cosines(Part part) {
  return part != Part::sine;
}
constexpr bool in_pairs(Part part) {
  return part == Part::sine_and_cosine || part == Part::cosine_and_sine;
}

POSPROOF_INLINE DoubleDouble sine_of(const Phasor& phasor, std::size_t lane) {
  return {load<Doubles>(phasor.sine + lane), load<Doubles>(phasor.sine_rest + lane)};
}
POSPROOF_INLINE DoubleDouble cosine_of(const Phasor& phasor, std::size_t lane) {
  return {load<Doubles>(phasor.cosine + lane), load<Doubles>(phasor.cosine_rest + lane)};
}

// Some rows of a block, as one.
POSPROOF_INLINE Block rows_of(Block block, std::size_t begin, std::size_t end) {
  block.begin = begin;
  block.end = end;
  return block;
}

// ---- formats ----

// How a format lies in memory, as one vector, and a mask of lanes that are open (not 0).
template <Format format>
struct In {
  using Stored = Shorts;
  using Open = Words;
};
template <>
struct In<Format::f64> {
  using Stored = Doubles;
  using Open = Longs;
};
template <>
struct In<Format::f32> {
  using Stored = Floats;
  using Open = Words;
};

template <Format format>
using Stored = typename In<format>::Stored;
template <Format format>
using Open = typename In<format>::Open;
template <Format format>
constexpr std::size_t bytes_of = sizeof(Stored<format>) / lanes;

// A number that rounds to the f32 y may be rounded on from y, unless y is half way between two of the
// narrower format: then the number could lie on either side.
template <Format format>
POSPROOF_INLINE Shorts on_from(Floats y, Words& open) {
  const Words b = bits(y);
  if constexpr (format == Format::bf16) {
    open |= (Words)((b & 0xffff) == 0x8000);
    return narrow((b + 0x7fff + ((b >> 16) & 1)) >> 16);
  } else {
    const Words size = b & 0x7fffffff;
    const Words normal = ((size + 0xfff + ((size >> 13) & 1)) >> 13) - (112u << 10);
    // Below 2^-14 the spacing is 2^-24, which is that of the f32 from 0.5 to 1.
    const Floats shifted = (Floats)size + 0.5f;
    const Words subnormal = bits(shifted) - 0x3f000000u;
    const Floats left = (Floats)size - (shifted - 0.5f);
    const Words is_subnormal = (Words)(size < 0x38800000u);
    open |= (is_subnormal & (Words)((bits(left) & 0x7fffffff) == 0x33000000u)) |
            (~is_subnormal & (Words)((size & 0x1fff) == 0x1000));
    const Words finite = (is_subnormal & subnormal) | (~is_subnormal & normal);
    const Words too_large = (Words)(size >= 0x477ff000u);
    return narrow((too_large & 0x7c00) | (~too_large & finite) | ((b >> 16) & 0x8000));
  }
}

// ---- three ways to a value ----

// Where the babies of a group of lanes begin: `n` arrays for each row.
template <std::size_t n>
POSPROOF_INLINE const double* babies(const double* all, std::size_t lane) {
  return all + lane / lanes_together * (rows_per_block * n * lanes_together) + lane % lanes_together;
}

// (3) in bounds.h: plain doubles, for f32 and narrower.
struct Coarse {
  Doubles sine, cosine;  // of the giant
  Doubles sine_error, cosine_error;
  const double* babies;
};
POSPROOF_INLINE Coarse coarse(const Block& block, std::size_t lane) {
  return {load<Doubles>(block.giant->sine + lane), load<Doubles>(block.giant->cosine + lane),
          load<Doubles>(block.errors->sine + lane), load<Doubles>(block.errors->cosine + lane),
          babies<2>(block.coarse_babies, lane)};
}
POSPROOF_INLINE Doubles baby_sine(const Coarse& g, std::size_t row) {
  return load<Doubles>(g.babies + row * 2 * lanes_together);
}
POSPROOF_INLINE Doubles baby_cosine(const Coarse& g, std::size_t row) {
  return load<Doubles>(g.babies + (row * 2 + 1) * lanes_together);
}

// Not more than the sine, and by no more than 2 e less.
POSPROOF_INLINE Doubles sine_less(const Coarse& g, std::size_t row) {
  return fma(g.sine, baby_cosine(g, row), fma(g.cosine, baby_sine(g, row), -g.sine_error));
}
POSPROOF_INLINE Doubles cosine_less(const Coarse& g, std::size_t row) {
  return fma(g.cosine, baby_cosine(g, row), fma(-g.sine, baby_sine(g, row), -g.cosine_error));
}

template <Format format>
POSPROOF_INLINE Stored<format> decided(Doubles less, Doubles e, Words& open) {
  const Floats low = narrow(less), high = narrow(less + (e + e));
  open = with_difference(open, bits(low), bits(high));
  if constexpr (format == Format::f32)
    return low;
  else
    return on_from<format>(low, open);
}

template <Format format>
POSPROOF_INLINE Stored<format> sines(const Coarse& g, const Block&, std::size_t row, std::size_t,
                                     Words& open) {
  return decided<format>(sine_less(g, row), g.sine_error, open);
}
template <Format format>
POSPROOF_INLINE Stored<format> cosines(const Coarse& g, const Block&, std::size_t row, std::size_t,
                                       Words& open) {
  return decided<format>(cosine_less(g, row), g.cosine_error, open);
}

// The double that head + rest and everything within e of it rounds to.
POSPROOF_INLINE Doubles decided(Doubles head, Doubles rest, Doubles e, Longs& open) {
  const Doubles low = head + (rest - e), high = head + (rest + e);
  open = with_difference(open, bits(low), bits(high));
  return low;
}

// (4): double-double, for f64.
struct Whole {
  DoubleDouble sine, cosine;
  Doubles sine_error, cosine_error;
};
POSPROOF_INLINE Whole whole(const Block& block, std::size_t lane) {
  return {sine_of(*block.giant, lane), cosine_of(*block.giant, lane),
          load<Doubles>(block.errors->fine_sine + lane), load<Doubles>(block.errors->fine_cosine + lane)};
}
POSPROOF_INLINE DoubleDouble sine(const Whole& g, const Phasor& baby, std::size_t lane) {
  return sum_of_products(g.sine, cosine_of(baby, lane), g.cosine, sine_of(baby, lane));
}
POSPROOF_INLINE DoubleDouble cosine(const Whole& g, const Phasor& baby, std::size_t lane) {
  return sum_of_products(g.cosine, cosine_of(baby, lane), -g.sine, sine_of(baby, lane));
}

template <Format format>
POSPROOF_INLINE Doubles sines(const Whole& g, const Block& block, std::size_t row, std::size_t lane,
                              Longs& open) {
  const DoubleDouble x = sine(g, block.babies[row], lane);
  return decided(x.head, x.rest, g.sine_error, open);
}
template <Format format>
POSPROOF_INLINE Doubles cosines(const Whole& g, const Block& block, std::size_t row, std::size_t lane,
                                Longs& open) {
  const DoubleDouble x = cosine(g, block.babies[row], lane);
  return decided(x.head, x.rest, g.cosine_error, open);
}

// (5): halves, for f64.
struct Half {
  Doubles high, low;
};
struct Split {
  Half sine, cosine;
  Doubles error;
  const double* babies;
};
POSPROOF_INLINE Half half(DoubleDouble x, double shift) {
  const Doubles high = (x.head + shift) - shift;
  return {high, (x.head - high) + x.rest};
}
POSPROOF_INLINE Split split(const Block& block, std::size_t lane) {
  const Errors& e = *block.errors;
  return {half(sine_of(*block.giant, lane), e.shift), half(cosine_of(*block.giant, lane), e.shift),
          all(e.split), babies<4>(block.split_babies, lane)};
}
POSPROOF_INLINE Half baby_half(const Split& g, std::size_t row, std::size_t which) {
  const double* const at = g.babies + (row * 4 + which) * lanes_together;
  return {load<Doubles>(at), load<Doubles>(at + lanes_together)};
}
POSPROOF_INLINE Half baby_sine(const Split& g, std::size_t row) {
  return baby_half(g, row, 0);
}
POSPROOF_INLINE Half baby_cosine(const Split& g, std::size_t row) {
  return baby_half(g, row, 2);
}
POSPROOF_INLINE Doubles decided(Half a, Half b, Half c, Half d, Doubles e, Longs& open) {
  const Doubles head = fma(a.high, b.high, c.high * d.high);
  const Doubles rest =
      fma(a.low, b.high + b.low, fma(c.low, d.high + d.low, fma(a.high, b.low, c.high * d.low)));
  return decided(head, rest, e, open);
}
template <Format format>
POSPROOF_INLINE Doubles sines(const Split& g, const Block&, std::size_t row, std::size_t, Longs& open) {
  return decided(g.sine, baby_cosine(g, row), g.cosine, baby_sine(g, row), g.error, open);
}
template <Format format>
POSPROOF_INLINE Doubles cosines(const Split& g, const Block&, std::size_t row, std::size_t, Longs& open) {
  const Half minus{-g.sine.high, -g.sine.low};
  return decided(g.cosine, baby_cosine(g, row), minus, baby_sine(g, row), g.error, open);
}

// How f64 is come by is decided for a few groups of lanes at a time.
template <Part part>
POSPROOF_INLINE bool may_split(const Block& block, std::size_t lane, std::size_t count) {
  // What is compared is e of (3): 6.01 u T, next to which (2) is nothing.
  const Errors& e = *block.errors;
  Longs small{};
  for (std::size_t i = 0; i < count; i += lanes) {
    if constexpr (has_sines(part)) small |= load<Doubles>(e.sine + lane + i) < e.small;
    if constexpr (has_cosines(part)) small |= load<Doubles>(e.cosine + lane + i) < e.small;
  }
  return !any(small);
}

template <class Method>
POSPROOF_INLINE Method group(const Block& block, std::size_t lane) {
  if constexpr (std::is_same_v<Method, Coarse>)
    return coarse(block, lane);
  else if constexpr (std::is_same_v<Method, Whole>)
    return whole(block, lane);
  else
    return split(block, lane);
}

template <Format format>
using Surest = std::conditional_t<format == Format::f64, Whole, Coarse>;

// ---- pairs ----

using Up = std::make_index_sequence<lanes>;
template <std::size_t... i>
using Indices = std::index_sequence<i...>;

// a0 b0 a1 b1 ..., first half and second half.
template <class Vector, std::size_t... i>
POSPROOF_INLINE Vector zip_low(Vector a, Vector b, Indices<i...>) {
  return __builtin_shufflevector(a, b, (i % 2 == 0 ? i / 2 : lanes + i / 2)...);
}
template <class Vector, std::size_t... i>
POSPROOF_INLINE Vector zip_high(Vector a, Vector b, Indices<i...>) {
  return __builtin_shufflevector(a, b, (i % 2 == 0 ? lanes / 2 + i / 2 : lanes + lanes / 2 + i / 2)...);
}
// The even and the odd ones of a, then of b.
template <class Vector, std::size_t... i>
POSPROOF_INLINE Vector evens(Vector a, Vector b, Indices<i...>) {
  return __builtin_shufflevector(a, b, (2 * i)...);
}
template <class Vector, std::size_t... i>
POSPROOF_INLINE Vector odds(Vector a, Vector b, Indices<i...>) {
  return __builtin_shufflevector(a, b, (2 * i + 1)...);
}

// How many groups of lanes are done together: up to 128 bytes of a row, two lines, before the next row is
// written.
template <Format format, Part part>
constexpr std::size_t together() {
  constexpr std::size_t fits = 128 / ((in_pairs(part) ? 2 : 1) * sizeof(Stored<format>));
  constexpr std::size_t most = has_sines(part) && has_cosines(part) && format == Format::f64 ? 2
                               : format == Format::f32                                       ? 32 / lanes
                                                                                             : 4;
  return fits > most ? most : fits < 1 ? 1 : fits;
}

}  // namespace
}  // namespace posproof::exact::POSPROOF_ISA
