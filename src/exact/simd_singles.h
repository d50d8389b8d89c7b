#pragma once
// Vectors of twice as many singles as there are lanes, and of entries in 16 bits beside them, for instruction
// sets with fused operations: see kernel_of.h.
#include "exact/simd.h"

#if POSPROOF_FMA
namespace posproof::exact::POSPROOF_ISA {

constexpr std::size_t singles = 2 * lanes;  // of a vector
using Singles = float __attribute__((vector_size(4 * singles)));
using Cells = std::uint32_t __attribute__((vector_size(4 * singles)));
using Halves = std::uint16_t __attribute__((vector_size(2 * singles)));

// Entries in the upper bits of cells, as if they were f32. What stands below them is no matter.
struct TwoCells {
  Cells first, second;
};

struct TwoHalves {
  Halves first, second;
};

POSPROOF_INLINE Singles abs(Singles x) {
  return (Singles)((Cells)x & 0x7fffffffu);
}

#if POSPROOF_LANES == 8
using CellMask = std::uint16_t;
constexpr CellMask all_cells = 0xffff;
POSPROOF_INLINE Singles fma(Singles a, Singles b, Singles c) {
  return (Singles)_mm512_fmadd_ps((__m512)a, (__m512)b, (__m512)c);
}
POSPROOF_INLINE Singles smaller(Singles a, Singles b) {
  return (Singles)_mm512_maskz_min_ps(all_cells, (__m512)a, (__m512)b);
}
POSPROOF_INLINE Singles narrow(Doubles a, Doubles b) {
  return (Singles)_mm512_insertf32x8(_mm512_castps256_ps512((__m256)narrow(a)), (__m256)narrow(b), 1);
}
// Bits in which three are not the same.
POSPROOF_INLINE Cells not_same(Cells a, Cells b, Cells c) {
  return (Cells)_mm512_ternarylogic_epi32((__m512i)a, (__m512i)b, (__m512i)c, 0x7e);
}
POSPROOF_INLINE Cells any_of(Cells a, Cells b, Cells c) {
  return (Cells)_mm512_ternarylogic_epi32((__m512i)a, (__m512i)b, (__m512i)c, 0xfe);
}
POSPROOF_INLINE CellMask that_have(Cells cells, std::uint32_t bits) {
  return _mm512_test_epi32_mask((__m512i)cells, _mm512_set1_epi32(static_cast<int>(bits)));
}

POSPROOF_INLINE TwoCells halves_of_bf16(const char* at) {
  const __m512i entries = _mm512_loadu_si512(at);
  const __m512i first =
      _mm512_slli_epi32(_mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15), 16);
  const __m512i second = _mm512_add_epi32(first, _mm512_set1_epi32(16 << 16));
  return {(Cells)_mm512_permutexvar_epi16(first, entries), (Cells)_mm512_permutexvar_epi16(second, entries)};
}
POSPROOF_INLINE TwoHalves pairs_of_f16(const char* at) {
  const __m512i entries = _mm512_loadu_si512(at);
  return {(Halves)_mm512_cvtepi32_epi16(entries),
          (Halves)_mm512_cvtepi32_epi16(_mm512_srli_epi32(entries, 16))};
}
POSPROOF_INLINE Halves not_same(Halves a, Halves b, Halves c) {
  return (Halves)_mm256_ternarylogic_epi32((__m256i)a, (__m256i)b, (__m256i)c, 0x7e);
}
POSPROOF_INLINE Halves any_of(Halves a, Halves b, Halves c) {
  return (Halves)_mm256_ternarylogic_epi32((__m256i)a, (__m256i)b, (__m256i)c, 0xfe);
}
POSPROOF_INLINE Cells upper_halves(Cells first, Cells second) {
  const __m512i numbers = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
  const __m512i lower = _mm512_add_epi32(_mm512_slli_epi32(numbers, 2), _mm512_set1_epi32(1));
  const __m512i upper = _mm512_slli_epi32(_mm512_add_epi32(lower, _mm512_set1_epi32(2)), 16);
  return (Cells)_mm512_permutex2var_epi16((__m512i)first, _mm512_or_si512(lower, upper), (__m512i)second);
}
POSPROOF_INLINE Halves halves(Singles x) {
  return (Halves)_mm512_maskz_cvtps_ph(all_cells, (__m512)x, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
}
POSPROOF_INLINE Cells joined(Halves first, Halves second) {
  return (Cells)_mm512_inserti64x4(_mm512_castsi256_si512((__m256i)first), (__m256i)second, 1);
}
POSPROOF_INLINE Cells zipped(Halves even, Halves odd) {
  return (Cells)_mm512_cvtepu16_epi32((__m256i)even) | (Cells)_mm512_cvtepu16_epi32((__m256i)odd) << 16;
}
POSPROOF_INLINE CellMask not_zero(Halves halves) {
  return _mm256_test_epi16_mask((__m256i)halves, (__m256i)halves);
}
#else
POSPROOF_INLINE Singles fma(Singles a, Singles b, Singles c) {
  return (Singles)_mm256_fmadd_ps((__m256)a, (__m256)b, (__m256)c);
}
POSPROOF_INLINE Singles smaller(Singles a, Singles b) {
  return (Singles)_mm256_min_ps((__m256)a, (__m256)b);
}
POSPROOF_INLINE Singles narrow(Doubles a, Doubles b) {
  return (Singles)_mm256_set_m128((__m128)narrow(b), (__m128)narrow(a));
}
POSPROOF_INLINE Cells not_same(Cells a, Cells b, Cells c) {
  return (a ^ c) | (b ^ c);
}
POSPROOF_INLINE Cells any_of(Cells a, Cells b, Cells c) {
  return a | b | c;
}
using CellMask = std::uint8_t;
POSPROOF_INLINE CellMask that_have(Cells cells, std::uint32_t bits) {
  const auto without = (__m256)((cells & bits) == 0);
  return static_cast<CellMask>(~_mm256_movemask_ps(without));
}

POSPROOF_INLINE TwoCells halves_of_bf16(const char* at) {
  const auto half = [at](std::size_t n) {
    return (Cells)_mm256_cvtepu16_epi32(_mm_loadu_si128((const __m128i*)at + n)) << 16;
  };
  return {half(0), half(1)};
}
POSPROOF_INLINE TwoHalves pairs_of_f16(const char* at) {
  const __m256i entries = _mm256_loadu_si256((const __m256i*)at);
  const __m256i apart = _mm256_setr_epi8(0, 1, 4, 5, 8, 9, 12, 13, 2, 3, 6, 7, 10, 11, 14, 15, 0, 1, 4, 5, 8,
                                         9, 12, 13, 2, 3, 6, 7, 10, 11, 14, 15);
  const __m256i sorted = _mm256_permute4x64_epi64(_mm256_shuffle_epi8(entries, apart), 0xd8);
  return {(Halves)_mm256_castsi256_si128(sorted), (Halves)_mm256_extracti128_si256(sorted, 1)};
}
POSPROOF_INLINE Halves not_same(Halves a, Halves b, Halves c) {
  return (a ^ c) | (b ^ c);
}
POSPROOF_INLINE Halves any_of(Halves a, Halves b, Halves c) {
  return a | b | c;
}
POSPROOF_INLINE Cells upper_halves(Cells first, Cells second) {
  const __m256i packed = _mm256_packus_epi32((__m256i)(first >> 16), (__m256i)(second >> 16));
  return (Cells)_mm256_permute4x64_epi64(packed, 0xd8);
}
POSPROOF_INLINE Halves halves(Singles x) {
  return (Halves)_mm256_cvtps_ph((__m256)x, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
}
POSPROOF_INLINE Cells joined(Halves first, Halves second) {
  return (Cells)_mm256_set_m128i((__m128i)second, (__m128i)first);
}
POSPROOF_INLINE Cells zipped(Halves even, Halves odd) {
  return (Cells)_mm256_set_m128i(_mm_unpackhi_epi16((__m128i)even, (__m128i)odd),
                                 _mm_unpacklo_epi16((__m128i)even, (__m128i)odd));
}
POSPROOF_INLINE CellMask not_zero(Halves halves) {
  const auto zero = (__m128i)(halves == 0);
  return static_cast<CellMask>(~_mm_movemask_epi8(_mm_packs_epi16(zero, zero)));
}
#endif

// The upper halves of both, those of `odd` behind those of `even`.
POSPROOF_INLINE Cells zipped(Cells even, Cells odd) {
  return (odd & 0xffff0000u) | even >> 16;
}

}  // namespace posproof::exact::POSPROOF_ISA
#endif
