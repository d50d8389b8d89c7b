// What is measured of a bias that is another function of the distance, and of one that lies by heads.
#include "diagnosis/bias_deviations.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <numeric>

#include "core/call.h"
#include "core/formats.h"
#include "core/function.h"
#include "diagnosis/head_deviations.h"
#include "diagnosis/measured_columns.h"
#include "diagnosis/testing/deviations.h"

namespace posproof::bias_deviations_test {
namespace {

using testing::said;
using testing::Sentences;

using Entry = Function<double(double slope, double offset)>;
using Slopes = Function<std::vector<double>(std::vector<double>)>;

Sentences of(const std::string& words, const Entry& entry, const Slopes& other = {}) {
  return said("alibi", words, [=](const Parameters& parameters) {
    Bias own = as<Bias>(encoding_named("alibi").make(parameters));
    own.bias = [=, slopes = other ? other(own.slopes) : own.slopes](const Positions& queries,
                                                                    const Positions& keys) {
      Tensor out({slopes.size(), queries.size(), keys.size()});
      for (std::size_t r = 0; r < out.rows(); ++r)
        for (std::size_t c = 0; c < keys.size(); ++c)
          out.at(r, c) =
              entry(slopes[r / queries.size()], static_cast<double>(queries[r % queries.size()] - keys[c]));
      return out;
    };
    return Encoding(own);
  });
}

TEST(BiasDeviations, are_what_stands_for_the_distance) {
  const auto of_distance = [](const Function<double(double)>& f) {
    return of("heads=3", [f](double m, double d) { return d > 0 ? -m * f(d) : 0; });
  };
  EXPECT_EQ(of_distance([](double d) { return d; }), Sentences{});
  EXPECT_EQ(of_distance([](double d) { return std::sqrt(d); }),
            (Sentences{"the square root of the distance stands for the distance"}));
  EXPECT_EQ(of_distance([](double d) { return std::log1p(d); }),
            (Sentences{"ln(1 + distance) stands for the distance"}));
  EXPECT_EQ(of_distance([](double d) { return std::log2(1 + d); }),
            (Sentences{"log2(1 + distance) stands for the distance"}));
  EXPECT_EQ(of_distance([](double d) { return std::pow(d, 0.75); }),
            (Sentences{"the distance to the power 0.75 stands for the distance"}));
  EXPECT_EQ(of_distance([](double d) { return std::sqrt(d + 1); }), Sentences{});
}

TEST(BiasDeviations, are_distances_without_a_sign) {
  const auto of_distance = [](const Function<double(double)>& distance) {
    return of("heads=3 form=symmetric", [=](double m, double d) { return -m * distance(d); });
  };
  const auto modulo = [&](Position all) {
    return of_distance([all](double d) {
      const auto whole = static_cast<Position>(d);
      return static_cast<double>((whole % all + all) % all);
    });
  };
  EXPECT_EQ(modulo(256), Sentences{"distances are cut to 8 bits, without a sign: -1 counts as 255"});
  EXPECT_EQ(modulo(65536), Sentences{"distances are cut to 16 bits, without a sign: -1 counts as 65535"});
  EXPECT_EQ(modulo(Position{1} << 32),
            Sentences{"distances are cut to 32 bits, without a sign: -1 counts as 4294967295"});
  EXPECT_EQ(modulo(5000000), Sentences{});
}

// Of 256 heads at most.
TEST(BiasDeviations, are_those_of_few_heads) {
  const auto count = [](std::size_t heads) {
    const EncodingSpec& spec = encoding_named("alibi");
    const Parameters parameters = with(spec, Case::parse(fmt::format("heads={} rule=geometric", heads)));
    Bias own = as<Bias>(spec.make(parameters));
    own.bias = [right = own.bias](const Positions& queries, const Positions& keys) {
      Tensor out = right(queries, keys);
      for (double& entry : out.data) entry *= 2;
      return out;
    };
    return bias_deviations(own, as<Bias>(spec.oracle(parameters)), parameters, all_f32).size();
  };
  EXPECT_GT(count(256), 0u);
  EXPECT_EQ(count(257), 0u);
}

// What they are said to be has their entries: each head those of the one whose slope it has.
TEST(BiasDeviations, have_the_entries_that_they_say) {
  const EncodingSpec& spec = encoding_named("alibi");
  const Parameters parameters = with(spec, Case::parse("heads=4"));
  const Bias truth = spec.oracle<Bias>(parameters);
  std::vector<Position> at(24);
  std::iota(at.begin(), at.end(), Position{0});
  const Tensor right = truth.bias(at, at);
  Tensor reversed(right.shape);
  for (std::size_t r = 0; r < right.rows(); ++r)
    std::ranges::copy(right.row((3 - r / at.size()) * at.size() + r % at.size()), reversed.row(r).begin());
  Bias own = truth;
  own.bias = [reversed, all = at.size()](const Positions& queries, const Positions& keys) {
    Tensor out({4, queries.size(), keys.size()});
    for (std::size_t r = 0; r < out.rows(); ++r)
      for (std::size_t c = 0; c < keys.size(); ++c)
        out.at(r, c) =
            reversed.at(r / queries.size() * all + static_cast<std::size_t>(queries[r % queries.size()]),
                        static_cast<std::size_t>(keys[c]));
    return out;
  };
  own.positions = Domain(0, 23);
  const auto found = bias_deviations(own, truth, parameters, all_f32);
  ASSERT_FALSE(found.empty());
  const Tensor said = as<Bias>(found.front().corrected).bias(at, at);
  for (std::size_t r = 0; r < said.rows(); ++r)
    for (std::size_t c = 0; c <= r % at.size(); ++c) EXPECT_EQ(said.at(r, c), reversed.at(r, c)) << r;
}

// Of 12 heads some slopes are no powers of 2; those of 9 digits are the same in f16 as in bf16.
TEST(BiasDeviations, are_slopes_in_a_format) {
  const auto in = [](const std::string& words, double (*format)(double)) {
    return of(
        words, [](double m, double d) { return d > 0 ? -m * d : 0; },
        [format](std::vector<double> slopes) {
          for (double& m : slopes) m = format(m);
          return slopes;
        });
  };
  EXPECT_EQ(in("heads=12", &to_bf16), (Sentences{"slopes are rounded to bf16 or f16"}));
  EXPECT_EQ(in("heads=12 rule=geometric", &to_bf16), (Sentences{"slopes are rounded to bf16"}));
  EXPECT_EQ(in("heads=12 rule=geometric", &to_f16), (Sentences{"slopes are rounded to f16"}));
  EXPECT_EQ(in("heads=8", &to_bf16), Sentences{});  // they are powers of 2
  EXPECT_EQ(in("heads=12 rule=geometric", [](double m) { return std::round(m * 1e4) / 1e4; }),
            Sentences{"slopes are rounded to 4 decimals, as they are printed"});
  EXPECT_EQ(in("heads=20", [](double m) { return std::stod(fmt::format("{:.3g}", m)); }),
            Sentences{"slopes are rounded to 3 significant digits, as they are printed"});
  for (const std::string& one :
       in("heads=12 rule=geometric", [](double m) { return to_bf16(m) * (1 + 0x1p-12); }))
    EXPECT_EQ(one.find("rounded"), one.npos) << one;
}

// In f16 an entry tells a slope to 2^-11 of itself, and all of a head tell it better.
TEST(BiasDeviations, are_slopes_that_no_entry_tells_alone) {
  const auto times = [](std::size_t head, double by, const std::string& precision) {
    const Parameters parameters = with(encoding_named("alibi"), Case::parse("heads=12 form=symmetric"));
    Bias own = as<Bias>(encoding_named("alibi").make(parameters));
    own.bias = [bias = own.bias, head, by](const Positions& queries, const Positions& keys) {
      Tensor out = bias(queries, keys);
      for (std::size_t r = 0; r < out.rows(); ++r)
        for (std::size_t c = 0; c < keys.size(); ++c)
          out.at(r, c) = to_f16((r / queries.size() == head ? by : 1) * out.at(r, c));
      return out;
    };
    const Bias truth = as<Bias>(encoding_named("alibi").make(parameters));
    const Precision of = Precision::parse(precision);
    Sentences out;
    for (const Deviation& one : bias_deviations(own, truth, parameters, of))
      if (one.guessed)
        for (const std::string& sentence : one.sentences)
          if (sentence.starts_with("head")) out.push_back(sentence);
    return out;
  };
  EXPECT_EQ(times(7, 1.001, "f16"), Sentences{"head 7 is 1.001 times the declared one"});
  EXPECT_EQ(times(3, 0.999, "f16"), Sentences{"head 3 is 0.999 times the declared one"});
  EXPECT_EQ(times(7, 1, "f16"), Sentences{});
  EXPECT_EQ(times(7, 1.0003, "f16"), Sentences{"head 7 is 1.0003 times the declared one"});
  EXPECT_EQ(times(7, 1 + 1e-9, "f16"), Sentences{}) << "no entry is rounded otherwise";
}

// 8 heads of two ranks, or of four: each makes slopes for its own, or takes the first ones of all.
TEST(BiasDeviations, are_slopes_of_the_heads_of_a_rank) {
  const auto in = [](double (*slope)(std::size_t h)) {
    return of(
        "heads=8", [](double m, double d) { return d > 0 ? -m * d : 0; },
        [slope](std::vector<double> slopes) {
          for (std::size_t h = 0; h < slopes.size(); ++h) slopes[h] = slope(h);
          return slopes;
        });
  };
  EXPECT_EQ(
      in([](std::size_t h) { return std::exp2(-2 * static_cast<double>(h % 4 + 1)); }),
      (Sentences{
          "slopes are those of 4 heads, again for each 4: as 2 ranks make them that have 4 heads each"}));
  EXPECT_EQ(
      in([](std::size_t h) { return std::exp2(-static_cast<double>(h % 4 + 1)); }),
      (Sentences{
          "every 4 heads have the slopes of the first 4: as 2 ranks take them that have 4 heads each"}));
  EXPECT_EQ(
      in([](std::size_t h) { return std::exp2(-4 * static_cast<double>(h % 2 + 1)); }),
      (Sentences{
          "slopes are those of 2 heads, again for each 2: as 4 ranks make them that have 2 heads each"}));
  for (const std::string& one : in([](std::size_t h) { return std::exp2(-static_cast<double>(h % 4 + 2)); }))
    EXPECT_EQ(one.find("ranks"), one.npos) << one;
}

// The rule for 6 heads is that of 4, and the first two of every second one of 8: 2^-1, 2^-3.
TEST(BiasDeviations, are_slopes_of_groups_of_heads) {
  const auto in = [](const std::string& heads, const Function<double(std::size_t h)>& slope) {
    return of(
        heads, [](double m, double d) { return d > 0 ? -m * d : 0; },
        [slope](std::vector<double> slopes) {
          for (std::size_t h = 0; h < slopes.size(); ++h) slopes[h] = slope(h);
          return slopes;
        });
  };
  const auto of_6 = [](std::size_t h) {
    return h < 4 ? std::exp2(-2 * static_cast<double>(h + 1)) : std::exp2(-static_cast<double>(2 * h - 7));
  };
  const std::string each_2 = "each 2 neighbouring heads have one slope: ",
                    each_4 = "each 4 neighbouring heads have one slope: ";
  EXPECT_EQ(in("heads=8", [](std::size_t h) { return std::exp2(-static_cast<double>(h / 2 + 1)); }),
            Sentences{each_2 + "head h that of head floor(h/2)"});
  EXPECT_EQ(in("heads=8", [](std::size_t h) { return std::exp2(-4 * static_cast<double>(h / 4 + 1)); }),
            Sentences{each_4 + "those of 2 heads"});
  EXPECT_EQ(in("heads=12", [&](std::size_t h) { return of_6(h / 2); }),
            Sentences{each_2 + "those of 6 heads"});
  EXPECT_EQ(in("heads=12", [&](std::size_t h) { return of_6(h % 6); }),
            Sentences{"slopes are those of 6 heads, again for each 6: as 2 ranks make them that have 6 heads "
                      "each"});
}

// Past 16 no more are listed.
TEST(BiasDeviations, are_the_first_of_many_slopes) {
  const Sentences all = of(
      "heads=18", [](double m, double d) { return d > 0 ? -m * d : 0; },
      [](std::vector<double> slopes) {
        for (std::size_t h = 0; h < slopes.size(); ++h) slopes[h] = 1 / static_cast<double>(h * h + 3);
        return slopes;
      });
  ASSERT_EQ(all.size(), 1u);
  EXPECT_TRUE(all.front().starts_with("slopes are 0.333333, 0.25, ")) << all.front();
  const std::string is = all.front().substr(0, all.front().find(", not "));
  EXPECT_EQ(std::ranges::count(is, ','), 16) << is;
  EXPECT_TRUE(is.ends_with(", .."));
}

TEST(BiasDeviations, are_distances_past_0_that_count_one_more_or_less) {
  const auto by = [](double more) {
    return of("heads=3 form=symmetric",
              [more](double m, double d) { return d == 0 ? 0 : -m * (std::abs(d) + more); });
  };
  EXPECT_EQ(by(1), (Sentences{"distances count one more, 0 as it is"}));
  EXPECT_EQ(by(-1), (Sentences{"distances count one less, 0 as it is"}));
  EXPECT_EQ(by(1.5), Sentences{});
}

// As BLOOM has them: a slope times the key's index, which is another constant on each row.
TEST(BiasDeviations, are_slopes_beside_a_constant_on_each_row) {
  const auto of_keys = [](const Slopes& slopes) {
    return said("alibi", "heads=6 rows=any", [=](const Parameters& parameters) {
      Bias own = as<Bias>(encoding_named("alibi").make(parameters));
      own.bias = [all = slopes(own.slopes)](const Positions& queries, const Positions& keys) {
        Tensor out({all.size(), queries.size(), keys.size()});
        for (std::size_t r = 0; r < out.rows(); ++r)
          for (std::size_t c = 0; c < keys.size(); ++c)
            out.at(r, c) = static_cast<float>(all[r / queries.size()]) * static_cast<float>(keys[c] + 1);
        return out;
      };
      return Encoding(own);
    });
  };
  using Of = std::vector<double>;
  EXPECT_EQ(of_keys([](Of right) { return right; }), Sentences{});
  EXPECT_EQ(of_keys([](Of) { return Of{0.25, 0.0625, 0x1p-6, 0x1p-8, 0.5, 0.25}; }),
            (Sentences{"slopes past head 3 are 2^(-8 k/8) with k = 1, 2, 3, .., not 1, 3, 5, .."}));
  EXPECT_EQ(of_keys([](Of) { return Of{1, 0.25, 0.0625, 0x1p-6, 0.5, 0.125}; }),
            (Sentences{"slopes are 1, 0.25, 0.0625, 0.015625, 0.5, 0.125, not 0.25, 0.0625, 0.015625, "
                       "0.00390625, 0.5, 0.125"}));
}

TEST(BiasDeviations, are_distances_in_few_bits) {
  const auto cut = [](auto to) {
    return of("heads=3", [to](double m, double d) { return d > 0 ? -m * static_cast<double>(to(d)) : 0; });
  };
  EXPECT_EQ(cut([](double d) { return static_cast<std::int8_t>(static_cast<std::int64_t>(d)); }),
            (Sentences{"distances are cut to 8 bits, with a sign: 128 counts as -128"}));
  EXPECT_EQ(cut([](double d) { return static_cast<std::int16_t>(static_cast<std::int64_t>(d)); }),
            (Sentences{"distances are cut to 16 bits, with a sign: 32768 counts as -32768"}));
}

// One number stands on all keys that are farther away, of every head.
TEST(BiasDeviations, are_a_window) {
  const auto beyond = [](double most, double is) {
    return of("heads=3", [=](double m, double d) { return d > most ? is : d > 0 ? -m * d : 0; });
  };
  EXPECT_EQ(beyond(100, -1e9), (Sentences{"keys more than 100 before the query have the bias -1e+09"}));
  EXPECT_EQ(beyond(100, -std::numeric_limits<double>::infinity()),
            (Sentences{"keys more than 100 before the query have the bias minus infinity"}));
  EXPECT_EQ(beyond(63, 0), (Sentences{"keys more than 63 before the query have the bias 0"}));
  // Another number for each head is no window.
  EXPECT_EQ(of("heads=3", [](double m, double d) { return d > 100 ? -m * 1000
                                                          : d > 0 ? -m * d
                                                                  : 0; }),
            Sentences{});
}

TEST(BiasDeviations, are_limits_of_the_distance_and_of_entries) {
  const auto of_distance = [](const Function<double(double m, double d)>& entry) {
    return of("heads=3", [entry](double m, double d) { return d > 0 ? entry(m, d) : 0; });
  };
  EXPECT_EQ(of_distance([](double m, double d) { return -m * std::fmod(d, 1000); }),
            (Sentences{"distances are taken modulo 1000"}));
  EXPECT_EQ(of_distance([](double m, double d) { return -m * std::min(d, 1000.); }),
            (Sentences{"distances past 1000 count as 1000"}));
  EXPECT_EQ(of_distance([](double m, double d) { return std::max(-m * d, -10.); }),
            (Sentences{"entries below -10 are -10"}));
  EXPECT_EQ(
      of_distance([](double m, double d) { return std::max(-m * d, -10.) * (m < 0.01 ? 1 + 1e-5 : 1); }),
      Sentences{});
  EXPECT_EQ(of("heads=3", [](double m, double d) { return d >= 0 ? std::min(-m * d, -1.) : 0; }),
            (Sentences{"entries above -1 are -1"}));
  EXPECT_EQ(
      of("heads=3", [](double m, double d) { return d >= 0 ? std::min(-m * d, m < 0.01 ? -1.5 : -1.) : 0; }),
      Sentences{});
  EXPECT_EQ(of("heads=3",
               [](double m, double d) {
                 return d == 0 ? -std::numeric_limits<double>::infinity() : d > 0 ? -m * d : 0;
               }),
            (Sentences{"the query's own key is masked: its bias is minus infinity"}));
}

// The largest distance of a file is no power of two: past the last one that is, there are others.
TEST(BiasDeviations, are_limits_past_the_last_power_of_two) {
  const EncodingSpec& spec = encoding_named("alibi");
  const Parameters parameters = with(spec, Case::parse("heads=4 form=symmetric"));
  const Bias truth = spec.oracle<Bias>(parameters);
  for (const Position limit : {512, 600, 698}) {
    Bias own = truth;
    own.positions = Domain(0, 699);
    own.bias = [=](const Positions& queries, const Positions& keys) {
      Tensor out = truth.bias(queries, keys);
      for (std::size_t r = 0; r < out.rows(); ++r)
        for (std::size_t c = 0; c < keys.size(); ++c) {
          const Position distance = std::abs(queries[r % queries.size()] - keys[c]);
          out.at(r, c) = -truth.slopes[r / queries.size()] * static_cast<double>(std::min(distance, limit));
        }
      return out;
    };
    const auto found = bias_deviations(own, truth, parameters, all_f32);
    const auto said = fmt::format("distances past {0} count as {0}", limit);
    EXPECT_TRUE(std::ranges::any_of(found, [&](const Deviation& one) {
      return one.sentences == Sentences{said};
    })) << said;
  }
}

TEST(BiasDeviations, are_positions_in_f16) {
  const auto of_positions = [](double most, const Function<double(double t)>& in) {
    return said("alibi", "heads=3", [=](const Parameters& parameters) {
      Bias own = as<Bias>(encoding_named("alibi").make(parameters));
      own.bias = [=, slopes = own.slopes](const Positions& queries, const Positions& keys) {
        Tensor out({slopes.size(), queries.size(), keys.size()});
        for (std::size_t r = 0; r < out.rows(); ++r)
          for (std::size_t c = 0; c < keys.size(); ++c) {
            const double i = in(static_cast<double>(queries[r % queries.size()])),
                         j = in(static_cast<double>(keys[c]));
            out.at(r, c) = -slopes[r / queries.size()] * (std::min(i, most) - std::min(j, most));
          }
        return out;
      };
      return Encoding(own);
    });
  };
  const double infinite = std::numeric_limits<double>::infinity();
  EXPECT_EQ(
      of_positions(infinite, [](double t) { return to_f16(t); }),
      Sentences{
          "positions are rounded to f16: from 2049 on neighbours coincide, and past 65504 they are infinite"});
  EXPECT_EQ(
      of_positions(65504, [](double t) { return to_f16(t); }),
      Sentences{
          "positions are rounded to f16: from 2049 on neighbours coincide, and past 65504 they count as that"});
}

// Of a T5 bias: at distance 0, as a share of the keys, transposed.
TEST(BiasDeviations, are_entries_in_other_places) {
  using Call = Function<double(const Bias&, std::size_t head, const Positions&, const Positions&,
                               std::size_t row, std::size_t column)>;
  const auto made = [](const Call& entry) {
    return said("t5_bias", "heads=2 table=index", [entry](const Parameters& parameters) {
      const Bias truth = as<Bias>(encoding_named("t5_bias").make(parameters));
      Bias own = truth;
      own.bias = [entry, truth](const Positions& queries, const Positions& keys) {
        Tensor out({truth.heads, queries.size(), keys.size()});
        for (std::size_t r = 0; r < out.rows(); ++r)
          for (std::size_t c = 0; c < keys.size(); ++c)
            out.at(r, c) = entry(truth, r / queries.size(), queries, keys, r % queries.size(), c);
        return out;
      };
      return Encoding(own);
    });
  };
  const auto at = [](const Bias& truth, std::size_t head, Position i, Position j) {
    return truth.bias(std::vector{i}, std::vector{j}).data.at(head);
  };
  const auto with_at_0 = [&](const Function<double(const Bias&, std::size_t head)>& zero) {
    return made(
        [=](const Bias& truth, std::size_t head, const Positions& i, const Positions& j, std::size_t r,
            std::size_t c) { return i[r] == j[c] ? zero(truth, head) : at(truth, head, i[r], j[c]); });
  };
  EXPECT_EQ(with_at_0([](const Bias&, std::size_t) { return 0; }),
            (Sentences{"entries at distance 0 are 0"}));
  EXPECT_EQ(with_at_0([](const Bias&, std::size_t) { return 1; }),
            (Sentences{"entries at distance 0 are 1"}));
  EXPECT_EQ(with_at_0([](const Bias&, std::size_t) { return -2.5; }),
            (Sentences{"entries at distance 0 are -2.5"}));
  EXPECT_EQ(with_at_0([at](const Bias& truth, std::size_t head) { return at(truth, head, 8, 7); }),
            (Sentences{"distance 0 counts as 1"}));
  EXPECT_EQ(with_at_0([](const Bias&, std::size_t head) { return head == 0 ? 0.5 : 0.25; }), Sentences{});
  EXPECT_EQ(
      made([=](const Bias& truth, std::size_t head, const Positions& i, const Positions& j, std::size_t r,
               std::size_t c) { return at(truth, head, i[r], j[c]) / static_cast<double>(j.size()); }),
      (Sentences{"every entry is divided by the number of keys"}));
  EXPECT_EQ(made([=](const Bias& truth, std::size_t head, const Positions& i, const Positions& j,
                     std::size_t r, std::size_t c) {
              return i.size() == j.size() ? at(truth, head, i[c], j[r]) : at(truth, head, i[r], j[c]);
            }),
            (Sentences{"where queries and keys are as many, the answer is transposed"}));
}

TEST(BiasDeviations, are_another_multiple_for_keys_after_the_query) {
  const auto later = [](double factor) {
    return of("heads=3 form=symmetric",
              [factor](double m, double d) { return -m * std::abs(d) * (d < 0 ? factor : 1); });
  };
  EXPECT_EQ(later(1), Sentences{});
  EXPECT_EQ(later(-1), (Sentences{"the bias of keys after the query has the wrong sign"}));
  EXPECT_EQ(later(0), (Sentences{"later keys have no bias"}));
  EXPECT_EQ(later(0.5), (Sentences{"the bias of keys after the query is 1/2 of the declared one"}));
}

// The query's own key is none of them, whose entry of this bias is not 0.
TEST(BiasDeviations, are_none_of_the_querys_own_key_where_later_keys_have_no_bias) {
  for (const double later : {0.0, -std::numeric_limits<double>::infinity()})
    EXPECT_EQ(said("t5_bias", "heads=2",
                   [later](const Parameters& parameters) {
                     Bias own = as<Bias>(encoding_named("t5_bias").make(parameters));
                     own.bias = [right = own.bias, later](const Positions& queries, const Positions& keys) {
                       Tensor out = right(queries, keys);
                       for (std::size_t r = 0; r < out.rows(); ++r)
                         for (std::size_t c = 0; c < keys.size(); ++c)
                           if (keys[c] > queries[r % queries.size()]) out.at(r, c) = later;
                       return out;
                     };
                     return Encoding(own);
                   }),
              (Sentences{later == 0 ? "later keys have no bias"
                                    : "later keys are masked: their bias is minus infinity"}));
}

// Nothing is asked where the subject has no positions.
TEST(BiasDeviations, are_what_stands_for_the_distance_up_to_the_last_one) {
  EXPECT_EQ(said("alibi", "heads=3",
                 [](const Parameters& parameters) {
                   Bias own = as<Bias>(encoding_named("alibi").make(parameters));
                   own.bias = [slopes = own.slopes](const Positions& queries, const Positions& keys) {
                     Tensor out({slopes.size(), queries.size(), keys.size()});
                     for (std::size_t r = 0; r < out.rows(); ++r)
                       for (std::size_t c = 0; c < keys.size(); ++c) {
                         const Position i = queries[r % queries.size()], j = keys[c];
                         if (i > 40 || j < 0) throw Refusal("no such position");
                         out.at(r, c) = i > j ? -slopes[r / queries.size()] * std::sqrt(double(i - j)) : 0;
                       }
                     return out;
                   };
                   own.positions.hi = 40;
                   return Encoding(own);
                 }),
            (Sentences{"the square root of the distance stands for the distance"}));
}

TEST(BiasDeviations, are_the_declared_slopes_in_another_order) {
  const auto in_order = [](auto compare) {
    return of(
        "heads=12", [](double m, double d) { return d > 0 ? -m * d : 0; },
        [compare](std::vector<double> slopes) {
          std::ranges::sort(slopes, compare);
          return slopes;
        });
  };
  EXPECT_EQ(in_order(std::greater<>()), (Sentences{"heads have the declared slopes in falling order"}));
  EXPECT_EQ(in_order(std::less<>()), (Sentences{"heads have the declared slopes in rising order"}));
}

TEST(BiasDeviations, are_one_factor_before_they_are_other_heads) {
  EXPECT_EQ(said("sandwich", "heads=2 dim=4",
                 [](const Parameters& parameters) {
                   Bias own = as<Bias>(encoding_named("sandwich").make(parameters));
                   own.bias = [bias = own.bias](const Positions& queries, const Positions& keys) {
                     Tensor out = bias(queries, keys);
                     for (double& entry : out.data) entry /= 2;
                     return out;
                   };
                   return Encoding(own);
                 }),
            (Sentences{"every entry is 0.5 times the declared one"}));
}

// Rounded as it is where the other offset has been taken, which is far more than at the declared one.
TEST(BiasDeviations, are_allowed_what_rounding_does_where_they_look) {
  const auto of_offset = [](const std::string& words, Position (*other)(Position), double off = 0) {
    return said("dynamic_position_bias", "width=4 heads=2 " + words, [=](const Parameters& parameters) {
      const Bias right = as<Bias>(encoding_named("dynamic_position_bias").make(parameters));
      Bias own = right;
      own.bias = [=](const Positions& queries, const Positions& keys) {
        Tensor out({right.heads, queries.size(), keys.size()});
        for (std::size_t i = 0; i < queries.size(); ++i)
          for (std::size_t j = 0; j < keys.size(); ++j) {
            const Position query[] = {other(queries[i] - keys[j])}, key[] = {0};
            const Tensor is = right.bias(query, key);
            for (std::size_t h = 0; h < right.heads; ++h)
              out.at(h * queries.size() + i, j) = static_cast<float>(is.data[h] * (1 + off));
          }
        return out;
      };
      return Encoding(own);
    });
  };
  const auto opposite = [](Position d) { return -d; };
  const Sentences swapped{"the two directions are swapped: query and key are exchanged"};
  EXPECT_EQ(of_offset("", opposite), swapped);
  EXPECT_EQ(of_offset("depth=1 activation=relu", opposite), swapped);
  EXPECT_EQ(of_offset("depth=1 activation=relu", opposite, 1e-3), Sentences{});
}

// Of one position there is no distance, and of none nothing.
TEST(BiasDeviations, need_two_positions) {
  const Parameters parameters = with(encoding_named("alibi"), Case::parse("heads=2"));
  const Encoding truth = encoding_named("alibi").oracle(parameters);
  const auto of = [&](Position lo, Position hi) {
    const Encoding there = with_positions(truth, Domain(lo, hi));
    return bias_deviations(as<Bias>(there), as<Bias>(truth), parameters, all_f32);
  };
  EXPECT_TRUE(of(5, 5).empty());
  EXPECT_TRUE(of(6, 5).empty());
  EXPECT_FALSE(of(5, 6).empty());
}

// Of an order without a name each column that holds another is told.
TEST(ColumnDeviations, say_of_each_column_which_it_holds) {
  EXPECT_EQ(column_deviations({{2, 1}, {0, 1}, {3, -1}, {1, 1}}, "head", "entry", 1),
            (Sentences{"head 0 holds head 2", "head 1 holds head 0", "head 2 holds minus head 3",
                       "head 3 holds head 1"}));
}

// Of fewer than 16 pairs of tokens one head may be another by chance.
TEST(HeadDeviation, is_of_sixteen_pairs) {
  const auto truth = as<Bias>(encoding_named("alibi").oracle(Case::parse("heads=2")));
  const auto said_of = [&](Position queries, Position keys) {
    Call call;
    for (Position t = 0; t < queries; ++t) call.positions.whole.push_back(20 + t);
    for (Position t = 0; t < keys; ++t) call.keys.whole.push_back(t);
    Tensor swapped = answer(truth, call);
    std::rotate(swapped.data.begin(), swapped.data.begin() + queries * keys, swapped.data.end());
    const auto found = head_deviation(truth, all_f32, {{{}, call, swapped}});
    return found ? found->sentences : Sentences{};
  };
  // An answer of another shape has no entry that could be compared.
  Call call{.positions = {.whole = {20, 21, 22, 23}}, .keys = {.whole = {0, 1, 2, 3}}};
  Tensor swapped = answer(truth, call);
  std::rotate(swapped.data.begin(), swapped.data.begin() + 16, swapped.data.end());
  const Answered right{{}, call, swapped}, other{{}, call, Tensor({2, 4, 2}, std::vector<double>(16, 7.0))};
  const auto beside = head_deviation(truth, all_f32, {other, right});
  ASSERT_TRUE(beside);
  EXPECT_EQ(beside->sentences, Sentences{"the same after one permutation of heads: the halves are swapped"});

  EXPECT_EQ(said_of(3, 5), Sentences{});
  EXPECT_EQ(said_of(4, 4), Sentences{"the same after one permutation of heads: the halves are swapped"});
}

}  // namespace
}  // namespace posproof::bias_deviations_test
