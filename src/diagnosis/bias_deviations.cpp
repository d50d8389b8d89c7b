#include "diagnosis/bias_deviations.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <new>
#include <numeric>
#include <optional>
#include <string>
#include <tuple>

#include "core/error.h"
#include "core/formats.h"
#include "core/function.h"
#include "diagnosis/clipped_formats.h"
#include "diagnosis/measured_columns.h"
#include "diagnosis/measured_words.h"
#include "diagnosis/pair_forms.h"
#include "diagnosis/position_steps.h"
#include "run/narrowed.h"

namespace posproof {
namespace {

// The entry of a head for a query at i and a key at j, as the declared one has it elsewhere.
using Entry = Function<double(std::size_t head, Position i, Position j)>;
// Another entry, made from the declared ones; `queries` and `keys` are those of the call.
struct Asked {
  std::size_t head;
  Position i, j;
  std::size_t row, column;
  const std::vector<Position>&queries, &keys;
};
using Other = Function<double(const Entry& declared, const Asked& asked)>;

std::vector<Position> whole(const Positions& positions) {
  return {positions.begin(), positions.end()};
}

// What rounding may do to the declared entries of which that makes one, where it depends on their positions.
double error_of(const Bias& truth, const Other& other, std::size_t head, Position i, Position j, double entry,
                const Precision& precision) {
  const std::vector<Position> query = {i}, key = {j};
  double worst = 0;
  const auto count = [&](std::size_t of, Position at, Position to, double is) {
    const double from = static_cast<double>(at), there = static_cast<double>(to);
    worst = std::max(worst, truth.error(of, {&from, 1}, {&there, 1}, is, precision));
  };
  count(head, i, j, entry);
  const Entry declared = [&](std::size_t of, Position at, Position to) {
    const Position one[] = {at}, two[] = {to};
    const double is = truth.bias(one, two).data.at(of);
    count(of, at, to, is);
    return is;
  };
  try {
    other(declared, {head, i, j, 0, 0, query, key});
  } catch (const Refusal&) {  // not defined there
  }
  return worst;
}

Encoding made(const Bias& truth, const Other& other) {
  Bias out = truth;
  if (truth.error)
    out.error = [=](std::size_t head, std::span<const double> query, std::span<const double> key,
                    double entry, const Precision& precision) {
      return error_of(truth, other, head, static_cast<Position>(query[0]), static_cast<Position>(key[0]),
                      entry, precision);
    };
  out.bias = [other, own = truth.bias, heads = truth.heads](const Positions& queries, const Positions& keys) {
    const std::vector<Position> i = whole(queries), j = whole(keys);
    Tensor to({heads, i.size(), j.size()});
    const Entry declared = [&own](std::size_t head, Position at, Position key) {
      const Position one[] = {at}, two[] = {key};
      return own(one, two).data.at(head);
    };
    for (std::size_t r = 0; r < to.rows(); ++r)
      for (std::size_t c = 0; c < j.size(); ++c) {
        const std::size_t row = r % i.size();
        to.at(r, c) = other(declared, {r / i.size(), i[row], j[c], row, c, i, j});
      }
    return to;
  };
  return out;
}

class Measuring {
 public:
  Measuring(const Bias& subject, const Bias& truth, const Parameters& parameters, const Precision& precision)
      : subject_(subject),
        truth_(truth),
        parameters_(parameters),
        precision_(precision),
        domain_(overlap(subject.positions, truth.positions)) {}

  std::vector<Deviation> all() {
    std::vector<Deviation> out;
    attempt(out, [&] { return by_heads(); });
    attempt(out, [&] { return by_shape(); });
    attempt(out, [&] { return by_side(); });
    attempt(out, [&] { return by_distance(); });
    attempt(out, [&] { return by_window(); });
    attempt(out, [&] { return by_modulo(); });
    attempt(out, [&] { return by_limit(domain_.lo); });
    attempt(out, [&] { return by_limit(domain_.hi); });
    attempt(out, [&] { return at_0(); });
    attempt(out, [&]() -> std::optional<Deviation> {
      for (Deviation& one : by_steps()) out.push_back(std::move(one));
      return std::nullopt;
    });
    for (const auto& [words, other] : forms()) out.push_back({{words}, made(truth_, other), true});
    return out;
  }

 private:
  static void attempt(std::vector<Deviation>& out, const Function<std::optional<Deviation>()>& one) {
    try {
      if (auto found = one()) out.push_back(std::move(*found));
    } catch (const std::bad_alloc&) {
      throw;
    } catch (const std::exception&) {  // declined, died, another shape
    }
  }

  Tensor entries(const Bias& bias, const std::vector<Position>& i, const std::vector<Position>& j) const {
    Tensor out = bias.bias(i, j);
    if (out.shape != Shape{truth_.heads, i.size(), j.size()}) throw std::runtime_error("another shape");
    return out;
  }

  // Near positions, in sequence.
  std::vector<Position> near() const {
    std::vector<Position> out(static_cast<std::size_t>(std::min<Position>(24, domain_.hi - domain_.lo + 1)));
    std::iota(out.begin(), out.end(), domain_.lo);
    return out;
  }

  // ---- heads that are others

  std::optional<Deviation> by_heads() const {
    const auto at = near();
    const Tensor is = entries(subject_, at, at), ought = entries(truth_, at, at);
    Entries values, declared, allowed;
    for (std::size_t i = 0; i < at.size(); ++i)
      for (std::size_t j = 0; j < at.size(); ++j) {
        if (truth_.causal && j > i) continue;
        values.emplace_back(), declared.emplace_back(), allowed.emplace_back();
        for (std::size_t h = 0; h < truth_.heads; ++h) {
          const std::size_t row = h * at.size() + i;
          // Where a constant on a row does not matter, rows count from their first entry.
          const double own = truth_.modulo_rows ? is.at(row, 0) : 0,
                       from = truth_.modulo_rows ? ought.at(row, 0) : 0;
          const double right = ought.at(row, j) - from,
                       size = std::max({std::abs(ought.at(row, j)), std::abs(from), std::abs(own)});
          values.back().push_back(is.at(row, j) - own);
          declared.back().push_back(right);
          allowed.back().push_back(bias_error(precision_, truth_.modulo_rows ? 2 * size : right, truth_, h));
        }
      }
    const auto heads = measured_columns(values, declared, allowed);
    if (!heads) return std::nullopt;
    auto said = by_slopes(*heads);
    if (said.empty()) said = column_deviations(*heads, "head", truth_.slopes.empty() ? "entry" : "slope", 1);
    if (said.empty()) return std::nullopt;
    return Deviation{said, made(truth_, [own = *heads](const Entry& entry, const Asked& asked) {
                       const MeasuredColumn& head = own[asked.head];
                       return head.factor == 0 ? 0 : head.factor * entry(head.of, asked.i, asked.j);
                     })};
  }

  // As a rule for all heads.
  std::vector<std::string> by_slopes(const std::vector<MeasuredColumn>& heads) const {
    if (truth_.slopes.size() != heads.size()) return {};
    std::vector<double> is;
    bool same = true, mirrored = true, of_one_factor = true;
    for (std::size_t h = 0; h < heads.size(); ++h) {
      is.push_back(heads[h].factor * truth_.slopes[heads[h].of]);
      same = same && std::abs(is[h] / truth_.slopes[h] - 1) < tolerance(h);
      mirrored = mirrored && std::abs(is[h] / truth_.slopes[h] + 1) < tolerance(h);
      of_one_factor =
          of_one_factor && std::abs(is[h] / truth_.slopes[h] / (is[0] / truth_.slopes[0]) - 1) < tolerance(h);
    }
    if (same) return {};
    if (mirrored) return {"the bias has the wrong sign: distant keys are favoured"};
    if (std::ranges::any_of(is, [](double m) { return m <= 0; })) return {};
    const auto count = static_cast<double>(is.size());
    const double most = parameters_.find("max_bias") != nullptr ? parameters_.real("max_bias") : 8;
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
      if (all([&](double h) { return std::exp2(-most * (std::fmod(h, each) + 1) / each); }))
        return {
            fmt::format("slopes are those of {0} heads, again for each {0}: as {1} ranks make them that "
                        "have {0} heads each",
                        own, ranks)};
      if (all([&](double h) { return truth_.slopes[static_cast<std::size_t>(h) % own]; }))
        return {
            fmt::format("every {0} heads have the slopes of the first {0}: as {1} ranks take them that have "
                        "{0} heads each",
                        own, ranks)};
    }
    if (const std::string formats = formats_of(is); !formats.empty())
      return {"slopes are rounded to " + formats};
    if (of_one_factor)
      return {fmt::format("every slope is {} the declared one", times(is[0] / truth_.slopes[0], 1e-6))};
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
    if (is.size() > 16 || moved.size() == 1 || moved.size() == 2) return {};
    if (all([&](double h) {
          return std::pow(truth_.slopes[static_cast<std::size_t>(h)],
                          std::log(is[0]) / std::log(truth_.slopes[0]));
        }))
      return {};  // another number of the rule, which a setting says
    std::vector<std::string> known, ought;
    for (std::size_t h = 0; h < is.size(); ++h)
      known.push_back(number(is[h], 1e-6)), ought.push_back(number(truth_.slopes[h], 1e-6));
    for (std::size_t h = 0; known == ought && h < is.size(); ++h)
      std::tie(known[h], ought[h]) = told_apart(is[h], 1e-6, truth_.slopes[h]);
    return {fmt::format("slopes are {}, not {}", fmt::join(known, ", "), fmt::join(ought, ", "))};
  }

  // The formats in which the declared slopes are these: several where they have few digits.
  std::string formats_of(const std::vector<double>& is) const {
    const std::pair<const char*, double (*)(double)> formats[] = {
        {"f32", &to_f32}, {"bf16", &to_bf16}, {"f16", &to_f16}};
    std::string out;
    for (const auto& [name, rounded] : formats) {
      bool all = true, differs = false;
      for (std::size_t h = 0; h < is.size(); ++h) {
        const double kept = rounded(truth_.slopes[h]);
        all = all && std::abs(is[h] / kept - 1) < tolerance(h);
        differs = differs || std::abs(kept / truth_.slopes[h] - 1) >= tolerance(h);
      }
      if (all && differs) out += (out.empty() ? "" : " or ") + std::string(name);
    }
    return out;
  }

  // The declared slopes, from the largest to the smallest or the other way.
  std::string order_of(const std::vector<double>& is) const {
    std::vector<double> sorted = truth_.slopes;
    std::ranges::sort(sorted);
    const auto are = [&](bool rising) {
      for (std::size_t h = 0; h < is.size(); ++h)
        if (std::abs(is[h] / sorted[rising ? h : is.size() - 1 - h] - 1) >= tolerance(h)) return false;
      return true;
    };
    if (are(false)) return "heads have the declared slopes in falling order";
    const bool fall = std::ranges::is_sorted(truth_.slopes, std::greater<>());
    if (are(true))
      return fmt::format("heads have the declared slopes in {} order", fall ? "reverse" : "rising");
    return "";
  }

  // Of the official rule, whose slopes past the largest power of 2, p, are every second of 2^(-8 k / 2p): k =
  // 1, 3, 5, ..
  std::string rule_past_a_power_of_2(const std::vector<double>& is) const {
    std::size_t p = 1;
    while (2 * p <= is.size()) p *= 2;
    if (p == is.size() || parameters_.find("rule") == nullptr || parameters_.word("rule") != "official")
      return "";
    const auto last = static_cast<double>(p);
    const double most = parameters_.real("max_bias");
    const auto all = [&](std::size_t from, const Function<double(double)>& power) {
      for (std::size_t h = 0; h < is.size(); ++h) {
        const double ought =
            h < from ? truth_.slopes[h] : std::exp2(-most * power(static_cast<double>(h - from)));
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

  double tolerance(std::size_t head) const { return 8 * bias_error(precision_, 1, truth_, head) + 1e-12; }

  // ---- another function of the distance

  // Of a slope times the distance: what stands for the distance.
  std::optional<Deviation> by_shape() const {
    if (truth_.slopes.empty()) return std::nullopt;
    std::vector<Position> distances = {0, 1, 2, 3, 4, 5, 7, 12, 16, 33, 100};
    const Position far = std::min<Position>(100, domain_.hi - domain_.lo);
    std::erase_if(distances, [&](Position d) { return d > far; });
    std::vector<Position> keys;
    for (const Position d : distances) keys.push_back(domain_.lo + far - d);
    const Tensor is = entries(subject_, {domain_.lo + far}, keys),
                 ought = entries(truth_, {domain_.lo + far}, keys);
    if (distances.size() < 5) return std::nullopt;
    const double power = std::log2(is.at(0, 2) / is.at(0, 1));
    const std::vector<std::pair<std::string, Function<double(double)>>> shapes = {
        {"the square root of the distance stands for the distance", [](double d) { return std::sqrt(d); }},
        {"ln(1 + distance) stands for the distance", [](double d) { return std::log1p(d); }},
        {"log2(1 + distance) stands for the distance", [](double d) { return std::log2(1 + d); }},
        {fmt::format("the distance to the power {} stands for the distance", number(power, 1e-5)),
         [power](double d) { return std::pow(d, power); }}};
    for (const auto& [words, shape] : shapes) {
      bool all = true, differs = false;  // from the declared distance: else it explains nothing
      for (std::size_t h = 0; h < truth_.heads && all; ++h)
        for (std::size_t n = 0; n < distances.size() && all; ++n) {
          const double d = static_cast<double>(distances[n]),
                       entry = d == 0 ? ought.at(h, n) : ought.at(h, n) / d * shape(d);
          // The function is rounded, too.
          const double error = 4 * bias_error(precision_, entry, truth_, h);
          all = std::abs(is.at(h, n) - entry) <= error;
          differs = differs || std::abs(ought.at(h, n) - entry) > error;
        }
      if (all && differs)
        return Deviation{{words}, made(truth_, [shape = shape](const Entry& entry, const Asked& asked) {
                           const double d = std::abs(static_cast<double>(asked.i - asked.j));
                           return (d == 0 ? 1 : shape(d) / d) * entry(asked.head, asked.i, asked.j);
                         })};
    }
    return std::nullopt;
  }

  // Of keys after the query another multiple than of those before it.
  std::optional<Deviation> by_side() const {
    if (truth_.causal) return std::nullopt;
    const auto at = near();
    const Tensor is = entries(subject_, at, at), ought = entries(truth_, at, at);
    std::optional<double> by;
    for (std::size_t h = 0; h < truth_.heads; ++h)
      for (std::size_t i = 0; i < at.size(); ++i)
        for (std::size_t j = i + 1; j < at.size(); ++j) {
          const double right = ought.at(h * at.size() + i, j),
                       error = bias_error(precision_, right, truth_, h);
          if (right == 0) continue;
          const double ratio = is.at(h * at.size() + i, j) / right;
          if (!std::isfinite(ratio) || (by && std::abs(ratio - *by) > 4 * error / std::abs(right)))
            return std::nullopt;
          if (!by) by = std::abs(ratio + 1) <= 4 * error / std::abs(right) ? -1 : ratio;
        }
    if (!by || *by == 0 || std::abs(*by - 1) < 1e-6) return std::nullopt;  // none is a form of its own
    const std::string words =
        *by == -1 ? "the bias of keys after the query has the wrong sign"
                  : fmt::format("the bias of keys after the query is {} the declared one", times(*by, 1e-6));
    return Deviation{{words}, made(truth_, [factor = *by](const Entry& entry, const Asked& asked) {
                       return (asked.j > asked.i ? factor : 1) * entry(asked.head, asked.i, asked.j);
                     })};
  }

  // ---- from a distance on

  // The first distance to an earlier key whose entry is another, of the farthest query.
  std::optional<Position> first_wrong() const {
    const Position i = domain_.hi;
    std::vector<Position> distances = {0};
    for (Position d = 1; d < i - domain_.lo; d *= 2) distances.push_back(d);
    distances.push_back(i - domain_.lo);
    while (true) {
      std::vector<Position> keys;
      for (const Position d : distances) keys.push_back(i - d);
      const Tensor is = entries(subject_, {i}, keys), ought = entries(truth_, {i}, keys);
      std::size_t n = 0;
      const auto right = [&](std::size_t at) {
        for (std::size_t h = 0; h < truth_.heads; ++h) {
          const double entry = ought.at(h, at);
          if (!(std::abs(is.at(h, at) - entry) <= bias_error(precision_, entry, truth_, h))) return false;
        }
        return true;
      };
      while (n < distances.size() && right(n)) ++n;
      if (n == 0 || n == distances.size()) return std::nullopt;
      const Position below = distances[n - 1], first = distances[n];
      if (first - below <= 1) return first;
      distances.clear();
      for (Position part = 0; part <= 48; ++part) distances.push_back(below + (first - below) * part / 48);
      distances.erase(std::unique(distances.begin(), distances.end()), distances.end());
    }
  }

  std::optional<Deviation> by_distance() const {
    const auto wrong = first_wrong();
    if (!wrong) return std::nullopt;
    const Position last = *wrong - 1;
    return Deviation{{fmt::format("distances past {0} count as {0}", last)},
                     made(truth_, [last](const Entry& entry, const Asked& asked) {
                       const Position past = asked.i - asked.j;
                       const Position held = std::clamp(past, -last, last);
                       return entry(asked.head, asked.i, asked.i - held);
                     })};
  }

  // One number on all keys that are farther away.
  std::optional<Deviation> by_window() const {
    const auto wrong = first_wrong();
    if (!wrong) return std::nullopt;
    const Tensor there = entries(subject_, {domain_.hi}, {domain_.hi - *wrong});
    const double is = there.data.front();
    if (std::ranges::any_of(there.data, [is](double entry) { return entry != is; })) return std::nullopt;
    const Position last = *wrong - 1;
    return Deviation{
        {fmt::format("keys more than {} before the query have the bias {}", last,
                     std::isinf(is) ? (is < 0 ? "minus infinity" : "infinity") : number(is, 1e-6))},
        made(truth_, [last, is](const Entry& entry, const Asked& asked) {
          return asked.i - asked.j > last ? is : entry(asked.head, asked.i, asked.j);
        })};
  }

  std::optional<Deviation> by_modulo() const {
    const auto wrong = first_wrong();
    if (!wrong || *wrong < 2) return std::nullopt;
    return Deviation{{fmt::format("distances are taken modulo {}", *wrong)},
                     made(truth_, [n = *wrong](const Entry& entry, const Asked& asked) {
                       return entry(asked.head, asked.i, asked.i - (asked.i - asked.j) % n);
                     })};
  }

  // What no entry is beyond, of every head: that of the farthest key, or of the query's own.
  std::optional<Deviation> by_limit(Position key) const {
    const Tensor there = entries(subject_, {domain_.hi}, {key}), ought = entries(truth_, {domain_.hi}, {key});
    const double limit = there.data.front();
    if (!std::isfinite(limit) ||
        std::ranges::any_of(there.data, [=](double entry) { return entry != limit; }))
      return std::nullopt;
    if (ought.data == there.data) return std::nullopt;  // as declared: it limits nothing
    const bool least = ought.data.front() < limit;
    const std::string is = number(limit, 1e-6);
    return Deviation{{fmt::format("entries {} {} are {}", least ? "below" : "above", is, is)},
                     made(truth_, [limit, least](const Entry& entry, const Asked& asked) {
                       const double own = entry(asked.head, asked.i, asked.j);
                       return least ? std::max(own, limit) : std::min(own, limit);
                     })};
  }

  // One number on the query's own key.
  std::optional<Deviation> at_0() const {
    const Tensor there = entries(subject_, {domain_.hi}, {domain_.hi}),
                 ought = entries(truth_, {domain_.hi}, {domain_.hi});
    const double is = there.data.front();
    if (!std::isfinite(is) || std::ranges::any_of(there.data, [is](double entry) { return entry != is; }) ||
        std::ranges::all_of(ought.data, [is](double entry) { return entry == is; }))
      return std::nullopt;
    return Deviation{{fmt::format("entries at distance 0 are {}", number(is, 1e-6))},
                     made(truth_,
                          [is](const Entry& entry, const Asked& asked) {
                            return asked.i == asked.j ? is : entry(asked.head, asked.i, asked.j);
                          }),
                     true};
  }

  // ---- distances in steps

  // The entries of the farthest query at these distances, all heads of each.
  bool is_at(const Bias& bias, Position distance, const Bias& other, Position there) const {
    const Tensor is = entries(bias, {domain_.hi}, {domain_.hi - distance}),
                 ought = entries(other, {domain_.hi}, {domain_.hi - there});
    for (std::size_t h = 0; h < truth_.heads; ++h)
      if (!(std::abs(is.at(h, 0) - ought.at(h, 0)) <= bias_error(precision_, ought.at(h, 0), truth_, h)))
        return false;
    return true;
  }

  // Of which distances may be multiples: 1 has the entry of 0 up to the first step or its half, or that of a
  // step.
  std::vector<Position> steps() const {
    constexpr Position most = 1024;
    const Position last = std::min(most, domain_.hi - domain_.lo);
    if (last < 2 || is_at(subject_, 1, truth_, 1)) return {};
    const bool as_at_0 = is_at(subject_, 1, subject_, 0);
    for (Position d = 2; d <= last; ++d) {
      if (as_at_0 && !is_at(subject_, d, subject_, 0)) return steps_from(d);
      if (!as_at_0 && is_at(subject_, 1, truth_, d)) return {d};
    }
    return {};
  }

  std::vector<Deviation> by_steps() const {
    std::vector<Deviation> out;
    for (const Position step : steps()) {
      if (step < 2) continue;
      std::vector<StepMap> maps = step_maps(step);
      if (step > 2)
        maps.push_back(
            {fmt::format("divided by {}, rounded towards 0", step), [=](Position d) { return d / step; }});
      for (const StepMap& map : maps)
        out.push_back({{"distances are " + map.words},
                       made(truth_,
                            [to = map.of](const Entry& entry, const Asked& asked) {
                              return entry(asked.head, asked.i, asked.i - to(asked.i - asked.j));
                            }),
                       true});
    }
    return out;
  }

  // ---- other functions of the positions

  static std::vector<std::pair<std::string, Other>> forms() {
    using A = const Asked&;
    using E = const Entry&;
    const auto first = [](A a) { return *std::ranges::min_element(a.keys); };
    std::vector<std::pair<std::string, Other>> out;
    for (const PairForm& form : pair_forms("bias"))
      out.emplace_back(form.words, [to = form.to](E entry, A a) {
        const auto [i, j] = to({a.i, a.j, a.row, a.column, a.queries, a.keys});
        return entry(a.head, i, j);
      });
    // As a factor of the distance, with the sign that it has then; a form of pairs looks where keys stand
    // then.
    const auto times_distance = [](Position (*to)(Position)) -> Other {
      return [to](E entry, A a) {
        const Position d = a.i - a.j;
        const double is = entry(a.head, a.i, a.j);
        return d == 0 ? is : is / static_cast<double>(d) * static_cast<double>(to(d));
      };
    };
    const std::vector<std::pair<std::string, Other>> own = {
        {distances_in_8_bits, times_distance(&in_8_bits)},
        {distances_in_16_bits, times_distance(&in_16_bits)},
        {"later keys have no bias", [](E entry, A a) { return a.j > a.i ? 0 : entry(a.head, a.i, a.j); }},
        {"later keys are masked: their bias is minus infinity",
         [](E entry, A a) {
           return a.j > a.i ? -std::numeric_limits<double>::infinity() : entry(a.head, a.i, a.j);
         }},
        {"distances are rounded to f16: from 2049 on neighbours coincide, and past 65504 they are infinite",
         [](E entry, A a) {
           const double d = to_f16(static_cast<double>(a.i - a.j));
           if (std::isfinite(d)) return entry(a.head, a.i, a.i - static_cast<Position>(d));
           const double one = entry(a.head, 1, 0);
           return one == 0 ? 0 : std::copysign(std::numeric_limits<double>::infinity(), one);
         }},
        {"positions are rounded to f16: from 2049 on neighbours coincide, and past 65504 they are infinite",
         [](E entry, A a) {
           const double i = to_f16(static_cast<double>(a.i)), j = to_f16(static_cast<double>(a.j));
           if (std::isfinite(i) && std::isfinite(j))
             return entry(a.head, static_cast<Position>(i), static_cast<Position>(j));
           return entry(a.head, 1, 0) * (i - j);
         }},
        {"positions are rounded to f16: from 2049 on neighbours coincide, and past 65504 they count as that",
         [](E entry, A a) {
           const auto in_f16 = [](Position t) {
             return static_cast<Position>(to_f16_at_most(static_cast<double>(t)));
           };
           return entry(a.head, in_f16(a.i), in_f16(a.j));
         }},
        {"the query's own key is masked: its bias is minus infinity",
         [](E entry, A a) {
           return a.j == a.i ? -std::numeric_limits<double>::infinity() : entry(a.head, a.i, a.j);
         }},
        {"distance 0 counts as 1",
         [](E entry, A a) { return entry(a.head, a.i == a.j ? a.i + 1 : a.i, a.j); }},
        {"every entry is divided by the number of keys",
         [](E entry, A a) { return entry(a.head, a.i, a.j) / static_cast<double>(a.keys.size()); }},
        {"where queries and keys are as many, the answer is transposed",
         [](E entry, A a) {
           const bool square = a.queries.size() == a.keys.size();
           return square ? entry(a.head, a.queries[a.column], a.keys[a.row]) : entry(a.head, a.i, a.j);
         }},
        {"the bias depends on the key alone, as of its distance from the first key",
         [first](E entry, A a) { return -entry(a.head, a.j, first(a)); }},
        {"the bias is that of the key's position, with its own sign",
         [](E entry, A a) { return -entry(a.head, a.j, 0); }},
    };
    out.insert(out.end(), own.begin(), own.end());
    return out;
  }

  const Bias& subject_;
  const Bias& truth_;
  const Parameters& parameters_;
  const Precision& precision_;
  Domain domain_;
};

}  // namespace

std::vector<Deviation> bias_deviations(const Bias& subject, const Bias& truth, const Parameters& parameters,
                                       const Precision& precision) {
  const Domain domain = overlap(subject.positions, truth.positions);
  if (truth.heads > 256 || domain.axes != 1 || domain.hi <= domain.lo) return {};
  return Measuring(subject, truth, parameters, precision).all();
}

}  // namespace posproof
