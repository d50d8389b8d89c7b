#include "identify/identified_ladder.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace posproof {
namespace {

constexpr double two_pi = 2 * std::numbers::pi;

// Where released models begin; what is in no interval that was measured costs a comparison.
constexpr std::array common_bases = {10000.0, 500000.0, 1e6, 5e6, 1e7, 1e5, 150000.0, 160000.0, 100.0};
constexpr std::array common_lengths = {2048.0,  4096.0,   8192.0,   16384.0, 32768.0,
                                       65536.0, 131072.0, 262144.0, 1024.0,  512.0};

// The numbers b for which b^(-x) is within the interval of a frequency.
Interval base_of(const Interval& w, double x) {
  return {std::pow(w.hi, -1 / x), std::pow(w.lo, -1 / x)};
}

// A base, and all between which and which it may lie.
struct Base {
  double value;
  Interval within;
};

// The simplest number of the interval, and its middle where that takes many digits.
std::vector<Base> base_from(const MeasuredLadder& ladder, std::span<const double> exponents, double first,
                            double first_error) {
  std::vector<Interval> all;
  for (std::size_t i = 0; i < ladder.frequencies.size(); ++i)
    if (exponents[i] > 0)
      all.push_back(
          base_of(around(ladder.frequencies[i] / first, ladder.errors[i] + first_error), exponents[i]));
  const auto best = most_overlap(all);
  if (!best || !(best->lo > 1)) return {};
  const double simple = simplest(*best), middle = (best->lo + best->hi) / 2;
  if (digits(simple) <= 4) return {{simple, *best}};
  return {{simple, *best}, {middle, *best}};
}

std::vector<Base> bases_of(const MeasuredLadder& ladder, std::span<const double> exponents) {
  std::vector<Base> out;
  if (ladder.frequencies.empty()) return out;
  const auto add = [&](const std::vector<Base>& found) {
    for (const Base& base : found)
      if (std::ranges::find(out, base.value, &Base::value) == out.end()) out.push_back(base);
  };
  add(base_from(ladder, exponents, 1, 0));
  add(base_from(ladder, exponents, ladder.frequencies.front(), ladder.errors.front()));
  return out;
}

// With the pairs' powers of a base: what each frequency is of its power.
class Scaled {
 public:
  Scaled(const MeasuredLadder& ladder, const Base& base, double over)
      : ladder_(ladder), base_(base.value), within_(base.within), over_(over) {
    for (std::size_t i = 0; i < ladder.frequencies.size(); ++i) {
      power_.push_back(std::pow(base_, -2 * static_cast<double>(i) / over));
      share_.push_back(around(ladder.frequencies[i] / power_[i], ladder.errors[i]));
    }
  }

  std::vector<Parameters> all() {
    if (most([](const Interval& share) { return share.has(1); })) {
      add_plain();
    } else if (const auto one = most_overlap(share_);
               one && one->hi < 1 && most([&](const Interval& share) { return meets(share, *one); })) {
      add("linear", of({{"factor", simplest({1 / one->hi, 1 / one->lo})}}));
    } else {
      add_ramps();
      add_divisors();
    }
    return std::move(found_);
  }

 private:
  using Numbers = Parameters;

  static Numbers of(std::initializer_list<std::pair<std::string_view, double>> all) {
    Numbers out;
    for (const auto& [name, value] : all) out.set(name, value);
    return out;
  }
  static Numbers both(Numbers numbers, const Numbers& more) {
    for (const auto& [name, value] : more.fields()) numbers.set(name, value);
    return numbers;
  }

  static bool meets(const Interval& a, const Interval& b) { return a.lo <= b.hi && b.lo <= a.hi; }

  // All but two at most, and but a quarter.
  template <class Predicate>
  bool most(const Predicate& predicate) const {
    const auto not_so = static_cast<std::size_t>(
        std::ranges::count_if(share_, [&](const Interval& share) { return !predicate(share); }));
    return not_so <= std::min<std::size_t>(2, share_.size() / 4);
  }

  void add(const std::string& scaling, const Numbers& numbers) {
    Parameters out = of({{"base", base_}});
    out.set("scaling", scaling);
    found_.push_back(both(std::move(out), numbers));
  }

  Interval amplitude() const { return around(ladder_.amplitude, ladder_.amplitude_error); }

  // ---- every frequency is its power

  void add_plain() {
    if (amplitude().has(1)) {
      add("none", {});
      add_other_bases();
    } else {  // a factor of the rotations alone is that of a scaling by 1
      add("yarn", of({{"factor", 1}, {"attention_factor", simplest(amplitude())}}));
    }
  }

  // The same powers from a base that a factor stretched: a base that is a simple number, and a factor that
  // is.
  void add_other_bases() {
    for (const double base : common_bases) {
      const Interval stretched{within_.lo / base, within_.hi / base};
      const double power = (over_ - 2) / over_;
      const double factor = simplest({std::pow(stretched.lo, power), std::pow(stretched.hi, power)});
      if (!(factor > 1) || digits(factor) > 3) continue;
      Parameters out;
      out.set("base", base);
      out.set("scaling", std::string("ntk"));
      out.set("factor", factor);
      found_.push_back(std::move(out));
    }
  }

  // ---- from the power to a share of it, over some pairs

  // Pairs that keep their frequency, and the first from which on all have the last one's share.
  struct Ramp {
    std::size_t kept, divided;
    double factor;
  };

  std::optional<Ramp> ramp() const {
    const std::size_t n = share_.size();
    if (n < 3 || !share_.front().has(1)) return std::nullopt;
    Ramp out{0, n - 1, 0};
    while (out.kept < n && share_[out.kept].has(1)) ++out.kept;
    if (out.kept == n || out.kept < 2) return std::nullopt;  // the first pair is its power under every base
    Interval last = share_.back();
    while (out.divided > out.kept && meets(share_[out.divided - 1], last)) {
      --out.divided;
      last = {std::max(last.lo, share_[out.divided].lo), std::min(last.hi, share_[out.divided].hi)};
    }
    if (!(last.lo > 0) || last.hi >= 1) return std::nullopt;
    out.factor = simplest({1 / last.hi, 1 / last.lo});
    return out;
  }

  // How much of a pair's frequency is kept, between 0 and 1.
  Interval gamma(std::size_t i, double factor) const {
    const double least = 1 / factor;
    return {(share_[i].lo - least) / (1 - least), (share_[i].hi - least) / (1 - least)};
  }

  void add_ramps() {
    const auto found = ramp();
    if (!found) return;
    const auto with_factor = [&](const Numbers& numbers) {
      return both(of({{"factor", found->factor}}), numbers);
    };
    if (amplitude().has(1))
      for (const auto& [low, high, length] : by_rotations(*found)) {
        add("llama3",
            with_factor(
                of({{"original_length", length}, {"low_freq_factor", low}, {"high_freq_factor", high}})));
        if (low < high)
          add("by_parts",
              with_factor(of({{"original_length", length}, {"beta_slow", low}, {"beta_fast", high}})));
      }
    for (const Numbers& numbers : by_index(*found))
      for (const Numbers& factor : yarn_amplitudes(found->factor))
        add("yarn", with_factor(both(numbers, factor)));
  }

  struct Rotations {
    double low, high, length;
  };

  // Over rotations in the length, the ramp is linear in the power: only the length's ratio to both ends can
  // be told, so the lower end is 1.
  std::vector<Rotations> by_rotations(const Ramp& ramp) const {
    std::vector<Rotations> out;
    if (ramp.divided > ramp.kept + 1) {
      const std::size_t a = ramp.kept, b = ramp.divided - 1;
      const Interval top = gamma(a, ramp.factor), bottom = gamma(b, ramp.factor);
      std::vector<double> ones, zeros;  // powers at which nothing and everything is divided
      for (const double g : {top.lo, top.hi})
        for (const double h : {bottom.lo, bottom.hi}) {
          const double slope = (g - h) / (power_[a] - power_[b]);
          zeros.push_back(power_[b] - h / slope);
          ones.push_back(power_[b] + (1 - h) / slope);
        }
      const auto [zero_lo, zero_hi] = std::ranges::minmax(zeros);
      if (!(zero_lo > 0)) return out;
      for (const double length : lengths({two_pi / zero_hi, two_pi / zero_lo})) {
        const auto [one_lo, one_hi] = std::ranges::minmax(ones);
        const double high = simplest({one_lo * length / two_pi, one_hi * length / two_pi});
        if (high >= 1) out.push_back({1, high, length});
      }
      return out;
    }
    for (const double length : common_lengths)
      for (const double high : {1.0, 2.0, 4.0, 8.0, 32.0})
        if (is_ramp(ramp, [&](std::size_t i) {
              const double rotations = power_[i] * length / two_pi;
              if (high == 1) return rotations < 1 ? 0.0 : 1.0;
              return std::clamp((rotations - 1) / (high - 1), 0.0, 1.0);
            }))
          out.push_back({1, high, length});
    return out;
  }

  template <class Gamma>
  bool is_ramp(const Ramp& ramp, const Gamma& kept) const {
    for (std::size_t i = 0; i < share_.size(); ++i) {
      const Interval there = gamma(i, ramp.factor);
      if (!(kept(i) >= there.lo - 1e-6 && kept(i) <= there.hi + 1e-6)) return false;
    }
    return true;
  }

  // A length that is in common use, else the simplest.
  static std::vector<double> lengths(const Interval& among) {
    std::vector<double> out;
    for (const double length : common_lengths)
      if (among.has(length)) out.push_back(length);
    if (out.empty()) out.push_back(simplest(among));
    return out;
  }

  // The index at which so many rotations are made in the length.
  double index_of(double length, double rotations) const {
    return over_ * std::log(length / (rotations * two_pi)) / (2 * std::log(base_));
  }
  double length_of(double index, double rotations) const {
    return rotations * two_pi * std::pow(base_, 2 * index / over_);
  }

  // Where a ramp over the index begins and ends.
  std::optional<std::pair<Interval, Interval>> ends_by_index(const Ramp& ramp) const {
    if (ramp.divided < ramp.kept + 2) return std::nullopt;
    const std::size_t a = ramp.kept, b = ramp.divided - 1;
    const Interval top = gamma(a, ramp.factor), bottom = gamma(b, ramp.factor);
    std::vector<double> first, last;
    for (const double g : {top.lo, top.hi})
      for (const double h : {bottom.lo, bottom.hi}) {
        const double slope = (h - g) / static_cast<double>(b - a);
        if (!(slope < 0)) return std::nullopt;
        first.push_back(static_cast<double>(a) + (1 - g) / slope);
        last.push_back(static_cast<double>(b) - h / slope);
      }
    const auto [first_lo, first_hi] = std::ranges::minmax(first);
    const auto [last_lo, last_hi] = std::ranges::minmax(last);
    return {{{first_lo, first_hi}, {last_lo, last_hi}}};
  }

  std::vector<Numbers> by_index(const Ramp& ramp) const {
    std::vector<Numbers> out;
    const auto ends = ends_by_index(ramp);
    const auto truncated = [&](double length, double fast, double slow) {
      const double first = std::max(std::floor(index_of(length, fast)), 0.0),
                   last = std::min(std::ceil(index_of(length, slow)), over_ - 1);
      const double end = first == last ? last + 0.001 : last;
      return is_ramp(ramp, [&](std::size_t i) {
        return 1 - std::clamp((static_cast<double>(i) - first) / (end - first), 0.0, 1.0);
      });
    };
    for (const double length : common_lengths)
      if (truncated(length, 32, 1)) out.push_back(of({{"original_length", length}}));
    if (!out.empty() || !ends) return out;
    const auto& [first, last] = *ends;
    // Not rounded: 32 rotations and 1 where a length has both.
    const Interval slow{length_of(last.lo, 1), length_of(last.hi, 1)};
    for (const double length : lengths(slow)) {
      const Interval fast{length / two_pi * std::pow(base_, -2 * first.hi / over_),
                          length / two_pi * std::pow(base_, -2 * first.lo / over_)};
      out.push_back(of({{"original_length", length}, {"beta_fast", fast.has(32) ? 32 : simplest(fast)}}));
      out.back().set("truncate", std::string("false"));
    }
    // Rounded outward: the last is the first whole index behind one rotation.
    const double whole_first = std::round(first.lo + (first.hi - first.lo) / 2),
                 whole_last = std::round(last.lo + (last.hi - last.lo) / 2);
    const double length = simplest({length_of(whole_last - 1 + 1e-6, 1), length_of(whole_last, 1)});
    const double fast =
        simplest({length / two_pi * std::pow(base_, -2 * (whole_first + 1) / over_) * (1 + 1e-9),
                  length / two_pi * std::pow(base_, -2 * whole_first / over_)});
    if (truncated(length, fast, 1)) out.push_back(of({{"original_length", length}, {"beta_fast", fast}}));
    return out;
  }

  // YaRN's attention factor, from its formula or as it is.
  std::vector<Numbers> yarn_amplitudes(double factor) const {
    const auto is = [&](double mscale, double all_dim) {
      const double tenth = 0.1 * std::log(factor);
      return amplitude().has((mscale * tenth + 1) / (all_dim * tenth + 1));
    };
    if (is(1, 0)) return {{}};
    std::vector<Numbers> out;
    for (const double mscale : {1.0, 0.707, 0.5})
      for (const double all_dim : {0.0, 1.0, 0.707, 0.5})
        if (mscale != all_dim && is(mscale, all_dim))
          out.push_back(of({{"mscale", mscale}, {"mscale_all_dim", all_dim}}));
    if (amplitude().has(1)) out.push_back(of({{"attention_factor", 1}}));
    if (out.empty()) out.push_back(of({{"attention_factor", simplest(amplitude())}}));
    return out;
  }

  // ---- each frequency divided by a number of its own

  // Numbers that somebody wrote down have fewer digits than a measurement: one fewer a pair, on average.
  void add_divisors() {
    if (!falls()) return;
    std::vector<double> divisors;
    double spared = 0;
    for (const Interval& share : share_) {
      if (!(share.lo > 0)) return;
      const Interval among{1 / share.hi, 1 / share.lo};
      divisors.push_back(simplest(among));
      const double known = -std::log10(std::max((among.hi - among.lo) / among.hi, 1e-16));
      spared += known - digits(divisors.back());
    }
    const auto n = static_cast<double>(divisors.size());
    if (!(spared >= n) || divisors.empty()) return;
    while (divisors.size() > 1 && divisors.back() == divisors[divisors.size() - 2]) divisors.pop_back();
    for (Numbers& numbers : longrope_amplitudes()) {
      numbers.set("factors", divisors);
      add("longrope", numbers);
    }
  }

  // Pairs of several ladders side by side, or of one that stands there twice, are not those of one with
  // divisors.
  bool falls() const {
    for (std::size_t i = 1; i < ladder_.frequencies.size(); ++i)
      if (around(ladder_.frequencies[i], ladder_.errors[i]).lo >
          around(ladder_.frequencies[i - 1], ladder_.errors[i - 1]).hi)
        return false;
    return true;
  }

  std::vector<Numbers> longrope_amplitudes() const {
    std::vector<Numbers> out;
    for (const double length : common_lengths)
      for (const double factor : {2.0, 4.0, 8.0, 16.0, 32.0, 64.0})
        if (amplitude().has(std::sqrt(1 + std::log(factor) / std::log(length))))
          out.push_back(of({{"factor", factor}, {"original_length", length}}));
    if (out.empty()) out.push_back(of({{"attention_factor", simplest(amplitude())}}));
    return out;
  }

  const MeasuredLadder& ladder_;
  double base_;
  Interval within_;
  double over_;
  std::vector<double> power_;
  std::vector<Interval> share_;
  std::vector<Parameters> found_;
};

}  // namespace

std::vector<double> bases(const MeasuredLadder& ladder, std::span<const double> exponents) {
  std::vector<double> out;
  for (const Base& base : bases_of(ladder, exponents)) out.push_back(base.value);
  return out;
}

std::vector<Parameters> scaled_ladders(const MeasuredLadder& ladder, std::size_t over) {
  std::vector<double> exponents;
  for (std::size_t i = 0; i < ladder.frequencies.size(); ++i)
    exponents.push_back(2 * static_cast<double>(i) / static_cast<double>(over));
  std::vector<Base> all = bases_of(ladder, exponents);
  for (const double base : common_bases)
    if (std::ranges::find(all, base, &Base::value) == all.end()) all.push_back({base, around(base, 2e-6)});
  std::vector<Parameters> out;
  for (const Base& base : all)
    for (Parameters& one : Scaled(ladder, base, static_cast<double>(over)).all())
      if (std::ranges::find(out, one) == out.end()) out.push_back(std::move(one));
  return out;
}

}  // namespace posproof
