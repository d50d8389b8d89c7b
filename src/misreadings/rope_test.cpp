#include "catalogue/misreadings/rope.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>
#include <vector>

#include "core/error.h"
#include "core/function.h"
#include "misreadings/testing/formulas.h"
#include "run/catalogued.h"

namespace posproof::misreadings_rope_test {
namespace {

using testing::Real;

// That a call whose last position is this rotates pair i by t w_i, as the frequencies of the call say and as
// what rotates does: by the directions of tokens of ones and zeros. Where shares of `unscaled` cancel, they
// are rounded at its size.
void expect_rotates(const Rotary& made, Position last, const std::vector<Real>& w,
                    const std::vector<Real>& unscaled, const std::string& where) {
  const Position at[] = {1, last};
  Tensor x({1, 1, 2, made.dim});
  for (const Pair& pair : made.pairs) x.at(0, pair.first) = x.at(1, pair.first) = 1;
  const Tensor rotated = made.rotate(x, at, Role::query);
  const auto in_call = posproof::in_call(made, last);
  ASSERT_EQ(in_call->pairs.size(), w.size()) << where;
  const double known = 1e-15 * static_cast<double>(std::max<Position>(last, 100));
  for (const Pair& pair : in_call->pairs) {
    const double size_of_terms =
        std::max(std::abs(pair.frequency), static_cast<double>(unscaled[pair.index]));
    ASSERT_NEAR(pair.frequency, static_cast<double>(w[pair.index]), 4e-16 * size_of_terms) << where;
    for (const std::size_t row : {0u, 1u}) {
      const Real angle = static_cast<Real>(at[row]) * w[pair.index];
      const Real size = std::hypot(rotated.at(row, pair.first), rotated.at(row, pair.second));
      ASSERT_NEAR(rotated.at(row, pair.first), static_cast<double>(size * std::cos(angle)), known) << where;
      ASSERT_NEAR(rotated.at(row, pair.second), static_cast<double>(size * std::sin(angle)), known) << where;
    }
  }
}

// The frequencies of a call of so many tokens.
using Frequencies = Function<std::vector<Real>(const Arguments&, std::size_t pairs, Real tokens)>;

std::vector<Real> powers(Real base, std::size_t pairs) {
  std::vector<Real> w;
  for (std::size_t i = 0; i < pairs; ++i)
    w.push_back(std::pow(base, -static_cast<Real>(i) / static_cast<Real>(pairs)));
  return w;
}

// The base over the declared one, of s, L/L0 and d; `more` tokens are counted.
Frequencies grown(Real (*growth)(Real s, Real lengths, Real d), int more = 0) {
  return [=](const Arguments& p, std::size_t pairs, Real tokens) {
    const Real lengths = (tokens + more) / p.real("original_length");
    const Real grows = lengths > 1 ? growth(p.real("factor"), lengths, 2 * static_cast<Real>(pairs)) : 1;
    return powers(p.real("base") * grows, pairs);
  };
}

Frequencies grown_always(Real (*growth)(Real s, Real lengths, Real d)) {
  return [=](const Arguments& p, std::size_t pairs, Real tokens) {
    const Real lengths = std::max<Real>(tokens / p.real("original_length"), 1);
    return powers(p.real("base") * growth(p.real("factor"), lengths, 2 * static_cast<Real>(pairs)), pairs);
  };
}

// What stands for the divisor of pair i of n.
Frequencies divided(Real (*divisor)(const std::vector<double>& list, std::size_t i, std::size_t n),
                    bool of_short_ones = true) {
  return [=](const Arguments& p, std::size_t pairs, Real tokens) {
    const bool longer = tokens > p.real("original_length");
    const std::vector<double>& list = p.list(longer ? "factors" : "short_factors");
    std::vector<Real> w = powers(p.real("base"), pairs);
    for (std::size_t i = 0; i < pairs; ++i)
      w[i] /= longer || of_short_ones ? divisor(list, i, pairs) : list[i];
    return w;
  };
}

Real from_the_end(const std::vector<double>& list, std::size_t i, std::size_t n) {
  return list[n - 1 - i];
}

// Where nothing but the amplitude is another.
std::vector<Real> as_declared(const Arguments& p, std::size_t pairs, Real tokens) {
  return divided([](const std::vector<double>& list, std::size_t i, std::size_t) -> Real { return list[i]; })(
      p, pairs, tokens);
}

// Llama 3's: of the rotations in the trained length, the share of w that is kept.
Frequencies kept(Real (*share)(Real rotations, Real low, Real high),
                 Real turn = 2 * std::numbers::pi_v<Real>) {
  return [=](const Arguments& p, std::size_t pairs, Real) {
    std::vector<Real> w = powers(p.real("base"), pairs);
    for (Real& one : w) {
      const Real of_it = share(p.real("original_length") * one / turn, p.real("low_freq_factor"),
                               p.real("high_freq_factor"));
      one = of_it * one + (1 - of_it) * one / p.real("factor");
    }
    return w;
  };
}

Real ramp(Real r, Real low, Real high) {
  return std::clamp((r - low) / (high - low), Real{0}, Real{1});
}

// The wavelengths of a pair of which so much is kept.
Real between_wavelengths(Real w, Real kept, Real factor) {
  return 1 / (kept / w + (1 - kept) * factor / w);
}

// YaRN's: the share of w/s of pair i, not clamped, of a ramp that is made for so many pairs.
Real yarn_share(const Arguments& p, std::size_t i, std::size_t pairs) {
  const auto index = [&](Real rotations) {
    return static_cast<Real>(pairs) *
           std::log(p.real("original_length") / (rotations * 2 * std::numbers::pi_v<Real>)) /
           std::log(Real{p.real("base")});
  };
  const Real first = std::floor(index(p.real("beta_fast"))), last = std::ceil(index(p.real("beta_slow")));
  return (static_cast<Real>(i) - std::max<Real>(first, 0)) /
         (std::min<Real>(last, 2 * static_cast<Real>(pairs) - 1) - std::max<Real>(first, 0));
}

// Of a ramp that is made for a width: that of a head, or that of the channels that rotate.
Frequencies by_yarn(bool of_head) {
  return [of_head](const Arguments& p, std::size_t pairs, Real) {
    std::vector<Real> w = powers(p.real("base"), pairs);
    for (std::size_t i = 0; i < pairs; ++i) {
      const Real share = std::clamp(yarn_share(p, i, of_head ? p.width("dim") / 2 : pairs), Real{0}, Real{1});
      w[i] = share * w[i] / p.real("factor") + (1 - share) * w[i];
    }
    return w;
  };
}

// The list of factors alone, with its last one repeated.
std::vector<Real> by_longrope(const Arguments& p, std::size_t pairs, Real) {
  std::vector<Real> w = powers(p.real("base"), pairs);
  for (std::size_t i = 0; i < pairs; ++i)
    w[i] /= p.list("factors").at(std::min(i, p.list("factors").size() - 1));
  return w;
}

const testing::Formulas<Frequencies> formulas = {
    {"short calls are not multiplied by the attention factor", &as_declared},
    {"the slowest kept_pairs pairs rotate, not the fastest", &as_declared},
    {"YaRN's ramp is made for all channels of a head, not for those that rotate", by_yarn(true)},
    {"the declared attention factor a is put through its formula again: 0.1 a ln s + 1", by_yarn(false)},
    {"the declared attention factor is multiplied by 0.1 ln s + 1", by_yarn(false)},
    {"the attention factor is squared: it is applied twice", by_yarn(false)},
    {"the attention factor is 0.1 log2 s + 1: log2 for ln", by_yarn(false)},
    {"the attention factor is 0.1 log10 s + 1: log10 for ln", by_yarn(false)},
    {"the attention factor is sqrt(1 + ln s/ln(s L0)): of the extended length, not of the trained one",
     &by_longrope},
    {"the attention factor is 1 + ln s/ln L0, without the root", &by_longrope},
    {"the attention factor is YaRN's, 0.1 ln s + 1", &by_longrope},
    {"there is no ramp: every pair below high_freq_factor rotations is divided by the factor, as where "
     "low_freq_factor and high_freq_factor are exchanged",
     kept([](Real r, Real, Real high) -> Real { return r > high ? 1 : 0; })},
    {"there is no ramp: every pair from low_freq_factor rotations on is kept",
     kept([](Real r, Real low, Real) -> Real { return r < low ? 0 : 1; })},
    {"the ramp between low_freq_factor and high_freq_factor rotations is reversed",
     kept([](Real r, Real low, Real high) -> Real {
       return r < low ? 0 : r > high ? 1 : 1 - ramp(r, low, high);
     })},
    {"the share of the unscaled frequency is (r - high_freq_factor)/(high_freq_factor - low_freq_factor), r "
     "being the rotations: low_freq_factor is not what is taken off",
     kept([](Real r, Real low, Real high) -> Real {
       return r < low ? 0 : r > high ? 1 : (r - high) / (high - low);
     })},
    {"wavelengths are 1/w: 2 pi is missing", kept(&ramp, 1)},
    {"wavelengths are 2/w: pi is missing", kept(&ramp, 2)},
    {"wavelengths are interpolated along the ramp, not frequencies",
     [](const Arguments& p, std::size_t pairs, Real) {
       std::vector<Real> w = powers(p.real("base"), pairs);
       for (Real& one : w)
         one = between_wavelengths(one,
                                   ramp(p.real("original_length") * one / (2 * std::numbers::pi_v<Real>),
                                        p.real("low_freq_factor"), p.real("high_freq_factor")),
                                   p.real("factor"));
       return w;
     }},
    {"the ramp is not clamped: it goes on before its first pair and behind its last",
     [](const Arguments& p, std::size_t pairs, Real) {
       std::vector<Real> w = powers(p.real("base"), pairs);
       for (std::size_t i = 0; i < pairs; ++i) {
         const Real share = yarn_share(p, i, pairs);
         w[i] = share * w[i] / p.real("factor") + (1 - share) * w[i];
       }
       return w;
     }},
    {"wavelengths are interpolated along YaRN's ramp, not frequencies",
     [](const Arguments& p, std::size_t pairs, Real) {
       std::vector<Real> w = powers(p.real("base"), pairs);
       for (std::size_t i = 0; i < pairs; ++i)
         w[i] = between_wavelengths(w[i], 1 - std::clamp(yarn_share(p, i, pairs), Real{0}, Real{1}),
                                    p.real("factor"));
       return w;
     }},
    {"the base is multiplied by (s L/L0)^(d/(d-2)): s - 1 is not taken off",
     grown([](Real s, Real n, Real d) { return std::pow(s * n, d / (d - 2)); })},
    {"the base is multiplied by (s L/L0 - s)^(d/(d-2)): s is taken off, not s - 1",
     grown([](Real s, Real n, Real d) { return std::pow(s * (n - 1), d / (d - 2)); })},
    {"the base is multiplied by (L/L0)^(d/(d-2)), without the factor s",
     grown([](Real, Real n, Real d) { return std::pow(n, d / (d - 2)); })},
    {"the base is multiplied by s L/L0 - (s - 1) itself, without the power d/(d-2)",
     grown([](Real s, Real n, Real) { return s * n - s + 1; })},
    {"the base is multiplied by (s L/L0 - (s - 1))^((d-2)/d): the power is upside down",
     grown([](Real s, Real n, Real d) { return std::pow(s * n - s + 1, (d - 2) / d); })},
    // With the power of d = 32, 32/30, in the place of that of the width of what rotates.
    {"the base is multiplied by (s L/L0 - (s - 1))^(d/(d-2)) with the width of the head for d, not of what "
     "rotates",
     grown([](Real s, Real n, Real) { return std::pow(s * n - s + 1, Real{16} / 15); })},
    {"the length of the call counts one less: its last position",
     grown([](Real s, Real n, Real d) { return std::pow(s * n - s + 1, d / (d - 2)); }, -1)},
    {"the length of the call counts one more",
     grown([](Real s, Real n, Real d) { return std::pow(s * n - s + 1, d / (d - 2)); }, 1)},
    {"the base is multiplied by (s L/L0)^(d/(d-2)), of short calls by s^(d/(d-2)): s - 1 is not taken off",
     grown_always([](Real s, Real n, Real d) { return std::pow(s * n, d / (d - 2)); })},
    // Of one row they are right.
    {"the last row of the batch decides on the length of the call, not the longest",
     grown([](Real s, Real n, Real d) { return std::pow(s * n - s + 1, d / (d - 2)); })},
    {"the first row of the batch decides on the length of the call, not the longest",
     grown([](Real s, Real n, Real d) { return std::pow(s * n - s + 1, d / (d - 2)); })},
    {"the divisors stand in reverse order: pair i has that of the last pair but i", divided(&from_the_end)},
    {"the divisors of long sequences stand in reverse order, those of short ones do not",
     divided(&from_the_end, false)},
    {"frequencies are multiplied by their divisors",
     divided(
         [](const std::vector<double>& list, std::size_t i, std::size_t) -> Real { return 1 / list[i]; })},
    {"every pair has the divisor of the pair before, the first that of the last",
     divided([](const std::vector<double>& list, std::size_t i, std::size_t n) -> Real {
       return list[(i + n - 1) % n];
     })},
    {"every pair has the divisor of the pair after, the last that of the first",
     divided([](const std::vector<double>& list, std::size_t i, std::size_t n) -> Real {
       return list[(i + 1) % n];
     })},
};

TEST(MisreadRope, has_the_frequencies_that_the_sentence_says) {
  testing::expect_formulas<Rotary>(
      "rope", misreadings::rope, formulas, {"", "base=500 rotary_dim=8"},
      [](const Rotary& made, const Arguments& p, const Frequencies& formula, const std::string& where) {
        if (made.pairs.front().index > 0) return;  // keeps_the_slowest_pairs
        for (const Position last :
             {Position{20}, Position{62}, Position{63}, Position{64}, Position{200}, Position{5000}})
          expect_rotates(made, last, formula(p, made.pairs.size(), static_cast<Real>(last + 1)),
                         powers(p.real("base"), made.pairs.size()), where);
      });
}

// The rows of a batch of two, one of which is longer than the trained length.
TEST(MisreadRope, is_decided_by_the_row_that_the_sentence_says) {
  const Parameters words =
      with(encoding_named("rope"), Case::parse("dim=16 scaling=dynamic_ntk factor=4 original_length=64"));
  const Rotary right = as<Rotary>(encoding_named("rope").make(words));
  const Tensor x({2, 1, 2, 16}, std::vector<double>(64, 1.0));
  const Position short_first[] = {3, 9, 100, 200}, long_first[] = {100, 200, 3, 9};
  for (const std::string which : {"first", "last"}) {
    const std::string sentence =
        "the " + which + " row of the batch decides on the length of the call, not the longest";
    const auto one = std::ranges::find(misreadings::rope.misreadings, sentence, &Misreading::what);
    ASSERT_NE(one, misreadings::rope.misreadings.end());
    const Rotary made = as<Rotary>(one->make(words));
    for (const auto& positions : {short_first, long_first}) {
      const bool decides_long = (which == "first") == (positions == long_first);
      const Tensor expected = right.in_call(decides_long ? 200 : 9)->rotate(x, {positions, 4}, Role::query);
      const Tensor found = made.rotate(x, {positions, 4}, Role::query);
      for (std::size_t n = 0; n < found.data.size(); ++n)
        EXPECT_NEAR(found.data[n], expected.data[n], 1e-12) << sentence;
    }
  }
}

// Each row of a batch as it is alone.
TEST(MisreadRope, is_the_same_in_each_row_where_rows_have_lengths_of_their_own) {
  const std::vector<std::pair<std::string, std::string>> all = {
      {"the base is multiplied by (L/L0)^(d/(d-2)), without the factor s",
       "dim=4 scaling=dynamic_ntk factor=4 original_length=64 length_of=row"},
      {"short calls are not multiplied by the attention factor",
       "dim=4 scaling=longrope factor=8 original_length=64 factors=[1,2] short_factors=[1,1.5] length_of=row"}};
  for (const auto& [sentence, words] : all) {
    const auto one = std::ranges::find(misreadings::rope.misreadings, sentence, &Misreading::what);
    ASSERT_NE(one, misreadings::rope.misreadings.end());
    const Rotary made = as<Rotary>(one->make(with(encoding_named("rope"), Case::parse(words))));
    const Position both[] = {3, 9, 100, 200};
    const Tensor x({2, 1, 2, 4}, std::vector<double>(16, 1.0)),
        row({1, 1, 2, 4}, std::vector<double>(8, 1.0));
    std::vector<double> alone = made.rotate(row, {both, 2}, Role::query).data;
    const Tensor second = made.rotate(row, {both + 2, 2}, Role::query);
    alone.insert(alone.end(), second.data.begin(), second.data.end());
    EXPECT_EQ(made.rotate(x, both, Role::query).data, alone) << sentence;
  }
}

// A token of ones in every pair is as long as the amplitude times its length.
TEST(MisreadRope, has_amplitude_1_in_short_calls_alone) {
  const auto one =
      std::ranges::find(misreadings::rope.misreadings,
                        "short calls are not multiplied by the attention factor", &Misreading::what);
  ASSERT_NE(one, misreadings::rope.misreadings.end());
  const Rotary made =
      as<Rotary>(one->make(with(encoding_named("rope"), Case::parse(std::string(one->setting)))));
  for (const auto& [t, amplitude] :
       {std::pair{Position{4095}, 1.0}, {Position{4096}, std::sqrt(1 + std::log(8.0) / std::log(4096.0))}}) {
    const Tensor rotated =
        made.rotate(Tensor({1, 1, 1, 8}, std::vector<double>(8, 1.0)), {&t, 1}, Role::query);
    for (const Pair& pair : made.pairs)
      EXPECT_NEAR(std::hypot(rotated.data[pair.first], rotated.data[pair.second]), std::sqrt(2.0) * amplitude,
                  1e-15 * 4)
          << t;
  }
}

// s is 8; L0 is 1024 of YaRN, 128 of LongRoPE; declared are 1 + 0.1 ln 8 = 1.208 or 1.25, and 1.195.
TEST(MisreadRope, has_the_attention_factor_that_the_sentence_says) {
  const double declared = 1 + std::log(8.0) / 10;
  const std::vector<std::pair<std::string, double>> all = {
      {"the declared attention factor a is put through its formula again: 0.1 a ln s + 1",
       1 + 0.125 * std::log(8.0)},
      {"the declared attention factor is multiplied by 0.1 ln s + 1", 1.25 * declared},
      {"the attention factor is squared: it is applied twice", declared * declared},
      {"the attention factor is 0.1 log2 s + 1: log2 for ln", 1.3},
      {"the attention factor is 0.1 log10 s + 1: log10 for ln", 1 + 0.1 * std::log10(8.0)},
      {"the attention factor is sqrt(1 + ln s/ln(s L0)): of the extended length, not of the trained one",
       std::sqrt(1 + 3.0 / 10)},
      {"the attention factor is 1 + ln s/ln L0, without the root", 1 + 3.0 / 7},
      {"the attention factor is YaRN's, 0.1 ln s + 1", declared}};
  for (const auto& [sentence, amplitude] : all) {
    const auto one = std::ranges::find(misreadings::rope.misreadings, sentence, &Misreading::what);
    ASSERT_NE(one, misreadings::rope.misreadings.end()) << sentence;
    const Rotary made =
        as<Rotary>(one->make(with(encoding_named("rope"), Case::parse(std::string(one->setting)))));
    // No more than eight roundings on both sides, each of a number below 2 or of a tenth of a logarithm.
    EXPECT_NEAR(made.amplitude, amplitude, 8 * 0x1p-53) << sentence;
  }
}

// Of 8 pairs (i, i + 8) the first 3 stand still.
TEST(MisreadRope, keeps_the_slowest_pairs) {
  const auto one =
      std::ranges::find(misreadings::rope.misreadings, "the slowest kept_pairs pairs rotate, not the fastest",
                        &Misreading::what);
  ASSERT_NE(one, misreadings::rope.misreadings.end());
  const auto words = [](const std::string& of) { return with(encoding_named("rope"), Case::parse(of)); };
  const Rotary made = as<Rotary>(one->make(words("dim=16 kept_pairs=5")));
  ASSERT_EQ(made.pairs.size(), 5u);
  const Position t = 3;
  const Tensor rotated = made.rotate(Tensor({1, 1, 1, 16}, std::vector<double>(16, 1.0)), {&t, 1}, Role::key);
  for (std::size_t i = 0; i < 8; ++i) {
    const double angle = i < 3 ? 0 : 3 * std::pow(10000, -static_cast<double>(i) / 8);
    // Cosine, sine and their sum, here and there: six roundings of 2^-53, of numbers below 1.5.
    EXPECT_NEAR(rotated.data[i], std::cos(angle) - std::sin(angle), 1e-15) << i;
    EXPECT_NEAR(rotated.data[i + 8], std::sin(angle) + std::cos(angle), 1e-15) << i;
    if (i >= 3) {
      EXPECT_EQ(made.pairs[i - 3].first, i);
    }
  }
  for (const std::string none :
       {"dim=16", "dim=16 kept_pairs=8", "dim=16 kept_pairs=5 layout=interleaved output_layout=half_split",
        "dim=16 kept_pairs=5 scaling=dynamic_ntk factor=2"})
    EXPECT_THROW(one->make(words(none)), Refusal) << none;
}

// What is declared decides whether its formula was used.
TEST(MisreadRope, of_an_attention_factor_needs_one_that_is_declared_or_none) {
  for (const Misreading& one : misreadings::rope.misreadings) {
    if (one.what.find("attention factor") == std::string_view::npos || one.what.starts_with("short"))
      continue;
    const bool declared = one.setting.find("attention_factor") != std::string_view::npos;
    Parameters words = with(encoding_named("rope"), Case::parse(std::string(one.setting)));
    words.set("attention_factor", declared ? 0.0 : 1.25);
    EXPECT_THROW(one.make(words), Refusal) << one.what;
  }
}

// Frequencies of a call are known as well as the declared ones of that call.
TEST(MisreadRope, of_a_base_that_grows_has_the_errors_of_the_declared_frequencies) {
  for (const Misreading& one : misreadings::rope.misreadings) {
    const Parameters words = with(encoding_named("rope"), Case::parse(std::string(one.setting)));
    if (!Arguments(encoding_named("rope").parameters, words).is("scaling", "dynamic_ntk")) continue;
    const Rotary made = as<Rotary>(one.make(words)), right = as<Rotary>(encoding_named("rope").make(words));
    for (const Position last : {Position{20}, Position{5000}}) {
      const auto found = made.in_call(last)->pairs, declared = right.in_call(last)->pairs;
      ASSERT_EQ(found.size(), declared.size());
      for (std::size_t i = 0; i < found.size(); ++i) {
        EXPECT_EQ(found[i].frequency_error.condition, declared[i].frequency_error.condition) << one.what;
        EXPECT_EQ(found[i].frequency_error.roundings, declared[i].frequency_error.roundings) << one.what;
      }
      EXPECT_EQ(declared.back().frequency_error.roundings > 0, last == 5000) << one.what;
    }
  }
}

// A frequency that is read otherwise is off by what its share of the ramp loses: of Llama 3's by the
// rotations of its pair, of YaRN's as much as half way between the ends.
TEST(MisreadRope, of_a_ramp_has_the_errors_of_what_it_gives) {
  const auto expect_error = [](const FrequencyError& found, const FrequencyError& expected,
                               const std::string& where) {
    EXPECT_NEAR(found.condition, expected.condition, 1e-12 * expected.condition) << where;
    EXPECT_NEAR(found.roundings, expected.roundings, 1e-12 * expected.roundings) << where;
  };
  std::size_t inside = 0;
  for (const Misreading& one : misreadings::rope.misreadings)
    for (const std::string truncate : {"true", "false"}) {
      const bool llama = one.setting.find("scaling=llama3") != std::string_view::npos,
                 yarn = one.setting.find("scaling=yarn") != std::string_view::npos;
      if (!yarn && (!llama || truncate == "false")) continue;
      if (one.what.find("attention factor") != std::string_view::npos) continue;  // another amplitude alone
      const Parameters words =
          with(encoding_named("rope"),
               Case::parse(std::string(one.setting) + (yarn ? " truncate=" + truncate : "")));
      const Arguments p(encoding_named("rope").parameters, words);
      const std::string where = std::string(one.what) + "; " + words.text();
      const Rotary made = as<Rotary>(one.make(words));
      const double length = p.real("original_length"), factor = p.real("factor"), base = p.real("base"),
                   width = static_cast<double>(made.dim);
      const double turn = one.what.starts_with("wavelengths are 1/w")   ? 1
                          : one.what.starts_with("wavelengths are 2/w") ? 2
                                                                        : 2 * std::numbers::pi;
      const auto index = [&](double rotations) {
        return width / 2 * std::log(length / (rotations * 2 * std::numbers::pi)) / std::log(base);
      };
      double first = index(p.real("beta_fast")), last = index(p.real("beta_slow")), end = 0;
      if (truncate == "true") first = std::floor(first), last = std::ceil(last);
      first = std::max(first, 0.0), last = std::min(last, width - 1);
      if (truncate == "false") end = ramp_end_error(width, base, std::max(first, last));
      for (const Pair& pair : made.pairs) {
        const double w = std::pow(base,
                                  -static_cast<double>(pair.index) / static_cast<double>(made.pairs.size())),
                     v = std::abs(pair.frequency);
        expect_error(pair.frequency_error,
                     llama ? by_rotations(w, v, factor, length * w / turn, p.real("low_freq_factor"),
                                          p.real("high_freq_factor"))
                           : by_index(w, v, factor, (first + last) / 2, first, last, end),
                     where);
        inside += pair.frequency_error.roundings > 5 ? 1 : 0;
      }
    }
  EXPECT_GT(inside, 16u);
}

// Of two pairs with 64 rotations and 64/100 in the trained length, or 2 pi times less, none is on the ramp
// from 1 to 4 rotations.
TEST(MisreadRope, of_a_ramp_is_none_where_no_pair_is_on_it) {
  for (const Misreading& one : misreadings::rope.misreadings)
    if (one.setting.find("scaling=llama3") != std::string_view::npos)
      EXPECT_THROW(one.make(with(encoding_named("rope"),
                                 Case::parse("dim=4 scaling=llama3 factor=8 original_length=64"))),
                   Refusal)
          << one.what;
}

// Where 20 of 32 pairs rotate, the 16th of them on the ramp.
TEST(MisreadRope, of_a_ramp_is_of_all_pairs) {
  for (const Misreading& one : misreadings::rope.misreadings)
    if (one.setting.find("scaling=llama3") != std::string_view::npos)
      EXPECT_THROW(
          one.make(with(encoding_named("rope"), Case::parse(std::string(one.setting) + " kept_pairs=20"))),
          Refusal)
          << one.what;
}

// Of 32 channels that rotate, with frequencies of a ladder of all 64, the ramp is of the ladder.
TEST(MisreadRope, of_a_ramp_is_of_the_width_of_its_exponents) {
  const std::string_view what = "wavelengths are interpolated along YaRN's ramp, not frequencies";
  const auto& all = misreadings::rope.misreadings;
  const auto one = std::ranges::find(all, what, &Misreading::what);
  ASSERT_NE(one, all.end());
  const auto pairs = [&](const std::string& widths) {
    return as<Rotary>(one->make(with(encoding_named("rope"),
                                     Case::parse(widths + " scaling=yarn factor=8 original_length=1024"))))
        .pairs;
  };
  const std::vector<Pair> part = pairs("dim=64 rotary_dim=32 exponent=dim"), whole = pairs("dim=64");
  ASSERT_EQ(part.size(), 16u);
  for (std::size_t i = 0; i < part.size(); ++i) EXPECT_EQ(part[i].frequency, whole[i].frequency) << i;
}

TEST(MisreadRope, is_none_where_frequencies_are_of_another_kind) {
  const std::string grows = "scaling=dynamic_ntk factor=4 original_length=64";
  const std::vector<std::string> others = {"dim=16", "scaling=ntk factor=4", grows + " length=128"};
  for (const std::string& words : others)
    for (const Misreading& one : misreadings::rope.misreadings)
      EXPECT_THROW(one.make(with(encoding_named("rope"), Case::parse(words))), Refusal) << one.what << words;
}

}  // namespace
}  // namespace posproof::misreadings_rope_test
