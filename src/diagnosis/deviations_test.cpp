// What is measured of a wrong encoding, in sentences: of every defect by name at its setting and at
// a usual one, of wrong encodings that have no name, and of what is near to them.
#include "diagnosis/deviations.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <map>
#include <numbers>
#include <set>
#include <span>

#include "attention/reference_attention.h"
#include "catalogue/defects.h"
#include "core/by_row.h"
#include "core/call.h"
#include "core/formats.h"
#include "diagnosis/call_effects.h"
#include "diagnosis/testing/deviations.h"
#include "run/agreement.h"
#include "run/catalogued.h"
#include "search/trial.h"

namespace posproof::deviations_test {
namespace {

using testing::expect_same;
using testing::Make;
using testing::of_defects;
using testing::said;
using testing::Sentences;

const std::string as_at_0 = "tokens stay as they are, as at position 0";

TEST(DeviationsOfDefects, of_rope_where_more_pairs_tell_them_apart) {
  expect_same(
      of_defects("rope", "dim=16 heads=3",
                 {"angles_in_bf16", "angle_products_in_bf16", "angles_all_in_bf16", "positions_in_f16",
                  "angles_in_tf32", "exponent_one_ahead", "exponent_over_pairs_minus_one", "first_head_only",
                  "last_head_left_alone", "position_is_the_head", "exponent_over_head_dim", "fast_trig"}),
      {{"angle_products_in_bf16", {"angles are rounded to bf16"}},
       {"angles_all_in_bf16", {"positions, frequencies and angles are rounded to bf16"}},
       {"angles_in_bf16", {"positions and angles are rounded to bf16"}},
       {"angles_in_tf32",
        {"frequencies are rounded to 11 bits, as in f16 or tf32",
         "positions are rounded to 11 bits, as in f16 or tf32: from 2049 on neighbours coincide"}},
       {"exponent_one_ahead", {"frequencies are base^(-(2i + 2)/16), not base^(-2i/16)"}},
       {"exponent_over_head_dim", {"channels 0 and 8 rotate together, not channels 0 and 1"}},
       {"exponent_over_pairs_minus_one",
        {"frequencies are base^(-2i/16) with base 37276, not 10000: 2i is divided by 14, not by 16"}},
       {"fast_trig", {"every pair rotates too fast by a relative 1e-07"}},
       {"first_head_only", {"heads 1 and 2 of 3: tokens stay as they are, as at position 0"}},
       {"last_head_left_alone", {"head 2 of 3: tokens stay as they are, as at position 0"}},
       {"position_is_the_head", {"the number of the head stands for every position"}},
       {"positions_in_f16",
        {"positions are rounded to f16: from 2049 on neighbours coincide, and past 65504 there are none"}}});
}

TEST(DeviationsOfDefects, of_tables_and_biases) {
  expect_same(of_defects("sinusoidal"),
              {{"base_1000_odd_cosine",
                {"cosines: the pair rotates by 0.0316228 radians a position, up to whole turns, not by 1"}},
               {"decode_restarts_at_zero", {"after the first call a single token counts as 0"}},
               {"integer_division_exponent", {"every pair rotates at one frequency, 1 a position"}},
               {"never_added", {"the answer is 0"}},
               {"odd_tail_unwritten", {"a row is added to every row, the same at all positions"}},
               {"odd_width_raises", {}},
               {"overwritten_by_init", {}},
               {"positions_ignored", {"tokens are numbered from 0 in each row, whatever their positions"}},
               {"row_of_the_batch_element", {"positions count as 0"}},
               {"scaled_down", {"every entry is multiplied by 1/sqrt(2), not by 1"}},
               {"single_row_added_to_all", {"positions count as the number of tokens in the row"}}});
  expect_same(
      of_defects("alibi"),
      {{"cached_matrix_too_small", {}},
       {"cached_rows_not_sliced",
        {"the first call with so many tokens decides on the positions of all later ones"}},
       {"distance_in_bf16", {"distances are rounded to bf16: from 257 on neighbours coincide"}},
       {"distance_in_f16",
        {"distances are rounded to f16: from 2049 on neighbours coincide, and past 65504 they are infinite"}},
       {"distant_keys_favoured", {"the bias has the wrong sign: distant keys are favoured"}},
       {"geometric_for_any_head_count", {"slopes are 2^(-8 h/3), h = 1 .. 3: one geometric sequence"}},
       {"padding_counted", {}},
       {"slopes_from_zero", {"slopes are 2^(-8 h/1) with h from 0: the first is 1"}},
       {"slopes_of_the_first_shard", {"the second half of the heads is the first again"}},
       {"slopes_of_the_next_power", {"slopes are the first 3 of 2^(-8 k/4), k = 1, 2, 3, .."}}});
  expect_same(of_defects("t5_bias"),
              {{"decoder_bidirectional", {"half of the buckets are those of later keys, as in an encoder"}},
               {"missing_cap", {}}});
  expect_same(of_defects("learned", "length=64"),
              {{"clamps_past_the_end", {}},
               {"decode_restarts_at_zero", {"after the first call a single token counts as 0"}},
               {"offset_missing", {"every entry is 2 too small"}},  // its table is the index
               {"offset_twice", {"positions are two ahead"}},
               {"padding_counted", {}},
               {"positions_accumulate", {"every call counts on where the one before ended"}},
               {"positions_averaged_in_f16", {}},
               {"returns_zero_past_the_end", {}},
               {"single_token_without_a_row", {"in calls of one token: the answer is 0"}},
               {"table_without_room_for_its_offset", {}},
               {"wraps_past_the_end", {}}});
}

// ---- wrong encodings that have no name

using Change = std::function<void(Call&)>;
using Spoil = std::function<void(const Call&, Tensor& out)>;

// The right encoding of these parameters, asked for another call, or with another answer.
Make asked_for(const std::string& family, Change change, Spoil spoil = {}) {
  return [=](const Parameters& parameters) {
    const Encoding right = encoding_named(family).make(parameters);
    return answered_by(right, [=](Call call) {
      const Call asked = call;
      change(call);
      Tensor out = answer(right, call);
      if (spoil) spoil(asked, out);
      return out;
    });
  };
}

Make spoiled(const std::string& family, Spoil spoil) {
  return asked_for(
      family, [](Call&) {}, std::move(spoil));
}

Change at(std::function<Position(Position)> position) {
  return [=](Call& call) {
    for (Position& t : call.positions.whole) t = position(t);
  };
}

Change of_keys(Change change) {
  return [=](Call& call) {
    if (call.role == Role::key) change(call);
  };
}

// A rotation pair by pair, in the precision of the reference: channels, and the frequency that each has.
struct Turning {
  std::function<double(std::size_t pair, double declared)> frequency = [](std::size_t, double w) {
    return w;
  };
  // Of each pair, in place: x and y, cosine and sine.
  std::function<void(std::size_t pair, double& x, double& y, double c, double s)> rotate =
      [](std::size_t, double& x, double& y, double c, double s) {
        const double a = x;
        x = a * c - y * s;
        y = a * s + y * c;
      };
  std::function<long double(Position t)> position = [](Position t) { return static_cast<long double>(t); };
};

Make turning(Turning by) {
  return [by](const Parameters& parameters) {
    const Encoding made = encoding_named("rope").make(parameters);
    const Rotary right = as<Rotary>(made);
    Rotary out = right;
    out.rotate = [by, right](const Tensor& x, const Positions& positions, Role) {
      Tensor y = x;
      const std::size_t heads = x.shape[1], n = x.shape[2];
      for (std::size_t r = 0; r < x.rows(); ++r)
        for (const Pair& pair : right.pairs) {
          const long double angle =
              by.position(positions[r / (heads * n) * n + r % n]) * by.frequency(pair.index, pair.frequency);
          double &a = y.at(r, pair.first), &b = y.at(r, pair.second);
          by.rotate(pair.index, a, b, right.amplitude * static_cast<double>(std::cos(angle)),
                    right.amplitude * static_cast<double>(std::sin(angle)));
        }
      Tensor ordered = y;
      for (std::size_t r = 0; r < y.rows(); ++r)
        for (std::size_t c = 0; c < right.order.size(); ++c) ordered.at(r, c) = y.at(r, right.order[c]);
      return ordered;
    };
    return Encoding(out);
  };
}

Make frequencies(std::function<double(std::size_t, double)> frequency) {
  Turning by;
  by.frequency = std::move(frequency);
  return turning(by);
}

Make rotations(std::function<void(std::size_t, double&, double&, double, double)> rotate) {
  Turning by;
  by.rotate = std::move(rotate);
  return turning(by);
}

struct Wrong {
  std::string words;
  Make make;
  Sentences sentences;
  Precision precision = all_f32;
};

void expect_said(const std::string& family, const std::vector<Wrong>& all) {
  for (const Wrong& one : all)
    EXPECT_EQ(said(family, one.words, one.make, one.precision), one.sentences)
        << one.words << ": " << ::testing::PrintToString(one.sentences);
}

TEST(Deviations, of_frequencies) {
  const double d = 16;
  const auto power = [d](double base, double exponent) { return std::pow(base, -exponent / d); };
  const std::string dim = "dim=16";
  const Precision f64 = Precision::parse("f32/f64");
  expect_said(
      "rope",
      {{dim,
        frequencies([=](std::size_t i, double) { return std::exp(-2.0 * double(i) / d * 4); }),
        {"frequencies are base^(-2i/16) with base 54.598, not 10000: the logarithm of the base is taken to "
         "base 10"}},
       {dim,
        frequencies([=](std::size_t i, double) { return std::exp2(-2.0 * double(i) / d * std::log(1e4)); }),
        {"frequencies are base^(-2i/16) with base 592.36, not 10000: 2 is raised to the power in the place of "
         "e"}},
       {dim,
        frequencies([=](std::size_t i, double) { return power(21.3, 2.0 * double(i)); }),
        {"frequencies are base^(-2i/16) with base 21.3, not 10000"}},
       {dim,
        frequencies([=](std::size_t i, double) { return power(500000, 2.0 * double(i)); }),
        {"frequencies are base^(-2i/16) with base 500000, not 10000"}},
       {dim,
        frequencies([=](std::size_t i, double) { return power(1e4, 2.0 * double(i) + 1); }),
        {"frequencies are base^(-(2i + 1)/16), not base^(-2i/16)"}},
       {dim,
        frequencies([=](std::size_t i, double) { return std::pow(1e4, -2.0 * double(i) / 14); }),
        {"frequencies are base^(-2i/16) with base 37276, not 10000: 2i is divided by 14, not by 16"}},
       {dim,
        frequencies([=](std::size_t i, double) { return std::pow(1e3, -2.0 * double(i) / 16) * 0.7; }),
        {"frequencies are 0.7 times base^(-2i/16) with base 1000, not 10000"}},
       {dim, frequencies([](std::size_t, double w) { return -w; }), {"positions have the other sign"}},
       {dim,
        frequencies([](std::size_t, double w) { return w / 8; }),
        {"every pair rotates at 1/8 of the declared frequency"}},
       {dim,
        frequencies([](std::size_t, double w) { return 0.75 * w; }),
        {"every pair rotates at 0.75 times the declared frequency"}},
       {dim,
        frequencies([](std::size_t, double w) { return 5 * w; }),
        {"every pair rotates at 5 times the declared frequency"}},
       {dim,
        frequencies([](std::size_t i, double w) { return i >= 5 ? w / 8 : w; }),
        {"pairs 5 to 7 rotate at 1/8 of the declared frequency"}},
       {dim,
        frequencies([](std::size_t i, double w) { return i >= 6 ? 0 : w; }),
        {"pairs 6 and 7 do not rotate"}},
       {dim, frequencies([](std::size_t i, double w) { return i == 7 ? 0 : w; }), {"pair 7 does not rotate"}},
       {dim,
        frequencies([](std::size_t i, double w) { return i == 3 ? w * (1 + 3e-6) : w; }),
        {"pair 3 rotates too fast by a relative 3e-06"}},
       {dim,
        frequencies([](std::size_t i, double w) { return i == 3 ? w * (1 + 3e-7) : w; }),
        {"pair 3 rotates too fast by a relative 3e-07"},
        f64},
       {dim,
        frequencies([](std::size_t, double w) { return w * (1 - 3e-7); }),
        {"every pair rotates too slowly by a relative 3e-07"},
        f64},
       {dim,
        frequencies([](std::size_t i, double w) { return i == 2 ? -w : w; }),
        {"pair 2 rotates backwards"}},
       {dim,
        frequencies([=](std::size_t i, double) { return power(1e4, 2.0 * (7 - double(i))); }),
        {"the frequencies stand in reverse order: pair i has that of pair 7 - i"}},
       {dim,
        frequencies([=](std::size_t i, double) { return power(1e4, 2.0 * double(i / 2)); }),
        {"pair i rotates at the frequency of pair floor(i/2)"}},
       {dim,
        frequencies([](std::size_t, double) { return 1; }),
        {"every pair rotates at the frequency of pair 0"}},
       {dim,
        frequencies([](std::size_t, double w) { return to_bf16(w); }),
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
  const std::string llama = "dim=64 scaling=llama3", yarn = "dim=64 scaling=yarn original_length=512";
  expect_said("rope",
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
  const auto permuted = [](std::function<std::size_t(std::size_t)> from) {
    return spoiled("rope", [from](const Call&, Tensor& out) {
      const Tensor before = out;
      for (std::size_t r = 0; r < out.rows(); ++r)
        for (std::size_t c = 0; c < out.width(); ++c) out.at(r, c) = before.at(r, from(c));
    });
  };
  const auto times = [](std::function<double(std::size_t)> factor) {
    return spoiled("rope", [factor](const Call&, Tensor& out) {
      for (std::size_t r = 0; r < out.rows(); ++r)
        for (std::size_t c = 0; c < out.width(); ++c) out.at(r, c) *= factor(c);
    });
  };
  expect_said(
      "rope",
      {{dim,
        rotations([](std::size_t, double& x, double& y, double c, double s) {
          const double a = x;
          x = a * c + y * s;
          y = a * s + y * c;
        }),
        {"the sine in the first channel of each pair has the wrong sign"}},
       {dim,
        rotations([](std::size_t, double& x, double& y, double c, double s) {
          const double a = x;
          x = a * c - y * s;
          y = -a * s + y * c;
        }),
        {"the sine in the second channel of each pair has the wrong sign"}},
       {dim,
        rotations([](std::size_t i, double& x, double& y, double c, double s) {
          const double a = x;
          x = a * c - y * s;
          y = (i == 4 ? -1 : 1) * a * s + y * c;
        }),
        {"the sine in the second channel of pair 4 has the wrong sign"}},
       {dim,
        rotations([](std::size_t i, double& x, double& y, double c, double s) {
          if (i == 7) return;
          const double a = x;
          x = a * c - y * s;
          y = a * s + y * c;
        }),
        {"pair 7 does not rotate"}},
       {dim,
        rotations([](std::size_t i, double& x, double& y, double c, double s) {
          const double a = x;
          if (i != 2) x = a * c - y * s;
          if (i != 5) y = a * s + y * c;
        }),
        {"channels 2 and 13 stay as they are"}},
       {dim,
        rotations([](std::size_t, double& x, double& y, double c, double s) {
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
  const auto kept = [](std::function<double(double)> cosine, std::function<double(double)> sine) {
    return rotations([=](std::size_t, double& x, double& y, double c, double s) {
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
  const auto half = frequencies([](std::size_t, double w) { return w / 2; });
  const auto last = rotations([](std::size_t pair, double& x, double& y, double c, double s) {
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

TEST(Deviations, of_calls) {
  const std::string dim = "dim=16 heads=2";
  const auto first_of_row = [](Call& call, std::function<Position(Position, Position)> other) {
    const std::size_t n = call.positions.whole.size() / call.batch;
    for (std::size_t b = 0; b < call.batch && n > 0; ++b) {
      const Position first = call.positions.whole[b * n];
      for (std::size_t k = 0; k < n; ++k) {
        Position& t = call.positions.whole[b * n + k];
        t = other(t, first);
      }
    }
  };
  expect_said(
      "rope",
      {{dim, asked_for("rope", at([](Position t) { return t + 3; })), {"positions are 3 ahead"}},
       {dim, asked_for("rope", at([](Position t) { return t - 2; })), {"positions are 2 behind"}},
       {dim, asked_for("rope", at([](Position t) { return t - 1; })), {"positions are one behind"}},
       {dim,
        asked_for("rope", at([](Position t) { return t == 0 ? t : t - 1; })),
        {"positions are one behind, 0 as it is"}},
       {dim,
        asked_for("rope", at([](Position t) { return t == 0 ? 1048576 : t - 1; })),
        {"positions are one behind, and 0 counts as the last one, 1048576"}},
       {dim,
        asked_for("rope", at([](Position t) { return t / 4 * 4; })),
        {"positions are rounded down to multiples of 4"}},
       {dim,
        spoiled("rope",
                [](const Call& call, Tensor& out) {
                  const std::size_t n = out.shape[2];
                  for (std::size_t r = 0; r < out.rows(); ++r) {
                    const auto* all = &call.positions.whole[r / (2 * n) * n];
                    const std::size_t k = r % n;
                    if ((k == 0 || all[k - 1] != all[k] - 1) && (k + 1 == n || all[k + 1] != all[k] + 1))
                      std::ranges::copy(call.contents[0].row(r), out.row(r).begin());
                  }
                }),
        {"tokens beside which no neighbouring position stands, each a call of its own where an offset is "
         "taken: " +
         as_at_0}},
       {dim, asked_for("rope", at([](Position t) { return 3 * t; })), {"positions are tripled"}},
       {dim,
        asked_for("rope", at([](Position t) { return std::min<Position>(t, 3000); })),
        {"positions past 3000 count as 3000"}},
       {dim,
        asked_for("rope", at([](Position t) { return t % 32768; })),
        {"positions are taken modulo 32768"}},
       {dim,
        asked_for("rope", at([](Position t) { return t > 1000 ? 0 : t; })),
        {"positions past 1000 count as 0"}},
       {dim,
        asked_for("rope", at([](Position t) { return static_cast<Position>(static_cast<std::int16_t>(t)); })),
        {"positions are cut to 16 bits, with a sign"}},
       {dim,
        asked_for("rope", of_keys(at([](Position t) { return t + 1; }))),
        {"keys: positions are one ahead"}},
       {dim,
        asked_for(
            "rope",
            [=](Call& call) { first_of_row(call, [](Position t, Position first) { return t - first; }); }),
        {"positions are relative to the first of their row"}},
       {dim,
        asked_for("rope",
                  [](Call& call) {
                    auto& all = call.positions.whole;
                    if (all.empty()) return;
                    std::ranges::fill(all, *std::ranges::max_element(all));
                  }),
        {"every token has the largest position of the batch"}},
       {dim,
        spoiled("rope",
                [](const Call& call, Tensor& out) {
                  const std::size_t n = out.shape[2];
                  for (std::size_t r = 0; r < out.rows(); ++r)
                    if (r % n + 1 == n && n > 1)
                      std::ranges::copy(call.contents[0].row(r), out.row(r).begin());
                }),
        {"the last of several tokens: " + as_at_0}},
       {dim,
        spoiled("rope",
                [](const Call& call, Tensor& out) {
                  for (std::size_t r = 0; r < out.rows(); ++r)
                    if (r % out.shape[2] == 0) std::ranges::copy(call.contents[0].row(r), out.row(r).begin());
                }),
        {"the first token of a row: " + as_at_0}},
       {dim,
        spoiled("rope",
                [](const Call& call, Tensor& out) {
                  for (std::size_t r = 0; r < out.rows(); ++r)
                    if (call.positions.whole[r / (2 * out.shape[2]) * out.shape[2] + r % out.shape[2]] >=
                        2048)
                      std::ranges::fill(out.row(r), 0.0);
                }),
        {"at positions from 2048 on: the answer is 0"}},
       {dim,
        spoiled("rope",
                [](const Call& call, Tensor& out) {
                  for (std::size_t r = 0; r < out.rows(); ++r)
                    if (call.positions.whole[r / (2 * out.shape[2]) * out.shape[2] + r % out.shape[2]] >=
                        5000)
                      std::ranges::fill(out.row(r), std::numeric_limits<double>::quiet_NaN());
                }),
        {"at positions from 5000 on: the answer is no number"}},
       // Two at once.
       {dim,
        asked_for("rope", at([](Position t) { return t + 1; }),
                  [](const Call&, Tensor& out) {
                    for (double& value : out.data) value *= 2;
                  }),
        {"positions are one ahead", "every rotation is multiplied by 2, not by 1"}},
       {dim,
        asked_for("rope", at([](Position t) { return std::min<Position>(t, 511); }),
                  [](const Call&, Tensor& out) {
                    for (double& value : out.data) value *= 2;
                  }),
        {"every rotation is multiplied by 2, not by 1", "positions past 511 count as 511"}}});
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

TEST(CallEffects, move_positions) {
  const struct {
    std::string words;
    std::vector<Position> to;
  } all[] = {{"positions are rounded down to multiples of 2", {-6, -2, 0, 2, 36}},
             {"positions are rounded down to multiples of 4", {-8, -4, 0, 0, 36}},
             {"positions are rounded down to multiples of 8", {-8, -8, 0, 0, 32}},
             {"positions are rounded down to multiples of 16", {-16, -16, 0, 0, 32}},
             {"positions are rounded down to multiples of 32", {-32, -32, 0, 0, 32}},
             {"positions are one behind, 0 as it is", {-6, -2, 0, 2, 36}},
             {"positions are one behind, and 0 counts as the last one, 99", {-6, -2, 99, 2, 36}},
             {"positions are one ahead, the last one, 99, as it is", {-4, 0, 1, 4, 38}},
             {"positions are one ahead, and the last one, 99, counts as 0", {-4, 0, 1, 4, 38}},
             {"positions are counted back from the last one, 99", {104, 100, 99, 96, 62}}};
  std::vector<Effect> effects = known_effects(false, false);
  for (Effect& one : effects_at_the_ends({0, 99})) effects.push_back(std::move(one));
  for (const auto& [words, to] : all) {
    const auto effect = std::ranges::find(effects, words, &Effect::words);
    ASSERT_NE(effect, effects.end()) << words;
    Call call;
    call.batch = 1;
    call.positions.whole = {-5, -1, 0, 3, 37};
    EXPECT_EQ(effect->begin()(call, 0, 1).call.positions.whole, to) << words;
  }
}

TEST(Deviations, of_tables) {
  const std::string dim = "dim=16";
  const auto permuted = [](std::function<std::size_t(std::size_t)> from) {
    return spoiled("sinusoidal", [from](const Call&, Tensor& out) {
      const Tensor before = out;
      for (std::size_t r = 0; r < out.rows(); ++r)
        for (std::size_t c = 0; c < out.width(); ++c) out.at(r, c) = before.at(r, from(c));
    });
  };
  const auto entries = [](std::function<double(std::size_t, double)> other) {
    return spoiled("sinusoidal", [other](const Call&, Tensor& out) {
      for (std::size_t r = 0; r < out.rows(); ++r)
        for (std::size_t c = 0; c < out.width(); ++c) out.at(r, c) = other(c, out.at(r, c));
    });
  };
  const auto of_other = [](const std::string& changed) {
    return [changed](const Parameters& parameters) {
      Parameters others = parameters;
      const Case words = Case::parse(changed);
      for (const auto& [name, value] : words.fields()) others.set(name, value);
      const Encoding right = encoding_named("sinusoidal").make(parameters),
                     made = encoding_named("sinusoidal").make(others);
      return answered_by(right, [made](const Call& call) { return answer(made, call); });
    };
  };
  expect_said(
      "sinusoidal",
      {{dim, of_other("base=21.3"), {"frequencies are base^(-2i/16) with base 21.3, not 10000"}},
       {dim, of_other("offset=3"), {"positions are 3 ahead"}},
       {dim, of_other("amplitude=0.75"), {"every entry is multiplied by 0.75, not by 1"}},
       {dim,
        of_other("divisor=half_minus_one"),
        {"frequencies are base^(-2i/16) with base 37276, not 10000: 2i is divided by 14, not by 16"}},
       {dim,
        of_other("layout=sin_cos"),
        {"sines stand in the first half and cosines in the second, not interleaved"}},
       {dim, permuted([](std::size_t c) { return c ^ 1; }), {"cosine and sine are swapped"}},
       {dim,
        permuted([](std::size_t c) { return 15 - c; }),
        {"the frequencies stand in reverse order: pair i has that of pair 7 - i",
         "cosine and sine are swapped"}},
       {dim, permuted([](std::size_t c) { return c == 3 ? 5 : c; }), {"column 3 holds column 5"}},
       {dim, entries([](std::size_t c, double x) { return c == 5 ? 0 : x; }), {"column 5 is 0"}},
       {dim,
        entries([](std::size_t c, double x) { return c == 2 || c == 5 ? -x : x; }),
        {"columns 2 and 5 have the wrong sign"}},
       {dim,
        entries([](std::size_t, double x) { return x / 4; }),
        {"every entry is multiplied by 1/sqrt(16), not by 1"}},
       {dim, asked_for("sinusoidal", at([](Position t) { return 2 * t; })), {"positions are doubled"}},
       {dim,
        asked_for("sinusoidal", at([](Position t) { return std::min<Position>(t, 999); })),
        {"positions past 999 count as 999"}}});
  expect_said("normalized_index", {{"",
                                    asked_for("normalized_index",
                                              [](Call& call) {
                                                if (!call.positions.whole.empty()) call.length += 1;
                                              }),
                                    {"the length of the sequence counts as one more"}}});
}

// The entry of a bias, from itself, its head, and the positions of its query and key.
Make entries(const std::string& family,
             std::function<double(double, std::size_t head, Position i, Position j)> other) {
  return spoiled(family, [other](const Call& call, Tensor& out) {
    const auto &i = call.positions.whole, &j = call.keys.whole;
    for (std::size_t e = 0; e < out.data.size(); ++e)
      out.data[e] =
          other(out.data[e], e / (i.size() * j.size()), i[e / j.size() % i.size()], j[e % j.size()]);
  });
}

TEST(Deviations, of_biases) {
  using At = Position;
  const std::string id = "alibi", heads = "heads=12", both = "heads=4 form=symmetric";
  const auto slope = [](double h) { return std::exp2(-8 * (h + 1) / 4); };
  expect_said(
      id, {{heads,
            entries(id, [](double b, std::size_t, At, At) { return -b; }),
            {"the bias has the wrong sign: distant keys are favoured"}},
           {heads,
            entries(id, [](double b, std::size_t, At, At) { return 2 * b; }),
            {"every slope is twice the declared one"}},
           {heads,
            entries(id, [](double b, std::size_t, At, At) { return b * 1.01; }),
            {"every slope is 1.01 times the declared one"}},
           {heads,
            entries(id, [](double b, std::size_t head, At, At) { return head == 11 ? 0 : b; }),
            {"head 11 of 12: the answer is 0"}},
           {heads,
            entries(id, [](double b, std::size_t head, At, At) { return head == 3 ? -b : b; }),
            {"head 3 has the wrong sign"}},
           {"heads=4",
            entries(id, [=](double, std::size_t head, At i,
                            At j) { return -slope(3 - double(head)) * double(std::max<At>(0, i - j)); }),
            {"heads have the declared slopes in reverse order"}},
           {"heads=4",
            entries(id, [](double b, std::size_t head, At, At) { return head == 1 ? 3 * b : b; }),
            {"head 1 is 3 times the declared one"}},
           {"heads=4",
            entries(id, [](double, std::size_t head, At i,
                           At j) { return -double(head + 1) / 4 * double(std::max<At>(0, i - j)); }),
            {"slopes are h/4, h = 1 .. 4"}},
           {"heads=4",
            entries(id, [](double, std::size_t head, At i,
                           At j) { return -double(head * head + 1) / 8 * double(std::max<At>(0, i - j)); }),
            {"slopes are 0.125, 0.25, 0.625, 1.25, not 0.25, 0.0625, 0.015625, 0.00390625"}},
           {"heads=4",
            entries(id, [](double b, std::size_t, At i,
                           At j) { return i - j <= 1000 ? b : b * 1000 / double(i - j); }),
            {"distances past 1000 count as 1000"}},
           {both,
            entries(id, [=](double b, std::size_t, At i, At j) { return j > i ? 0 : b; }),
            {"later keys have no bias"}},
           {both,
            entries(id, [=](double b, std::size_t, At i,
                            At j) { return j > i ? -std::numeric_limits<double>::infinity() : b; }),
            {"later keys are masked: their bias is minus infinity"}},
           {"heads=4",
            asked_for(id, at([](Position t) { return t + 1; })),
            {"of queries: positions are one ahead"}},
           {"heads=4",
            asked_for(id,
                      [](Call& call) {
                        if (call.positions.whole.size() == 1) call.positions.whole[0] = 0;
                      }),
            {"in calls of one query: the answer is 0"}}});
  // One head is off by twice what rounding allows, to either side. What is guessed and answers like the
  // declared encoding does not explain that, whatever the positions that it leads to are allowed.
  const auto ragged = entries(id, [](double b, std::size_t head, At, At j) {
    return head == 8 ? b * (1 + (j % 2 == 0 ? 8e-7 : -8e-7)) : b;
  });
  expect_said(id,
              {{"heads=12 rows=key_index", ragged, {}, all_f32}, {"heads=12 rows=any", ragged, {}, all_f32}});
  const std::string t5 = "t5_bias";
  // The rows of a table of 32 buckets, whose numbers go on by 32 from head to head.
  const auto of_16_buckets = [](double more) {
    return [more](const Parameters& p) {
      Parameters other = p;
      other.set("buckets", 16.0);
      const Encoding right = encoding_named("t5_bias").make(p), made = encoding_named("t5_bias").make(other);
      return answered_by(right, [made, more](const Call& call) {
        Tensor out = answer(made, call);
        for (std::size_t r = 0; r < out.rows(); ++r)
          for (double& entry : out.row(r)) entry += more * static_cast<double>(r / call.positions.size());
        return out;
      });
    };
  };
  const Sentences fewer = {"there are 16 buckets, not 32"};
  expect_said(t5, {{"heads=3", of_16_buckets(16), fewer},
                   {"heads=3 scale=0.5", of_16_buckets(8), fewer},
                   {"heads=3 table=seeded", of_16_buckets(0), fewer},
                   {"heads=2 table=seeded",
                    [](const Parameters& p) {
                      Parameters other = p;
                      other.set("max_distance", 96.0);
                      const Encoding right = encoding_named("t5_bias").make(p),
                                     made = encoding_named("t5_bias").make(other);
                      return answered_by(right, [made](const Call& call) { return answer(made, call); });
                    },
                    {"buckets reach to distance 96, not to 128"}},
                   {"heads=2 table=seeded",
                    [](const Parameters& p) {
                      Bias right = as<Bias>(encoding_named("t5_bias").make(p));
                      right.bias = [own = right.bias](const Positions& i, const Positions& j) {
                        const std::vector<Position> a(i.begin(), i.end()), b(j.begin(), j.end());
                        Tensor out({2, a.size(), b.size()});
                        for (std::size_t r = 0; r < out.rows(); ++r)
                          for (std::size_t c = 0; c < b.size(); ++c) {
                            const Position query[] = {b[c]}, key[] = {a[r % a.size()]};
                            out.at(r, c) = own(query, key).data[r / a.size()];
                          }
                        return out;
                      };
                      return Encoding(right);
                    },
                    {"the two directions are swapped: query and key are exchanged"}}});
}

// What a function makes of each row of a head's declared logits.
using OfRow = std::function<void(std::span<double> row, const Call& call, std::size_t query)>;

Make rows_of_logits(const std::string& family, const OfRow& other) {
  return [=](const Parameters& p) {
    for (const Encoding& kind : attention::in_every_kind(encoding_named(family).make(p)))
      if (signature(kind).has(Axis::key) && signature(kind).positions)
        return answered_by(kind, [kind, other](const Call& call) {
          Tensor out = answer(kind, call);
          for (std::size_t r = 0; r < out.rows(); ++r)
            other(std::span(out.data).subspan(r * out.width(), out.width()), call, r % call.positions.size());
          return out;
        });
    throw std::logic_error("no logits");
  };
}

OfRow times(double factor) {
  return [factor](std::span<double> row, const Call&, std::size_t) {
    for (double& logit : row) logit *= factor;
  };
}

OfRow softmax(bool causal) {
  return [causal](std::span<double> row, const Call& call, std::size_t query) {
    double sum = 0, most = -std::numeric_limits<double>::infinity();
    const auto sees = [&](std::size_t j) {
      return !causal || call.keys.whole[j] <= call.positions.whole[query];
    };
    for (std::size_t j = 0; j < row.size(); ++j)
      if (sees(j)) most = std::max(most, row[j]);
    for (std::size_t j = 0; j < row.size(); ++j) sum += row[j] = sees(j) ? std::exp(row[j] - most) : 0;
    for (double& weight : row) weight /= sum;
  };
}

TEST(Deviations, of_logits) {
  const auto constant = [](std::span<double> row, const Call& call, std::size_t i) {
    for (double& logit : row) logit += 0.25 * static_cast<double>(call.positions.whole[i] % 7);
  };
  const auto nearly = [&](std::span<double> row, const Call& call, std::size_t i) {
    constant(row, call, i);
    if (row.size() > 4) row[4] *= 1 + 0x1p-21;  // 8 units of f32
  };
  const Sentences shifted = {"each query's logits have a constant more or less: equal after a softmax"},
                  weights = {"the answers are attention weights, a softmax of the declared logits"};
  const std::string dim = "dim=8";
  expect_said("rope",
              {{dim, rows_of_logits("rope", constant), shifted},
               {dim, rows_of_logits("rope", softmax(false)), weights},
               {dim,
                rows_of_logits("rope", times(std::sqrt(8.0))),
                {"every logit is sqrt(8) times the declared one: not divided by sqrt(8)"}},
               {dim,
                rows_of_logits("rope", times(1 / std::sqrt(8.0))),
                {"every logit is the declared one divided by sqrt(8) again"}},
               {dim,
                rows_of_logits("rope", times(std::numbers::log2e)),
                {"every logit is log2(e) times the declared one, as a softmax of powers of 2 takes it"}},
               {dim, rows_of_logits("rope", times(1.01)), {"every logit is 1.01 times the declared one"}}});
  expect_said("alibi", {{"heads=4", rows_of_logits("alibi", constant), shifted},
                        {"heads=4", rows_of_logits("alibi", nearly), {}},
                        {"heads=4", rows_of_logits("alibi", softmax(true)), weights}});
  expect_said("t5_bias", {{"heads=2 table=seeded", rows_of_logits("t5_bias", constant), shifted},
                          {"heads=2 table=seeded", rows_of_logits("t5_bias", softmax(false)), weights}});
}

// ---- near misses: what is nearly one of these gets no sentence

TEST(Deviations, of_what_is_near_to_one_are_none) {
  const std::string dim = "dim=16 heads=2";
  expect_said(
      "rope",
      {{dim, [](const Parameters& p) { return encoding_named("rope").make(p); }, {}},
       {dim,
        spoiled("rope",
                [](const Call&, Tensor& out) {
                  for (std::size_t r = 0; r < out.rows(); ++r) out.at(r, 15) += 1e-3;
                }),
        {}},
       {dim, asked_for("rope", at([](Position t) { return t == 511 ? t : t + 1; })), {}},
       {dim, asked_for("rope", at([](Position t) { return t == 777 ? 0 : t; })), {}},
       {dim, asked_for("rope", at([](Position t) { return t < 1000   ? t
                                                          : t < 2000 ? 999
                                                                     : 1000; })), {}},
       {dim,
        spoiled("rope",
                [](const Call&, Tensor& out) {
                  for (double& value : out.data) value = value * value;
                }),
        {}},
       {dim,
        spoiled("rope",
                [](const Call&, Tensor& out) {
                  for (double& value : out.data) value = std::numeric_limits<double>::quiet_NaN();
                }),
        {"the answer is no number"}},
       {dim,
        [](const Parameters& p) {
          return answered_by(encoding_named("rope").make(p),
                             [](const Call&) -> Tensor { throw std::runtime_error("no"); });
        },
        {}},
       {dim,
        [](const Parameters& p) {
          return answered_by(encoding_named("rope").make(p),
                             [](const Call&) -> Tensor { throw Refusal("no"); });
        },
        {}},
       // It answers as long as it is asked as agreement asks, and declines what a measurement asks.
       {dim,
        [](const Parameters& p) {
          const Encoding right = encoding_named("rope").make(p);
          return answered_by(right, [right](const Call& call) {
            if (call.batch == 1 && call.positions.whole.size() > 8) throw Refusal("too many");
            Tensor out = answer(right, call);
            for (double& value : out.data) value *= 1.01;
            return out;
          });
        },
        {"every entry is multiplied by 1.01, not by 1"}}});
}

}  // namespace
}  // namespace posproof::deviations_test
