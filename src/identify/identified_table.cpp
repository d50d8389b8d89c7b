#include "identify/identified_table.h"

#include <algorithm>
#include <cmath>
#include <complex>
#include <numbers>
#include <optional>
#include <string_view>

#include "core/error.h"
#include "diagnosis/measured_phase.h"
#include "identify/identified_ladder.h"

namespace posproof {
namespace {

using Complex = std::complex<double>;

constexpr Position most_offset = 4096;

double whole(std::size_t n) {
  return static_cast<double>(n);
}

// The cosine and the sine of a pair.
Complex entry(const Tensor& rows, std::size_t r, const Pair& pair) {
  return {rows.at(r, pair.second), rows.at(r, pair.first)};
}

std::optional<Rotating> measured(const MeasuredRows& rows, const Pair& pair, const Precision& precision) {
  const PhaseNoise noise = [&](double t, double w) {
    // Ours: of products, sums and arguments of complex numbers in double.
    constexpr double ours = 8 * unit_f64;
    return rotation_rounding(precision, t, Pair{0, 1, w, pair.index, {1, 1}}) +
           rotation_underflow(precision) + ours;
  };
  std::vector<Complex> values;
  for (std::size_t r = 0; r < rows.near.rows(); ++r) values.push_back(entry(rows.near, r, pair));
  auto out = rotating(values, rows.first, noise);
  for (std::size_t r = 0; out && r < rows.at.size(); ++r)
    if (!follow(*out, rows.at[r], entry(rows.far, r, pair), noise)) break;
  return out;
}

struct MeasuredPairs {
  MeasuredLadder ladder;
  std::vector<double> phases, phase_errors, exponents;
};

// What the parameter is called that the frequencies are powers of; empty where there is none.
std::string_view base_name(const EncodingSpec& spec) {
  for (const std::string_view name : {"base", "max_period"})
    if (spec.parameters.find(name) != nullptr) return name;
  return "";
}

// What the encoding's own pairs are the powers of, by its frequencies at two bases.
std::vector<double> exponents_of(const EncodingSpec& spec, Parameters parameters, const Table& table) {
  parameters.set(base_name(spec), 100.0);
  const Encoding other = spec.make(parameters);
  std::vector<double> out;
  for (const Pair& pair : as<Table>(other).pairs)
    out.push_back(-std::log(std::abs(pair.frequency)) / std::log(100.0));
  out.resize(table.pairs.size(), 0);
  return out;
}

// Pairs that rotate as one does; none where more than two do not.
std::optional<MeasuredPairs> measured(const EncodingSpec& spec, const Parameters& parameters,
                                      const Table& table, const MeasuredRows& rows,
                                      const Precision& precision) {
  const std::vector<double> exponents = exponents_of(spec, parameters, table);
  MeasuredPairs out;
  std::vector<double> amplitudes;
  for (std::size_t n = 0; n < table.pairs.size(); ++n) {
    const auto by = measured(rows, table.pairs[n], precision);
    if (!by || !(by->frequency * table.pairs[n].frequency > 0) || by->amplitude == 0) continue;
    const double w = std::abs(by->frequency);
    out.ladder.frequencies.push_back(w);
    out.ladder.errors.push_back((by->error + 3 * power_error(precision, w) * w) / w);
    out.phases.push_back(by->phase);
    // Ours: the angles of the rows that the phase is the mean of are rounded to double.
    const double far = whole(rows.near.rows()) + std::abs(static_cast<double>(rows.first));
    out.phase_errors.push_back(8 * precision.result + 4 * by->error * far + 2 * unit_f64 * w * far);
    out.exponents.push_back(exponents[n]);
    amplitudes.push_back(by->amplitude);
  }
  if (out.phases.empty() || out.phases.size() + 2 < table.pairs.size()) return std::nullopt;
  std::ranges::sort(amplitudes);
  out.ladder.amplitude = amplitudes[amplitudes.size() / 2];
  // Ours: an amplitude is that of a sum of as many numbers in double as there are rows, each rotated back.
  out.ladder.amplitude_error = 8 * precision.result + (whole(rows.near.rows()) + 16) * unit_f64;
  return out;
}

// How many of the first pairs have the phase that this offset gives.
std::size_t phases_of(Position offset, const MeasuredPairs& pairs, std::size_t first) {
  std::size_t fit = 0;
  for (std::size_t n = 0; n < first; ++n) {
    const double angle = pairs.ladder.frequencies[n] * static_cast<double>(offset);
    const double off = std::remainder(pairs.phases[n] - angle, 2 * std::numbers::pi);
    if (std::abs(off) <= pairs.phase_errors[n] + 2 * pairs.ladder.errors[n] * std::abs(angle)) ++fit;
  }
  return fit;
}

// Whole numbers that give most phases, at most four.
std::vector<Position> offsets(const MeasuredPairs& pairs) {
  std::vector<Position> out;
  const std::size_t count = pairs.phases.size(), few = std::min<std::size_t>(count, 6);
  std::size_t most = 1;
  for (Position magnitude = 0; magnitude <= most_offset; ++magnitude)
    for (const Position k : {magnitude, -magnitude}) {
      if (2 * phases_of(k, pairs, few) < few) continue;
      const std::size_t fit = phases_of(k, pairs, count);
      if (fit > most) out.clear(), most = fit;
      if (fit == most && out.size() < 4 && std::ranges::find(out, k) == out.end()) out.push_back(k);
    }
  return out;
}

// 1, roots of the width that code multiplies by, or the simplest number.
double amplitude_of(const MeasuredLadder& ladder, std::size_t dim) {
  const Interval among = around(ladder.amplitude, ladder.amplitude_error);
  const double d = whole(dim);
  for (const double known : {1.0, std::sqrt(d), 1 / std::sqrt(d), std::sqrt(2 / d)})
    if (among.has(known)) return known;
  return simplest(among);
}

// What the frequency is that is the base to the power 0.
double scale_of(const MeasuredPairs& pairs) {
  for (std::size_t n = 0; n < pairs.exponents.size(); ++n)
    if (std::abs(pairs.exponents[n]) < 1e-12) {
      const Interval among = around(pairs.ladder.frequencies[n], pairs.ladder.errors[n]);
      return among.has(1) ? 1 : simplest(among);
    }
  return 1;
}

void set_where_there(const EncodingSpec& spec, Parameters& parameters, std::string_view name, double value) {
  if (spec.parameters.find(name) != nullptr) parameters.set(name, value);
}

// The settings with the numbers of the ladder that was measured in their columns.
std::vector<Candidate> of_ladder(const EncodingSpec& spec, const Candidate& setting, const Table& table,
                                 const MeasuredRows& rows, const Precision& precision) {
  std::vector<Candidate> out;
  const auto pairs = measured(spec, setting.parameters, table, rows, precision);
  if (!pairs) return out;
  for (const double base : bases(pairs->ladder, pairs->exponents))
    for (const Position offset : offsets(*pairs)) {
      Candidate one = setting;
      one.parameters.set(base_name(spec), base);
      if (const double scale = scale_of(*pairs); scale != 1)
        set_where_there(spec, one.parameters, "scale", scale);
      if (rows.zero_row)
        set_where_there(spec, one.parameters, "padding_row", static_cast<double>(*rows.zero_row + offset));
      set_where_there(spec, one.parameters, "amplitude", amplitude_of(pairs->ladder, table.dim));
      set_where_there(spec, one.parameters, "offset", static_cast<double>(offset));
      out.push_back(std::move(one));
    }
  return out;
}

// The offset that the first entry may show, and those in use.
std::vector<double> first_entries(const EncodingSpec& spec, const MeasuredRows& rows) {
  if (spec.parameters.find("offset") == nullptr) return {0};
  std::vector<double> out{0, 1, 2};
  const double first = rows.near.data.front() - static_cast<double>(rows.first);
  if (std::abs(first) <= 0x1p40 && first == std::round(first) && std::ranges::find(out, first) == out.end())
    out.push_back(first);
  return out;
}

// Words that change nothing at this width are not tried: an even one has no odd column.
bool is_new(const Table& table, std::vector<Tensor>& seen) {
  const Position first = table.positions.lo, at[] = {first, first + 1, first + 2};
  const auto count = static_cast<std::size_t>(std::min<Position>(3, table.positions.hi - first + 1));
  Tensor rows = table.rows(Positions(at, count), 7);
  if (std::ranges::find(seen, rows) != seen.end()) return false;
  seen.push_back(std::move(rows));
  return true;
}

// One setting of words with the numbers that were measured; nothing of another shape, or of what is like one
// before.
std::vector<Candidate> of_setting(const EncodingSpec& spec, const Candidate& setting,
                                  const MeasuredRows& rows, const Precision& precision,
                                  std::vector<Tensor>& seen) {
  const Encoding made = spec.make(setting.parameters);
  const auto* table = std::get_if<Table>(&made);
  if (table == nullptr || table->dim != rows.near.width() || table->positions.axes != 1) return {};
  if (!is_new(*table, seen)) return {};
  if (!table->pairs.empty() && !base_name(spec).empty())
    return of_ladder(spec, setting, *table, rows, precision);
  std::vector<Candidate> out;
  for (const double offset : first_entries(spec, rows)) {
    out.push_back(setting);
    if (offset == 0) continue;
    set_where_there(spec, out.back().parameters, "offset", offset);
    // The rows before the first position are rows, too.
    if (rows.length > 0) set_where_there(spec, out.back().parameters, "length", whole(rows.length) + offset);
  }
  return out;
}

}  // namespace

std::vector<Candidate> table_candidates(const std::string& encoding, const EncodingSpec& spec,
                                        const MeasuredRows& rows, const Precision& precision) {
  std::vector<Candidate> out;
  if (!std::holds_alternative<Table>(spec.make(standard(spec))))
    return out;  // nor is it with other parameters
  Parameters shape;
  set_where_there(spec, shape, "dim", whole(rows.near.width()));
  if (rows.length > 0) set_where_there(spec, shape, "length", whole(rows.length));
  std::vector<Tensor> seen;
  for (const Candidate& setting : settings(encoding, spec, shape)) {
    try {
      for (Candidate& one : of_setting(spec, setting, rows, precision, seen)) out.push_back(std::move(one));
    } catch (const Refusal&) {  // it is not defined where the rows are
    }
  }
  return out;
}

}  // namespace posproof
