// What is measured of a wrong rotation by several numbers of a position.
#include "diagnosis/axes_deviations.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "core/error.h"
#include "core/function.h"
#include "diagnosis/testing/deviations.h"

namespace posproof::axes_deviations_test {
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
using Angle = Function<double(const At&, const Function<double(std::size_t axis)>& number)>;

double declared(const At& at, const Function<double(std::size_t)>& number) {
  return at.pair.frequency * number(at.pair.axis);
}

Make turned(const std::string& family, const Angle& angle) {
  return [=](const Parameters& parameters) -> Encoding {
    Rotary out = as<Rotary>(encoding_named(family).make(parameters));
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

// A number of the cell in place of row and column: up to whole turns, as positions are whole.
TEST(AxesDeviations, are_a_sum_of_numbers) {
  EXPECT_EQ(said("axial_rope", "dim=24 heads=2 base=10",
                 turned("axial_rope",
                        [](const At& at, const auto& number) {
                          return at.pair.frequency / 8 * (number(1) - 2 * number(0));
                        })),
            (Sentences{"pairs 0 to 11 rotate by -0.25 times the row and 0.125 times the column, in units of "
                       "the declared frequency and up to whole turns"}));
}

// In f32, as code has them: the angle of a fast pair is farther off than that of the slow one in whose place
// it stands.
double in_f32(double frequency, double number) {
  return static_cast<float>(frequency) * static_cast<float>(number);
}

// The first half of one ladder for the rows, the second for the columns.
TEST(AxesDeviations, are_halves_of_one_ladder) {
  EXPECT_EQ(said("axial_rope", "dim=64 ladder=strided",
                 turned("axial_rope",
                        [](const At& at, const auto& number) {
                          const double w = std::pow(10000, -2.0 * static_cast<double>(at.i) / 64);
                          return in_f32(w, number(at.pair.axis));
                        })),
            (Sentences{"of the row: frequencies are base^(-2i/32) with base 100, not 10000: the exponent is "
                       "halved",
                       "of the column: frequencies are 0.01 times base^(-2i/32) with base 100, not 10000"}));
}

// A table [w0, w0, w1, w1, ..] for channels that rotate with those of the other half.
TEST(AxesDeviations, are_neighbours_in_a_table_for_halves) {
  EXPECT_EQ(said("axial_rope", "dim=32",
                 turned("axial_rope",
                        [](const At& at, const auto& number) {
                          const Pair& other = at.pairs[(at.i + at.half * at.pairs.size()) / 2];
                          return in_f32(other.frequency, number(other.axis));
                        })),
            (Sentences{"channel c rotates as pair floor(c/2), by its axis and frequency, as of a table "
                       "[w0, w0, w1, w1, ..]"}));
  // But for one channel.
  for (const std::string& one :
       said("axial_rope", "dim=32", turned("axial_rope", [](const At&at, const auto&number) {
              const Pair& other = at.i == 5 ? at.pair : at.pairs[(at.i + at.half * at.pairs.size()) / 2];
              return in_f32(other.frequency, number(other.axis));
            })))
    EXPECT_EQ(one.find("table"), one.npos) << one;
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
            Sentences{"head 1 of 2: row and column are exchanged"});
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
  EXPECT_EQ(said("axial_rope", std::string(ids) + " bases=[30,20,12]",
                 turned("axial_rope",
                        [](const At& at, const auto& number) {
                          const double w = std::pow(9, -static_cast<double>(at.i % 4) / 4);
                          return at.pair.axis == 2 ? w * number(2) : declared(at, number);
                        })),
            Sentences{"of the column: frequencies are base^(-2i/8) with base 9, not 12"});
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

// One axis ends elsewhere than the others, whose numbers differ from its own in every token that is asked.
TEST(AxesDeviations, are_one_number_past_its_end) {
  const auto read_as = [](std::size_t axis, const Function<double(double)>& other) {
    return said("axial_rope", ids, turned("axial_rope", [=](const At& at, const auto& number) {
                  const double own = number(at.pair.axis);
                  return at.pair.frequency * (at.pair.axis == axis ? other(own) : own);
                }));
  };
  EXPECT_EQ(read_as(1, [](double t) { return std::min(t, 63.0); }),
            Sentences{"of the row: positions past 63 count as 63"});
  EXPECT_EQ(read_as(2, [](double t) { return std::min(t, 63.0); }),
            Sentences{"of the column: positions past 63 count as 63"});
  EXPECT_EQ(read_as(2, [](double t) { return t - 30 * std::floor(t / 30); }),
            Sentences{"of the column: positions are taken modulo 30"});
  EXPECT_EQ(read_as(0, [](double t) { return t > 7 ? 0 : t; }),
            Sentences{"of the time: positions past 7 count as 0"});
  EXPECT_EQ(read_as(1, [](double t) { return t > 63 ? 62 : t; }), Sentences{});
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
  // Every second row of the grid; a column of the same number is another token's.
  EXPECT_EQ(said("axial_rope", flat,
                 [](const Parameters& p) {
                   const Encoding right = encoding_named("axial_rope").make(p);
                   return answered_by(right, [=](const Call& call) {
                     Tensor out = answer(right, call);
                     const std::size_t n = out.shape[2];
                     for (std::size_t r = 0; r < out.rows(); ++r)
                       if (call.positions.whole[2 * (r / (2 * n) * n + r % n)] % 2 != 0)
                         std::ranges::copy(call.contents[0].row(r), out.row(r).begin());
                     return out;
                   });
                 }),
            Sentences{"at odd positions: tokens stay as they are, as at position 0"});
}

// What is measured, before it is asked whether it explains the answers.
std::optional<Deviation> measured(
    const std::string& family, const std::string& words, const Make& make,
    const Function<void(Rotary& truth)>& change = [](Rotary&) {}, const Precision& precision = all_f32) {
  const Parameters parameters = with(encoding_named(family), Case::parse(words));
  auto truth = as<Rotary>(encoding_named(family).oracle(parameters));
  change(truth);
  return axes_deviation(as<Rotary>(make(parameters)), truth, parameters, precision);
}

Sentences sentences(const std::optional<Deviation>& deviation) {
  return deviation ? deviation->sentences : Sentences{"none"};
}

double first_by_the_second_number(const At& at, const Function<double(std::size_t)>& number) {
  return at.i == 0 ? at.pair.frequency * number(1) : declared(at, number);
}

// The same, and what is done to each row of the answer on top.
Make then(const Make& make, const Function<void(std::span<const double> x, std::span<double> y)>& change) {
  return [=](const Parameters& parameters) -> Encoding {
    auto out = as<Rotary>(make(parameters));
    out.rotate = [=, rotate = out.rotate](const Tensor& x, const Positions& positions, Role role) {
      Tensor y = rotate(x, positions, role);
      for (std::size_t r = 0; r < y.rows(); ++r) change(x.row(r), y.row(r));
      return y;
    };
    return out;
  };
}

TEST(AxesDeviations, are_none_where_something_else_is_wrong_too) {
  const std::string tail = "dim=24 heads=2 rotary_dim=22 sections=[4,4,3]";
  const Make one = turned("axial_rope", &first_by_the_second_number),
             of_tail = turned("m_rope", &first_by_the_second_number);
  const auto phase = [](double by) {
    return turned("axial_rope", [by](const At& at, const auto& number) {
      return first_by_the_second_number(at, number) + (at.i == 3 ? by : 0);
    });
  };
  const auto plainly = [](Rotary&) {};
  const Precision bf16 = Precision::parse("bf16");
  const std::size_t second =
      as<Rotary>(encoding_named("axial_rope").make(with(encoding_named("axial_rope"), Case::parse(flat))))
          .pairs[3]
          .second;
  const auto partners = [](const Parameters& parameters) -> Encoding {  // of pairs 3 and 4 exchanged
    auto out = as<Rotary>(encoding_named("axial_rope").make(parameters));
    out.rotate = [pairs = out.pairs](const Tensor& x, const Positions& positions, Role) {
      Tensor y = x;
      for (std::size_t r = 0; r < x.rows(); ++r)
        for (std::size_t i = 0; i < pairs.size(); ++i) {
          const std::size_t by = i == 3   ? 4
                                 : i == 4 ? 3
                                          : i,
                            token = r / x.shape[2] / 2 * x.shape[2] + r % x.shape[2];
          const double angle = pairs[i].frequency * positions.at(token, i == 0 ? 1 : pairs[i].axis);
          const double a = x.at(r, pairs[i].first), b = x.at(r, pairs[i].second);
          y.at(r, pairs[i].first) = a * std::cos(angle) - x.at(r, pairs[by].second) * std::sin(angle);
          y.at(r, pairs[i].second) = x.at(r, pairs[by].first) * std::sin(angle) + b * std::cos(angle);
        }
      return y;
    };
    return out;
  };
  const Sentences said_of_one = {"pair 0 rotates by the column, not by the row"};
  const struct {
    const char* wrong;
    std::optional<Deviation> found;
    Sentences expected;
  } all[] = {
      {"nothing else", measured("axial_rope", flat, one), said_of_one},
      {"nothing else, and a tail",
       measured("m_rope", tail, of_tail),
       {"pair 0 rotates by the row, not by the time"}},
      {"a phase of 1/2000", measured("axial_rope", flat, phase(0.0005)), said_of_one},
      {"a phase of 1/250", measured("axial_rope", flat, phase(0.004)), {"none"}},
      {"a phase of 1/32, in bf16", measured("axial_rope", flat, phase(0.03125), plainly, bf16), said_of_one},
      {"a phase of 1/4, in bf16", measured("axial_rope", flat, phase(0.25), plainly, bf16), {"none"}},
      {"an amplitude", measured("axial_rope", flat, then(one, [](auto, auto y) { y[3] *= 1.5; })), {"none"}},
      {"an amplitude of 1.01",
       measured("axial_rope", flat, then(one, [](auto, auto y) { y[3] *= 1.01; })),
       {"none"}},
      {"an amplitude of 0.99",
       measured("axial_rope", flat, then(one, [](auto, auto y) { y[3] *= 0.99; })),
       {"none"}},
      {"that of the second channel of a pair",
       measured("axial_rope", flat, then(one, [=](auto, auto y) { y[second] *= 1.01; })),
       {"none"}},
      {"partners", measured("axial_rope", flat, partners), {"none"}},
      {"the amplitude of a channel that stays",
       measured("m_rope", tail, then(of_tail, [](auto, auto y) { y[23] *= 1.5; })),
       {"none"}},
      {"the place of channels that stay",
       measured("m_rope", tail, then(of_tail, [](auto x, auto y) { y[23] = x[22], y[22] = x[23]; })),
       {"none"}},
      {"a channel that should stay, and rotates",
       measured("m_rope", tail, then(of_tail, [](auto, auto y) { y[23] = 0.5 * y[0]; })),
       {"none"}},
  };
  for (const auto& [wrong, found, expected] : all) EXPECT_EQ(sentences(found), expected) << wrong;
}

// What is stretched, and what brings its own bounds, is of other formulas.
TEST(AxesDeviations, are_of_plain_rotations) {
  const auto of = [](const Function<void(Rotary&)>& change) {
    return sentences(measured("axial_rope", flat, turned("axial_rope", &first_by_the_second_number), change));
  };
  EXPECT_NE(of([](Rotary&) {}), Sentences{"none"});
  EXPECT_EQ(of([](Rotary& truth) { truth.amplitude = 2; }), Sentences{"none"});
  EXPECT_EQ(of([](Rotary& truth) { truth.positions.lo = 1; }), Sentences{"none"});
  EXPECT_EQ(of([](Rotary& truth) { truth.error = [](auto, auto, Role, const Precision&, auto) {}; }),
            Sentences{"none"});
}

// Far away a measured frequency would be off by its error a million times. Of an angle the frequency here and
// the product are rounded, and a sine or cosine by 3 units of 1 on both sides together.
TEST(AxesDeviations, keep_the_declared_frequencies_of_what_is_right) {
  const Make in_f32 = then(turned("axial_rope", &first_by_the_second_number), [](auto, auto y) {
    for (double& entry : y) entry = static_cast<float>(entry);
  });
  const auto found = measured("axial_rope", flat, in_f32);
  ASSERT_TRUE(found.has_value());
  const auto& corrected = as<Rotary>(found->corrected);
  const std::vector<Position> place = {1 << 20, 3};
  Tensor x({1, 2, 1, 24});
  for (std::size_t head = 0; head < 2; ++head)
    for (const Pair& pair : corrected.pairs) x.at(head, pair.first) = 1;
  const Tensor y = corrected.rotate(x, {place, 2}, Role::key);
  for (std::size_t head = 0; head < 2; ++head)
    for (std::size_t i = 0; i < corrected.pairs.size(); ++i) {
      const Pair& pair = corrected.pairs[i];
      const double angle = pair.frequency * static_cast<double>(place[i == 0 ? 1 : pair.axis]);
      const double own = (2 * std::abs(angle) + 3) * unit_f64;
      EXPECT_NEAR(y.at(head, pair.first), std::cos(angle), own) << i;
      EXPECT_NEAR(y.at(head, pair.second), std::sin(angle), own) << i;
    }
}

TEST(AxesDeviations, are_more_than_rounding_allows) {
  const Encoding made =
      encoding_named("axial_rope").make(with(encoding_named("axial_rope"), Case::parse(flat)));
  const double allowed = angle_error(all_f32, 1, as<Rotary>(made).pairs[1]);
  const auto off_by = [&](double times) {
    return sentences(measured("axial_rope", flat, turned("axial_rope", [=](const At& at, const auto& number) {
                                return declared(at, number) + (at.i == 1 ? times * allowed * number(0) : 0);
                              })));
  };
  EXPECT_EQ(off_by(0.5), Sentences{"none"});
  EXPECT_NE(off_by(4), Sentences{"none"});
}

// Beside that nothing but the last bits of a double.
TEST(AxesDeviations, of_doubles_are_more_than_their_last_bits) {
  const auto too_fast_by = [](double share) {
    const Angle angle = [=](const At& at, const auto& number) {
      return at.pair.frequency * (at.pair.axis == 0 ? 1 + share : 1) * number(at.pair.axis);
    };
    return sentences(measured(
        "axial_rope", flat, turned("axial_rope", angle), [](Rotary&) {}, all_f64));
  };
  EXPECT_EQ(too_fast_by(1e-15), Sentences{"none"});
  EXPECT_EQ(too_fast_by(8e-15), Sentences{"of the row: every pair rotates too fast by a relative 8e-15"});
}

// FLUX.2 has four numbers: time, row, column, and which token of the text.
TEST(AxesDeviations, name_the_fourth_number) {
  const auto next = [](std::size_t wrong) {
    return sentences(
        measured("axial_rope", "dim=8 axes=4", turned("axial_rope", [=](const At& at, const auto& number) {
                   return at.pair.frequency * number(at.i == wrong ? (wrong + 1) % 4 : at.pair.axis);
                 })));
  };
  EXPECT_EQ(next(0), Sentences{"pair 0 rotates by the row, not by the time"});
  EXPECT_EQ(next(1), Sentences{"pair 1 rotates by the column, not by the row"});
  EXPECT_EQ(next(2), Sentences{"pair 2 rotates by the token, not by the column"});
  EXPECT_EQ(next(3), Sentences{"pair 3 rotates by the time, not by the token"});
}

TEST(AxesDeviations, of_few_pairs_and_of_two_numbers_at_once) {
  const struct {
    const char* wrong;
    std::string family, words;
    Angle angle;
    Sentences expected;
  } all[] = {
      {"pair 3 by both numbers",
       "axial_rope",
       flat,
       [](const At& at, const auto& number) {
         return declared(at, number) + (at.i == 3 ? at.pair.frequency * number(1) : 0);
       },
       {"pair 3 rotates by once the row and once the column, in units of the declared frequency and up to whole "
        "turns"}},
      {"two pairs of the row at half",
       "axial_rope",
       "dim=8 heads=2",
       [](const At& at, const auto& number) { return declared(at, number) / (at.pair.axis == 0 ? 2 : 1); },
       {"pairs 0 and 1 rotate at 1/2 of the declared frequency"}},
      {"two pairs tiled",
       "axial_rope",
       "dim=8 heads=2 layout=interleaved",
       [](const At& at, const auto& number) {
         const std::size_t own = at.i % 2, first = at.i - own;
         return at.pairs[first + (2 * own + at.half) % 2].frequency * number(at.pair.axis);
       },
       {"in the first channel of each pair: every pair rotates at the frequency of pair 0",
        "in the second channel of each pair: every pair rotates at the frequency of the last pair"}},
      {"another base, and two pairs of each number",
       "m_rope",
       "dim=12 heads=2 sections=[2,2,2]",
       [](const At& at, const auto& number) {
         return std::pow(9999, -static_cast<double>(at.i) / 6) * number(at.pair.axis);
       },
       {"frequencies are base^(-2i/12) with base 9999, not 10000"}},
  };
  for (const auto& [wrong, family, words, angle, expected] : all)
    EXPECT_EQ(sentences(measured(family, words, turned(family, angle))), expected) << wrong;
  const Angle tiled_and_more = [](const At& at, const auto& number) {
    const std::size_t own = at.i % 4, first = at.i - own;
    return at.pairs[first + (2 * own + at.half) % 4].frequency * number(at.pair.axis) +
           (at.i == 0 ? at.pair.frequency * number(2) : 0);
  };
  for (const std::string& one :
       sentences(measured("axial_rope", ids + " layout=interleaved", turned("axial_rope", tiled_and_more))))
    EXPECT_FALSE(one.starts_with("channel c of an axis")) << one;
}

// One of the numbers is another, of all tokens alike.
TEST(AxesDeviations, are_a_number_that_is_another) {
  using Other = Function<double(double)>;
  const auto of = [](const std::string& family, const std::string& words, std::size_t axis,
                     const Other& other) {
    return said(family, words, turned(family, [=](const At& at, const auto& number) {
                  const double own = number(at.pair.axis);
                  return at.pair.frequency * (at.pair.axis == axis ? other(own) : own);
                }));
  };
  const Other ahead = [](double t) { return t + 1; }, behind = [](double t) { return t - 1; };
  EXPECT_EQ(of("axial_rope", flat, 0, ahead), Sentences{"the row is one ahead"});
  EXPECT_EQ(of("axial_rope", flat, 1, behind), Sentences{"the column is one behind"});
  EXPECT_EQ(of("m_rope", three, 0, ahead), Sentences{"the time is one ahead"});
  EXPECT_EQ(of("m_rope", three, 1, ahead), Sentences{"the row is one ahead"});
  EXPECT_EQ(of("m_rope", three, 2, behind), Sentences{"the column is one behind"});
  EXPECT_EQ(of("axial_rope", flat, 1, [](double) { return 0; }), Sentences{"the column counts as 0"});
  EXPECT_EQ(of("axial_rope", flat, 0, [](double t) { return 2 * t; }), Sentences{"the row is doubled"});
}

TEST(AxesDeviations, are_numbers_in_each_others_place) {
  EXPECT_EQ(said("axial_rope", flat,
                 turned("axial_rope",
                        [](const At& at, const auto& number) {
                          return at.pair.frequency * number(1 - at.pair.axis);
                        })),
            Sentences{"row and column are exchanged"});
  EXPECT_EQ(
      said("m_rope", three,
           turned("m_rope",
                  [](const At& at, const auto& number) {
                    return at.pair.frequency * number(at.pair.axis == 0 ? 2 : at.pair.axis == 2 ? 0 : 1);
                  })),
      Sentences{"time and column are exchanged"});
  // Of a table of rows and columns, too, and of a bias, whose queries and keys are counted otherwise alike.
  const auto at_other = [](const std::string& family, const Function<void(std::vector<Position>&)>& other) {
    return said(family, "", [=](const Parameters& parameters) {
      const Encoding right = encoding_named(family).make(parameters);
      return answered_by(right, [=](Call call) {
        other(call.positions.whole), other(call.keys.whole);
        return answer(right, call);
      });
    });
  };
  const auto mirrored = [](std::size_t axis, Position last) {
    return [=](std::vector<Position>& all) {
      for (std::size_t n = axis; n < all.size(); n += 2) all[n] = last - all[n];
    };
  };
  EXPECT_EQ(at_other("relative_table", mirrored(0, 6)),
            Sentences{"the row is counted back from the last one"});
  EXPECT_EQ(at_other("relative_table", mirrored(1, 6)),
            Sentences{"the column is counted back from the last one"});
  EXPECT_EQ(at_other("sincos_2d",
                     [](std::vector<Position>& all) {
                       for (std::size_t n = 0; n + 1 < all.size(); n += 2) std::swap(all[n], all[n + 1]);
                     }),
            Sentences{"row and column are exchanged"});
}

}  // namespace
}  // namespace posproof::axes_deviations_test
