#include "diagnosis/measured_stretches.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <new>
#include <optional>
#include <utility>

#include "core/error.h"
#include "diagnosis/identified_number.h"
#include "diagnosis/measured_words.h"
#include "run/narrowed.h"

namespace posproof {
namespace {

// What the subject multiplies a pair by, as a line: its logarithm is slope t + at_0, with what rounding may
// do to both.
struct Line {
  Interval slope, at_0;
};

class Lines {
 public:
  Lines(const Rotary& subject, const Rotary& truth, const Precision& precision)
      : subject_(subject),
        truth_(truth),
        precision_(precision),
        domain_(overlap(subject.positions, truth.positions)) {}

  // Of each pair of a role's tokens; none where it is no line, or too far apart to be seen as one.
  std::optional<std::vector<Line>> of(Role role) const {
    std::vector<Position> at;
    for (const Position step : {0, 1, 2, 3, 16, 100, 1000, 4000})
      if (domain_.lo + step <= domain_.hi) at.push_back(domain_.lo + step);
    Tensor x({1, subject_.heads, at.size(), subject_.dim});
    for (std::size_t r = 0; r < x.rows(); ++r)
      for (const Pair& pair : truth_.pairs) x.at(r, pair.first) = 1;
    const Tensor y = subject_.rotate(x, at, role);
    if (y.shape != x.shape) return std::nullopt;
    std::vector<Line> out;
    for (const Pair& pair : truth_.pairs) {
      const auto line = through(y, at, pair, role);
      if (!line) return std::nullopt;
      out.push_back(*line);
    }
    return out;
  }

 private:
  // Of the first head, through the first position and the last.
  std::optional<Line> through(const Tensor& y, const std::vector<Position>& at, const Pair& pair,
                              Role role) const {
    std::vector<double> logarithms, errors;
    for (std::size_t r = 0; r < at.size(); ++r) {
      const double size = std::hypot(y.at(r, pair.first), y.at(r, pair.second)),
                   t = static_cast<double>(at[r]);
      if (!(size > 0) || !std::isfinite(size)) return std::nullopt;
      logarithms.push_back(std::log(size));
      errors.push_back(
          2 * (rotation_error(precision_, t, pair) + stretched(truth_, precision_, pair, t, role).error) +
          16 * precision_.result);
    }
    const double apart = static_cast<double>(at.back() - at.front()),
                 rise = logarithms.back() - logarithms.front(), off = errors.back() + errors.front(),
                 slope = rise / apart, at_0 = logarithms.front() - slope * static_cast<double>(at.front());
    for (std::size_t r = 0; r < at.size(); ++r)
      if (std::abs(at_0 + slope * static_cast<double>(at[r]) - logarithms[r]) > off + errors[r])
        return std::nullopt;
    return Line{{slope - off / apart, slope + off / apart}, {at_0 - off, at_0 + off}};
  }

  const Rotary& subject_;
  const Rotary& truth_;
  const Precision& precision_;
  Domain domain_;
};

std::optional<std::vector<Line>> lines_of_queries(const Rotary& subject, const Rotary& truth,
                                                  const Precision& precision) {
  try {
    return Lines(subject, truth, precision).of(Role::query);
  } catch (const std::bad_alloc&) {
    throw;
  } catch (const std::exception&) {  // it declined, or died: nothing was measured
  }
  return std::nullopt;
}

Interval divided(const Interval& a, double by) {
  return by > 0 ? Interval{a.lo / by, a.hi / by} : Interval{a.hi / by, a.lo / by};
}

// What a number of every pair lies in: none where a pair says otherwise.
std::optional<Interval> of_all(const std::vector<Interval>& intervals) {
  Interval out = intervals.front();
  for (const Interval& one : intervals) out = {std::max(out.lo, one.lo), std::min(out.hi, one.hi)};
  return out.lo <= out.hi ? std::optional(out) : std::nullopt;
}

// Numbers of xPos that differ from the declared ones, by the lines of the queries.
class OfXpos {
 public:
  OfXpos(const Parameters& parameters, const Rotary& truth, const std::vector<Line>& lines)
      : parameters_(parameters),
        centre_(parameters.real("centre")),
        scale_base_(parameters.real("scale_base")),
        lines_(lines) {
    for (const Pair& pair : truth.pairs)
      logarithms_.push_back(std::log(truth.stretch(pair, centre_ + scale_base_, Role::query)));
  }

  std::vector<Parameters> all() const {
    std::vector<Parameters> out;
    const auto with = [&](const Numbers& numbers, double scale_base, const std::vector<double>& logarithms) {
      if (!numbers.empty()) add(out, numbers);
      const auto at = centre(scale_base, logarithms);
      if (!at) return;
      Numbers more = numbers;
      more.emplace_back("centre", *at);
      add(out, more);
    };
    if (const auto is = scale_base()) with({{"scale_base", *is}}, *is, logarithms_);
    if (const auto is = gamma()) with({{"gamma", *is}}, scale_base_, logarithms_of(*is));
    with({}, scale_base_, logarithms_);
    return out;
  }

  // zeta = (s + gamma) / (1 + gamma), with another number in the place of one of the two gammas.
  std::vector<OtherZeta> zetas() const {
    const double gamma = parameters_.real("gamma");
    std::vector<Interval> added, divisors;
    for (std::size_t i = 0; i < lines_.size(); ++i) {
      const Interval zeta{std::exp(lines_[i].slope.lo * scale_base_),
                          std::exp(lines_[i].slope.hi * scale_base_)};
      added.push_back({zeta.lo * (1 + gamma) - share(i), zeta.hi * (1 + gamma) - share(i)});
      divisors.push_back({(share(i) + gamma) / zeta.hi, (share(i) + gamma) / zeta.lo});
    }
    std::vector<OtherZeta> out;
    if (const auto is = of_all(divisors); is && is->lo > 0 && !is->has(1 + gamma)) {
      const double by = simplest(*is);
      out.push_back({fmt::format("zeta is (2i/r + gamma) / {:.7g}: it is not divided by 1 + gamma, {:.7g}",
                                 by, 1 + gamma),
                     zeta_of(gamma, by)});
    }
    if (const auto is = of_all(added); is && is->lo > 0 && !is->has(gamma)) {
      const double more = simplest(*is);
      out.push_back(
          {fmt::format("zeta is (2i/r + {:.7g}) / (1 + gamma): it is not gamma, {:.7g}, that is added", more,
                       gamma),
           zeta_of(more, 1 + gamma)});
    }
    return out;
  }

 private:
  using Numbers = std::vector<std::pair<std::string, double>>;

  double share(std::size_t i) const { return static_cast<double>(i) / static_cast<double>(lines_.size()); }

  // Of each pair.
  std::vector<double> zeta_of(double added, double divisor) const {
    std::vector<double> out;
    for (std::size_t i = 0; i < lines_.size(); ++i) out.push_back((share(i) + added) / divisor);
    return out;
  }

  // slope = ln zeta / scale_base
  std::optional<double> scale_base() const {
    std::vector<Interval> all;
    for (std::size_t i = 0; i < lines_.size(); ++i)
      if (logarithms_[i] != 0 && lines_[i].slope.lo * lines_[i].slope.hi > 0)
        all.push_back({std::min(logarithms_[i] / lines_[i].slope.lo, logarithms_[i] / lines_[i].slope.hi),
                       std::max(logarithms_[i] / lines_[i].slope.lo, logarithms_[i] / lines_[i].slope.hi)});
    if (all.size() < lines_.size() / 2 || all.empty()) return std::nullopt;
    const auto is = of_all(all);
    return is && is->lo > 0 ? std::optional(simplest(*is)) : std::nullopt;
  }

  // zeta = (s + gamma) / (1 + gamma): gamma = (zeta - s) / (1 - zeta), which rises with zeta
  std::optional<double> gamma() const {
    std::vector<Interval> all;
    for (std::size_t i = 0; i < lines_.size(); ++i) {
      const auto of = [&](double slope) {
        const double zeta = std::exp(slope * scale_base_);
        return (zeta - share(i)) / (1 - zeta);
      };
      if (lines_[i].slope.hi < 0) all.push_back({of(lines_[i].slope.lo), of(lines_[i].slope.hi)});
    }
    if (all.size() < lines_.size() / 2 || all.empty()) return std::nullopt;
    const auto is = of_all(all);
    return is && is->lo > 0 ? std::optional(simplest(*is)) : std::nullopt;
  }

  // Of the zeta of each pair.
  std::vector<double> logarithms_of(double gamma) const {
    std::vector<double> out = zeta_of(gamma, 1 + gamma);
    for (double& zeta : out) zeta = std::log(zeta);
    return out;
  }

  // at_0 = -centre ln zeta / scale_base
  std::optional<double> centre(double scale_base, const std::vector<double>& logarithms) const {
    std::vector<Interval> all;
    for (std::size_t i = 0; i < lines_.size(); ++i)
      if (logarithms[i] != 0) all.push_back(divided(lines_[i].at_0, -logarithms[i] / scale_base));
    const auto is = all.empty() ? std::nullopt : of_all(all);
    return is ? std::optional(is->lo <= 0 && is->hi >= 0 ? 0 : simplest(*is)) : std::nullopt;
  }

  void add(std::vector<Parameters>& out, const Numbers& numbers) const {
    Parameters other = parameters_;
    for (const auto& [name, is] : numbers) other.set(name, is);
    if (!(other == parameters_)) out.push_back(std::move(other));
  }

  const Parameters& parameters_;
  double centre_, scale_base_;
  const std::vector<Line>& lines_;
  std::vector<double> logarithms_;
};

}  // namespace

std::vector<Parameters> measured_stretches(const Rotary& subject, const Rotary& truth,
                                           const Parameters& parameters, const Precision& precision) {
  const auto lines = lines_of_queries(subject, truth, precision);
  return lines ? OfXpos(parameters, truth, *lines).all() : std::vector<Parameters>();
}

std::vector<OtherZeta> measured_zetas(const Rotary& subject, const Rotary& truth,
                                      const Parameters& parameters, const Precision& precision) {
  const auto lines = lines_of_queries(subject, truth, precision);
  return lines ? OfXpos(parameters, truth, *lines).zetas() : std::vector<OtherZeta>();
}

}  // namespace posproof
