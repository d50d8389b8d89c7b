#pragma once
// Two vectors of doubles rounded to one of f32 by their bits, for processors that shift two words as one
// (AVX512_VBMI2): see kernel_of.h, and (7) in bounds.h for what is proved.
#include "exact/kernel_values.h"

namespace posproof::exact::POSPROOF_ISA {
namespace {

// Whether a strip of so many groups can be done this way: sines beside sines need an even number.
template <Format format, Part part, std::size_t groups>
constexpr bool joins = POSPROOF_VBMI2 != 0 && format == Format::f32 && (in_pairs(part) || groups % 2 == 0);

#if POSPROOF_VBMI2

using Sixteen = __m512i;  // 32-bit words
using Sure = __mmask16;   // of which words
constexpr Sure all_sure = 0xffff;

// Which words of two vectors of doubles are the low halves and which the high ones, in the order in which
// their values stand in memory: one vector after the other, or by rotations.
struct Permutation {
  Sixteen low, high;
};
template <bool by_rotation>
POSPROOF_INLINE Permutation order() {
  const Sixteen low = by_rotation
                          ? _mm512_setr_epi32(0, 16, 2, 18, 4, 20, 6, 22, 8, 24, 10, 26, 12, 28, 14, 30)
                          : _mm512_setr_epi32(0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30);
  return {low, _mm512_add_epi32(low, _mm512_set1_epi32(1))};
}

// From the halves of sixteen doubles, scaled by as_f32, the bits of the f32s, without the sign.
POSPROOF_INLINE Sixteen size_of(Sixteen high, Sixteen low) {
  return _mm512_shldi_epi32(high, low, 3);
}

// What one strip needs in registers.
template <bool by_rotation>
struct Joining {
  Permutation order = POSPROOF_ISA::order<by_rotation>();
  Longs half = bounds::half_of_f32 + bounds::rounding_margin - Longs{};
  Sixteen field = _mm512_set1_epi32(static_cast<int>(2 * bounds::half_of_f32 - 2 * bounds::rounding_margin));
  Sixteen sign = _mm512_set1_epi32(INT32_MIN);

  POSPROOF_INLINE Sixteen joined(Sixteen which, Longs a, Longs b) const {
    return _mm512_permutex2var_epi32((__m512i)a, which, (__m512i)b);
  }

  // How large numbers have to be that are off by so much: W in (7), of the errors scaled.
  POSPROOF_INLINE Sixteen least(Doubles a, Doubles b) const {
    const Longs p = bits(a * bounds::surely_rounded), q = bits(b * bounds::surely_rounded);
    return size_of(joined(order.high, p, q), joined(order.low, p, q));
  }

  // a and b, scaled, rounded to f32; what may be wrong is taken from `sure`.
  POSPROOF_INLINE Sixteen rounded(Doubles a, Doubles b, Sixteen at_least, Sure& sure) const {
    const Longs up = bits(a) + half, vp = bits(b) + half;
    const Sixteen low = joined(order.low, up, vp), high = joined(order.high, up, vp);
    const Sixteen size = size_of(high, low);
    sure = _mm512_mask_test_epi32_mask(sure, low, field);
    sure = _mm512_mask_cmpge_epi32_mask(sure, size, at_least);
    return _mm512_ternarylogic_epi32(sign, high, size, 0xca);  // the sign of `high`, the rest of `size`
  }
};

template <Part part, std::size_t groups>
struct JoinedStrip {
  static constexpr bool apart = part == Part::sine_apart_cosine;
  static constexpr std::size_t cells = in_pairs(part) ? groups : groups / 2;  // of sixteen entries
  Joining<in_pairs(part)> joining;
  Doubles sine[groups], cosine[groups];  // of the giant, scaled
  const double* babies;
  Sixteen least[cells], least_cosine[cells];

  POSPROOF_INLINE JoinedStrip(const Block& block, std::size_t lane)
      : babies(POSPROOF_ISA::babies<2>(block.coarse_babies, lane)) {
    Doubles e[groups], cosine_e[groups];
#pragma GCC unroll 16
    for (std::size_t k = 0; k < groups; ++k) {
      const Coarse g = coarse(block, lane + k * lanes);
      sine[k] = g.sine * bounds::as_f32;
      cosine[k] = g.cosine * bounds::as_f32;
      e[k] = (part == Part::cosine ? g.cosine_error : g.sine_error) * bounds::as_f32;
      cosine_e[k] = g.cosine_error * bounds::as_f32;
    }
#pragma GCC unroll 16
    for (std::size_t n = 0; n < cells; ++n) {
      if constexpr (part == Part::sine_and_cosine)
        least[n] = joining.least(e[n], cosine_e[n]);
      else if constexpr (part == Part::cosine_and_sine)
        least[n] = joining.least(cosine_e[n], e[n]);
      else
        least[n] = joining.least(e[2 * n], e[2 * n + 1]);
      if constexpr (apart) least_cosine[n] = joining.least(cosine_e[2 * n], cosine_e[2 * n + 1]);
    }
  }

  POSPROOF_INLINE const double* baby(std::size_t k, std::size_t row) const {
    static_assert(lanes == lanes_together);
    return babies + (k * rows_per_block + row) * 2 * lanes_together;
  }
  POSPROOF_INLINE Doubles sine_at(std::size_t k, std::size_t row) const {
    const double* const b = baby(k, row);
    return fma(sine[k], load<Doubles>(b + lanes_together), cosine[k] * load<Doubles>(b));
  }
  POSPROOF_INLINE Doubles cosine_at(std::size_t k, std::size_t row) const {
    const double* const b = baby(k, row);
    return (Doubles)_mm512_fmsub_pd((__m512d)cosine[k], (__m512d)load<Doubles>(b + lanes_together),
                                    (__m512d)(sine[k] * load<Doubles>(b)));
  }

  // The entries of a row, in the order in which they stand in memory; cosines that stand apart are the second
  // ones.
  struct Row {
    Sixteen first[cells], second[cells];
    bool sure;
  };
  POSPROOF_INLINE Row at(std::size_t row) const {
    Row out;
    Sure sure = all_sure;
#pragma GCC unroll 16
    for (std::size_t n = 0; n < cells; ++n) {
      out.first[n] = first(n, row, sure);
      if constexpr (apart) out.second[n] = second(n, row, sure);
    }
    out.sure = sure == all_sure;
    return out;
  }

 private:
  // Sixteen of them.
  POSPROOF_INLINE Sixteen first(std::size_t n, std::size_t row, Sure& sure) const {
    if constexpr (part == Part::sine_and_cosine)
      return joining.rounded(sine_at(n, row), cosine_at(n, row), least[n], sure);
    else if constexpr (part == Part::cosine_and_sine)
      return joining.rounded(cosine_at(n, row), sine_at(n, row), least[n], sure);
    else if constexpr (part == Part::cosine)
      return joining.rounded(cosine_at(2 * n, row), cosine_at(2 * n + 1, row), least[n], sure);
    else
      return joining.rounded(sine_at(2 * n, row), sine_at(2 * n + 1, row), least[n], sure);
  }
  POSPROOF_INLINE Sixteen second(std::size_t n, std::size_t row, Sure& sure) const {
    return joining.rounded(cosine_at(2 * n, row), cosine_at(2 * n + 1, row), least_cosine[n], sure);
  }
};

// Whether the errors of these lanes are of the size that (7) asks for.
template <Part part>
POSPROOF_INLINE bool may_join(const Block& block, std::size_t lane, std::size_t count) {
  constexpr double least = bounds::least_f32 / bounds::surely_rounded * (1 + 0x1p-50);
  Longs small{};
  for (std::size_t i = lane; i < lane + count; i += lanes) {
    if constexpr (has_sines(part)) small |= load<Doubles>(block.errors->sine + i) < least;
    if constexpr (has_cosines(part)) small |= load<Doubles>(block.errors->cosine + i) < least;
  }
  return !any(small);
}

// Which of the entries of a block's strip are not the stored ones: a bit an entry, written row after row and
// counted at the end.
template <std::size_t vectors>
struct Bits {
  alignas(64) Sure rows[rows_per_block][vectors];

  POSPROOF_INLINE std::uint64_t count(std::size_t begin, std::size_t end) const {
    constexpr std::size_t size = vectors * sizeof(Sure) < 8 ? vectors * sizeof(Sure) : 8;
    std::uint64_t sum = 0;
    const char* const from = (const char*)rows[begin];
    const std::size_t bytes = (end - begin) * vectors * sizeof(Sure);
    for (std::size_t i = 0; i < bytes; i += size) {
      std::uint64_t word = 0;
      __builtin_memcpy(&word, from + i, size);
      sum += static_cast<unsigned>(__builtin_popcountll(word));
    }
    return sum;
  }
};

#endif

}  // namespace
}  // namespace posproof::exact::POSPROOF_ISA
