#include "diagnosis/circle_forms.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <optional>
#include <string>
#include <utility>

#include "core/call.h"
#include "core/function.h"
#include "diagnosis/measured_words.h"

namespace posproof {
namespace {

// A token of a call: its place among all tokens, and how many a row has.
struct Token {
  std::size_t row, in_row, tokens;
  const Positions& all;

  std::size_t place() const { return row * tokens + in_row; }
};
// The number of the position that rotates a pair of the token.
using NumberOf = Function<double(const Token& token, const Pair& pair)>;
// What multiplies a cosine or a sine.
using SizeOf = Function<double(const Pair& pair, double number, Role role)>;

struct Circle {
  NumberOf cosine, sine;
  SizeOf of_cosine, of_sine;
};

Rotary made(const Rotary& truth, const Circle& circle) {
  Rotary out = truth;
  out.exact = nullptr;
  out.rotate = [circle, pairs = truth.pairs](const Tensor& x, const Positions& positions, Role role) {
    const std::size_t heads = x.shape[1], n = x.shape[2];
    Tensor y = x;
    for (std::size_t r = 0; r < x.rows(); ++r) {
      const Token token{r / (heads * n), r % n, n, positions};
      for (const Pair& pair : pairs) {
        const double t = circle.cosine(token, pair), u = circle.sine(token, pair);
        const auto c = static_cast<double>(circle.of_cosine(pair, t, role) *
                                           std::cos(static_cast<long double>(t) * pair.frequency)),
                   s = static_cast<double>(circle.of_sine(pair, u, role) *
                                           std::sin(static_cast<long double>(u) * pair.frequency));
        const double a = x.at(r, pair.first), b = x.at(r, pair.second);
        y.at(r, pair.first) = a * c - b * s;
        y.at(r, pair.second) = a * s + b * c;
      }
    }
    return y;
  };
  return out;
}

double own(const Token& token, const Pair& pair) {
  return token.all.at(token.place(), pair.axis);
}

struct Elsewhere {
  std::string words;
  NumberOf number;
};

std::vector<Elsewhere> elsewhere(std::size_t axes) {
  std::vector<Elsewhere> out = {
      {"those of the first batch row",
       [](const Token& token, const Pair& pair) { return token.all.at(token.in_row, pair.axis); }},
      {"those of the first token of the row",
       [](const Token& token, const Pair& pair) {
         return token.all.at(token.row * token.tokens, pair.axis);
       }},
      {"those of the last token of the row",
       [](const Token& token, const Pair& pair) {
         return token.all.at((token.row + 1) * token.tokens - 1, pair.axis);
       }},
      {"one position ahead", [](const Token& token, const Pair& pair) { return own(token, pair) + 1; }},
      {"one position behind", [](const Token& token, const Pair& pair) { return own(token, pair) - 1; }},
      {"those of the number of the token in its row, whatever its position",
       [](const Token& token, const Pair&) { return static_cast<double>(token.in_row); }},
      {"those of twice the angle", [](const Token& token, const Pair& pair) { return 2 * own(token, pair); }},
      {"those of half the angle", [](const Token& token, const Pair& pair) { return own(token, pair) / 2; }}};
  for (std::size_t axis = 0; axes > 1 && axis < axes; ++axis)
    out.push_back({fmt::format("those of the {} in every pair", axis_name(axis, axes)),
                   [axis](const Token& token, const Pair&) { return token.all.at(token.place(), axis); }});
  return out;
}

// ---- cosines and sines that were made for each channel, not for each pair

// What stands in the column of pair i, of so many pairs: the number of another pair, or none, where it is 0.
using Column = std::optional<std::size_t> (*)(std::size_t i, std::size_t pairs);

std::optional<std::size_t> own_column(std::size_t i, std::size_t) {
  return i;
}

// The columns of cosines and of sines in the first or the second channel of each pair.
struct OfChannel {
  Column cosines, sines;
};

Rotary from_columns(const Rotary& truth, const OfChannel& of_first, const OfChannel& of_second) {
  Rotary out = truth;
  out.exact = nullptr;
  out.rotate = [=, pairs = truth.pairs, size = truth.amplitude](const Tensor& x, const Positions& positions,
                                                                Role) {
    const std::size_t heads = x.shape[1], n = x.shape[2];
    Tensor y = x;
    for (std::size_t r = 0; r < x.rows(); ++r)
      for (std::size_t i = 0; i < pairs.size(); ++i) {
        const auto of = [&](Column column, long double (*function)(long double)) {
          const auto other = column(i, pairs.size());
          if (!other) return 0.0;
          const long double t = positions.at(r / (heads * n) * n + r % n, pairs[*other].axis);
          return static_cast<double>(size * function(t * pairs[*other].frequency));
        };
        const double a = x.at(r, pairs[i].first), b = x.at(r, pairs[i].second);
        y.at(r, pairs[i].first) = a * of(of_first.cosines, &std::cos) - b * of(of_first.sines, &std::sin);
        y.at(r, pairs[i].second) = a * of(of_second.sines, &std::sin) + b * of(of_second.cosines, &std::cos);
      }
    return y;
  };
  return out;
}

std::vector<RotationForm> forms_by_column(const Rotary& truth) {
  const OfChannel right{&own_column, &own_column};
  const std::pair<const char*, Column> all[] = {
      {"0", [](std::size_t, std::size_t) { return std::optional<std::size_t>(); }},
      {"those of the pairs in reverse order",
       [](std::size_t i, std::size_t pairs) { return std::optional(pairs - 1 - i); }},
      {"those of the pair before, the first those of the last",
       [](std::size_t i, std::size_t pairs) { return std::optional((i + pairs - 1) % pairs); }},
      {"those of the pair after, the last those of the first",
       [](std::size_t i, std::size_t pairs) { return std::optional((i + 1) % pairs); }}};
  std::vector<RotationForm> out;
  for (const auto& [words, column] : all)
    for (const bool second : {false, true})
      for (const bool sines : {false, true}) {
        OfChannel other = right;
        (sines ? other.sines : other.cosines) = column;
        out.push_back({fmt::format("in the {} channel of each pair {} are {}", second ? "second" : "first",
                                   sines ? "sines" : "cosines", words),
                       from_columns(truth, second ? right : other, second ? other : right)});
      }
  return out;
}

}  // namespace

std::vector<RotationForm> circle_forms(const Rotary& truth) {
  if (truth.in_call || !truth.order.empty() || truth.error) return {};
  const SizeOf both = [amplitude = truth.amplitude, stretch = truth.stretch](const Pair& pair, double t,
                                                                             Role role) {
    return stretch ? amplitude * stretch(pair, t, role) : amplitude;
  };
  std::vector<RotationForm> out;
  for (const Elsewhere& one : elsewhere(truth.positions.axes)) {
    out.push_back({fmt::format("sines are {}, cosines are not", one.words),
                   made(truth, {&own, one.number, both, both})});
    out.push_back({fmt::format("cosines are {}, sines are not", one.words),
                   made(truth, {one.number, &own, both, both})});
  }
  if (!truth.stretch) {
    for (RotationForm& form : forms_by_column(truth)) out.push_back(std::move(form));
    return out;
  }
  const SizeOf plain = [amplitude = truth.amplitude](const Pair&, double, Role) { return amplitude; };
  for (RotationForm form :
       {RotationForm{"sines are scaled, cosines are not", made(truth, {&own, &own, plain, both})},
        {"cosines are scaled, sines are not", made(truth, {&own, &own, both, plain})}}) {
    // What is not scaled is rounded as 1 is.
    form.rotation.stretch = [own_stretch = truth.stretch](const Pair& pair, double t, Role role) {
      return std::max(1.0, own_stretch(pair, t, role));
    };
    out.push_back(std::move(form));
  }
  return out;
}

}  // namespace posproof
