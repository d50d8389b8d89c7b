#include "diagnosis/rotation_forms.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <functional>
#include <numeric>

#include "core/formats.h"
#include "core/function.h"

namespace posproof::rotation_forms_test {
namespace {

struct Point {
  double first, second;
};
using Rotated = Function<Point(Point x, double t, double w)>;
using Rounding = Function<double(double)>;

Point rotated(Point x, double cosine, double sine) {
  return {x.first * cosine - x.second * sine, x.first * sine + x.second * cosine};
}

// 11 bits: the 13 last of a float's 24 are rounded to the nearest, half to even.
double to_11_bits(double x) {
  const auto bits = std::bit_cast<std::uint32_t>(static_cast<float>(x));
  return std::bit_cast<float>((bits + 0xfff + (bits >> 13 & 1)) & 0xffffe000u);
}

const Rounding same = [](double x) { return x; }, bf16 = &to_bf16, f16 = &to_f16, tf32 = &to_11_bits;

// Of a double's 53 bits, bf16 has 8 and f16 has 11.
double first_8_bits(double x) {
  return std::bit_cast<double>(std::bit_cast<std::uint64_t>(x) & ~((std::uint64_t{1} << 45) - 1));
}
double first_11_bits(double x) {
  return std::bit_cast<double>(std::bit_cast<std::uint64_t>(x) & ~((std::uint64_t{1} << 42) - 1));
}

// Of all that there are up to 1: 0 to 7 times 2^-9, then 8 to 15 times a power of 2.
double nearest_e4m3(double x) {
  double best = 0;
  const auto attempt = [&](double one) {
    if (std::abs(one - std::abs(x)) < std::abs(best - std::abs(x))) best = one;
  };
  for (int n = 1; n < 8; ++n) attempt(std::ldexp(n, -9));
  for (int exponent = -9; exponent <= -3; ++exponent)
    for (int n = 8; n < 16; ++n) attempt(std::ldexp(n, exponent));
  return std::copysign(best, x);
}

Rotated of_angles(const Rounding& position, const Rounding& frequency, const Rounding& angle) {
  return [=](Point x, double t, double w) {
    const double a = angle(position(t) * frequency(w));
    return rotated(x, std::cos(a), std::sin(a));
  };
}

Rotated of_kept(const Rounding& cosine, const Rounding& sine) {
  return
      [=](Point x, double t, double w) { return rotated(x, cosine(std::cos(t * w)), sine(std::sin(t * w))); };
}

Rotated multiplied(double cosine, double sine) {
  return of_kept([=](double x) { return cosine * x; }, [=](double x) { return sine * x; });
}

// One channel of a pair by cosine and sine in that format, and where `each` is that, too, every product and
// the sum.
Rotated of_one_channel(bool second, const Rounding& kept, const Rounding& each) {
  return [=](Point x, double t, double w) {
    const double c = kept(std::cos(t * w)), s = kept(std::sin(t * w));
    Point out = rotated(x, std::cos(t * w), std::sin(t * w));
    if (second)
      out.second = each(each(x.second * c) + each(x.first * s));
    else
      out.first = each(each(x.first * c) - each(x.second * s));
    return out;
  };
}

// Row t of numpy.concatenate([linspace(c, c + n, n) for c in (0, n, 2 n, ..)]).
Rotated of_closed_intervals(int n) {
  return [n](Point x, double t, double w) {
    const auto row = static_cast<std::int64_t>(t), in_block = (row % n + n) % n, block = (row - in_block) / n;
    const double at = static_cast<double>(block * n) + n * (static_cast<double>(in_block) / (n - 1));
    return rotated(x, std::cos(at * w), std::sin(at * w));
  };
}

constexpr double amplitude = 1.25;

const std::vector<std::pair<std::string, Rotated>> forms = {
    {"angles are rounded to bf16", of_angles(same, same, bf16)},
    {"angles are rounded to f16", of_angles(same, same, f16)},
    {"positions and angles are rounded to bf16", of_angles(bf16, same, bf16)},
    {"positions, frequencies and angles are rounded to bf16", of_angles(bf16, bf16, bf16)},
    {"positions and frequencies are rounded to bf16", of_angles(bf16, bf16, same)},
    {"frequencies and angles are rounded to bf16", of_angles(same, bf16, bf16)},
    {"positions are rounded to f16: from 2049 on neighbours coincide, and past 65504 there are none",
     of_angles(f16, same, same)},
    {"positions are rounded to f16: from 2049 on neighbours coincide, and past 65504 they count as that",
     of_angles([](double t) { return std::clamp(f16(t), -65504.0, 65504.0); }, same, same)},
    {"positions, frequencies and angles are rounded to f16", of_angles(f16, f16, f16)},
    {"positions and angles are rounded to f16", of_angles(f16, same, f16)},
    {"positions and frequencies are rounded to f16", of_angles(f16, f16, same)},
    {"positions and frequencies are rounded to 11 bits, as in tf32", of_angles(tf32, tf32, same)},
    {"cosine and sine are rounded to bf16", of_kept(bf16, bf16)},
    {"cosines are rounded to bf16, sines are not", of_kept(bf16, same)},
    {"sines are rounded to bf16, cosines are not", of_kept(same, bf16)},
    {"cosine and sine are cut to bf16, not rounded", of_kept(&first_8_bits, &first_8_bits)},
    {"cosine and sine are cut to f16, not rounded", of_kept(&first_11_bits, &first_11_bits)},
    {"cosine and sine are rounded to f16", of_kept(f16, f16)},
    {"cosines are rounded to f16, sines are not", of_kept(f16, same)},
    {"sines are rounded to f16, cosines are not", of_kept(same, f16)},
    {"cosine and sine are in 8 bits: whole multiples of 1/127",
     of_kept([](double x) { return std::nearbyint(x * 127) / 127; },
             [](double x) { return std::nearbyint(x * 127) / 127; })},
    {"cosine and sine are in 8 bits: whole multiples of 1/128",
     of_kept([](double x) { return std::nearbyint(x * 128) / 128; },
             [](double x) { return std::nearbyint(x * 128) / 128; })},
    {"cosine and sine are rounded to a float of 8 bits, E4M3", of_kept(&nearest_e4m3, &nearest_e4m3)},
    {"the second channel of each pair is made from the first as it is after the rotation",
     [](Point x, double t, double w) {
       const double first = rotated(x, std::cos(t * w), std::sin(t * w)).first;
       return Point{first, rotated({first, x.second}, std::cos(t * w), std::sin(t * w)).second};
     }},
    {"the first channel of each pair is made from the second as it is after the rotation",
     [](Point x, double t, double w) {
       const double second = rotated(x, std::cos(t * w), std::sin(t * w)).second;
       return Point{rotated({x.first, second}, std::cos(t * w), std::sin(t * w)).first, second};
     }},
    {"a cosine stands in the place of each sine",
     [](Point x, double t, double w) { return rotated(x, std::cos(t * w), std::cos(t * w)); }},
    {"a sine stands in the place of each cosine",
     [](Point x, double t, double w) { return rotated(x, std::sin(t * w), std::sin(t * w)); }},
    {"the sine multiplies each channel itself, not the other one of its pair",
     [](Point x, double t, double w) {
       return Point{x.first * std::cos(t * w) - x.first * std::sin(t * w),
                    x.second * std::sin(t * w) + x.second * std::cos(t * w)};
     }},
    {"sines have no sign", of_kept(same, [](double x) { return std::abs(x); })},
    {"ln(1 + position) stands for the position",
     of_angles([](double t) { return t < 0 ? -std::log(1 - t) : std::log(1 + t); }, same, same)},
    {"the square root of the position stands for the position",
     of_angles([](double t) { return t < 0 ? -std::sqrt(-t) : std::sqrt(t); }, same, same)},
    {"in the first channel of each pair cosine and sine are rounded to bf16",
     of_one_channel(false, bf16, same)},
    {"the first channel of each pair is computed in bf16: cosine, sine, products and their sum",
     of_one_channel(false, bf16, bf16)},
    {"in the second channel of each pair cosine and sine are rounded to bf16",
     of_one_channel(true, bf16, same)},
    {"the second channel of each pair is computed in bf16: cosine, sine, products and their sum",
     of_one_channel(true, bf16, bf16)},
    {"in the first channel of each pair cosine and sine are rounded to f16",
     of_one_channel(false, f16, same)},
    {"the first channel of each pair is computed in f16: cosine, sine, products and their sum",
     of_one_channel(false, f16, f16)},
    {"in the second channel of each pair cosine and sine are rounded to f16",
     of_one_channel(true, f16, same)},
    {"the second channel of each pair is computed in f16: cosine, sine, products and their sum",
     of_one_channel(true, f16, f16)},
    {"within each 128 positions, distances from the first are 128/127 times as large: a linspace of 128 numbers "
     "over a closed interval",
     of_closed_intervals(128)},
    {"within each 256 positions, distances from the first are 256/255 times as large: a linspace of 256 numbers "
     "over a closed interval",
     of_closed_intervals(256)},
    {"within each 512 positions, distances from the first are 512/511 times as large: a linspace of 512 numbers "
     "over a closed interval",
     of_closed_intervals(512)},
    {"within each 1024 positions, distances from the first are 1024/1023 times as large: a linspace of 1024 "
     "numbers over a closed interval",
     of_closed_intervals(1024)},
    {"within each 2048 positions, distances from the first are 2048/2047 times as large: a linspace of 2048 "
     "numbers over a closed interval",
     of_closed_intervals(2048)},
    {"within each 4096 positions, distances from the first are 4096/4095 times as large: a linspace of 4096 "
     "numbers over a closed interval",
     of_closed_intervals(4096)},
    {"within each 8192 positions, distances from the first are 8192/8191 times as large: a linspace of 8192 "
     "numbers over a closed interval",
     of_closed_intervals(8192)},
    {"cosines are multiplied by 1.25, sines are not", multiplied(1, 1 / amplitude)},
    {"sines are multiplied by 1.25, cosines are not", multiplied(1 / amplitude, 1)}};

// Of the pairs (0, 2) and (4, 1) of five channels, which the answer has in reverse order.
Rotary declared() {
  Rotary out;
  out.dim = 5;
  out.heads = 2;
  out.pairs = {{.first = 0, .second = 2, .frequency = 0.3}, {.first = 4, .second = 1, .frequency = 0.7071}};
  return out;
}

// Each token of a batch of two rows and two heads by its own position.
TEST(RotationForms, are_what_they_say) {
  Rotary truth = declared();
  truth.amplitude = amplitude;
  truth.order = {4, 3, 2, 1, 0};
  const std::vector<Position> at = {777, 4097, -5, 3};
  Tensor x({2, 2, 2, 5});
  std::iota(x.data.begin(), x.data.end(), 1.0);
  const std::vector<RotationForm> all = rotation_forms(truth);
  ASSERT_EQ(all.size(), forms.size());
  for (std::size_t f = 0; f < forms.size(); ++f) {
    const auto& [words, expected] = forms[f];
    EXPECT_EQ(all[f].words, words);
    const Tensor y = all[f].rotation.rotate(x, at, Role::query);
    for (std::size_t r = 0; r < x.rows(); ++r) {
      const auto t = static_cast<double>(at[r / 4 * 2 + r % 2]);
      for (const Pair& pair : truth.pairs) {
        const Point there = expected({x.at(r, pair.first), x.at(r, pair.second)}, t, pair.frequency);
        // Angles of up to 3000 in doubles, and entries of up to 80.
        EXPECT_NEAR(y.at(r, 4 - pair.first), amplitude * there.first, 1e-10) << words << ", row " << r;
        EXPECT_NEAR(y.at(r, 4 - pair.second), amplitude * there.second, 1e-10) << words << ", row " << r;
      }
      EXPECT_EQ(y.at(r, 4 - 3), x.at(r, 3)) << words;
    }
  }
  const Tensor past =
      all[6].rotation.rotate(Tensor({1, 1, 1, 5}, {1, 1, 1, 1, 1}), std::vector<Position>{65520}, Role::key);
  EXPECT_TRUE(std::isnan(past.at(0, 4)) && std::isnan(past.at(0, 3)));
}

TEST(RotationForms, are_of_the_sum_of_two_angles) {
  const Rotary truth = declared();
  const std::vector<RotationForm> all = sum_forms(truth);
  const auto form = [&](const std::string& block, const std::string& rounded) {
    const auto one = std::ranges::find(
        all,
        "the angles of a position's block of " + block + " and of its place in it are added, with " + rounded,
        &RotationForm::words);
    EXPECT_NE(one, all.end()) << block << ", " << rounded;
    return one == all.end() ? truth : one->rotation;
  };
  // 777 is the 9th of the block that begins at 768.
  const double w = 0.3, far = 768 * w, near = 9 * w;
  const auto first_of = [](const Rotary& of) {
    Tensor x({1, 1, 1, 5});
    x.at(0, 0) = 1;
    const Tensor y = of.rotate(x, std::vector<Position>{777}, Role::query);
    return Point{y.at(0, 0), y.at(0, 2)};
  };
  const auto in_bf16 = first_of(form("64", "cosines and sines rounded to bf16"));
  // Products of 8 digits are exact in double, and their sum is rounded once.
  EXPECT_EQ(in_bf16.first,
            bf16(std::cos(far)) * bf16(std::cos(near)) - bf16(std::sin(far)) * bf16(std::sin(near)));
  EXPECT_EQ(in_bf16.second,
            bf16(std::sin(far)) * bf16(std::cos(near)) + bf16(std::cos(far)) * bf16(std::sin(near)));
  const auto sums = first_of(form("256", "cosines, sines and sums rounded to f16"));
  EXPECT_EQ(sums.first,
            f16(f16(std::cos(far)) * f16(std::cos(near)) - f16(std::sin(far)) * f16(std::sin(near))));
  const auto products = first_of(form("16", "cosines, sines, products and sums rounded to f16"));
  EXPECT_EQ(products.second, f16(f16(f16(std::sin(far)) * f16(std::cos(near))) +
                                 f16(f16(std::cos(far)) * f16(std::sin(near)))));
}

// Frequencies that the largest position of a call decides; the two forms without an amplitude are not there.
TEST(RotationForms, are_those_of_a_longer_and_a_shorter_call) {
  Rotary truth = declared();
  truth.in_call = [](Position last) {
    Rotary out = declared();
    for (Pair& pair : out.pairs) pair.frequency = 1 / static_cast<double>(last + 10);
    return std::make_shared<const Rotary>(out);
  };
  const std::vector<RotationForm> all = rotation_forms(truth);
  ASSERT_EQ(all.size(), forms.size() - 2 + 25);
  const auto angle = [&](std::size_t form, const std::vector<Position>& at) {
    Tensor x({1, 1, at.size(), 5});
    x.at(0, 0) = 1;
    return std::atan2(all[form].rotation.rotate(x, at, Role::key).at(0, 2),
                      all[form].rotation.rotate(x, at, Role::key).at(0, 0));
  };
  // An angle below 1/2 whose frequency, product, sine, cosine and arc tangent are rounded to double: by 2^-54
  // each, those of sine and cosine together by at most twice that.
  constexpr double of_angles = 5 * 0x1p-54;
  const std::size_t longer = forms.size() - 2, shorter = longer + 1;
  EXPECT_EQ(all[longer].words, "frequencies are those of a sequence that is one token longer");
  EXPECT_EQ(all[shorter].words, "frequencies are those of a sequence that is one token shorter");
  EXPECT_NEAR(angle(longer, {4, 7, 3}), 4.0 / (7 + 1 + 10), of_angles);
  EXPECT_NEAR(angle(shorter, {4, 7, 3}), 4.0 / (7 - 1 + 10), of_angles);
  EXPECT_NEAR(angle(shorter, {-4}), -4.0 / 10, of_angles) << "no call ends before 0";
  const std::vector<std::pair<std::string, double>> others = {
      {"of one token, whatever the length", 4.0 / 10},
      {"that is twice as long", 4.0 / (2 * 8 - 1 + 10)},
      {"that is half as long", 4.0 / (8 / 2 - 1 + 10)}};
  for (std::size_t n = 0; n < others.size(); ++n) {
    EXPECT_EQ(all[shorter + 1 + n].words, "frequencies are those of a sequence " + others[n].first);
    EXPECT_NEAR(angle(shorter + 1 + n, {4, 7, 3}), others[n].second, of_angles) << others[n].first;
  }
  const std::pair<std::string, double> ends[] = {
      {"the number of tokens in a row counts as the length of the call, whatever their positions", 2},
      {"the first position of a call decides on its length, not the last one", 4},
      {"the smallest position of a call decides on its length, not the largest", 3},
      {"the largest position less the smallest, and one, counts as the length of the call", 4}};
  for (std::size_t n = 0; n < std::size(ends); ++n) {
    EXPECT_EQ(all[shorter + 4 + n].words, ends[n].first);
    EXPECT_NEAR(angle(shorter + 4 + n, {4, 7, 3}), 4.0 / (ends[n].second + 10), of_angles) << ends[n].first;
  }
  // Lengths of 16 and 17, rounded up.
  std::size_t next = shorter + 8;
  for (const Position block : {16, 32, 64, 100, 128, 256, 512, 1000, 1024, 2048, 4096, 8192}) {
    EXPECT_EQ(all[next].words,
              "frequencies are those of a sequence whose length is rounded up to a multiple of " +
                  std::to_string(block));
    EXPECT_NEAR(angle(next, {4, 15, 3}), 4.0 / (static_cast<double>(block) - 1 + 10), of_angles) << block;
    EXPECT_NEAR(angle(next, {4, 16, 3}), 4.0 / (static_cast<double>(block == 16 ? 32 : block) - 1 + 10),
                of_angles)
        << block;
    ++next;
  }
  EXPECT_EQ(all[next].words,
            "frequencies are those of a sequence whose length is rounded up to a power of 2");
  EXPECT_NEAR(angle(next, {4, 15, 3}), 4.0 / (16 - 1 + 10), of_angles);
  EXPECT_NEAR(angle(next, {4, 16, 3}), 4.0 / (32 - 1 + 10), of_angles);
  EXPECT_EQ(all[next + 1].words,
            "the position of each token decides on the length of its own call, not the largest of all");
  EXPECT_EQ(all[next + 2].words, "the factor of a long sequence multiplies no rotation");
  EXPECT_EQ(all[next + 3].words, "the factor of a long sequence multiplies every rotation twice");
  // What is rounded is of the frequencies of the call itself.
  EXPECT_EQ(all[0].words, "angles are rounded to bf16");
  EXPECT_NEAR(angle(0, {4, 7, 3}), to_bf16(4.0 / (7 + 10)), of_angles);
}

// The factor is that of the call, whose largest position decides on it.
TEST(RotationForms, leave_out_the_factor_of_a_call_or_take_it_twice) {
  Rotary truth = declared();
  truth.in_call = [](Position last) {
    Rotary out = declared();
    out.amplitude = last > 5 ? 1.5 : 1;
    return std::make_shared<const Rotary>(out);
  };
  truth.rotate = [](const Tensor& x, const Positions& at, Role) {
    Tensor y = x;
    for (double& one : y.data) one *= std::ranges::max(at) > 5 ? 1.5 : 1;
    return y;
  };
  const std::vector<RotationForm> all = rotation_forms(truth);
  const auto first = [&](std::size_t form, const std::vector<Position>& at) {
    Tensor x({1, 1, at.size(), 5});
    x.at(0, 0) = x.at(0, 3) = 1;
    const Tensor y = all[form].rotation.rotate(x, at, Role::key);
    EXPECT_EQ(y.at(0, 3), 1) << "a channel that does not rotate";
    return y.at(0, 0);
  };
  const std::size_t none = all.size() - 2, twice = all.size() - 1;
  EXPECT_EQ(first(none, {0, 7}), 1);
  EXPECT_EQ(first(none, {0, 5}), 1);
  EXPECT_EQ(first(twice, {0, 7}), 2.25);
  EXPECT_EQ(first(twice, {0, 5}), 1);
}

// What a role's tokens are multiplied by with their position stays as it is.
TEST(RotationForms, are_stretched_as_declared) {
  Rotary truth = declared();
  truth.amplitude = 2;
  truth.stretch = [](const Pair& pair, double t, Role role) {
    return role == Role::key ? 1 : (pair.first == 0 ? 3 : 5) * t;
  };
  const RotationForm of_bf16 = rotation_forms(truth).front();
  Tensor x({1, 1, 1, 5}, {1, 1, 0, 0, 0});
  const std::vector<Position> at = {7};
  const Tensor query = of_bf16.rotation.rotate(x, at, Role::query),
               key = of_bf16.rotation.rotate(x, at, Role::key);
  // Cosine, sine and hypot are off by an ulp each, two products of each component and the size by half of
  // one.
  constexpr double of_1 = 8 * 0x1p-52;
  EXPECT_NEAR(std::hypot(query.at(0, 0), query.at(0, 2)), 2 * 3 * 7, 42 * of_1);
  EXPECT_NEAR(std::hypot(query.at(0, 1), query.at(0, 4)), 2 * 5 * 7, 70 * of_1);
  EXPECT_NEAR(std::hypot(key.at(0, 0), key.at(0, 2)), 2, 2 * of_1);
}

}  // namespace
}  // namespace posproof::rotation_forms_test
