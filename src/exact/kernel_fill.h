#pragma once
// Writing, for one instruction set: see kernel_of.h.
#include "exact/kernel_joined.h"
#include "exact/kernel_narrow.h"
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

#if POSPROOF_FMA
// One row of a strip where not all was sure.
template <Format format, Part part, std::size_t groups, bool streaming>
__attribute__((noinline)) Words fill_row(const Block& block, std::size_t row, std::size_t lane, char* at,
                                         std::ptrdiff_t apart) {
  const Block one = rows_of(block, row, row + 1);
  return fill_strip<format, part, Coarse, groups, streaming>(one, lane, at, 0, apart);
}

// Writes over what stands in the cells of a row that are not sure, and what is open then.
template <Format format, Part part>
__attribute__((noinline)) Words mended(const Block& block, std::size_t row, std::size_t lane, unsigned cells,
                                       char* at, std::ptrdiff_t apart) {
  bool sure = true;
  for (; cells != 0; cells &= cells - 1) {
    const auto cell = static_cast<std::size_t>(__builtin_ctz(cells));
    const CellEntries right = cell_entries<format, part>(block, row, lane + cell);
    std::uint16_t entry[4];
    __builtin_memcpy(entry, &right.entries, sizeof entry);
    for (std::size_t i = 0; i < 4; ++i)
      __builtin_memcpy(at + place_of<part>(cell + i / 2 * singles, is_cosine<part>(i), apart), &entry[i],
                       sizeof entry[i]);
    sure &= right.sure;
  }
  return sure ? Words{} : fill_row<format, part, 4, false>(block, row, lane, at, apart);
}

// Strips of two vectors that fill a line side by side.
constexpr std::size_t line = 64, strips_of_line = line / sizeof(Cells), narrow_groups = 4 * strips_of_line;

// All rows are written, then what was not sure in them: in f16 so many are not that a branch a row would be
// guessed wrong too often. What goes past the caches waits in them until then, and until it fills lines.
template <Format format, Part part, bool streaming>
POSPROOF_INLINE Words fill_and_mend(const Block& block, std::size_t lane, char* at, std::size_t stride,
                                    std::ptrdiff_t apart) {
  constexpr std::size_t vector = sizeof(Cells), lines = has_sines(part) && has_cosines(part) ? 2 : 1;
  alignas(line) char waiting[streaming ? rows_per_block * lines * line : 1];
  CellMask not_sure[rows_per_block];
  const std::size_t next = streaming ? lines * line : stride;
  const std::ptrdiff_t second = in_pairs(part) ? std::ptrdiff_t{vector}
                                : streaming    ? std::ptrdiff_t{line}
                                               : apart;
  Words open{};
  for (std::size_t n = 0; n < strips_of_line; ++n) {
    char* const to = (streaming ? waiting : at) + n * vector * (in_pairs(part) ? 2 : 1);
    const std::size_t first_lane = lane + n * 2 * singles;
    const NarrowStrip<format, part> strip(block, first_lane);
    char* row_at = to;
    for (std::size_t row = block.begin; row < block.end; ++row, row_at += next) {
      const auto entries = strip.written(row);
      not_sure[row] = entries.not_sure;
      store(row_at, entries.first);
      if constexpr (lines == 2) store(row_at + second, entries.second);
    }
    row_at = to;
    for (std::size_t row = block.begin; row < block.end; ++row, row_at += next)
      if (__builtin_expect(not_sure[row] != 0, 0))
        open |= mended<format, part>(block, row, first_lane, not_sure[row], row_at, second);
  }
  if constexpr (streaming) {
    const char* from = waiting;
    for (std::size_t row = block.begin; row < block.end; ++row, at += stride, from += next) {
      for (std::size_t n = 0; n < line; n += vector) stream(at + n, load<Cells>(from + n));
      char* const other = at + (in_pairs(part) ? std::ptrdiff_t{line} : apart);
      if constexpr (lines == 2)
        for (std::size_t n = 0; n < line; n += vector) stream(other + n, load<Cells>(from + line + n));
    }
  }
  return open;
}

template <Format format, Part part, bool streaming>
POSPROOF_INLINE Words fill_narrow(const Block& block, std::size_t lane, char* at, std::size_t stride,
                                  std::ptrdiff_t apart) {
  if constexpr (!streaming || format == Format::f16 || strips_of_line > 1)
    return fill_and_mend<format, part, streaming>(block, lane, at, stride, apart);
  const NarrowStrip<format, part> strip(block, lane);
  Words open{};
  for (std::size_t row = block.begin; row < block.end; ++row, at += stride) {
    auto entries = strip.written(row);
    if (__builtin_expect(entries.not_sure != 0, 0)) {
      char both[2 * sizeof(Cells)];
      store(both, entries.first);
      store(both + sizeof(Cells), entries.second);
      open |= mended<format, part>(block, row, lane, entries.not_sure, both, sizeof(Cells));
      entries.first = load<Cells>(both);
      entries.second = load<Cells>(both + sizeof(Cells));
    }
    stream(at, entries.first);
    if constexpr (in_pairs(part)) stream(at + sizeof(Cells), entries.second);
    if constexpr (part == Part::sine_apart_cosine) stream(at + apart, entries.second);
  }
  return open;
}
#endif

#if POSPROOF_VBMI2
template <Part part, std::size_t groups, bool streaming>
POSPROOF_INLINE Words fill_joined(const Block& block, std::size_t lane, char* at, std::size_t stride,
                                  std::ptrdiff_t apart) {
  using Strip = JoinedStrip<part, groups>;
  const Strip strip(block, lane);
  Words open{};
  for (std::size_t row = block.begin; row < block.end; ++row, at += stride) {
    const auto entries = strip.at(row);
    if (__builtin_expect(!entries.sure, 0)) {
      open |= fill_row<Format::f32, part, groups, streaming>(block, row, lane, at, apart);
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
#if POSPROOF_FMA
  if constexpr (in_singles<format> && groups > together<format, part>())
    return fill_narrow<format, part, streaming>(block, lane, at, stride, apart);
  else if constexpr (in_singles<format> && groups == narrow_groups)
    if (may_narrow(block, lane)) return fill_narrow<format, part, streaming>(block, lane, at, stride, apart);
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
#if POSPROOF_FMA
  if constexpr (in_singles<format> && narrow_groups > together<format, part>())
    if (may_narrow(*blocks.first, columns.lane))
      fill_strips<format, part, narrow_groups, streaming>(blocks, columns, at, done, undecided);
#endif
  fill_strips<format, part, together<format, part>(), streaming>(blocks, columns, at, done, undecided);
  fill_strips<format, part, 1, streaming>(blocks, columns, at, done, undecided);
  if (done < columns.count) fill_last<format, part>(blocks, columns, at, done, undecided);
}

}  // namespace
}  // namespace posproof::exact::POSPROOF_ISA
