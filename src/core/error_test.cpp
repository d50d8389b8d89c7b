#include "core/error.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <numbers>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "core/formats.h"
#include "core/function.h"
#include "core/term.h"

namespace posproof::error_test {

// Every bound against implementations in float, and in bf16 and f16 by rounding each operation. What is
// measured must stay below the bound, and the worst case found must use at least a fiftieth of it: a bound
// that nothing comes near would let faults pass.
namespace {

constexpr double sparing = 1.0 / 50;
const Precision in_f32 = all_f32, in_bf16 = Precision::parse("bf16"), in_f16 = Precision::parse("f16");

struct Use {
  double most = 0;
  void of(double measured, double bound) {
    if (!(measured == 0 && bound == 0) && !(measured / bound <= most)) most = measured / bound;
  }
};

void expect_near_but_below(const Use& use, const std::string& what) {
  EXPECT_LE(use.most, 1) << what;
  EXPECT_GE(use.most, sparing) << what;
}

struct Numbers {  // the same on every machine
  std::uint64_t state = 1;
  double between(double lo, double hi) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return lo + (hi - lo) * std::ldexp(static_cast<double>(state >> 11), -53);
  }
};

struct Ladder {
  double base;
  std::size_t dim;
};
constexpr std::array<Ladder, 8> ladders = {
    {{10, 2}, {10, 64}, {10, 512}, {1e4, 2}, {1e4, 64}, {1e4, 512}, {1e9, 64}, {1e9, 512}}};

// Frequency i of a ladder, formed in float.
using Way = float (*)(const Ladder&, std::size_t i);
float share(const Ladder& l, std::size_t i) {
  return 2 * static_cast<float>(i) / static_cast<float>(l.dim);
}
float ratio(const Ladder& l) {
  return std::pow(static_cast<float>(l.base), -2 / static_cast<float>(l.dim));
}
float by_power(const Ladder& l, std::size_t i) {
  return std::pow(static_cast<float>(l.base), -share(l, i));
}
float by_reciprocal(const Ladder& l, std::size_t i) {
  return 1 / std::pow(static_cast<float>(l.base), share(l, i));
}
float by_exponential(const Ladder& l, std::size_t i) {
  return std::exp(-std::log(static_cast<float>(l.base)) * share(l, i));
}
float by_exponential_of_2(const Ladder& l, std::size_t i) {
  return std::exp2(-std::log2(static_cast<float>(l.base)) * share(l, i));
}
float by_ratio(const Ladder& l, std::size_t i) {
  return std::pow(ratio(l), static_cast<float>(i));
}
float by_iteration(const Ladder& l, std::size_t i) {
  float w = 1;
  for (std::size_t k = 0; k < i; ++k) w *= ratio(l);
  return w;
}

Pair pair_of(const Ladder& l, std::size_t i) {
  const auto x = -2 * static_cast<long double>(i) / static_cast<long double>(l.dim);
  return {0, 1, static_cast<double>(std::pow(static_cast<long double>(l.base), x)), i};
}

const Precision iterated = Precision::parse("f32+iterated");
struct Named {
  const char* name;
  Way way;
  Precision precision;
};
const std::array<Named, 6> ways = {{{"power", &by_power, in_f32},
                                    {"reciprocal", &by_reciprocal, in_f32},
                                    {"exponential", &by_exponential, in_f32},
                                    {"exponential of 2", &by_exponential_of_2, in_f32},
                                    {"power of the ratio", &by_ratio, iterated},
                                    {"iteration", &by_iteration, iterated}}};

// 2^24 + 1 is the first whole number that f32 does not hold.
constexpr std::array<std::int64_t, 9> positions = {1,      3,       255,     4097,    65535,
                                                   999983, 1048575, 1048576, 16777217};

// As angles: never more than half a turn.
double apart(double angle, double other) {
  return std::abs(std::remainder(angle - other, 2 * std::numbers::pi));
}

using Rounding = double (*)(double);
struct Result {
  Precision precision;
  Rounding rounded;
};
const std::array<Result, 3> results = {{{in_f32, &to_f32}, {in_bf16, &to_bf16}, {in_f16, &to_f16}}};

struct Rotated {
  double x, y;
  Rotated operator-(Rotated other) const { return {x - other.x, y - other.y}; }
  double norm() const { return std::hypot(x, y); }
};

Rotated exactly_rotated(double x, double y, long double angle) {
  const long double c = std::cos(angle), s = std::sin(angle);
  return {static_cast<double>(x * c - y * s), static_cast<double>(x * s + y * c)};
}

// Sine and cosine from float, then every operation rounded to the format.
Rotated turned_in(Rounding rounded, double x, double y, float angle) {
  const double c = rounded(std::cos(angle)), s = rounded(std::sin(angle));
  return {rounded(rounded(x * c) - rounded(y * s)), rounded(rounded(x * s) + rounded(y * c))};
}

// A number of 8 significant bits, as contents are.
double content(Numbers& numbers) {
  return to_bf16(numbers.between(-2, 2));
}

}  // namespace

TEST(Error, of_a_frequency_is_below_its_bound_and_near_it) {
  for (const Named& named : ways) {
    Use use;
    for (const Ladder& l : ladders)
      for (std::size_t i = 0; 2 * i < l.dim; ++i) {
        const double w = pair_of(l, i).frequency;
        use.of(std::abs(static_cast<double>(named.way(l, i)) - w) / w, power_error(named.precision, w, i));
      }
    expect_near_but_below(use, named.name);
  }
}

TEST(Error, of_a_frequency_grows_with_its_logarithm) {
  // Short ladders, where the steps count for little and the exponent's own roundings show.
  Use use;
  double in_units = 0;
  for (int power = 20; power <= 300; ++power) {
    const Ladder l{std::floor(std::exp2(power / 10.0)), 6};
    const double w = pair_of(l, 2).frequency;
    const double off = std::abs(static_cast<double>(by_exponential(l, 2)) - w) / w;
    use.of(off, power_error(in_f32, w, 2));
    in_units = std::max(in_units, off / unit_f32);
  }
  expect_near_but_below(use, "exponential");
  // More than the constant alone would allow.
  EXPECT_GT(in_units, 4 + 0.3 * 13.9);
}

// A scaled ladder, each operation in float, and what it is to.
namespace {

struct Stretched {
  double factor, length, least, most;  // rotations
};
constexpr std::array<Stretched, 4> scaled_frequencies = {
    {{8, 8192, 1, 4}, {32, 8192, 1, 4}, {10, 2048, 1, 32}, {40, 4096, 1, 32}}};

// By wavelengths, as Llama 3.1 has it.
float scaled_by_rotations(float w, const Stretched& s) {
  const auto pi = static_cast<float>(std::numbers::pi);
  const auto factor = static_cast<float>(s.factor), length = static_cast<float>(s.length);
  const auto least = static_cast<float>(s.least), most = static_cast<float>(s.most);
  const float wavelength = 2 * pi / w;
  if (wavelength < length / most) return w;
  if (wavelength > length / least) return w / factor;
  const float smooth = (length / wavelength - least) / (most - least);
  return (1 - smooth) * w / factor + smooth * w;
}

// The ends of the ramp in float as well, as ggml has them.
float index_in_float(const Ladder& l, const Stretched& s, double rotations) {
  const auto pi = static_cast<float>(std::numbers::pi);
  return static_cast<float>(l.dim) *
         std::log(static_cast<float>(s.length) / (static_cast<float>(rotations) * 2 * pi)) /
         (2 * std::log(static_cast<float>(l.base)));
}

float scaled_by_index(float w, const Ladder& l, const Stretched& s, std::size_t i) {
  const float first = std::max(0.0F, index_in_float(l, s, s.most)), last = index_in_float(l, s, s.least);
  const float ramp = std::clamp((static_cast<float>(i) - first) / (last - first), 0.0F, 1.0F);
  const float frequency = 1 / static_cast<float>(s.factor), kept = 1 - ramp;
  return frequency * w * (1 - kept) + w * kept;
}

long double index_of(const Ladder& l, const Stretched& s, double rotations) {
  return static_cast<long double>(l.dim) *
         std::log(s.length / (rotations * 2 * std::numbers::pi_v<long double>)) /
         (2 * std::log(static_cast<long double>(l.base)));
}

double blended(double w, double factor, long double kept) {
  return static_cast<double>(w * (kept + (1 - kept) / factor));
}

}  // namespace

TEST(Error, of_a_scaled_frequency_is_below_its_bound_and_near_it) {
  for (const Named& named : ways) {
    Use rotations, index, base;
    for (const Ladder& l : ladders)
      for (const Stretched& s : scaled_frequencies)
        for (std::size_t i = 0; 2 * i < l.dim; ++i) {
          const double w = pair_of(l, i).frequency;
          const auto bound = [&](double v, const FrequencyError& frequency_error) {
            return frequency_error.condition * power_error(named.precision, v, i) +
                   frequency_error.roundings * unit_f32;
          };
          const double made = s.length * w / (2 * std::numbers::pi);
          const long double g = std::clamp(
              (s.length * static_cast<long double>(w) / (2 * std::numbers::pi_v<long double>)-s.least) /
                  (s.most - s.least),
              0.0L, 1.0L);
          const double v = blended(w, s.factor, g);
          rotations.of(std::abs(static_cast<double>(scaled_by_rotations(named.way(l, i), s)) / v - 1),
                       bound(v, by_rotations(w, v, s.factor, made, s.least, s.most)));

          const long double first = std::max(0.0L, index_of(l, s, s.most)), last = index_of(l, s, s.least);
          const double end = ramp_end_error(static_cast<double>(l.dim), l.base,
                                            static_cast<double>(std::max(first, std::abs(last))));
          const long double ramp =
              std::clamp((static_cast<long double>(i) - first) / (last - first), 0.0L, 1.0L);
          const double by = blended(w, s.factor, 1 - ramp);
          index.of(std::abs(static_cast<double>(scaled_by_index(named.way(l, i), l, s, i)) / by - 1),
                   bound(by, by_index(w, by, s.factor, static_cast<double>(i), static_cast<double>(first),
                                      static_cast<double>(last), end)));

          if (l.dim == 2) continue;
          const auto d = static_cast<double>(l.dim);
          const double x = 2 * static_cast<double>(i) / (d - 2);
          const float other = static_cast<float>(l.base) *
                              std::pow(static_cast<float>(s.factor), static_cast<float>(d / (d - 2)));
          const double to = static_cast<double>(
              std::pow(static_cast<long double>(l.base), -2 * static_cast<long double>(i) / l.dim) *
              std::pow(static_cast<long double>(s.factor), -2 * static_cast<long double>(i) / (l.dim - 2)));
          base.of(std::abs(static_cast<double>(named.way({other, l.dim}, i)) / to - 1),
                  bound(to, from_scaled_base(x, s.factor)));
        }
    expect_near_but_below(rotations, std::string(named.name) + ", by rotations");
    expect_near_but_below(index, std::string(named.name) + ", by index");
    expect_near_but_below(base, std::string(named.name) + ", another base");
  }
}

// A power within its own bound, at the foot of a steep ramp: without the condition it would be refuted.
TEST(Error, of_a_frequency_on_a_steep_ramp_is_more_than_its_powers) {
  const Stretched s{32, 8192, 1, 4};
  const double w = 2 * std::numbers::pi * 1.001 / s.length, off = 1 + 6 * unit_f32;
  const double v = blended(w, s.factor, 0.001L / 3),
               there = blended(w * off, s.factor, (1.001L * off - 1) / 3);
  const FrequencyError frequency_error = by_rotations(w, v, s.factor, 1.001, s.least, s.most);
  EXPECT_GT(there / v - 1, 60 * unit_f32);
  EXPECT_NEAR((there / v - 1) / (off - 1), frequency_error.condition, .01);
}

TEST(Error, of_an_angle_is_below_its_bound_and_near_it) {
  for (const Named& named : ways) {
    Use declared, own;
    for (const Ladder& l : ladders)
      for (std::size_t i = 0; 2 * i < l.dim; ++i)
        for (const std::int64_t t : positions) {
          const Pair pair = pair_of(l, i);
          const float w = named.way(l, i);
          const double frequency_error = static_cast<float>(t) * w;
          const auto at = static_cast<double>(t);
          declared.of(apart(frequency_error, at * pair.frequency), angle_error(named.precision, at, pair));
          own.of(apart(frequency_error, at * static_cast<double>(w)),
                 angle_rounding(named.precision, at, pair));
        }
    expect_near_but_below(declared, named.name);
    // Of a ladder of steps the frequency is its own here, so that its steps do not show.
    if (named.precision == in_f32) {
      expect_near_but_below(own, named.name);
    }
    EXPECT_LE(own.most, 1) << named.name;
  }
}

TEST(Error, of_an_angle_sees_a_position_in_16_bits_and_an_exponent_that_is_off) {
  const Pair fastest{0, 1, 1, 0}, second = pair_of({1e4, 64}, 1);
  EXPECT_GT(std::abs(to_bf16(257) - 257), angle_error(in_f32, 257, fastest));
  EXPECT_GT(std::abs(to_f16(2049) - 2049), angle_error(in_f32, 2049, fastest));
  const double off = std::pow(10001.0, -2.0 / 64) / second.frequency - 1;
  EXPECT_GT(std::abs(off), power_error(in_f32, second.frequency, 1));
}

TEST(Error, of_an_entry_is_below_its_bound_and_near_it) {
  for (const Result& result : results)
    for (const double amplitude : {1.0, 0.5, std::sqrt(768.0)}) {
      Table table{.dim = 2, .pairs = {{0, 1, 1, 0}}, .amplitude = amplitude};
      Use use, circle;
      Numbers numbers;
      for (int n = 0; n < 20000; ++n) {
        const auto angle = static_cast<float>(numbers.between(0, 6.3));
        const auto stored = [&](float sine) {
          const double entry = result.rounded(static_cast<double>(sine));
          return amplitude == 1 ? entry : result.rounded(entry * result.rounded(amplitude));
        };
        const double s = stored(std::sin(angle)), c = stored(std::cos(angle));
        use.of(std::abs(s - amplitude * std::sin(static_cast<double>(angle))),
               entry_error(table, result.precision));
        circle.of(std::abs(std::hypot(s, c) - amplitude), circle_error(table, result.precision));
      }
      const std::string what = result.precision.text() + ", amplitude " + std::to_string(amplitude);
      expect_near_but_below(use, what);
      expect_near_but_below(circle, what);
      // Sixteen units too many are seen.
      EXPECT_GT(amplitude * 16 * result.precision.result, circle_error(table, result.precision)) << what;
    }
}

TEST(Error, of_a_row_is_below_its_bound_at_every_position) {
  for (const Result& result : results) {
    Use use;
    for (const double amplitude : {1.0, std::sqrt(768.0)})
      for (const double offset : {0.0, 2.0})
        for (const Ladder& l : ladders)
          for (const std::int64_t t : positions) {
            Table table{.dim = l.dim, .amplitude = amplitude, .offset = offset};
            std::vector<double> row(l.dim), exact(l.dim);
            for (std::size_t i = 0; 2 * i < l.dim; ++i) {
              const Pair ladder = pair_of(l, i);
              table.pairs.push_back({2 * i, 2 * i + 1, ladder.frequency, i});
              const float angle =
                  static_cast<float>(t + static_cast<std::int64_t>(offset)) * by_exponential(l, i);
              const auto true_angle =
                  static_cast<long double>(t + static_cast<std::int64_t>(offset)) * ladder.frequency;
              const auto store = [&](float sine) {
                return result.rounded(result.rounded(static_cast<double>(sine)) * result.rounded(amplitude));
              };
              row[2 * i] = store(std::sin(angle));
              row[2 * i + 1] = store(std::cos(angle));
              exact[2 * i] = amplitude * static_cast<double>(std::sin(true_angle));
              exact[2 * i + 1] = amplitude * static_cast<double>(std::cos(true_angle));
            }
            const auto bound = row_error(table, result.precision, t, exact);
            for (std::size_t c = 0; c < l.dim; ++c) use.of(std::abs(row[c] - exact[c]), bound[c]);
          }
    expect_near_but_below(use, result.precision.text());
  }
}

// The errors of the last ladder are kept: one that differs in the number of its steps alone has others.
TEST(Error, of_a_row_is_that_of_its_own_ladder) {
  const auto error = [](std::size_t index) {
    Table table{.dim = 2};
    table.pairs = {{.first = 0, .second = 1, .frequency = 0.01, .index = index}};
    Precision iterated = in_f32;
    iterated.how = Precision::Angles::iterated;
    return row_error(table, iterated, 1000, std::vector<double>{0.6, 0.8})[0];
  };
  const double first = error(0), second = error(1);
  EXPECT_LT(first, second);
  EXPECT_EQ(error(0), first);
}

// Of a thread that has kept nothing.
double computed_anew(const Function<double()>& error) {
  double out = 0;
  std::thread([&] { out = error(); }).join();
  return out;
}

// Parts of a bound are kept from call to call: of pairs that differ in one number only, of one index or of
// indices that are kept in one place, in two formats, and with terms of the bound scaled.
TEST(Error, of_a_rotation_is_that_of_its_own_pair_precision_and_terms) {
  std::vector<Pair> pairs = {
      {0, 1, 0.5, 4}, {0, 1, 0.5, 259}, {0, 1, 0.5, 3}, {0, 1, 0.25, 3}, {0, 1, 0.5, 3}};
  for (const FrequencyError& scaled : std::initializer_list<FrequencyError>{{.roundings = 2},
                                                                            {.condition = 2, .roundings = 2},
                                                                            {.jump = 0.5},
                                                                            {.jump = 0.25},
                                                                            {.margin = 1, .jump = 0.25}})
    pairs.push_back({0, 1, 0.5, 3, scaled});
  const std::array<double, 2> x = {1, 0};
  const std::array<Precision, 3> precisions = {in_f32, all_f64, Precision::parse("f32+iterated")};
  const auto ask = [&](const Pair& pair, const Precision& p) {
    return std::array{rotation_error(p, 5, pair),
                      rotated_error(Rotary{.dim = 2, .pairs = {pair}}, p, 5, x, Role::query)[0]};
  };
  std::set<double> seen;
  const auto check = [&](const Pair& pair, const Precision& p, double scale) {
    const auto found = ask(pair, p);
    for (const std::size_t way : {0u, 1u})
      EXPECT_EQ(found[way], computed_anew([&] {
                  const ScaledTerm power(Term::power, scale), product(Term::product, scale);
                  return ask(pair, p)[way];
                }))
          << p.text() << ' ' << pair.frequency << ' ' << pair.index;
    seen.insert(found[0]);
  };
  for (const double scale : {1.0, 16.0, 1.0}) {
    const ScaledTerm power(Term::power, scale), product(Term::product, scale);
    check(pairs.back(), precisions.back(), scale);  // which was asked for last
    for (const Precision& p : precisions)
      for (const Pair& pair : pairs) check(pair, p, scale);
    for (const Pair& pair : pairs)
      for (const Precision& p : precisions) check(pair, p, scale);
  }
  EXPECT_GE(seen.size(), 40u);  // of 54: iterated ladders alone know the index
}

TEST(Error, of_a_rotation_is_that_of_the_contents_of_each_pair) {
  const Pair first{0, 1, 0.5, 0}, second{2, 3, 0.5, 0};
  const std::array<double, 4> x = {8, 0, 1, 2};
  const auto both = rotated_error(Rotary{.dim = 4, .pairs = {first, second}}, in_f32, 5, x, Role::query);
  const auto of = [&](const std::array<double, 2>& contents) {
    return rotated_error(Rotary{.dim = 2, .pairs = {first}}, in_f32, 5, contents, Role::query);
  };
  EXPECT_EQ(both[0], of({8, 0})[0]);
  EXPECT_EQ(both[2], of({1, 2})[0]);
}

// A slope of 2^-15 in f16, whose normal numbers end at 2^-14, though all else is in f64.
TEST(Error, of_a_bias_knows_slopes_that_are_no_normal_number_where_they_are_formed) {
  Precision formed = all_f64;
  formed.angle = unit_f16;
  const double slope = 0x1p-15, distance = 4;
  EXPECT_GE(bias_error(formed, slope * distance, slope, 1), distance * 0x1p-14);
  EXPECT_LT(bias_error(all_f64, slope * distance, slope, 1), 0x1p-40);
}

TEST(Error, of_a_row_without_a_ladder_knows_subnormals) {
  for (const Result& result : results) {
    Table table{.dim = 1};
    Use use;
    for (const std::int64_t n : {100000, 1 << 20})
      for (std::int64_t t = 1; t < 300; ++t) {
        const std::array<double, 1> exact = {static_cast<double>(t) / static_cast<double>(n)};
        use.of(std::abs(result.rounded(exact[0]) - exact[0]),
               row_error(table, result.precision, t, exact)[0]);
        use.of(std::abs(result.rounded(exact[0]) - exact[0]), bias_error(result.precision, exact[0], 0, 0));
      }
    expect_near_but_below(use, result.precision.text());
  }
}

// The same result, its cosine, sine, products and sum in its own format.
namespace {

Precision throughout(const Precision& p) {
  Precision out = p;
  out.declared_table = out.declared_work = p.result;
  return Precision::parse(out.word());
}

}  // namespace

TEST(Error, of_a_turn_is_below_its_bound_and_near_it) {
  for (const Result& result : results) {
    Use every, once;
    Numbers numbers;
    for (int n = 0; n < 20000; ++n) {
      const auto angle = static_cast<float>(numbers.between(0, 6.3));
      // Down to contents whose products f16 cannot hold.
      const double scale = std::ldexp(1.0, -static_cast<int>(numbers.between(0, 14)));
      const double x = scale * content(numbers), y = scale * content(numbers), norm = std::hypot(x, y);
      const Rotated exact = exactly_rotated(x, y, angle);
      const auto bound = [&](const Precision& p) {
        return norm * rotation_rounding(p, 0, {0, 1, 1, 0}) + rotation_underflow(p);
      };
      every.of((turned_in(result.rounded, x, y, angle) - exact).norm(), bound(throughout(result.precision)));
      const Rotated wide = turned_in(&to_f32, x, y, angle);
      once.of((Rotated{result.rounded(wide.x), result.rounded(wide.y)} - exact).norm(),
              bound(result.precision));
    }
    expect_near_but_below(every, result.precision.text() + ", every operation rounded");
    expect_near_but_below(once, result.precision.text() + ", rounded once");
    if (result.precision.result > unit_f32) {
      EXPECT_GE(once.most, 0.9) << result.precision.text();
    }
  }
}

TEST(Error, of_a_turn_sees_a_cosine_that_is_off_by_little) {
  for (const Result& result : results) {
    const double off = (result.precision.result > unit_f32 ? 2 : 16) * result.precision.result;
    EXPECT_GT(off, rotation_rounding(result.precision, 0, {0, 1, 1, 0}));
    EXPECT_LT(rotation_rounding(result.precision, 0, {0, 1, 1, 0}),
              rotation_error(result.precision, 1000, {0, 1, 1, 0}));
  }
}

TEST(Error, of_two_turns_is_below_the_sum_of_theirs_and_near_it) {
  for (const Result& result : results) {
    Use use;
    Numbers numbers;
    for (int n = 0; n < 20000; ++n) {
      const auto w = static_cast<float>(numbers.between(0.001, 1));
      const Pair pair{0, 1, static_cast<double>(w), 0};
      const double s = std::floor(numbers.between(0, 1 << 19)), t = std::floor(numbers.between(0, 1 << 19));
      const double x = content(numbers), y = content(numbers), norm = std::hypot(x, y);
      const auto at = [&](double place, Rotated z) {
        return turned_in(result.rounded, z.x, z.y, static_cast<float>(place) * w);
      };
      const Precision p = throughout(result.precision);
      const double first = rotation_rounding(p, s, pair), second = rotation_rounding(p, t, pair);
      use.of((at(t, at(s, {x, y})) - at(s + t, {x, y})).norm(),
             norm * ((1 + first) * (1 + second) - 1 + rotation_rounding(p, s + t, pair)));
    }
    expect_near_but_below(use, result.precision.text());
  }
}

TEST(Error, of_a_bias_is_below_its_bound_and_near_it) {
  for (const Result& result : results)
    for (const std::size_t heads : {std::size_t{8}, std::size_t{16}, std::size_t{128}}) {
      Use declared, own, once;
      const float base = static_cast<float>(std::exp2(-8.0 / static_cast<double>(heads)));
      for (std::size_t h = 1; h <= heads; ++h)
        for (const int distance : {1, 3, 257, 2049, 65537, 131071}) {
          const float slope = std::pow(base, static_cast<float>(h));
          const double m = std::exp2(-8.0 * static_cast<double>(h) / static_cast<double>(heads));
          if (m * distance > 65000) continue;  // more than f16 holds
          // The slope as stored in the result's format, the product rounded to it.
          const double stored = result.rounded(static_cast<double>(slope));
          const double b = result.rounded(stored * distance);
          const Precision kept = throughout(result.precision);
          declared.of(std::abs(b - m * distance), bias_error(kept, m * distance, m, h));
          own.of(std::abs(b - stored * distance), bias_rounding(kept, stored * distance, m));
          // In f32, the product rounded once.
          const double wide = static_cast<double>(slope * static_cast<float>(distance));
          once.of(std::abs(result.rounded(wide) - m * distance),
                  bias_error(result.precision, m * distance, m, h));
        }
      const std::string what = result.precision.text() + ", heads " + std::to_string(heads);
      // Slopes that are powers of two, and their products with short distances, are exact.
      if (heads == 128) {
        expect_near_but_below(declared, what);
        expect_near_but_below(once, what);
      }
      EXPECT_LE(once.most, 1) << what;
      EXPECT_LE(declared.most, 1) << what;
      EXPECT_LE(own.most, 1) << what;
      // Of one head and the next, even at 128 of them.
      EXPECT_LT(bias_error(result.precision, 1, std::exp2(-8.0), heads), std::exp2(8.0 / 128) - 1);
    }
}

TEST(Error, of_what_is_no_number_is_none) {
  constexpr double inf = std::numeric_limits<double>::infinity(),
                   nan = std::numeric_limits<double>::quiet_NaN();
  const std::array<double, 2> row = {inf, nan};
  for (const double none : {inf, -inf, nan}) {
    EXPECT_EQ(bias_error(in_f16, none, 0.5, 1), 0);
    EXPECT_EQ(bias_rounding(in_f16, none, 0), 0);
  }
  for (const double e : row_error(Table{.dim = 2}, in_f16, 0, row)) EXPECT_EQ(e, 0);
}

}  // namespace posproof::error_test
