#include "diagnosis/table_deviations.h"

#include <algorithm>
#include <cmath>
#include <complex>
#include <new>
#include <numbers>
#include <numeric>
#include <optional>
#include <string>

#include <fmt/format.h>
#include "core/error.h"
#include "core/function.h"
#include "diagnosis/ladder_deviations.h"
#include "diagnosis/measured_columns.h"
#include "diagnosis/measured_phase.h"
#include "diagnosis/measured_rotation.h"
#include "diagnosis/rotation_deviations.h"
#include "diagnosis/row_deviations.h"
#include "run/narrowed.h"

namespace posproof {
namespace {

using Complex = std::complex<double>;

constexpr std::size_t longest_sequence = 256;

// A sequence, and positions that double from its end on.
struct Probes {
  std::vector<Position> near, far;
};

Probes probes(const Domain& domain) {
  Probes out;
  const auto n = std::min<Position>(longest_sequence, domain.hi - domain.lo + 1);
  out.near.resize(static_cast<std::size_t>(n));
  std::iota(out.near.begin(), out.near.end(), domain.lo);
  for (Position t = 1; t <= domain.hi; t *= 2)
    if (t > out.near.back()) out.far.push_back(t);
  return out;
}

Tensor rows(const Table& table, const std::vector<Position>& at, Position length) {
  Tensor out = table.rows(at, length);
  if (out.shape != Shape{at.size(), table.dim}) throw std::runtime_error("another shape");
  return out;
}

// ---- columns that are others

std::optional<Deviation> by_columns(const Table& subject, const Table& truth, const Precision& precision,
                                    const Probes& at, Position length) {
  Entries values, declared, allowed;
  for (const auto* all : {&at.near, &at.far}) {
    if (all->empty()) continue;
    const Tensor is = rows(subject, *all, length), ought = rows(truth, *all, length);
    for (std::size_t r = 0; r < all->size(); ++r) {
      values.emplace_back(is.row(r).begin(), is.row(r).end());
      declared.emplace_back(ought.row(r).begin(), ought.row(r).end());
      allowed.push_back(row_error(truth, precision, (*all)[r], ought.row(r)));
    }
  }
  return deviation_of_columns(truth, values, declared, allowed);
}

// ---- sines and cosines

struct Columns {
  std::size_t sine, cosine;
};

class Ladder {
 public:
  Ladder(const Table& subject, const Table& truth, const Parameters& parameters, const Precision& precision,
         const Probes& at, Position length)
      : truth_(truth), parameters_(parameters), precision_(precision), at_(at) {
    near_ = rows(subject, at.near, length);
    if (!at.far.empty()) far_ = rows(subject, at.far, length);
    noise_ = [precision, steps = truth.pairs.back().index](double t, double w) {
      const Pair pair{0, 1, w, steps, {1, 1}};
      return 2 * (angle_rounding(precision, t, pair) + sine_error(precision, 0, pair));
    };
  }

  // Sine and cosine of a pair each at a frequency of its own, from 0 at the first position.
  std::optional<Deviation> of_columns() const {
    if (at_.near.front() != 0 || truth_.offset != 0) return std::nullopt;
    std::vector<MeasuredFrequency> sines, cosines;
    for (const Pair& pair : truth_.pairs) {
      const auto sine = alone(pair.first, true), cosine = alone(pair.second, false);
      if (!sine || !cosine) return std::nullopt;
      const double allowed = angle_error(precision_, 1, pair);
      sines.push_back({pair.frequency, sine->frequency, sine->error, allowed});
      cosines.push_back({pair.frequency, cosine->frequency, cosine->error, allowed});
    }
    Deviation out{{}, truth_};
    if (auto words = settled_by_columns(sines, cosines)) {
      out.sentences.push_back(std::move(*words));
    } else {
      for (const auto& [which, ladder] : {std::pair{"sines", &sines}, std::pair{"cosines", &cosines}})
        for (const std::string& one : ladder_deviations(*ladder, parameters_, divisor()))
          out.sentences.push_back(fmt::format("{}: {}", which, one));
      if (out.sentences.empty()) return std::nullopt;
      settle_alike(sines), settle_alike(cosines);
    }
    Table& table = as<Table>(out.corrected);
    table.rows = [sines, cosines, truth = truth_](const Positions& positions, Position length) {
      Tensor to = truth.rows(positions, length);
      for (std::size_t r = 0; r < to.rows(); ++r)
        for (std::size_t i = 0; i < sines.size(); ++i) {
          const auto t = static_cast<long double>(positions.at(r));
          to.at(r, truth.pairs[i].first) =
              truth.amplitude * static_cast<double>(std::sin(t * sines[i].measured));
          to.at(r, truth.pairs[i].second) =
              truth.amplitude * static_cast<double>(std::cos(t * cosines[i].measured));
        }
      return to;
    };
    for (std::size_t i = 0; i < sines.size(); ++i)
      for (const double w : {sines[i].measured, cosines[i].measured})
        table.pairs[i].frequency = std::max(table.pairs[i].frequency, w);
    return out;
  }

  // In the declared columns, then in those of the other layout.
  std::optional<Deviation> found() {
    std::vector<Columns> declared, other;
    const std::size_t n = truth_.pairs.size();
    const bool neighbours = n > 1 && truth_.pairs[1].first == 2;
    for (std::size_t i = 0; i < n; ++i) {
      declared.push_back({truth_.pairs[i].first, truth_.pairs[i].second});
      other.push_back(neighbours ? Columns{i, n + i} : Columns{2 * i, 2 * i + 1});
    }
    if (auto one = in(declared, "")) return one;
    if (n < 2 || truth_.lone || truth_.dim != 2 * n) return std::nullopt;
    return in(other, neighbours ? "sines stand in the first half and cosines in the second, not interleaved"
                                : "sines and cosines are interleaved, not in halves");
  }

 private:
  // A column A sin(wt) or A cos(wt): from the first of the doubling positions at which it tells w, each later
  // one decides between the two angles that have its value. A value tells w where sin(wt), or 1 - cos(wt), is
  // so many times what rounding does to it: the angle is then known to a 64th of itself, and the next one,
  // twice as far, to less than a tenth of half a turn.
  std::optional<Rotating> alone(std::size_t column, bool is_sine) const {
    Rotating out{truth_.amplitude, 0, 0, 0};
    for (Position t = 1; t <= (at_.far.empty() ? at_.near.back() : at_.far.back()); t *= 2) {
      const auto far = std::ranges::find(at_.far, t);
      const double value =
          (t <= at_.near.back() ? near_.at(static_cast<std::size_t>(t), column)
                                : far_.at(static_cast<std::size_t>(far - at_.far.begin()), column)) /
          truth_.amplitude;
      if (!(std::abs(value) <= 1 + 1e-6)) return std::nullopt;
      const double held = std::clamp(value, -1.0, 1.0), at = static_cast<double>(t);
      const double angle = is_sine ? std::asin(held) : std::acos(held);
      const double slope = is_sine ? std::sqrt(1 - held * held) : std::abs(std::sin(angle));
      if (out.frequency == 0) {
        if ((is_sine ? std::abs(held) : 1 - held) < 64 * noise_(at, 0)) continue;
        out.frequency = angle / at;
        out.error = 2 * noise_(at, out.frequency) / (slope * at);
        continue;
      }
      if (slope < 0.3) continue;
      const double near = out.frequency * at, turn = 2 * std::numbers::pi;
      const double other = is_sine ? std::numbers::pi - angle : -angle;
      const double one = near + std::remainder(angle - near, turn),
                   two = near + std::remainder(other - near, turn);
      const double best = std::abs(one - near) <= std::abs(two - near) ? one : two;
      const double own = 2 * noise_(at, out.frequency) / slope;
      if (std::abs(best - near) > own + out.error * at) break;
      if (own / at >= out.error) continue;
      out.frequency = best / at;
      out.error = own / at;
    }
    return out.frequency == 0 || !is_near(out, column, is_sine) ? std::nullopt : std::optional(out);
  }

  // Where the number of a column stands for that of its pair: the declared ladder, gone on, goes through
  // sines and cosines in turn.
  std::optional<std::string> settled_by_columns(std::vector<MeasuredFrequency>& sines,
                                                std::vector<MeasuredFrequency>& cosines) const {
    const std::size_t n = sines.size();
    if (n < 2 || sines.front().declared != 1) return std::nullopt;
    const double step = std::log(sines.back().declared) / static_cast<double>(n - 1);
    const auto frequency = [step](std::size_t number) {
      return std::exp(step * static_cast<double>(number));
    };
    if (step == 0) return std::nullopt;
    for (std::size_t i = 0; i < n; ++i) {
      // As a logarithm and an exponential round it.
      const bool is_geometric = std::abs(frequency(i) - sines[i].declared) <= 0x1p-48 * frequency(i);
      if (!is_geometric || !sines[i].is_at(frequency(2 * i)) || !cosines[i].is_at(frequency(2 * i + 1)))
        return std::nullopt;
    }
    for (std::size_t i = 0; i < n; ++i)
      sines[i].measured = frequency(2 * i), cosines[i].measured = frequency(2 * i + 1);
    return fmt::format(
        "sine and cosine of pair i have frequencies of their own, base^(-2c/{:.10g}) with c = 2i and 2i + 1: "
        "the number of the column stands for that of the pair",
        divisor());
  }

  // A slow column is known by little of a turn, and its ratio to the declared one by that of the best known:
  // all have that one, or the declared frequency, where none is known to have another.
  static void settle_alike(std::vector<MeasuredFrequency>& ladder) {
    const auto best = std::ranges::min_element(ladder, {}, &MeasuredFrequency::ratio_error);
    const double ratio = best->differs() ? best->measured / best->declared : 1, off = best->ratio_error();
    const auto alike = [&](const MeasuredFrequency& one) {
      return std::abs(one.measured - ratio * one.declared) <= one.error + one.allowed + off * one.declared;
    };
    if (!std::ranges::all_of(ladder, alike)) return;
    for (MeasuredFrequency& one : ladder) one.measured = ratio * one.declared;
  }

  // The first positions were passed over, all but those that double.
  bool is_near(const Rotating& one, std::size_t column, bool is_sine) const {
    for (std::size_t r = 0; r < near_.rows(); ++r) {
      const auto t = static_cast<double>(at_.near[r]);
      const double angle = t * one.frequency, is = is_sine ? std::sin(angle) : std::cos(angle);
      const double error = 4 * noise_(t, one.frequency) + 2 * one.error * t;
      if (!(std::abs(near_.at(r, column) / truth_.amplitude - is) <= error)) return false;
    }
    return true;
  }

  std::optional<Rotating> measured(const Columns& columns) const {
    const auto value = [&](const Tensor& all, std::size_t r) {
      return Complex{all.at(r, columns.cosine), all.at(r, columns.sine)};
    };
    std::vector<Complex> values;
    for (std::size_t r = 0; r < near_.rows(); ++r) values.push_back(value(near_, r));
    auto out = rotating(values, at_.near.front(), noise_);
    for (std::size_t r = 0; out && r < at_.far.size(); ++r)
      if (!follow(*out, at_.far[r], value(far_, r), noise_)) break;
    return out;
  }

  std::optional<Deviation> in(const std::vector<Columns>& columns, const std::string& layout) const {
    // As a rotation whose pairs are neighbours, which has words for all of it.
    Rotary truth{.dim = 2 * columns.size()};
    MeasuredRotation is;
    is.heads.resize(1);
    for (std::size_t i = 0; i < columns.size(); ++i) {
      const auto number = measured(columns[i]);
      if (!number) return std::nullopt;
      Pair pair = truth_.pairs[i];
      pair.first = 2 * i, pair.second = 2 * i + 1;
      truth.pairs.push_back(pair);
      MeasuredChannel channel;
      channel.from = {2 * i, 2 * i + 1};
      channel.own = 2 * i, channel.partner = 2 * i + 1;
      channel.rotates = number;
      channel.shares = {{2 * i, 1, 0, number->frequency}};
      is.heads[0].push_back(channel);
      std::swap(channel.own, channel.partner);
      is.heads[0].push_back(channel);
    }
    truth.amplitude = truth_.amplitude;
    // A declared offset is none of the subject's.
    for (MeasuredChannel& one : is.heads[0])
      one.rotates->phase =
          std::remainder(one.rotates->phase - one.rotates->frequency * truth_.offset, 2 * std::numbers::pi);
    auto said = rotation_deviations(is.heads[0], truth, parameters_, divisor(), precision_);
    if (!said) return std::nullopt;
    if (!layout.empty()) said->insert(said->begin(), layout);
    if (said->empty()) return std::nullopt;
    settle(is, truth, precision_);
    for (std::string& sentence : *said)
      for (const std::string_view each : {"every rotation is", "no rotation is"})
        if (const auto at = sentence.find(each); at != std::string::npos)
          sentence.replace(at + each.find(' ') + 1, 8, "entry");
    return Deviation{*said, corrected(is, columns)};
  }

  double divisor() const {
    const auto& pairs = truth_.pairs;
    if (pairs.size() < 2) return 2 * static_cast<double>(pairs.size());
    return std::round(2 * std::log(parameters_.real("base")) /
                      std::log(pairs[0].frequency / pairs[1].frequency));
  }

  Encoding corrected(const MeasuredRotation& is, const std::vector<Columns>& columns) const {
    Table out = truth_;
    out.rows = [channels = is.heads[0], columns, own = truth_.rows, offset = truth_.offset](
                   const Positions& positions, Position length) {
      Tensor to = own(positions, length);
      for (std::size_t r = 0; r < to.rows(); ++r)
        for (std::size_t i = 0; i < columns.size(); ++i) {
          const Rotating& one = *channels[2 * i].rotates;
          const auto angle = static_cast<double>(std::remainder(
                                 (static_cast<long double>(positions.at(r)) + offset) * one.frequency,
                                 2 * std::numbers::pi_v<long double>)) +
                             one.phase;
          to.at(r, columns[i].cosine) = one.amplitude * std::cos(angle);
          to.at(r, columns[i].sine) = one.amplitude * std::sin(angle);
        }
      return to;
    };
    for (std::size_t i = 0; i < columns.size(); ++i) {
      out.pairs[i].first = columns[i].sine, out.pairs[i].second = columns[i].cosine;
      const double w = is.heads[0][2 * i].rotates->frequency;
      if (std::abs(w) > std::abs(out.pairs[i].frequency)) out.pairs[i].frequency = w;
    }
    return out;
  }

  const Table& truth_;
  const Parameters& parameters_;
  const Precision& precision_;
  const Probes& at_;
  Tensor near_, far_;
  PhaseNoise noise_;
};

// ---- sines or cosines of a neighbouring position

std::vector<Deviation> of_neighbours(const Table& truth) {
  std::vector<Deviation> out;
  if (truth.pairs.empty() || truth.positions.axes != 1 || truth.positions.real || truth.positions.ends)
    return out;
  const auto add = [&](std::string words, Position by, std::size_t Pair::*column) {
    Table other = truth;
    other.exact = nullptr;
    other.rows = [=, own = truth.rows, pairs = truth.pairs](const Positions& positions, Position length) {
      std::vector<Position> there;
      for (std::size_t r = 0; r < positions.size(); ++r) there.push_back(positions[r] + by);
      Tensor to = own(positions, length);
      const Tensor from = own(there, length + std::max<Position>(by, 0));
      for (std::size_t r = 0; r < to.rows(); ++r)
        for (const Pair& pair : pairs) to.at(r, pair.*column) = from.at(r, pair.*column);
      return to;
    };
    out.push_back({{std::move(words)}, std::move(other), true});
  };
  for (const auto& [which, column] : {std::pair{"sines", &Pair::first}, {"cosines", &Pair::second}})
    for (const auto& [where, by] : {std::pair{"after", Position{1}}, {"before", Position{-1}}})
      add(fmt::format("{} are those of the position {}", which, where), by, column);
  return out;
}

}  // namespace

std::vector<Deviation> table_deviations(const Table& subject, const Table& truth,
                                        const Parameters& parameters, const Precision& precision) {
  std::vector<Deviation> out;
  const Domain domain = overlap(subject.positions, truth.positions);
  if (truth.dim > 1024 || domain.axes != 1 || domain.hi < domain.lo) return out;
  const auto attempt = [&](const Function<std::optional<Deviation>()>& one) {
    try {
      if (auto found = one()) out.push_back(std::move(*found));
    } catch (const std::bad_alloc&) {
      throw;
    } catch (const std::exception&) {  // declined, died, another shape
    }
  };
  const Probes at = probes(domain);
  const Position length = domain.hi + 1;
  const bool ladder = !truth.pairs.empty() && parameters.find("base") != nullptr && at.near.size() >= 8;
  if (ladder) attempt([&] { return Ladder(subject, truth, parameters, precision, at, length).found(); });
  attempt([&] { return by_columns(subject, truth, precision, at, length); });
  if (ladder) attempt([&] { return Ladder(subject, truth, parameters, precision, at, length).of_columns(); });
  for (Deviation& one : of_neighbours(truth)) out.push_back(std::move(one));
  return out;
}

}  // namespace posproof
