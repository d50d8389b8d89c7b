// What is said of encodings whose answers are right, and then something is done to them.
#include "diagnosis/answer_deviations.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "core/formats.h"
#include "core/function.h"
#include "diagnosis/testing/deviations.h"

namespace posproof::answer_deviations_test {
namespace {

using testing::said;
using testing::Sentences;
using OfRow = Function<void(std::span<double>)>;
using OfEntry = Function<double(double)>;

Sentences of_rows(const std::string& family, const std::string& words, const OfRow& change,
                  const Precision& precision = all_f32) {
  const auto make = [=, &family](const Parameters& parameters) {
    const Encoding right = encoding_named(family).make(parameters);
    return answered_by(right, [=](const Call& call) {
      Tensor out = answer(right, call);
      for (std::size_t r = 0; r < out.rows(); ++r) change(out.row(r));
      return out;
    });
  };
  return said(family, words, make, precision);
}

Sentences of_entries(const std::string& family, const std::string& words, const OfEntry& change) {
  return of_rows(family, words, [change](std::span<double> row) {
    for (double& x : row) x = change(x);
  });
}

double squares(std::span<const double> row) {
  return std::inner_product(row.begin(), row.end(), row.begin(), 0.0);
}

OfRow divided_by(Function<double(std::span<const double>)> size) {
  return [size = std::move(size)](std::span<double> row) {
    const double by = size(row);
    for (double& x : row) x /= by;
  };
}

void centre(std::span<double> row) {
  const double mean = std::accumulate(row.begin(), row.end(), 0.0) / static_cast<double>(row.size());
  for (double& x : row) x -= mean;
}

TEST(AnswerDeviations, name_what_is_done_to_every_entry_of_a_table) {
  const struct {
    std::string words;
    OfEntry change;
  } all[] = {
      {"every entry x is (x + 1)/2", [](double x) { return 0.5 + x / 2; }},
      {"every entry is 1 too large", [](double x) { return 1 + x; }},
      {"every entry x is 1 - x", [](double x) { return 1 - x; }},
      {"entries have no sign", [](double x) { return x < 0 ? -x : x; }},
      {"entries below 0 are 0", [](double x) { return x < 0 ? 0 : x; }},
      {"entries are rounded to whole numbers", [](double x) { return std::round(x); }},
      {"entries are in 8 bits: whole multiples of 1/127", [](double x) { return std::round(x * 127) / 127; }},
      {"entries are in 8 bits: whole multiples of 1/128", [](double x) { return std::round(x * 128) / 128; }},
      {"tanh stands before every entry", [](double x) { return 1 - 2 / (std::exp(2 * x) + 1); }},
      {"every entry x is e^x", [](double x) { return std::pow(std::exp(1.0), x); }},
  };
  for (const auto& [words, change] : all)
    EXPECT_EQ(of_entries("sinusoidal", "dim=6", change), Sentences{words});
}

TEST(AnswerDeviations, name_what_is_done_to_every_entry_of_a_bias) {
  EXPECT_EQ(of_entries("alibi", "heads=3", [](double b) { return std::pow(std::exp(1.0), b); }),
            Sentences{"every entry b is e^b"});
  EXPECT_EQ(of_entries("alibi", "heads=3", [](double b) { return 1 - b; }),
            Sentences{"every entry b is 1 - b"});
  EXPECT_EQ(of_entries("alibi", "heads=3", [](double b) { return 1 - 2 / (std::exp(2 * b) + 1); }),
            Sentences{"tanh stands before every entry"});
  // The softmax does not see what a row has in common.
  EXPECT_EQ(of_entries("alibi", "heads=3 rows=any", [](double b) { return 1 + b; }), Sentences{});
}

// On a grid, where no rotation is measured as a whole.
TEST(AnswerDeviations, name_one_factor_of_all) {
  for (const double factor : {1.2, -0.5, 1.01})
    EXPECT_EQ(of_entries("axial_rope", "dim=8 heads=2", [=](double x) { return factor * x; }),
              Sentences{fmt::format("every entry is multiplied by {}, not by 1", factor)});
  EXPECT_EQ(of_rows("axial_rope", "dim=8 heads=2",
                    [](std::span<double> row) {
                      for (std::size_t c = 0; c < row.size(); ++c) row[c] *= c == 7 ? 1.21 : 1.2;
                    }),
            Sentences{});
}

// Past the largest number of the format an answer is that, or infinite; past another number it is neither.
TEST(AnswerDeviations, name_what_stands_past_the_largest_number) {
  const auto of_biases = [](OfEntry change) { return of_entries("alibi", "heads=12", change); };
  EXPECT_EQ(of_biases([](double x) { return to_f16(std::clamp(x, -65504.0, 65504.0)); }),
            Sentences{"answers are rounded to f16, and past 65504 they are that"});
  EXPECT_EQ(of_biases([](double x) { return to_f16(x); }), Sentences{"answers are rounded to f16"});
  EXPECT_EQ(of_biases([](double x) { return to_f16(std::clamp(x, -60000.0, 60000.0)); }), Sentences{});
}

// In f32 first, as code has them before it rounds them to less: a tie may fall to the other side.
TEST(AnswerDeviations, name_answers_in_few_digits) {
  const struct {
    std::string words;
    OfEntry change;
  } all[] = {
      {"answers are rounded to f16", [](double x) { return to_f16(static_cast<float>(x)); }},
      {"answers are rounded to bf16", [](double x) { return to_bf16(static_cast<float>(x)); }},
      {"answers are cut to bf16, towards 0",
       [](double x) {
         int exponent = 0;
         const double fraction = std::frexp(static_cast<float>(x), &exponent);
         return std::ldexp(std::trunc(std::ldexp(fraction, 8)), exponent - 8);
       }},
  };
  for (const auto& [words, change] : all) {
    EXPECT_EQ(of_entries("sinusoidal", "dim=6", change), Sentences{words});
    EXPECT_EQ(of_entries("rope", "dim=6 heads=2", change), Sentences{words});
    // Of slopes that are no powers of 2: of those the distances might as well be rounded.
    EXPECT_EQ(of_entries("alibi", "heads=12", change), Sentences{words});
  }
  // Of f64, answers that went through f32; not those that miss one digit of it.
  for (const auto& [bits, words] :
       {std::pair{24, Sentences{"answers are rounded to f32"}}, std::pair{23, Sentences{}}}) {
    const Sentences found = said(
        "rope", Case::parse("dim=6 heads=2"),
        [bits = bits](const Parameters& parameters) {
          const Encoding right = encoding_named("rope").make(parameters);
          return answered_by(right, [=](const Call& call) {
            Tensor out = answer(right, call);
            for (double& x : out.data) {
              int exponent = 0;
              const double fraction = std::frexp(x, &exponent);
              x = std::ldexp(std::nearbyint(std::ldexp(fraction, bits)), exponent - bits);
            }
            return out;
          });
        },
        all_f64);
    EXPECT_EQ(found, words) << bits;
  }
  // Five digits, and nine.
  for (const double steps : {0x1p5, 0x1p9})
    EXPECT_EQ(
        of_entries("rope", "dim=6 heads=2", [=](double x) { return std::nearbyint(x * steps) / steps; }),
        Sentences{});
}

// Tables have rows of one norm: of them it is a factor.
TEST(AnswerDeviations, name_how_rotated_tokens_are_normalised) {
  const auto of = [](const OfRow& change) { return of_rows("rope", "dim=6 heads=2", change); };
  EXPECT_EQ(of(divided_by([](auto row) { return std::sqrt(squares(row)); })),
            Sentences{"each rotated token is divided by its norm"});
  // A token of zeros stays one.
  EXPECT_EQ(of(divided_by([](auto row) { return std::max(1e-12, std::sqrt(squares(row))); })),
            Sentences{"each rotated token is divided by its norm"});
  EXPECT_EQ(of(divided_by([](auto row) { return 1e-5 + std::sqrt(squares(row)); })),
            Sentences{"each rotated token is divided by its norm, with an epsilon of 1e-05"});
  EXPECT_EQ(of(divided_by([](auto row) { return std::sqrt(squares(row) / 6 + 1e-6); })),
            Sentences{"each rotated token is divided by its root mean square, with an epsilon of 1e-06"});
  EXPECT_EQ(of(&centre), Sentences{"the mean of each rotated token is subtracted from it"});
  EXPECT_EQ(
      of([](std::span<double> row) {
        centre(row);
        divided_by([](auto all) { return std::sqrt(squares(all) / 6 + 1e-5); })(row);
      }),
      Sentences{
          "each rotated token has mean 0 and variance 1, as behind a layer norm, with an epsilon of 1e-05"});
}

// Each rounding is allowed for: of the rotation, and of what is done to it.
TEST(AnswerDeviations, of_rounded_tokens_are_named_too) {
  const double unit = Precision::parse("bf16").result;
  const auto rounded_before = [unit](std::span<double> row) {
    for (std::size_t c = 0; c < row.size(); ++c) row[c] *= 1 + (c % 2 == 0 ? 2 : -2) * unit;
    divided_by([](auto all) { return std::sqrt(squares(all)); })(row);
  };
  EXPECT_EQ(of_rows("rope", "dim=6 heads=2", rounded_before, Precision::parse("bf16")),
            Sentences{"each rotated token is divided by its norm"});
}

// Of a small token, too, an angle in f32 at a far position is off by more than a rounding of what is
// answered.
TEST(AnswerDeviations, of_rounded_angles_are_named_too) {
  const auto make = [](const Parameters& parameters) {
    const Encoding right = encoding_named("rope").make(parameters);
    return answered_by(right, [right](const Call& call) {
      const auto& rotary = as<Rotary>(right);
      Tensor out = answer(right, call);
      const std::size_t n = call.positions.size() / call.batch;
      for (std::size_t r = 0; r < out.rows(); ++r) {
        const auto t = static_cast<double>(call.positions.whole[r / (rotary.heads * n) * n + r % n]);
        for (const Pair& pair : rotary.pairs) {
          double &a = out.at(r, pair.first), &b = out.at(r, pair.second);
          const double angle = t * pair.frequency * 0x1p-25, c = std::cos(angle), s = std::sin(angle);
          std::tie(a, b) = std::pair(a * c - b * s, a * s + b * c);
        }
        divided_by([](auto all) { return std::sqrt(squares(all)); })(out.row(r));
      }
      return out;
    });
  };
  EXPECT_EQ(said("rope", "dim=6 heads=2", make), Sentences{"each rotated token is divided by its norm"});
}

TEST(AnswerDeviations, name_what_is_done_to_rows_of_a_table) {
  const auto of = [](const OfRow& change) { return of_rows("sinusoidal", "dim=6", change); };
  EXPECT_EQ(of(&centre), Sentences{"the mean of each row is subtracted from it"});
  EXPECT_EQ(of([](std::span<double> row) {
              double sum = 0;
              for (const double x : row) sum += std::exp(x);
              for (double& x : row) x = std::exp(x) / sum;
            }),
            Sentences{"a softmax is taken of each row"});
}

// Near to one of them, or one in part of the row, is none.
TEST(AnswerDeviations, near_ones_have_no_name) {
  // Of an entry of 1 f32 allows 2.4e-7, and three times that and a rounding behind what is done.
  EXPECT_EQ(of_entries("sinusoidal", "dim=6", [](double x) { return (x + 1) / 2 * (1 + 2e-6); }),
            Sentences{});
  EXPECT_EQ(of_entries("sinusoidal", "dim=6", [](double x) { return std::round(x * 130) / 130; }),
            Sentences{});
  EXPECT_EQ(of_rows("sinusoidal", "dim=6", [](std::span<double> row) { row[5] = std::tanh(row[5]); }),
            Sentences{});
}

// What an effect allows at far positions is as large as every entry of these rows: it explains nothing of
// them.
TEST(AnswerDeviations, of_small_entries_none_is_an_effect_on_positions) {
  EXPECT_EQ(of_rows("sinusoidal", "dim=16",
                    [](std::span<double> row) {
                      double sum = 0;
                      for (const double x : row) sum += std::exp(1.5 * x);
                      for (double& x : row) x = std::exp(1.5 * x) / sum;
                    }),
            Sentences{});
}

// ---- without a search: the sentences of a kind, and what each makes of an answer

constexpr double inf = std::numeric_limits<double>::infinity(),
                 not_a_number = std::numeric_limits<double>::quiet_NaN();

// A table that answers with that row, whatever it is asked.
Encoding answering(const std::vector<double>& row) {
  Table out;
  out.dim = row.size();
  out.rows = [row](const Positions& at, Position) {
    Tensor rows({at.size(), row.size()});
    for (std::size_t r = 0; r < rows.rows(); ++r) std::ranges::copy(row, rows.row(r).begin());
    return rows;
  };
  return out;
}

Call one_token() {
  Call call;
  call.positions.whole = {3};
  return call;
}

Sentences sentences(const std::vector<Deviation>& all) {
  Sentences out;
  for (const Deviation& one : all) {
    EXPECT_EQ(one.sentences.size(), 1u);
    EXPECT_TRUE(one.guessed) << one.sentences.front();
    out.push_back(one.sentences.front());
  }
  return out;
}

// What one of them makes of a row; a row of nothing where there is none of these words.
std::vector<double> made(const std::vector<Deviation>& all, const std::string& words) {
  for (const Deviation& one : all)
    if (one.sentences == Sentences{words}) return answer(one.corrected, one_token()).data;
  return {};
}

// A row of five entries at most: a sum of four products, its root, a quotient and a difference are rounded
// eight times, and the fifth power of e that is expected five times more.
constexpr double roundings = 13 * 0x1p-53;

void expect_near(const std::vector<double>& is, const std::vector<double>& ought, const std::string& words) {
  ASSERT_EQ(is.size(), ought.size()) << words;
  for (std::size_t c = 0; c < is.size(); ++c)
    if (std::isnan(ought[c]))
      EXPECT_TRUE(std::isnan(is[c])) << words;
    else
      EXPECT_NEAR(is[c], ought[c], roundings * (1 + std::abs(ought[c]))) << words;
}

Sentences of_every_row(const std::string& row) {
  Sentences out{"the mean of " + row + " is subtracted from it", "a softmax is taken of " + row};
  for (const std::string with : {"", "", ", with an epsilon of 1e-12", ", with an epsilon of 1e-08",
                                 ", with an epsilon of 1e-06", ", with an epsilon of 1e-05"})
    for (const std::string how : {" is divided by its norm", " is divided by its root mean square",
                                  " has mean 0 and variance 1, as behind a layer norm"})
      out.push_back(row + how + with);
  return out;
}

TEST(AnswerDeviations, are_those_of_a_kind) {
  Sentences table = of_every_row("each row");
  for (const std::string entry :
       {"every entry x is (x + 1)/2", "every entry x is 1 - x", "entries have no sign",
        "entries below 0 are 0", "entries are rounded to whole numbers", "tanh stands before every entry",
        "every entry x is e^x"})
    table.push_back(entry);
  EXPECT_EQ(sentences(answer_deviations(encoding_named("sinusoidal").oracle({}))), table);
  EXPECT_EQ(sentences(answer_deviations(encoding_named("rope").oracle({}))),
            of_every_row("each rotated token"));
  EXPECT_EQ(sentences(answer_deviations(encoding_named("alibi").oracle({}))),
            (Sentences{"every entry b is e^b", "every entry b is 1 - b", "tanh stands before every entry"}));
  EXPECT_EQ(sentences(answer_deviations(Contextual{})), Sentences{});
  EXPECT_EQ(sentences(answer_deviations(Attention{})), of_every_row("each answer"));
}

TEST(AnswerDeviations, do_to_every_entry_what_they_say) {
  const std::vector<double> row{-2.5, -0.25, 0, 0.5, 3.5};
  const auto all = answer_deviations(answering(row));
  const struct {
    std::string words;
    std::vector<double> expected;
  } forms[] = {{"every entry x is (x + 1)/2", {-0.75, 0.375, 0.5, 0.75, 2.25}},
               {"every entry x is 1 - x", {3.5, 1.25, 1, 0.5, -2.5}},
               {"entries have no sign", {2.5, 0.25, 0, 0.5, 3.5}},
               {"entries below 0 are 0", {0, 0, 0, 0.5, 3.5}},
               {"entries are rounded to whole numbers", {-2, 0, 0, 0, 4}},
               {"tanh stands before every entry",
                {-0.98661429815143031, -0.24491866240370913, 0, 0.46211715726000976, 0.99817789761119871}},
               {"every entry x is e^x",
                {0.0820849986238988, 0.77880078307140488, 1, 1.6487212707001282, 33.115451958692312}}};
  for (const auto& [words, expected] : forms) expect_near(made(all, words), expected, words);
}

// (3, 4, 0, 5): the sum is 12, that of the squares 50; without the mean, 3, it is (0, 1, -3, 2) with 14.
TEST(AnswerDeviations, do_to_rows_what_they_say) {
  const std::vector<double> row{3, 4, 0, 5};
  const auto all = answer_deviations(answering(row));
  const auto over = [](std::vector<double> of, double by) {
    for (double& x : of) x /= by;
    return of;
  };
  const std::vector<double> centred{0, 1, -3, 2};
  expect_near(made(all, "the mean of each row is subtracted from it"), centred, "mean");
  const double e = std::exp(1.0);
  expect_near(
      made(all, "a softmax is taken of each row"),
      over({e * e * e, std::pow(e, 4), 1, std::pow(e, 5)}, e * e * e + std::pow(e, 4) + 1 + std::pow(e, 5)),
      "softmax");
  expect_near(made(all, "each row is divided by its norm"), over(row, std::sqrt(50)), "norm");
  expect_near(made(all, "each row is divided by its root mean square"), over(row, std::sqrt(12.5)),
              "root mean square");
  expect_near(made(all, "each row has mean 0 and variance 1, as behind a layer norm"),
              over(centred, std::sqrt(3.5)), "layer norm");
  // Beside the norm, and under a root.
  for (const auto& [text, epsilon] :
       {std::pair{"1e-12", 1e-12}, {"1e-08", 1e-8}, {"1e-06", 1e-6}, {"1e-05", 1e-5}}) {
    const std::string with = std::string(", with an epsilon of ") + text;
    const double size = 2 * epsilon;  // of a row where it shows
    const auto small = answer_deviations(answering({size, 0, 0, size}));
    expect_near(made(small, "each row is divided by its norm" + with),
                over({size, 0, 0, size}, std::sqrt(2) * size + epsilon), with);
    expect_near(made(small, "each row is divided by its root mean square" + with),
                over({size, 0, 0, size}, std::sqrt(size * size / 2 + epsilon)), with);
    expect_near(made(small, "each row has mean 0 and variance 1, as behind a layer norm" + with),
                over({size / 2, -size / 2, -size / 2, size / 2}, std::sqrt(size * size / 4 + epsilon)), with);
  }
}

// What is divided by 0 is no number, or is left as it is: the first form of these words, and the second.
TEST(AnswerDeviations, divide_a_row_of_zeros_in_two_ways) {
  const auto all = answer_deviations(answering({0, 0}));
  for (const std::string words :
       {"each row is divided by its norm", "each row is divided by its root mean square",
        "each row has mean 0 and variance 1, as behind a layer norm"}) {
    std::vector<std::vector<double>> found;
    for (const Deviation& one : all)
      if (one.sentences == Sentences{words}) found.push_back(answer(one.corrected, one_token()).data);
    ASSERT_EQ(found.size(), 2u);
    expect_near(found[0], {not_a_number, not_a_number}, words);
    expect_near(found[1], {0, 0}, words);
    expect_near(made(all, words + ", with an epsilon of 1e-12"), {0, 0}, words);
  }
}

// Of 1 + 2^-8 + 2^-12, say: bf16 has 8 digits, and f16 11.
TEST(AnswerDeviations, round_to_what_they_say) {
  const std::vector<double> row{1 + 0x1p-8 + 0x1p-12, -1 - 0x1p-7 - 0x1p-9, 0.3, -0.7, 70000};
  const auto all = rounded_answers(answering(row), all_f64);
  EXPECT_EQ(sentences(all), (Sentences{"answers are rounded to f32", "answers are rounded to f16",
                                       "answers are rounded to f16, and past 65504 they are that",
                                       "answers are rounded to bf16", "answers are cut to bf16, towards 0",
                                       "entries are in 8 bits: whole multiples of 1/127",
                                       "entries are in 8 bits: whole multiples of 1/128"}));
  EXPECT_EQ(made(all, "answers are rounded to f32"),
            (std::vector<double>{row[0], row[1], double{0.3f}, double{-0.7f}, 70000}));
  EXPECT_EQ(made(all, "answers are rounded to f16"),
            (std::vector<double>{1 + 0x1p-8, -1 - 0x1p-7 - 0x1p-9, 0.300048828125, -0.7001953125, inf}));
  EXPECT_EQ(made(all, "answers are rounded to f16, and past 65504 they are that"),
            (std::vector<double>{1 + 0x1p-8, -1 - 0x1p-7 - 0x1p-9, 0.300048828125, -0.7001953125, 65504}));
  EXPECT_EQ(made(all, "answers are rounded to bf16"),
            (std::vector<double>{1 + 0x1p-7, -1 - 0x1p-7, 0.30078125, -0.69921875, 70144}));
  EXPECT_EQ(made(all, "answers are cut to bf16, towards 0"),
            (std::vector<double>{1, -1 - 0x1p-7, 0.298828125, -0.69921875, 69632}));
  for (const int steps : {127, 128}) {
    const std::string words = "entries are in 8 bits: whole multiples of 1/" + std::to_string(steps);
    const std::vector<double> in_steps = made(all, words);
    ASSERT_EQ(in_steps.size(), 5u);
    expect_near({in_steps[2], in_steps[3]}, {38.0 / steps, steps == 127 ? -89.0 / 127 : -90.0 / 128}, words);
  }
}

// What a format does to its own numbers is no deviation.
TEST(AnswerDeviations, round_to_fewer_digits_than_the_precision_has) {
  const auto said = [](std::string_view precision) {
    return sentences(rounded_answers(answering({1, 2}), Precision::parse(precision)));
  };
  const Sentences narrow{"answers are cut to bf16, towards 0",
                         "entries are in 8 bits: whole multiples of 1/127",
                         "entries are in 8 bits: whole multiples of 1/128"};
  const auto after = [&](Sentences first) {
    first.insert(first.end(), narrow.begin(), narrow.end());
    return first;
  };
  EXPECT_EQ(said("f32"),
            after({"answers are rounded to f16", "answers are rounded to f16, and past 65504 they are that",
                   "answers are rounded to bf16"}));
  EXPECT_EQ(said("f16"), after({"answers are rounded to bf16"}));
  EXPECT_EQ(said("bf16"), narrow);
}

// One factor, of the largest finite entry that is declared.
TEST(AnswerDeviations, measure_one_factor) {
  const std::vector<double> row{1, -4, inf, 2};
  const Encoding declared = answering(row);
  const auto of = [&](std::vector<double> given, const Encoding& truth) {
    return multiplied_answers(truth, Precision::parse("bf16"),
                              {{{}, one_token(), Tensor({1, given.size()}, given)}});
  };
  const auto found = of({7, -6, 5, 7}, declared);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->sentences, Sentences{"every entry is multiplied by 1.5, not by 1"});
  EXPECT_FALSE(found->guessed);
  EXPECT_EQ(answer(found->corrected, one_token()).data, (std::vector<double>{1.5, -6, inf, 3}));
  const auto said_of = [&](double factor) {
    const auto one = of({0, -4 * factor, 0, 0}, declared);
    return one ? one->sentences : Sentences{};
  };
  EXPECT_EQ(said_of(-0.25), Sentences{"every entry is multiplied by -0.25, not by 1"});
  EXPECT_EQ(said_of(1.0625), Sentences{"every entry is multiplied by 1.0625, not by 1"});
  // Near to 1 it may be rounding in 16 bits.
  EXPECT_EQ(said_of(1 + 0x1p-10), Sentences{});
  EXPECT_EQ(said_of(1 - 0x1p-10), Sentences{});
  EXPECT_NE(said_of(1 + 0x1.1p-10), Sentences{});
  EXPECT_NE(said_of(1 - 0x1.1p-10), Sentences{});
  const auto in_f32 = [&](double factor) {
    const auto one =
        multiplied_answers(declared, all_f32, {{{}, one_token(), Tensor({1, 4}, {0, -4 * factor, 0, 0})}});
    return one ? one->sentences : Sentences{};
  };
  EXPECT_EQ(in_f32(1 + 0x1p-22), Sentences{});
  EXPECT_EQ(in_f32(1 - 0x1p-22), Sentences{});
  EXPECT_EQ(in_f32(1.000001), Sentences{"every entry is multiplied by 1.000001, not by 1"});
  EXPECT_EQ(in_f32(0.999999), Sentences{"every entry is multiplied by 0.999999, not by 1"});
  EXPECT_EQ(said_of(inf), Sentences{});
  EXPECT_EQ(said_of(not_a_number), Sentences{});
  EXPECT_FALSE(of({1, 1}, answering({0, 0})));
  const Answered of_another_shape{{}, one_token(), Tensor({1, 3}, {7, -6, 5})},
      right{{}, one_token(), Tensor({1, 4}, {7, -6, 5, 7})};
  EXPECT_TRUE(multiplied_answers(declared, all_f32, {right}));
  EXPECT_FALSE(multiplied_answers(declared, all_f32, {of_another_shape, right}));
  EXPECT_FALSE(multiplied_answers(declared, all_f32, {}));
}

TEST(AnswerDeviations, name_the_size_below_which_entries_are_0) {
  const auto flushed = [](double least) { return [least](double x) { return std::abs(x) < least ? 0 : x; }; };
  const auto below = [](const char* limit) {
    return Sentences{fmt::format("entries whose absolute value is below {} are 0", limit)};
  };
  EXPECT_EQ(of_entries("sinusoidal", "dim=32", flushed(1e-3)), below("1e-3"));
  EXPECT_EQ(of_entries("rope", "dim=32 heads=2", flushed(0x1p-14)), below("2^-14"));
  // A few entries are below this one: they may be 0 for another reason.
  EXPECT_EQ(of_entries("sinusoidal", "dim=32", flushed(1e-4)), Sentences{});
  // Half of what is small, and zeros on one side of 0 alone.
  EXPECT_EQ(of_entries("sinusoidal", "dim=32", [](double x) { return std::abs(x) < 1e-3 ? x / 2 : x; }),
            Sentences{});
  EXPECT_EQ(of_entries("sinusoidal", "dim=32", [](double x) { return x > 0 && x < 1e-3 ? 0 : x; }),
            Sentences{});
}

// A row of 1 and of so many hundredths, which are 0 in the answer.
Sentences of_lost_ones(std::size_t count, double first = 1) {
  std::vector<double> row(count + 1, 0.01);
  row.front() = 1;
  std::vector<double> given(count + 1, 0);
  given.front() = first;
  const Encoding declared = answering(row);
  const auto found =
      flushed_answers(declared, all_f32, {{Case(), one_token(), Tensor({1, count + 1}, given)}});
  return found ? found->sentences : Sentences{};
}

TEST(AnswerDeviations, flush_sixteen_entries_and_no_other_is_wrong) {
  EXPECT_EQ(of_lost_ones(16), Sentences{"entries whose absolute value is below 1e-1 are 0"});
  EXPECT_EQ(of_lost_ones(15), Sentences{});
  EXPECT_EQ(of_lost_ones(16, 1.5), Sentences{}) << "the first is no 0, and is wrong";
}

}  // namespace
}  // namespace posproof::answer_deviations_test
