#include "diagnosis/measured_columns.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <set>

#include "core/function.h"
#include "diagnosis/measured_words.h"
#include "diagnosis/named_orders.h"

namespace posproof {
namespace {

// The factor that makes column `of` of the declared ones column c: from the entry that decides on it best.
std::optional<double> factor(const Entries& values, std::size_t c, const Entries& declared, std::size_t of,
                             const Entries& allowed) {
  std::size_t best = 0;
  double weight = 0;
  for (std::size_t n = 0; n < values.size(); ++n) {
    if (!std::isfinite(values[n][c])) return std::nullopt;
    const double here = std::abs(declared[n][of]) / (allowed[n][of] + 1e-300);
    if (here > weight) weight = here, best = n;
  }
  if (weight < 8) return std::nullopt;
  const double ratio = values[best][c] / declared[best][of];
  for (std::size_t n = 0; n < values.size(); ++n) {
    const double own = std::abs(ratio) * allowed[n][of] + std::abs(declared[n][of] * ratio) / weight;
    if (!(std::abs(values[n][c] - ratio * declared[n][of]) <= 2 * own + 1e-300)) return std::nullopt;
  }
  return std::abs(ratio - 1) <= 2 / weight ? 1 : std::abs(ratio + 1) <= 2 / weight ? -1 : ratio;
}

// That of all columns, each its own.
std::optional<double> common_factor(const Entries& values, const Entries& declared, const Entries& allowed) {
  std::optional<double> all;
  for (std::size_t c = 0; c < declared.front().size(); ++c) {
    const auto own = factor(values, c, declared, c, allowed);
    if (!own || *own == 0 || (all && std::abs(*own / *all - 1) > 1e-6)) return std::nullopt;
    if (!all) all = own;
  }
  return all;
}

std::string factor_words(double factor, std::size_t width) {
  const double root = std::sqrt(static_cast<double>(width));
  if (width > 1 && std::abs(factor / root - 1) < 1e-5) return fmt::format("sqrt({})", width);
  if (width > 1 && std::abs(factor * root - 1) < 1e-5) return fmt::format("1/sqrt({})", width);
  return ratio(factor, 1e-5);
}

// An order that has a name, a permutation or not.
std::string order_words(const std::vector<MeasuredColumn>& columns, const std::string& column) {
  const std::size_t n = columns.size(), half = (n + 1) / 2;
  const NamedOrder known[] = {
      {"the second half of the {}s is the first again",
       [=](std::size_t c) { return n % 2 == 0 ? c % half : c; }},
      {"every {} is the first", [](std::size_t) { return std::size_t{0}; }},
      {"every {} is the next one, the last the first", [=](std::size_t c) { return (c + 1) % n; }},
      {"every {} is the one before, the first the last", [=](std::size_t c) { return (c + n - 1) % n; }},
      {"every second {0} is the {0} before it", [](std::size_t c) { return c / 2 * 2; }},
      {"every {0} with an even number is the {0} after it",
       [=](std::size_t c) { return std::min(c | 1, n - 1); }},
  };
  const auto are = [&](const Function<std::size_t(std::size_t)>& of) {
    bool all = n > 1;
    for (std::size_t c = 0; c < n; ++c) all = all && (columns[c].factor == 0 || columns[c].of == of(c));
    return all;
  };
  for (const NamedOrder& one : named_orders(n))
    if (are(one.of)) return fmt::format("the same after one permutation of {}s: {}", column, one.words);
  for (const NamedOrder& one : known)
    if (are(one.of)) return fmt::format(fmt::runtime(one.words), column);
  for (std::size_t by = 2; by + 1 < n; ++by)
    if (are([=](std::size_t c) { return (c + by) % n; }))
      return 2 * by <= n ? fmt::format("every {} is the one {} later, the last the first", column, by)
                         : fmt::format("every {} is the one {} before, the first the last", column, n - by);
  return "";
}

// Of columns that are moved in few runs: `16 to 31 hold 32 to 47, 32 to 47 hold 16 to 31`; empty where the
// runs are many, or short.
std::string runs_words(const std::vector<MeasuredColumn>& columns) {
  constexpr std::size_t most = 4;
  std::vector<std::string> runs;
  for (std::size_t c = 0, end = 0; c < columns.size(); c = end) {
    for (end = c + 1; end < columns.size() && columns[end].of == columns[c].of + (end - c);) ++end;
    if (columns[c].of == c) continue;
    if (end == c + 1 || runs.size() == most) return "";
    runs.push_back(fmt::format("{} to {} hold {} to {}", c, end - 1, columns[c].of, columns[end - 1].of));
  }
  return fmt::format("{}", fmt::join(runs, ", "));
}

// Of so many that no list would be read: `0 holds 4, 1 holds 5, 2 holds 0, ..`; empty where one is held
// twice.
std::string permutation_words(const std::vector<MeasuredColumn>& columns, const std::string& column) {
  std::set<std::size_t> held;
  for (const MeasuredColumn& one : columns)
    if (one.factor == 1) held.insert(one.of);
  if (held.size() != columns.size()) return "";
  if (const std::string runs = runs_words(columns); !runs.empty())
    return fmt::format("the same after one permutation of {}s: {}", column, runs);
  std::size_t first = 0;
  while (columns[first].of == first) ++first;
  first = std::min(first, columns.size() - 3);
  return fmt::format(
      "the same after one permutation of {0}s: {1} holds {2}, {3} holds {4}, {5} holds {6}, ..", column,
      first, columns[first].of, first + 1, columns[first + 1].of, first + 2, columns[first + 2].of);
}

}  // namespace

std::optional<std::vector<MeasuredColumn>> measured_columns(const Entries& values, const Entries& declared,
                                                            const Entries& allowed) {
  if (values.empty()) return std::nullopt;
  std::vector<MeasuredColumn> out;
  const std::size_t columns = declared.front().size();
  if (const auto by = common_factor(values, declared, allowed)) {
    for (std::size_t c = 0; c < columns; ++c) out.push_back({c, *by});
    return out;
  }
  for (std::size_t c = 0; c < columns; ++c) {
    const bool zero = std::ranges::all_of(values, [c](const auto& row) { return row[c] == 0; });
    std::optional<MeasuredColumn> found;
    if (zero) found = {c, 0};
    const auto consider = [&](std::size_t of, bool any_factor) {
      if (found) return;
      const auto by = factor(values, c, declared, of, allowed);
      if (by && (any_factor || *by == 1)) found = {of, *by};
    };
    // Its own; another as it is; another times a factor.
    consider(c, false);
    for (std::size_t of = 0; of < columns; ++of) consider(of, false);
    consider(c, true);
    for (std::size_t of = 0; of < columns; ++of) consider(of, true);
    if (!found) return std::nullopt;
    out.push_back(*found);
  }
  return out;
}

namespace {

// Of several that hold others as these are, in rising order: one sentence. Heads have rules of their own.
std::string held_together(const std::vector<MeasuredColumn>& columns, const std::vector<std::size_t>& moved,
                          const std::string& column) {
  std::vector<std::size_t> of;
  for (const std::size_t c : moved) of.push_back(columns[c].of);
  if (moved.size() < 3 || std::ranges::adjacent_find(of, std::greater_equal<>()) != of.end()) return "";
  return fmt::format("{} hold {}", numbered(column, moved), numbered(column, of));
}

}  // namespace

std::vector<std::string> column_deviations(const std::vector<MeasuredColumn>& columns,
                                           const std::string& column, const std::string& entry,
                                           std::size_t width) {
  std::vector<std::string> out;
  std::vector<std::size_t> zeros, moved;
  std::map<double, std::vector<std::size_t>> by_factor;
  std::map<std::size_t, double> of_another;  // the factors of those that hold another one
  for (std::size_t c = 0; c < columns.size(); ++c) {
    if (columns[c].factor == 0)
      zeros.push_back(c);
    else if (columns[c].of != c)
      moved.push_back(c);
    if (columns[c].factor == 0 || columns[c].factor == 1) continue;
    if (columns[c].of != c) of_another[c] = columns[c].factor;
    const auto near = std::ranges::find_if(
        by_factor, [&](const auto& group) { return std::abs(group.first / columns[c].factor - 1) < 1e-5; });
    (near == by_factor.end() ? by_factor[columns[c].factor] : near->second).push_back(c);
  }
  if (zeros.size() == columns.size()) return {fmt::format("every {} is 0", entry)};
  const auto multiple = [&](std::size_t c) -> std::string {
    const auto by = of_another.find(c);
    if (by == of_another.end()) return "";
    return by->second == -1 ? "minus " : factor_words(by->second, width) + " times ";
  };
  if (!moved.empty()) {
    if (const std::string words = order_words(columns, column); !words.empty())
      out.push_back(words), of_another.clear();
    else if (const std::string many = moved.size() > 6 ? permutation_words(columns, column) : "";
             !many.empty())
      out.push_back(many);
    else if (const std::string together =
                 of_another.empty() && column != "head" ? held_together(columns, moved, column) : "";
             !together.empty())
      out.push_back(together);
    else
      for (const std::size_t c : moved)
        out.push_back(fmt::format("{0} {1} holds {3}{0} {2}", column, c, columns[c].of, multiple(c)));
  }
  if (!zeros.empty())
    out.push_back(fmt::format("{} {} 0", numbered(column, zeros), zeros.size() == 1 ? "is" : "are"));
  for (auto& [factor, which] : by_factor) {
    std::erase_if(which, [&](std::size_t c) { return of_another.contains(c); });  // said of the one it holds
    if (which.empty()) continue;
    const bool all = which.size() == columns.size();
    const std::string of = all ? "every " + entry : numbered(column, which);
    const bool one = all || which.size() == 1;
    out.push_back(factor == -1 ? fmt::format("{} {} the wrong sign", of, one ? "has" : "have")
                               : fmt::format("{} {} {} times the declared one", of, one ? "is" : "are",
                                             factor_words(factor, width)));
  }
  if (out.size() > 6) out.clear();
  return out;
}

}  // namespace posproof
