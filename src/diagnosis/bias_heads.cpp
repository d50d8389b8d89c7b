#include "diagnosis/bias_heads.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <string>
#include <tuple>
#include <utility>

#include "catalogue/encodings/alibi.h"
#include "core/error.h"
#include "core/formats.h"
#include "diagnosis/identified_number.h"
#include "diagnosis/measured_columns.h"
#include "diagnosis/measured_words.h"

namespace posproof {
namespace {

class Heads {
 public:
  explicit Heads(const AskedBias& measured) : m_(measured) {}

  std::optional<Deviation> found() const {
    const auto at = near_positions(m_.domain);
    const Tensor is = m_.entries(m_.subject, at, at), ought = m_.entries(m_.truth, at, at);
    Entries values, declared, allowed;
    for (std::size_t i = 0; i < at.size(); ++i)
      for (std::size_t j = 0; j < at.size(); ++j) {
        if (m_.truth.causal && j > i) continue;
        values.emplace_back(), declared.emplace_back(), allowed.emplace_back();
        for (std::size_t h = 0; h < m_.truth.heads; ++h) {
          const std::size_t row = h * at.size() + i;
          // Where a constant on a row does not matter, rows count from their first entry.
          const double own = m_.truth.modulo_rows ? is.at(row, 0) : 0,
                       from = m_.truth.modulo_rows ? ought.at(row, 0) : 0;
          const double right = ought.at(row, j) - from,
                       size = std::max({std::abs(ought.at(row, j)), std::abs(from), std::abs(own)});
          values.back().push_back(is.at(row, j) - own);
          declared.back().push_back(right);
          allowed.back().push_back(m_.truth.modulo_rows
                                       ? m_.error(h, size, at[i], at[j]) + m_.error(h, size, at[i], at[0])
                                       : m_.error(h, right, at[i], at[j]));
        }
      }
    const auto heads = measured_columns(values, declared, allowed);
    if (!heads) return by_factors(values, declared, allowed);
    auto said = by_slopes(*heads);
    if (said.empty()) said = words_of(*heads);
    if (said.empty()) return by_factors(values, declared, allowed);
    return Deviation{said, with_heads(*heads)};
  }

 private:
  std::vector<std::string> words_of(const std::vector<MeasuredColumn>& heads) const {
    return column_deviations(heads, "head", m_.truth.slopes.empty() ? "entry" : "slope", 1);
  }

  Bias with_heads(const std::vector<MeasuredColumn>& heads) const {
    return with_entries(m_.truth, [heads](const BiasEntry& entry, const AskedEntry& asked) {
      const MeasuredColumn& head = heads[asked.head];
      return head.factor == 0 ? 0 : head.factor * entry(head.of, asked.i, asked.j);
    });
  }

  // Factors by less than one entry tells, from all of a head together: each leaves room for some.
  std::optional<Deviation> by_factors(const Entries& values, const Entries& declared,
                                      const Entries& allowed) const {
    constexpr double near_one =
        1e-2;  // what is allowed to a declared entry is, so nearly, to the measured one
    std::vector<MeasuredColumn> heads;
    bool differs = false;
    for (std::size_t h = 0; h < m_.truth.heads; ++h) {
      Interval room{1 - near_one, 1 + near_one};
      for (std::size_t n = 0; n < values.size(); ++n) {
        const double ought = declared[n][h], off = (1 + near_one) * allowed[n][h];
        if (!std::isfinite(values[n][h])) return std::nullopt;
        if (ought == 0) continue;
        const double one = (values[n][h] - off) / ought, other = (values[n][h] + off) / ought;
        room = {std::max(room.lo, std::min(one, other)), std::min(room.hi, std::max(one, other))};
      }
      if (room.lo > room.hi) return std::nullopt;
      const bool same = room.has(1);
      differs = differs || !same;
      heads.push_back({h, same ? 1 : simplest(room)});
    }
    if (!differs) return std::nullopt;
    std::vector<std::string> said = words_of(heads);
    if (said.size() != 1) return std::nullopt;
    return Deviation{std::move(said), with_heads(heads), true};
  }

  // As a rule for all heads.
  std::vector<std::string> by_slopes(const std::vector<MeasuredColumn>& heads) const {
    if (m_.truth.slopes.size() != heads.size()) return {};
    std::vector<double> is;
    bool same = true, mirrored = true, of_one_factor = true;
    for (std::size_t h = 0; h < heads.size(); ++h) {
      is.push_back(heads[h].factor * m_.truth.slopes[heads[h].of]);
      same = same && std::abs(is[h] / m_.truth.slopes[h] - 1) < tolerance(h);
      mirrored = mirrored && std::abs(is[h] / m_.truth.slopes[h] + 1) < tolerance(h);
      of_one_factor = of_one_factor &&
                      std::abs(is[h] / m_.truth.slopes[h] / (is[0] / m_.truth.slopes[0]) - 1) < tolerance(h);
    }
    if (same) return {};
    if (mirrored) return {"the bias has the wrong sign: distant keys are favoured"};
    if (std::ranges::any_of(is, [](double m) { return m <= 0; })) return {};
    const auto count = static_cast<double>(is.size());
    const double most = m_.parameters.find("max_bias") != nullptr ? m_.parameters.real("max_bias") : 8;
    const auto all = [&](const Function<double(double)>& slope) {
      for (std::size_t h = 0; h < is.size(); ++h)
        if (std::abs(is[h] / slope(static_cast<double>(h)) - 1) >= tolerance(h)) return false;
      return true;
    };
    if (all([&](double h) { return std::exp2(-most * (h + 1) / count); }))
      return {fmt::format("slopes are 2^(-{:g} h/{:g}), h = 1 .. {:g}: one geometric sequence", most, count,
                          count)};
    if (all([&](double h) { return std::exp2(-most * h / count); }))
      return {fmt::format("slopes are 2^(-{:g} h/{:g}) with h from 0: the first is 1", most, count)};
    if (const std::string rule = rule_past_a_power_of_2(is); !rule.empty()) return {rule};
    // Heads that are shared out to ranks, of which each takes its own for all there are.
    for (const std::size_t ranks : {2, 4, 8, 16}) {
      const std::size_t own = is.size() / ranks;
      if (own < 2 || own * ranks != is.size()) continue;
      const auto each = static_cast<double>(own);
      const std::vector<double> of_rank = slopes_of(own);
      const auto by_rank = [&](double h) { return of_rank[static_cast<std::size_t>(h) % own]; };
      if ((!of_rank.empty() && all(by_rank)) ||
          all([&](double h) { return std::exp2(-most * (std::fmod(h, each) + 1) / each); }))
        return {
            fmt::format("slopes are those of {0} heads, again for each {0}: as {1} ranks make them that "
                        "have {0} heads each",
                        own, ranks)};
      if (all([&](double h) { return m_.truth.slopes[static_cast<std::size_t>(h) % own]; }))
        return {
            fmt::format("every {0} heads have the slopes of the first {0}: as {1} ranks take them that have "
                        "{0} heads each",
                        own, ranks)};
    }
    if (const std::string shared = shared_by_groups(is); !shared.empty()) return {shared};
    if (const std::string formats = formats_of(is); !formats.empty())
      return {"slopes are rounded to " + formats};
    if (const std::string digits = digits_of(is); !digits.empty())
      return {"slopes are rounded to " + digits + ", as they are printed"};
    if (of_one_factor)
      return {fmt::format("every slope is {} the declared one", times(is[0] / m_.truth.slopes[0], 1e-6))};
    if (const std::string order = order_of(is); !order.empty()) return {order};
    if (all([&](double h) { return (h + 1) / count; }))
      return {fmt::format("slopes are h/{0:g}, h = 1 .. {0:g}", count)};
    const std::vector<std::string> moved = column_deviations(heads, "head", "slope", 1);
    if (moved.size() == 1 &&
        std::ranges::all_of(heads, [](const MeasuredColumn& one) { return one.factor == 1; }))
      return moved;
    if (is.size() < 3) return {};
    const double ratio = std::pow(is.back() / is.front(), 1 / (count - 1));
    if (all([&](double h) { return is.front() * std::pow(ratio, h); }))
      return {fmt::format("slopes are a geometric sequence from {} with ratio {}, to {}",
                          number(is.front(), 1e-6), number(ratio, 1e-6), number(is.back(), 1e-6))};
    if (moved.size() == 1 || moved.size() == 2) return {};
    if (all([&](double h) {
          return std::pow(m_.truth.slopes[static_cast<std::size_t>(h)],
                          std::log(is[0]) / std::log(m_.truth.slopes[0]));
        }))
      return {};  // another number of the rule, which a setting says
    std::vector<std::string> known, ought;
    for (std::size_t h = 0; h < is.size(); ++h)
      known.push_back(number(is[h], 1e-6)), ought.push_back(number(m_.truth.slopes[h], 1e-6));
    for (std::size_t h = 0; known == ought && h < is.size(); ++h)
      std::tie(known[h], ought[h]) = told_apart(is[h], 1e-6, m_.truth.slopes[h]);
    return {fmt::format("slopes are {}, not {}", first_few(known), first_few(ought))};
  }

  // The slopes of the rule for another number of heads; none where another number makes no sense.
  std::vector<double> slopes_of(std::size_t heads) const {
    if (m_.parameters.find("rule") == nullptr) return {};
    Parameters other = m_.parameters;
    other.set("heads", static_cast<double>(heads));
    try {
      return encodings::alibi.make<Bias>(other).slopes;
    } catch (const Refusal&) {
      return {};
    }
  }

  // Of so many neighbouring heads each has the same slope, as where queries share a head of keys.
  std::string shared_by_groups(const std::vector<double>& is) const {
    for (const std::size_t size : {2, 3, 4, 6, 8}) {
      if (is.size() % size != 0 || is.size() == size) continue;
      const auto are = [&](const std::vector<double>& of_group) {
        for (std::size_t h = 0; h < is.size(); ++h)
          if (of_group.empty() || std::abs(is[h] / of_group[h / size] - 1) >= tolerance(h)) return false;
        return true;
      };
      const std::string groups = fmt::format("each {} neighbouring heads have one slope", size);
      if (are(m_.truth.slopes)) return fmt::format("{}: head h that of head floor(h/{})", groups, size);
      if (are(slopes_of(is.size() / size)))
        return fmt::format("{}: those of {} heads", groups, is.size() / size);
    }
    return "";
  }

  static std::string first_few(const std::vector<std::string>& numbers) {
    constexpr std::size_t many = 16;
    if (numbers.size() <= many) return fmt::format("{}", fmt::join(numbers, ", "));
    return fmt::format("{}, ..", fmt::join(numbers.begin(), numbers.begin() + many, ", "));
  }

  // Whether the declared slopes are these when they are rounded, and are others before.
  bool are_rounded(const std::vector<double>& is, const Function<double(double)>& rounded) const {
    bool all = true, differs = false;
    for (std::size_t h = 0; h < is.size(); ++h) {
      const double kept = rounded(m_.truth.slopes[h]);
      all = all && std::abs(is[h] / kept - 1) < tolerance(h);
      differs = differs || std::abs(kept / m_.truth.slopes[h] - 1) >= tolerance(h);
    }
    return all && differs;
  }

  // The formats in which they are these: several where they have few digits.
  std::string formats_of(const std::vector<double>& is) const {
    const std::pair<const char*, double (*)(double)> formats[] = {
        {"f32", &to_f32}, {"bf16", &to_bf16}, {"f16", &to_f16}};
    std::string out;
    for (const auto& [name, rounded] : formats)
      if (are_rounded(is, rounded)) out += (out.empty() ? "" : " or ") + std::string(name);
    return out;
  }

  // The decimal digits with which they are these.
  std::string digits_of(const std::vector<double>& is) const {
    for (int digits = 1; digits <= 6; ++digits) {
      if (are_rounded(is, [=](double m) { return std::stod(fmt::format("{:.{}e}", m, digits - 1)); }))
        return fmt::format("{} significant digit{}", digits, digits == 1 ? "" : "s");
      if (are_rounded(is, [=](double m) { return std::stod(fmt::format("{:.{}f}", m, digits)); }))
        return fmt::format("{} decimal{}", digits, digits == 1 ? "" : "s");
    }
    return "";
  }

  // The declared slopes, from the largest to the smallest or the other way.
  std::string order_of(const std::vector<double>& is) const {
    std::vector<double> sorted = m_.truth.slopes;
    std::ranges::sort(sorted);
    const auto are = [&](bool rising) {
      for (std::size_t h = 0; h < is.size(); ++h)
        if (std::abs(is[h] / sorted[rising ? h : is.size() - 1 - h] - 1) >= tolerance(h)) return false;
      return true;
    };
    if (are(false)) return "heads have the declared slopes in falling order";
    const bool fall = std::ranges::is_sorted(m_.truth.slopes, std::greater<>());
    if (are(true))
      return fmt::format("heads have the declared slopes in {} order", fall ? "reverse" : "rising");
    return "";
  }

  // Of the official rule, whose slopes past the largest power of 2, p, are every second of 2^(-8 k / 2p): k =
  // 1, 3, 5, ..
  std::string rule_past_a_power_of_2(const std::vector<double>& is) const {
    std::size_t p = 1;
    while (2 * p <= is.size()) p *= 2;
    if (p == is.size() || m_.parameters.find("rule") == nullptr || m_.parameters.word("rule") != "official")
      return "";
    const auto last = static_cast<double>(p);
    const double most = m_.parameters.real("max_bias");
    const auto all = [&](std::size_t from, const Function<double(double)>& power) {
      for (std::size_t h = 0; h < is.size(); ++h) {
        const double ought =
            h < from ? m_.truth.slopes[h] : std::exp2(-most * power(static_cast<double>(h - from)));
        if (std::abs(is[h] / ought - 1) >= tolerance(h)) return false;
      }
      return true;
    };
    const std::string past =
        fmt::format("slopes past head {} are 2^(-{:g} k/{}) with k = ", p - 1, most, 2 * p);
    if (all(p, [&](double n) { return (n + 1) / (2 * last); })) return past + "1, 2, 3, .., not 1, 3, 5, ..";
    if (all(p, [&](double n) { return (2 * n + 2) / (2 * last); }))
      return past + "2, 4, 6, .., not 1, 3, 5, ..";
    if (all(p, [&](double n) { return n / last; })) return past + "0, 2, 4, .., not 1, 3, 5, ..";
    if (all(0, [&](double n) { return (n + 1) / (2 * last); }))
      return fmt::format("slopes are the first {} of 2^(-{:g} k/{}), k = 1, 2, 3, ..", is.size(), most,
                         2 * p);
    return "";
  }

  double tolerance(std::size_t head) const { return 8 * bias_error(m_.precision, 1, m_.truth, head) + 1e-12; }

  const AskedBias& m_;
};

}  // namespace

std::optional<Deviation> measured_heads(const AskedBias& measured) {
  return Heads(measured).found();
}

}  // namespace posproof
