#pragma once
// Comparing, for one instruction set: see kernel_of.h.
#include "oracle/kernel_joined.h"
#include "oracle/kernel_values.h"

namespace posproof::oracle::POSPROOF_ISA {
namespace {

// ---- what is stored ----

// The entries of one group, `count` of them where the group is not whole.
template <Format format>
struct Entries {
  Stored<format> sine{}, cosine{};
};

template <class Vector, bool whole>
POSPROOF_INLINE Vector take(const char* at, std::size_t bytes) {
  if constexpr (whole) return load<Vector>(at);
  Vector v{};
  __builtin_memcpy(&v, at, bytes);
  return v;
}

template <Format format, Part part, bool whole>
POSPROOF_INLINE Entries<format> entries(const char* at, std::ptrdiff_t apart, std::size_t count) {
  using Vector = Stored<format>;
  constexpr std::size_t one = bytes_of<format>;
  Entries<format> out;
  if constexpr (!in_pairs(part)) {
    if constexpr (has_sines(part)) out.sine = take<Vector, whole>(at, count * one);
    if constexpr (has_cosines(part))
      out.cosine = take<Vector, whole>(part == Part::cosine ? at : at + apart, count * one);
  } else {
    char room[2 * sizeof(Vector)] = {};
    if constexpr (!whole) {
      __builtin_memcpy(room, at, 2 * count * one);
      at = room;
    }
    const auto first = load<Vector>(at), second = load<Vector>(at + sizeof(Vector));
    const Vector even = evens(first, second, Up{}), odd = odds(first, second, Up{});
    out.sine = part == Part::sine_and_cosine ? even : odd;
    out.cosine = part == Part::sine_and_cosine ? odd : even;
  }
  return out;
}

// The stored entries of one group of lanes as doubles, exactly.
template <Format format>
POSPROOF_INLINE Doubles value(Stored<format> stored) {
  if constexpr (format == Format::f64) {
    return stored;
  } else if constexpr (format == Format::f32) {
    return wide(stored);
  } else if constexpr (format == Format::bf16) {
    return wide((Floats)(wide(stored) << 16));
  } else {
    const Words b = wide(stored), size = b & 0x7fff;
    // As if its exponent were that of an f32, then scaled by what the biases differ: exact, subnormals too.
    const Doubles finite = wide((Floats)(size << 13)) * 0x1p112;
    const Doubles not_finite = wide((Floats)(0x7f800000u | (size << 13)));
    const Longs special = wide((Ints)(size >= 0x7c00u));
    const Longs sign = wide((Ints)(b << 16)) & INT64_MIN;
    return (Doubles)((special & bits(not_finite)) | (~special & bits(finite)) | sign);
  }
}

// ---- are all right? ----

template <class Vector>
POSPROOF_INLINE auto differ(Vector a, Vector b) {
  if constexpr (sizeof(Vector) == sizeof(Doubles))
    return (Longs)a ^ (Longs)b;
  else if constexpr (sizeof(Vector) == sizeof(Floats))
    return (Words)a ^ (Words)b;
  else
    return wide(a ^ b);
}

// Lanes from `count` on do not count.
template <class Mask>
POSPROOF_INLINE Mask first_lanes(Mask mask, std::size_t count) {
  for (std::size_t i = count; i < lanes; ++i) mask[i] = 0;
  return mask;
}

// The rows of the next block: a stride this long is not foreseen by the processor.
template <Part part, std::size_t bytes>
POSPROOF_INLINE void ask_ahead(const char* at, const Columns& columns) {
  at += rows_per_block * columns.stride;
#pragma GCC unroll 16
  for (std::size_t line = 0; line < bytes; line += 64) {
    __builtin_prefetch(at + line);
    if constexpr (part == Part::sine_apart_cosine) __builtin_prefetch(at + columns.apart + line);
  }
}

template <Format format, Part part, class Way, bool whole, std::size_t groups>
POSPROOF_INLINE bool strip_right(const Block& block, std::size_t lane, std::size_t count, const char* at,
                                 const Columns& columns) {
  constexpr std::size_t one = (in_pairs(part) ? 2 : 1) * sizeof(Stored<format>);
  Open<format> open{};
  Way g[groups];
#pragma GCC unroll 16
  for (std::size_t k = 0; k < groups; ++k) g[k] = group<Way>(block, lane + k * lanes);
  for (std::size_t row = block.begin; row < block.end; ++row, at += columns.stride) {
    ask_ahead<part, groups * one>(at, columns);
#pragma GCC unroll 16
    for (std::size_t k = 0; k < groups; ++k) {
      const auto stored = entries<format, part, whole>(at + k * one, columns.apart, count);
      const std::size_t from = lane + k * lanes;
      Open<format> wrong{};
      if constexpr (has_sines(part))
        wrong |= differ(stored.sine, sines<format>(g[k], block, row, from, wrong));
      if constexpr (has_cosines(part))
        wrong |= differ(stored.cosine, cosines<format>(g[k], block, row, from, wrong));
      open |= whole ? wrong : first_lanes(wrong, count);
    }
  }
  return !any(open);
}

#if POSPROOF_VBMI2
// One row of a strip where not all was sure.
template <Part part, std::size_t groups>
__attribute__((noinline)) bool row_right(const Block& block, std::size_t row, std::size_t lane, const char* at,
                                         const Columns& columns) {
  Block one = block;
  one.begin = row;
  one.end = row + 1;
  return strip_right<Format::f32, part, Coarse, true, groups>(one, lane, lanes, at, columns);
}

template <Part part, std::size_t groups>
POSPROOF_INLINE bool joined_right(const Block& block, std::size_t lane, const char* at,
                                  const Columns& columns) {
  using Strip = JoinedStrip<part, groups>;
  const Strip strip(block, lane);
  Sixteen wrong = _mm512_setzero_si512();
  const auto compare = [&wrong](Sixteen value, const char* stored) {
    wrong = _mm512_ternarylogic_epi32(wrong, value, load<Sixteen>(stored), 0xf6);
  };
  for (std::size_t row = block.begin; row < block.end; ++row, at += columns.stride) {
    ask_ahead<part, Strip::cells * sizeof(Sixteen)>(at, columns);
    Sure sure = all_sure;
    Sixteen first[Strip::cells], second[Strip::cells];
#pragma GCC unroll 16
    for (std::size_t n = 0; n < Strip::cells; ++n) {
      first[n] = strip.first(n, row, sure);
      if constexpr (Strip::apart) second[n] = strip.second(n, row, sure);
    }
    if (__builtin_expect(sure != all_sure, 0)) {
      if (!row_right<part, groups>(block, row, lane, at, columns)) return false;
      continue;
    }
#pragma GCC unroll 16
    for (std::size_t n = 0; n < Strip::cells; ++n) {
      compare(first[n], at + n * sizeof(Sixteen));
      if constexpr (Strip::apart) compare(second[n], at + columns.apart + n * sizeof(Sixteen));
    }
  }
  return _mm512_test_epi32_mask(wrong, wrong) == 0;
}
#endif

template <Format format, Part part, bool whole, std::size_t groups>
POSPROOF_INLINE bool strip_right(const Block& block, std::size_t lane, std::size_t count, const char* at,
                                 const Columns& columns) {
#if POSPROOF_VBMI2
  if constexpr (whole && joins<format, part, groups>)
    if (may_join<part>(block, lane, groups * lanes))
      return joined_right<part, groups>(block, lane, at, columns);
#endif
  if constexpr (format == Format::f64)
    if (may_split<part>(block, lane, groups * lanes)) {
      if (strip_right<format, part, Split, whole, groups>(block, lane, count, at, columns)) return true;
    }
  return strip_right<format, part, Surest<format>, whole, groups>(block, lane, count, at, columns);
}

// Takes from `right` the blocks with an entry that is not.
template <Format format, Part part, bool whole, std::size_t groups>
POSPROOF_INLINE void blocks_right(const Blocks& blocks, std::size_t lane, std::size_t count, const char* at,
                                  const Columns& columns, std::uint64_t& right) {
  for (std::size_t b = 0; b < blocks.count; ++b) {
    const Block& block = blocks.first[b];
    const std::uint64_t this_one = std::uint64_t{1} << b;
    if ((right & this_one) != 0 &&
        !strip_right<format, part, whole, groups>(block, lane, count, at, columns))
      right &= ~this_one;
    at += (block.end - block.begin) * columns.stride;
  }
}

template <Format format, Part part>
std::uint64_t run_right(const Blocks& blocks, const Columns& columns, const char* at) {
  constexpr std::size_t one = (in_pairs(part) ? 2 : 1) * bytes_of<format>,
                        most = together<format, part>() * lanes;
  std::uint64_t right = (std::uint64_t{1} << blocks.count) - 1;
  std::size_t done = 0;
  for (; done + most <= columns.count; done += most)
    blocks_right<format, part, true, most / lanes>(blocks, columns.lane + done, lanes, at + done * one,
                                                   columns, right);
  for (; done + lanes <= columns.count; done += lanes)
    blocks_right<format, part, true, 1>(blocks, columns.lane + done, lanes, at + done * one, columns, right);
  if (done != columns.count)
    blocks_right<format, part, false, 1>(blocks, columns.lane + done, columns.count - done, at + done * one,
                                         columns, right);
  return right;
}

// ---- how far off are they? ----

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
struct Measured {
  Doubles farthest;  // |entry - exact|
  Doubles power;     // of the exact value
  Mask wrong, open;
};

// `power` is that of the exact value, which is within e of what `off` was measured from.
template <Format format>
POSPROOF_INLINE Measured measured(Doubles off, Doubles power, Doubles e, Mask open) {
  const Doubles beyond = off - power * half_a_place<format>;  // the product is exact
  open = either(open, at_most(abs(beyond), e));
  return {off, power, without(not_at_most(beyond, Doubles{}), open), open};
}

// The head of a number, or the double next to it nearer to 0 where the number is nearer to 0 than its head:
// what has the number's own exponent.
POSPROOF_INLINE Doubles within(Twofold x) {
  return (Doubles)((Unsigned)bits(x.head) + (Unsigned)((bits(x.head) ^ bits(x.rest)) >> 63));
}

// A value in the middle of what the bound allows.
template <Format format>
POSPROOF_INLINE Measured measured(const Coarse&, Doubles less, Doubles e, Doubles v) {
  const Doubles x = less + e;
  return measured<format>(abs(v - x), power_below<format>(x), e, Mask{});
}
template <Format format>
POSPROOF_INLINE Measured measured(const Whole&, Twofold x, Doubles e, Doubles v) {
  return measured<format>(abs((v - x.head) - x.rest), power_below<format>(within(x)), e,
                          at_most(abs(x.head), all(smallest_measured)));
}
template <Format format>
POSPROOF_INLINE Measured measured_sine(const Coarse& g, const Block&, std::size_t row, std::size_t,
                                       Doubles v) {
  return measured<format>(g, sine_less(g, row), g.sine_error, v);
}
template <Format format>
POSPROOF_INLINE Measured measured_cosine(const Coarse& g, const Block&, std::size_t row, std::size_t,
                                         Doubles v) {
  return measured<format>(g, cosine_less(g, row), g.cosine_error, v);
}
template <Format format>
POSPROOF_INLINE Measured measured_sine(const Whole& g, const Block& block, std::size_t row, std::size_t lane,
                                       Doubles v) {
  return measured<format>(g, sine(g, block.babies[row], lane), g.sine_error, v);
}
template <Format format>
POSPROOF_INLINE Measured measured_cosine(const Whole& g, const Block& block, std::size_t row,
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

  POSPROOF_INLINE void add(const Measured& m) {
    constexpr std::int64_t sum = std::int64_t{1023 + 1022} << 52;  // 1 / (2 power), by its bits
    const Doubles ulp_of_one = (Doubles)(sum - bits(m.power));
    farthest = larger(m.farthest, farthest);
    ulp = larger_where(m.wrong, ulp, m.farthest * ulp_of_one);
    poison = poison + m.farthest * 0.0;
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

template <Format format, Part part, bool whole>
POSPROOF_INLINE void compare_group(const Block& block, const Columns& columns, std::size_t lane,
                                   std::size_t count, const char* at, Found& found,
                                   const Undecided& undecided) {
  const auto g = group<Surest<format>>(block, lane);
  const std::size_t ahead = rows_per_block * columns.stride;
  Tally<format> sine_tally{}, cosine_tally{};
  const char* from = at;
  for (std::size_t row = block.begin; row < block.end; ++row, from += columns.stride) {
    __builtin_prefetch(from + ahead);
    if constexpr (part == Part::sine_apart_cosine) __builtin_prefetch(from + ahead + columns.apart);
    const auto stored = entries<format, part, whole>(from, columns.apart, count);
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
  from = at;
  for (std::size_t row = block.begin; row < block.end; ++row, from += columns.stride) {
    const auto stored = entries<format, part, whole>(from, columns.apart, count);
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

template <Format format, Part part>
void compare_run(const Block& block, const Columns& columns, const char* at, Found& found,
                 const Undecided& undecided) {
  constexpr std::size_t one = (in_pairs(part) ? 2 : 1) * bytes_of<format>;
  std::size_t done = 0;
  for (; done + lanes <= columns.count; done += lanes)
    compare_group<format, part, true>(block, columns, columns.lane + done, lanes, at + done * one, found,
                                      undecided);
  if (done < columns.count)
    compare_group<format, part, false>(block, columns, columns.lane + done, columns.count - done,
                                       at + done * one, found, undecided);
}

}  // namespace
}  // namespace posproof::oracle::POSPROOF_ISA
