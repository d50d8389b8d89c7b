#pragma once
// How many entries are not right, for one instruction set: see kernel_of.h.
#include "exact/kernel_entries.h"
#include "exact/kernel_joined.h"
#include "exact/kernel_narrow.h"

namespace posproof::exact::POSPROOF_ISA {
namespace {

// How many are unequal, over the lanes of what is stored.
template <Format format>
struct Unequal {
  using Counts = std::conditional_t<format == Format::f64, Longs,
                                    std::conditional_t<format == Format::f32, Words, Shorts>>;
  static_assert(rows_per_block * 32 < 0xffff, "sums of a strip stay within 16 bits");
  Counts counts{};

  POSPROOF_INLINE void add(Stored<format> stored, Stored<format> value) {
    counts = counted_unequal(counts, stored, value);
  }
  POSPROOF_INLINE std::uint64_t of_first(std::size_t count) const {
    std::uint64_t sum = 0;
    for (std::size_t i = 0; i < count; ++i) sum += static_cast<std::uint64_t>(counts[i]);
    return sum;
  }
};

// `count` lanes of one block from `lane` on, whose first row is at `at`; `before` rows stand in the blocks
// before it.
struct Piece {
  const Block& block;
  std::size_t before, lane, count;
  const char* at;
  const Columns& columns;
  const Undecided& undecided;

  POSPROOF_INLINE const char* row(std::size_t number) const {
    return at + (number - block.begin) * columns.stride;
  }
};

// What was found of some rows: entries that are not right, but for rows where not all is decided, which are
// bits.
struct Counted {
  std::uint64_t wrong, open_rows;
};
static_assert(rows_per_block <= 64);

// What the entries of the block before were, and so those of this one are likely to be: right; wrong, many of
// them, or not known in single precision.
enum class Likely : std::uint8_t { right, wrong, open };

template <Format format, Part part, class Method, std::size_t groups>
POSPROOF_INLINE Counted strip_counted(const Piece& piece, Ahead ahead) {
  constexpr std::size_t one = (in_pairs(part) ? 2 : 1) * sizeof(Stored<format>);
  const Block& block = piece.block;
  Unequal<format> wrong;
  std::uint64_t open_rows = 0;
  Method g[groups];
#pragma GCC unroll 16
  for (std::size_t k = 0; k < groups; ++k) g[k] = group<Method>(block, piece.lane + k * lanes);
  const char* at = piece.at;
  for (std::size_t row = block.begin; row < block.end; ++row, at += piece.columns.stride) {
    ahead.prefetch<groups*(part == Part::sine_apart_cosine ? 2 : 1) * one, format != Format::f64>();
    Unequal<format> with_row = wrong;
    Open<format> open{};
#pragma GCC unroll 16
    for (std::size_t k = 0; k < groups; ++k) {
      const auto stored = entries<format, part, true>(at + k * one, piece.columns.apart, lanes);
      const std::size_t lane = piece.lane + k * lanes;
      if constexpr (has_sines(part)) with_row.add(stored.sine, sines<format>(g[k], block, row, lane, open));
      if constexpr (has_cosines(part))
        with_row.add(stored.cosine, cosines<format>(g[k], block, row, lane, open));
    }
    if (__builtin_expect(any(open), 0))
      open_rows |= std::uint64_t{1} << row;
    else
      wrong = with_row;
  }
  return {wrong.of_first(piece.count), open_rows};
}

// Of single groups of lanes of a row, as surely as one can be here.
template <Format format, Part part>
class GroupsCounted {
 public:
  explicit GroupsCounted(const Piece& piece) : piece_(piece) {}

  // Group k from the piece's lane on.
  void add(std::size_t row, std::size_t k) {
    constexpr std::size_t one = (in_pairs(part) ? 2 : 1) * sizeof(Stored<format>);
    const std::size_t lane = piece_.lane + k * lanes;
    const auto g = group<Surest<format>>(piece_.block, lane);
    const auto stored = entries<format, part, true>(piece_.row(row) + k * one, piece_.columns.apart, lanes);
    if constexpr (has_sines(part)) {
      Open<format> open{};
      const auto value = sines<format>(g, piece_.block, row, lane, open);
      add(stored.sine, value, open, row, lane, false);
    }
    if constexpr (has_cosines(part)) {
      Open<format> open{};
      const auto value = cosines<format>(g, piece_.block, row, lane, open);
      add(stored.cosine, value, open, row, lane, true);
    }
  }
  std::uint64_t wrong() const { return decided_.of_first(piece_.count) + beside_open_; }

 private:
  void add(Stored<format> there, Stored<format> value, Open<format> open, std::size_t row, std::size_t lane,
           bool cosine) {
    if (!any(open)) return decided_.add(there, value);
    Unequal<format> each;
    each.add(there, value);
    for (std::size_t i = 0; i < piece_.count; ++i)
      if (open[i] != 0)
        piece_.undecided.tell(piece_.undecided.who, piece_.before + row, lane + i, cosine);
      else
        beside_open_ += static_cast<std::uint64_t>(each.counts[i]);
  }

  const Piece& piece_;
  Unequal<format> decided_;
  std::uint64_t beside_open_ = 0;
};

// Rows where not all is decided.
template <Format format, Part part, std::size_t groups>
__attribute__((noinline)) std::uint64_t rows_counted(const Piece& piece, std::uint64_t rows) {
  GroupsCounted<format, part> counted(piece);
  for (; rows != 0; rows &= rows - 1)
    for (std::size_t k = 0; k < groups; ++k) counted.add(static_cast<std::size_t>(__builtin_ctzll(rows)), k);
  return counted.wrong();
}

#if POSPROOF_VBMI2

// With `twins`, of both pieces.
template <Part part, std::size_t groups, bool twins>
POSPROOF_INLINE std::uint64_t joined_counted(const Piece& piece, const Piece& twin, Ahead ahead) {
  using Strip = JoinedStrip<part, groups>;
  const Block& block = piece.block;
  const Strip strip(block, piece.lane);
  constexpr std::size_t vectors = Strip::cells * (Strip::apart ? 2 : 1), all = (twins ? 2 : 1) * vectors;
  Bits<all> differ;
  std::uint64_t not_sure = 0;  // rows, by their bits
  const std::ptrdiff_t to_twin = twin.at - piece.at;
  const char* at = piece.at;
  for (std::size_t row = block.begin; row < block.end; ++row, at += piece.columns.stride) {
    ahead.prefetch<all * sizeof(Sixteen)>();
    const auto right = strip.at(row);
    Sure* const bits = differ.rows[row];
    const auto compare = [&](std::size_t n, Sixteen value, const char* here) {
      bits[n] = _mm512_cmpneq_epi32_mask(value, load<Sixteen>(here));
      if constexpr (twins) bits[vectors + n] = _mm512_cmpneq_epi32_mask(value, load<Sixteen>(here + to_twin));
    };
#pragma GCC unroll 16
    for (std::size_t n = 0; n < Strip::cells; ++n) {
      const char* const here = at + n * sizeof(Sixteen);
      compare(n, right.first[n], here);
      if constexpr (Strip::apart) compare(Strip::cells + n, right.second[n], here + piece.columns.apart);
    }
    if (__builtin_expect(!right.sure, 0)) {
      not_sure |= std::uint64_t{1} << row;
      for (std::size_t n = 0; n < all; ++n) bits[n] = 0;
    }
  }
  std::uint64_t wrong = differ.count(block.begin, block.end);
  if (not_sure == 0) return wrong;
  wrong += rows_counted<Format::f32, part, groups>(piece, not_sure);
  if constexpr (twins) wrong += rows_counted<Format::f32, part, groups>(twin, not_sure);
  return wrong;
}
#endif

template <Format format, Part part, std::size_t groups>
__attribute__((noinline)) std::uint64_t piece_counted(const Piece& piece, Ahead ahead) {
  const Counted found = [&] {
    if constexpr (format == Format::f64)
      if (may_split<part>(piece.block, piece.lane, groups * lanes))
        return strip_counted<format, part, Split, groups>(piece, ahead);
    return strip_counted<format, part, Surest<format>, groups>(piece, ahead);
  }();
  if (found.open_rows == 0) return found.wrong;
  return found.wrong + rows_counted<format, part, groups>(piece, found.open_rows);
}

#if POSPROOF_FMA

// The stored entries of a cell of a row, in the order of cell_entries().
template <Part part>
POSPROOF_INLINE std::uint64_t stored_cell(const Piece& piece, std::size_t row, std::size_t cell) {
  std::uint16_t there[4];
  for (std::size_t i = 0; i < 4; ++i)
    __builtin_memcpy(
        &there[i],
        piece.row(row) + place_of<part>(cell + i / 2 * singles, is_cosine<part>(i), piece.columns.apart),
        sizeof there[i]);
  std::uint64_t four;
  __builtin_memcpy(&four, there, sizeof four);
  return four;
}

// Where not many cells of a block are open: each by itself, and where not all of it is right, with its groups
// of lanes.
template <Format format, Part part>
__attribute__((noinline)) std::uint64_t cells_counted(const Piece& piece, const CellMask* not_sure,
                                                      std::uint64_t rows) {
  GroupsCounted<format, part> counted(piece);
  for (; rows != 0; rows &= rows - 1) {
    const auto row = static_cast<std::size_t>(__builtin_ctzll(rows));
    unsigned groups = 0;
    for (unsigned cells = not_sure[row]; cells != 0; cells &= cells - 1) {
      const auto cell = static_cast<std::size_t>(__builtin_ctz(cells));
      const CellEntries right = cell_entries<format, part>(piece.block, row, piece.lane + cell);
      if (!right.sure || right.entries != stored_cell<part>(piece, row, cell)) groups |= 5u << cell / lanes;
    }
    for (; groups != 0; groups &= groups - 1)
      counted.add(row, static_cast<std::size_t>(__builtin_ctz(groups)));
  }
  return counted.wrong();
}

constexpr int many_rows = rows_per_block / 2;

// How many of the entries of a cell are wrong. Where not all of them are decided, they are told of.
template <Format format, Part part>
POSPROOF_INLINE std::uint64_t cell_counted(const Piece& piece, std::size_t row, std::size_t cell) {
  const CellEntries right = cell_entries<format, part>(piece.block, row, piece.lane + cell);
  const std::uint64_t there = stored_cell<part>(piece, row, cell);
  constexpr std::size_t step =
      has_sines(part) && has_cosines(part) ? 1 : 2;  // else each of them is there twice
  std::uint64_t wrong = 0;
  for (std::size_t i = 0; i < 4; i += step) {
    const std::uint64_t a = right.entries >> 16 * i & 0xffff, b = there >> 16 * i & 0xffff;
    if (right.sure)
      wrong += a != b && ((a | b) & 0x7fff) != 0 ? 1 : 0;
    else
      piece.undecided.tell(piece.undecided.who, piece.before + row, piece.lane + cell + i / 2 * singles,
                           is_cosine<part>(i));
  }
  return wrong;
}

// Where many entries are wrong: each of them that is another number than single precision knows it to be, and
// what that does not know, cell by cell.
template <Format format, Part part>
__attribute__((noinline)) std::uint64_t judged_counted(const Piece& piece, Ahead ahead, Likely& likely) {
  using Strip = NarrowStrip<format, part>;
  const Block& block = piece.block;
  const Strip strip(block, piece.lane);
  typename Strip::Judged judged[rows_per_block];
  constexpr std::size_t bytes = Strip::vectors * sizeof(Cells) / 2;
  const char* at = piece.at;
  for (std::size_t row = block.begin; row < block.end; ++row, at += piece.columns.stride) {
    ahead.prefetch<bytes, false>();
    strip.judge(row, at, piece.columns.apart, judged[row]);
  }
  int open_rows = 0;
  std::uint64_t wrong = 0;
  for (std::size_t row = block.begin; row < block.end; ++row) {
    const auto& [open, of_vector] = judged[row];
    open_rows += open != 0 ? 1 : 0;
    for (const CellMask one : of_vector)
      wrong += static_cast<std::uint64_t>(__builtin_popcount(static_cast<unsigned>(one & ~open)));
  }
  if (open_rows > many_rows) {
    likely = Likely::open;
    return piece_counted<format, part, 4>(piece, ahead);
  }
  for (std::size_t row = block.begin; open_rows != 0 && row < block.end; ++row)
    for (unsigned cells = judged[row].open; cells != 0; cells &= cells - 1)
      wrong += cell_counted<format, part>(piece, row, static_cast<std::size_t>(__builtin_ctz(cells)));
  likely = wrong == 0 ? Likely::right : Likely::wrong;
  return wrong;
}

template <Format format, Part part>
__attribute__((noinline)) std::uint64_t narrow_counted(const Piece& piece, Ahead ahead, Likely& likely) {
  constexpr std::size_t bytes = 2 * sizeof(Cells);
  const Block& block = piece.block;
  const NarrowStrip<format, part> strip(block, piece.lane);
  alignas(64) CellMask not_sure[rows_per_block];
  Ahead next = ahead;
  const char* at = piece.at;
  for (std::size_t row = block.begin; row < block.end; ++row, at += piece.columns.stride) {
    next.prefetch<has_sines(part) && has_cosines(part) ? bytes : bytes / 2, false>();
    not_sure[row] = strip.not_sure(row, at, piece.columns.apart);
  }
  std::uint64_t rows = 0;
  for (std::size_t row = block.begin; row < block.end; ++row)
    rows |= std::uint64_t{not_sure[row] != 0} << row;
  if (rows == 0) return 0;
  if (__builtin_popcountll(rows) > many_rows) return judged_counted<format, part>(piece, ahead, likely);
  return cells_counted<format, part>(piece, not_sure, rows);
}

#endif

// The same where the group is not whole.
template <Format format, Part part>
__attribute__((noinline)) std::uint64_t last_counted(const Piece& piece, Ahead ahead) {
  LastGroup<format, part> copied;
  const Columns columns = copied.copy(piece.block, piece.columns, piece.at, piece.count);
  const Piece copy{piece.block, piece.before, piece.lane, piece.count, copied.rows, columns, piece.undecided};
  return piece_counted<format, part, 1>(copy, ahead);
}

// Of a piece and its twin, if it has one; `ahead` is moved on by what they read.
template <Format format, Part part, std::size_t groups>
POSPROOF_INLINE std::uint64_t pieces_counted(const Piece& piece, const Piece& twin, Ahead& ahead,
                                             [[maybe_unused]] Likely& likely) {
  constexpr std::size_t one =
      groups * lanes * bytes_of<format> * (has_sines(part) && has_cosines(part) ? 2 : 1);
  const std::size_t read = (piece.block.end - piece.block.begin) * one;
  const bool twins = piece.columns.twin != 0;
  const Ahead first = ahead, second{ahead.at + read};
  ahead.at += (twins ? 2 : 1) * read;
#if POSPROOF_VBMI2
  if constexpr (joins<format, part, groups>)
    if (piece.count == lanes && may_join<part>(piece.block, piece.lane, groups * lanes))
      return twins ? joined_counted<part, groups, true>(piece, twin, first)
                   : joined_counted<part, groups, false>(piece, twin, first);
#endif
#if POSPROOF_FMA
  if constexpr (in_singles<format> && groups == 4)
    if (likely != Likely::open && piece.count == lanes && may_narrow(piece.block, piece.lane)) {
      const auto counted =
          likely == Likely::right ? &narrow_counted<format, part> : &judged_counted<format, part>;
      std::uint64_t wrong = counted(piece, first, likely);
      if (twins) wrong += counted(twin, second, likely);
      return wrong;
    }
#endif
  const auto counted =
      groups == 1 && piece.count < lanes ? &last_counted<format, part> : &piece_counted<format, part, groups>;
  std::uint64_t wrong = counted(piece, first);
  if (twins) wrong += counted(twin, second);
  return wrong;
}

// Adds to `wrong`, of each block.
template <Format format, Part part>
void count_run(const Blocks& blocks, const Columns& columns, const char* at, std::uint64_t* wrong,
               const Undecided& undecided, const Undecided& of_twins) {
  constexpr std::size_t one = (in_pairs(part) ? 2 : 1) * bytes_of<format>, most = together<format, part>();
  Ahead ahead{columns.ahead != nullptr ? columns.ahead : at};
  std::size_t done = 0;
  const auto strips = [&]<std::size_t groups>(std::size_t count) {
    const char* from = at + done * one;
    Likely likely = Likely::right;
    for (std::size_t b = 0; b < blocks.count; ++b) {
      const Block& block = blocks.first[b];
      const auto piece = [&](const char* begin, const Undecided& told) {
        return Piece{block, b * rows_per_block, columns.lane + done, count, begin, columns, told};
      };
      wrong[b] += pieces_counted<format, part, groups>(piece(from, undecided),
                                                       piece(from + columns.twin, of_twins), ahead, likely);
      from += (block.end - block.begin) * columns.stride;
    }
    done += groups * lanes;
  };
  while (done + most * lanes <= columns.count) strips.template operator()<most>(lanes);
  while (done < columns.count)
    strips.template operator()<1>(columns.count - done < lanes ? columns.count - done : lanes);
}

}  // namespace
}  // namespace posproof::exact::POSPROOF_ISA
