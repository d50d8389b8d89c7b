// The recipe of frequencies: published numbers, identities between scalings, and a second derivation of every
// scaling in another library's numbers, with the error promised at every precision.
#include "exact/frequencies.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "core/encoding.h"
#include "core/function.h"
#include "exact/testing/boost_numbers.h"

namespace posproof::exact::frequencies_test {
namespace {

Geometric ladder(double base, std::int64_t d, Scaling scaling = Unscaled{}) {
  Geometric out{base, {}, std::move(scaling)};
  for (std::int64_t i = 0; i < d / 2; ++i) out.exponents.push_back({2 * i, d});
  return out;
}

std::vector<double> rounded(double base, std::int64_t d, Scaling scaling = Unscaled{}) {
  std::vector<double> out;
  for (const Real& w : exact(Frequencies{ladder(base, d, std::move(scaling))}, 128))
    out.push_back(w.nearest());
  return out;
}

void expect_relatively(double value, double golden, double digits) {
  EXPECT_NEAR(value, golden, std::abs(golden) * digits);
}

TEST(Frequencies, of_llama3_are_those_that_are_known) {
  const auto w = rounded(500000, 128, ByParts{8, 8192, 1, 4});
  expect_relatively(w[29], .0021665707635, 3e-11);
  expect_relatively(w[30], .00137189356776, 3e-11);
  expect_relatively(w[31], .00085675141292, 3e-11);
  expect_relatively(w[63], 3.06892598891e-7, 3e-11);
  const auto plain = rounded(500000, 128);
  for (std::size_t i = 0; i < 64; ++i) {
    if (i < 29) {
      EXPECT_EQ(w[i], plain[i]) << i;
    } else if (i > 34) {
      EXPECT_EQ(w[i], plain[i] / 8) << i;
    } else {
      EXPECT_TRUE(w[i] < plain[i] && w[i] > plain[i] / 8) << i;
    }
  }
}

TEST(Frequencies, of_ntk_are_those_of_another_base) {
  const auto w = rounded(10000, 128, NtkAware{8});
  for (std::size_t i = 0; i < 64; ++i)
    expect_relatively(w[i], std::pow(82684.6226, -static_cast<double>(i) / 64), 1e-9);
}

TEST(Frequencies, of_yarn_have_the_known_ramps) {
  const auto expect_ends = [](double base, std::int64_t d, double length, double first, double last) {
    const Ends found = ends(ByIndex{4, length, 32, 1}, base, d);
    EXPECT_EQ(found.first, first) << base << " " << d << " " << length;
    EXPECT_EQ(found.last, last) << base << " " << d << " " << length;
  };
  expect_ends(1e4, 128, 4096, 20, 46);
  expect_ends(1e4, 128, 2048, 16, 41);
  expect_ends(1e6, 128, 32768, 23, 40);
  expect_ends(1e4, 64, 4096, 10, 23);
  expect_ends(1.5e5, 64, 4096, 8, 18);
  const Ends unrounded = ends(ByIndex{4, 4096, 32, 1, false}, 1.5e5, 64);
  EXPECT_NEAR(unrounded.first, 8.0928, 5e-5);
  EXPECT_NEAR(unrounded.last, 17.3980, 5e-5);
}

TEST(Frequencies, of_yarn_are_those_of_the_code_and_not_of_the_paper) {
  const auto code = rounded(10000, 128, ByIndex{10, 2048, 32, 1});
  const auto paper = rounded(10000, 128, ByParts{10, 2048, 1, 32});
  expect_relatively(code[17], .0834790, 1e-5);
  expect_relatively(code[40], 4.3007e-4, 1e-5);
  EXPECT_NEAR(code[32] / paper[32], 2.56, .005);
  double most = 0;
  const auto further = rounded(10000, 128, ByIndex{32, 2048, 32, 1});
  const auto paper_further = rounded(10000, 128, ByParts{32, 2048, 1, 32});
  for (std::size_t i = 0; i < 64; ++i) most = std::max(most, further[i] / paper_further[i]);
  EXPECT_NEAR(most, 3.99, .005);
}

// Only the first end is clamped at 0, and only the last at d - 1.
TEST(Frequencies, of_yarn_keep_what_the_code_does_with_ramps_outside_the_ladder) {
  const auto plain = rounded(10000, 64), slowed = rounded(10000, 64, Interpolated{4});
  EXPECT_EQ(rounded(10000, 64, ByIndex{4, 4096, 1e12, 1e11}), plain);     // the last is below 0
  EXPECT_EQ(rounded(10000, 64, ByIndex{4, 4096, 1e-12, 1e-13}), slowed);  // the first is past d - 1
  EXPECT_EQ(rounded(10000, 64, ByIndex{4, 4096, 1e-12, 1e-13, false}), slowed);
  // The last is a little below 0 and rounded up to it: 0 .. 0.001.
  auto expected = slowed;
  expected[0] = 1;
  EXPECT_EQ(rounded(10000, 64, ByIndex{4, 4096, 1e12, 652}), expected);
  // One index between the bounds, which is both ends.
  const auto step = rounded(10000, 64, ByIndex{4, 4096, 4, 4, false});
  for (std::size_t i = 0; i < 32; ++i) EXPECT_EQ(step[i], i <= 17 ? plain[i] : slowed[i]) << i;
}

TEST(Frequencies, are_plain_ones_where_nothing_is_stretched) {
  const auto plain = rounded(500000, 128);
  EXPECT_EQ(rounded(500000, 128, Interpolated{1}), plain);
  EXPECT_EQ(rounded(500000, 128, NtkAware{1}), plain);
  EXPECT_EQ(rounded(500000, 128, ByParts{1, 8192, 1, 32}), plain);
  EXPECT_EQ(rounded(500000, 128, ByParts{1, 8192, 1, 4}), plain);
  EXPECT_EQ(rounded(500000, 128, ByIndex{1, 8192, 32, 1}), plain);
  EXPECT_EQ(rounded(500000, 128, Divided{std::vector<double>(64, 1)}), plain);
  EXPECT_EQ(exact(Amplitude(YarnAmplitude{1}), 256).nearest(), 1);
  EXPECT_EQ(exact(Amplitude(LongRopeAmplitude{1, 4096}), 256).nearest(), 1);
}

TEST(Frequencies, have_their_identities) {
  const auto plain = rounded(10000, 128);
  const auto ntk = rounded(10000, 128, NtkAware{8});
  EXPECT_EQ(ntk.front(), 1);
  EXPECT_EQ(ntk.back(), plain.back() / 8);  // exactly: 8 is a power of two
  EXPECT_EQ(rounded(10000, 128, NtkAware{10}).back(), rounded(10000, 128, Interpolated{10}).back());
  EXPECT_EQ(rounded(10000, 128, Divided{std::vector<double>(64, 10)}), rounded(10000, 128, Interpolated{10}));
  // Rotations that every pair makes, or none.
  EXPECT_EQ(rounded(10000, 128, ByParts{10, 8192, 1e-9, 1e-8}), plain);
  EXPECT_EQ(rounded(10000, 128, ByParts{10, 8192, 1e8, 1e9}), rounded(10000, 128, Interpolated{10}));
}

// Bounds that are equal, of 8192 positions and one rotation.
TEST(Frequencies, between_equal_bounds_are_a_step) {
  const auto plain = rounded(10000, 64), slowed = rounded(10000, 64, Interpolated{10}),
             step = rounded(10000, 64, ByParts{10, 8192, 1, 1});
  std::size_t kept = 0;
  for (std::size_t i = 0; i < 32; ++i) {
    const bool more = 8192 * plain[i] > 6.283185307179586;
    EXPECT_EQ(step[i], more ? plain[i] : slowed[i]) << i;
    kept += more ? 1 : 0;
  }
  EXPECT_EQ(kept, 25u);
}

// Two convergents of 2 pi: the first pair makes 1 + 2^-103.4 times and 1 - 2^-99.4 times as many rotations as
// the bound, which the 96 bits of the first try do not tell from it.
TEST(Frequencies, at_a_step_are_on_the_side_that_more_bits_show) {
  const auto first = [](double original_length, double rotations) {
    const ByParts step{10, original_length, rotations, rotations};
    return exact(Frequencies{Geometric{10000, {{0, 64}}, step}}, 64).front().nearest();
  };
  EXPECT_EQ(first(5706674932067741, 908245524057187), 1);
  EXPECT_EQ(first(856449186698608, 136308121570117), 0.1);
}

TEST(Amplitude, is_the_known_one) {
  const auto yarn = [](double s) { return exact(Amplitude(YarnAmplitude{s}), 128).nearest(); };
  EXPECT_NEAR(yarn(4), 1.1386294361, 5e-11);
  EXPECT_NEAR(yarn(16), 1.2772588722, 5e-11);
  EXPECT_NEAR(yarn(32), 1.3465735903, 5e-11);
  EXPECT_NEAR(yarn(40), 1.3688879454, 5e-11);
  EXPECT_NEAR(exact(Amplitude(LongRopeAmplitude{32, 4096}), 128).nearest(), 1.1902380714, 5e-11);
  EXPECT_EQ(exact(Amplitude(LongRopeAmplitude{8, 2}), 128).nearest(), 2);  // sqrt(1 + 3)
  const auto of_both = [](double mscale, double all_dim) {
    return exact(Amplitude(YarnAmplitude{40, mscale, all_dim}), 128).nearest();
  };
  EXPECT_DOUBLE_EQ(of_both(0.707, 1), 0.92104235531633989107);
  EXPECT_DOUBLE_EQ(of_both(1, 0.5), 1.1557219901962608854);
  EXPECT_EQ(of_both(0.707, 0.707), 1);
  EXPECT_TRUE(exactly_held(Amplitude(YarnAmplitude{40, 0.707, 0.707})));
  EXPECT_FALSE(exactly_held(Amplitude(YarnAmplitude{40, 0.707, 1})));
  EXPECT_TRUE(exactly_held(Amplitude(1.25)));
  EXPECT_TRUE(exactly_held(Amplitude(YarnAmplitude{1})));
  EXPECT_FALSE(exactly_held(Amplitude(YarnAmplitude{4})));
  EXPECT_FALSE(exactly_held(Amplitude(LongRopeAmplitude{32, 4096})));
}

// ---- the second derivation: formulas as other people write them, in numbers that are rounded by another
// library, to more digits than were asked of the first

using boost_numbers::Wide;

// Machin 1706, by the series of the arc tangent.
Wide pi() {
  const auto arctan_of_inverse = [](int x) {
    Wide term = Wide(1) / x, sum = 0;
    for (int k = 1; abs(term) > ldexp(Wide(1), -1290); k += 2, term = term / (-x * x)) sum = sum + term / k;
    return sum;
  };
  static const Wide found = 16 * arctan_of_inverse(5) - 4 * arctan_of_inverse(239);
  return found;
}

Wide wide(const Real& x) {
  char* text = nullptr;
  mpfr_asprintf(&text, "%.400Re", x.x);
  const Wide out{std::string(text)};
  mpfr_free_str(text);
  return out;
}

using Formula = Function<Wide(int i)>;

void expect_promised(const Geometric& recipe, const Formula& formula, const std::string& what) {
  std::vector<Wide> there;
  for (std::size_t i = 0; i < recipe.exponents.size(); ++i) there.push_back(formula(static_cast<int>(i)));
  for (const mpfr_prec_t bits : {64, 256, 1024}) {
    const auto found = exact(Frequencies{recipe}, bits);
    Wide most = 0;
    for (std::size_t i = 0; i < found.size(); ++i)
      most = std::max<Wide>(most, abs(wide(found[i]) / there[i] - 1));
    EXPECT_LE(ldexp(most, static_cast<int>(bits)), 4096) << what << " at " << bits << " bits";
  }
}

struct Model {
  double base;
  int d;
  double factor, length;
};

Wide plain(const Model& m, int i) {
  return 1 / pow(Wide(m.base), Wide(2 * i) / m.d);
}

// Where a wavelength of L0 / rotations and a longer one lie, and the weights between them.
Wide by_wavelength(const Model& m, int i, double least, double most) {
  const Wide w = plain(m, i), wavelength = 2 * pi() / w, longest = Wide(m.length) / least,
             shortest = Wide(m.length) / most;
  if (wavelength < shortest) return w;
  if (wavelength > longest) return w / m.factor;
  const Wide smooth = (Wide(m.length) / wavelength - least) / (Wide(most) - least);
  return (1 - smooth) * w / m.factor + smooth * w;
}

Wide by_dimension(const Model& m, int i, double fast, double slow, bool truncate) {
  const auto correction = [&](double rotations) -> Wide {
    return m.d * log(m.length / (rotations * 2 * pi())) / (2 * log(Wide(m.base)));
  };
  Wide low = correction(fast), high = correction(slow);
  if (truncate) low = floor(low), high = ceil(high);
  if (low < 0) low = 0;
  if (high > m.d - 1) high = m.d - 1;
  if (low == high) high = high + Wide(1) / 1000;
  Wide ramp = (i - low) / (high - low);
  if (ramp < 0) ramp = 0;
  if (ramp > 1) ramp = 1;
  const Wide frequency = pow(Wide(m.base), Wide(2 * i) / m.d);
  return 1 / (m.factor * frequency) * ramp + 1 / frequency * (1 - ramp);
}

TEST(Frequencies, are_those_of_the_second_derivation_to_every_precision) {
  for (const Model& m : {Model{1e4, 32, 8, 8192}, Model{5e5, 10, 1.1, 4096.5}, Model{2, 12, 1e6, 100}}) {
    const std::string of = " of base " + std::to_string(m.base);
    const auto scaled = [&](Scaling scaling) { return ladder(m.base, m.d, std::move(scaling)); };
    const auto by_formula = [&](auto formula) {
      return [&m, formula](int i) -> Wide { return formula(m, i); };
    };
    expect_promised(scaled(Unscaled{}), by_formula(&plain), "plain" + of);
    expect_promised(scaled(Interpolated{m.factor}),
                    by_formula([](const Model& n, int i) -> Wide { return plain(n, i) / n.factor; }),
                    "linear" + of);
    expect_promised(scaled(NtkAware{m.factor}), by_formula([](const Model& n, int i) -> Wide {
                      const Wide base = n.base * pow(Wide(n.factor), Wide(n.d) / (n.d - 2));
                      return pow(base, -Wide(2 * i) / n.d);
                    }),
                    "ntk" + of);
    std::vector<double> divisors;
    for (int i = 0; i < m.d / 2; ++i) divisors.push_back(1 + i * 0.37);
    expect_promised(
        scaled(Divided{divisors}),
        [&](int i) -> Wide { return plain(m, i) / divisors[static_cast<std::size_t>(i)]; }, "divided" + of);
    for (const auto& [least, most] : {std::pair{1.0, 4.0}, {1.0, 32.0}, {1.0, 1.0 + 0x1p-50}, {0.3, 1e5}})
      expect_promised(
          scaled(ByParts{m.factor, m.length, least, most}),
          [&, least = least, most = most](int i) { return by_wavelength(m, i, least, most); },
          "by parts" + of);
    for (const bool truncate : {true, false})
      for (const auto& [fast, slow] : {std::pair{32.0, 1.0}, {4.0, 4.0}, {1e9, 1e-9}, {1.0 + 0x1p-50, 1.0}})
        expect_promised(
            scaled(ByIndex{m.factor, m.length, fast, slow, truncate}),
            [&, fast = fast, slow = slow](int i) { return by_dimension(m, i, fast, slow, truncate); },
            "by index" + of);
  }
}

// A ramp over a share 2^-48 of its ends' size: what the width of pi and w is in it is 2^48 times as much, and
// the digits for that are found, not hoped for.
TEST(Frequencies, keep_their_promise_where_digits_cancel) {
  // Four rotations are made at 4 = L0 w / 2 pi of the third pair, nearly.
  const Model m{1e4, 8, 1e15, 2513.27412287183};
  const double third = 2513.27412287183 * 0.01 / 6.283185307179586;
  expect_promised(
      ladder(m.base, m.d, ByParts{m.factor, m.length, third * (1 - 0x1p-49), third * (1 + 0x1p-49)}),
      [&](int i) { return by_wavelength(m, i, third * (1 - 0x1p-49), third * (1 + 0x1p-49)); },
      "a steep ramp");
}

TEST(Amplitude, is_that_of_the_second_derivation_to_every_precision) {
  for (const mpfr_prec_t bits : {64, 256, 1024})
    for (const double s : {1.5, 4.0, 40.0, 1e300}) {
      const Wide yarn = log(Wide(s)) / 10 + 1, longrope = sqrt(1 + log(Wide(s)) / log(Wide(4096)));
      const auto units = [bits](const Real& found, const Wide& there) -> Wide {
        return ldexp(abs(wide(found) / there - 1), static_cast<int>(bits));
      };
      EXPECT_LE(units(exact(Amplitude(YarnAmplitude{s}), bits), yarn), 4096) << s << " at " << bits;
      EXPECT_LE(units(exact(Amplitude(LongRopeAmplitude{s, 4096}), bits), longrope), 4096)
          << s << " at " << bits;
    }
}

// The recipe takes any parameters; the encodings refuse those without meaning. What never ends is refused
// here.
TEST(Frequencies, refuse_what_no_number_of_bits_decides) {
  EXPECT_THROW(exact(Frequencies{ladder(1, 4, ByIndex{4, 4096, 32, 1})}, 64), Refusal);  // ln 1 = 0
  EXPECT_THROW(exact(Amplitude(LongRopeAmplitude{4, 1}), 64), Refusal);
}

}  // namespace
}  // namespace posproof::exact::frequencies_test
