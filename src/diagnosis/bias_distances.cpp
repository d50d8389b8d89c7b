#include "diagnosis/bias_distances.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <exception>
#include <new>
#include <set>
#include <string>
#include <utility>

#include "core/error.h"
#include "diagnosis/lone_position.h"
#include "diagnosis/measured_words.h"
#include "diagnosis/position_effects.h"
#include "diagnosis/position_steps.h"

namespace posproof {
namespace {

class Distances {
 public:
  explicit Distances(const AskedBias& measured) : m_(measured) {}

  std::vector<Deviation> all() const {
    std::vector<Deviation> out;
    add_measured(out, [&] { return by_shape(); });
    add_measured(out, [&] { return by_side(); });
    add_measured(out, [&] { return by_distance(); });
    add_measured(out, [&] { return by_window(); });
    add_measured(out, [&] { return by_modulo(); });
    add_measured(out, [&] { return by_digits(8, "bf16"); });
    add_measured(out, [&] { return by_digits(11, "11 bits, as in f16 or tf32"); });
    add_measured(out, [&] { return by_limit(m_.domain.lo); });
    add_measured(out, [&] { return by_limit(m_.domain.hi); });
    add_measured(out, [&] { return at_0(); });
    add_measured(out, [&]() -> std::optional<Deviation> {
      for (Deviation& one : by_steps()) out.push_back(std::move(one));
      return std::nullopt;
    });
    return out;
  }

 private:
  // Of a slope times the distance: what stands for the distance.
  std::optional<Deviation> by_shape() const {
    if (m_.truth.slopes.empty()) return std::nullopt;
    std::vector<Position> distances = {0, 1, 2, 3, 4, 5, 7, 12, 16, 33, 100};
    const Position far = std::min<Position>(100, m_.domain.hi - m_.domain.lo);
    std::erase_if(distances, [&](Position d) { return d > far; });
    std::vector<Position> keys;
    for (const Position d : distances) keys.push_back(m_.domain.lo + far - d);
    const Tensor is = m_.entries(m_.subject, {m_.domain.lo + far}, keys),
                 ought = m_.entries(m_.truth, {m_.domain.lo + far}, keys);
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
      for (std::size_t h = 0; h < m_.truth.heads && all; ++h)
        for (std::size_t n = 0; n < distances.size() && all; ++n) {
          const double d = static_cast<double>(distances[n]),
                       entry = d == 0 ? ought.at(h, n) : ought.at(h, n) / d * shape(d);
          // The function is rounded, too.
          const double error = 4 * m_.error(h, entry, m_.domain.lo + far, keys[n]);
          all = std::abs(is.at(h, n) - entry) <= error;
          differs = differs || std::abs(ought.at(h, n) - entry) > error;
        }
      if (all && differs)
        return Deviation{
            {words}, with_entries(m_.truth, [shape = shape](const BiasEntry& entry, const AskedEntry& asked) {
              const double d = std::abs(static_cast<double>(asked.i - asked.j));
              return (d == 0 ? 1 : shape(d) / d) * entry(asked.head, asked.i, asked.j);
            })};
    }
    return std::nullopt;
  }

  // Of keys after the query another multiple than of those before it.
  std::optional<Deviation> by_side() const {
    if (m_.truth.causal) return std::nullopt;
    const auto at = near_positions(m_.domain);
    const Tensor is = m_.entries(m_.subject, at, at), ought = m_.entries(m_.truth, at, at);
    std::optional<double> by;
    for (std::size_t h = 0; h < m_.truth.heads; ++h)
      for (std::size_t i = 0; i < at.size(); ++i)
        for (std::size_t j = i + 1; j < at.size(); ++j) {
          const double right = ought.at(h * at.size() + i, j), error = m_.error(h, right, at[i], at[j]);
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
    return Deviation{{words},
                     with_entries(m_.truth, [factor = *by](const BiasEntry& entry, const AskedEntry& asked) {
                       return (asked.j > asked.i ? factor : 1) * entry(asked.head, asked.i, asked.j);
                     })};
  }

  // ---- from a distance on

  // The first distance to an earlier key whose entry is another, of the farthest query.
  std::optional<Position> first_wrong() const {
    const Position i = m_.domain.hi;
    std::vector<Position> distances = {0};
    for (Position d = 1; d < i - m_.domain.lo; d *= 2) distances.push_back(d);
    distances.push_back(i - m_.domain.lo);
    while (true) {
      std::vector<Position> keys;
      for (const Position d : distances) keys.push_back(i - d);
      const Tensor is = m_.entries(m_.subject, {i}, keys), ought = m_.entries(m_.truth, {i}, keys);
      std::size_t n = 0;
      const auto right = [&](std::size_t at) {
        for (std::size_t h = 0; h < m_.truth.heads; ++h) {
          const double entry = ought.at(h, at);
          if (!(std::abs(is.at(h, at) - entry) <= m_.error(h, entry, i, keys[at]))) return false;
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
                     with_entries(m_.truth, [last](const BiasEntry& entry, const AskedEntry& asked) {
                       const Position past = asked.i - asked.j;
                       const Position held = std::clamp(past, -last, last);
                       return entry(asked.head, asked.i, asked.i - held);
                     })};
  }

  // One number on all keys that are farther away.
  std::optional<Deviation> by_window() const {
    const auto wrong = first_wrong();
    if (!wrong) return std::nullopt;
    const Tensor there = m_.entries(m_.subject, {m_.domain.hi}, {m_.domain.hi - *wrong});
    const double is = there.data.front();
    if (std::ranges::any_of(there.data, [is](double entry) { return entry != is; })) return std::nullopt;
    const Position last = *wrong - 1;
    return Deviation{
        {fmt::format("keys more than {} before the query have the bias {}", last,
                     std::isinf(is) ? (is < 0 ? "minus infinity" : "infinity") : number(is, 1e-6))},
        with_entries(m_.truth, [last, is](const BiasEntry& entry, const AskedEntry& asked) {
          return asked.i - asked.j > last ? is : entry(asked.head, asked.i, asked.j);
        })};
  }

  std::optional<Deviation> by_modulo() const {
    const auto wrong = first_wrong();
    if (!wrong || *wrong < 2) return std::nullopt;
    return Deviation{{fmt::format("distances are taken modulo {}", *wrong)},
                     with_entries(m_.truth, [n = *wrong](const BiasEntry& entry, const AskedEntry& asked) {
                       return entry(asked.head, asked.i, asked.i - (asked.i - asked.j) % n);
                     })};
  }

  // Of whole numbers, of which all are kept up to 2^digits. Ties go to the even one, or away from 0.
  std::optional<Deviation> by_digits(int digits, std::string_view format) const {
    const Position all = Position{1} << digits;
    if (all >= m_.domain.hi - m_.domain.lo || is_at(m_.subject, all + 1, m_.truth, all + 1))
      return std::nullopt;
    const bool away = is_at(m_.subject, all + 1, m_.truth, all + 2);
    if (!away && !is_at(m_.subject, all + 1, m_.truth, all)) return std::nullopt;
    const auto kept = [=](Position d) {
      if (!away) return rounded_to_digits(d, digits);
      const int bits = static_cast<int>(std::bit_width(static_cast<std::uint64_t>(d)));
      const Position step = Position{1} << std::max(0, bits - digits);
      return (d + step / 2) / step * step;
    };
    return Deviation{
        {fmt::format("distances are rounded to {}: from {} on neighbours coincide", format, all + 1)},
        with_entries(m_.truth,
                     [kept, domain = m_.domain](const BiasEntry& entry, const AskedEntry& asked) {
                       const Position d = asked.i - asked.j, other = d < 0 ? -kept(-d) : kept(d);
                       // Another key for the query or, where there is none so far, another query.
                       return domain.lo <= asked.i - other && asked.i - other <= domain.hi
                                  ? entry(asked.head, asked.i, asked.i - other)
                                  : entry(asked.head, asked.j + other, asked.j);
                     }),
        true};
  }

  // What no entry is beyond, of every head: that of the farthest key, or of the query's own.
  std::optional<Deviation> by_limit(Position key) const {
    const Tensor there = m_.entries(m_.subject, {m_.domain.hi}, {key}),
                 ought = m_.entries(m_.truth, {m_.domain.hi}, {key});
    const double limit = there.data.front();
    if (!std::isfinite(limit) ||
        std::ranges::any_of(there.data, [=](double entry) { return entry != limit; }))
      return std::nullopt;
    if (ought.data == there.data) return std::nullopt;  // as declared: it limits nothing
    const bool least = ought.data.front() < limit;
    const std::string is = number(limit, 1e-6);
    return Deviation{{fmt::format("entries {} {} are {}", least ? "below" : "above", is, is)},
                     with_entries(m_.truth, [limit, least](const BiasEntry& entry, const AskedEntry& asked) {
                       const double own = entry(asked.head, asked.i, asked.j);
                       return least ? std::max(own, limit) : std::min(own, limit);
                     })};
  }

  // One number on the query's own key.
  std::optional<Deviation> at_0() const {
    const Tensor there = m_.entries(m_.subject, {m_.domain.hi}, {m_.domain.hi}),
                 ought = m_.entries(m_.truth, {m_.domain.hi}, {m_.domain.hi});
    const double is = there.data.front();
    if (!std::isfinite(is) || std::ranges::any_of(there.data, [is](double entry) { return entry != is; }) ||
        std::ranges::all_of(ought.data, [is](double entry) { return entry == is; }))
      return std::nullopt;
    return Deviation{{fmt::format("entries at distance 0 are {}", number(is, 1e-6))},
                     with_entries(m_.truth,
                                  [is](const BiasEntry& entry, const AskedEntry& asked) {
                                    return asked.i == asked.j ? is : entry(asked.head, asked.i, asked.j);
                                  }),
                     true};
  }

  // ---- distances in steps

  // The entries of the farthest query at these distances, all heads of each.
  bool is_at(const Bias& bias, Position distance, const Bias& other, Position there) const {
    const Tensor is = m_.entries(bias, {m_.domain.hi}, {m_.domain.hi - distance}),
                 ought = m_.entries(other, {m_.domain.hi}, {m_.domain.hi - there});
    for (std::size_t h = 0; h < m_.truth.heads; ++h)
      if (!(std::abs(is.at(h, 0) - ought.at(h, 0)) <=
            m_.error(h, ought.at(h, 0), m_.domain.hi, m_.domain.hi - there)))
        return false;
    return true;
  }

  // Of which distances may be multiples: 1 has the entry of 0 up to the first step or its half, or that of a
  // step.
  std::vector<Position> steps() const {
    constexpr Position most = 1024;
    const Position last = std::min(most, m_.domain.hi - m_.domain.lo);
    if (last < 2 || is_at(m_.subject, 1, m_.truth, 1)) return {};
    const bool as_at_0 = is_at(m_.subject, 1, m_.subject, 0);
    for (Position d = 2; d <= last; ++d) {
      if (as_at_0 && !is_at(m_.subject, d, m_.subject, 0)) return steps_from(d);
      if (!as_at_0 && is_at(m_.subject, 1, m_.truth, d)) return {d};
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
                       with_entries(m_.truth,
                                    [to = map.of](const BiasEntry& entry, const AskedEntry& asked) {
                                      return entry(asked.head, asked.i, asked.i - to(asked.i - asked.j));
                                    }),
                       true});
    }
    return out;
  }

  const AskedBias& m_;
};

class LoneDistance {
 public:
  explicit LoneDistance(const AskedBias& measured) : m_(measured) {}

  std::optional<Deviation> found(const std::vector<Answered>& answered) const {
    const auto distance = of_wrong(answered);
    const Position most = m_.domain.hi - m_.domain.lo;
    if (!distance || *distance > most) return std::nullopt;
    // Of keys before the query, and of keys after it.
    std::vector<Position> sides = {*distance};
    if (!m_.truth.causal && *distance != 0) sides.push_back(-*distance);
    for (const Position other : likely_others(*distance, 0, most))
      for (const Position sign : {1, -1})
        if ((sign > 0 || !m_.truth.causal) && !is(sign * other, sign * other)) return std::nullopt;
    std::erase_if(sides, [&](Position d) { return is(d, d); });
    std::set<Position> found;
    for (const Position other : likely_others(*distance, 0, most))
      if (!sides.empty() &&
          std::ranges::all_of(sides, [&](Position d) { return is(d, d < 0 ? -other : other); }))
        found.insert(other);
    if (found.size() != 1) return std::nullopt;
    const Position other = *found.begin();
    const bool both = sides.size() == 2 || m_.truth.causal;
    const std::string words = both ? fmt::format("distance {} has the bias of distance {}", *distance, other)
                                   : fmt::format("keys {0} {1} the query have the bias of those {2} {1} it",
                                                 *distance, sides.front() > 0 ? "before" : "after", other);
    return Deviation{{words},
                     with_entries(m_.truth,
                                  [sides, other](const BiasEntry& entry, const AskedEntry& asked) {
                                    const Position d = asked.i - asked.j;
                                    const bool is_lone = std::ranges::find(sides, d) != sides.end();
                                    return entry(asked.head, asked.i,
                                                 is_lone ? asked.i - (d < 0 ? -other : other) : asked.j);
                                  }),
                     true};
  }

 private:
  std::optional<Position> of_wrong(const std::vector<Answered>& answered) const {
    constexpr std::size_t several = 3;
    std::optional<Position> out;
    std::size_t wrong = 0;
    if (m_.truth.modulo_rows) return std::nullopt;
    for (const Answered& one : answered) {
      const std::vector<Position>&i = one.call.positions.whole, &j = one.call.keys.whole;
      const Tensor ought = m_.truth.bias(i, j);
      if (ought.shape != one.answer.shape) return std::nullopt;
      for (std::size_t r = 0; r < ought.rows(); ++r)
        for (std::size_t c = 0; c < j.size(); ++c) {
          const Position d = i[r % i.size()] - j[c];
          if ((m_.truth.causal && d < 0) ||
              is_near(r / i.size(), one.answer.at(r, c), ought.at(r, c), i[r % i.size()], j[c]))
            continue;
          if (out && *out != std::abs(d)) return std::nullopt;
          out = std::abs(d);
          ++wrong;
        }
    }
    return wrong >= several ? out : std::nullopt;
  }

  bool is_near(std::size_t head, double is, double ought, Position i, Position j) const {
    return std::abs(is - ought) <= m_.error(head, ought, i, j);
  }

  // Whether the subject's entries at a distance are the declared ones of the other; those of keys after the
  // query are below 0.
  bool is(Position distance, Position other) const {
    const auto query_of = [&](Position d) { return d < 0 ? m_.domain.lo : m_.domain.hi; };
    const auto at = [&](const Bias& bias, Position d) {
      return m_.entries(bias, {query_of(d)}, {query_of(d) - d});
    };
    const Tensor there = at(m_.subject, distance), ought = at(m_.truth, other);
    for (std::size_t h = 0; h < m_.truth.heads; ++h)
      if (!is_near(h, there.at(h, 0), ought.at(h, 0), query_of(other), query_of(other) - other)) return false;
    return true;
  }

  const AskedBias& m_;
};

}  // namespace

std::vector<Deviation> measured_distances(const AskedBias& measured) {
  return Distances(measured).all();
}

std::optional<Deviation> lone_distance(const AskedBias& measured, const std::vector<Answered>& answered) {
  std::vector<Deviation> out;
  add_measured(out, [&] { return LoneDistance(measured).found(answered); });
  return out.empty() ? std::nullopt : std::optional(std::move(out.front()));
}

void add_measured(std::vector<Deviation>& out, const Function<std::optional<Deviation>()>& one) {
  try {
    if (auto found = one()) out.push_back(std::move(*found));
  } catch (const std::bad_alloc&) {
    throw;
  } catch (const std::exception&) {  // declined, died, another shape
  }
}

}  // namespace posproof
