#include "run/format_shown.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numbers>

#include "core/formats.h"

namespace posproof {
namespace {

// Of those that tell something by chance one in four is within its error of the format's: 16 errors lie
// between neighbours at least, and two around each are passed over.
constexpr std::size_t enough = 12;

// The distance between neighbours at x.
double step(double x, double unit) {
  return std::ldexp(2 * unit, std::ilogb(x));
}

double distance(double x, double unit) {
  if (x == 0) return 0;
  const double apart = step(x, unit);
  return std::abs(x - std::nearbyint(x / apart) * apart);
}

bool is_coarser(double tried, double declared) {
  return tried > declared;
}

double to(double unit, double x) {
  return unit == unit_f32 ? to_f32(x) : unit == unit_f16 ? to_f16(x) : unit == unit_bf16 ? to_bf16(x) : x;
}

}  // namespace

void NumbersOfFormat::see(double is, double exact, double error, double near) {
  constexpr double least = 0x1p-14;  // below, f16 has fewer digits
  if (std::abs(exact) < least || !std::isfinite(is)) return;
  const double apart = step(exact, unit_);
  if (16 * error > apart || distance(exact, unit_) <= 2 * error) return;
  ++telling_;
  if (distance(is, unit_) > error || std::abs(is - exact) > near * apart + error) is_other_ = true;
}

bool NumbersOfFormat::shown() const {
  return telling_ >= enough && !is_other_;
}

void RoundedProducts::see(double a, double b, double cosine, double sine, double is, double unit) {
  const double c = to(unit, cosine), s = to(unit, sine);
  const double once = to(unit, a * cosine - b * sine);
  const double by[ways] = {to(unit, a * c - b * s),                              // tables
                           to(unit, to(unit, a * c) - to(unit, b * s)),          // tables, products, sums
                           to(unit, to(unit, a * cosine) - to(unit, b * sine)),  // products, sums
                           to(unit, std::fma(a, c, -to(unit, b * s))),  // and with one product in the sum
                           to(unit, std::fma(-b, s, to(unit, a * c)))};
  for (std::size_t way = 0; way < ways; ++way)
    if (by[way] != once) ++telling_[way], right_[way] += by[way] == is ? 1 : 0;
}

// A cosine in f32, and an angle, may fall to the other side of a tie: a few in a hundred do.
bool RoundedProducts::shown() const {
  for (std::size_t way = 0; way < ways; ++way)
    if (telling_[way] >= enough && 8 * right_[way] >= 7 * telling_[way]) return true;
  return false;
}

FormatShown::FormatShown(const Precision& declared, const Precision& tried)
    : tried_(tried),
      angles_(is_coarser(tried.angle, declared.angle)),
      tables_(is_coarser(tried.table(), declared.table())),
      products_(is_coarser(tried.work(), declared.work())),
      angle_(tried.angle),
      table_(tried.table()),
      scaled_(tried.table()),
      slope_(tried.table()) {}

void FormatShown::see(const Encoding& truth, const Call& call, const Tensor& given, const Tensor& exact) {
  if (given.shape != exact.shape) return;
  if (const auto* rotary = std::get_if<Rotary>(&truth)) see_rotation(*rotary, call, given, exact);
  if (const auto* table = std::get_if<Table>(&truth)) see_table(*table, call, given, exact);
  if (std::holds_alternative<Bias>(truth)) see_bias(call, given, exact);
}

void FormatShown::see_circle(double cosine, double sine, double exact_cosine, double exact_sine, double angle,
                             double error, double scale) {
  constexpr double near_table = 1, near_angle = 4;  // an angle is the product of two rounded numbers
  table_.see(cosine, exact_cosine, error, near_table);
  table_.see(sine, exact_sine, error, near_table);
  scaled_.see(cosine / scale, exact_cosine / scale, error / scale, near_table);
  scaled_.see(sine / scale, exact_sine / scale, error / scale, near_table);
  // Known but for whole turns. Frequency, product, the exact numbers and the sum below are rounded to f64.
  if (angle == 0 || near_angle * step(angle, tried_.angle) > std::numbers::pi / 4) return;
  const double off =
      std::atan2(sine * exact_cosine - cosine * exact_sine, cosine * exact_cosine + sine * exact_sine);
  const double of_angle = 2 * (error / scale + tried_.table()) + 4 * unit_f64 * std::abs(angle);
  angle_.see(angle + off, angle, of_angle, near_angle);
}

void FormatShown::see_rotation(const Rotary& truth, const Call& call, const Tensor& given,
                               const Tensor& exact) {
  if (truth.error) return;  // an angle is a sum over axes
  const auto last = last_of(call.positions);
  if (!last) return;
  const auto here = in_call(truth, *last);
  const Tensor is = in_place(truth, given), should = in_place(truth, exact);
  const Tensor& x = call.contents.front();
  const Positions positions = call.positions;
  const std::size_t n = x.shape[2], heads = x.shape[1];
  for (std::size_t r = 0; r < x.rows(); ++r) {
    const std::size_t token = r / (heads * n) * n + r % n;
    for (const Pair& pair : here->pairs) {
      const double a = x.at(r, pair.first), b = x.at(r, pair.second), square = a * a + b * b;
      if (square < 0x1p-40 || !std::isfinite(square)) continue;
      const auto parts = [&](const Tensor& y) {
        const double u = y.at(r, pair.first), v = y.at(r, pair.second);
        return std::pair((u * a + v * b) / square, (v * a - u * b) / square);
      };
      const auto [cosine, sine] = parts(is);
      const auto [exact_cosine, exact_sine] = parts(should);
      const double scale = std::hypot(exact_cosine, exact_sine);
      if (scale == 0 || !std::isfinite(scale)) continue;
      const double angle = positions.at(token, pair.axis) * pair.frequency;
      // Each channel has two products, a sum and a rounding, of the pair's norm at the most, times the root
      // of 2 for the sum of both that gives a part back.
      const double error = 2 * (3 * tried_.work() + tried_.result) * scale;
      see_circle(cosine, sine, exact_cosine, exact_sine, angle, error, scale);
      if (scale == 1 && std::abs(angle) < 1024) {
        of_products_.see(a, b, exact_cosine, exact_sine, is.at(r, pair.first), tried_.result);
        of_products_.see(b, -a, exact_cosine, exact_sine, is.at(r, pair.second), tried_.result);
      }
    }
  }
}

void FormatShown::see_table(const Table& truth, const Call& call, const Tensor& given, const Tensor& exact) {
  const double error = tried_.result;
  for (std::size_t n = 0; n < given.data.size(); ++n) {
    const double size = error * std::abs(exact.data[n]);
    table_.see(given.data[n], exact.data[n], size, 1);
  }
  const Positions positions = call.positions;
  for (std::size_t r = 0; r < given.rows() && r < positions.size(); ++r)
    for (const Pair& pair : truth.pairs) {
      const double scale = std::hypot(exact.at(r, pair.first), exact.at(r, pair.second));
      if (scale == 0 || !std::isfinite(scale)) continue;
      const double angle = (positions.at(r, pair.axis) + truth.offset) * pair.frequency;
      see_circle(given.at(r, pair.second), given.at(r, pair.first), exact.at(r, pair.second),
                 exact.at(r, pair.first), angle, error * scale, scale);
    }
}

// Entries, or what they are for each position between the two.
void FormatShown::see_bias(const Call& call, const Tensor& given, const Tensor& exact) {
  const std::size_t nk = given.width();
  for (std::size_t r = 0; r < given.rows(); ++r)
    for (std::size_t c = 0; c < nk; ++c) {
      const double is = given.at(r, c), should = exact.at(r, c);
      table_.see(is, should, tried_.result * std::abs(should), 1);
      if (call.positions.axes != 1 || call.positions.whole.empty() || call.keys.whole.empty()) continue;
      const Position offset = call.keys.whole[c] - call.positions.whole[r % call.positions.whole.size()];
      if (offset == 0) continue;
      const auto of_one = [&](double entry) { return entry / static_cast<double>(offset); };
      slope_.see(of_one(is), of_one(should), 2 * tried_.result * std::abs(of_one(should)), 1);
    }
}

bool FormatShown::shown() const {
  if (angles_ && !angle_.shown()) return false;
  // With other angles the exact cosine is not theirs; that a table is no finer than the result is not seen.
  if (angles_) return true;
  const bool by_products = of_products_.shown();
  if (tables_ && !(table_.shown() || scaled_.shown() || slope_.shown() || by_products)) return false;
  return !products_ || tables_ || by_products;
}

}  // namespace posproof
