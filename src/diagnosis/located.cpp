#include "diagnosis/located.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <new>
#include <set>

#include "attention/reference_attention.h"
#include "core/function.h"
#include "diagnosis/call_deviations.h"
#include "diagnosis/call_fits.h"
#include "diagnosis/measured_words.h"
#include "diagnosis/unseen_fault.h"

namespace posproof {
namespace {

// An entry of an answer, by what it is of.
struct LocatedEntry {
  const Call& call;
  std::size_t batch, head, token, tokens, column;  // token, or query, of so many in its row of the batch
  bool wrong;
  double off, bound;  // by how much, and what rounding allows
  bool near;          // Answered::near
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
  for (const auto& [asked, call, given, near] : answered) {
    const Tensor expected = answer(declared, call);
    if (given.shape != expected.shape || call.batch == 0 || given.rows() == 0) continue;
    const Tensor error = right.error(call, expected, farthest(call));
    const std::size_t tokens = given.rows() / heads / call.batch;
    for (std::size_t r = 0; r < given.rows(); ++r)
      for (std::size_t c = 0; c < given.width(); ++c) {
        if (causal && call.keys.whole[c] > call.positions.whole[r % tokens]) continue;
        // Nothing can stand where a pair of zeros was rotated.
        if (expected.at(r, c) == 0 && given.at(r, c) == 0 && error.at(r, c) == 0) continue;
        const double off = std::abs(given.at(r, c) - expected.at(r, c)), bound = error.at(r, c);
        const bool is = off <= bound;
        out.push_back({call, r / tokens / heads, r / tokens % heads, r % tokens, tokens, c, !is,
                       std::isnan(off) ? std::numeric_limits<double>::infinity() : off, bound, near});
      }
  }
  return out;
}

// Which ends of a range are said.
struct Ends {
  bool first = true, last = true;
};

// What an entry may be told by, and what is said of those that are wrong.
struct Told {
  Function<Position(const LocatedEntry&)> by;
  Function<std::string(const std::vector<Position>& wrong, Ends ends)> words;
  bool by_range = false;  // all from the first to the last of them, not each alone
  bool in_calls = false;  // a place in the call: of one of which it is said throughout it says nothing
  bool of_calls = false;  // the same in a whole call, which proves nothing where calls were drawn near one
};

// `heads 2 and 3 of 4`; some of a number that has an end.
auto some_of(std::string name, std::size_t all) {
  return [=](const std::vector<Position>& wrong, Ends) {
    const std::vector<std::size_t> numbers(wrong.begin(), wrong.end());
    return fmt::format("in {} of {}", numbered(name, numbers), all);
  };
}

// `distances 12 to 15`, `distances from 12 on`.
auto a_range(std::string name) {
  return [=](const std::vector<Position>& wrong, Ends ends) {
    const Position first = wrong.front(), last = wrong.back();
    if (!ends.last) return fmt::format("at {}s from {} on", name, first);
    if (!ends.first) return fmt::format("at {}s up to {}", name, last);
    return first == last ? fmt::format("at {} {}", name, first)
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
                   [](const auto& wrong, Ends) {
                     return std::string(wrong.front() == 0 ? "in the first batch row"
                                                           : "in batch rows after the first");
                   },
                   false, true});
    out.push_back(
        {[](E e) { return Position{e.call.role == Role::key}; },
         [](const auto& wrong, Ends) { return std::string(wrong.front() == 0 ? "in queries" : "in keys"); },
         false, false, true});
  }
  if (is_pairwise(declared) && positions_of(declared).axes == 1) {
    const auto offset = [](E e) { return e.call.positions.whole[e.token] - e.call.keys.whole[e.column]; };
    out.push_back({[=](E e) { return Position{offset(e) < 0}; },
                   [](const auto& wrong, Ends) {
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
  if (is_pairwise(declared))
    out.push_back({[](E e) {
                     const std::size_t keys = e.call.keys.size();
                     return e.tokens < keys ? Position{0} : e.tokens == keys ? Position{1} : Position{2};
                   },
                   [](const auto& wrong, Ends) {
                     constexpr std::array words = {"fewer queries than keys", "as many queries as keys",
                                                   "more queries than keys"};
                     std::vector<const char*> all;
                     for (const Position one : wrong) all.push_back(words.at(static_cast<std::size_t>(one)));
                     return fmt::format("in calls of {}", fmt::join(all, ", or of "));
                   },
                   false, false, true});
  const std::string row = signed_as.along() == Axis::query ? "query" : "token";
  out.push_back({[=](E e) { return place(e.token); },
                 [row](const auto& wrong, Ends ends) {
                   const std::string of = row == "query" ? "queries" : "tokens";
                   if (!ends.last) return fmt::format("in {} from number {} of a call on", of, wrong[0]);
                   if (!ends.first) return fmt::format("in {} up to number {} of a call", of, wrong.back());
                   return wrong.size() == 1
                              ? fmt::format("in {} number {} of a call", row, wrong[0])
                              : fmt::format("in {} number {} to {} of a call", of, wrong[0], wrong.back());
                 },
                 true, true});
  out.push_back({[=](E e) { return place(e.tokens); },
                 [row](const auto& wrong, Ends ends) {
                   const std::string of = row == "query" ? "queries" : "tokens";
                   if (!ends.last) return fmt::format("in calls of {} {} and more", wrong[0], of);
                   if (!ends.first) return fmt::format("in calls of up to {} {}", wrong.back(), of);
                   return wrong.size() == 1
                              ? fmt::format("in calls of {} {}", wrong[0], wrong[0] == 1 ? row : of)
                              : fmt::format("in calls of {} to {} {}", wrong[0], wrong.back(), of);
                 },
                 true, false, true});
  return out;
}

// What is said of all wrong entries, and which of all entries it is said of.
struct Said {
  std::string words;
  std::vector<bool> inside;
  std::size_t count = 0;  // of those that it is said of
  Function<bool(Position)> is = {};
};

// How likely wrong entries of a call all lie where they do, if what they are told by had nothing to do with
// it. A call in which every entry that is told so is wrong, and no other one, counts as several that have one
// wrong entry each.
struct OfCall {
  std::size_t all = 0, inside = 0, wrong = 0;

  double chance(double elsewhere) const {
    constexpr std::size_t most = 8;
    const double share = inside < all ? static_cast<double>(inside) / static_cast<double>(all) : elsewhere;
    return std::pow(share, wrong == inside ? static_cast<double>(std::min(wrong, most)) : 1);
  }
};

std::vector<OfCall> by_call(const std::vector<LocatedEntry>& entries, const std::vector<bool>& inside) {
  std::vector<OfCall> out;
  const Call* last = nullptr;
  for (std::size_t n = 0; n < entries.size(); ++n) {
    if (&entries[n].call != last) out.emplace_back();
    last = &entries[n].call;
    ++out.back().all;
    out.back().inside += inside[n] ? 1 : 0;
    out.back().wrong += entries[n].wrong ? 1 : 0;
  }
  return out;
}

// Whether it is no accident that all wrong entries are told so: 2^-8. What is the same in a whole call, as
// its role, is so by the share of the calls that it is said of; what is not says nothing in a call of which
// it is said throughout. Of a range both ends are those of a wrong call, which prove nothing.
bool is_no_accident(const Told& told, const std::vector<OfCall>& calls) {
  std::size_t whole = 0, none = 0;
  double inside = 0, entries = 0;
  for (const OfCall& one : calls) {
    inside += static_cast<double>(one.inside), entries += static_cast<double>(one.all);
    if (one.inside == one.all) ++whole;
    if (one.inside == 0) ++none;
  }
  const bool of_whole_calls = whole + none == calls.size();
  const double elsewhere = of_whole_calls  ? static_cast<double>(whole) / static_cast<double>(calls.size())
                           : told.in_calls ? 1
                                           : inside / entries;
  std::vector<double> chances;
  for (const OfCall& one : calls)
    if (one.wrong > 0) chances.push_back(of_whole_calls ? elsewhere : one.chance(elsewhere));
  std::ranges::sort(chances);
  double all = 1;
  for (std::size_t n = told.by_range ? 2 : 0; n < chances.size(); ++n) all *= chances[n];
  return all <= 0x1p-8;
}

// Entries of each call, by what group they are of.
using Groups = std::map<Position, std::vector<EntriesOfCall>>;

Groups in_groups(const std::vector<LocatedEntry>& entries, const std::vector<Position>& is,
                 const Function<Position(Position)>& group) {
  Groups out;
  const Call* last = nullptr;
  std::size_t call = 0;
  for (std::size_t n = 0; n < entries.size(); ++n) {
    if (last != nullptr && &entries[n].call != last) ++call;
    last = &entries[n].call;
    auto& all = out[group(is[n])];
    if (all.empty() || all.back().call != call) all.push_back({.call = call});
    ++all.back().entries;
    all.back().bounds += entries[n].bound;
    if (entries[n].wrong) all.back().off.push_back(entries[n].off);
  }
  return out;
}

// How unlikely an end is that is none: 2^-8.
bool is_proved(const std::vector<EntriesOfCall>& seen, const std::vector<EntriesOfCall>& past) {
  return chance_of_none(seen, past) <= 0x1p-8;
}

// An end is said where entries past it were asked that would have shown the fault, if it went on as it is up
// to there. A fault that grows rarer on the way to the end would be rarer still past it: its share counts
// over all numbers of the range, and over the half, the quarter and the eighth of them that is next to the
// end. Past the largest and the smallest number that were asked nothing is known: a range has no end there,
// or, at the smallest, that number.
Ends proved_ends(const std::vector<LocatedEntry>& entries, const std::vector<Position>& is, Position first,
                 Position last) {
  constexpr std::size_t several = 3;
  std::vector<Position> numbers;
  for (const Position t : std::set<Position>(is.begin(), is.end()))
    if (first <= t && t <= last) numbers.push_back(t);
  Ends ends;
  for (std::size_t parts = 1; parts <= 8; parts *= 2) {
    const std::size_t next = std::min(numbers.size(), std::max(several, numbers.size() / parts));
    const Position to = numbers[next - 1], from = numbers[numbers.size() - next];
    Groups low = in_groups(entries, is, [=](Position t) { return t < first ? -1 : t > to ? 1 : 0; });
    Groups high = in_groups(entries, is, [=](Position t) { return t < from ? -1 : t > last ? 1 : 0; });
    ends.first = ends.first && is_proved(low[0], low[-1]);
    ends.last = ends.last && is_proved(high[0], high[1]);
  }
  ends.first = ends.first || std::ranges::min(is) == first;
  ends.last = ends.last || (first == last && std::ranges::max(is) == last);
  return ends;
}

// The share of the entries that are wrong.
double share_of_wrong(const std::vector<EntriesOfCall>& calls) {
  std::size_t wrong = 0, all = 0;
  for (const EntriesOfCall& one : calls) wrong += one.off.size(), all += one.entries;
  return static_cast<double>(wrong) / static_cast<double>(all);
}

// Whether the others would have shown the fault, each as often as the one of those that are wrong that shows
// it least often, but for a chance of 2^-4 each: two are seldom so at once by chance. Of a fault that one of
// the wrong ones shows eight times as often as another nothing is known elsewhere: it may show still more
// seldom.
bool others_would_show(const std::vector<LocatedEntry>& entries, const std::vector<Position>& is,
                       const std::set<Position>& wrong) {
  constexpr double unlikely = 0x1p-4;
  const Groups all = in_groups(entries, is, [](Position t) { return t; });
  // Where rounding hides the fault it is told of none; of one that shows whenever it is asked for, all the
  // same.
  const bool always = std::ranges::all_of(wrong, [&](Position one) {
    return std::ranges::none_of(all.at(one), [](const EntriesOfCall& of) { return of.off.empty(); });
  });
  std::vector<double> shares;
  for (const Position one : wrong) shares.push_back(share_of_wrong(all.at(one)));
  if (const auto [least, most] = std::ranges::minmax(shares); !always && 8 * least < most) return false;
  for (const auto& [one, held] : all) {
    if (wrong.contains(one)) continue;
    for (const Position other : wrong) {
      const double chance = chance_of_none(all.at(other), held);
      if (chance > unlikely && !(always && chance == 1)) return false;
    }
  }
  return true;
}

// None where less than a quarter of all entries lie elsewhere.
std::optional<Said> said_of_all(const Told& told, const std::vector<LocatedEntry>& entries) {
  constexpr std::size_t several = 16;
  std::set<Position> wrong;
  std::vector<Position> is;
  is.reserve(entries.size());
  for (const LocatedEntry& one : entries) {
    is.push_back(told.by(one));
    if (one.wrong) wrong.insert(is.back());
  }
  if (wrong.empty()) return std::nullopt;
  Ends ends;
  if (told.by_range) {
    ends = proved_ends(entries, is, *wrong.begin(), *wrong.rbegin());
    if (!ends.first && !ends.last) return std::nullopt;
  }
  Said out;
  out.is = [=, by_range = told.by_range](Position here) {
    return by_range ? (!ends.first || *wrong.begin() <= here) && (!ends.last || here <= *wrong.rbegin())
                    : wrong.contains(here);
  };
  for (const Position here : is) {
    out.inside.push_back(out.is(here));
    out.count += out.inside.back() ? 1 : 0;
  }
  const std::size_t elsewhere = entries.size() - out.count;
  if (elsewhere < several || 4 * elsewhere < entries.size()) return std::nullopt;
  if (!is_no_accident(told, by_call(entries, out.inside))) return std::nullopt;
  if (!told.by_range && !others_would_show(entries, is, wrong)) return std::nullopt;
  out.words = told.words({wrong.begin(), wrong.end()}, ends);
  return out;
}

std::optional<Said> said_by(const Told& told, const std::vector<LocatedEntry>& entries) {
  if (!told.of_calls || std::ranges::none_of(entries, &LocatedEntry::near)) return said_of_all(told, entries);
  std::vector<LocatedEntry> drawn;
  for (const LocatedEntry& one : entries)
    if (!one.near) drawn.push_back(one);
  auto said = said_of_all(told, drawn);
  if (!said) return std::nullopt;
  said->inside.clear(), said->count = 0;
  for (const LocatedEntry& one : entries) {
    said->inside.push_back(said->is(told.by(one)));
    said->count += said->inside.back() ? 1 : 0;
    if (one.wrong && !said->inside.back()) return std::nullopt;
  }
  return said;
}

// The two things at most that together are said of fewest entries that are right: a token that is wrong for
// its position stands somewhere in its row, too, and that says less.
std::vector<std::string> fewest(const std::vector<Told>& all, std::vector<LocatedEntry> entries) {
  std::map<std::size_t, std::string> out;  // in their order
  for (int round = 0; round < 2; ++round) {
    std::optional<std::pair<std::size_t, Said>> best;
    for (std::size_t n = 0; n < all.size(); ++n) {
      if (out.contains(n)) continue;
      auto one = said_by(all[n], entries);
      if (one && (!best || one->count < best->second.count)) best = {n, std::move(*one)};
    }
    if (!best) break;
    out[best->first] = best->second.words;
    std::vector<LocatedEntry> left;
    for (std::size_t n = 0; n < entries.size(); ++n)
      if (best->second.inside[n]) left.push_back(entries[n]);
    entries.swap(left);
  }
  std::vector<std::string> words;
  for (auto& [n, one] : out) words.push_back(std::move(one));
  return words;
}

}  // namespace

std::optional<std::string> located(const Encoding& declared, const Precision& precision,
                                   const std::vector<Answered>& answered) {
  try {
    if (is_pairwise(declared) && is_modulo_rows(declared)) return std::nullopt;
    const std::vector<std::string> all =
        fewest(all_told(declared), entries_of(declared, precision, answered));
    if (all.empty()) return std::nullopt;
    return fmt::format("wrong {} alone", fmt::join(all, ", "));
  } catch (const std::bad_alloc&) {
    throw;
  } catch (const std::exception&) {  // not defined there
    return std::nullopt;
  }
}

}  // namespace posproof
