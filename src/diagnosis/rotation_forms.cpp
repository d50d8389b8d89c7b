#include "diagnosis/rotation_forms.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <memory>
#include <numbers>
#include <span>

#include "core/by_row.h"
#include "core/formats.h"
#include "core/function.h"
#include "diagnosis/clipped_formats.h"
#include "diagnosis/measured_words.h"

namespace posproof {
namespace {

// The cosine and the sine that a pair is rotated with, at a position.
struct Circle {
  double cosine, sine;
};
using CircleOf = Function<Circle(double t, double frequency)>;
// Of the two channels of a pair, in place.
using Rotate = Function<void(double& first, double& second, const Circle&)>;

Circle circle(long double angle) {
  if (!std::isfinite(static_cast<double>(angle))) {
    const double nan = std::numeric_limits<double>::quiet_NaN();
    return {nan, nan};
  }
  constexpr long double turn = 2 * std::numbers::pi_v<long double>, largest = 1 << 20;
  if (std::abs(angle) > largest)
    return {static_cast<double>(std::cos(angle)), static_cast<double>(std::sin(angle))};
  // Whole turns come off first: up to there that loses at most 2^-44, about what the rounding of the angle
  // did, and takes half the time. What a double does not hold of the rest moves its point on.
  const long double rest = angle - turn * std::rint(angle * (1 / turn));
  const auto high = static_cast<double>(rest), low = static_cast<double>(rest - high);
  const double c = std::cos(high), s = std::sin(high);
  return {c - low * s, s + low * c};
}

void at_once(double& first, double& second, const Circle& of) {
  const double a = first, b = second;
  first = a * of.cosine - b * of.sine;
  second = a * of.sine + b * of.cosine;
}

Rotary made(const Rotary& truth, const CircleOf& circle_of, const Rotate& rotate);

// The rotation of a call, by its last position.
using OfCall = Function<Rotary(Position last)>;

OfCall declared_in_call(const Rotary& truth) {
  return [truth](Position last) { return *in_call(truth, std::max<Position>(0, last)); };
}

// The position that a call is taken to end at: the largest, as declared, or another one.
using Ends = Position (*)(const Positions& positions, std::size_t batch);

Position at_the_largest(const Positions& positions, std::size_t) {
  return positions.empty() ? 0 : std::ranges::max(positions);
}

// Each call is rotated by another rotation than the declared one.
Rotary in_other_call(const Rotary& truth, const CircleOf& circle_of, const Rotate& rotate,
                     const OfCall& other, Ends ends = &at_the_largest) {
  Rotary out = truth;
  out.rotate = [=](const Tensor& x, const Positions& positions, Role role) {
    Rotary here = other(ends(positions, x.shape.front()));
    here.in_call = {};
    return made(here, circle_of, rotate).rotate(x, positions, role);
  };
  return is_by_row(truth) ? by_row(std::move(out)) : out;
}

Rotary made(const Rotary& truth, const CircleOf& circle_of, const Rotate& rotate) {
  if (truth.in_call) return in_other_call(truth, circle_of, rotate, declared_in_call(truth));
  Rotary out = truth;
  out.rotate = [=, pairs = truth.pairs, amplitude = truth.amplitude, order = truth.order,
                stretch = truth.stretch](const Tensor& x, const Positions& positions, Role role) {
    const std::size_t heads = x.shape[1], n = x.shape[2];
    Tensor y = x;
    for (std::size_t r = 0; r < x.rows(); ++r) {
      const auto t = static_cast<double>(positions.at(r / (heads * n) * n + r % n));
      for (const Pair& pair : pairs) {
        double &a = y.at(r, pair.first), &b = y.at(r, pair.second);
        rotate(a, b, circle_of(t, pair.frequency));
        const double size = stretch ? amplitude * stretch(pair, t, role) : amplitude;
        a *= size, b *= size;
      }
    }
    if (order.empty()) return y;
    Tensor ordered(y.shape);
    for (std::size_t r = 0; r < y.rows(); ++r)
      for (std::size_t c = 0; c < order.size(); ++c) ordered.at(r, c) = y.at(r, order[c]);
    return ordered;
  };
  return out;
}

double same(double x) {
  return x;
}

double without_sign(double x) {
  return std::abs(x);
}
double logarithm(double t) {
  return std::copysign(std::log1p(std::abs(t)), t);
}
double root(double t) {
  return std::copysign(std::sqrt(std::abs(t)), t);
}

// What a matrix product in tf32 keeps of a factor: 11 bits, over the exponents of f32.
double to_tf32(double x) {
  int exponent = 0;
  const double fraction = std::frexp(x, &exponent);
  return std::ldexp(std::nearbyint(std::ldexp(fraction, 11)), exponent - 11);
}

// What is left of its first bits where the others are cut off: 8 of bf16, 11 of f16.
template <int bits>
double cut(double x) {
  int exponent = 0;
  const double fraction = std::frexp(x, &exponent);
  return std::ldexp(std::trunc(std::ldexp(fraction, bits)), exponent - bits);
}

// Of an integer of 8 bits, whose largest number stands for 1.
template <int one>
double in_8_bits(double x) {
  return std::nearbyint(one * x) / one;
}

// Four bits of a number from 2^-6 on, multiples of 2^-9 below: a float of 8 bits, E4M3.
double to_e4m3(double x) {
  constexpr int least = -9;
  int exponent = 0;
  std::frexp(x, &exponent);
  const int last = std::max(exponent - 4, least);
  return std::ldexp(std::nearbyint(std::ldexp(x, -last)), last);
}

using Rounding = double (*)(double);

CircleOf rounded(Rounding position, Rounding frequency, Rounding angle) {
  return [=](double t, double w) {
    const auto product = static_cast<long double>(position(t)) * frequency(w);
    return angle == &same ? circle(product) : circle(angle(static_cast<double>(product)));
  };
}

CircleOf kept(Rounding of_cosine, Rounding of_sine) {
  return [=](double t, double w) {
    const auto [c, s] = circle(static_cast<long double>(t) * w);
    return Circle{of_cosine(c), of_sine(s)};
  };
}

CircleOf changed(Circle (*other)(Circle)) {
  return [=](double t, double w) { return other(circle(static_cast<long double>(t) * w)); };
}

// One of the two without the factor of both.
CircleOf multiplied(double cosine, double sine) {
  return [=](double t, double w) {
    const auto [c, s] = circle(static_cast<long double>(t) * w);
    return Circle{cosine * c, sine * s};
  };
}

// Tables that are made so many rows at a time by a linspace over a closed interval: its last row is that of
// the first position behind, and those between stand farther apart than 1.
RotationForm of_closed_intervals(const Rotary& truth, Position rows) {
  const auto n = static_cast<double>(rows);
  return {fmt::format(
              "within each {0} positions, distances from the first are {0}/{1} times as large: a linspace "
              "of {0} numbers over a closed interval",
              rows, rows - 1),
          made(
              truth,
              [n](double t, double w) {
                const double first = std::floor(t / n) * n;
                const long double at = first + static_cast<long double>(t - first) * n / (n - 1);
                return circle(at * w);
              },
              &at_once)};
}

// What few digits a table and what is made of it are kept in.
struct FewDigits {
  const char* name;
  Rounding to;
};

// One channel of each pair alone: its cosine and sine, or its products and their sum as well.
std::vector<RotationForm> forms_of_one_channel(const Rotary& truth) {
  std::vector<RotationForm> out;
  for (const FewDigits& format : {FewDigits{"bf16", &to_bf16}, FewDigits{"f16", &to_f16}})
    for (const bool second : {false, true})
      for (const bool products : {false, true}) {
        const char* which = second ? "second" : "first";
        const auto rotate = [to = format.to, second, products](double& one, double& other, const Circle& of) {
          const double a = one, b = other, c = to(of.cosine), s = to(of.sine);
          const auto sum = [=](double x, double y) { return products ? to(to(x) + to(y)) : x + y; };
          at_once(one, other, of);
          (second ? other : one) = second ? sum(a * s, b * c) : sum(a * c, -b * s);
        };
        out.push_back(
            {products
                 ? fmt::format("the {} channel of each pair is computed in {}: cosine, sine, products and "
                               "their sum",
                               which, format.name)
                 : fmt::format("in the {} channel of each pair cosine and sine are rounded to {}", which,
                               format.name),
             made(truth, rounded(&same, &same, &same), rotate)});
      }
  return out;
}

// Each token is rotated as by a call that ends with it.
Rotary at_own_lengths(const Rotary& truth) {
  Rotary out = truth;
  const OfCall declared = declared_in_call(truth);
  out.rotate = [=](const Tensor& x, const Positions& positions, Role role) {
    const std::size_t heads = x.shape[1], n = x.shape[2];
    Tensor y(x.shape), one({1, heads, 1, x.width()});
    std::map<Position, Rotary> of;
    for (std::size_t token = 0; token < positions.size(); ++token) {
      const Position t = positions.whole()[token];
      auto own = of.find(t);
      if (own == of.end()) own = of.emplace(t, declared(t)).first;
      const auto row = [&](std::size_t h) { return (token / n * heads + h) * n + token % n; };
      for (std::size_t h = 0; h < heads; ++h) std::ranges::copy(x.row(row(h)), one.row(h).begin());
      const Tensor rotated = own->second.rotate(one, std::span(&t, 1), role);
      for (std::size_t h = 0; h < heads; ++h) std::ranges::copy(rotated.row(h), y.row(row(h)).begin());
    }
    return y;
  };
  return out;
}

// Frequencies and amplitudes of calls of another length.
std::vector<RotationForm> forms_of_lengths(const Rotary& truth) {
  const OfCall declared = declared_in_call(truth);
  std::vector<RotationForm> out;
  const auto add = [&](std::string words, const OfCall& other) {
    out.push_back({std::move(words), in_other_call(truth, rounded(&same, &same, &same), &at_once, other)});
  };
  const auto add_length = [&](std::string_view words, Position (*other)(Position)) {
    add(fmt::format("frequencies are those of {}", words),
        [=](Position last) { return declared(other(last)); });
  };
  add_length("a sequence that is one token longer", [](Position last) { return last + 1; });
  add_length("a sequence that is one token shorter", [](Position last) { return last - 1; });
  add_length("a sequence of one token, whatever the length", [](Position) { return Position{0}; });
  add_length("a sequence that is twice as long", [](Position last) { return 2 * last + 1; });
  add_length("a sequence that is half as long", [](Position last) { return (last + 1) / 2 - 1; });
  // None of them ends behind the declared end. Frequencies are the highest, and so allowed most, in the
  // shortest call.
  const auto add_end = [&](std::string words, Ends ends) {
    Rotary one = in_other_call(truth, rounded(&same, &same, &same), &at_once, declared, ends);
    one.in_call = [shortest = std::make_shared<const Rotary>(declared(0))](Position) { return shortest; };
    out.push_back({std::move(words), std::move(one)});
  };
  add_end("the number of tokens in a row counts as the length of the call, whatever their positions",
          [](const Positions& all, std::size_t batch) {
            return batch == 0 ? 0 : static_cast<Position>(all.size() / batch) - 1;
          });
  add_end("the first position of a call decides on its length, not the last one",
          [](const Positions& all, std::size_t) { return all.empty() ? 0 : all[0]; });
  add_end("the smallest position of a call decides on its length, not the largest",
          [](const Positions& all, std::size_t) { return all.empty() ? 0 : std::ranges::min(all); });
  add_end("the largest position less the smallest, and one, counts as the length of the call",
          [](const Positions& all, std::size_t) {
            if (all.empty()) return Position{0};
            const auto [first, last] = std::ranges::minmax(all);
            return last - first;
          });
  // A cache that grows by blocks is made for their end.
  for (const Position block : {16, 32, 64, 100, 128, 256, 512, 1000, 1024, 2048, 4096, 8192})
    add(fmt::format("frequencies are those of a sequence whose length is rounded up to a multiple of {}",
                    block),
        [=](Position last) { return declared(last / block * block + block - 1); });
  add_length("a sequence whose length is rounded up to a power of 2", [](Position last) {
    Position length = 1;
    while (length <= last) length *= 2;
    return length - 1;
  });
  Rotary alone = at_own_lengths(truth);
  alone.in_call = [shortest = std::make_shared<const Rotary>(declared(0))](Position) { return shortest; };
  out.push_back({"the position of each token decides on the length of its own call, not the largest of all",
                 std::move(alone)});
  const auto add_factor = [&](std::string words, double (*other)(double)) {
    add(std::move(words), [=](Position last) {
      Rotary here = declared(last);
      here.amplitude = other(here.amplitude);
      return here;
    });
  };
  add_factor("the factor of a long sequence multiplies no rotation", [](double) { return 1.0; });
  add_factor("the factor of a long sequence multiplies every rotation twice",
             [](double factor) { return factor * factor; });
  return out;
}

}  // namespace

Rotary with_cosine_and_sine(
    const Rotary& truth,
    const Function<std::pair<long double, long double>(long double angle)>& cosine_and_sine) {
  const auto of = [cosine_and_sine](double t, double w) {
    const auto [c, s] = cosine_and_sine(static_cast<long double>(t) * w);
    return Circle{static_cast<double>(c), static_cast<double>(s)};
  };
  return made(truth, of, &at_once);
}

std::vector<RotationForm> sum_forms(const Rotary& truth) {
  // Of the products and their sum.
  const struct {
    const char* words;
    bool sums, products;
  } kinds[] = {{"cosines and sines", false, false},
               {"cosines, sines and sums", true, false},
               {"cosines, sines, products and sums", true, true}};
  std::vector<RotationForm> out;
  for (const FewDigits& format : {FewDigits{"bf16", &to_bf16}, FewDigits{"f16", &to_f16}})
    for (const auto& kind : kinds)
      for (const Position block : {16, 32, 64, 100, 128, 256, 512, 1000, 1024, 2048, 4096}) {
        const auto n = static_cast<double>(block);
        const Rounding to = format.to;
        const auto sum = [=](double a, double b, double c, double d) {
          const double one = kind.products ? to(a * b) : a * b, other = kind.products ? to(c * d) : c * d;
          return kind.sums ? to(one + other) : one + other;
        };
        const auto of = [=](double t, double w) {
          const double first = std::floor(t / n) * n;
          const auto kept = [=](double position) {
            const auto [c, s] = circle(static_cast<long double>(position) * w);
            return Circle{to(c), to(s)};
          };
          const Circle a = kept(first), b = kept(t - first);
          return Circle{sum(a.cosine, b.cosine, -a.sine, b.sine), sum(a.sine, b.cosine, a.cosine, b.sine)};
        };
        out.push_back(
            {fmt::format("the angles of a position's block of {} and of its place in it are added, with "
                         "{} rounded to {}",
                         block, kind.words, format.name),
             made(truth, of, &at_once)});
      }
  return out;
}

std::vector<RotationForm> rotation_forms(const Rotary& truth) {
  const auto in = [&](Rounding position, Rounding frequency, Rounding angle) {
    return made(truth, rounded(position, frequency, angle), &at_once);
  };
  const auto plainly = rounded(&same, &same, &same);
  std::vector<RotationForm> out = {
      {"angles are rounded to bf16", in(&same, &same, &to_bf16)},
      {"angles are rounded to f16", in(&same, &same, &to_f16)},
      {"positions and angles are rounded to bf16", in(&to_bf16, &same, &to_bf16)},
      {"positions, frequencies and angles are rounded to bf16", in(&to_bf16, &to_bf16, &to_bf16)},
      {"positions and frequencies are rounded to bf16", in(&to_bf16, &to_bf16, &same)},
      {"frequencies and angles are rounded to bf16", in(&same, &to_bf16, &to_bf16)},
      {"positions are rounded to f16: from 2049 on neighbours coincide, and past 65504 there are none",
       in(&to_f16, &same, &same)},
      {"positions are rounded to f16: from 2049 on neighbours coincide, and past 65504 they count as that",
       in(&to_f16_at_most, &same, &same)},
      {"positions, frequencies and angles are rounded to f16", in(&to_f16, &to_f16, &to_f16)},
      {"positions and angles are rounded to f16", in(&to_f16, &same, &to_f16)},
      {"positions and frequencies are rounded to f16", in(&to_f16, &to_f16, &same)},
      {"positions and frequencies are rounded to 11 bits, as in tf32", in(&to_tf32, &to_tf32, &same)},
      {"cosine and sine are rounded to bf16", made(truth, kept(&to_bf16, &to_bf16), &at_once)},
      {"cosines are rounded to bf16, sines are not", made(truth, kept(&to_bf16, &same), &at_once)},
      {"sines are rounded to bf16, cosines are not", made(truth, kept(&same, &to_bf16), &at_once)},
      {"cosine and sine are cut to bf16, not rounded", made(truth, kept(&cut<8>, &cut<8>), &at_once)},
      {"cosine and sine are cut to f16, not rounded", made(truth, kept(&cut<11>, &cut<11>), &at_once)},
      {"cosine and sine are rounded to f16", made(truth, kept(&to_f16, &to_f16), &at_once)},
      {"cosines are rounded to f16, sines are not", made(truth, kept(&to_f16, &same), &at_once)},
      {"sines are rounded to f16, cosines are not", made(truth, kept(&same, &to_f16), &at_once)},
      {"cosine and sine are in 8 bits: whole multiples of 1/127",
       made(truth, kept(&in_8_bits<127>, &in_8_bits<127>), &at_once)},
      {"cosine and sine are in 8 bits: whole multiples of 1/128",
       made(truth, kept(&in_8_bits<128>, &in_8_bits<128>), &at_once)},
      {"cosine and sine are rounded to a float of 8 bits, E4M3",
       made(truth, kept(&to_e4m3, &to_e4m3), &at_once)},
      {"the second channel of each pair is made from the first as it is after the rotation",
       made(truth, plainly,
            [](double& first, double& second, const Circle& of) {
              first = first * of.cosine - second * of.sine;
              second = first * of.sine + second * of.cosine;
            })},
      {"the first channel of each pair is made from the second as it is after the rotation",
       made(truth, plainly,
            [](double& first, double& second, const Circle& of) {
              second = first * of.sine + second * of.cosine;
              first = first * of.cosine - second * of.sine;
            })},
      {"a cosine stands in the place of each sine", made(truth, changed([](Circle of) {
                                                           return Circle{of.cosine, of.cosine};
                                                         }),
                                                         &at_once)},
      {"a sine stands in the place of each cosine", made(truth, changed([](Circle of) {
                                                           return Circle{of.sine, of.sine};
                                                         }),
                                                         &at_once)},
      {"the sine multiplies each channel itself, not the other one of its pair",
       made(truth, plainly,
            [](double& first, double& second, const Circle& of) {
              first *= of.cosine - of.sine;
              second *= of.sine + of.cosine;
            })},
      {"sines have no sign", made(truth, kept(&same, &without_sign), &at_once)},
      {"ln(1 + position) stands for the position", in(&logarithm, &same, &same)},
      {"the square root of the position stands for the position", in(&root, &same, &same)}};
  for (RotationForm& form : forms_of_one_channel(truth)) out.push_back(std::move(form));
  for (const Position rows : {128, 256, 512, 1024, 2048, 4096, 8192})
    out.push_back(of_closed_intervals(truth, rows));
  if (const double factor = truth.amplitude; factor != 1) {
    const auto by = [factor](const char* one, const char* other) {
      return fmt::format("{} are multiplied by {}, {} are not", one, number(factor, 1e-6), other);
    };
    out.push_back({by("cosines", "sines"), made(truth, multiplied(1, 1 / factor), &at_once)});
    out.push_back({by("sines", "cosines"), made(truth, multiplied(1 / factor, 1), &at_once)});
  }
  if (truth.in_call)
    for (RotationForm& form : forms_of_lengths(truth)) out.push_back(std::move(form));
  return out;
}

}  // namespace posproof
