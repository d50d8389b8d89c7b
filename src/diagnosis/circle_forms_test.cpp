// What is said of a rotation whose cosines and sines do not agree with each other.
#include "diagnosis/circle_forms.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "core/function.h"
#include "diagnosis/testing/deviations.h"

namespace posproof::circle_forms_test {
namespace {

using testing::said;
using testing::Sentences;

// A token of a call, and how to ask for a number of any token.
struct At {
  std::size_t row, token, tokens;
  const Pair& pair;
  Role role;
  const Positions& all;

  double number(std::size_t row_of, std::size_t token_of, std::size_t axis) const {
    return all.at(row_of * tokens + token_of, axis);
  }
  double own() const { return number(row, token, pair.axis); }
};
struct Circle {
  double cosine, sine;
};

Sentences said_of(const std::string& family, const std::string& words,
                  const Function<Circle(const At&)>& of) {
  return said(family, words, [&](const Parameters& parameters) -> Encoding {
    Rotary out = as<Rotary>(encoding_named(family).make(parameters));
    out.rotate = [of, pairs = out.pairs](const Tensor& x, const Positions& positions, Role role) {
      Tensor y = x;
      const std::size_t heads = x.shape[1], n = x.shape[2];
      for (std::size_t r = 0; r < x.rows(); ++r)
        for (const Pair& pair : pairs) {
          const auto [c, s] = of({r / n / heads, r % n, n, pair, role, positions});
          const double a = x.at(r, pair.first), b = x.at(r, pair.second);
          y.at(r, pair.first) = static_cast<float>(a * c - b * s);
          y.at(r, pair.second) = static_cast<float>(a * s + b * c);
        }
      return y;
    };
    return out;
  });
}

Circle at(const Pair& pair, double of_cosine, double of_sine) {
  return {std::cos(pair.frequency * of_cosine), std::sin(pair.frequency * of_sine)};
}

TEST(CircleForms, of_right_code_nothing_is_said) {
  EXPECT_EQ(said_of("rope", "dim=8", [](const At& one) { return at(one.pair, one.own(), one.own()); }),
            Sentences{});
}

TEST(CircleForms, name_sines_and_cosines_of_other_tokens) {
  const auto first_row = [](const At& one) { return one.number(0, one.token, 0); };
  const auto last = [](const At& one) { return one.number(one.row, one.tokens - 1, 0); };
  EXPECT_EQ(said_of("rope", "dim=8", [=](const At& one) { return at(one.pair, one.own(), first_row(one)); }),
            Sentences{"sines are those of the first batch row, cosines are not"});
  EXPECT_EQ(said_of("rope", "dim=8", [=](const At& one) { return at(one.pair, first_row(one), one.own()); }),
            Sentences{"cosines are those of the first batch row, sines are not"});
  EXPECT_EQ(said_of("rope", "dim=8", [=](const At& one) { return at(one.pair, one.own(), last(one)); }),
            Sentences{"sines are those of the last token of the row, cosines are not"});
  // Neither is as declared.
  EXPECT_EQ(said_of("rope", "dim=8", [=](const At& one) { return at(one.pair, last(one), first_row(one)); }),
            Sentences{});
}

// Of three heads, each of which has a row for a token.
TEST(CircleForms, name_sines_and_cosines_of_the_first_token_of_neighbours_and_of_row_numbers) {
  const struct {
    std::string words;
    Function<double(const At&)> number;
  } all[] = {{"those of the first token of the row", [](const At& one) { return one.number(one.row, 0, 0); }},
             {"one position ahead", [](const At& one) { return one.own() + 1; }},
             {"those of twice the angle", [](const At& one) { return 2 * one.own(); }},
             {"those of half the angle", [](const At& one) { return one.own() / 2; }},
             {"one position behind", [](const At& one) { return one.own() - 1; }},
             {"those of the number of the token in its row, whatever its position",
              [](const At& one) { return static_cast<double>(one.token); }}};
  for (const auto& [words, number] : all) {
    EXPECT_EQ(said_of("rope", "dim=8 heads=3",
                      [of = number](const At& one) { return at(one.pair, one.own(), of(one)); }),
              Sentences{"sines are " + words + ", cosines are not"});
    EXPECT_EQ(said_of("rope", "dim=8 heads=3",
                      [of = number](const At& one) { return at(one.pair, of(one), one.own()); }),
              Sentences{"cosines are " + words + ", sines are not"});
  }
}

// Tables with a column for each channel, of which those of the second channels were made otherwise.
TEST(CircleForms, name_columns_of_one_channel_of_each_pair) {
  const auto of_second = [](const Function<double(const Pair& pair, double t)>& cosine) {
    return said("rope", "dim=12", [cosine](const Parameters& parameters) -> Encoding {
      Rotary out = as<Rotary>(encoding_named("rope").make(parameters));
      out.rotate = [cosine, own = out](const Tensor& x, const Positions& positions, Role role) {
        Tensor y = own.rotate(x, positions, role);
        for (std::size_t r = 0; r < x.rows(); ++r)
          for (const Pair& pair : own.pairs) {
            const double t = positions.at(r / x.shape[2] / x.shape[1] * x.shape[2] + r % x.shape[2]);
            y.at(r, pair.second) = static_cast<float>(x.at(r, pair.first) * std::sin(pair.frequency * t) +
                                                      x.at(r, pair.second) * cosine(pair, t));
          }
        return y;
      };
      return out;
    });
  };
  const auto frequency = [](std::size_t pair) { return std::pow(10000.0, -static_cast<double>(pair) / 6); };
  const std::string in_second = "in the second channel of each pair cosines are ";
  EXPECT_EQ(of_second([=](const Pair& pair, double t) { return std::cos(frequency(5 - pair.index) * t); }),
            Sentences{in_second + "those of the pairs in reverse order"});
  EXPECT_EQ(
      of_second([=](const Pair& pair, double t) { return std::cos(frequency((pair.index + 1) % 6) * t); }),
      Sentences{in_second + "those of the pair after, the last those of the first"});
  // Half of them are those columns, or no known ones.
  const auto of_half = [&](std::size_t from, std::size_t step) {
    return of_second([=](const Pair& pair, double t) {
      return std::cos(frequency(pair.index < 3 ? from + step * pair.index : pair.index) * t);
    });
  };
  const std::size_t back = std::size_t{0} - 1;
  EXPECT_EQ(of_half(5, back),
            Sentences{"channels 6 to 8 of 12: " + in_second + "those of the pairs in reverse order"});
  EXPECT_EQ(of_half(4, back), Sentences{});
}

TEST(CircleForms, have_the_declared_amplitude) {
  EXPECT_EQ(said_of("rope", "dim=8 scaling=yarn factor=4 original_length=128 attention_factor=2",
                    [](const At& one) {
                      const Circle plain = at(one.pair, one.own(), one.own() + 1);
                      return Circle{2 * plain.cosine, 2 * plain.sine};
                    }),
            Sentences{"sines are one position ahead, cosines are not"});
}

TEST(CircleForms, name_sines_of_one_number_of_a_position) {
  const std::string three = "dim=24 sections=[4,5,3]";
  EXPECT_EQ(said_of("m_rope", three,
                    [](const At& one) { return at(one.pair, one.own(), one.number(one.row, one.token, 0)); }),
            Sentences{"sines are those of the time in every pair, cosines are not"});
  EXPECT_EQ(said_of("m_rope", three,
                    [](const At& one) { return at(one.pair, one.number(one.row, one.token, 2), one.own()); }),
            Sentences{"cosines are those of the column in every pair, sines are not"});
}

TEST(CircleForms, name_one_of_the_two_that_is_not_scaled) {
  const auto zeta = [](const At& one, double factor) {
    const double power = (one.role == Role::query ? 1 : -1) * one.own() / 512,
                 share = static_cast<double>(one.pair.index) / 2;
    return std::pow((share + 0.4) / 1.4, factor * power);
  };
  const auto scaled = [&](double of_cosine, double of_sine) {
    return said_of("xpos", "dim=4", [=](const At& one) {
      const Circle plain = at(one.pair, one.own(), one.own());
      return Circle{zeta(one, of_cosine) * plain.cosine, zeta(one, of_sine) * plain.sine};
    });
  };
  EXPECT_EQ(scaled(0, 1), Sentences{"sines are scaled, cosines are not"});
  EXPECT_EQ(scaled(1, 0), Sentences{"cosines are scaled, sines are not"});
  EXPECT_EQ(scaled(1, 0.5), Sentences{});
}

}  // namespace
}  // namespace posproof::circle_forms_test
