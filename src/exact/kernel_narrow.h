#pragma once
// Entries of 16 bits compared with values in single precision, for one instruction set with fused operations:
// see kernel_of.h, and (8) in bounds.h for what is proved.
#include "exact/kernel_entries.h"
#include "exact/simd_singles.h"

namespace posproof::exact::POSPROOF_ISA {
namespace {

// Whether entries of a format are compared this way, where a block has what it takes.
template <Format format>
constexpr bool in_singles = POSPROOF_FMA != 0 && (format == Format::bf16 || format == Format::f16);

#if POSPROOF_FMA

// ---- entries ----

// Of a vector of entries: its first half and its second; in pairs, the even ones and the odd ones.
template <Format format, bool pairs>
POSPROOF_INLINE TwoCells cells(const char* at) {
  if constexpr (format == Format::f16) {
    return pairs ? pairs_of_f16(at) : halves_of_f16(at);
  } else if constexpr (pairs) {
    const Cells both = load<Cells>(at);
    return {both << 16, both};
  } else {
    return halves_of_bf16(at);
  }
}

// The bits of an f32 that a format has not.
template <Format format>
constexpr std::uint32_t left_off = format == Format::bf16 ? 0xffff : 0x1fff;

// Not 0 where not all from low to high rounds to the entry, one in plain doubles.
template <Format format>
POSPROOF_INLINE std::uint64_t differences(double low, double high, double entry) {
  constexpr std::uint64_t left = (std::uint64_t{left_off<format>} + 1) * (std::uint64_t{1} << 29) - 1;
  const auto bits_of = [](double x) {
    std::uint64_t bits;
    __builtin_memcpy(&bits, &x, sizeof bits);
    return bits;
  };
  const std::uint64_t half = left / 2 + 1, there = bits_of(entry);
  return (((bits_of(low) + half) ^ there) | ((bits_of(high) + half) ^ there)) & ~left;
}
template <Format format>
POSPROOF_INLINE double entry(const char* at) {
  std::uint16_t bits;
  __builtin_memcpy(&bits, at, sizeof bits);
  const __m128i one = _mm_cvtsi32_si128(format == Format::bf16 ? bits << 16 : bits);
  return static_cast<double>(_mm_cvtss_f32(format == Format::bf16 ? (__m128)one : _mm_cvtph_ps(one)));
}

// ---- values ----

// (8): a c + b s, for c and s of a row of the babies, is more than low, and less than low + `width`.
struct Sum {
  Singles a, b, less, width;

  POSPROOF_INLINE Singles low(Singles c, Singles s) const { return fma(a, c, fma(b, s, less)); }
  POSPROOF_INLINE Singles high(Singles low) const { return low + width; }
};
POSPROOF_INLINE Sum sum(Singles a, Singles b, Singles most, float power) {
  const Singles whole = power - Singles{}, half = 0.5f * whole, of_a = abs(a), of_b = abs(b);
  const Singles inner = of_b * most;
  const Singles heads =
      smaller(of_a, half) + 0.5f * of_a + most * smaller(of_b, half) + of_b * smaller(most, 0.5f - Singles{});
  const Singles of_inner = inner > bounds::below_power * whole ? whole : smaller(inner, half);
  const Singles outer = bounds::single * smaller(of_a + inner, half);
  const Singles e = bounds::single * (heads + of_inner) + outer + bounds::least_single * whole;
  return {a, b, -e, 2 * (e + outer)};
}

// `singles` lanes of a block.
struct Group {
  Sum sine, cosine;
  const float* babies;

  POSPROOF_INLINE Singles baby_sine(std::size_t row) const {
    return load<Singles>(babies + row * 2 * singles_together);
  }
  POSPROOF_INLINE Singles baby_cosine(std::size_t row) const {
    return load<Singles>(babies + (row * 2 + 1) * singles_together);
  }
};
POSPROOF_INLINE Group singles_of(const Block& block, std::size_t lane) {
  const auto both = [lane](const double* at) {
    return narrow(load<Doubles>(at + lane), load<Doubles>(at + lane + lanes));
  };
  const InSingle& single = *block.single;
  const Singles sine = both(block.giant->sine), cosine = both(block.giant->cosine),
                most = load<Singles>(single.largest_sine + lane);
  constexpr std::size_t few = singles_together;
  return {sum(sine, cosine, most, single.power), sum(cosine, -sine, most, single.power),
          single.babies + lane / few * (rows_per_block * 2 * few) + lane % few};
}

void intervals(const Block& block, std::size_t row, const Intervals& out, std::size_t width) {
  for (std::size_t lane = 0; lane < width; lane += singles) {
    const Group g = singles_of(block, lane);
    const Singles s = g.baby_sine(row), c = g.baby_cosine(row);
    const Singles low_sine = g.sine.low(c, s), low_cosine = g.cosine.low(c, s);
    store(out.low_sine + lane, low_sine);
    store(out.high_sine + lane, g.sine.high(low_sine));
    store(out.low_cosine + lane, low_cosine);
    store(out.high_cosine + lane, g.cosine.high(low_cosine));
  }
}

// ---- rows of a strip ----

// What stands in two vectors of a row: the entries of two groups.
template <Format format, Part part>
struct NarrowStrip {
  static constexpr std::size_t vector = sizeof(Cells);
  Group groups[2];

  POSPROOF_INLINE NarrowStrip(const Block& block, std::size_t lane)
      : groups{singles_of(block, lane), singles_of(block, lane + singles)} {}

  // A lane of either group has an entry that is not surely right.
  POSPROOF_INLINE CellMask not_sure(std::size_t row, const char* at, std::ptrdiff_t apart) const {
    const Row stored = entries(at, apart);
    Cells open{};
    for (std::size_t k = 0; k < 2; ++k) {
      const Group& g = groups[k];
      const Singles s = g.baby_sine(row), c = g.baby_cosine(row);
      Cells of_sine{}, of_cosine{};
      if constexpr (has_sines(part)) of_sine = differences(g.sine, c, s, stored.sine[k]);
      if constexpr (has_cosines(part)) of_cosine = differences(g.cosine, c, s, stored.cosine[k]);
      open = any_of(open, of_sine, of_cosine);
    }
    return with_bits(open, ~left_off<format>);
  }

 private:
  struct Row {
    Cells sine[2], cosine[2];
  };
  static POSPROOF_INLINE Row entries(const char* at, std::ptrdiff_t apart) {
    Row out;
    if constexpr (in_pairs(part)) {
      for (std::size_t k = 0; k < 2; ++k) {
        const TwoCells two = cells<format, true>(at + k * vector);
        out.sine[k] = part == Part::sine_and_cosine ? two.first : two.second;
        out.cosine[k] = part == Part::sine_and_cosine ? two.second : two.first;
      }
      return out;
    }
    const auto halves = [](Cells* to, const TwoCells& two) {
      to[0] = two.first;
      to[1] = two.second;
    };
    if constexpr (has_sines(part)) halves(out.sine, cells<format, false>(at));
    if constexpr (has_cosines(part))
      halves(out.cosine, cells<format, false>(part == Part::cosine ? at : at + apart));
    return out;
  }
  // Bits that are not 0 where not all in the interval rounds to the entry.
  static POSPROOF_INLINE Cells differences(const Sum& sum, Singles c, Singles s, Cells entry) {
    constexpr std::uint32_t half = left_off<format> / 2 + 1;
    const Singles low = sum.low(c, s);
    return not_same((Cells)low + half, (Cells)sum.high(low) + half, entry);
  }
};

#endif

}  // namespace
}  // namespace posproof::exact::POSPROOF_ISA
