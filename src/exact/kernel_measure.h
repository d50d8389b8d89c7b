#pragma once
// How far off entries are, for one instruction set: see kernel_of.h.
#include "exact/kernel_entries.h"
#include "exact/kernel_joined.h"

namespace posproof::exact::POSPROOF_ISA {
namespace {

// 2^e for an exact value of exponent e, or the smallest such power whose last place still falls (subnormals);
// for f64 down to 2^-960 only: whatever is smaller than `smallest_measured` stays open.
constexpr double smallest_measured = 0x1p-950;
template <Format format>
POSPROOF_INLINE Doubles power_below(Doubles x) {
  constexpr double least = format == Format::f64 ? 0x1p-960 : format == Format::f16 ? 0x1p-14 : 0x1p-126;
  return larger((Doubles)(bits(x) & (std::int64_t{0x7ff} << 52)), all(least));
}
template <Format format>
constexpr double half_a_place = format == Format::f64    ? 0x1p-53
                                : format == Format::f32  ? 0x1p-24
                                : format == Format::bf16 ? 0x1p-8
                                                         : 0x1p-11;

// What is known of one group of entries. NaN is farther off than anything.
struct EntryError {
  Doubles farthest;  // |entry - exact|
  Doubles power;     // of the exact value
  Mask wrong, open;
};

// `power` is that of the exact value, which is within e of what `off` was measured from. An entry is wrong
// where it is farther than half a place by more than e: what is nearer than that, by more than e, is right.
template <Format format>
POSPROOF_INLINE EntryError measured(Doubles off, Doubles power, Doubles e, Mask open) {
  const Doubles beyond = fma(-power, all(half_a_place<format>), off);  // the product is exact, fused or not
  return {off, power, without(not_at_most(beyond, e), open), either(open, at_most(abs(beyond), e))};
}

// The head of a number, or the double next to it nearer to 0 where the number is nearer to 0 than its head:
// what has the number's own exponent.
POSPROOF_INLINE Doubles within(DoubleDouble x) {
  return (Doubles)((Unsigned)bits(x.head) + (Unsigned)((bits(x.head) ^ bits(x.rest)) >> 63));
}

// A value in the middle of what the bound allows.
template <Format format>
POSPROOF_INLINE EntryError measured(const Coarse&, Doubles less, Doubles e, Doubles v) {
  const Doubles x = less + e;
  return measured<format>(abs(v - x), power_below<format>(x), e, Mask{});
}
template <Format format>
POSPROOF_INLINE EntryError measured(const Whole&, DoubleDouble x, Doubles e, Doubles v) {
  return measured<format>(abs((v - x.head) - x.rest), power_below<format>(within(x)), e,
                          at_most(abs(x.head), all(smallest_measured)));
}
template <Format format>
POSPROOF_INLINE EntryError measured_sine(const Coarse& g, const Block&, std::size_t row, std::size_t,
                                         Doubles v) {
  return measured<format>(g, sine_less(g, row), g.sine_error, v);
}
template <Format format>
POSPROOF_INLINE EntryError measured_cosine(const Coarse& g, const Block&, std::size_t row, std::size_t,
                                           Doubles v) {
  return measured<format>(g, cosine_less(g, row), g.cosine_error, v);
}
template <Format format>
POSPROOF_INLINE EntryError measured_sine(const Whole& g, const Block& block, std::size_t row,
                                         std::size_t lane, Doubles v) {
  return measured<format>(g, sine(g, block.babies[row], lane), g.sine_error, v);
}
template <Format format>
POSPROOF_INLINE EntryError measured_cosine(const Whole& g, const Block& block, std::size_t row,
                                           std::size_t lane, Doubles v) {
  return measured<format>(g, cosine(g, block.babies[row], lane), g.cosine_error, v);
}

// Sums and maxima of one group of lanes over the rows.
template <Format format>
struct Tally {
  Doubles farthest{}, ulp{};
  Doubles poison{};  // 0 as long as all are finite
  Longs wrong{};
  Mask open{};

  POSPROOF_INLINE void add(const EntryError& m) {
    constexpr std::int64_t sum = std::int64_t{1023 + 1022} << 52;  // 1 / (2 power), by its bits
    const Doubles ulp_of_one = (Doubles)(sum - bits(m.power));
    farthest = larger(m.farthest, farthest);
    ulp = larger_where(m.wrong, ulp, m.farthest * ulp_of_one);
    poison = fma(m.farthest, Doubles{}, poison);
    wrong = counted(wrong, m.wrong);
    open = either(open, m.open);
  }

  // Of `count` lanes; what stands there may be larger.
  POSPROOF_INLINE void to(double* all_farthest, double* all_ulp, std::uint64_t& all_wrong,
                          std::size_t count) const {
    for (std::size_t i = 0; i < count; ++i) {
      const bool finite = poison[i] == 0;
      const double far = finite ? farthest[i] : __builtin_huge_val();
      const double places = finite ? ulp[i] / half_a_place<format> : __builtin_huge_val();
      if (far > all_farthest[i]) all_farthest[i] = far;
      if (places > all_ulp[i]) all_ulp[i] = places;
      all_wrong += static_cast<std::uint64_t>(wrong[i]);
    }
  }
};

// The columns hold a whole group of lanes, of which the first `count` are compared.
template <Format format, Part part>
__attribute__((noinline)) void compare_group(const Block& block, const Columns& columns, std::size_t lane,
                                             std::size_t count, const char* at, Ahead ahead, Found& found,
                                             const Undecided& undecided) {
  constexpr std::size_t one = (part == Part::sine || part == Part::cosine ? 1 : 2) * sizeof(Stored<format>);
  const auto g = group<Surest<format>>(block, lane);
  Tally<format> sine_tally{}, cosine_tally{};
  const char* from = at;
  for (std::size_t row = block.begin; row < block.end; ++row, from += columns.stride) {
    ahead.prefetch<one, format != Format::f64>();
    const auto stored = entries<format, part, true>(from, columns.apart, lanes);
    if constexpr (has_sines(part))
      sine_tally.add(measured_sine<format>(g, block, row, lane, value<format>(stored.sine)));
    if constexpr (has_cosines(part))
      cosine_tally.add(measured_cosine<format>(g, block, row, lane, value<format>(stored.cosine)));
  }
  if constexpr (has_sines(part))
    sine_tally.to(found.farthest_sine + lane, found.ulp_sine + lane, found.wrong, count);
  if constexpr (has_cosines(part))
    cosine_tally.to(found.farthest_cosine + lane, found.ulp_cosine + lane, found.wrong, count);
  if (!any(either(sine_tally.open, cosine_tally.open))) return;
  bool open = false;  // without the lanes that are not compared
  for (std::size_t i = 0; i < count; ++i) open |= has(either(sine_tally.open, cosine_tally.open), i);
  if (!open) return;
  from = at;
  for (std::size_t row = block.begin; row < block.end; ++row, from += columns.stride) {
    const auto stored = entries<format, part, true>(from, columns.apart, lanes);
    Mask sine_open{}, cosine_open{};
    if constexpr (has_sines(part))
      sine_open = measured_sine<format>(g, block, row, lane, value<format>(stored.sine)).open;
    if constexpr (has_cosines(part))
      cosine_open = measured_cosine<format>(g, block, row, lane, value<format>(stored.cosine)).open;
    if (!any(either(sine_open, cosine_open))) continue;
    for (std::size_t i = 0; i < count; ++i) {
      if (has(sine_open, i)) undecided.tell(undecided.who, row, lane + i, false);
      if (has(cosine_open, i)) undecided.tell(undecided.who, row, lane + i, true);
    }
  }
}

#if POSPROOF_VBMI2

// Maxima of one group of lanes over the rows, of values scaled by as_f32, all finite.
struct ScaledTally {
  Doubles farthest{}, ulp{};  // scaled; in halves of the power of two of the value

  POSPROOF_INLINE void add(Doubles value, Doubles difference) {
    constexpr std::int64_t exponent = std::int64_t{0x7ff} << 52;
    const Doubles of_half = (Doubles)(~bits(value) & exponent);  // 2 / power, by its bits
    farthest = larger_size(difference, farthest);
    ulp = larger_size(difference * of_half, ulp);
  }

  POSPROOF_INLINE void to(double* all_farthest, double* all_ulp) const {
    store(all_farthest, larger(farthest * (1 / bounds::as_f32), load<Doubles>(all_farthest)));
    store(all_ulp, larger(ulp * 0x1p22, load<Doubles>(all_ulp)));
  }

 private:
  static POSPROOF_INLINE Doubles larger_size(Doubles a, Doubles b) {
    constexpr int of_sizes_without_sign = 0xb;
    return (Doubles)_mm512_range_pd((__m512d)a, (__m512d)b, of_sizes_without_sign);
  }
};

// Eight f32 less the values, scaled.
POSPROOF_INLINE Doubles less(const char* stored, Doubles value) {
  return (Doubles)_mm512_fmsub_pd((__m512d)wide(load<Floats>(stored)), _mm512_set1_pd(bounds::as_f32),
                                  (__m512d)value);
}

// The first and the second of eight pairs of f32, scaled: a double has the same sign and, scaled, the same
// exponent. All bits of a double but those between its sign and the exponent of an f32, and those behind what
// an f32 has, come from the f32.
struct Pairs {
  Doubles first, second;
};
POSPROOF_INLINE Pairs pairs(Sixteen stored) {
  constexpr std::int64_t size = std::int64_t{0x7fffffff} << 29;
  const Longs second = (Longs)stored, first = second << 32;
  const auto scaled = [](Longs high) {
    return (Doubles)(((Longs)((Unsigned)high >> 3) & size) | (high & INT64_MIN));
  };
  return {scaled(first), scaled(second)};
}

// The rows `begin` .. `end` - 1 of a strip, a group of lanes after the other.
template <Part part, std::size_t groups>
__attribute__((noinline)) void compare_rows(const Block& block, std::size_t begin, std::size_t end,
                                            const Columns& columns, std::size_t lane, const char* at,
                                            Found& found, const Undecided& undecided) {
  const Block some = rows_of(block, begin, end);
  constexpr std::size_t bytes = (in_pairs(part) ? 2 : 1) * sizeof(Floats);
  at += (begin - block.begin) * columns.stride;
  for (std::size_t k = 0; k < groups; ++k)
    compare_group<Format::f32, part>(some, columns, lane + k * lanes, lanes, at + k * bytes, {at}, found,
                                     undecided);
}

template <Part part>
void compare_joined(const Block& block, const Columns& columns, std::size_t lane, const char* const at,
                    Ahead ahead, Found& found, const Undecided& undecided) {
  constexpr std::size_t groups = 2;
  using Strip = JoinedStrip<part, groups>;
  const Strip strip(block, lane);
  ScaledTally sine_tally[groups], cosine_tally[groups];
  constexpr std::size_t vectors = Strip::cells * (Strip::apart ? 2 : 1);
  Bits<vectors> differ;
  std::uint64_t not_sure = 0;  // rows, by their bits
  static_assert(rows_per_block <= 64);
  __m512 poison = _mm512_setzero_ps();  // 0 as long as all are finite
  const auto count = [&](Sure& bits, Sixteen value, Sixteen stored) {
    poison = _mm512_fmadd_ps((__m512)stored, _mm512_setzero_ps(), poison);
    bits = _mm512_cmpneq_epi32_mask(value, stored);
  };
  constexpr std::size_t line = sizeof(Sixteen), half_a_line = sizeof(Floats);
  const char* from = at;
  for (std::size_t row = block.begin; row < block.end; ++row, from += columns.stride) {
    ahead.prefetch<vectors * line>();
    const auto right = strip.at(row);
    Sure* const bits = differ.rows[row];
    if (__builtin_expect(!right.sure, 0)) {
      not_sure |= std::uint64_t{1} << row;
      for (std::size_t n = 0; n < vectors; ++n) bits[n] = 0;
      continue;
    }
#pragma GCC unroll 2
    for (std::size_t n = 0; n < Strip::cells; ++n) {
      count(bits[n], right.first[n], load<Sixteen>(from + n * line));
      if constexpr (Strip::apart)
        count(bits[Strip::cells + n], right.second[n], load<Sixteen>(from + columns.apart + n * line));
    }
#pragma GCC unroll 2
    for (std::size_t k = 0; k < groups; ++k) {
      if constexpr (in_pairs(part)) {
        const Pairs stored = pairs(load<Sixteen>(from + k * line));
        constexpr bool sine_first = part == Part::sine_and_cosine;
        const Doubles sine = strip.sine_at(k, row), cosine = strip.cosine_at(k, row);
        sine_tally[k].add(sine, (sine_first ? stored.first : stored.second) - sine);
        cosine_tally[k].add(cosine, (sine_first ? stored.second : stored.first) - cosine);
      } else {
        const char* const cosines = from + (part == Part::cosine ? 0 : columns.apart) + k * half_a_line;
        if constexpr (has_sines(part)) {
          const Doubles sine = strip.sine_at(k, row);
          sine_tally[k].add(sine, less(from + k * half_a_line, sine));
        }
        if constexpr (has_cosines(part)) {
          const Doubles cosine = strip.cosine_at(k, row);
          cosine_tally[k].add(cosine, less(cosines, cosine));
        }
      }
    }
  }
  if (_mm512_cmp_ps_mask(poison, _mm512_setzero_ps(), _CMP_NEQ_UQ) != 0)
    return compare_rows<part, groups>(block, block.begin, block.end, columns, lane, at, found, undecided);
  found.wrong += differ.count(block.begin, block.end);
  for (std::size_t k = 0; k < groups; ++k) {
    const std::size_t i = lane + k * lanes;
    if constexpr (has_sines(part)) sine_tally[k].to(found.farthest_sine + i, found.ulp_sine + i);
    if constexpr (has_cosines(part)) cosine_tally[k].to(found.farthest_cosine + i, found.ulp_cosine + i);
  }
  for (; not_sure != 0; not_sure &= not_sure - 1) {
    const auto row = static_cast<std::size_t>(__builtin_ctzll(not_sure));
    compare_rows<part, groups>(block, row, row + 1, columns, lane, at, found, undecided);
  }
}

#endif

template <Format format, Part part>
void compare_run(const Block& block, const Columns& columns, const char* at, Found& found,
                 const Undecided& undecided) {
  constexpr std::size_t one = (in_pairs(part) ? 2 : 1) * bytes_of<format>,
                        all = (part == Part::sine_apart_cosine ? 2 : 1) * one;
  std::size_t done = 0;
  Ahead ahead{columns.ahead != nullptr ? columns.ahead : at};
  const auto past = [&](std::size_t lanes_done) {
    done += lanes_done;
    ahead.at += (block.end - block.begin) * lanes_done * all;
  };
#if POSPROOF_VBMI2
  if constexpr (format == Format::f32) {
    constexpr std::size_t width = 2 * lanes;
    for (; done + width <= columns.count; past(width)) {
      if (!may_join<part>(block, columns.lane + done, width)) break;
      compare_joined<part>(block, columns, columns.lane + done, at + done * one, ahead, found, undecided);
    }
  }
#endif
  for (; done + lanes <= columns.count; past(lanes))
    compare_group<format, part>(block, columns, columns.lane + done, lanes, at + done * one, ahead, found,
                                undecided);
  if (done < columns.count) {
    LastGroup<format, part> copied;
    const std::size_t count = columns.count - done;
    const Columns ours = copied.copy(block, columns, at + done * one, count);
    compare_group<format, part>(block, ours, columns.lane + done, count, copied.rows, ahead, found,
                                undecided);
  }
}

}  // namespace
}  // namespace posproof::exact::POSPROOF_ISA
