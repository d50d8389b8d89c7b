#include "diagnosis/ramp_deviations.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "core/function.h"
#include "diagnosis/measured_words.h"

namespace posproof {
namespace {

using Pairs = std::vector<MeasuredFrequency>;
using Sentences = std::vector<std::string>;

constexpr double turn = 2 * std::numbers::pi;

// The ladder without a scaling.
double plain(const Parameters& parameters, double divisor, std::size_t i) {
  return std::pow(parameters.real("base"), -2 * static_cast<double>(i) / divisor);
}

// How much of a pair's own frequency is kept: 1 all of it, 0 where it is divided by the factor.
std::vector<double> kept(const Pairs& pairs, const Parameters& parameters, double divisor, double factor,
                         bool measured) {
  std::vector<double> out;
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    const double w = measured ? pairs[i].measured : pairs[i].declared;
    out.push_back((std::abs(w) / plain(parameters, divisor, i) * factor - 1) / (factor - 1));
  }
  return out;
}

// Of YaRN's ramp, whether it is that of the extended length, which is the declared one times the factor, or
// that of a base that many programs have written in.
std::string origin_of_ramp(double begin, double end, double digits, const Parameters& parameters,
                           double divisor) {
  for (const char* one : {"beta_fast", "beta_slow", "truncate"})
    if (parameters.find(one) == nullptr) return "";
  if (parameters.word("scaling") != "yarn") return "";
  const bool whole = parameters.word("truncate") == "true";
  const auto is_of = [&](double length, double base) {
    const auto pair_of = [&](const char* rotations) {
      return divisor * std::log(length / (parameters.real(rotations) * turn)) / (2 * std::log(base));
    };
    const double first = pair_of("beta_fast"), last = pair_of("beta_slow"),
                 from = std::max(0.0, whole ? std::floor(first) : first),
                 to = std::min(divisor - 1, whole ? std::ceil(last) : last);
    return std::abs(begin - from) <= digits * divisor && std::abs(end - to) <= digits * divisor;
  };
  const double length = parameters.real("original_length"), base = parameters.real("base");
  if (const double longer = length * parameters.real("factor"); is_of(longer, base))
    return fmt::format(": that of original_length {:g}, the declared one times the factor", longer);
  constexpr double usual = 10000;
  return is_of(length, usual) ? fmt::format(": as with base {:.10g}, not {:.10g}", usual, base) : "";
}

}  // namespace

std::optional<std::vector<std::string>> ramp_deviation(const std::vector<MeasuredFrequency>& pairs,
                                                       const Parameters& parameters, double divisor) {
  const Value* scaling = parameters.find("scaling");
  if (scaling == nullptr) return std::nullopt;
  const std::string& kind = parameters.word("scaling");
  if (kind != "llama3" && kind != "yarn" && kind != "by_parts") return std::nullopt;
  const double factor = parameters.real("factor");
  if (factor <= 1) return std::nullopt;
  bool is_plain = true, is_divided = true;
  std::vector<double> slacks;  // a slow pair's is the whole ramp where its angles are short for the format
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    const double w = std::copysign(plain(parameters, divisor, i), pairs[i].declared);
    is_plain = is_plain && pairs[i].is_at(w);
    is_divided = is_divided && pairs[i].is_at(w / factor);
    slacks.push_back(4 * factor / (factor - 1) * pairs[i].ratio_error());
  }
  const double slack = std::ranges::max(slacks);
  if (is_plain) return Sentences{"frequencies are not scaled"};
  if (is_divided) return Sentences{fmt::format("every frequency is divided by {:g}, without a ramp", factor)};
  const auto is = kept(pairs, parameters, divisor, factor, true),
             ought = kept(pairs, parameters, divisor, factor, false);
  const auto all = [&](const Function<double(std::size_t)>& other) {
    for (std::size_t i = 0; i < is.size(); ++i)
      if (!(std::abs(is[i] - other(i)) <= slacks[i])) return false;
    return true;
  };
  if (all([&](std::size_t i) { return 1 - ought[i]; }))
    return Sentences{"the ramp is reversed: fast pairs are scaled and slow ones kept"};
  // Where it begins and ends.
  const auto inner = [&](const std::vector<double>& g, std::size_t i) {
    return g[i] > 2 * slack && g[i] < 1 - 2 * slack;
  };
  for (std::size_t i = 0; i < is.size(); ++i)
    if (is[i] < -2 * slack || is[i] > 1 + 2 * slack) return std::nullopt;
  std::size_t first = is.size(), last = 0, inside = 0;
  for (std::size_t i = 0; i < is.size(); ++i)
    if (inner(is, i)) first = std::min(first, i), last = i, ++inside;
  if (inside < 3 || last - first + 1 != inside) return std::nullopt;
  const double length = parameters.real("original_length");
  const auto by = [&](const Function<double(std::size_t)>& x) {
    const double slope = (is[last] - is[first]) / (x(last) - x(first));
    for (std::size_t i = first; i <= last; ++i)
      if (std::abs(is[i] - is[first] - slope * (x(i) - x(first))) > 2 * slack) return std::optional<double>();
    return std::optional(slope);
  };
  const auto rotations = [&](std::size_t i) { return length * plain(parameters, divisor, i) / turn; };
  const auto index = [](std::size_t i) { return static_cast<double>(i); };
  const auto wavelength = [&](std::size_t i) { return 1 / rotations(i); };
  const double digits = slack * 8 + 1e-6;
  if (const auto slope = by(rotations); slope && *slope > 0) {
    const double low = rotations(first) - is[first] / *slope, high = low + 1 / *slope;
    const bool llama = kind == "llama3";
    const double from = parameters.real(llama ? "low_freq_factor" : "beta_slow"),
                 to = parameters.real(llama ? "high_freq_factor" : "beta_fast");
    // The ramp is the declared one: what differs lies beside it.
    if (std::abs(low / from - 1) < slack && std::abs(high / to - 1) < slack) return std::nullopt;
    if (std::abs(low / from - 1) < 0.01 && std::abs(high / to - 1) < 0.01)
      return Sentences{
          fmt::format("original_length counts as about {:.4g}, not as {:g}", length * to / high, length)};
    return Sentences{
        fmt::format("the ramp runs from {} to {} rotations in original_length, not from {:g} to {:g}",
                    number(low, digits), number(high, digits), from, to)};
  }
  // Where a ramp over pairs with that slope, which has that share at a pair, begins and ends.
  const auto ends = [&](std::size_t i, double share, double slope) {
    const double begin = index(i) - (1 - share) / -slope;
    return std::pair(begin, begin + 1 / -slope);
  };
  if (const auto slope = by(index); slope && *slope < 0) {
    const auto [begin, end] = ends(first, is[first], *slope);
    const auto [right_begin, right_end] =
        ends(first, ought[first], (ought[last] - ought[first]) / (index(last) - index(first)));
    // The ramp is the declared one: what differs lies beside it.
    if (number(begin, digits) == number(right_begin, digits) &&
        number(end, digits) == number(right_end, digits))
      return std::nullopt;
    return Sentences{fmt::format("the ramp runs from pair {} to pair {}{}", number(begin, digits),
                                 number(end, digits),
                                 origin_of_ramp(begin, end, digits, parameters, divisor))};
  }
  if (const auto slope = by(index))
    return Sentences{"the ramp is reversed: fast pairs are scaled and slow ones kept"};
  if (by(wavelength))
    return Sentences{"the ramp is linear in the wavelength, not in the number of rotations"};
  // How many times longer the wavelength is than without a scaling.
  std::vector<double> longer;
  for (const double g : is) longer.push_back(factor / (1 + (factor - 1) * g));
  const double steps = (longer[last] - longer[first]) / (wavelength(last) - wavelength(first));
  for (std::size_t i = first; i <= last; ++i)
    if (std::abs(longer[i] - longer[first] - steps * (wavelength(i) - wavelength(first))) >
        2 * factor * slack)
      return std::nullopt;
  return Sentences{steps < 0 ? "the ramp blends wavelengths, not frequencies, and is reversed"
                             : "the ramp blends wavelengths, not frequencies"};
}

}  // namespace posproof
