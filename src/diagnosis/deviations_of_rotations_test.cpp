// What is measured of a wrong rotation, in sentences: its frequencies, ramps, channels, cosines and sines.
#include "diagnosis/testing/wrong_encodings.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <span>
#include <string>

#include "core/by_row.h"
#include "core/formats.h"
#include "core/function.h"

namespace posproof::deviations_of_rotations_test {
namespace {

using namespace testing;

TEST(Deviations, of_frequencies) {
  const double d = 16;
  const auto power = [d](double base, double exponent) { return std::pow(base, -exponent / d); };
  const std::string dim = "dim=16";
  const Precision f64 = Precision::parse("f32/f64");
  expect_said(
      "rope",
      {{dim,
        with_frequencies([=](std::size_t i, double) { return std::exp(-2.0 * double(i) / d * 4); }),
        {"frequencies are base^(-2i/16) with base 54.598, not 10000: the logarithm of the base is taken to "
         "base 10"}},
       {dim,
        with_frequencies(
            [=](std::size_t i, double) { return std::exp2(-2.0 * double(i) / d * std::log(1e4)); }),
        {"frequencies are base^(-2i/16) with base 592.36, not 10000: 2 is raised to the power in the place of "
         "e"}},
       {dim,
        with_frequencies([=](std::size_t i, double) { return power(21.3, 2.0 * double(i)); }),
        {"frequencies are base^(-2i/16) with base 21.3, not 10000"}},
       {dim,
        with_frequencies([=](std::size_t i, double) { return power(500000, 2.0 * double(i)); }),
        {"frequencies are base^(-2i/16) with base 500000, not 10000"}},
       {dim,
        with_frequencies([=](std::size_t i, double) { return power(1e4, 2.0 * double(i) + 1); }),
        {"frequencies are base^(-(2i + 1)/16), not base^(-2i/16)"}},
       {dim,
        with_frequencies([=](std::size_t i, double) { return std::pow(1e4, -2.0 * double(i) / 14); }),
        {"frequencies are base^(-2i/16) with base 37276, not 10000: 2i is divided by 14, not by 16"}},
       {dim,
        with_frequencies([=](std::size_t i, double) { return std::pow(1e3, -2.0 * double(i) / 16) * 0.7; }),
        {"frequencies are 0.7 times base^(-2i/16) with base 1000, not 10000"}},
       {dim, with_frequencies([](std::size_t, double w) { return -w; }), {"positions have the other sign"}},
       {dim,
        with_frequencies([](std::size_t, double w) { return w / 8; }),
        {"every pair rotates at 1/8 of the declared frequency"}},
       {dim,
        with_frequencies([](std::size_t, double w) { return 0.75 * w; }),
        {"every pair rotates at 0.75 times the declared frequency"}},
       {dim,
        with_frequencies([](std::size_t, double w) { return 5 * w; }),
        {"every pair rotates at 5 times the declared frequency"}},
       {dim,
        with_frequencies([](std::size_t i, double w) { return i >= 5 ? w / 8 : w; }),
        {"pairs 5 to 7 rotate at 1/8 of the declared frequency"}},
       {dim,
        with_frequencies([](std::size_t i, double w) { return i >= 6 ? 0 : w; }),
        {"pairs 6 and 7 do not rotate"}},
       {dim,
        with_frequencies([](std::size_t i, double w) { return i == 7 ? 0 : w; }),
        {"pair 7 does not rotate"}},
       {dim,
        with_frequencies([](std::size_t i, double w) { return i == 3 ? w * (1 + 3e-6) : w; }),
        {"pair 3 rotates too fast by a relative 3e-06"}},
       {dim,
        with_frequencies([](std::size_t i, double w) { return i == 3 ? w * (1 + 3e-7) : w; }),
        {"pair 3 rotates too fast by a relative 3e-07"},
        f64},
       {dim,
        with_frequencies([](std::size_t, double w) { return w * (1 - 3e-7); }),
        {"every pair rotates too slowly by a relative 3e-07"},
        f64},
       {dim,
        with_frequencies([](std::size_t i, double w) { return i == 2 ? -w : w; }),
        {"pair 2 rotates backwards"}},
       {dim,
        with_frequencies([=](std::size_t i, double) { return power(1e4, 2.0 * (7 - double(i))); }),
        {"the frequencies stand in reverse order: pair i has that of pair 7 - i"}},
       {dim,
        with_frequencies([=](std::size_t i, double) { return power(1e4, 2.0 * double(i / 2)); }),
        {"pair i rotates at the frequency of pair floor(i/2)"}},
       {dim,
        with_frequencies([](std::size_t, double) { return 1; }),
        {"every pair rotates at the frequency of pair 0"}},
       {dim,
        with_frequencies([](std::size_t, double w) { return to_bf16(w); }),
        {"frequencies are rounded to bf16"}}});
}

TEST(Deviations, of_parts_of_a_position) {
  const auto ahead = [](long double by) {
    Turning turned;
    turned.position = [by](Position t) { return static_cast<long double>(t) + by; };
    return turning(turned);
  };
  expect_said("rope", {{"dim=16", ahead(0.5L), {"positions are 0.5 ahead"}},
                       {"dim=16", ahead(-0.25L), {"positions are 0.25 behind"}}});
}

TEST(Deviations, of_ramps) {
  const auto other = [](const std::string& changed) {
    return [changed](const Parameters& parameters) {
      Parameters with_others = parameters;
      const Case words = Case::parse(changed);
      for (const auto& [name, value] : words.fields()) with_others.set(name, value);
      const Encoding right = encoding_named("rope").make(parameters),
                     made = encoding_named("rope").make(with_others);
      return answered_by(right, [made](const Call& call) { return answer(made, call); });
    };
  };
  const std::string llama = "dim=64 scaling=llama3", yarn = "dim=64 scaling=yarn original_length=512",
                    yarn_of_64 = "dim=64 scaling=yarn factor=4 original_length=4096";
  expect_said(
      "rope",
      {{llama, other("scaling=none"), {"frequencies are not scaled"}},
       {llama, other("scaling=linear"), {"every frequency is divided by 8, without a ramp"}},
       {llama,
        other("high_freq_factor=8"),
        {"the ramp runs from 1 to 8 rotations in original_length, not from 1 to 4"}},
       {llama,
        other("low_freq_factor=1.5"),
        {"the ramp runs from 1.5 to 4 rotations in original_length, not from 1 to 4"}},
       {yarn, other("attention_factor=1"), {"no rotation is multiplied by 1.20794"}},
       {yarn, other("attention_factor=1.5"), {"every rotation is multiplied by 1.5, not by 1.20794"}},
       {yarn, other("beta_fast=16"), {"the ramp runs from pair 5 to pair 16"}},
       {yarn_of_64,
        other("original_length=16384"),
        {"the ramp runs from pair 15 to pair 28: that of original_length 16384, the declared one times the factor"}},
       {yarn_of_64, other("original_length=8192"), {"the ramp runs from pair 12 to pair 25"}},
       {yarn_of_64 + " base=1000000",
        with_frequencies([](std::size_t i, double) {
          const double share = std::clamp((double(i) - 10) / (23 - 10), 0.0, 1.0);
          return std::pow(1e6, -2 * double(i) / 64) * (1 - share + share / 4);
        }),
        {"the ramp runs from pair 10 to pair 23: as with base 10000, not 1000000"}},
       {yarn,
        other("scaling=none"),
        {"frequencies are not scaled", "no rotation is multiplied by 1.20794"}}});
}

// Defects that are said of one ladder do not stand for one that the length of the call chooses.
TEST(Deviations, of_the_length_of_a_call) {
  const std::string words =
      "dim=8 scaling=longrope factor=4 original_length=64 short_factors=[1,1.1,1.2,1.3] factors=[2,3,4,5]";
  const auto short_ones = [](const Parameters& parameters) {
    auto out = as<Rotary>(encoding_named("rope").make(parameters));
    out.rotate = [in_call = out.in_call](const Tensor& x, const Positions& positions, Role role) {
      return in_call(0)->rotate(x, positions, role);
    };
    return Encoding(out);
  };
  EXPECT_EQ(said("rope", words, short_ones),
            (Sentences{"frequencies are those of a sequence of one token, whatever the length"}));
  for (const auto& [family, defects] : catalogue::defects())
    for (const Defect& defect : defects->defects)
      if (family == "rope" && (defect.name == "fast_trig" || defect.name == "frequencies_in_f32")) {
        EXPECT_THROW(defect.make(with(encoding_named("rope"), Case::parse(words))), Refusal) << defect.name;
      }
}

TEST(Deviations, of_channels) {
  const std::string dim = "dim=16";
  const auto permuted = [](Function<std::size_t(std::size_t)> from) {
    return spoiled("rope", [from](const Call&, Tensor& out) {
      const Tensor before = out;
      for (std::size_t r = 0; r < out.rows(); ++r)
        for (std::size_t c = 0; c < out.width(); ++c) out.at(r, c) = before.at(r, from(c));
    });
  };
  const auto times = [](Function<double(std::size_t)> factor) {
    return spoiled("rope", [factor](const Call&, Tensor& out) {
      for (std::size_t r = 0; r < out.rows(); ++r)
        for (std::size_t c = 0; c < out.width(); ++c) out.at(r, c) *= factor(c);
    });
  };
  expect_said(
      "rope",
      {{dim,
        rotating([](std::size_t, double& x, double& y, double c, double s) {
          const double a = x;
          x = a * c + y * s;
          y = a * s + y * c;
        }),
        {"the sine in the first channel of each pair has the wrong sign"}},
       {dim,
        rotating([](std::size_t, double& x, double& y, double c, double s) {
          const double a = x;
          x = a * c - y * s;
          y = -a * s + y * c;
        }),
        {"the sine in the second channel of each pair has the wrong sign"}},
       {dim,
        rotating([](std::size_t i, double& x, double& y, double c, double s) {
          const double a = x;
          x = a * c - y * s;
          y = (i == 4 ? -1 : 1) * a * s + y * c;
        }),
        {"the sine in the second channel of pair 4 has the wrong sign"}},
       {dim,
        rotating([](std::size_t i, double& x, double& y, double c, double s) {
          if (i == 7) return;
          const double a = x;
          x = a * c - y * s;
          y = a * s + y * c;
        }),
        {"pair 7 does not rotate"}},
       {dim,
        rotating([](std::size_t i, double& x, double& y, double c, double s) {
          const double a = x;
          if (i != 2) x = a * c - y * s;
          if (i != 5) y = a * s + y * c;
        }),
        {"channels 2 and 13 stay as they are"}},
       {dim,
        rotating([](std::size_t, double& x, double& y, double c, double s) {
          y = x * s + y * c;
          x = x * c - y * s;
        }),
        {"the first channel of each pair is made from the second as it is after the rotation"}},
       {"dim=16 layout=interleaved",
        permuted([](std::size_t c) { return c < 8 ? 2 * c : 2 * (c - 8) + 1; }),
        {"the answer is the same after one permutation of its channels: evens then odds"}},
       {dim,
        permuted([](std::size_t c) { return c % 2 == 0 ? c / 2 : 8 + c / 2; }),
        {"the answer is the same after one permutation of its channels: both halves interleaved"}},
       {dim,
        permuted([](std::size_t c) { return 15 - c; }),
        {"the answer has its channels in reverse order"}},
       {dim,
        permuted([](std::size_t c) { return (c + 8) % 16; }),
        {"the two components of each rotated pair are swapped"}},
       {dim,
        permuted([](std::size_t c) { return c < 4 || c > 11 ? c
                                            : c < 8         ? c + 4
                                                            : c - 4; }),
        {"channels 4 to 7 and 8 to 11 of the answer are in each other's place"}},
       {dim, times([](std::size_t) { return 4; }), {"every rotation is multiplied by sqrt(16), not by 1"}},
       {dim,
        times([](std::size_t) { return 0.25; }),
        {"every rotation is multiplied by 1/sqrt(16), not by 1"}},
       {dim, times([](std::size_t) { return 1.2; }), {"every rotation is multiplied by 1.2, not by 1"}},
       {dim, times([](std::size_t c) { return c == 5 ? 2 : 1; }), {"channel 5 is multiplied by 2, not by 1"}},
       {dim, times([](std::size_t c) { return c == 5 || c == 6 ? 0 : 1; }), {"channels 5 and 6 are 0"}},
       {dim, times([](std::size_t) { return -1; }), {"every rotated channel has the wrong sign"}},
       {"dim=16 rotary_dim=8",
        times([](std::size_t c) { return c > 12 ? 0 : 1; }),
        {"channels 13 to 15 are 0"}}});
}

// Cosine and sine as they are kept, in the channels of the answer wherever these stand.
TEST(Deviations, of_cosines_or_sines_alone) {
  const auto kept = [](Function<double(double)> cosine, Function<double(double)> sine) {
    return rotating([=](std::size_t, double& x, double& y, double c, double s) {
      const double a = x;
      c = cosine(c), s = sine(s);
      x = a * c - y * s;
      y = a * s + y * c;
    });
  };
  const auto same = [](double x) { return x; };
  const auto times = [](double factor) { return [factor](double x) { return factor * x; }; };
  const auto cut = [](double step) {
    return [step](double x) {
      const double unit = std::exp2(std::floor(std::log2(std::abs(x)))) * step;
      return x == 0 ? x : std::trunc(x / unit) * unit;
    };
  };
  const auto cut_to_8 = cut(0x1p-7), cut_to_11 = cut(0x1p-10);
  const std::string yarn =
      "dim=16 scaling=yarn attention_factor=1.25 layout=interleaved output_layout=half_split";
  expect_said("rope",
              {{"dim=16", kept(&to_bf16, same), {"cosines are rounded to bf16, sines are not"}},
               {"dim=16", kept(same, &to_bf16), {"sines are rounded to bf16, cosines are not"}},
               {"dim=16", kept(&to_f16, same), {"cosines are rounded to f16, sines are not"}},
               {"dim=16", kept(same, &to_f16), {"sines are rounded to f16, cosines are not"}},
               {"dim=16", kept(cut_to_8, cut_to_8), {"cosine and sine are cut to bf16, not rounded"}},
               {"dim=16", kept(cut_to_11, cut_to_11), {"cosine and sine are cut to f16, not rounded"}},
               {yarn, kept(same, times(0.8)), {"cosines are multiplied by 1.25, sines are not"}},
               {yarn, kept(times(0.8), same), {"sines are multiplied by 1.25, cosines are not"}}});
}

// Of a program nothing is known but what it answers: not in which order it gives its channels.
TEST(Deviations, of_a_program_that_gives_channels_in_another_order) {
  const auto foreign = [](const Make& make) {
    return [make](const Parameters& parameters) -> Encoding {
      Rotary made = as<Rotary>(make(parameters));
      made.order.clear();
      made.amplitude = 1;
      return made;
    };
  };
  const std::string moved = "dim=16 layout=interleaved output_layout=half_split scaling=linear factor=4";
  const auto half = with_frequencies([](std::size_t, double w) { return w / 2; });
  const auto last = rotating([](std::size_t pair, double& x, double& y, double c, double s) {
    if (pair == 7) return;
    const double a = x;
    x = a * c - y * s, y = a * s + y * c;
  });
  expect_said("rope", {{moved, foreign(half), {"every pair rotates at 1/2 of the declared frequency"}},
                       {moved, foreign(last), {"pair 7 does not rotate"}}});
}

TEST(Deviations, of_the_length_that_frequencies_are_made_for) {
  const auto longer = [](Position more) {
    return [more](const Parameters& parameters) -> Encoding {
      const auto right = as<Rotary>(encoding_named("rope").make(parameters));
      Rotary out = right;
      out.rotate = [=](const Tensor& x, const Positions& positions, Role role) {
        Position last = 0;
        for (std::size_t token = 0; token < positions.size(); ++token)
          last = std::max(last, static_cast<Position>(positions.at(token)));
        return in_call(right, std::max<Position>(0, last + more))->rotate(x, positions, role);
      };
      return out;
    };
  };
  const std::string words = "dim=16 scaling=dynamic_ntk original_length=4 factor=2";
  expect_said("rope",
              {{words, longer(1), {"frequencies are those of a sequence that is one token longer"}},
               {words, longer(-1), {"frequencies are those of a sequence that is one token shorter"}}});
  const auto of_each_row = [&](const Parameters& parameters) -> Encoding {
    return by_row(as<Rotary>(longer(1)(parameters)));
  };
  expect_said("rope", {{words + " length_of=row",
                        of_each_row,
                        {"frequencies are those of a sequence that is one token longer"}}});
}

// The whole call's last position less its first, as a program counts tokens that are numbered from anywhere.
TEST(Deviations, of_the_span_of_a_call) {
  const auto of_span = [](Position more) {
    return [more](const Parameters& parameters) -> Encoding {
      const auto right = as<Rotary>(encoding_named("rope").make(parameters));
      Rotary out = right;
      out.rotate = [=](const Tensor& x, const Positions& positions, Role role) {
        Position span = 0;
        if (!positions.empty()) span = std::ranges::max(positions) - std::ranges::min(positions);
        return in_call(right, span / more)->rotate(x, positions, role);
      };
      return out;
    };
  };
  const std::string words = "dim=16 scaling=dynamic_ntk original_length=4 factor=2";
  expect_said("rope",
              {{words,
                of_span(1),
                {"the largest position less the smallest, and one, counts as the length of the call"}},
               {words, of_span(3), {}}});
}

// A cache that grows by blocks is made for the end of the last one; and one made for each token alone.
TEST(Deviations, of_lengths_that_are_rounded_up_and_of_tokens_alone) {
  using Length = Position (*)(Position length);
  const auto of_length = [](Length other) {
    return [other](const Parameters& parameters) -> Encoding {
      const auto right = as<Rotary>(encoding_named("rope").make(parameters));
      Rotary out = right;
      out.rotate = [=](const Tensor& x, const Positions& positions, Role role) {
        const Position last = positions.empty() ? 0 : std::ranges::max(positions);
        return in_call(right, other(last + 1) - 1)->rotate(x, positions, role);
      };
      return out;
    };
  };
  const auto of_each_token = [](const Parameters& parameters) -> Encoding {
    const auto right = as<Rotary>(encoding_named("rope").make(parameters));
    Rotary out = right;
    out.rotate = [=](const Tensor& x, const Positions& positions, Role role) {
      const std::size_t heads = x.shape[1], n = x.shape[2];
      Tensor y(x.shape), one({1, heads, 1, x.width()});
      for (std::size_t r = 0; r < x.rows(); ++r) {
        const Position t = positions[r / (heads * n) * n + r % n];
        for (std::size_t h = 0; h < heads; ++h) std::ranges::copy(x.row(r), one.row(h).begin());
        const Tensor rotated = right.rotate(one, {&t, 1}, role);
        std::ranges::copy(rotated.row(r / n % heads), y.row(r).begin());
      }
      return y;
    };
    return out;
  };
  const std::string
      dynamic = "dim=16 scaling=dynamic_ntk original_length=4 factor=2",
      divided =
          "dim=8 scaling=longrope original_length=64 factor=8 factors=[1,1.5,2,4] "
          "short_factors=[1,1.1,1.2,1.5]",
      alone =
          "the position of each token decides on the length of its own call, not the largest of "
          "all";
  expect_said("rope",
              {{dynamic,
                of_length([](Position length) { return (length + 255) / 256 * 256; }),
                {"frequencies are those of a sequence whose length is rounded up to a multiple of 256"}},
               {dynamic,
                of_length([](Position length) {
                  return static_cast<Position>(std::bit_ceil(static_cast<std::uint64_t>(length)));
                }),
                {"frequencies are those of a sequence whose length is rounded up to a power of 2"}},
               {dynamic, of_each_token, {alone}},
               {divided, of_each_token, {alone}},
               {divided + " heads=3", of_each_token, {alone}}});
}

// Of 8 pairs the first 4 rotate, by the frequencies that they would have without the others.
TEST(Deviations, count_pairs_that_do_not_rotate_in_the_divisor) {
  const auto compressed = [](const Parameters& parameters) -> Encoding {
    Rotary out = as<Rotary>(encoding_named("rope").make(parameters));
    out.rotate = [pairs = out.pairs](const Tensor& x, std::span<const Position> positions, Role) {
      Tensor y = x;
      const std::size_t heads = x.shape[1], n = x.shape[2];
      for (std::size_t r = 0; r < x.rows(); ++r)
        for (const Pair& pair : pairs) {
          const auto t = static_cast<double>(positions[r / (heads * n) * n + r % n]);
          const double angle = t * std::pow(10000, -2.0 * static_cast<double>(pair.index) / 8),
                       a = x.at(r, pair.first), b = x.at(r, pair.second);
          y.at(r, pair.first) = a * std::cos(angle) - b * std::sin(angle);
          y.at(r, pair.second) = a * std::sin(angle) + b * std::cos(angle);
        }
      return y;
    };
    return out;
  };
  EXPECT_EQ(
      said("rope", "dim=16 kept_pairs=4", compressed),
      Sentences{
          "frequencies are base^(-2i/16) with base 100000000, not 10000: 2i is divided by 8, not by 16"});
}

}  // namespace
}  // namespace posproof::deviations_of_rotations_test
