#include "diagnosis/ladder_deviations.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>
#include <optional>
#include <utility>

#include "core/axis_bases.h"
#include "core/formats.h"
#include "core/function.h"
#include "diagnosis/measured_words.h"
#include "diagnosis/ramp_deviations.h"

namespace posproof {
namespace {

using Pairs = std::vector<MeasuredFrequency>;
using Sentences = std::vector<std::string>;

constexpr double turn = 2 * std::numbers::pi;

// Of a ratio that is known to so much, the unit that an angle was taken for. Four digits tell the ratios of
// units from others that are as simple.
std::string unit_of(double ratio, double known) {
  constexpr double half_turn = std::numbers::pi, degrees = 180;
  const std::pair<double, const char*> all[] = {{half_turn / degrees, ": its angles are taken for degrees"},
                                                {degrees / half_turn, ": its angles are turned into degrees"},
                                                {turn, ": its angles are taken for turns"},
                                                {1 / turn, ": its angles are turned into turns"},
                                                {half_turn, ": its angles are taken for half turns"}};
  for (const auto& [of, words] : all)
    if (known < 1e-4 && std::abs(ratio / of - 1) <= 2 * known + 1e-9) return words;
  return "";
}

std::optional<Sentences> by_one_factor(const Pairs& pairs) {
  // Of slow pairs, which no factor in use takes past half a turn.
  const MeasuredFrequency& slow = pairs.back();
  if (slow.declared == 0 || slow.measured == 0) return std::nullopt;
  double ratio = slow.measured / slow.declared, known = slow.ratio_error() / std::abs(ratio);
  const auto own = [&ratio](const MeasuredFrequency& pair) {
    const double near = pair.declared * ratio;
    return near + std::remainder(pair.measured - near, turn);
  };
  const auto is_so = [&](const MeasuredFrequency& pair) {
    const double near = pair.declared * ratio;
    return std::abs(own(pair) - near) <=
           std::abs(near) * known + (pair.error + pair.allowed) * std::abs(ratio) + pair.error;
  };
  for (auto pair = pairs.rbegin(); pair != pairs.rend(); ++pair) {
    if (std::abs(pair->declared * ratio) * known > 1 || !is_so(*pair)) return std::nullopt;
    if (pair->ratio_error() / std::abs(ratio) < known) {
      ratio = own(*pair) / pair->declared;
      known = pair->ratio_error() / std::abs(ratio);
    }
  }
  // A ratio that changes from pair to pair by less than each is known by is none of all pairs.
  if (!std::ranges::all_of(pairs, is_so)) return std::nullopt;
  if (known > 0.1 || std::abs(ratio) < 0x1p-52) return std::nullopt;  // they stand still, but for rounding
  if (std::abs(ratio - 1) <= known) return std::nullopt;  // all of them rotate as declared, but for that
  if (std::abs(ratio + 1) <= 2 * known) return Sentences{"every pair rotates backwards"};
  const std::string all = pairs.size() == 1 ? "the pair" : "every pair";
  const std::string of = times(ratio, known);
  const bool simple = of.starts_with("1/") || of == "twice" || of.find('.') == std::string::npos;
  if (pairs.size() == 1 && !simple && std::abs(ratio - 1) >= 1e-3)
    return Sentences{fmt::format("the pair rotates by {} radians a position, up to whole turns, not by {}",
                                 number(slow.measured, slow.error / std::abs(slow.measured)),
                                 number(slow.declared, 1e-6))};
  if (std::abs(ratio - 1) < 1e-3)
    return Sentences{fmt::format("{} rotates too {} by a relative {:.2g}", all, ratio > 1 ? "fast" : "slowly",
                                 std::abs(ratio - 1))};
  return Sentences{fmt::format("{} rotates at {} the declared frequency{}", all, of, unit_of(ratio, known))};
}

// ln w = -(start + step i), as fitted to the pairs at the ends.
struct Line {
  double start, step, start_error, step_error;
};

double relative(const MeasuredFrequency& pair) {
  return (pair.error + pair.allowed) / std::abs(pair.measured);
}

std::optional<Line> geometric(const Pairs& pairs) {
  if (pairs.size() < 2) return std::nullopt;
  double sign = 0;
  for (const MeasuredFrequency& pair : pairs) {
    if (pair.measured == 0 || (sign != 0 && pair.measured * sign < 0)) return std::nullopt;
    sign = pair.measured;
  }
  const auto minus_log = [&](std::size_t i) { return -std::log(std::abs(pairs[i].measured)); };
  const std::size_t last = pairs.size() - 1;
  const auto whole = static_cast<double>(last);
  Line line{minus_log(0), (minus_log(last) - minus_log(0)) / whole, 2 * relative(pairs[0]),
            (relative(pairs[0]) + relative(pairs[last])) / whole};
  for (std::size_t i = 0; i <= last; ++i) {
    const double there = line.start + line.step * static_cast<double>(i);
    if (std::abs(minus_log(i) - there) > relative(pairs[i]) + line.start_error + line.step_error * whole)
      return std::nullopt;
  }
  return line;
}

// What else a base is, that was made from the declared one or with another divisor. `error` is of ln base.
std::string known_as(double log_base, double log_declared, double divisor, double rotated, double error) {
  const double ratio = log_base / log_declared, off = error / log_declared;
  const auto is = [&](double x) { return std::abs(ratio - x) <= 2 * off + 1e-9; };
  if (rotated != divisor && is(divisor / rotated))
    return fmt::format("2i is divided by {:g}, not by {:g}", rotated, divisor);
  if (is(1 / std::numbers::ln10)) return "the logarithm of the base is taken to base 10";
  if (is(1 / std::numbers::ln2)) return "the logarithm of the base is taken to base 2";
  if (is(std::numbers::ln2)) return "2 is raised to the power in the place of e";
  if (is(std::numbers::ln10)) return "10 is raised to the power in the place of e";
  if (is(0.5)) return "the exponent is halved";
  if (is(2)) return "the exponent is doubled";
  const double other = divisor / ratio;
  if (std::abs(other - std::round(other)) <= 2 * off * other + 1e-9 && off * other < 0.05 && other < 1.0e5 &&
      std::round(other) >= 1)
    return fmt::format("2i is divided by {:g}, not by {:g}", std::round(other), divisor);
  return "";
}

// The declared ladder from another exponent on.
std::optional<Sentences> by_another_start(const Pairs& pairs, const Parameters& parameters, double divisor) {
  const auto line = pairs.size() < 3 ? std::nullopt : geometric(pairs);
  if (!line || line->step <= 0) return std::nullopt;
  const double step = 2 * std::log(parameters.real("base")) / divisor;
  if (std::abs(line->step - step) > 2 * line->step_error) return std::nullopt;
  const double ahead = 2 * line->start / line->step,
               off = 4 * (line->start_error + line->step_error) / line->step, whole = std::round(ahead);
  if (whole == 0 || std::abs(ahead - whole) > off + 1e-9 || off > 0.1 || std::abs(whole) > 8)
    return std::nullopt;
  // Positions that are divided by a whole number do the same.
  const double ratio = std::exp(step * whole / 2), simple = std::round(std::max(ratio, 1 / ratio));
  const bool is_simple = simple <= 64 && std::abs(std::max(ratio, 1 / ratio) / simple - 1) < 1e-9;
  const std::string also = !is_simple  ? ""
                           : ratio > 1 ? fmt::format(": 1/{:g} of those", simple)
                                       : fmt::format(": {:g} times those", simple);
  return Sentences{fmt::format("frequencies are base^(-(2i {} {:g})/{:g}), not base^(-2i/{:g}){}",
                               whole > 0 ? "+" : "-", std::abs(whole), divisor, divisor, also)};
}

std::optional<Line> declared_line(Pairs pairs) {
  for (MeasuredFrequency& pair : pairs) pair.measured = pair.declared, pair.error = 0;
  return geometric(pairs);
}

// ln of the declared base; where that is scaled (NTK), of the one that the declared pairs have.
double log_base_of(const Pairs& pairs, const Parameters& parameters, double divisor) {
  const double given = std::log(parameters.real("base"));
  const auto line = declared_line(pairs);
  if (!line) return given;
  const double own = line->step * divisor / 2;
  const double error = line->step_error * divisor;
  // Of one declared pair there is no ratio: those past it count as it does.
  return std::abs(own - given) <= error || std::abs(own) <= error ? given : own;
}

// Of NTK's base, the power of the factor that it is multiplied by: d/(d-2) of d channels. `error` is of ln
// base.
std::string growth_of(double log_base, double error, const Parameters& parameters) {
  if (parameters.find("scaling") == nullptr || parameters.word("scaling") != "ntk") return "";
  const double factor = parameters.real("factor");
  if (factor <= 1) return "";
  const double power = (log_base - std::log(parameters.real("base"))) / std::log(factor),
               off = 2 * error / std::log(factor) + 1e-9;
  if (std::abs(power - 1) <= off)
    return off < 1e-4 ? fmt::format("it is multiplied by {:g} itself, without a power", factor) : "";
  const double channels = 2 * power / (power - 1), unsure = 2 * off / ((power - 1) * (power - 1)),
               whole = std::round(channels);
  if (whole < 4 || unsure > 0.1 || std::abs(channels - whole) > unsure) return "";
  return fmt::format("it is multiplied by {:g}^({:g}/{:g}), as of {:g} channels", factor, whole, whole - 2,
                     whole);
}

// Another base or another divisor.
std::optional<Sentences> by_another_ladder(const Pairs& pairs, const Parameters& parameters, double divisor) {
  const auto line = geometric(pairs);
  if (!line) return std::nullopt;
  const double declared = log_base_of(pairs, parameters, divisor);
  const double log_base = line->step * divisor / 2, error = line->step_error * divisor / 2;
  const bool same_base = std::abs(log_base - declared) <= 2 * error;
  const double start_error = 2 * line->start_error + 1e-9;
  const bool from_one = std::abs(line->start) <= start_error;
  const auto right = declared_line(pairs);
  const bool same_start = right && std::abs(line->start - right->start) <= start_error;
  if (same_base) return std::nullopt;
  if (std::abs(line->step) <= 2 * line->step_error)
    return Sentences{fmt::format("every pair rotates at one frequency, {} a position",
                                 number(std::exp(-line->start), line->start_error))};
  const double base = std::exp(log_base);
  const std::string factor = from_one ? "" : number(std::exp(-line->start), line->start_error) + " times ";
  const auto [known, ought] = told_apart(base, error, std::exp(declared), 0);
  constexpr double few_digits = 1e-3;  // as of 16 bits: the number itself need not be the base
  std::string out = fmt::format("frequencies are {}base^(-2i/{:g}) with base {}{}, not {}", factor, divisor,
                                error > few_digits ? "about " : "", known, ought);
  if (const std::string as =
          known_as(log_base, declared, divisor, 2 * static_cast<double>(pairs.size()), error);
      !as.empty() && (from_one || same_start))
    out += ": " + as;
  else if (const std::string grown = growth_of(log_base, error, parameters); from_one && !grown.empty())
    out += ": " + grown;
  return Sentences{out};
}

// ---- pairs in each other's place

std::optional<Sentences> by_other_pairs(const Pairs& pairs) {
  const std::size_t n = pairs.size();
  if (n < 3) return std::nullopt;
  struct {
    Function<std::size_t(std::size_t)> other;
    const char* words;
  } const maps[] = {
      {[n](std::size_t i) { return n - 1 - i; },
       "the frequencies stand in reverse order: pair i has that of pair {last} - i"},
      {[](std::size_t) { return std::size_t{0}; }, "every pair rotates at the frequency of pair 0"},
      {[n](std::size_t) { return n - 1; }, "every pair rotates at the frequency of the last pair"},
      {[](std::size_t i) { return i / 2; }, "pair i rotates at the frequency of pair floor(i/2)"},
      {[n](std::size_t i) { return std::min(2 * i, n - 1); }, "pair i rotates at the frequency of pair 2i"},
      {[n](std::size_t i) { return 2 * i % n; }, "pair i rotates at the frequency of pair 2i mod {count}"},
      {[n](std::size_t i) { return i % (n / 2); }, "pair i rotates at the frequency of pair i mod {half}"},
      {[n](std::size_t i) { return (i + 1) % n; },
       "pair i rotates at the frequency of pair i + 1, the last at that of pair 0"},
      {[n](std::size_t i) { return (i + n - 1) % n; },
       "pair i rotates at the frequency of pair i - 1, the first at that of the last"},
      {[n](std::size_t i) { return std::min(i + 1, n - 1); },
       "pair i rotates at the frequency of pair i + 1, the last at its own"},
      {[](std::size_t i) { return i == 0 ? 0 : i - 1; },
       "pair i rotates at the frequency of pair i - 1, the first at its own"},
  };
  // Of two ladders in a row, the second begun a pair late: the first went on for one.
  const double next = pairs[n - 2].declared == 0
                          ? 0
                          : pairs[n - 1].declared * (pairs[n - 1].declared / pairs[n - 2].declared);
  bool late = next != 0 && pairs.front().is_at(next);
  for (std::size_t i = 1; i < n && late; ++i) late = pairs[i].is_at(pairs[i - 1].declared);
  if (late)
    return Sentences{
        "the ladder begins one pair late: pair i rotates at the frequency of pair i - 1, the first at that "
        "which would come behind the last"};
  for (const auto& map : maps) {
    bool all = true;
    for (std::size_t i = 0; i < n; ++i) {
      const MeasuredFrequency& there = pairs[map.other(i)];
      all = all && turned_apart(pairs[i].measured, there.declared) <= pairs[i].error + there.allowed;
    }
    if (all)
      return Sentences{fmt::format(fmt::runtime(map.words), fmt::arg("last", n - 1), fmt::arg("count", n),
                                   fmt::arg("half", n / 2))};
  }
  return std::nullopt;
}

// ---- formats

std::string_view format_words(Format format) {
  return format == Format::f16 ? "11 bits, as in f16 or tf32" : name(format);
}

// Of a ladder from another number than 1 on, what multiplies frequencies may come after: a timestep's scale.
std::optional<Sentences> by_rounding(const Pairs& pairs) {
  const double scale = pairs.front().declared;
  for (const double by : {1.0, scale})
    for (const Format format : {Format::f32, Format::f16, Format::bf16}) {
      if (by == 0) continue;
      bool all = true, one = false;
      for (const MeasuredFrequency& pair : pairs) {
        const double rounded = by * nearest(format, pair.declared / by);
        all = all && turned_apart(pair.measured, rounded) <= pair.error + pair.allowed;
        one = one || turned_apart(rounded, pair.declared) > pair.error + pair.allowed;
      }
      if (!all || !one) continue;
      std::string out = fmt::format("frequencies are rounded to {}", format_words(format));
      if (by != 1) out += fmt::format(", before {} multiplies them", number(by, 1e-6));
      return Sentences{out};
    }
  return std::nullopt;
}

// Of a ladder of powers its exponents. What is left of it where it is scaled are no powers of the base.
std::optional<Sentences> by_rounded_exponents(const Pairs& pairs, const Parameters& parameters,
                                              double divisor) {
  const double log_base = std::log(parameters.real("base"));
  for (const Format format : {Format::f16, Format::bf16}) {
    bool all = true, one = false;
    for (std::size_t i = 0; i < pairs.size() && all; ++i) {
      const MeasuredFrequency& pair = pairs[i];
      const double exponent = 2 * static_cast<double>(i) / divisor;
      const double rounded = std::exp(-log_base * nearest(format, exponent));
      all = turned_apart(std::exp(-log_base * exponent), pair.declared) <= pair.allowed &&
            turned_apart(pair.measured, rounded) <= pair.error + pair.allowed * std::max(1.0, rounded);
      one = one || turned_apart(rounded, pair.declared) > pair.error + pair.allowed;
    }
    if (all && one)
      return Sentences{fmt::format("exponents 2i/{:g} are rounded to {}", divisor, format_words(format))};
  }
  return std::nullopt;
}

// ---- pair by pair

std::string at_ratio(const std::vector<std::size_t>& which, double ratio, double known, bool all) {
  const std::string pairs = all ? "every pair" : numbered("pair", which);
  const bool one = all || which.size() == 1;
  if (std::abs(ratio - 1) < 1e-3)
    return fmt::format("{} {} too {} by a relative {:.2g}", pairs, one ? "rotates" : "rotate",
                       ratio > 1 ? "fast" : "slowly", std::abs(ratio - 1));
  if (std::abs(ratio + 1) <= 2 * known)
    return fmt::format("{} {} backwards", pairs, one ? "rotates" : "rotate");
  return fmt::format("{} {} at {} the declared frequency", pairs, one ? "rotates" : "rotate",
                     times(ratio, known));
}

// Some pairs at the frequencies of others: all of one, or each of the pair that stands as many places away.
std::optional<Sentences> by_pairs_elsewhere(const Pairs& pairs) {
  std::vector<std::size_t> which, of;
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    if (!pairs[i].differs()) continue;
    std::optional<std::size_t> there;
    for (std::size_t j = 0; j < pairs.size(); ++j) {
      if (pairs[j].declared == 0 || !pairs[i].is_at(pairs[j].declared)) continue;
      if (there) return std::nullopt;  // it does not tell them apart
      there = j;
    }
    if (!there) return std::nullopt;
    which.push_back(i), of.push_back(*there);
  }
  if (which.empty() || which.size() == pairs.size()) return std::nullopt;
  const std::string all =
      fmt::format("{} {} at the", numbered("pair", which), which.size() == 1 ? "rotates" : "rotate");
  if (std::ranges::count(of, of.front()) == std::ssize(of))
    return Sentences{fmt::format("{} frequency of pair {}", all, of.front())};
  // Numbers wrap around where the first is larger.
  for (std::size_t n = 0; n < which.size(); ++n)
    if (which[n] - of[n] != which[0] - of[0]) return std::nullopt;
  return Sentences{fmt::format("{} frequencies of {}", all, numbered("pair", of))};
}

// Some pairs, on the ladder of another base: each frequency is the same power of the declared one.
std::optional<Sentences> by_another_base_of_some(const Pairs& pairs, const Parameters& parameters,
                                                 double divisor) {
  constexpr std::size_t several = 3;
  constexpr double vague = 1e-2;
  std::vector<std::size_t> which;
  double power = 0, error = 0, least = 0, most = 0;  // the ratios, as far as they are known
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    const MeasuredFrequency& pair = pairs[i];
    if (!pair.differs()) continue;
    if (!(pair.measured > 0) || !(pair.declared > 0) || pair.declared == 1) return std::nullopt;
    const double log = std::log(pair.declared), own = std::log(pair.measured) / log,
                 off = 2 * std::max(1.0, std::abs(own)) *
                       (pair.error / pair.measured + pair.allowed / pair.declared) / std::abs(log);
    if (!which.empty() && std::abs(own - power) > off + error) return std::nullopt;
    if (which.empty() || off < error) power = own, error = off;
    const double ratio = pair.measured / pair.declared, known = 2 * pair.ratio_error() * std::max(1.0, ratio);
    least = which.empty() ? ratio - known : std::max(least, ratio - known);
    most = which.empty() ? ratio + known : std::min(most, ratio + known);
    which.push_back(i);
  }
  if (least <= most) return std::nullopt;  // one factor says it
  const double declared = log_base_of(pairs, parameters, divisor);
  if (which.size() < several || which.size() == pairs.size() || error * declared > vague) return std::nullopt;
  const auto [known, ought] = told_apart(std::exp(power * declared), error * declared, std::exp(declared), 0);
  return Sentences{
      fmt::format("{} have the frequencies of base {}, not {}", numbered("pair", which), known, ought)};
}

// Pairs of one ratio together; those that do not rotate.
Sentences by_runs(const Pairs& pairs) {
  struct Run {
    double ratio, known;
    std::vector<std::size_t> pairs;
  };
  std::vector<std::size_t> still;
  std::vector<Run> runs;
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    if (!pairs[i].differs()) continue;
    if (pairs[i].measured == 0) {
      still.push_back(i);
      continue;
    }
    const double ratio = pairs[i].measured / pairs[i].declared, known = pairs[i].ratio_error();
    const auto same = std::ranges::find_if(runs, [&](const Run& run) {
      return std::abs(run.ratio - ratio) <= 2 * (known + run.known) * std::max(1.0, std::abs(ratio));
    });
    if (same == runs.end())
      runs.push_back({ratio, known, {i}});
    else {
      same->pairs.push_back(i);
      if (known < same->known) same->ratio = ratio, same->known = known;
    }
  }
  Sentences out;
  if (!still.empty())
    out.push_back(still.size() == pairs.size() ? "no pair rotates"
                                               : fmt::format("{} {} not rotate", numbered("pair", still),
                                                             still.size() == 1 ? "does" : "do"));
  constexpr std::size_t most = 3;
  if (runs.size() > most) {
    std::vector<std::size_t> all;
    for (const Run& run : runs) all.insert(all.end(), run.pairs.begin(), run.pairs.end());
    std::ranges::sort(all);
    const std::size_t i = all.front();
    const auto [known, ought] = told_apart(pairs[i].measured, pairs[i].ratio_error(), pairs[i].declared);
    out.push_back(fmt::format("{} rotate at other frequencies: pair {} at {}, not {}", numbered("pair", all),
                              i, known, ought));
    return out;
  }
  for (const Run& run : runs)
    out.push_back(at_ratio(run.pairs, run.ratio, run.known, run.pairs.size() == pairs.size()));
  return out;
}

}  // namespace

double turned_apart(double a, double b) {
  return std::abs(std::remainder(a - b, turn));
}

bool MeasuredFrequency::differs() const {
  return turned_apart(measured, declared) > error + allowed;
}

bool MeasuredFrequency::is_at(double frequency) const {
  const double share = declared == 0 ? 0 : std::abs(frequency / declared);
  return turned_apart(measured, frequency) <= error + allowed * std::max(1.0, share);
}

double MeasuredFrequency::ratio_error() const {
  return (error + allowed) / std::abs(declared);
}

Parameters with_base_of_axis(Parameters parameters, std::size_t axis) {
  const Value* given = parameters.find("bases");
  const auto* bases = given == nullptr ? nullptr : std::get_if<std::vector<double>>(given);
  if (bases != nullptr)
    if (const auto own = base_of_axis(*bases, axis)) parameters.set("base", *own);
  return parameters;
}

std::vector<std::string> ladder_deviations(const std::vector<MeasuredFrequency>& pairs,
                                           const Parameters& parameters, double divisor) {
  if (std::ranges::none_of(pairs, [](const MeasuredFrequency& pair) { return pair.differs(); })) return {};
  if (const auto one = by_another_start(pairs, parameters, divisor)) return *one;
  if (const auto one = by_one_factor(pairs)) return *one;
  if (const auto one = by_rounding(pairs)) return *one;
  if (const auto one = by_rounded_exponents(pairs, parameters, divisor)) return *one;
  if (const auto one = ramp_deviation(pairs, parameters, divisor)) return *one;
  if (const auto one = by_other_pairs(pairs)) return *one;
  if (const auto one = by_another_ladder(pairs, parameters, divisor)) return *one;
  if (const auto one = by_pairs_elsewhere(pairs)) return *one;
  if (const auto one = by_another_base_of_some(pairs, parameters, divisor)) return *one;
  return by_runs(pairs);
}

}  // namespace posproof
