#pragma once
// Entries of 16 bits written, and compared with values, in single precision, for one instruction set with
// fused operations: see kernel_of.h, and (8) in bounds.h for what is proved.
#include "exact/kernel_entries.h"
#include "exact/simd_singles.h"

namespace posproof::exact::POSPROOF_ISA {
namespace {

// Whether entries of a format are compared this way, where a block has what it takes.
template <Format format>
constexpr bool in_singles = POSPROOF_FMA != 0 && (format == Format::bf16 || format == Format::f16);

#if POSPROOF_FMA

// ---- entries ----

// The bits of an f32 that a format has not.
template <Format format>
constexpr std::uint32_t left_off = format == Format::bf16 ? 0xffff : 0x1fff;

// ---- what one cell stands for, in plain doubles ----

using Four = double __attribute__((vector_size(32)));
using FourBits = std::uint64_t __attribute__((vector_size(32)));

// Four doubles rounded to a format that they are numbers of, and back.
template <Format format>
POSPROOF_INLINE std::uint64_t entries_of(Four values) {
  const __m128 singles = _mm256_cvtpd_ps((__m256d)values);
  const __m128i upper = _mm_srli_epi32((__m128i)singles, 16);
  return static_cast<std::uint64_t>(
      _mm_cvtsi128_si64(format == Format::bf16 ? _mm_packus_epi32(upper, upper)
                                               : _mm_cvtps_ph(singles, _MM_FROUND_TO_NEAREST_INT)));
}
template <Format format>
POSPROOF_INLINE Four values_of(std::uint64_t entries) {
  const __m128i four = _mm_cvtsi64_si128(static_cast<long long>(entries));
  return (Four)_mm256_cvtps_pd(format == Format::bf16 ? (__m128)_mm_unpacklo_epi16(_mm_setzero_si128(), four)
                                                      : _mm_cvtph_ps(four));
}

// Whether the value of a cell's entry `i` of four is a cosine; the first two are of its first lane.
template <Part part>
constexpr bool is_cosine(std::size_t i) {
  return part == Part::cosine || (part != Part::sine && i % 2 == 1);
}
// Bytes from the first entry of a row to that of lane k.
template <Part part>
POSPROOF_INLINE std::ptrdiff_t place_of(std::size_t k, bool cosine, std::ptrdiff_t apart) {
  const auto lane = static_cast<std::ptrdiff_t>(k * sizeof(std::uint16_t));
  if constexpr (in_pairs(part)) return 2 * lane + (cosine == (part == Part::sine_and_cosine) ? 2 : 0);
  return lane + (cosine && part == Part::sine_apart_cosine ? apart : 0);
}

// What all within the bounds of (3) rounds to, the first entry in the lowest bits, if all are sure.
struct CellEntries {
  std::uint64_t entries;
  bool sure;
};
template <Format format, Part part>
POSPROOF_INLINE CellEntries cell_entries(const Block& block, std::size_t row, std::size_t lane) {
  const auto each = [&](auto of) {
    return Four{of(lane, 0), of(lane, 1), of(lane + singles, 2), of(lane + singles, 3)};
  };
  const auto of_baby = [&](std::size_t which) {
    return each([&](std::size_t of_lane, std::size_t) {
      return (babies<2>(block.coarse_babies, of_lane) + (row * 2 + which) * lanes_together)[0];
    });
  };
  const auto one_of = [&](const double* sine, const double* cosine) {
    return each(
        [&](std::size_t of_lane, std::size_t i) { return (is_cosine<part>(i) ? cosine : sine)[of_lane]; });
  };
  const Four s = of_baby(0), c = of_baby(1), e = one_of(block.errors->sine, block.errors->cosine),
             minus = each([](std::size_t, std::size_t i) { return is_cosine<part>(i) ? -1.0 : 1.0; });
  const Phasor& giant = *block.giant;
  const Four low =
                 one_of(giant.sine, giant.cosine) * c + (one_of(giant.cosine, giant.sine) * (minus * s) - e),
             high = low + 2 * e;
  constexpr std::uint64_t left = (std::uint64_t{left_off<format>} + 1) * (std::uint64_t{1} << 29) - 1;
  const FourBits a = ((FourBits)low + (left / 2 + 1)) & ~left, b = ((FourBits)high + (left / 2 + 1)) & ~left;
  const std::uint64_t entries = entries_of<format>((Four)a);
  const FourBits other = (a ^ b) | (a ^ (FourBits)values_of<format>(entries));
  return {entries, _mm256_testz_si256((__m256i)other, (__m256i)other) != 0};
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

POSPROOF_INLINE bool may_narrow(const Block& block, std::size_t lane) {
  return block.single != nullptr && lane % singles == 0;
}

// ---- rows of a strip ----

// Entries in a vector each, or numbers rounded to be some.
template <Format format>
struct Rounded;

template <>
struct Rounded<Format::bf16> {
  Cells bits;  // the upper halves of them

  static POSPROOF_INLINE Rounded of(Singles x) { return {(Cells)x + (left_off<Format::bf16> / 2 + 1)}; }
  POSPROOF_INLINE CellMask any() const { return that_have(bits, ~left_off<Format::bf16>); }
  // Where this is what all of an interval rounds to, and the entry is another number: 0 is never this one.
  POSPROOF_INLINE CellMask is_not(Rounded entry) const { return Rounded{bits ^ entry.bits}.any(); }

  template <bool pairs>
  static POSPROOF_INLINE void load_two(const char* at, Rounded& first, Rounded& second) {
    const Cells both = load<Cells>(at);
    const TwoCells two = pairs ? TwoCells{both << 16, both} : halves_of_bf16(at);
    first.bits = two.first;
    second.bits = two.second;
  }
  static POSPROOF_INLINE Cells joined(Rounded first, Rounded second) {
    return upper_halves(first.bits, second.bits);
  }
};

template <>
struct Rounded<Format::f16> {
  Halves bits;

  static POSPROOF_INLINE Rounded of(Singles x) { return {halves(x)}; }
  POSPROOF_INLINE CellMask any() const { return not_zero(bits); }
  // 0 and -0 are one number.
  POSPROOF_INLINE CellMask is_not(Rounded entry) const {
    return static_cast<CellMask>(not_zero(bits ^ entry.bits) & not_zero((bits | entry.bits) & 0x7fff));
  }

  template <bool pairs>
  static POSPROOF_INLINE void load_two(const char* at, Rounded& first, Rounded& second) {
    if constexpr (pairs) {
      const TwoHalves two = pairs_of_f16(at);
      first.bits = two.first;
      second.bits = two.second;
    } else {
      first.bits = load<Halves>(at);
      second.bits = load<Halves>(at + sizeof(Halves));
    }
  }
  static POSPROOF_INLINE Cells joined(Rounded first, Rounded second) {
    return POSPROOF_ISA::joined(first.bits, second.bits);
  }
};

// What stands in two vectors of a row: the entries of two groups.
template <Format format, Part part>
class NarrowStrip {
  using One = Rounded<format>;

 public:
  static constexpr std::size_t vector = sizeof(Cells);
  Group groups[2];

  POSPROOF_INLINE NarrowStrip(const Block& block, std::size_t lane)
      : groups{singles_of(block, lane), singles_of(block, lane + singles)} {}

  // Of a row, lanes of which either group has an entry that is not surely right.
  POSPROOF_INLINE CellMask not_sure(std::size_t row, const char* at, std::ptrdiff_t apart) const {
    return any_in(row, at, apart, [](std::size_t, One low, One high, One entry) {
      return One{not_same(low.bits, high.bits, entry.bits)};
    });
  }

  // Of a row, lanes of which either group has an entry whose number is not known, and of each vector the
  // entries that are another number than is known.
  static constexpr std::size_t vectors = has_sines(part) && has_cosines(part) ? 4 : 2;
  struct Judged {
    CellMask open, wrong[vectors];
  };
  POSPROOF_INLINE void judge(std::size_t row, const char* at, std::ptrdiff_t apart, Judged& out) const {
    out.open = any_in(row, at, apart, [&out](std::size_t n, One low, One high, One entry) {
      out.wrong[n] = low.is_not(entry);
      return One{low.bits ^ high.bits};
    });
  }

  // The entries of a row, where they are sure, as they stand in memory; cosines that stand apart are the
  // second ones, and sines or cosines alone have no second ones.
  struct Written {
    Cells first, second;
    CellMask not_sure;
  };
  POSPROOF_INLINE Written written(std::size_t row) const {
    One sine[2], cosine[2], open{};
    const auto rounded = [&](const Sum& sum, Singles c, Singles s) {
      const Singles low = sum.low(c, s);
      const One one = One::of(low);
      open.bits |= one.bits ^ One::of(sum.high(low)).bits;
      return one;
    };
    for (std::size_t k = 0; k < 2; ++k) {
      const Group& g = groups[k];
      const Singles s = g.baby_sine(row), c = g.baby_cosine(row);
      if constexpr (has_sines(part)) sine[k] = rounded(g.sine, c, s);
      if constexpr (has_cosines(part)) cosine[k] = rounded(g.cosine, c, s);
    }
    if constexpr (part == Part::sine_and_cosine)
      return {zipped(sine[0].bits, cosine[0].bits), zipped(sine[1].bits, cosine[1].bits), open.any()};
    else if constexpr (part == Part::cosine_and_sine)
      return {zipped(cosine[0].bits, sine[0].bits), zipped(cosine[1].bits, sine[1].bits), open.any()};
    else if constexpr (part == Part::sine_apart_cosine)
      return {One::joined(sine[0], sine[1]), One::joined(cosine[0], cosine[1]), open.any()};
    else if constexpr (part == Part::sine)
      return {One::joined(sine[0], sine[1]), Cells{}, open.any()};
    else
      return {One::joined(cosine[0], cosine[1]), Cells{}, open.any()};
  }

 private:
  // Lanes in which some of the row's vectors, by number, has a bit of what `bits` gives for the two ends of
  // the interval, rounded, and the entry.
  template <class Bits>
  POSPROOF_INLINE CellMask any_in(std::size_t row, const char* at, std::ptrdiff_t apart, Bits bits) const {
    One sine[2], cosine[2], found{};
    if constexpr (in_pairs(part)) {
      for (std::size_t k = 0; k < 2; ++k)
        One::template load_two<true>(at + k * vector, part == Part::sine_and_cosine ? sine[k] : cosine[k],
                                     part == Part::sine_and_cosine ? cosine[k] : sine[k]);
    } else {
      if constexpr (has_sines(part)) One::template load_two<false>(at, sine[0], sine[1]);
      if constexpr (has_cosines(part))
        One::template load_two<false>(part == Part::cosine ? at : at + apart, cosine[0], cosine[1]);
    }
    for (std::size_t k = 0; k < 2; ++k) {
      const Group& g = groups[k];
      const Singles s = g.baby_sine(row), c = g.baby_cosine(row);
      const auto of = [&](const Sum& sum, One entry, std::size_t number) {
        const Singles low = sum.low(c, s);
        return bits(number, One::of(low), One::of(sum.high(low)), entry);
      };
      One of_sine{}, of_cosine{};
      if constexpr (has_sines(part)) of_sine = of(g.sine, sine[k], k);
      if constexpr (has_cosines(part)) of_cosine = of(g.cosine, cosine[k], vectors - 2 + k);
      found.bits = any_of(found.bits, of_sine.bits, of_cosine.bits);
    }
    return found.any();
  }
};

#endif

}  // namespace
}  // namespace posproof::exact::POSPROOF_ISA
