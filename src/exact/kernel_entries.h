#pragma once
// What is stored in a table, for one instruction set: see kernel_of.h.
#include "exact/kernel_values.h"

namespace posproof::exact::POSPROOF_ISA {
namespace {

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
#if POSPROOF_FMA
    return wide(of_f16(stored));
#else
    const Words b = wide(stored), size = b & 0x7fff;
    // As if its exponent were that of an f32, then scaled by what the biases differ: exact, subnormals too.
    const Doubles finite = wide((Floats)(size << 13)) * 0x1p112;
    const Doubles not_finite = wide((Floats)(0x7f800000u | (size << 13)));
    const Longs special = wide((Ints)(size >= 0x7c00u));
    const Longs sign = wide((Ints)(b << 16)) & INT64_MIN;
    return (Doubles)((special & bits(not_finite)) | (~special & bits(finite)) | sign);
#endif
  }
}

// The rows of a block in a group that is not whole, copied to where whole vectors may be read; 0 in the lanes
// from `count` on.
template <Format format, Part part>
struct LastGroup {
  static constexpr std::size_t vector = sizeof(Stored<format>), stride = 2 * vector;
  alignas(64) char rows[rows_per_block * stride] = {};

  POSPROOF_INLINE Columns copy(const Block& block, const Columns& columns, const char* at,
                               std::size_t count) {
    const std::size_t bytes = (in_pairs(part) ? 2 : 1) * count * bytes_of<format>;
    char* to = rows;
    for (std::size_t row = block.begin; row < block.end; ++row, at += columns.stride, to += stride) {
      __builtin_memcpy(to, at, bytes);
      if constexpr (part == Part::sine_apart_cosine) __builtin_memcpy(to + vector, at + columns.apart, bytes);
    }
    Columns ours = columns;
    ours.stride = stride;
    ours.apart = vector;
    return ours;
  }
};

// Lanes from `count` on do not count.
template <class Mask>
POSPROOF_INLINE Mask first_lanes(Mask mask, std::size_t count) {
  for (std::size_t i = count; i < lanes; ++i) mask[i] = 0;
  return mask;
}

// What will be read when these columns are done is asked for meanwhile, as many bytes as are read, and in the
// order of memory, whatever the order of reading: then every second pair of lines is enough, since the
// processor sees where it goes and brings the others. Unless lines are asked for too seldom (`often`).
struct Ahead {
  const char* at;

  template <std::size_t bytes, bool often = true>
  POSPROOF_INLINE void prefetch() {
    constexpr std::size_t line = 64, pair = 2 * line;
    if constexpr (bytes < pair || bytes % (2 * pair) == 0 || !often) {
#pragma GCC unroll 16
      for (std::size_t done = 0; done < bytes; done += line)
        if (!often || done / pair % 2 == 0) __builtin_prefetch(at + done, 0, 2);
      at += bytes;
    } else {
#pragma GCC unroll 16
      for (std::size_t done = 0; done < bytes; done += pair) {
        __builtin_prefetch(at, 0, 2);
        at += line;
        at += (~reinterpret_cast<std::uintptr_t>(at) & line) * 2;  // past the second of a pair
      }
    }
  }
};

}  // namespace
}  // namespace posproof::exact::POSPROOF_ISA
