#include "core/error.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <numbers>
#include <optional>
#include <vector>

#include "core/rotation.h"
#include "core/term.h"

namespace posproof {

double half_ulp(double unit, double x) {
  constexpr std::uint64_t exponent = 0x7FF0000000000000;
  return unit * std::bit_cast<double>(std::bit_cast<std::uint64_t>(x) & exponent);
}

double power_error(const Precision& p, double w, std::size_t index) {
  const double a_step = p.how == Precision::Angles::iterated ? 3 : 0;
  return (term(Term::power, 4) + term(Term::exponent, 3 * std::abs(std::log(w))) +
          term(Term::ladder_step, a_step * static_cast<double>(index))) *
         p.angle;
}

FrequencyError divided() {
  return {.condition = 1, .roundings = 2};
}

FrequencyError divided_by_each() {
  return {.condition = 1, .roundings = 3};
}

FrequencyError from_scaled_base(double x, double factor) {
  return {.condition = 1, .roundings = 5 + 3 * x * std::log(factor)};
}

FrequencyError from_length(double x, double factor, double lengths) {
  const double grown = factor * lengths, s = grown - (factor - 1);
  FrequencyError out = from_scaled_base(x, s);
  out.roundings += x * (2 * grown + (factor - 1) + s) / s;
  return out;
}

namespace {

// By how much more than the share itself the frequency is off.
double of_share(double w, double v, double factor) {
  return (1 - 1 / factor) * w / v;
}

}  // namespace

FrequencyError by_rotations(double w, double v, double factor, double rotations, double least, double most) {
  if (least == most)
    return {.condition = 1,
            .roundings = 2,
            .margin = std::abs(rotations / least - 1),
            .jump = rotations > least ? 1 - 1 / factor : factor - 1};
  if (rotations < 0.75 * least || rotations > 1.25 * most) return divided();
  const double slope = rotations / (most - least), much = of_share(w, v, factor);
  return {.condition = 1 + slope * much, .roundings = 5 + 3 * (slope + 1) * much};
}

FrequencyError by_index(double w, double v, double factor, double index, double first, double last,
                        double end_error) {
  // An end that is not whole may fall to the other side of an index that is very near.
  const double margin = end_error == 0 ? 0 : 1.0 / 64;
  if (index <= first - margin || index >= last + margin) return divided();
  const double much = of_share(w, v, factor);
  return {.condition = 1, .roundings = 5 + (3 + end_error / std::abs(last - first)) * much};
}

double ramp_end_error(double d, double base, double end) {
  return 3 * d / (2 * std::log(base)) + 6 * std::abs(end);
}

namespace {

// What was computed last of a precision, under the scales of terms that hold now: a gate asks millions of
// times for the same.
template <class What>
class LastOf {
 public:
  template <class Compute>
  What& of(const Precision& p, Compute compute) {
    if (!known_ || !(precision_ == p) || scales_ != terms::scales.changes) {
      what_ = compute();
      precision_ = p;
      scales_ = terms::scales.changes;
      known_ = true;
    }
    return what_;
  }

 private:
  bool known_ = false;
  Precision precision_ = all_f64;
  unsigned scales_ = 0;
  What what_ = {};
};

// The error of an angle for one of 1 radian.
double relative_error(const Precision& p, const Pair& pair) {
  if (pair.frequency == 0) return 0;
  const double power = power_error(p, std::abs(pair.frequency), pair.index);
  const auto& [condition, roundings, margin, jump] = pair.frequency_error;
  const double other_side = jump > 0 && power + 3 * p.angle >= margin ? jump : 0;
  return other_side + condition * power +
         (term(Term::scaled_frequency, roundings) + term(Term::position, 1) + term(Term::angle_product, 1)) *
             p.angle;
}

// Whether relative_error is the same of both.
bool made_alike(const Pair& a, const Pair& b) {
  const FrequencyError &x = a.frequency_error, &y = b.frequency_error;
  return a.frequency == b.frequency && a.index == b.index && x.condition == y.condition &&
         x.roundings == y.roundings && x.margin == y.margin && x.jump == y.jump;
}

// The same of pairs that are asked for one by one: each is a logarithm, and those of one ladder are asked for
// again and again.
double kept_relative_error(const Precision& p, const Pair& pair) {
  struct Kept {
    Pair pair = {0, 0, std::numeric_limits<double>::quiet_NaN(), 0};  // like no other
    double error = 0;
  };
  constexpr std::size_t most = 256;
  thread_local LastOf<std::vector<Kept>> last;
  Kept& kept = last.of(p, [] { return std::vector<Kept>(most); })[pair.index % most];
  if (!made_alike(kept.pair, pair)) kept = {pair, relative_error(p, pair)};
  return kept.error;
}

double of_angle(double position, double frequency, double relative) {
  return std::min(std::numbers::pi, std::abs(position * frequency) * relative);
}

}  // namespace

double angle_error(const Precision& p, double position, const Pair& pair) {
  return of_angle(position, pair.frequency, kept_relative_error(p, pair));
}

double angle_rounding(const Precision& p, double position, const Pair& pair) {
  const double w = std::abs(pair.frequency), angle = std::abs(position) * w;
  const bool scaled = pair.frequency_error.roundings != 0;
  const double steps = p.how == Precision::Angles::iterated ? static_cast<double>(pair.index) : 0.0;
  const double relative = term(Term::position, std::abs(position) > 1 / p.angle ? 1 : 0) +
                          term(Term::scaled_frequency, scaled ? 1 : 0) + term(Term::ladder_step, steps);
  const double product = scaled || w < 2e-9 ? p.angle * angle : half_ulp(p.angle, angle * (1 + 64 * p.angle));
  return std::min(std::numbers::pi, term(Term::angle_product, product) + relative * p.angle * angle);
}

namespace {

double above(double unit, double other) {
  return unit > other ? unit : 0;
}

// Of the format in which a library works that gives sines and cosines to the table.
double library(const Precision& p) {
  return std::min(p.angle, p.table());
}

// Of a sine or cosine as it is stored, beside the angle's.
double stored_sine(const Precision& p) {
  return term(Term::library, 4 * library(p)) + term(Term::table, above(p.table(), p.angle)) +
         term(Term::result, above(p.result, p.table()));
}

// Of a rotation, beside the angle's.
double rotating(const Precision& p) {
  thread_local LastOf<double> last;
  return last.of(p, [&] {
    constexpr double root = std::numbers::sqrt2;
    return (1 + term(Term::library, 4 * root * library(p))) *
               (1 + term(Term::table, above(p.table(), p.angle))) *
               (1 + term(Term::product, root * p.work())) * (1 + term(Term::sum, p.work())) *
               (1 + term(Term::result, above(p.result, p.work()))) -
           1;
  });
}

// Half the smallest subnormal.
double underflow(const Precision& p) {
  return term(Term::underflow, p.result == unit_f16 ? 0x1p-25 : 0);
}

std::vector<double> entries(const Table& table, const Precision& p, Position position,
                            std::span<const double> row, RowErrors::Against against) {
  std::vector<double> error(row.size());
  RowErrors(table, p, against).at(position, row, error);
  return error;
}

}  // namespace

double difference_error(const Precision& p, double entry, double terms) {
  return term(Term::operation, (2 * std::abs(entry) + 3 * terms) * p.result);
}

double sine_error(const Precision& p, double position, const Pair& pair) {
  return std::min(2.0, angle_error(p, position, pair)) + stored_sine(p);
}

std::vector<double> row_error(const Table& table, const Precision& p, Position position,
                              std::span<const double> row) {
  return entries(table, p, position, row, RowErrors::Against::declared);
}

std::vector<double> row_rounding(const Table& table, const Precision& p, Position position,
                                 std::span<const double> row) {
  return entries(table, p, position, row, RowErrors::Against::itself);
}

namespace {

// relative_error of every pair. A gate asks for those of one ladder thousands of times, and each is a
// logarithm: the last ones are kept.
const std::vector<double>& relative_errors(const std::vector<Pair>& pairs, const Precision& p) {
  thread_local struct {
    Precision precision;
    std::vector<Pair> pairs;
    std::vector<double> errors;
    unsigned scales = 0;
  } last;
  // Pairs that are alike but not bit for bit are computed again.
  const bool same_bits =
      last.pairs.size() == pairs.size() &&
      (pairs.empty() || std::memcmp(last.pairs.data(), pairs.data(), pairs.size() * sizeof(Pair)) == 0);
  // Nothing but how angles are formed counts: what is kept afterwards is asked for in turn with what is not.
  const bool same_angles = last.precision.angle == p.angle && last.precision.how == p.how;
  if (same_bits && same_angles && last.scales == terms::scales.changes) return last.errors;
  last = {p, pairs, {}, terms::scales.changes};
  for (const Pair& pair : pairs) last.errors.push_back(relative_error(p, pair));
  return last.errors;
}

}  // namespace

RowErrors::RowErrors(const Table& table, const Precision& p, Against against)
    : table_(table), precision_(p), against_(against), own_(entry_error(table, p)) {
  if (against == Against::itself) return;
  relatives_ = relative_errors(table.pairs, p);
  if (table.lone) relatives_.push_back(relative_error(p, *table.lone));
}

double RowErrors::angle_error_at(double t, std::size_t pair, const Pair& of) const {
  return against_ == Against::itself ? angle_rounding(precision_, t, of)
                                     : of_angle(t, of.frequency, relatives_[pair]);
}

void RowErrors::angles_at(Position position, std::span<double> error) const {
  const double t = static_cast<double>(position) + table_.offset;
  const std::size_t pairs = table_.pairs.size();
  for (std::size_t n = 0; n < pairs; ++n) error[n] = angle_error_at(t, n, table_.pairs[n]);
  if (table_.lone) error[pairs] = angle_error_at(t, pairs, *table_.lone);
}

double RowErrors::beside_angle(double entry) const {
  const Precision& p = precision_;
  const double sine = std::abs(entry) / table_.amplitude;
  const auto at = [](double unit, double x) { return half_ulp(unit, x * (1 + 16 * unit)); };
  const double stored = term(Term::library, 4 * at(library(p), std::max(sine, 0.25))) +
                        term(Term::table, at(above(p.table(), p.angle), sine));
  const double of_amplitude =
      term(Term::amplitude, table_.amplitude == 1 ? 0 : 2 * p.result * std::abs(entry));
  return table_.amplitude * stored + term(Term::result, at(above(p.result, p.table()), std::abs(entry))) +
         of_amplitude + underflow(p);
}

void RowErrors::at(double position, std::span<const double> row, std::span<double> error) const {
  if (table_.row_error) {
    table_.row_error({&position, 1}, row, precision_, error);
    for (double& one : error) one = term(Term::own, one) + underflow(precision_);
    return;
  }
  const std::size_t pairs = table_.pairs.size();
  const double least = underflow(precision_);
  // An entry that is no number is allowed nothing: infinity is not within rounding of itself.
  if (2 * pairs + (table_.lone ? 1 : 0) != row.size())
    for (std::size_t c = 0; c < row.size(); ++c)
      error[c] = !std::isfinite(row[c]) ? 0
                 : table_.error         ? term(Term::own, table_.error(row[c], precision_)) + least
                                        : difference_error(precision_, row[c], 0) + least;
  const double t = position + table_.offset;
  const auto on_ladder = [&](std::size_t n, const Pair& pair) {
    return table_.amplitude * std::min(2.0, angle_error_at(t, n, pair)) + own_;
  };
  for (std::size_t n = 0; n < pairs; ++n) {
    const Pair& pair = table_.pairs[n];
    error[pair.first] = error[pair.second] = on_ladder(n, pair);
  }
  if (table_.lone) error[table_.lone->first] = on_ladder(pairs, *table_.lone);
}

void RowErrors::narrowed(double position, std::span<const double> row, std::span<double> error) const {
  at(position, row, error);
  const Precision& p = precision_;
  const double kept =
      term(Term::table, above(p.table(), p.angle)) + term(Term::result, above(p.result, p.table()));
  if (table_.row_error || kept == 0) return;
  const auto narrow = [&](std::size_t c) {
    const double before = error[c] - table_.amplitude * kept;
    error[c] = std::min(error[c], before + (std::abs(row[c]) + before) * kept);
  };
  for (const Pair& pair : table_.pairs) narrow(pair.first), narrow(pair.second);
  if (table_.lone) narrow(table_.lone->first);
}

double entry_error(const Table& table, const Precision& p) {
  const double of_amplitude = term(Term::amplitude, table.amplitude == 1 ? 0 : 2 * p.result);
  return table.amplitude * (stored_sine(p) + of_amplitude) + underflow(p);
}

double circle_error(const Table& table, const Precision& p) {
  return std::numbers::sqrt2 * entry_error(table, p);
}

double row_norm_error(const Table& table, const Precision& p, Position position,
                      std::span<const double> row) {
  double sum = 0;
  for (const double e : row_error(table, p, position, row)) sum += e * e;
  return std::sqrt(sum);
}

double rotation_error(const Precision& p, double position, const Pair& pair) {
  return std::min(2.0, angle_error(p, position, pair)) + rotating(p);
}

double rotation_rounding(const Precision& p, double position, const Pair& pair) {
  return std::min(2.0, angle_rounding(p, position, pair)) + rotating(p);
}

double amplitude_error(const Rotary& rotary, const Precision& p) {
  return term(Term::amplitude, rotary.amplitude == 1 ? 0 : 2 * std::max(p.table(), p.work()) + 5 * p.angle);
}

double rotation_underflow(const Precision& p) {
  return 2 * std::numbers::sqrt2 * underflow(p);
}

Stretch stretched(const Rotary& rotary, const Precision& p, const Pair& pair, double position, Role role) {
  Stretch out{rotary.amplitude, amplitude_error(rotary, p)};
  if (!rotary.stretch) return out;
  out.size *= rotary.stretch(pair, position, role);
  out.error += term(Term::own, rotary.stretch_error(pair, position, p));
  return out;
}

std::vector<double> rotated_error(const Rotary& rotary, const Precision& p, std::span<const double> position,
                                  std::span<const double> x, Role role) {
  std::vector<double> error(x.size(), 0.0);
  if (rotary.error) {
    rotary.error(x, position, role, p, error);
    for (double& one : error) one = one == 0 ? 0 : term(Term::own, one) + rotation_underflow(p);
    return error;
  }
  const std::vector<double>& relative = relative_errors(rotary.pairs, p);
  const double own = rotating(p), least = rotation_underflow(p);
  std::optional<Stretch> of_all;  // where it is the same everywhere
  if (!rotary.stretch && !rotary.pairs.empty()) of_all = stretched(rotary, p, rotary.pairs.front(), 0, role);
  for (std::size_t n = 0; n < rotary.pairs.size(); ++n) {
    const Pair& pair = rotary.pairs[n];
    if (x[pair.first] == 0 && x[pair.second] == 0) continue;  // nothing is off where there is nothing
    const double t = position[pair.axis];
    const auto [size, more] = of_all ? *of_all : stretched(rotary, p, pair, t, role);
    const double norm = size * pair_norm(x[pair.first], x[pair.second]);
    const double underflow = norm == 0 ? 0 : least;
    const double rotate = std::min(2.0, of_angle(t, pair.frequency, relative[n])) + own;
    error[pair.first] = error[pair.second] = norm * (rotate + more) + underflow;
  }
  return error;
}

Precision as_computed(Precision p) {
  p.result = p.declared_table = p.declared_work = library(p);
  return p;
}

double rounded_after(const Precision& p, double amplitude) {
  const double of_amplitude = amplitude == 1 ? 0 : 2 * std::max(p.table(), p.work());
  return (1 + term(Term::table, above(p.table(), p.angle))) * (1 + term(Term::product, p.work())) *
             (1 + term(Term::sum, p.work())) * (1 + term(Term::result, above(p.result, p.work()))) *
             (1 + term(Term::amplitude, of_amplitude)) -
         1;
}

std::vector<double> rotated_error(const Rotary& rotary, const Precision& p, std::span<const double> position,
                                  std::span<const double> x, std::span<const double> rotated, Role role) {
  std::vector<double> error = rotated_error(rotary, p, position, x, role);
  if (rotary.error || rotary.stretch || std::max({p.table(), p.work(), p.result}) == library(p)) return error;
  const std::vector<double> before = rotated_error(rotary, as_computed(p), position, x, role);
  const double after = rounded_after(p, rotary.amplitude), least = rotation_underflow(p);
  for (const Pair& pair : rotary.pairs) {
    const double x1 = x[pair.first], x2 = x[pair.second], y1 = rotated[pair.first], y2 = rotated[pair.second];
    const double square = x1 * x1 + x2 * x2;
    if (!(square > 0) || !std::isfinite(square)) continue;
    const double cosine = std::abs(x1 * y1 + x2 * y2) / square, sine = std::abs(x1 * y2 - x2 * y1) / square;
    const auto narrow = [&](std::size_t c, double sum) {
      // What multiplies is known within what is allowed: that is of second order.
      const double fine = (before[c] + (sum + before[c]) * after) * (1 + 2 * after) + least;
      error[c] = std::min(error[c], fine);
    };
    narrow(pair.first, std::abs(x1) * cosine + std::abs(x2) * sine);
    narrow(pair.second, std::abs(x1) * sine + std::abs(x2) * cosine);
  }
  return error;
}

std::vector<double> rotated_error(const Rotary& rotary, const Precision& p, Position position,
                                  std::span<const double> x, Role role) {
  // The same number on every axis.
  const std::vector<double> everywhere(rotary.positions.axes, static_cast<double>(position));
  return rotated_error(rotary, p, everywhere, x, role);
}

namespace {

// The smallest normal number.
double least_normal(double unit) {
  return unit == unit_f64 ? 0x1p-1022 : unit == unit_f16 ? 0x1p-14 : 0x1p-126;
}

// Of a product with a slope, below the smallest normal numbers: a slope that is normal in its format, times a
// whole number, is so too. In f16 half the smallest subnormal, as nothing flushes these to 0.
double bias_underflow(const Precision& p, double b, double slope) {
  if (b == 0) return 0;
  const double formed = least_normal(std::max(p.angle, p.table())), least = least_normal(p.result);
  const double of_slope = std::abs(slope) < formed ? std::abs(b / slope) * formed : 0;
  if (p.result == unit_f16) return term(Term::underflow, of_slope) + underflow(p);
  return term(Term::underflow, of_slope + (std::abs(b) < 2 * least ? least : 0));
}

// By how much of itself the common ratio is off that the format holds next to it, once for each step.
double of_rounded_ratio(double unit, double slope, std::size_t step) {
  const long double ratio = std::pow(static_cast<long double>(slope), 1 / static_cast<long double>(step));
  int exponent = 0;
  const long double digits = std::frexp(ratio, &exponent), spacing = unit;
  return static_cast<double>(static_cast<long double>(step) *
                             std::abs(std::nearbyint(digits / spacing) * spacing / digits - 1));
}

// Of a slope as it is kept.
double slope_error(const Precision& p, double slope, std::size_t step) {
  const double of_ratio =
      p.how == Precision::Angles::iterated || step == 0 ? 0 : of_rounded_ratio(p.angle, slope, step);
  return power_error(p, slope, step) + term(Term::ladder_step, of_ratio) +
         term(Term::table, above(p.table(), p.angle));
}

// Which power of the first slope, or of its root, the slope of a head is.
std::size_t step_of(const Bias& bias, std::size_t head) {
  const double powers = std::log(bias.slopes[head]) / std::log(bias.slopes.front());
  if (!std::isfinite(powers) || powers < 0) return head + 1;
  const double whole = std::round(powers);
  return static_cast<std::size_t>(std::abs(powers - whole) < 0.01 ? whole : std::round(2 * powers));
}

}  // namespace

namespace {

// Of an entry whose slope is off by that much of itself.
double of_slope(const Precision& p, double b, double slope, double relative) {
  return std::abs(b) * relative + bias_rounding(p, b, slope);
}

// slope_error of every head. Each is a power or two, and a gate asks for the entries of one bias a million
// times: the last ones are kept.
const std::vector<double>& slope_errors(const Precision& p, const Bias& bias) {
  thread_local struct {
    Precision precision = all_f64;
    std::vector<double> slopes;
    unsigned scales = 0;
    std::vector<double> errors;
  } last;
  if (last.precision == p && last.scales == terms::scales.changes && last.slopes == bias.slopes)
    return last.errors;
  last = {p, bias.slopes, terms::scales.changes, {}};
  for (std::size_t h = 0; h < bias.slopes.size(); ++h)
    last.errors.push_back(slope_error(p, std::abs(bias.slopes[h]), step_of(bias, h)));
  return last.errors;
}

}  // namespace

double bias_error(const Precision& p, double b, double slope, std::size_t step) {
  if (!std::isfinite(b)) return 0;
  slope = std::abs(slope);
  return slope == 0 ? bias_rounding(p, b, 0) : of_slope(p, b, slope, slope_error(p, slope, step));
}

double bias_error(const Precision& p, double b, const Bias& bias, std::size_t head) {
  if (!std::isfinite(b)) return 0;
  const double slope = bias.slopes.empty() ? 0 : std::abs(bias.slopes[head]);
  return slope == 0 ? bias_rounding(p, b, 0) : of_slope(p, b, slope, slope_errors(p, bias)[head]);
}

double bias_error(const Precision& p, double b, const Bias& bias, std::size_t head,
                  std::span<const double> query, std::span<const double> key) {
  if (!bias.error) return bias_error(p, b, bias, head);
  return std::isfinite(b) ? term(Term::own, bias.error(head, query, key, b, p)) + underflow(p) : 0;
}

double bias_error(const Precision& p, double b, const Bias& bias, std::size_t head, Position query,
                  Position key) {
  const double i = static_cast<double>(query), j = static_cast<double>(key);
  return bias_error(p, b, bias, head, std::span(&i, 1), std::span(&j, 1));
}

double bias_rounding(const Precision& p, double b, const Bias& bias, std::size_t head, Position query,
                     Position key) {
  if (bias.error) return bias_error(p, b, bias, head, query, key);
  return bias_rounding(p, b, bias.slopes.empty() ? 0 : bias.slopes[head]);
}

double bias_rounding(const Precision& p, double b, double slope) {
  if (!std::isfinite(b)) return 0;
  if (slope == 0) return term(Term::operation, 2 * p.result * std::abs(b)) + underflow(p);
  return std::abs(b) * (term(Term::product, 2 * p.work()) + term(Term::result, above(p.result, p.work()))) +
         bias_underflow(p, b, slope);
}

}  // namespace posproof
