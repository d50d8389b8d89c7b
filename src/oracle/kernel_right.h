#pragma once
// Whether all entries are right, for one instruction set: see kernel_of.h.
#include "oracle/kernel_entries.h"
#include "oracle/kernel_joined.h"

namespace posproof::oracle::POSPROOF_ISA {
namespace {

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
__attribute__((noinline)) bool row_right(const Block& block, std::size_t row, std::size_t lane,
                                         const char* at, const Columns& columns) {
  const Block one = rows_of(block, row, row + 1);
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
    const auto right = strip.at(row);
    if (__builtin_expect(!right.sure, 0)) {
      if (!row_right<part, groups>(block, row, lane, at, columns)) return false;
      continue;
    }
#pragma GCC unroll 16
    for (std::size_t n = 0; n < Strip::cells; ++n) {
      compare(right.first[n], at + n * sizeof(Sixteen));
      if constexpr (Strip::apart) compare(right.second[n], at + columns.apart + n * sizeof(Sixteen));
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
    if ((right & this_one) != 0 && !strip_right<format, part, whole, groups>(block, lane, count, at, columns))
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

}  // namespace
}  // namespace posproof::oracle::POSPROOF_ISA
