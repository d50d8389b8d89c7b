// What is said of encodings whose answers are right, and then something is done to them.
#include "run/answer_deviations.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <numeric>
#include <tuple>
#include <utility>

#include "core/formats.h"
#include "run/testing/deviations.h"

namespace posproof::answer_deviations_test {
namespace {

using testing::said;
using testing::Sentences;
using OfRow = std::function<void(std::span<double>)>;
using OfEntry = std::function<double(double)>;

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

OfRow divided_by(std::function<double(std::span<const double>)> size) {
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
      const auto& rotary = std::get<Rotary>(right);
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

}  // namespace
}  // namespace posproof::answer_deviations_test
