#pragma once
// Vectors of POSPROOF_LANES doubles, for the kernels of one instruction set, in its own namespace: see
// kernel_of.h.
#include <cstddef>
#include <cstdint>
#ifndef POSPROOF_VBMI2
#define POSPROOF_VBMI2 0
#endif
#if POSPROOF_FMA
#include <immintrin.h>
#endif

#define POSPROOF_INLINE inline __attribute__((always_inline))

namespace posproof::exact::POSPROOF_ISA {

constexpr std::size_t lanes = POSPROOF_LANES;
// VBMI2 serves f32 alone: kernel_v4_vbmi2.cpp takes the loops of the other formats from kernel_v4.cpp.
constexpr bool only_f32 = POSPROOF_VBMI2 != 0;

using Doubles = double __attribute__((vector_size(8 * lanes)));
using Longs = std::int64_t __attribute__((vector_size(8 * lanes)));
using Unsigned = std::uint64_t __attribute__((vector_size(8 * lanes)));
using Floats = float __attribute__((vector_size(4 * lanes)));
using Ints = std::int32_t __attribute__((vector_size(4 * lanes)));
using Words = std::uint32_t __attribute__((vector_size(4 * lanes)));
using Shorts = std::uint16_t __attribute__((vector_size(2 * lanes)));

template <class Vector>
POSPROOF_INLINE Vector load(const void* from) {
  Vector v;
  __builtin_memcpy(&v, from, sizeof v);
  return v;
}

template <class Vector>
POSPROOF_INLINE void store(void* to, Vector v) {
  __builtin_memcpy(to, &v, sizeof v);
}

POSPROOF_INLINE Doubles all(double x) {
  return x - Doubles{};
}

POSPROOF_INLINE Longs bits(Doubles x) {
  return (Longs)x;
}
POSPROOF_INLINE Words bits(Floats x) {
  return (Words)x;
}
POSPROOF_INLINE Doubles abs(Doubles x) {
  return (Doubles)(bits(x) & INT64_MAX);
}

// Conversions. Those that compilers make of halves of the vectors are written out.
POSPROOF_INLINE Floats narrow(Doubles x) {
  return __builtin_convertvector(x, Floats);
}
#if POSPROOF_LANES == 8
POSPROOF_INLINE Doubles wide(Floats x) {
  return (Doubles)_mm512_cvtps_pd((__m256)x);
}
POSPROOF_INLINE Words wide(Shorts x) {
  return (Words)_mm256_cvtepu16_epi32((__m128i)x);
}
POSPROOF_INLINE Shorts narrow(Words x) {
  return (Shorts)_mm256_cvtepi32_epi16((__m256i)x);
}
POSPROOF_INLINE Longs wide(Ints x) {
  return (Longs)_mm512_cvtepi32_epi64((__m256i)x);
}
#else
POSPROOF_INLINE Doubles wide(Floats x) {
  return __builtin_convertvector(x, Doubles);
}
POSPROOF_INLINE Words wide(Shorts x) {
  return __builtin_convertvector(x, Words);
}
POSPROOF_INLINE Shorts narrow(Words x) {
  return __builtin_convertvector(x, Shorts);
}
POSPROOF_INLINE Longs wide(Ints x) {
  return __builtin_convertvector(x, Longs);
}
#endif

#if POSPROOF_FMA
// Exactly, subnormal numbers too. NaN stays NaN.
POSPROOF_INLINE Floats of_f16(Shorts x) {
#if POSPROOF_LANES == 8
  return (Floats)_mm256_cvtph_ps((__m128i)x);
#else
  long long four;
  __builtin_memcpy(&four, &x, sizeof four);
  return (Floats)_mm_cvtph_ps(_mm_cvtsi64_si128(four));
#endif
}
#endif

// open | (a ^ b), where a compiler makes two instructions of it.
#if POSPROOF_LANES == 8
POSPROOF_INLINE Words with_difference(Words open, Words a, Words b) {
  return (Words)_mm256_ternarylogic_epi32((__m256i)open, (__m256i)a, (__m256i)b, 0xf6);
}
POSPROOF_INLINE Longs with_difference(Longs open, Longs a, Longs b) {
  return (Longs)_mm512_ternarylogic_epi64((__m512i)open, (__m512i)a, (__m512i)b, 0xf6);
}
#else
template <class Mask>
POSPROOF_INLINE Mask with_difference(Mask open, Mask a, Mask b) {
  return open | (a ^ b);
}
#endif

// Whether any bit is set.
template <class Vector>
POSPROOF_INLINE bool any(Vector v) {
#if POSPROOF_LANES == 8
  if constexpr (sizeof v == 64) return _mm512_test_epi64_mask((__m512i)v, (__m512i)v) != 0;
#endif
#if POSPROOF_FMA
  if constexpr (sizeof v == 32) return _mm256_testz_si256((__m256i)v, (__m256i)v) == 0;
  if constexpr (sizeof v == 16) return _mm_testz_si128((__m128i)v, (__m128i)v) == 0;
#endif
  std::uint64_t found = 0;
  std::uint64_t words[sizeof v / 8];
  store(words, v);
  for (std::size_t i = 0; i < sizeof v / 8; ++i) found |= words[i];
  return found != 0;
}

#if POSPROOF_FMA && POSPROOF_LANES == 8
POSPROOF_INLINE Doubles fma(Doubles a, Doubles b, Doubles c) {
  return (Doubles)_mm512_fmadd_pd((__m512d)a, (__m512d)b, (__m512d)c);
}
#elif POSPROOF_FMA
POSPROOF_INLINE Doubles fma(Doubles a, Doubles b, Doubles c) {
  return (Doubles)_mm256_fmadd_pd((__m256d)a, (__m256d)b, (__m256d)c);
}
#else
// Not fused: rounded twice. The bounds allow for both (bounds.h).
POSPROOF_INLINE Doubles fma(Doubles a, Doubles b, Doubles c) {
  return a * b + c;
}
#endif

// Past the caches, where `to` is aligned to the vector.
template <class Vector>
POSPROOF_INLINE void stream(void* to, Vector v) {
#if POSPROOF_FMA
  if constexpr (sizeof v == 16) return _mm_stream_si128((__m128i*)to, (__m128i)v);
  if constexpr (sizeof v == 32) return _mm256_stream_si256((__m256i*)to, (__m256i)v);
#if POSPROOF_LANES == 8
  if constexpr (sizeof v == 64) return _mm512_stream_si512((__m512i*)to, (__m512i)v);
#endif
#endif
  store(to, v);
}

// Two vectors that follow each other in memory, in one line where they fill it.
template <class Vector>
POSPROOF_INLINE void stream(void* to, Vector first, Vector second) {
#if POSPROOF_LANES == 8
  if constexpr (sizeof first == 32) {
    const __m512i both = _mm512_inserti64x4(_mm512_castsi256_si512((__m256i)first), (__m256i)second, 1);
    return _mm512_stream_si512((__m512i*)to, both);
  }
#elif POSPROOF_FMA
  if constexpr (sizeof first == 16)
    return _mm256_stream_si256((__m256i*)to, _mm256_set_m128i((__m128i)second, (__m128i)first));
#endif
  stream(to, first);
  stream((char*)to + sizeof first, second);
}

POSPROOF_INLINE void end_of_stream() {
#if POSPROOF_FMA
  _mm_sfence();
#endif
}

// Which lanes: bits where the instruction set has them, else all ones or all zeros.
#if POSPROOF_LANES == 8
using Mask = std::uint8_t;
POSPROOF_INLINE Mask at_most(Doubles a, Doubles b) {
  return _mm512_cmp_pd_mask((__m512d)a, (__m512d)b, _CMP_LE_OQ);
}
// True for NaN.
POSPROOF_INLINE Mask not_at_most(Doubles a, Doubles b) {
  return _mm512_cmp_pd_mask((__m512d)a, (__m512d)b, _CMP_NLE_UQ);
}
POSPROOF_INLINE Mask without(Mask a, Mask b) {
  return static_cast<Mask>(a & ~b);
}
POSPROOF_INLINE Mask either(Mask a, Mask b) {
  return static_cast<Mask>(a | b);
}
POSPROOF_INLINE bool any(Mask m) {
  return m != 0;
}
POSPROOF_INLINE bool has(Mask m, std::size_t lane) {
  return (m >> lane & 1) != 0;
}
POSPROOF_INLINE Longs counted(Longs count, Mask m) {
  return (Longs)_mm512_mask_add_epi64((__m512i)count, m, (__m512i)count, _mm512_set1_epi64(1));
}
POSPROOF_INLINE Longs counted_unequal(Longs count, Doubles a, Doubles b) {
  return counted(count, _mm512_cmp_pd_mask((__m512d)a, (__m512d)b, _CMP_NEQ_UQ));
}
POSPROOF_INLINE Words counted_unequal(Words count, Floats a, Floats b) {
  const Mask m = _mm256_cmp_ps_mask((__m256)a, (__m256)b, _CMP_NEQ_UQ);
  return (Words)_mm256_mask_add_epi32((__m256i)count, m, (__m256i)count, _mm256_set1_epi32(1));
}
POSPROOF_INLINE Doubles larger_where(Mask m, Doubles a, Doubles b) {
  return (Doubles)_mm512_mask_max_pd((__m512d)a, m, (__m512d)a, (__m512d)b);
}
POSPROOF_INLINE Doubles larger(Doubles a, Doubles b) {
  return (Doubles)_mm512_max_pd((__m512d)a, (__m512d)b);
}
#else
using Mask = Longs;
POSPROOF_INLINE Mask at_most(Doubles a, Doubles b) {
  return a <= b;
}
POSPROOF_INLINE Mask not_at_most(Doubles a, Doubles b) {
  return ~(a <= b);
}
POSPROOF_INLINE Mask without(Mask a, Mask b) {
  return a & ~b;
}
POSPROOF_INLINE Mask either(Mask a, Mask b) {
  return a | b;
}
POSPROOF_INLINE bool has(Mask m, std::size_t lane) {
  return m[lane] != 0;
}
POSPROOF_INLINE Longs counted(Longs count, Mask m) {
  return count - m;
}
POSPROOF_INLINE Longs counted_unequal(Longs count, Doubles a, Doubles b) {
  return count - (Longs)(a != b);
}
POSPROOF_INLINE Words counted_unequal(Words count, Floats a, Floats b) {
  return count - (Words)(a != b);
}
POSPROOF_INLINE Doubles larger(Doubles a, Doubles b) {
  return a > b ? a : b;
}
POSPROOF_INLINE Doubles larger_where(Mask m, Doubles a, Doubles b) {
  return larger(a, (Doubles)(bits(b) & m));  // of numbers that are not negative
}
#endif

// The bits of numbers of 16 bits: 0 and -0 are one number.
POSPROOF_INLINE Shorts counted_unequal(Shorts count, Shorts a, Shorts b) {
  return count - (Shorts)((a != b) & (((a | b) & 0x7fff) != 0));
}

// a * b = product + rest, exactly (Dekker 1971; with one fused operation where there is one).
struct Exactly {
  Doubles product, rest;
};
POSPROOF_INLINE Exactly product(Doubles a, Doubles b) {
  const Doubles p = a * b;
#if POSPROOF_FMA
  return {p, fma(a, b, -p)};
#else
  constexpr double splitter = 0x1p27 + 1;  // Veltkamp: 26 bits and 26 bits
  const Doubles ac = a * splitter, bc = b * splitter;
  const Doubles ah = ac - (ac - a), bh = bc - (bc - b);
  const Doubles al = a - ah, bl = b - bh;
  return {p, ((ah * bh - p) + ah * bl + al * bh) + al * bl};
#endif
}

// A number as the unevaluated sum of two doubles.
struct DoubleDouble {
  Doubles head, rest;
};

// a b + c d. The error bound is derived in bounds.h, (1).
POSPROOF_INLINE DoubleDouble sum_of_products(DoubleDouble a, DoubleDouble b, DoubleDouble c, DoubleDouble d) {
  const Exactly ab = product(a.head, b.head), cd = product(c.head, d.head);
  const Doubles sum = ab.product + cd.product;  // Knuth's two-sum: sum + lost is exact
  const Doubles back = sum - ab.product;
  const Doubles lost = (ab.product - (sum - back)) + (cd.product - back);
  const Doubles from_ab = fma(a.head, b.rest, fma(a.rest, b.head, ab.rest));
  const Doubles from_cd = fma(c.head, d.rest, fma(c.rest, d.head, cd.rest));
  const Doubles rest = (from_ab + from_cd) + lost;
  const Doubles head = sum + rest;
  return {head, rest - (head - sum)};
}

POSPROOF_INLINE DoubleDouble operator-(DoubleDouble a) {
  return {-a.head, -a.rest};
}

}  // namespace posproof::exact::POSPROOF_ISA
