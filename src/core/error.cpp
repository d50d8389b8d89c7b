#include "core/error.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace posproof {

double power_error(const Precision& p, double w, std::size_t index) {
  const double a_step = p.how == Precision::Angles::iterated ? 3 : 2;
  return (4 + 3 * std::abs(std::log(w)) + a_step * static_cast<double>(index)) * p.angle;
}

FrequencyError divided() {
  return {.condition = 1, .roundings = 2};
}

FrequencyError from_scaled_base(double x, double factor) {
  return {.condition = 1, .roundings = 5 + 3 * x * std::log(factor)};
}

namespace {

// By how much more than the share itself the frequency is off.
double of_share(double w, double v, double factor) {
  return (1 - 1 / factor) * w / v;
}

}  // namespace

FrequencyError by_rotations(double w, double v, double factor, double rotations, double least, double most) {
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

// The error of an angle for one of 1 radian.
double relative_error(const Precision& p, const Pair& pair) {
  if (pair.frequency == 0) return 0;
  return pair.frequency_error.condition * power_error(p, std::abs(pair.frequency), pair.index) +
         (pair.frequency_error.roundings + 2) * p.angle;
}

double relative_rounding(const Precision& p, const Pair& pair) {
  const double steps = p.how == Precision::Angles::iterated ? static_cast<double>(pair.index) : 0.0;
  return (3 + steps) * p.angle;
}

double of_angle(double position, double frequency, double relative) {
  return std::min(std::numbers::pi, std::abs(position * frequency) * relative);
}

}  // namespace

double angle_error(const Precision& p, double position, const Pair& pair) {
  return of_angle(position, pair.frequency, relative_error(p, pair));
}

double angle_rounding(const Precision& p, double position, const Pair& pair) {
  return of_angle(position, pair.frequency, relative_rounding(p, pair));
}

namespace {

// Of a sine or cosine as it is stored, beside the angle's.
double stored_sine(const Precision& p) {
  return p.angle < p.result ? 4 * p.angle + p.result : 4 * p.result;
}

// Of a rotation, beside the angle's.
double rotating(const Precision& p) {
  return p.angle < p.result ? 6 * p.angle + 4 * p.result : 10 * p.result;
}

// Half the smallest subnormal.
double underflow(const Precision& p) {
  return p.result == unit_f16 ? 0x1p-25 : 0;
}

std::vector<double> entries(const Table& table, const Precision& p, Position position,
                            std::span<const double> row, RowErrors::Against against) {
  std::vector<double> error(row.size());
  RowErrors(table, p, against).at(position, row, error);
  return error;
}

}  // namespace

double difference_error(const Precision& p, double entry, double terms) {
  return (2 * std::abs(entry) + 3 * terms) * p.result;
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
  } last;
  const auto made_alike = [](const Pair& a, const Pair& b) {
    return a.frequency == b.frequency && a.index == b.index &&
           a.frequency_error.condition == b.frequency_error.condition &&
           a.frequency_error.roundings == b.frequency_error.roundings;
  };
  if (last.precision == p && std::ranges::equal(last.pairs, pairs, made_alike)) return last.errors;
  last = {p, pairs, {}};
  for (const Pair& pair : pairs) last.errors.push_back(relative_error(p, pair));
  return last.errors;
}

}  // namespace

RowErrors::RowErrors(const Table& table, const Precision& p, Against against)
    : table_(table), precision_(p), own_(entry_error(table, p)) {
  if (against == Against::itself && p.how == Precision::Angles::product) {
    relative_ = relative_rounding(p, {});
    return;
  }
  if (against == Against::declared) {
    relatives_ = relative_errors(table.pairs, p);
    if (table.lone) relatives_.push_back(relative_error(p, *table.lone));
    return;
  }
  relatives_.reserve(table.pairs.size() + 1);
  for (const Pair& pair : table.pairs) relatives_.push_back(relative_rounding(p, pair));
  if (table.lone) relatives_.push_back(relative_rounding(p, *table.lone));
}

void RowErrors::at(Position position, std::span<const double> row, std::span<double> error) const {
  const std::size_t pairs = table_.pairs.size();
  const double least = underflow(precision_);
  // An entry that is no number is allowed nothing: infinity is not within rounding of itself.
  if (2 * pairs + (table_.lone ? 1 : 0) != row.size())
    for (std::size_t c = 0; c < row.size(); ++c)
      error[c] = !std::isfinite(row[c]) ? 0
                 : table_.error         ? table_.error(row[c], precision_) + least
                                        : difference_error(precision_, row[c], 0) + least;
  const double t = static_cast<double>(position) + table_.offset, amplitude = table_.amplitude, own = own_;
  const auto on_ladder = [=](const Pair& pair, double relative) {
    return amplitude * std::min(2.0, of_angle(t, pair.frequency, relative)) + own;
  };
  const Pair* pair = table_.pairs.data();
  double* const to = error.data();
  // The two sorts apart: it is a loop for every row of every case.
  if (relatives_.empty())
    for (std::size_t n = 0; n < pairs; ++n, ++pair)
      to[pair->first] = to[pair->second] = on_ladder(*pair, relative_);
  else
    for (std::size_t n = 0; n < pairs; ++n, ++pair)
      to[pair->first] = to[pair->second] = on_ladder(*pair, relatives_[n]);
  if (table_.lone)
    to[table_.lone->first] = on_ladder(*table_.lone, relatives_.empty() ? relative_ : relatives_[pairs]);
}

double entry_error(const Table& table, const Precision& p) {
  const double of_amplitude = table.amplitude == 1 ? 0 : 2 * p.result;
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
  return rotary.amplitude == 1 ? 0 : 2 * p.result + 5 * p.angle;
}

double rotation_underflow(const Precision& p) {
  return 2 * std::numbers::sqrt2 * underflow(p);
}

std::vector<double> rotated_error(const Rotary& rotary, const Precision& p, Position position,
                                  std::span<const double> x) {
  std::vector<double> error(x.size(), 0.0);
  const std::vector<double>& relative = relative_errors(rotary.pairs, p);
  const double t = static_cast<double>(position), own = rotating(p), more = amplitude_error(rotary, p);
  for (std::size_t n = 0; n < rotary.pairs.size(); ++n) {
    const Pair& pair = rotary.pairs[n];
    const double norm = rotary.amplitude * std::hypot(x[pair.first], x[pair.second]);
    // Nothing underflows where there is nothing.
    const double underflow = norm == 0 ? 0 : rotation_underflow(p);
    const double rotate = std::min(2.0, of_angle(t, pair.frequency, relative[n])) + own;
    error[pair.first] = error[pair.second] = norm * (rotate + more) + underflow;
  }
  return error;
}

double bias_error(const Precision& p, double b, double slope, std::size_t step) {
  if (!std::isfinite(b)) return 0;
  if (slope == 0) return 2 * p.result * std::abs(b) + underflow(p);
  return std::abs(b) * (power_error(p, std::abs(slope), step) + 2 * p.angle + 2 * p.result);
}

double bias_rounding(const Precision& p, double b, double slope) {
  if (!std::isfinite(b)) return 0;
  return std::abs(b) * ((slope == 0 ? 0 : 2 * p.angle) + 2 * p.result) + (slope == 0 ? underflow(p) : 0);
}

}  // namespace posproof
