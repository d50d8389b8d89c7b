// What is said of a rotation that is stretched otherwise than declared.
#include "diagnosis/stretch_forms.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "core/formats.h"
#include "core/function.h"
#include "diagnosis/testing/deviations.h"

namespace posproof::stretch_forms_test {
namespace {

using testing::Make;
using testing::said;
using testing::Sentences;

// What a pair i of n is multiplied by at a position.
using Size = Function<double(double t, Role role, std::size_t i, std::size_t n)>;

double zeta(std::size_t i, std::size_t n, double gamma = 0.4) {
  return (static_cast<double>(i) / static_cast<double>(n) + gamma) / (1 + gamma);
}

double power(double exponent, Role role, double of) {
  return std::pow(of, role == Role::query ? exponent : -exponent);
}

// RoPE of interleaved pairs, times that; rounded once to f32.
Make stretched(const Size& size) {
  return [size](const Parameters& parameters) -> Encoding {
    Rotary out = as<Rotary>(encoding_named("xpos").make(parameters));
    out.rotate = [=, pairs = out.pairs](const Tensor& x, const Positions& positions, Role role) {
      Tensor y = x;
      const std::size_t heads = x.shape[1], n = x.shape[2];
      for (std::size_t r = 0; r < x.rows(); ++r) {
        const auto t = static_cast<double>(positions[r / n / heads * n + r % n]);
        for (std::size_t i = 0; i < pairs.size(); ++i) {
          const double c = std::cos(pairs[i].frequency * t), s = std::sin(pairs[i].frequency * t),
                       by = size(t, role, i, pairs.size()), a = x.at(r, pairs[i].first),
                       b = x.at(r, pairs[i].second);
          y.at(r, pairs[i].first) = static_cast<float>(by * (a * c - b * s));
          y.at(r, pairs[i].second) = static_cast<float>(by * (a * s + b * c));
        }
      }
      return y;
    };
    return out;
  };
}

Sentences said_of(const Size& size, const std::string& words = "dim=4") {
  return said("xpos", words, stretched(size));
}

TEST(StretchForms, are_another_exponent_of_queries_or_keys) {
  const auto times = [](Role these, double by) {
    return said_of([=](double t, Role role, std::size_t i, std::size_t n) {
      return power((role == these ? by : 1) * t / 512, role, zeta(i, n));
    });
  };
  EXPECT_EQ(times(Role::key, 0.5),
            Sentences{"the exponent of what multiplies keys is half the declared one"});
  EXPECT_EQ(times(Role::key, 2), Sentences{"the exponent of what multiplies keys is twice the declared one"});
  EXPECT_EQ(times(Role::query, 0.5),
            Sentences{"the exponent of what multiplies queries is half the declared one"});
  EXPECT_EQ(times(Role::query, 2),
            Sentences{"the exponent of what multiplies queries is twice the declared one"});
  EXPECT_EQ(times(Role::key, 0.45), Sentences{});
}

// The forms of the declared rotation of xPos.
std::vector<RotationForm> forms_of(const std::string& words) {
  const EncodingSpec& spec = encoding_named("xpos");
  const Parameters parameters = with(spec, Case::parse(words));
  const Rotary truth = as<Rotary>(spec.oracle(parameters));
  return stretch_forms(truth, truth, spec, parameters, all_f32);
}

// Ones, as keys at these positions.
Tensor rotated(const Rotary& rotation, const std::vector<Position>& at) {
  const Tensor ones({1, 1, at.size(), rotation.dim}, std::vector<double>(at.size() * rotation.dim, 1));
  return rotation.rotate(ones, at, Role::key);
}

TEST(StretchForms, have_the_zeta_of_the_other_pair_in_reverse_order) {
  std::size_t found = 0;
  for (const auto& [words, rotation] : forms_of("dim=4")) {
    if (!words.starts_with("zeta stands in reverse order")) continue;
    ++found;
    const Tensor y = rotated(rotation, {700});
    for (std::size_t i = 0; i < 2; ++i) {
      const Pair& pair = rotation.pairs.at(i);
      EXPECT_NEAR(std::hypot(y.at(0, pair.first), y.at(0, pair.second)) / std::sqrt(2.0),
                  power(700.0 / 512, Role::key, zeta(1 - i, 2)), 1e-12);
    }
  }
  EXPECT_EQ(found, 1u);
}

// The length of a call is that of its largest position, wherever that stands.
TEST(StretchForms, of_calls_depend_on_their_largest_position) {
  const auto all = forms_of("dim=4 centre_at=half_of_call");
  EXPECT_FALSE(all.empty());
  for (const auto& [words, rotation] : all) {
    if (words.starts_with("the scale is that of a token's number")) continue;
    const Tensor up = rotated(rotation, {3, 9}), down = rotated(rotation, {9, 3});
    for (std::size_t c = 0; c < 4; ++c) {
      EXPECT_EQ(up.at(0, c), down.at(1, c)) << words;
      EXPECT_EQ(up.at(1, c), down.at(0, c)) << words;
    }
  }
}

// Wherever its positions begin and end, and nothing of an answer of another shape.
TEST(StretchForms, are_measured_at_the_positions_of_the_subject) {
  const Make halved = stretched([](double t, Role role, std::size_t i, std::size_t n) {
    return power((role == Role::key ? 0.5 : 1) * t / 512, role, zeta(i, n));
  });
  const Make narrow = [&](const Parameters& parameters) -> Encoding {
    Rotary out = as<Rotary>(halved(parameters));
    out.positions = Domain(1000, 1050);
    out.rotate = [own = out.rotate](const Tensor& x, const Positions& positions, Role role) {
      for (const Position t : positions)
        if (t < 1000 || t > 1050) throw Refusal("it is not asked for these");
      return own(x, positions, role);
    };
    return out;
  };
  EXPECT_EQ(said("xpos", "dim=4", narrow),
            Sentences{"the exponent of what multiplies keys is half the declared one"});
  const Make flat = [&](const Parameters& parameters) -> Encoding {
    Rotary out = as<Rotary>(halved(parameters));
    out.rotate = [own = out.rotate](const Tensor& x, const Positions& positions, Role role) {
      Tensor y = own(x, positions, role);
      y.shape = {y.rows(), y.width()};
      return y;
    };
    return out;
  };
  EXPECT_EQ(said("xpos", "dim=4", flat), Sentences{});
}

TEST(StretchForms, of_right_code_nothing_is_said) {
  EXPECT_EQ(said_of([](double t, Role role, std::size_t i, std::size_t n) {
              return power(t / 512, role, zeta(i, n));
            }),
            Sentences{});
  EXPECT_EQ(said_of([](double t, Role role, std::size_t i,
                       std::size_t n) { return power((t - 100) / 64, role, zeta(i, n, 1)); },
                    "dim=4 gamma=1 centre=100 scale_base=64"),
            Sentences{});
}

TEST(StretchForms, name_roles_that_are_stretched_otherwise) {
  const auto of_roles = [](double queries, double keys) {
    return said_of([=](double t, Role role, std::size_t i, std::size_t n) {
      return std::pow(zeta(i, n), (role == Role::query ? queries : keys) * t / 512);
    });
  };
  EXPECT_EQ(of_roles(1, 0), Sentences{"keys are not scaled"});
  EXPECT_EQ(of_roles(0, -1), Sentences{"queries are not scaled"});
  EXPECT_EQ(of_roles(0, 0), Sentences{"neither queries nor keys are scaled"});
  EXPECT_EQ(of_roles(1, 1), Sentences{"keys are scaled as queries are"});
  EXPECT_EQ(of_roles(-1, -1), Sentences{"queries are scaled as keys are"});
  EXPECT_EQ(of_roles(-1, 1), Sentences{"queries are scaled as keys are, and keys as queries"});
  // No role is as declared, and no number of the encoding makes keys another power than queries.
  EXPECT_EQ(of_roles(1, -0.6), Sentences{});
}

TEST(StretchForms, measure_the_numbers_of_xpos) {
  const auto of = [](double gamma, double centre, double scale_base, const std::string& words = "dim=4") {
    return said_of([=](double t, Role role, std::size_t i,
                       std::size_t n) { return power((t - centre) / scale_base, role, zeta(i, n, gamma)); },
                   words);
  };
  EXPECT_EQ(of(0.5, 0, 512), Sentences{"gamma is 0.5, not 0.4"});
  EXPECT_EQ(of(0.41, 0, 512), Sentences{"gamma is 0.41, not 0.4"});
  EXPECT_EQ(of(0.4, 0, 256), Sentences{"scale_base is 256, not 512"});
  EXPECT_EQ(of(0.4, 0, 500), Sentences{"scale_base is 500, not 512"});
  EXPECT_EQ(of(0.4, -1, 512), Sentences{"centre is -1, not 0"});
  EXPECT_EQ(of(0.4, 1024, 512), Sentences{"centre is 1024, not 0"});
  EXPECT_EQ(of(0.4, 0, 512, "dim=4 centre=1024"), Sentences{"centre is 0, not 1024"});
  EXPECT_EQ(of(0.4, 1024, 256, "dim=4 centre=1024"), Sentences{"scale_base is 256, not 512"});
  EXPECT_EQ(of(0.4, 1024, 256, "dim=4 centre=1024"), Sentences{"scale_base is 256, not 512"});
  EXPECT_EQ(of(0.4, 64, 256), Sentences{"scale_base is 256, not 512, centre is 64, not 0"});
  EXPECT_EQ(of(0.5, 64, 512), Sentences{"gamma is 0.5, not 0.4, centre is 64, not 0"});
}

TEST(StretchForms, measure_what_zeta_is_divided_by) {
  EXPECT_EQ(said_of([](double t, Role role, std::size_t i, std::size_t n) {
              return power(t / 512, role, zeta(i, n) * 1.4 / 1.5);
            }),
            Sentences{"zeta is (2i/r + gamma) / 1.5: it is not divided by 1 + gamma, 1.4"});
}

TEST(StretchForms, name_whole_powers_and_a_reversed_order) {
  EXPECT_EQ(said_of([](double t, Role role, std::size_t i, std::size_t n) {
              return power(std::floor(t / 512), role, zeta(i, n));
            }),
            Sentences{"the exponent (t - centre)/scale_base is rounded down to a whole number"});
  EXPECT_EQ(said_of([](double t, Role role, std::size_t i, std::size_t n) {
              return power(std::nearbyint(t / 512), role, zeta(i, n));
            }),
            Sentences{"the exponent (t - centre)/scale_base is rounded to a whole number"});
  EXPECT_EQ(said_of([](double t, Role role, std::size_t i, std::size_t n) {
              return power(t / 512, role, zeta(n - 1 - i, n));
            }),
            Sentences{"zeta stands in reverse order: pair i has that of the last pair but i"});
  EXPECT_EQ(said_of([](double t, Role role, std::size_t i, std::size_t n) {
              return power(std::ceil(t / 512), role, zeta(i, n));
            }),
            Sentences{});
}

// zeta as [z0, z1, .., z0, z1, ..] of neighbouring pairs, or [z0, z0, z1, z1, ..] of half-split ones; and of
// the next pair, which no layout says.
TEST(StretchForms, name_scales_in_the_other_layout) {
  const auto said_in = [](const std::string& layout, std::size_t (*pair_of)(std::size_t c, std::size_t n)) {
    return said("xpos", "dim=4 layout=" + layout, [=](const Parameters& parameters) -> Encoding {
      Rotary out = as<Rotary>(encoding_named("xpos").make(parameters));
      out.rotate = [=, pairs = out.pairs](const Tensor& x, const Positions& positions, Role role) {
        Tensor y = x;
        const std::size_t n = x.shape[2], rows = x.shape[1] * n;
        for (std::size_t r = 0; r < x.rows(); ++r)
          for (const Pair& pair : pairs) {
            const auto t = static_cast<double>(positions[r / rows * n + r % n]);
            const double c = std::cos(pair.frequency * t), s = std::sin(pair.frequency * t);
            const double a = x.at(r, pair.first), b = x.at(r, pair.second);
            const auto by = [&](std::size_t channel) {
              return power(t / 512, role, zeta(pair_of(channel, pairs.size()), pairs.size()));
            };
            y.at(r, pair.first) = static_cast<float>(by(pair.first) * (a * c - b * s));
            y.at(r, pair.second) = static_cast<float>(by(pair.second) * (a * s + b * c));
          }
        return y;
      };
      return out;
    });
  };
  const auto tiled = [](std::size_t c, std::size_t n) { return c % n; };
  const auto repeated = [](std::size_t c, std::size_t) { return c / 2; };
  EXPECT_EQ(said_in("interleaved", tiled),
            Sentences{"the scales lie as of half-split pairs, s0 s1 .. s0 s1 .., where pairs are neighbours: "
                      "channel c has that of pair c mod d/2"});
  EXPECT_EQ(
      said_in("half_split", repeated),
      Sentences{"the scales lie as of interleaved pairs, s0 s0 s1 s1 .., where pairs are half-split: channel "
                "c has that of pair floor(c/2)"});
  for (const std::string& one :
       said_in("interleaved", [](std::size_t c, std::size_t n) { return (c + 1) % n; }))
    EXPECT_EQ(one.find("the scales lie"), one.npos) << one;
}

// Numbers count from 0, not from 1.
TEST(StretchForms, name_a_scale_of_row_numbers) {
  const auto from = [](double first) {
    return said("xpos", "dim=4", [first](const Parameters& parameters) -> Encoding {
      Rotary out = as<Rotary>(encoding_named("xpos").make(parameters));
      out.rotate = [=, pairs = out.pairs](const Tensor& x, const Positions& positions, Role role) {
        Tensor y = x;
        const std::size_t heads = x.shape[1], n = x.shape[2];
        for (std::size_t r = 0; r < y.rows(); ++r)
          for (const Pair& pair : pairs) {
            const double angle = pair.frequency * positions.at(r / (heads * n) * n + r % n);
            const double size =
                power((first + static_cast<double>(r % n)) / 512, role, zeta(pair.index, pairs.size()));
            y.at(r, pair.first) =
                size * (std::cos(angle) * x.at(r, pair.first) - std::sin(angle) * x.at(r, pair.second));
            y.at(r, pair.second) =
                size * (std::sin(angle) * x.at(r, pair.first) + std::cos(angle) * x.at(r, pair.second));
          }
        return y;
      };
      return out;
    });
  };
  EXPECT_EQ(from(0), Sentences{"the scale is that of a token's number in its row, whatever its position"});
  EXPECT_EQ(from(300), Sentences{});
}

// A temperature multiplies queries alone.
TEST(StretchForms, name_a_temperature_of_keys) {
  const std::string words = "dim=4";
  const auto temperature = [&](bool queries, bool keys) {
    return said("attention_temperature", words, [=](const Parameters& parameters) -> Encoding {
      Rotary out = as<Rotary>(encoding_named("attention_temperature").make(parameters));
      out.rotate = [=, right = out.rotate](const Tensor& x, const Positions& positions, Role role) {
        return (role == Role::query ? queries : keys) ? right(x, positions, Role::query) : x;
      };
      return out;
    });
  };
  EXPECT_EQ(temperature(true, false), Sentences{});
  EXPECT_EQ(temperature(true, true), Sentences{"keys are scaled as queries are"});
  EXPECT_EQ(temperature(false, true), Sentences{"queries are scaled as keys are, and keys as queries"});
  EXPECT_EQ(temperature(false, false).size(), 1u);
}

TEST(StretchForms, are_none_of_a_rotation_that_is_not_stretched) {
  const EncodingSpec& rope = encoding_named("rope");
  const Parameters parameters = with(rope, Case::parse("dim=4"));
  const auto truth = rope.make<Rotary>(parameters);
  EXPECT_TRUE(stretch_forms(truth, truth, rope, parameters, all_f32).empty());
}

// The centre of each call; of a third of its tokens there is no form.
TEST(StretchForms, are_centred_in_the_call) {
  const auto centred = [](const Function<Position(const Positions&, std::size_t batch)>& centre) {
    return said("xpos", "dim=4", [centre](const Parameters& parameters) -> Encoding {
      Rotary out = as<Rotary>(encoding_named("xpos").make(parameters));
      out.rotate = [=, own = out](const Tensor& x, const Positions& positions, Role role) {
        Tensor y = own.rotate(x, positions, role);
        if (positions.empty()) return y;
        const double shift = static_cast<double>(centre(positions, x.shape[0])) / 512;
        for (std::size_t r = 0; r < y.rows(); ++r)
          for (std::size_t i = 0; i < own.pairs.size(); ++i)
            for (const std::size_t c : {own.pairs[i].first, own.pairs[i].second})
              y.at(r, c) = static_cast<float>(y.at(r, c) * power(-shift, role, zeta(i, own.pairs.size())));
        return y;
      };
      return out;
    });
  };
  EXPECT_EQ(centred([](const Positions& all, std::size_t batch) {
              return static_cast<Position>(all.size() / batch / 2);
            }),
            Sentences{"the centre is half of the number of tokens in a row, rounded down"});
  EXPECT_EQ(centred([](const Positions& all, std::size_t batch) {
              return static_cast<Position>(all.size() / batch / 3);
            }),
            Sentences{});
}

// What differs is said as of a centre that is a position.
TEST(StretchForms, are_of_what_is_declared_about_the_middle_of_each_call) {
  const auto of = [](double gamma, double scale_base, bool keys, const Function<double(Position)>& centre) {
    return said("xpos", "dim=4 centre_at=half_of_call", [=](const Parameters& parameters) -> Encoding {
      Rotary out = as<Rotary>(encoding_named("xpos").make(parameters));
      out.rotate = [=](const Tensor& x, const Positions& positions, Role role) {
        const double c = centre(positions.empty() ? 0 : std::ranges::max(positions));
        const auto size = [=](double t, Role of_token, std::size_t i, std::size_t n) {
          return of_token == Role::key && !keys ? 1
                                                : power((t - c) / scale_base, of_token, zeta(i, n, gamma));
        };
        return as<Rotary>(stretched(size)(parameters)).rotate(x, positions, role);
      };
      return out;
    });
  };
  const auto half = [](Position last) { return std::floor(static_cast<double>(last + 1) / 2); };
  EXPECT_EQ(of(0.4, 512, true, half), Sentences{});
  EXPECT_EQ(of(0.5, 512, true, half), Sentences{"gamma is 0.5, not 0.4"});
  EXPECT_EQ(of(0.4, 256, true, half), Sentences{"scale_base is 256, not 512"});
  EXPECT_EQ(of(0.4, 512, false, half), Sentences{"keys are not scaled"});
  EXPECT_EQ(of(0.4, 512, true, [](Position) { return 0; }),
            Sentences{"the centre is position 0 in every call"});
  EXPECT_EQ(of(0.4, 512, true, [](Position) { return 100; }),
            Sentences{"the centre is position 100 in every call"});
  EXPECT_EQ(of(0.4, 256, true, [](Position) { return 0; }),
            Sentences{"the centre is position 0 in every call, scale_base is 256, not 512"});
  EXPECT_EQ(of(0.4, 512, true, [](Position last) { return std::ceil(static_cast<double>(last + 1) / 2); }),
            Sentences{"the centre is half of the call's length (its largest position and one), rounded up"});
  EXPECT_EQ(of(0.4, 512, true, [](Position last) { return static_cast<double>(last) / 3; }), Sentences{});
}

}  // namespace
}  // namespace posproof::stretch_forms_test
