#pragma once
// Writing, for one instruction set: see kernel_of.h.
#include "exact/kernel_joined.h"
#include "exact/kernel_values.h"

namespace posproof::exact::POSPROOF_ISA {
namespace {

template <bool streaming, class Vector>
POSPROOF_INLINE void put(char* to, Vector v) {
  if constexpr (streaming)
    stream(to, v);
  else
    store(to, v);
}

template <bool streaming, class Vector>
POSPROOF_INLINE void put(char* to, Vector first, Vector second) {
  if constexpr (streaming) {
    stream(to, first, second);
  } else {
    store(to, first);
    store(to + sizeof first, second);
  }
}

// A few groups of lanes, all rows of the block, then what is open in them.
template <Format format, Part part, class Method, std::size_t groups, bool streaming>
POSPROOF_INLINE Open<format> fill_strip(const Block& block, std::size_t lane, char* at, std::size_t stride,
                                        std::ptrdiff_t apart) {
  constexpr std::size_t size = sizeof(Stored<format>);
  Open<format> open{};
  Method g[groups];
#pragma GCC unroll 16
  for (std::size_t k = 0; k < groups; ++k) g[k] = group<Method>(block, lane + k * lanes);
  char* to_cosines = part == Part::sine_apart_cosine ? at + apart : at;
  for (std::size_t row = block.begin; row < block.end; ++row, at += stride, to_cosines += stride) {
    Stored<format> sine[groups], cosine[groups];
#pragma GCC unroll 16
    for (std::size_t k = 0; k < groups; ++k) {
      if constexpr (has_sines(part)) sine[k] = sines<format>(g[k], block, row, lane + k * lanes, open);
      if constexpr (has_cosines(part)) cosine[k] = cosines<format>(g[k], block, row, lane + k * lanes, open);
      if constexpr (in_pairs(part)) {
        const auto first = part == Part::sine_and_cosine ? sine[k] : cosine[k];
        const auto second = part == Part::sine_and_cosine ? cosine[k] : sine[k];
        put<streaming>(at + 2 * k * size, zip_low(first, second, Up{}), zip_high(first, second, Up{}));
      } else if (k % 2 == 1) {
        if constexpr (has_sines(part)) put<streaming>(at + (k - 1) * size, sine[k - 1], sine[k]);
        if constexpr (has_cosines(part))
          put<streaming>(to_cosines + (k - 1) * size, cosine[k - 1], cosine[k]);
      } else if (k + 1 == groups) {
        if constexpr (has_sines(part)) put<streaming>(at + k * size, sine[k]);
        if constexpr (has_cosines(part)) put<streaming>(to_cosines + k * size, cosine[k]);
      }
    }
  }
  return open;
}

#if POSPROOF_VBMI2
// One row of a strip where not all was sure.
template <Part part, std::size_t groups, bool streaming>
__attribute__((noinline)) Words fill_row(const Block& block, std::size_t row, std::size_t lane, char* at,
                                         std::ptrdiff_t apart) {
  const Block one = rows_of(block, row, row + 1);
  return fill_strip<Format::f32, part, Coarse, groups, streaming>(one, lane, at, 0, apart);
}

template <Part part, std::size_t groups, bool streaming>
POSPROOF_INLINE Words fill_joined(const Block& block, std::size_t lane, char* at, std::size_t stride,
                                  std::ptrdiff_t apart) {
  using Strip = JoinedStrip<part, groups>;
  const Strip strip(block, lane);
  Words open{};
  for (std::size_t row = block.begin; row < block.end; ++row, at += stride) {
    const auto entries = strip.at(row);
    if (__builtin_expect(!entries.sure, 0)) {
      open |= fill_row<part, groups, streaming>(block, row, lane, at, apart);
      continue;
    }
#pragma GCC unroll 16
    for (std::size_t n = 0; n < Strip::cells; ++n) {
      put<streaming>(at + n * sizeof(Sixteen), entries.first[n]);
      if constexpr (Strip::apart) put<streaming>(at + apart + n * sizeof(Sixteen), entries.second[n]);
    }
  }
  return open;
}
#endif

template <Format format, Part part, std::size_t groups, bool streaming>
POSPROOF_INLINE Open<format> fill_strip(const Block& block, std::size_t lane, char* at, std::size_t stride,
                                        std::ptrdiff_t apart) {
#if POSPROOF_VBMI2
  if constexpr (joins<format, part, groups>)
    if (may_join<part>(block, lane, groups * lanes))
      return fill_joined<part, groups, streaming>(block, lane, at, stride, apart);
#endif
  if constexpr (format == Format::f64)
    if (may_split<part>(block, lane, groups * lanes))
      return fill_strip<format, part, Split, groups, streaming>(block, lane, at, stride, apart);
  return fill_strip<format, part, Surest<format>, groups, streaming>(block, lane, at, stride, apart);
}

// Tells of every lane of one group that is open however sure one can be here, row by row; `before` are the
// rows of the blocks before this one. Seldom, so never inlined.
template <Format format, Part part>
__attribute__((noinline)) void tell(const Block& block, std::size_t before, std::size_t lane,
                                    std::size_t count, const Undecided& undecided) {
  const auto g = group<Surest<format>>(block, lane);
  for (std::size_t row = block.begin; row < block.end; ++row) {
    Open<format> sine_open{}, cosine_open{};
    if constexpr (has_sines(part)) sines<format>(g, block, row, lane, sine_open);
    if constexpr (has_cosines(part)) cosines<format>(g, block, row, lane, cosine_open);
    for (std::size_t i = 0; i < count; ++i) {
      if (sine_open[i] != 0) undecided.tell(undecided.who, before + row, lane + i, false);
      if (cosine_open[i] != 0) undecided.tell(undecided.who, before + row, lane + i, true);
    }
  }
}

// What a strip left open. Where halves did, the double-doubles write the strip again first.
template <Format format, Part part, std::size_t groups>
__attribute__((noinline)) void fill_again(const Block& block, std::size_t before, std::size_t lane, char* at,
                                          const Columns& columns, const Undecided& undecided) {
  if constexpr (format == Format::f64)
    if (!any(fill_strip<format, part, Whole, groups, false>(block, lane, at, columns.stride, columns.apart)))
      return;
  for (std::size_t k = 0; k < groups; ++k)
    tell<format, part>(block, before, lane + k * lanes, lanes, undecided);
}

template <Format format, Part part, std::size_t groups, bool streaming>
POSPROOF_INLINE void fill_strips(const Blocks& blocks, const Columns& columns, char* at, std::size_t& done,
                                 const Undecided& undecided) {
  constexpr std::size_t width = groups * lanes, one = (in_pairs(part) ? 2 : 1) * bytes_of<format>;
  for (; done + width <= columns.count; done += width) {
    const std::size_t lane = columns.lane + done;
    char* to = at + done * one;
    for (std::size_t b = 0; b < blocks.count; ++b) {
      const Block& block = blocks.first[b];
      if (any(fill_strip<format, part, groups, streaming>(block, lane, to, columns.stride, columns.apart)))
        fill_again<format, part, groups>(block, b * rows_per_block, lane, to, columns, undecided);
      to += (block.end - block.begin) * columns.stride;
    }
  }
}

// The last lanes, fewer than a group: through a row of our own.
template <Format format, Part part>
__attribute__((noinline)) void fill_last(const Blocks& blocks, const Columns& columns, char* at,
                                         std::size_t done, const Undecided& undecided) {
  const std::size_t left = columns.count - done, lane = columns.lane + done;
  constexpr std::size_t one = (in_pairs(part) ? 2 : 1) * bytes_of<format>;
  constexpr std::size_t half_a_row = sizeof(Stored<format>);
  alignas(64) char ours[2 * half_a_row];
  at += done * one;
  for (std::size_t b = 0; b < blocks.count; ++b) {
    const Block& block = blocks.first[b];
    Block row = block;
    Open<format> open{};
    for (row.begin = block.begin; row.begin < block.end; ++row.begin, at += columns.stride) {
      row.end = row.begin + 1;
      open |= fill_strip<format, part, Surest<format>, 1, false>(row, lane, ours, 0, half_a_row);
      __builtin_memcpy(at, ours, left * one);
      if constexpr (part == Part::sine_apart_cosine)
        __builtin_memcpy(at + columns.apart, ours + half_a_row, left * one);
    }
    if (any(open)) tell<format, part>(block, b * rows_per_block, lane, left, undecided);
  }
}

template <Format format, Part part, bool streaming>
void fill_run(const Blocks& blocks, const Columns& columns, char* at, const Undecided& undecided) {
  std::size_t done = 0;
  fill_strips<format, part, together<format, part>(), streaming>(blocks, columns, at, done, undecided);
  fill_strips<format, part, 1, streaming>(blocks, columns, at, done, undecided);
  if (done < columns.count) fill_last<format, part>(blocks, columns, at, done, undecided);
}

}  // namespace
}  // namespace posproof::exact::POSPROOF_ISA
