#include "diagnosis/recurrence_forms.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <utility>

namespace posproof {
namespace {

struct Circle {
  float cosine, sine;
};

Circle circle(long double angle) {
  return {static_cast<float>(std::cos(angle)), static_cast<float>(std::sin(angle))};
}

Circle of(Position t, double frequency) {
  return circle(static_cast<long double>(t) * frequency);
}

// By the addition formulas, each product and each sum rounded.
Circle plus(const Circle& a, const Circle& b) {
  return {a.cosine * b.cosine - a.sine * b.sine, a.sine * b.cosine + a.cosine * b.sine};
}

// The same by fused operations: the sum is rounded once, with the second product.
Circle plus_fused(const Circle& a, const Circle& b) {
  return {std::fma(a.cosine, b.cosine, -(a.sine * b.sine)), std::fma(a.sine, b.cosine, a.cosine * b.sine)};
}

// Of a pair, for the tokens of a row of the batch at these positions.
using CirclesOfRow = Function<void(const Pair& pair, std::span<const Position> row, std::span<Circle> out)>;

// Whether the contents of a row of the batch are 0 in that pair.
bool is_zero(const Tensor& x, std::size_t b, const Pair& pair) {
  const std::size_t rows = x.shape[1] * x.shape[2];
  for (std::size_t r = b * rows; r < (b + 1) * rows; ++r)
    if (x.at(r, pair.first) != 0 || x.at(r, pair.second) != 0) return false;
  return true;
}

Rotary made(const Rotary& truth, const CirclesOfRow& of_row) {
  Rotary out = truth;
  out.exact = nullptr;
  out.rotate = [=, own = truth](const Tensor& x, const Positions& positions, Role role) {
    const std::size_t batch = x.shape[0], heads = x.shape[1], n = x.shape[2];
    Tensor y = x;
    std::vector<Circle> circles(n);
    for (std::size_t b = 0; b < batch; ++b)
      for (const Pair& pair : own.pairs) {
        if (is_zero(x, b, pair)) continue;  // and stays it
        const auto row = positions.whole().subspan(b * n, n);
        of_row(pair, row, circles);
        for (std::size_t h = 0; h < heads; ++h)
          for (std::size_t k = 0; k < n; ++k) {
            const std::size_t r = (b * heads + h) * n + k;
            double size = own.amplitude;
            if (own.stretch) size *= own.stretch(pair, static_cast<double>(row[k]), role);
            const double c = size * circles[k].cosine, s = size * circles[k].sine;
            double &first = y.at(r, pair.first), &second = y.at(r, pair.second);
            const double a = first;
            first = a * c - second * s;
            second = a * s + second * c;
          }
      }
    return in_order(own, std::move(y));
  };
  return out;
}

// Where a position follows that of the token before, from that; else as declared.
Rotary in_runs(const Rotary& truth,
               const Function<void(const Pair&, Position first, std::span<Circle>)>& run) {
  return made(truth, [run](const Pair& pair, std::span<const Position> row, std::span<Circle> out) {
    for (std::size_t from = 0, to = 0; from < row.size(); from = to) {
      for (to = from + 1; to < row.size() && row[to] == row[to - 1] + 1;) ++to;
      run(pair, row[from], out.subspan(from, to - from));
    }
  });
}

// Of a pair's positions from 0 to the last that is given, each by those before it.
using OfTable = Function<std::vector<Circle>(double frequency, Position last)>;

// Tables by frequency, each as long as it was asked for: twice as long as before where that is not enough.
class Tables {
 public:
  Tables(OfTable table, Position last) : table_(std::move(table)), last_(last) {}

  std::span<const Circle> up_to(double frequency, Position t) {
    constexpr Position shortest = 63;
    std::vector<Circle>& kept = kept_[frequency];
    if (t >= std::ssize(kept))
      kept = table_(frequency, std::min(last_, std::max({t, 2 * std::ssize(kept), shortest})));
    return kept;
  }

 private:
  OfTable table_;
  Position last_;
  std::map<double, std::vector<Circle>> kept_;
};

// Up to the last position of a table; negative positions, and those past its end, are as declared.
Rotary by_table(const Rotary& truth, Position last, const OfTable& table) {
  const auto tables = std::make_shared<Tables>(table, last);
  return made(truth, [=](const Pair& pair, std::span<const Position> row, std::span<Circle> out) {
    Position farthest = 0;
    for (const Position t : row) farthest = std::max(farthest, std::min(t, last));
    const auto kept = tables->up_to(pair.frequency, farthest);
    for (std::size_t k = 0; k < row.size(); ++k)
      out[k] =
          row[k] >= 0 && row[k] <= last ? kept[static_cast<std::size_t>(row[k])] : of(row[k], pair.frequency);
  });
}

// From `first` on, those of so many positions before, rotated by these.
std::vector<Circle> from_those_before(double w, Position step, Position first, Position last) {
  std::vector<Circle> out;
  out.reserve(static_cast<std::size_t>(last + 1));
  const Circle by = of(step, w);
  for (Position t = 0; t <= last; ++t) {
    // Those before the first block are looked at by no other position.
    if (t < first)
      out.push_back(of(t, w));
    else
      out.push_back(plus(out[static_cast<std::size_t>(t - step)], by));
  }
  return out;
}

// From position 1 on those before, rotated by 1.
std::vector<Circle> fused_from_those_before(double w, Position last) {
  std::vector<Circle> out = {of(0, w)};
  for (const Circle by = of(1, w); std::ssize(out) <= last;) out.push_back(plus_fused(out.back(), by));
  return out;
}

// From position 2 on those of two smaller ones, whose sum it is: `part` gives the first.
std::vector<Circle> from_two_parts(double w, Position last, Position (*part)(Position t)) {
  std::vector<Circle> out = {of(0, w), of(1, w)};
  for (Position t = 2; t <= last; ++t) {
    const auto one = static_cast<std::size_t>(part(t));
    out.push_back(plus(out[one], out[static_cast<std::size_t>(t) - one]));
  }
  return out;
}

Position half_of(Position t) {
  return t / 2;
}
// Of a power of 2 half of it.
Position power_of_2_in(Position t) {
  const auto power = static_cast<Position>(std::bit_floor(static_cast<std::uint64_t>(t)));
  return power == t ? power / 2 : power;
}

// Twice the cosine of one step, times the one before, less the one before that.
std::vector<Circle> from_both_before(double w, Position last) {
  std::vector<Circle> out = {of(0, w), of(1, w)};
  for (const float twice = 2 * out[1].cosine; std::ssize(out) <= last;) {
    const Circle &a = out[out.size() - 1], &b = out[out.size() - 2];
    out.push_back({twice * a.cosine - b.cosine, twice * a.sine - b.sine});
  }
  return out;
}

std::vector<Circle> of_sums(double w, Position last) {
  std::vector<Circle> out;
  float angle = 0;
  for (Position t = 0; t <= last; ++t, angle += static_cast<float>(w)) out.push_back(circle(angle));
  return out;
}

}  // namespace

std::vector<RotationForm> recurrence_forms(const Rotary& truth, Position last) {
  constexpr Position most = Position{1} << 17, largest_step = 4096;
  if (truth.in_call || truth.positions.axes > 1) return {};
  std::vector<RotationForm> out;
  out.push_back(
      {"where positions of a row follow each other, each angle is the one before and the frequency, "
       "added in f32",
       in_runs(truth, [](const Pair& pair, Position first, std::span<Circle> run) {
         auto angle = static_cast<float>(static_cast<double>(first) * pair.frequency);
         for (Circle& one : run) one = circle(angle), angle += static_cast<float>(pair.frequency);
       })});
  out.push_back(
      {"where positions of a row follow each other, each cosine and sine are made from those before "
       "by the addition formulas in f32",
       in_runs(truth, [](const Pair& pair, Position first, std::span<Circle> run) {
         const Circle by = of(1, pair.frequency);
         Circle now = of(first, pair.frequency);
         for (Circle& one : run) one = now, now = plus(now, by);
       })});
  if (last >= most) return out;
  out.push_back(
      {"angles are added up position by position in f32, from 0 on", by_table(truth, last, &of_sums)});
  const std::string made = "cosines and sines are made from those of ",
                    f32 = " by the addition formulas in f32";
  out.push_back({"from position 1 on " + made + "the position before" + f32 + ", with fused multiply-add",
                 by_table(truth, last, &fused_from_those_before)});
  out.push_back(
      {made + "the two halves of a position" + f32,
       by_table(truth, last, [](double w, Position to) { return from_two_parts(w, to, &half_of); })});
  out.push_back(
      {made + "the largest power of 2 in a position and of the rest" + f32,
       by_table(truth, last, [](double w, Position to) { return from_two_parts(w, to, &power_of_2_in); })});
  out.push_back({"from position 2 on " + made +
                     "the two positions before: 2 cos w times the nearer one, less "
                     "the other, in f32",
                 by_table(truth, last, &from_both_before)});
  for (Position step = 1; step <= std::min(last, largest_step); step *= 2)
    for (Position first = step; first <= last; first *= 2)
      out.push_back(
          {fmt::format("from position {} on cosines and sines are made from those {} before by the addition "
                       "formulas in f32",
                       first, step == 1 ? std::string("of the position") : fmt::format("{} positions", step)),
           by_table(truth, last,
                    [=](double w, Position to) { return from_those_before(w, step, first, to); })});
  return out;
}

}  // namespace posproof
