// What is measured of a wrong rotation by several numbers of a position.
#include "run/axes_deviations.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "run/testing/deviations.h"

namespace posproof {
namespace {

using testing::Make;
using testing::said;
using testing::Sentences;

// By how much a channel of a pair, the first or the second, rotates at these numbers; the declared one
// changed.
struct At {
  const Pair& pair;
  const std::vector<Pair>& pairs;
  std::size_t i, half, head;
  Role role;
};
using Angle = std::function<double(const At&, const std::function<double(std::size_t axis)>& number)>;

double declared(const At& at, const std::function<double(std::size_t)>& number) {
  return at.pair.frequency * number(at.pair.axis);
}

Make turned(const std::string& family, const Angle& angle) {
  return [=](const Parameters& parameters) -> Encoding {
    Rotary out = std::get<Rotary>(encoding_named(family).make(parameters));
    out.rotate = [=, pairs = out.pairs](const Tensor& x, const Positions& positions, Role role) {
      Tensor y = x;
      const std::size_t heads = x.shape[1], n = x.shape[2];
      for (std::size_t r = 0; r < x.rows(); ++r)
        for (std::size_t i = 0; i < pairs.size(); ++i) {
          const auto number = [&](std::size_t axis) {
            return static_cast<double>(positions.at(r / n / heads * n + r % n, axis));
          };
          const auto of = [&](std::size_t half) {
            return angle({pairs[i], pairs, i, half, r / n % heads, role}, number);
          };
          const double a = x.at(r, pairs[i].first), b = x.at(r, pairs[i].second);
          y.at(r, pairs[i].first) = a * std::cos(of(0)) - b * std::sin(of(0));
          y.at(r, pairs[i].second) = a * std::sin(of(1)) + b * std::cos(of(1));
        }
      return y;
    };
    return out;
  };
}

const std::string flat = "dim=24 heads=2", ids = "dim=24 heads=2 axes=3",
                  three = "dim=24 heads=2 sections=[4,5,3]";

TEST(AxesDeviations, of_the_declared_rotation_are_none) {
  EXPECT_EQ(said("axial_rope", flat, turned("axial_rope", &declared)), Sentences{});
}

TEST(AxesDeviations, are_the_number_that_a_pair_rotates_by) {
  const auto swapped = [](const At& at, const auto& number) {
    return at.pair.frequency * number(at.pair.axis == 0 ? 1 : 0);
  };
  EXPECT_EQ(said("axial_rope", flat,
                 turned("axial_rope",
                        [=](const At& at, const auto& number) {
                          return at.head == 1 ? swapped(at, number) : declared(at, number);
                        })),
            (Sentences{"head 1 of 2: pairs 0 to 5 rotate by the column, not by the row",
                       "head 1 of 2: pairs 6 to 11 rotate by the row, not by the column"}));
  EXPECT_EQ(said("m_rope", three,
                 turned("m_rope",
                        [](const At& at, const auto& number) {
                          return at.i == 8 ? at.pair.frequency * number(2) : declared(at, number);
                        })),
            Sentences{"pair 8 rotates by the column, not by the row"});
  EXPECT_EQ(
      said("m_rope", three,
           turned("m_rope",
                  [](const At& at, const auto& number) {
                    const bool other = at.half == 1 && at.pair.axis == 2;
                    return at.pair.frequency * number(other ? 0 : at.pair.axis);
                  })),
      Sentences{"in the second channel of each pair: pairs 9 to 11 rotate by the time, not by the column"});
  EXPECT_EQ(said("m_rope", three,
                 turned("m_rope",
                        [](const At& at, const auto& number) {
                          const bool other = at.role == Role::key && at.i == 0;
                          return at.pair.frequency * number(other ? 1 : at.pair.axis);
                        })),
            Sentences{"keys: pair 0 rotates by the row, not by the time"});
}

TEST(AxesDeviations, are_the_ladder_of_an_axis) {
  EXPECT_EQ(said("axial_rope", ids,
                 turned("axial_rope",
                        [](const At& at, const auto& number) {
                          const double w = std::pow(9999, -static_cast<double>(at.i % 4) / 4);
                          return at.pair.axis == 2 ? w * number(2) : declared(at, number);
                        })),
            Sentences{"of the column: frequencies are base^(-2i/8) with base 9999, not 10000"});
  EXPECT_EQ(said("axial_rope", flat,
                 turned("axial_rope",
                        [](const At& at, const auto& number) {
                          return declared(at, number) / (at.pair.axis == 0 ? 2 : 1);
                        })),
            Sentences{"of the row: every pair rotates at 1/2 of the declared frequency"});
  EXPECT_EQ(said("m_rope", three,
                 turned("m_rope", [](const At& at,
                                     const auto& number) { return at.i == 11 ? 0 : declared(at, number); })),
            Sentences{"pair 11 does not rotate"});
}

// As V-JEPA 2 has it: angles tiled where the channels of a pair are neighbours.
TEST(AxesDeviations, are_angles_that_are_tiled) {
  EXPECT_EQ(
      said("axial_rope", ids + " layout=interleaved",
           turned("axial_rope",
                  [](const At& at, const auto& number) {
                    const std::size_t own = at.i % 4, first = at.i - own;
                    return at.pairs[first + (2 * own + at.half) % 4].frequency * number(at.pair.axis);
                  })),
      Sentences{"channel c of an axis rotates at the frequency of its pair c mod its pairs, as of a table "
                "[w0, w1, .., w0, w1, ..]"});
}

TEST(AxesDeviations, of_what_is_no_rotation_by_them_are_none) {
  // A phase, an amplitude, and a channel that should stay as it is.
  EXPECT_EQ(said("axial_rope", flat,
                 turned("axial_rope",
                        [](const At& at, const auto& number) {
                          return declared(at, number) + (at.i == 3 ? 0.25 : 0);
                        })),
            Sentences{});
  for (const std::size_t channel : {3, 23})
    EXPECT_EQ(said("m_rope", "dim=24 heads=2 rotary_dim=22 sections=[4,4,3]",
                   [channel](const Parameters& p) {
                     const Encoding right = encoding_named("m_rope").make(p);
                     return answered_by(right, [=](const Call& call) {
                       Tensor out = answer(right, call);
                       for (std::size_t r = 0; r < out.rows(); ++r) out.at(r, channel) *= 1.5;
                       return out;
                     });
                   }),
              Sentences{});
}

// A call of one token, on every axis.
TEST(AxesDeviations, are_those_of_calls) {
  EXPECT_EQ(said("axial_rope", flat,
                 [](const Parameters& p) {
                   const Encoding right = encoding_named("axial_rope").make(p);
                   return answered_by(right, [=](Call call) {
                     for (Position& t : call.positions.whole) ++t;
                     return answer(right, call);
                   });
                 }),
            Sentences{"positions are one ahead"});
}

}  // namespace
}  // namespace posproof
