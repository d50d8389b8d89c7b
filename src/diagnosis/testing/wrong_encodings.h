#pragma once

#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "core/call.h"
#include "core/function.h"
#include "diagnosis/testing/deviations.h"
#include "run/catalogued.h"

// Wrong encodings that have no name: the right one asked for something else, or with another answer.
namespace posproof::testing {

using Change = Function<void(Call&)>;
using Spoil = Function<void(const Call&, Tensor& out)>;

// The right encoding of these parameters, asked for another call, or with another answer.
inline Make asked_for(const std::string& family, Change change, Spoil spoil = {}) {
  return [=](const Parameters& parameters) {
    const Encoding right = encoding_named(family).make(parameters);
    return answered_by(right, [=](Call call) {
      const Call asked = call;
      change(call);
      Tensor out = answer(right, call);
      if (spoil) spoil(asked, out);
      return out;
    });
  };
}

inline Make spoiled(const std::string& family, Spoil spoil) {
  return asked_for(
      family, [](Call&) {}, std::move(spoil));
}

inline Change at(Function<Position(Position)> position) {
  return [=](Call& call) {
    for (Position& t : call.positions.whole) t = position(t);
  };
}

inline Change of_keys(Change change) {
  return [=](Call& call) {
    if (call.role == Role::key) change(call);
  };
}

// A rotation pair by pair, in the precision of the reference: channels, and the frequency that each has.
struct Turning {
  Function<double(std::size_t pair, double declared)> frequency = [](std::size_t, double w) { return w; };
  // Of each pair, in place: x and y, cosine and sine.
  Function<void(std::size_t pair, double& x, double& y, double c, double s)> rotate =
      [](std::size_t, double& x, double& y, double c, double s) {
        const double a = x;
        x = a * c - y * s;
        y = a * s + y * c;
      };
  Function<long double(Position t)> position = [](Position t) { return static_cast<long double>(t); };
};

inline Make turning(Turning by) {
  return [by](const Parameters& parameters) {
    const Encoding made = encoding_named("rope").make(parameters);
    const Rotary right = as<Rotary>(made);
    Rotary out = right;
    out.rotate = [by, right](const Tensor& x, const Positions& positions, Role) {
      Tensor y = x;
      const std::size_t heads = x.shape[1], n = x.shape[2];
      for (std::size_t r = 0; r < x.rows(); ++r)
        for (const Pair& pair : right.pairs) {
          const long double angle =
              by.position(positions[r / (heads * n) * n + r % n]) * by.frequency(pair.index, pair.frequency);
          double &a = y.at(r, pair.first), &b = y.at(r, pair.second);
          by.rotate(pair.index, a, b, right.amplitude * static_cast<double>(std::cos(angle)),
                    right.amplitude * static_cast<double>(std::sin(angle)));
        }
      return in_order(right, std::move(y));
    };
    return Encoding(out);
  };
}

inline Make with_frequencies(Function<double(std::size_t, double)> frequency) {
  Turning by;
  by.frequency = std::move(frequency);
  return turning(by);
}

inline Make rotating(Function<void(std::size_t, double&, double&, double, double)> rotate) {
  Turning by;
  by.rotate = std::move(rotate);
  return turning(by);
}

struct Wrong {
  std::string words;
  Make make;
  Sentences sentences;
  Precision precision = all_f32;
};

inline void expect_said(const std::string& family, const std::vector<Wrong>& all) {
  for (const Wrong& one : all)
    EXPECT_EQ(said(family, one.words, one.make, one.precision), one.sentences)
        << one.words << ": " << ::testing::PrintToString(one.sentences);
}

}  // namespace posproof::testing
