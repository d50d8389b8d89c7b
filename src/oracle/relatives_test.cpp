// RoPE's relatives against numbers that were computed apart from them, by another route.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "catalogue/encodings/attention_temperature.h"
#include "catalogue/encodings/rope.h"
#include "catalogue/encodings/xpos.h"
#include "core/by_row.h"
#include "core/call.h"
#include "core/error.h"
#include "core/testing/once_rounded.h"
#include "encodings/made.h"

namespace posproof::relatives_test {
namespace {

Rotary exact(const EncodingSpec& spec, std::string_view parameters) {
  return spec.oracle<Rotary>(with(spec, Case::parse(parameters)));
}

// What becomes of ones in every channel of one token.
std::vector<double> ones_at(const Rotary& rotary, Position t, Role role) {
  const Tensor x({1, rotary.heads, 1, rotary.dim}, std::vector<double>(rotary.heads * rotary.dim, 1));
  return rotary.rotate(x, {&t, 1}, role).data;
}

// Both were rounded relatively, by so many units together.
void expect_near(double value, double expected, double units) {
  EXPECT_NEAR(value, expected, units * unit_f64 * std::abs(expected));
}

// The bases of Hugging Face's formula, as encodings.md has them, to the digits that it gives: the last
// frequency is base^(-(d - 2) / d).
TEST(Relatives, of_dynamic_ntk_have_the_known_bases) {
  const auto base_of = [](std::string_view parameters) {
    const Rotary rotary = exact(encodings::rope, parameters);
    const double d = static_cast<double>(rotary.dim);
    return std::pow(rotary.pairs.back().frequency, -d / (d - 2));
  };
  EXPECT_NEAR(base_of("dim=128 scaling=dynamic_ntk factor=2 original_length=2048 length=4096"), 30527.737,
              5e-4);
  EXPECT_NEAR(base_of("dim=128 scaling=dynamic_ntk factor=8 original_length=2048 length=8192"), 263105.261,
              5e-4);
  EXPECT_NEAR(base_of("dim=128 scaling=dynamic_ntk factor=4 original_length=4096 length=32768"), 305921.968,
              5e-4);
  EXPECT_NEAR(base_of("dim=128 scaling=dynamic_ntk factor=4 original_length=4096 length=4096"), 10000, 1e-8);
}

// Up to the length that was trained on it is RoPE, and beyond NTK with the factor s n / L0 - (s - 1).
TEST(Relatives, of_dynamic_ntk_are_rope_and_then_ntk_of_another_factor) {
  const Rotary dynamic = exact(encodings::rope, "dim=8 scaling=dynamic_ntk factor=8 original_length=2048");
  const Rotary plain = exact(encodings::rope, "dim=8");
  const Rotary ntk = exact(encodings::rope, "dim=8 scaling=ntk factor=25");
  for (const Position t : {0, 1, 1000, 2047})
    EXPECT_EQ(ones_at(dynamic, t, Role::query), ones_at(plain, t, Role::query)) << t;
  EXPECT_EQ(ones_at(dynamic, 8191, Role::key), ones_at(ntk, 8191, Role::key));
  EXPECT_NE(ones_at(dynamic, 2048, Role::query), ones_at(plain, 2048, Role::query));
  // Of a call it is the largest position that counts, wherever it stands.
  const std::vector<Position> both = {8191, 5};
  const Tensor x({1, 1, 2, 8}, std::vector<double>(16, 1));
  const Tensor there = dynamic.rotate(x, both, Role::query), here = ntk.rotate(x, both, Role::query);
  EXPECT_EQ(there.data, here.data);
}

// Two rows, of which the first is past what was trained on: by the length of the batch both are, by that of
// each row the first alone. Its factor is 4 * 8 / 4 - 3.
TEST(Relatives, of_dynamic_ntk_are_of_the_longest_row_or_of_each) {
  const std::string words = "dim=4 heads=2 scaling=dynamic_ntk factor=4 original_length=4";
  const std::vector<Position> two_rows = {2, 7, 3, 1};
  Tensor x({2, 2, 2, 4});
  for (std::size_t n = 0; n < x.data.size(); ++n) x.data[n] = static_cast<double>(n % 7) - 3;
  const auto rotated = [&](const Rotary& rotary) { return rotary.rotate(x, two_rows, Role::key).data; };
  const auto ntk = rotated(exact(encodings::rope, "dim=4 heads=2 scaling=ntk factor=5")),
             plain = rotated(exact(encodings::rope, "dim=4 heads=2"));
  std::vector<double> row_by_row(ntk.begin(), ntk.begin() + 16);
  row_by_row.insert(row_by_row.end(), plain.begin() + 16, plain.end());
  for (const bool oracle : {true, false}) {
    const auto of = [&](const std::string& more) {
      const Parameters all = with(encodings::rope, Case::parse(words + more));
      return as<Rotary>(oracle ? encodings::rope.oracle(all) : encodings::rope.make(all));
    };
    for (const auto& [more, expected] : {std::pair{"", ntk}, {" length_of=row", row_by_row}}) {
      const Rotary rotary = of(more);
      const auto found = rotated(rotary);
      // Answers of an oracle are the nearest doubles.
      if (oracle) {
        EXPECT_EQ(found, expected) << more;
      }
      for (std::size_t n = 0; n < x.data.size(); ++n) {
        const auto t = static_cast<double>(two_rows[n / 16 * 2 + n / 4 % 2]);
        const auto reference = once_rounded(*in_row(rotary, two_rows, 2, n / 16), {&t, 1}, x.row(n / 4),
                                            std::span(expected).subspan(n / 4 * 4, 4));
        EXPECT_NEAR(found[n], expected[n], reference[n % 4] + unit_f64 * std::abs(expected[n])) << more << n;
      }
    }
    EXPECT_FALSE(is_by_row(of(" length_of=batch")));
    EXPECT_TRUE(is_by_row(of(" length_of=row")));
    // Of one row there is one length, and of another scaling none.
    EXPECT_FALSE(is_by_row(of(" length=8 length_of=row")));
  }
  const Rotary by_row = exact(encodings::rope, words + " length_of=row"),
               batch = exact(encodings::rope, words);
  for (const std::size_t row : {0u, 1u}) {
    const Position last = row == 0 ? 7 : 3;
    EXPECT_EQ(in_row(by_row, two_rows, 2, row)->pairs[1].frequency,
              in_call(by_row, last)->pairs[1].frequency);
    EXPECT_EQ(in_row(batch, two_rows, 2, row)->pairs[1].frequency, in_call(batch, 7)->pairs[1].frequency);
  }
  EXPECT_EQ(by_row.rotate(Tensor({2, 2, 0, 4}), std::vector<Position>{}, Role::query).shape,
            Shape({2, 2, 0, 4}));
}

TEST(Relatives, of_longrope_take_the_short_list_up_to_the_length_that_was_trained_on) {
  const Rotary two = exact(encodings::rope,
                           "dim=4 scaling=longrope original_length=64 short_factors=[1.25,2] factors=[4,8]");
  const Rotary brief = exact(encodings::rope, "dim=4 scaling=longrope original_length=64 factors=[1.25,2]");
  const Rotary extended = exact(encodings::rope, "dim=4 scaling=longrope original_length=64 factors=[4,8]");
  EXPECT_EQ(ones_at(two, 63, Role::query), ones_at(brief, 63, Role::query));
  EXPECT_EQ(ones_at(two, 64, Role::query), ones_at(extended, 64, Role::query));
}

// Evens, then odds: rotated in place, and then moved.
TEST(Relatives, of_neighbours_that_are_written_as_halves_are_moved_alone) {
  for (const std::string more : {"", " rotary_dim=4", " rotary_dim=4 rotary_part=last"}) {
    const Rotary moved = exact(encodings::rope, "dim=8 layout=interleaved output_layout=half_split" + more);
    const Rotary plain = exact(encodings::rope, "dim=8 layout=interleaved" + more);
    const std::vector<std::size_t> order = more.empty() ? std::vector<std::size_t>{0, 2, 4, 6, 1, 3, 5, 7}
                                           : more.find("last") == std::string::npos
                                               ? std::vector<std::size_t>{0, 2, 1, 3, 4, 5, 6, 7}
                                               : std::vector<std::size_t>{0, 1, 2, 3, 4, 6, 5, 7};
    EXPECT_EQ(moved.order, order);
    EXPECT_EQ(moved.exact, nullptr) << "whose columns lie as the rotation has them";
    EXPECT_NE(plain.exact, nullptr);
    EXPECT_EQ(made<Rotary>(encodings::rope, "dim=8 layout=interleaved output_layout=half_split" + more).order,
              order);
    const auto there = ones_at(moved, 3, Role::query), here = ones_at(plain, 3, Role::query);
    for (std::size_t c = 0; c < 8; ++c) EXPECT_EQ(there[c], here[order[c]]) << more << " " << c;
  }
}

// d = 64: zeta_0 = 2/7, zeta_31 = 0.9776785714 (encodings.md); at 512 positions from the centre the power
// is 1. By hand zeta has 4 roundings (of 0.4, the sum, 1.4 and the quotient), its product 1, and of either
// oracle's answers the nearest double is taken: 7.
TEST(Relatives, of_xpos_have_the_known_zetas) {
  const Rotary xpos = exact(encodings::xpos, "dim=64"),
               rope = exact(encodings::rope, "dim=64 layout=interleaved");
  const auto query = ones_at(xpos, 512, Role::query), key = ones_at(xpos, 512, Role::key);
  const auto plain = ones_at(rope, 512, Role::query);
  for (std::size_t i = 0; i < 32; ++i) {
    const double zeta = (2.0 * static_cast<double>(i) / 64 + 0.4) / 1.4;
    expect_near(query[2 * i], plain[2 * i] * zeta, 7);
    expect_near(key[2 * i + 1], plain[2 * i + 1] / zeta, 7);
  }
  // Half of the last digit.
  EXPECT_NEAR(query[0] / plain[0], 0.2857142857, 5e-11);
  EXPECT_NEAR(query[62] / plain[62], 0.9776785714, 5e-11);
  // Exactly RoPE at the centre.
  EXPECT_EQ(ones_at(exact(encodings::xpos, "dim=64 centre=512"), 512, Role::key), plain);
}

// Of the first 4 of 7 channels: those of a head of 4, and the others as they are. zeta_1 = (2/4 + 0.4) / 1.4.
TEST(Relatives, of_xpos_rotate_and_scale_a_part_of_the_head) {
  for (const std::string layout : {"interleaved", "half_split"}) {
    const std::string words = " base=10 scale_base=64 centre=8 layout=" + layout;
    for (const Role role : {Role::query, Role::key}) {
      const auto whole = ones_at(exact(encodings::xpos, "dim=4" + words), 72, role);
      for (const Rotary& part : {exact(encodings::xpos, "dim=7 rotary_dim=4" + words),
                                 made<Rotary>(encodings::xpos, "dim=7 rotary_dim=4" + words)}) {
        const auto own = ones_at(part, 72, role);
        for (std::size_t c = 0; c < 4; ++c)
          expect_near(own[c], whole[c], 2);  // the nearest double, of either
        EXPECT_EQ(std::vector<double>(own.begin() + 4, own.end()), std::vector<double>(3, 1));
      }
      const std::size_t first = layout == "interleaved" ? 2 : 1;
      EXPECT_NEAR(std::hypot(whole[first], whole[3]),
                  std::numbers::sqrt2 * std::pow(0.9 / 1.4, role == Role::query ? 1 : -1), 0x1p-48);
    }
  }
}

// Rows that end at 8 and at 2, of 9 and of 3 tokens, are about 4 and about 1.
TEST(Relatives, of_xpos_about_the_middle_of_each_row_are_those_about_two_positions) {
  const std::vector<Position> both = {0, 8, 2, 1}, first = {0, 8}, second = {2, 1};
  const Tensor x({2, 1, 2, 4}, std::vector<double>(16, 1)), one({1, 1, 2, 4}, std::vector<double>(8, 1));
  for (const bool oracle : {true, false}) {
    const auto of = [&](const std::string& words) {
      return oracle ? exact(encodings::xpos, "dim=4 " + words)
                    : made<Rotary>(encodings::xpos, "dim=4 " + words);
    };
    const auto rows = of("centre_at=half_of_call length_of=row").rotate(x, both, Role::key).data;
    auto apart = of("centre=4").rotate(one, first, Role::key).data;
    const auto then = of("centre=1").rotate(one, second, Role::key).data;
    apart.insert(apart.end(), then.begin(), then.end());
    EXPECT_EQ(rows, apart) << oracle;
    EXPECT_NE(of("centre_at=half_of_call").rotate(x, both, Role::key).data, apart) << oracle;
  }
}

// Computed with mpmath from two formulas. torchscale's exponents of 5 tokens are -(5 // 2 + 1) .. 1, those of
// rotary-embedding-torch -2 .. 2; at d = 4 and B = 64, of ones. The nearest doubles here and there: 2 units.
TEST(Relatives, of_xpos_about_the_middle_of_a_call_have_the_known_numbers) {
  struct Known {
    const char* words;
    Role role;
    Position t;
    std::vector<double> values;
  };
  const std::vector<Known> all = {
      {"centre_at=half_of_call_rounded_up",
       Role::query,
       4,
       {0.10115923391749356, -1.3831059069070546, 0.95261153530849599, 1.03203996152858}},
      {"centre_at=half_of_call",
       Role::query,
       4,
       {0.099198354595250129, -1.3562956626189375, 0.94605769997968009, 1.0249396696363289}},
      {"centre_at=half_of_call_rounded_up",
       Role::key,
       0,
       {0.94296768601870069, 0.94296768601870069, 0.97950208764432991, 0.97950208764432991}},
      {"centre_at=half_of_call",
       Role::key,
       0,
       {0.96160757016398004, 0.96160757016398004, 0.98628760969736138, 0.98628760969736138}}};
  const std::vector<Position> call = {0, 1, 2, 3, 4};
  const Tensor x({1, 1, 5, 4}, std::vector<double>(20, 1));
  for (const Known& one : all) {
    const std::string words = std::string("dim=4 scale_base=64 ") + one.words;
    for (const Rotary& xpos : {exact(encodings::xpos, words), made<Rotary>(encodings::xpos, words)}) {
      const Tensor y = xpos.rotate(x, call, one.role);
      for (std::size_t c = 0; c < 4; ++c)
        expect_near(y.at(static_cast<std::size_t>(one.t), c), one.values[c], 2);
    }
  }
}

// A call of 5 tokens is about 2 or 3, of 6 about 3, whichever of its tokens are asked for, of both roles.
TEST(Relatives, of_xpos_about_the_middle_of_a_call_are_those_about_a_position) {
  const auto at = [](std::string_view words, std::vector<Position> positions, Role role) {
    const Tensor x({1, 1, positions.size(), 4}, std::vector<double>(4 * positions.size(), 1));
    return exact(encodings::xpos, words).rotate(x, positions, role).data;
  };
  for (const Role role : {Role::query, Role::key}) {
    EXPECT_EQ(at("dim=4 centre_at=half_of_call", {4, 1}, role), at("dim=4 centre=2", {4, 1}, role));
    EXPECT_EQ(at("dim=4 centre_at=half_of_call", {5, 1}, role), at("dim=4 centre=3", {5, 1}, role));
    EXPECT_EQ(at("dim=4 centre_at=half_of_call_rounded_up", {4, 1}, role),
              at("dim=4 centre=3", {4, 1}, role));
    EXPECT_EQ(at("dim=4 centre_at=half_of_call_rounded_up", {0, 5}, role),
              at("dim=4 centre=3", {0, 5}, role));
  }
  for (const Rotary& xpos : {exact(encodings::xpos, "dim=4 centre_at=half_of_call"),
                             made<Rotary>(encodings::xpos, "dim=4 centre_at=half_of_call")}) {
    EXPECT_TRUE(depends_on_the_call(xpos));
    // Of a token alone the bounds are those of the farthest in a call up to it.
    const Pair& pair = xpos.pairs.front();
    for (const Position last : {999, 1000}) {
      const double at = static_cast<double>(last);
      const auto call = in_call(xpos, last);
      EXPECT_EQ(xpos.stretch_error(pair, at, all_f32), call->stretch_error(pair, 0, all_f32)) << last;
      EXPECT_EQ(xpos.stretch(pair, at, Role::key), call->stretch(pair, 0, Role::query)) << last;
    }
  }
}

// floor(8192 / 8192) = 1 at position 8191, for the first position counts as 1; and keys stay.
// The oracle's answer and the number here are the nearest doubles: 2 roundings.
TEST(Relatives, of_llama_4_grow_in_steps) {
  const Rotary steps = exact(encodings::attention_temperature, "dim=2");
  expect_near(ones_at(steps, 8190, Role::query)[1], 1, 2);
  expect_near(ones_at(steps, 8191, Role::query)[1], 1.0693147180559945, 2);
  expect_near(ones_at(steps, 16382, Role::query)[0], 1.0693147180559945, 2);
  expect_near(ones_at(steps, 16383, Role::query)[0], 1.1098612288668110, 2);
  expect_near(ones_at(steps, 16383, Role::key)[0], 1, 2);
  for (const Rotary& declared : {steps, made<Rotary>(encodings::attention_temperature, "dim=2")}) {
    EXPECT_EQ(declared.stretch(declared.pairs[0], 16383, Role::key), 1);
    expect_near(declared.stretch(declared.pairs[0], 16383, Role::query), 1.1098612288668110, 2);
  }
  const Rotary logarithm =
      exact(encodings::attention_temperature, "dim=2 form=logarithm original_length=4096");
  expect_near(ones_at(logarithm, 4095, Role::query)[0], 1, 2);
  expect_near(ones_at(logarithm, 16383, Role::query)[0], 14.0 / 12.0, 2);
}

// By hand, of both: at 512 positions from the centre the exponent is 1, and ln zeta_0 is ln(2/7) = -1.25276.
// The factor itself is off by no more than that bound in doubles, and 2/7 here by a rounding.
TEST(Relatives, may_have_their_factors_off_by_so_many_units) {
  const double zeta = 3 + 4 + 4 * std::log(3.5);
  for (const Rotary& xpos : {exact(encodings::xpos, "dim=64"), made<Rotary>(encodings::xpos, "dim=64")}) {
    const Pair& fastest = xpos.pairs.front();
    EXPECT_DOUBLE_EQ(xpos.stretch_error(fastest, 512, all_f32), (zeta + 2) * unit_f32);
    EXPECT_DOUBLE_EQ(xpos.stretch_error(fastest, 0, all_f32), 5 * unit_f32);
    const double own = (zeta + 2) + 1;
    expect_near(xpos.stretch(fastest, 512, Role::query), 2.0 / 7, own);
    expect_near(xpos.stretch(fastest, 512, Role::key), 3.5, own);
  }
  for (const Rotary& steps : {exact(encodings::attention_temperature, "dim=2 original_length=1000"),
                              made<Rotary>(encodings::attention_temperature, "dim=2 original_length=1000")})
    for (const Position t : {999, 1999, 2999, 3999})
      EXPECT_EQ(std::ranges::count(steps.positions.hard, t), 1) << t;
  // In bf16 8191 rounds to 8192, and the step is taken a position before it is due: (1 + 0.1 ln 2) - 1.
  for (const Rotary& steps : {exact(encodings::attention_temperature, "dim=2"),
                              made<Rotary>(encodings::attention_temperature, "dim=2")}) {
    const Pair& pair = steps.pairs.front();
    EXPECT_EQ(steps.stretch_error(pair, 8190, all_f32), 6 * unit_f32);
    EXPECT_EQ(steps.stretch_error(pair, 1048574, all_f32), 6 * unit_f32);  // 1 of 2^20 is 16 units
    EXPECT_EQ(steps.stretch_error(pair, 8191, {unit_bf16, unit_bf16}), 6 * unit_bf16);
    // The bound forms 1 + 0.1 ln 2 in doubles, which rounds it to 2^-52, and takes 1 off.
    EXPECT_NEAR(steps.stretch_error(pair, 8190, {unit_bf16, unit_bf16}), 6 * unit_bf16 + 0.1 * std::log(2),
                0x1p-52);
    EXPECT_EQ(steps.stretch(pair, 8191, Role::key), 1);
  }
  for (const Rotary& logarithm : {exact(encodings::attention_temperature, "dim=2 form=logarithm"),
                                  made<Rotary>(encodings::attention_temperature, "dim=2 form=logarithm")})
    EXPECT_EQ(logarithm.stretch_error(logarithm.pairs.front(), 9000, all_f32), 7 * unit_f32);
}

}  // namespace
}  // namespace posproof::relatives_test
