#pragma once
// Tokens that were turned, for one instruction set: see kernel_of.h.
#include "oracle/kernel_compare.h"

namespace posproof::oracle::POSPROOF_ISA {
namespace {

void angles_of_row(const Block& block, std::size_t row, double amplitude, const Angles& angles,
                   std::size_t width) {
  for (std::size_t lane = 0; lane < width; lane += lanes) {
    const Coarse g = coarse(block, lane);
    store(angles.sine + lane, sine_less(g, row) + g.sine_error);
    store(angles.cosine + lane, cosine_less(g, row) + g.cosine_error);
    const Doubles less = -larger(g.sine_error, g.cosine_error) - bounds::turned * amplitude;
    store(angles.less + lane, less);
#if POSPROOF_VBMI2
    store(angles.scaled_sine + lane, load<Doubles>(angles.sine + lane) * bounds::as_f32);
    store(angles.scaled_cosine + lane, load<Doubles>(angles.cosine + lane) * bounds::as_f32);
    store(angles.least + lane, less * (-bounds::doubtless * bounds::as_f32));
#endif
  }
}

// Not more than the turned pair, and by no more than 2 E less; `less` is -E.
struct Turned {
  Doubles first, second, less;
};
POSPROOF_INLINE Turned turned(const Angles& angles, std::size_t lane, Doubles x, Doubles y) {
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
  const Turned t = turned(angles, lane, value<format>(from.sine), value<format>(from.cosine));
  Open<format> wrong{};
  wrong |= differ(stored.sine, decided<format>(t.first, -t.less, wrong));
  wrong |= differ(stored.cosine, decided<format>(t.second, -t.less, wrong));
  return whole ? wrong : first_lanes(wrong, count);
}

#if POSPROOF_VBMI2
// One token, as many pairs as fill vectors of f32: how many were done, `wrong` what differs. 0 where anything
// was not sure.
template <bool paired>
POSPROOF_INLINE std::size_t token_joined(const Joining<paired>& joining, const Angles& angles,
                                         const Channels& channels, const char* x, const char* at,
                                         Sixteen& wrong) {
  constexpr std::size_t groups = paired ? 1 : 2, step = groups * lanes, one = (paired ? 2 : 1) * sizeof(float);
  const Sixteen most = _mm512_set1_epi32(0x7f000000);
  Sixteen differ = wrong;
  Sure sure = all_sure;
  std::size_t done = 0;
  for (; done + step <= channels.count; done += step) {
    Doubles first[groups], second[groups], least[groups];
#pragma GCC unroll 2
    for (std::size_t k = 0; k < groups; ++k) {
      const std::size_t lane = channels.lane + done + k * lanes;
      const auto from = entries<Format::f32, part_of(paired), true>(x + (done + k * lanes) * one,
                                                                    channels.apart, lanes);
      const Doubles a = wide(from.sine), b = wide(from.cosine);
      const auto s = load<Doubles>(angles.scaled_sine + lane), c = load<Doubles>(angles.scaled_cosine + lane);
      first[k] = (Doubles)_mm512_fmsub_pd((__m512d)a, (__m512d)c, (__m512d)(b * s));
      second[k] = fma(a, s, b * c);
      least[k] = fma(abs(a) + abs(b), load<Doubles>(angles.least + lane), all(0x1p-1021));
    }
    constexpr std::size_t last = groups - 1;
    // The high halves alone: (7) cuts off what is below.
    const Sixteen high = joining.joined(joining.order.high, bits(least[0]), bits(least[last]));
    const Sixteen at_least = _mm512_min_epu32(_mm512_slli_epi32(high, 3), most);
    const auto compare = [&](Doubles p, Doubles q, const char* stored) {
      differ = _mm512_ternarylogic_epi32(differ, joining.rounded(p, q, at_least, sure), load<Sixteen>(stored),
                                         0xf6);
    };
    if constexpr (paired) {
      compare(first[0], second[0], at + done * one);
    } else {
      compare(first[0], first[last], at + done * one);
      compare(second[0], second[last], at + channels.apart + done * one);
    }
  }
  if (sure != all_sure) return 0;
  wrong = differ;
  return done;
}
#endif

template <Format format, bool paired>
bool turned_right_as(const Angles* angles, std::size_t tokens, const Channels& channels, const char* x,
                     const char* at) {
  constexpr std::size_t one = (paired ? 2 : 1) * bytes_of<format>;
  const std::size_t bytes = channels.count * one;
  Open<format> wrong{};
#if POSPROOF_VBMI2
  const Joining<paired> joining;
  Sixteen joined_wrong = _mm512_setzero_si512();
#endif
  for (std::size_t token = 0; token < tokens; ++token, x += channels.stride, at += channels.stride) {
    for (std::size_t line = 0; line < bytes; line += 64)
      for (const char* const from : {x, at}) {
        __builtin_prefetch(from + channels.ahead + line);
        if constexpr (!paired) __builtin_prefetch(from + channels.apart + channels.ahead + line);
      }
    std::size_t done = 0;
#if POSPROOF_VBMI2
    if constexpr (format == Format::f32)
      done = token_joined<paired>(joining, angles[token], channels, x, at, joined_wrong);
#endif
    for (; done + lanes <= channels.count; done += lanes)
      wrong |= group_wrong<format, paired, true>(angles[token], channels.lane + done, lanes, channels.apart,
                                                 x + done * one, at + done * one);
    if (done < channels.count)
      wrong |= group_wrong<format, paired, false>(angles[token], channels.lane + done, channels.count - done,
                                                  channels.apart, x + done * one, at + done * one);
  }
#if POSPROOF_VBMI2
  if (_mm512_test_epi32_mask(joined_wrong, joined_wrong) != 0) return false;
#endif
  return !any(wrong);
}

template <Format format, bool paired, bool whole>
POSPROOF_INLINE void turned_group(const Angles& angles, std::size_t lane, std::size_t count,
                                  std::ptrdiff_t apart, const char* x, const char* at, Found& found,
                                  const Undecided& undecided) {
  const auto from = entries<format, part_of(paired), whole>(x, apart, count);
  const auto stored = entries<format, part_of(paired), whole>(at, apart, count);
  const Turned t = turned(angles, lane, value<format>(from.sine), value<format>(from.cosine));
  const Measured first = measured<format>(Coarse{}, t.first, -t.less, value<format>(stored.sine));
  const Measured second = measured<format>(Coarse{}, t.second, -t.less, value<format>(stored.cosine));
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
void turned_compare_as(const Angles& angles, const Channels& channels, const char* x, const char* at,
                       Found& found, const Undecided& undecided) {
  constexpr std::size_t one = (paired ? 2 : 1) * bytes_of<format>;
  std::size_t done = 0;
  for (; done + lanes <= channels.count; done += lanes)
    turned_group<format, paired, true>(angles, channels.lane + done, lanes, channels.apart, x + done * one,
                                       at + done * one, found, undecided);
  if (done < channels.count)
    turned_group<format, paired, false>(angles, channels.lane + done, channels.count - done, channels.apart,
                                        x + done * one, at + done * one, found, undecided);
}

// Calls f with the format, one of the three narrow ones, and with how the channels lie.
template <class F>
POSPROOF_INLINE auto by_channels(Format format, bool paired, F f) {
  if (format == Format::f32)
    return paired ? f.template operator()<Format::f32, true>() : f.template operator()<Format::f32, false>();
  if (format == Format::bf16)
    return paired ? f.template operator()<Format::bf16, true>()
                  : f.template operator()<Format::bf16, false>();
  return paired ? f.template operator()<Format::f16, true>() : f.template operator()<Format::f16, false>();
}

bool turned_right(Format format, const Angles* angles, std::size_t tokens, const Channels& channels,
                  const void* x, const void* at) {
  return by_channels(format, channels.paired, [&]<Format one, bool paired>() {
    return turned_right_as<one, paired>(angles, tokens, channels, static_cast<const char*>(x),
                                        static_cast<const char*>(at));
  });
}

void turned_compare(Format format, const Angles& angles, const Channels& channels, const void* x,
                    const void* at, Found& found, const Undecided& undecided) {
  by_channels(format, channels.paired, [&]<Format one, bool paired>() {
    turned_compare_as<one, paired>(angles, channels, static_cast<const char*>(x),
                                   static_cast<const char*>(at), found, undecided);
  });
}

}  // namespace
}  // namespace posproof::oracle::POSPROOF_ISA
