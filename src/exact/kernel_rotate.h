#pragma once
// Tokens that were rotated, for one instruction set: see kernel_of.h.
#include "exact/kernel_joined.h"
#include "exact/kernel_measure.h"

namespace posproof::exact::POSPROOF_ISA {
namespace {

// Not 0 in lanes where bits differ.
template <class Vector>
POSPROOF_INLINE auto differ(Vector a, Vector b) {
  if constexpr (sizeof(Vector) == sizeof(Floats))
    return (Words)a ^ (Words)b;
  else
    return wide(a ^ b);
}

void angles_of_row(const Block& block, std::size_t row, double amplitude, const Angles& angles,
                   std::size_t width) {
  for (std::size_t lane = 0; lane < width; lane += lanes) {
    const Coarse g = coarse(block, lane);
    store(angles.sine + lane, sine_less(g, row) + g.sine_error);
    store(angles.cosine + lane, cosine_less(g, row) + g.cosine_error);
    const Doubles less = -larger(g.sine_error, g.cosine_error) - bounds::rotated * amplitude;
    store(angles.less + lane, less);
#if POSPROOF_VBMI2
    store(angles.scaled_sine + lane, load<Doubles>(angles.sine + lane) * bounds::as_f32);
    store(angles.scaled_cosine + lane, load<Doubles>(angles.cosine + lane) * bounds::as_f32);
    const Floats least = narrow(less * (-bounds::surely_rounded * bounds::of_single));
    store(angles.least + lane, least);
    store(angles.least_twice + 2 * lane, zip_low(least, least, Up{}));
    store(angles.least_twice + 2 * lane + lanes, zip_high(least, least, Up{}));
#endif
  }
}

// Not more than the rotated pair, and by no more than 2 E less; `less` is -E.
struct Rotated {
  Doubles first, second, less;
};
POSPROOF_INLINE Rotated rotated(const Angles& angles, std::size_t lane, Doubles x, Doubles y) {
  const auto s = load<Doubles>(angles.sine + lane), c = load<Doubles>(angles.cosine + lane);
  const Doubles less = (abs(x) + abs(y)) * load<Doubles>(angles.less + lane);
  return {fma(x, c, fma(-y, s, less)), fma(x, s, fma(y, c, less)), less};
}

constexpr Part part_of(bool paired) {
  return paired ? Part::sine_and_cosine : Part::sine_apart_cosine;
}

template <Format format, bool paired, bool whole>
POSPROOF_INLINE Open<format> group_wrong(const Angles& angles, std::size_t lane, std::size_t count,
                                         std::ptrdiff_t apart, const char* x, const char* at) {
  const auto from = entries<format, part_of(paired), whole>(x, apart, count);
  const auto stored = entries<format, part_of(paired), whole>(at, apart, count);
  const Rotated t = rotated(angles, lane, value<format>(from.sine), value<format>(from.cosine));
  // What is rotated from no finite number is not to be right for having the same bits.
  Open<format> wrong = (Open<format>)__builtin_convertvector(~(t.less > -__builtin_huge_val()), Ints);
  wrong |= differ(stored.sine, decided<format>(t.first, -t.less, wrong));
  wrong |= differ(stored.cosine, decided<format>(t.second, -t.less, wrong));
  return whole ? wrong : first_lanes(wrong, count);
}

// What is likely to be asked for next of a row, in the order of memory.
template <bool paired>
POSPROOF_INLINE void ask_ahead(const Channels& channels, const char* x, const char* at, std::size_t bytes) {
  for (const char* from : {x + channels.ahead, at + channels.ahead}) {
    for (std::size_t line = 0; line < bytes; line += 64) __builtin_prefetch(from + line);
    if constexpr (paired) continue;
    from += channels.apart;
    for (std::size_t line = 0; line < bytes; line += 64) __builtin_prefetch(from + line);
  }
}

#if POSPROOF_VBMI2
// How large the f32s have to be that these become, by their bits: W in (7), in single precision.
template <bool paired>
POSPROOF_INLINE Sixteen least_size(const Angles& angles, std::size_t lane, const char* x,
                                   std::ptrdiff_t apart) {
  const __m512 first = _mm512_abs_ps((__m512)load<Sixteen>(x));
  const __m512 floor = _mm512_set1_ps(static_cast<float>(bounds::least_f32));
  if constexpr (paired) {
    constexpr int its_neighbour = 0xb1;
    return (Sixteen)_mm512_fmadd_ps(_mm512_add_ps(first, _mm512_permute_ps(first, its_neighbour)),
                                    (__m512)load<Sixteen>(angles.least_twice + 2 * lane), floor);
  } else {
    const __m512 second = _mm512_abs_ps((__m512)load<Sixteen>(x + apart));
    return (Sixteen)_mm512_fmadd_ps(_mm512_add_ps(first, second), (__m512)load<Sixteen>(angles.least + lane),
                                    floor);
  }
}

// As many pairs as fill a vector of f32, or two that stand apart; `wrong` is what differs. False where
// anything was not sure.
template <bool paired>
POSPROOF_INLINE bool cell_wrong(const Joining<paired>& joining, const Angles& angles, std::size_t lane,
                                std::ptrdiff_t apart, const char* x, const char* at, Sixteen& wrong) {
  constexpr std::size_t groups = paired ? 1 : 2, last = groups - 1;
  Doubles first[groups], second[groups];
#pragma GCC unroll 2
  for (std::size_t k = 0; k < groups; ++k) {
    const auto from = entries<Format::f32, part_of(paired), true>(x + k * sizeof(Floats), apart, lanes);
    const Doubles a = wide(from.sine), b = wide(from.cosine);
    const std::size_t i = lane + k * lanes;
    const auto s = load<Doubles>(angles.scaled_sine + i), c = load<Doubles>(angles.scaled_cosine + i);
    first[k] = (Doubles)_mm512_fmsub_pd((__m512d)a, (__m512d)c, (__m512d)(b * s));
    second[k] = fma(a, s, b * c);
  }
  const Sixteen at_least = least_size<paired>(angles, lane, x, apart);
  constexpr int most = __builtin_bit_cast(int, static_cast<float>(bounds::most_rounding_margin));
  Sure sure = _mm512_cmplt_epu32_mask(at_least, _mm512_set1_epi32(most)), second_sure = all_sure;
  const auto compare = [&](Doubles p, Doubles q, const char* stored, Sure& which) {
    wrong =
        _mm512_ternarylogic_epi32(wrong, joining.rounded(p, q, at_least, which), load<Sixteen>(stored), 0xf6);
  };
  if constexpr (paired) {
    compare(first[0], second[0], at, sure);
  } else {
    compare(first[0], first[last], at, sure);
    compare(second[0], second[last], at + apart, second_sure);
  }
  return (sure & second_sure) == all_sure;
}

template <bool paired>
bool verify_rotated_joined(const Angles* angles, std::size_t tokens, const Channels& channels, const char* x,
                           const char* at) {
  constexpr std::size_t groups = paired ? 1 : 2, step = groups * lanes,
                        one = (paired ? 2 : 1) * sizeof(float);
  const Joining<paired> joining;
  Sixteen wrong = _mm512_setzero_si512();
  Words others{};
  for (std::size_t token = 0; token < tokens; ++token, x += channels.stride, at += channels.stride) {
    ask_ahead<paired>(channels, x, at, channels.count * one);
    std::size_t done = 0;
    for (; done + step <= channels.count; done += step) {
      const std::size_t lane = channels.lane + done;
      const char *const from = x + done * one, *const to = at + done * one;
      Sixteen here = wrong;
      if (__builtin_expect(cell_wrong<paired>(joining, angles[token], lane, channels.apart, from, to, here),
                           1))
        wrong = here;
      else
        for (std::size_t k = 0; k < groups; ++k)
          others |=
              group_wrong<Format::f32, paired, true>(angles[token], lane + k * lanes, lanes, channels.apart,
                                                     from + k * lanes * one, to + k * lanes * one);
    }
    for (; done < channels.count; done += lanes)
      others |= group_wrong<Format::f32, paired, false>(
          angles[token], channels.lane + done, channels.count - done < lanes ? channels.count - done : lanes,
          channels.apart, x + done * one, at + done * one);
  }
  return !any(others) && _mm512_test_epi32_mask(wrong, wrong) == 0;
}
#endif

template <Format format, bool paired>
bool verify_rotated_as(const Angles* angles, std::size_t tokens, const Channels& channels, const char* x,
                       const char* at) {
#if POSPROOF_VBMI2
  if constexpr (format == Format::f32) return verify_rotated_joined<paired>(angles, tokens, channels, x, at);
#endif
  constexpr std::size_t one = (paired ? 2 : 1) * bytes_of<format>;
  Open<format> wrong{};
  for (std::size_t token = 0; token < tokens; ++token, x += channels.stride, at += channels.stride) {
    ask_ahead<paired>(channels, x, at, channels.count * one);
    std::size_t done = 0;
    for (; done + lanes <= channels.count; done += lanes)
      wrong |= group_wrong<format, paired, true>(angles[token], channels.lane + done, lanes, channels.apart,
                                                 x + done * one, at + done * one);
    if (done < channels.count)
      wrong |= group_wrong<format, paired, false>(angles[token], channels.lane + done, channels.count - done,
                                                  channels.apart, x + done * one, at + done * one);
  }
  return !any(wrong);
}

template <Format format, bool paired, bool whole>
POSPROOF_INLINE void compare_rotated_group(const Angles& angles, std::size_t lane, std::size_t count,
                                           std::ptrdiff_t apart, const char* x, const char* at, Found& found,
                                           const Undecided& undecided) {
  const auto from = entries<format, part_of(paired), whole>(x, apart, count);
  const auto stored = entries<format, part_of(paired), whole>(at, apart, count);
  const Rotated t = rotated(angles, lane, value<format>(from.sine), value<format>(from.cosine));
  const EntryError first = measured<format>(Coarse{}, t.first, -t.less, value<format>(stored.sine));
  const EntryError second = measured<format>(Coarse{}, t.second, -t.less, value<format>(stored.cosine));
  Tally<format> first_tally{}, second_tally{};
  first_tally.add(first);
  second_tally.add(second);
  first_tally.to(found.farthest_sine + lane, found.ulp_sine + lane, found.wrong, count);
  second_tally.to(found.farthest_cosine + lane, found.ulp_cosine + lane, found.wrong, count);
  if (!any(either(first.open, second.open))) return;
  for (std::size_t i = 0; i < count; ++i) {
    if (has(first.open, i)) undecided.tell(undecided.who, 0, lane + i, false);
    if (has(second.open, i)) undecided.tell(undecided.who, 0, lane + i, true);
  }
}

template <Format format, bool paired>
void compare_rotated_as(const Angles& angles, const Channels& channels, const char* x, const char* at,
                        Found& found, const Undecided& undecided) {
  constexpr std::size_t one = (paired ? 2 : 1) * bytes_of<format>;
  std::size_t done = 0;
  for (; done + lanes <= channels.count; done += lanes)
    compare_rotated_group<format, paired, true>(angles, channels.lane + done, lanes, channels.apart,
                                                x + done * one, at + done * one, found, undecided);
  if (done < channels.count)
    compare_rotated_group<format, paired, false>(angles, channels.lane + done, channels.count - done,
                                                 channels.apart, x + done * one, at + done * one, found,
                                                 undecided);
}

// Calls f with the format, one of the three narrow ones, and with how the channels lie.
template <class F>
POSPROOF_INLINE auto by_channels(Format format, bool paired, F f) {
  if (only_f32 || format == Format::f32)
    return paired ? f.template operator()<Format::f32, true>() : f.template operator()<Format::f32, false>();
  if (format == Format::bf16)
    return paired ? f.template operator()<Format::bf16, true>()
                  : f.template operator()<Format::bf16, false>();
  return paired ? f.template operator()<Format::f16, true>() : f.template operator()<Format::f16, false>();
}

bool verify_rotated(Format format, const Angles* angles, std::size_t tokens, const Channels& channels,
                    const void* x, const void* at) {
  return by_channels(format, channels.paired, [&]<Format one, bool paired>() {
    return verify_rotated_as<one, paired>(angles, tokens, channels, static_cast<const char*>(x),
                                          static_cast<const char*>(at));
  });
}

void compare_rotated(Format format, const Angles& angles, const Channels& channels, const void* x,
                     const void* at, Found& found, const Undecided& undecided) {
  by_channels(format, channels.paired, [&]<Format one, bool paired>() {
    compare_rotated_as<one, paired>(angles, channels, static_cast<const char*>(x),
                                    static_cast<const char*>(at), found, undecided);
  });
}

}  // namespace
}  // namespace posproof::exact::POSPROOF_ISA
