#include "diagnosis/located.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <new>
#include <set>

#include "attention/reference_attention.h"
#include "diagnosis/call_deviations.h"
#include "diagnosis/call_fits.h"
#include "diagnosis/measured_words.h"

namespace posproof {
namespace {

// An entry of an answer, by what it is of.
struct LocatedEntry {
  const Call& call;
  std::size_t batch, head, token, tokens, column;  // token, or query, of so many in its row of the batch
  bool wrong;
};

bool is_pairwise(const Encoding& encoding) {
  return signature(encoding).has(Axis::key) && signature(encoding).positions;
}

std::vector<LocatedEntry> entries_of(const Encoding& declared, const Precision& precision,
                                     const std::vector<Answered>& answered) {
  const Model right = model_of(declared, precision);
  const std::size_t heads = heads_of(declared);
  const bool causal = is_pairwise(declared) && is_causal(declared);
  std::vector<LocatedEntry> out;
  for (const auto& [asked, call, given] : answered) {
    const Tensor expected = answer(declared, call);
    if (given.shape != expected.shape || call.batch == 0 || given.rows() == 0) continue;
    const Tensor error = right.error(call, expected, farthest(call));
    const std::size_t tokens = given.rows() / heads / call.batch;
    for (std::size_t r = 0; r < given.rows(); ++r)
      for (std::size_t c = 0; c < given.width(); ++c) {
        if (causal && call.keys.whole[c] > call.positions.whole[r % tokens]) continue;
        // Nothing can stand where a pair of zeros was rotated.
        if (expected.at(r, c) == 0 && given.at(r, c) == 0 && error.at(r, c) == 0) continue;
        const bool is = std::abs(given.at(r, c) - expected.at(r, c)) <= error.at(r, c);
        out.push_back({call, r / tokens / heads, r / tokens % heads, r % tokens, tokens, c, !is});
      }
  }
  return out;
}

// What an entry may be told by, and what is said of those that are wrong.
struct Told {
  std::function<Position(const LocatedEntry&)> by;
  std::function<std::string(const std::vector<Position>& wrong, Position most)> words;
  bool by_range = false;  // all from the first to the last of them, not each alone
};

// `heads 2 and 3 of 4`; some of a number that has an end.
auto some_of(std::string name, std::size_t all) {
  return [=](const std::vector<Position>& wrong, Position) {
    const std::vector<std::size_t> numbers(wrong.begin(), wrong.end());
    return fmt::format("in {} of {}", numbered(name, numbers), all);
  };
}

// `distances 12 to 15`, `distances from 12 on`.
auto a_range(std::string name) {
  return [=](const std::vector<Position>& wrong, Position most) {
    const Position first = wrong.front(), last = wrong.back();
    if (first == last) return fmt::format("at {} {}", name, first);
    return last == most ? fmt::format("at {}s from {} on", name, first)
                        : fmt::format("at {}s from {} to {}", name, first, last);
  };
}

std::vector<Told> all_told(const Encoding& declared) {
  using E = const LocatedEntry&;
  const auto place = [](std::size_t n) { return static_cast<Position>(n); };
  std::vector<Told> out;
  const auto& signed_as = signature(declared);
  const std::size_t heads = heads_of(declared);
  if (heads > 1) out.push_back({[=](E e) { return place(e.head); }, some_of("head", heads)});
  if (!signed_as.has(Axis::key) || !signed_as.positions) {
    const auto width = std::visit(
        [](const auto& kind) -> std::size_t {
          if constexpr (requires { kind.value_dim; }) return kind.value_dim;
          if constexpr (requires { kind.dim; }) return kind.dim;
          return 0;
        },
        declared);
    out.push_back({[=](E e) { return place(e.column); }, some_of("channel", width)});
  }
  if (signed_as.has(Axis::batch)) {
    out.push_back({[=](E e) { return place(e.batch == 0 ? 0 : 1); },
                   [](const auto& wrong, Position) {
                     return std::string(wrong.front() == 0 ? "in the first batch row"
                                                           : "in batch rows after the first");
                   }});
    out.push_back({[](E e) { return Position{e.call.role == Role::key}; },
                   [](const auto& wrong, Position) {
                     return std::string(wrong.front() == 0 ? "in queries" : "in keys");
                   }});
  }
  if (is_pairwise(declared) && positions_of(declared).axes == 1) {
    const auto offset = [](E e) { return e.call.positions.whole[e.token] - e.call.keys.whole[e.column]; };
    out.push_back({[=](E e) { return Position{offset(e) < 0}; },
                   [](const auto& wrong, Position) {
                     return std::string(wrong.front() == 0 ? "for keys up to the query's own"
                                                           : "for keys after the query");
                   }});
    out.push_back({[=](E e) { return std::abs(offset(e)); }, a_range("distance"), true});
    out.push_back({[](E e) { return e.call.positions.whole[e.token]; }, a_range("query position"), true});
    out.push_back({[](E e) { return e.call.keys.whole[e.column]; }, a_range("key position"), true});
  } else if (signed_as.positions && positions_of(declared).axes == 1) {
    out.push_back({[](E e) {
                     const auto& all = e.call.positions.whole;
                     return all.empty() ? Position{0} : all[e.batch * e.tokens + e.token];
                   },
                   a_range("position"), true});
  }
  const std::string row = signed_as.has(Axis::key) ? "query" : "token";
  out.push_back({[=](E e) { return place(e.token); },
                 [row](const auto& wrong, Position most) {
                   const std::string of = row == "query" ? "queries" : "tokens";
                   if (wrong.size() == 1) return fmt::format("in {} number {} of a call", row, wrong[0]);
                   return wrong.back() == most
                              ? fmt::format("in {} from number {} of a call on", of, wrong[0])
                              : fmt::format("in {} number {} to {} of a call", of, wrong[0], wrong.back());
                 },
                 true});
  out.push_back({[=](E e) { return place(e.tokens); },
                 [row](const auto& wrong, Position most) {
                   const std::string of = row == "query" ? "queries" : "tokens";
                   if (wrong.size() == 1)
                     return fmt::format("in calls of {} {}", wrong[0], wrong[0] == 1 ? row : of);
                   return wrong.back() == most
                              ? fmt::format("in calls of {} {} and more", wrong[0], of)
                              : fmt::format("in calls of {} to {} {}", wrong[0], wrong.back(), of);
                 },
                 true});
  return out;
}

// What is said of wrong entries says something where a quarter of all entries, at least, lie elsewhere.
std::optional<std::string> told_by(const Told& told, const std::vector<LocatedEntry>& entries) {
  constexpr std::size_t several = 16;
  std::map<Position, std::size_t> wrong;
  std::set<const Call*> wrong_calls, calls;
  std::set<std::pair<const Call*, Position>> values_of_calls;
  for (const LocatedEntry& one : entries) {
    calls.insert(&one.call);
    values_of_calls.insert({&one.call, told.by(one)});
    if (!one.wrong) continue;
    ++wrong[told.by(one)];
    wrong_calls.insert(&one.call);
  }
  // What is the same in a whole call, as its role, may be the same in a few wrong ones by chance: in 8 of two
  // kinds by 2^-8.
  const std::size_t least = values_of_calls.size() == calls.size() ? 8 : 2;
  if (wrong_calls.size() < least) return std::nullopt;
  Position most = 0;
  std::size_t elsewhere = 0;
  for (const LocatedEntry& one : entries) {
    const Position here = told.by(one);
    most = std::max(most, here);
    const bool there = told.by_range && !wrong.empty()
                           ? wrong.begin()->first <= here && here <= wrong.rbegin()->first
                           : wrong.contains(here);
    if (!there) ++elsewhere;
  }
  if (wrong.empty() || elsewhere < several || 4 * elsewhere < entries.size()) return std::nullopt;
  std::vector<Position> values;
  for (const auto& [value, times] : wrong) values.push_back(value);
  return told.words(values, most);
}

}  // namespace

std::optional<std::string> located(const Encoding& declared, const Precision& precision,
                                   const std::vector<Answered>& answered) {
  try {
    if (is_pairwise(declared) && is_modulo_rows(declared)) return std::nullopt;
    const std::vector<LocatedEntry> entries = entries_of(declared, precision, answered);
    std::vector<std::string> all;
    for (const Told& told : all_told(declared))
      if (const auto words = told_by(told, entries)) all.push_back(*words);
    if (all.empty()) return std::nullopt;
    if (all.size() > 2) all.resize(2);
    return fmt::format("wrong {} alone", fmt::join(all, ", "));
  } catch (const std::bad_alloc&) {
    throw;
  } catch (const std::exception&) {  // not defined there
    return std::nullopt;
  }
}

}  // namespace posproof
