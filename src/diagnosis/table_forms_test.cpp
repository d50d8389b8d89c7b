// What is said of tables whose angles are rounded to 16 bits.
#include "diagnosis/table_forms.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "core/formats.h"
#include "core/function.h"
#include "diagnosis/testing/deviations.h"

namespace posproof::table_forms_test {
namespace {

using testing::said;
using testing::Sentences;
using Angle = Function<double(double t, double w)>;

Sentences said_of(const std::string& family, const std::string& words, const Angle& angle) {
  return said(family, words, [=](const Parameters& parameters) -> Encoding {
    Table out = as<Table>(encoding_named(family).make(parameters));
    out.rows = [=, own = out](const Positions& positions, Position length) {
      Tensor to = own.rows(positions, length);
      for (std::size_t r = 0; r < to.rows(); ++r)
        for (const Pair& pair : own.pairs) {
          const double a = angle(positions.at(r, pair.axis), pair.frequency);
          to.at(r, pair.first) = static_cast<float>(std::sin(a));
          to.at(r, pair.second) = static_cast<float>(std::cos(a));
        }
      return to;
    };
    return out;
  });
}

TEST(TableForms, are_said_of_what_is_rounded) {
  for (const auto& [family, words] :
       {std::pair<std::string, std::string>{"sinusoidal", "dim=16"}, {"sincos_2d", "dim=16"}}) {
    EXPECT_EQ(said_of(family, words, [](double t, double w) { return to_f16(t * w); }),
              Sentences{"angles are rounded to f16"});
    EXPECT_EQ(said_of(family, words, [](double t, double w) { return to_bf16(t * w); }),
              Sentences{"angles are rounded to bf16"});
    EXPECT_EQ(said_of(family, words, [](double t, double w) { return to_f16(t * to_f16(w)); }),
              Sentences{"frequencies and angles are rounded to f16"});
    EXPECT_EQ(said_of(family, words, [](double t, double w) { return to_bf16(to_bf16(t) * w); }),
              Sentences{"positions and angles are rounded to bf16"});
  }
}

TEST(TableForms, are_said_of_angles_that_are_reduced_with_few_digits_of_pi) {
  const auto modulo = [](double turn) {
    return said_of("sinusoidal", "dim=16", [turn](double t, double w) { return std::fmod(t * w, turn); });
  };
  EXPECT_EQ(modulo(6.28), Sentences{"angles are reduced modulo 2 x 3.14, not 2 pi"});
  EXPECT_EQ(modulo(6.283), Sentences{"angles are reduced modulo 2 x 3.1415, not 2 pi"});
  EXPECT_EQ(modulo(6.2832), Sentences{"angles are reduced modulo 2 x 3.1416, not 2 pi"});
  EXPECT_EQ(modulo(6.28318f), Sentences{"angles are reduced modulo 2 x 3.14159, not 2 pi"});
  // A frequency that is too high by as much, and a number that no pi has.
  const Sentences slow =
      said_of("sinusoidal", "dim=16", [](double t, double w) { return t * w * (1 + 8.4e-7); });
  EXPECT_EQ(std::ranges::count_if(slow, [](const auto& one) { return one.find("reduced") != one.npos; }), 0)
      << ::testing::PrintToString(slow);
  EXPECT_EQ(modulo(6.2829), Sentences{});
}

TEST(TableForms, are_said_of_positions_that_are_rounded) {
  EXPECT_EQ(
      said_of("sinusoidal", "dim=16", [](double t, double w) { return to_f16(t) * w; }),
      Sentences{
          "positions are rounded to f16: from 2049 on neighbours coincide, and past 65504 there are none"});
  EXPECT_EQ(
      said_of("sinusoidal", "dim=16", [](double t, double w) { return std::min(to_f16(t), 65504.0) * w; }),
      Sentences{
          "positions are rounded to f16: from 2049 on neighbours coincide, and past 65504 they count as that"});
}

// The sine, or the cosine, of its square.
TEST(TableForms, are_said_of_what_has_lost_its_sign) {
  for (const bool cosines : {true, false}) {
    const auto found = said("sinusoidal", "dim=16", [=](const Parameters& parameters) -> Encoding {
      Table out = as<Table>(encoding_named("sinusoidal").make(parameters));
      out.rows = [=, own = out](const Positions& positions, Position length) {
        Tensor to = own.rows(positions, length);
        for (std::size_t r = 0; r < to.rows(); ++r)
          for (const Pair& pair : own.pairs) {
            double& entry = to.at(r, cosines ? pair.second : pair.first);
            entry = static_cast<float>(entry < 0 ? -entry : entry);
          }
        return to;
      };
      return out;
    });
    EXPECT_EQ(found, Sentences{cosines ? "cosines have no sign: sqrt(1 - sin^2) stands for each"
                                       : "sines have no sign: sqrt(1 - cos^2) stands for each"});
  }
}

// Of pi with few digits, and of another number near to it.
TEST(TableForms, are_said_of_a_quarter_of_a_turn_with_few_digits) {
  const auto of = [](const std::string& family, const std::string& words, double quarter) {
    return said(family, words, [=](const Parameters& parameters) -> Encoding {
      Table out = as<Table>(encoding_named(family).make(parameters));
      out.rows = [=, own = out](const Positions& positions, Position length) {
        Tensor to = own.rows(positions, length);
        for (std::size_t r = 0; r < to.rows(); ++r)
          for (const Pair& pair : own.pairs)
            to.at(r, pair.second) =
                static_cast<float>(std::sin(positions.at(r, pair.axis) * pair.frequency + quarter));
        return to;
      };
      return out;
    });
  };
  for (const double quarter : {1.57, 1.5708})
    EXPECT_EQ(of("sinusoidal", "dim=16", quarter),
              Sentences{fmt::format("cosines are sin(x + {}), not sin(x + pi/2)", quarter)});
  // By at most three times what f32 allows: a measured frequency of one pair may not answer for all of them.
  EXPECT_EQ(of("sinusoidal", "dim=64 layout=sin_cos divisor=half_minus_one", 1.5708),
            Sentences{"cosines are sin(x + 1.5708), not sin(x + pi/2)"});
  EXPECT_EQ(of("nerf", "axes=2 frequencies=6", 1.57),
            Sentences{"cosines are sin(x + 1.57), not sin(x + pi/2)"});
  for (const std::string& one : of("sinusoidal", "dim=16", 1.5703))
    EXPECT_EQ(one.find("cosines are sin"), one.npos) << one;
}

// To 10 bits, which no format has.
TEST(TableForms, are_none_of_another_number_of_bits) {
  EXPECT_EQ(said_of("sinusoidal", "dim=16",
                    [](double t, double w) {
                      int exponent = 0;
                      const double share = std::frexp(t * w, &exponent);
                      return std::ldexp(std::nearbyint(std::ldexp(share, 10)), exponent - 10);
                    }),
            Sentences{});
}

}  // namespace
}  // namespace posproof::table_forms_test
