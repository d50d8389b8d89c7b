#include "run/seeming_precision.h"

#include <gtest/gtest.h>

#include <cmath>

#include "catalogue/encodings/alibi.h"
#include "catalogue/encodings/rope.h"
#include "core/formats.h"
#include "core/function.h"
#include "core/spec.h"
#include "run/recorded.h"

namespace posproof::seeming_precision_test {
namespace {

using Rounding = Function<double(double)>;

// Angles, tables, products and results, each in its own format.
struct Arithmetic {
  Rounding angle, table, work, result;
};

Rotary rope(const Arithmetic& in) {
  Rotary rotary = encodings::rope.oracle<Rotary>(with(encodings::rope, Case::parse("dim=8")));
  rotary.rotate = [in, pairs = rotary.pairs](const Tensor& x, const Positions& positions, Role) {
    Tensor y = x;
    const std::size_t n = x.shape[2];
    for (std::size_t r = 0; r < x.rows(); ++r)
      for (const Pair& pair : pairs) {
        const double t = in.angle(static_cast<double>(positions[r / n * n + r % n]));
        const double angle = in.angle(t * in.angle(pair.frequency));
        const double c = in.table(std::cos(angle)), s = in.table(std::sin(angle));
        const double a = x.at(r, pair.first), b = x.at(r, pair.second);
        y.at(r, pair.first) = in.result(in.work(in.work(a * c) - in.work(b * s)));
        y.at(r, pair.second) = in.result(in.work(in.work(a * s) + in.work(b * c)));
      }
    return y;
  };
  return rotary;
}

SeemingPrecision seen(const Encoding& subject, const char* declared) {
  const Encoding truth = encodings::rope.oracle(with(encodings::rope, Case::parse("dim=8")));
  const Answers answers;
  const Precision precision = Precision::parse(declared);
  agreement_searched(truth, answers.kept_of(subject), precision, {.id = "test", .budget = {.cases = 200}});
  return seeming_precision(truth, subject, precision, answers);
}

const Rounding f32 = &to_f32, bf16 = &to_bf16, f64 = [](double x) { return x; };

TEST(SeemingPrecision, is_the_one_that_a_rotation_is_computed_in) {
  EXPECT_EQ(seen(rope({f32, f32, f32, f32}), "f32").word, "f32");
  EXPECT_EQ(seen(rope({f64, f32, f32, f32}), "f32").word, "f32/f64");
  EXPECT_EQ(seen(rope({f32, f32, f32, bf16}), "bf16").word, "bf16/f32+table=f32");
  EXPECT_EQ(seen(rope({f32, bf16, bf16, bf16}), "bf16+table=bf16").word, "bf16/f32+table=bf16");
  EXPECT_EQ(seen(rope({f32, bf16, f32, f32}), "f32+table=bf16").word, "f32+table=bf16");
  EXPECT_EQ(seen(rope({bf16, bf16, bf16, bf16}), "bf16/bf16").word, "bf16/bf16");
}

// A module of doubles whose tables are computed in f32.
TEST(SeemingPrecision, of_doubles_is_that_of_their_angles_and_tables) {
  EXPECT_EQ(seen(rope({f64, f32, f64, f64}), "f64").word, "f64+table=f32");
  EXPECT_EQ(seen(rope({f32, f64, f64, f64}), "f64").word, "f64/f32");
  EXPECT_EQ(seen(rope({f32, f32, f64, f64}), "f64").word, "f64/f32+table=f32");
  EXPECT_EQ(seen(rope({f64, f64, f64, f64}), "f64").word, "f64");
}

TEST(SeemingPrecision, warns_where_the_declared_one_hides_angles_in_f32) {
  const SeemingPrecision seeming = seen(rope({f32, f32, f32, bf16}), "bf16/bf16");
  EXPECT_TRUE(seeming.tighter_by_far);
  EXPECT_EQ(seeming.word, "bf16/f32+table=f32");
  const std::string words = in_words(seeming, Precision::parse("bf16/bf16"));
  EXPECT_NE(
      words.find("warning: the declared precision hides smaller defects; declare `@bf16/f32+table=f32`"),
      std::string::npos)
      << words;
  EXPECT_FALSE(seen(rope({f32, f32, f32, bf16}), "bf16").tighter_by_far);
}

// In bf16 an angle of 4,096 radians may be off by more than a turn, which allows every answer.
TEST(SeemingPrecision, of_a_refuted_one_is_none_that_would_allow_anything) {
  const auto truth = encodings::rope.oracle<Rotary>(with(encodings::rope, Case::parse("dim=2")));
  const auto seen_of = [&](Position ahead) {
    Rotary wrong = truth;
    wrong.rotate = [truth, ahead](const Tensor& x, const Positions& positions, Role role) {
      std::vector<Position> at;
      for (std::size_t n = 0; n < positions.size(); ++n)
        at.push_back(positions[n] + (positions[n] >= 4096 ? ahead : 0));
      Tensor y = truth.rotate(x, at, role);
      for (double& entry : y.data) entry = to_f32(entry);
      return y;
    };
    const Answers answers;
    agreement_searched(truth, answers.kept_of(wrong), all_f32, {.id = "test", .budget = {.cases = 200}});
    return seeming_precision(truth, wrong, all_f32, answers);
  };
  EXPECT_EQ(seen_of(0).word, "f32/f64");
  EXPECT_GT(seen_of(1).declared_share, 1);
  EXPECT_EQ(seen_of(1).word, "");
}

TEST(SeemingPrecision, of_a_refuted_one_is_what_would_hold) {
  const SeemingPrecision seeming = seen(rope({f32, bf16, bf16, bf16}), "bf16");
  EXPECT_GT(seeming.declared_share, 1);
  EXPECT_NE(in_words(seeming, Precision::parse("bf16")).find("would agree as `@bf16/f32+table=bf16`: "),
            std::string::npos)
      << in_words(seeming, Precision::parse("bf16"));
}

// Angles in steps of 1/1024 are off by less than half of what tables in bf16 allow.
TEST(SeemingPrecision, of_what_is_wrong_by_less_than_a_format_rounds_is_none) {
  Rotary in_steps = rope({f64, f64, f64, f32});
  in_steps.rotate = [pairs = in_steps.pairs](const Tensor& x, const Positions& positions, Role) {
    Tensor y = x;
    const std::size_t n = x.shape[2];
    for (std::size_t r = 0; r < x.rows(); ++r)
      for (const Pair& pair : pairs) {
        const double angle = positions.at(r / n * n + r % n) * pair.frequency;
        const double c = std::cos(std::floor(1024 * angle) / 1024),
                     s = std::sin(std::floor(1024 * angle) / 1024);
        const double a = x.at(r, pair.first), b = x.at(r, pair.second);
        y.at(r, pair.first) = to_f32(a * c - b * s);
        y.at(r, pair.second) = to_f32(a * s + b * c);
      }
    return y;
  };
  const SeemingPrecision seeming = seen(in_steps, "f32");
  EXPECT_GT(seeming.declared_share, 1);
  EXPECT_TRUE(seeming.allowed_alone);
  EXPECT_EQ(seeming.word, "");
  EXPECT_EQ(in_words(seeming, all_f32), "");
}

TEST(SeemingPrecision, of_another_rotation_is_none) {
  Rotary wrong = rope({f32, f32, f32, f32});
  wrong.rotate = [right = wrong.rotate](const Tensor& x, const Positions& positions, Role role) {
    Tensor y = right(x, positions, role);
    for (double& value : y.data) value = -value;
    return y;
  };
  const SeemingPrecision seeming = seen(wrong, "f32");
  EXPECT_EQ(seeming.word, "");
  EXPECT_NE(in_words(seeming, all_f32).find("no precision explains all of"), std::string::npos);
}

TEST(SeemingPrecision, is_of_a_thousand_answers_at_the_most) {
  const Encoding truth = encodings::alibi.oracle(with(encodings::alibi, Case::parse("heads=1")));
  const Answers answers;
  const Encoding kept = answers.kept_of(truth);
  for (int n = 0; n < 3; ++n) answer(kept, sequence(truth, {0, 1, n}));
  EXPECT_EQ(seeming_precision(truth, truth, all_f32, answers).answers, 3u);
  for (int n = 0; n < 1200; ++n) answer(kept, sequence(truth, {0, 1}));
  EXPECT_EQ(answers.all().size(), 1000u);
}

TEST(SeemingPrecision, says_nothing_where_nothing_was_rounded) {
  const Encoding truth = encodings::alibi.oracle(with(encodings::alibi, {}));
  const Answers answers;
  EXPECT_EQ(in_words(seeming_precision(truth, truth, all_f32, answers), all_f32), "");
  answer(answers.kept_of(truth), sequence(truth, {0, 1, 2}));
  EXPECT_EQ(answers.all().size(), 1u);
  EXPECT_EQ(in_words(seeming_precision(truth, truth, all_f32, answers), all_f32), "");
}

// A declared precision holds up to all of what it allows, not beyond.
TEST(SeemingPrecision, would_agree_where_the_declared_one_does_not_hold) {
  const auto begins = [](double declared_share) {
    const std::string words =
        in_words({.answers = 7, .word = "bf16", .share = 0.5, .declared_share = declared_share}, all_f32);
    return words.substr(0, words.find(" `") == std::string::npos ? words.size() : words.find('`') - 1);
  };
  EXPECT_EQ(begins(1), "seems to work in");
  EXPECT_EQ(begins(1.5), "would agree as");
}

}  // namespace
}  // namespace posproof::seeming_precision_test
