#include "diagnosis/call_places.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <span>
#include <utility>

#include "core/function.h"
#include "diagnosis/measured_words.h"
#include "subject/arrays.h"

namespace posproof {
namespace {

// Of its row; none of row numbers.
bool is_farthest(const RowInCall& s) {
  const auto& all = s.call.positions;
  if (all.whole.empty() || all.axes > 1) return false;
  return s.at == *std::ranges::max_element(std::span(all.whole).subspan(s.row.batch * s.tokens, s.tokens));
}

// All numbers of its position are; none of row numbers.
bool is_at_0(const RowInCall& s) {
  const auto& all = s.call.positions;
  const std::size_t n = (s.row.batch * s.tokens + s.row.token) * all.axes;
  const auto are = [&](const auto& numbers) {
    return !numbers.empty() &&
           std::ranges::all_of(std::span(numbers).subspan(n, all.axes), [](const auto& t) { return t == 0; });
  };
  return all.real.empty() ? are(all.whole) : are(all.real);
}

// One of the numbers of its position.
Position number_of(const RowInCall& s, std::size_t axis) {
  const auto& all = s.call.positions;
  return all.whole.empty() ? 0 : all.whole[(s.row.batch * s.tokens + s.row.token) * all.axes + axis];
}

// Of the positions before that of a token in its row, which follow each other, the first; none of row
// numbers.
std::optional<Position> run_begins_at(const RowInCall& s) {
  const auto& all = s.call.positions;
  if (all.whole.empty()) return std::nullopt;
  Position first = s.at;
  for (std::size_t n = s.row.token; n > 0; --n, --first)
    if (all.whole.at((s.row.batch * s.tokens + n - 1) * all.axes) != first - 1) break;
  return first;
}

// Of x, [batch, heads, n, dim].
std::size_t heads_in(const Call& call) {
  return call.contents.empty() ? 1 : call.contents.front().shape.at(1);
}

// How the x of a rotation lies in memory, and which of its rows these are.
std::vector<PlaceInCalls> places_in_memory() {
  using S = const RowInCall&;
  const auto lies = [](S s) {
    return s.call.contents.empty() ? std::string_view() : arrays_of(s.call, s.call.contents.front().shape);
  };
  std::vector<PlaceInCalls> out = {
      {"where x is not contiguous", [=](S s) { return lies(s) == "transposed" || lies(s) == "slice"; }},
      {"where x lies in memory as [batch, n, heads, dim]", [=](S s) { return lies(s) == "transposed"; }},
      {"where x is a slice of wider rows", [=](S s) { return lies(s) == "slice"; }}};
  for (const bool heads_first : {true, false})
    for (const std::size_t block : {2, 4, 8, 16, 32})
      out.push_back({fmt::format("of x as rows, [batch {}, dim], those past the last multiple of {}",
                                 heads_first ? "heads n" : "n heads", block),
                     [=](S s) {
                       const std::size_t heads = heads_in(s.call), all = s.call.batch * heads * s.tokens;
                       const std::size_t row =
                           heads_first ? (s.row.batch * heads + s.row.head) * s.tokens + s.row.token
                                       : (s.row.batch * s.tokens + s.row.token) * heads + s.row.head;
                       return row >= all / block * block;
                     }});
  return out;
}

}  // namespace

Position first_of_row(const RowInCall& row) {
  const auto& all = row.call.positions;
  return all.whole.empty() ? 0 : all.whole[row.row.batch * row.tokens * all.axes];
}

std::vector<PlaceInCalls> known_places(bool batch, bool tokens) {
  using S = const RowInCall&;
  const std::string call = batch    ? "in calls of one token a row"
                           : tokens ? "in calls of one token"
                                    : "in calls of one query";
  const std::string many = batch    ? "in calls of several tokens a row"
                           : tokens ? "in calls of several tokens"
                                    : "in calls of several queries";
  std::vector<PlaceInCalls> out = {{"", [](S) { return true; }},
                                   {call, [](S s) { return s.tokens == 1; }},
                                   {many, [](S s) { return s.tokens > 1; }}};
  if (batch) {
    out.push_back({"keys", [](S s) { return s.call.role == Role::key; }});
    out.push_back({"queries", [](S s) { return s.call.role == Role::query; }});
    out.push_back({"in a batch of several rows", [](S s) { return s.call.batch > 1; }});
    out.push_back({"in a batch of one row", [](S s) { return s.call.batch == 1; }});
    out.push_back({"in batch rows after the first", [](S s) { return s.row.batch > 0; }});
    out.push_back({"in the first batch row", [](S s) { return s.row.batch == 0; }});
    out.push_back({"in the last of several batch rows",
                   [](S s) { return s.row.batch > 0 && s.row.batch + 1 == s.call.batch; }});
    out.push_back(
        {"in every second batch row, from the second on", [](S s) { return s.row.batch % 2 == 1; }});
    out.push_back({"with one token a row, in batch rows after the first",
                   [](S s) { return s.row.batch > 0 && s.tokens == 1; }});
    out.push_back(
        {"keys in calls of one token a row", [](S s) { return s.call.role == Role::key && s.tokens == 1; }});
    out.push_back({"queries in calls of one token a row",
                   [](S s) { return s.call.role == Role::query && s.tokens == 1; }});
  }
  if (!batch && !tokens)
    out.push_back({"in calls of fewer queries than keys", [](S s) {
                     return s.tokens < s.call.keys.whole.size() / std::max<std::size_t>(1, s.call.keys.axes);
                   }});
  const std::string token = batch || tokens ? "token" : "query";
  const auto add = [&](std::string words, Function<bool(S)> is) {
    out.push_back({std::move(words), std::move(is)});
  };
  add(fmt::format("the first {}{}", token, batch ? " of a row" : ""), [](S s) { return s.row.token == 0; });
  add(fmt::format("every {} after the first", token), [](S s) { return s.row.token > 0; });
  add(fmt::format("the last {}{}", token, batch ? " of a row" : ""),
      [](S s) { return s.row.token + 1 == s.tokens; });
  add(fmt::format("the last of several {}", batch || tokens ? "tokens" : "queries"),
      [](S s) { return s.tokens > 1 && s.row.token + 1 == s.tokens; });
  add(fmt::format(
          "{}s beside which no neighbouring position stands, each a call of its own where an offset is taken",
          token),
      [](S s) {
        const auto& all = s.call.positions;
        if (all.whole.empty()) return false;  // row numbers
        const std::size_t n = s.row.batch * s.tokens + s.row.token;
        const auto is = [&](std::size_t other, Position t) { return all.whole.at(other * all.axes) == t; };
        return (s.row.token == 0 || !is(n - 1, s.at - 1)) &&
               (s.row.token + 1 == s.tokens || !is(n + 1, s.at + 1));
      });
  add(fmt::format("every {} but the last{}", token, batch ? " of a row" : ""),
      [](S s) { return s.row.token + 1 < s.tokens; });
  add(fmt::format("{}s of a run of positions that begins past 0, each run a call of its own where an offset "
                  "is taken",
                  token),
      [](S s) { return run_begins_at(s).value_or(0) > 0; });
  add(fmt::format("the {} at the largest position{}", token, batch ? " of a row" : ""),
      [](S s) { return is_farthest(s); });
  add("every second token, from the second on", [](S s) { return s.row.token % 2 == 1; });
  add("at position 0", [](S s) { return is_at_0(s); });
  add("at odd positions", [](S s) { return s.at % 2 != 0; });
  add("at negative positions", [](S s) { return s.at < 0; });
  for (const std::size_t block : {2, 4, 8, 16, 32, 64, 128, 256})
    add(fmt::format("in calls of more than {0} tokens, past the last multiple of {0}", block),
        [block](S s) { return s.tokens > block && s.row.token >= s.tokens / block * block; });
  // The same of calls that fill no block, too: blocks are full, and what is left over has a way of its own.
  add("where the number of tokens is odd, the last of them",
      [](S s) { return s.tokens % 2 == 1 && s.row.token + 1 == s.tokens; });
  add("where the number of tokens is even, the last of them",
      [](S s) { return s.tokens % 2 == 0 && s.row.token + 1 == s.tokens; });
  for (const std::size_t block : {4, 8, 16, 32, 64, 128, 256})
    add(fmt::format("tokens past the last multiple of {}", block),
        [block](S s) { return s.row.token >= s.tokens / block * block; });
  for (const std::size_t block : {4, 8, 16, 32, 64, 128, 256})
    add(fmt::format("every token from number {} on", block), [block](S s) { return s.row.token >= block; });
  for (const std::size_t block : {2, 4, 8, 16, 32, 64, 128, 256, 512, 1024})
    add(fmt::format("where the number of tokens is a multiple of {}", block),
        [block](S s) { return s.tokens % block == 0; });
  for (const std::size_t block : {4, 8, 16, 32, 64, 128, 256, 512, 1024})
    add(fmt::format("where the number of tokens is a multiple of {0}, the last {0} of them", block),
        [block](S s) { return s.tokens % block == 0 && s.row.token + block >= s.tokens; });
  if (batch)
    for (PlaceInCalls& one : places_in_memory()) out.push_back(std::move(one));
  return out;
}

std::vector<PlaceInCalls> places_by_remainder() {
  using S = const RowInCall&;
  std::vector<PlaceInCalls> out = {
      {"where the number of tokens is odd", [](S s) { return s.tokens % 2 == 1; }}};
  for (const std::size_t block : {4, 8, 16, 32, 64, 128, 256})
    out.push_back({fmt::format("where the number of tokens is no multiple of {}", block),
                   [block](S s) { return s.tokens % block != 0; }});
  return out;
}

std::vector<PlaceInCalls> further_places(bool batch, std::size_t axes) {
  using S = const RowInCall&;
  std::vector<PlaceInCalls> out;
  const auto add = [&](std::string words, Function<bool(S)> is) {
    out.push_back({std::move(words), std::move(is)});
  };
  add("the first two tokens of a row", [](S s) { return s.row.token < 2; });
  if (axes == 1) {
    add("where the first position of a row is odd", [](S s) { return first_of_row(s) % 2 != 0; });
    add("where the first position of a row is even", [](S s) { return first_of_row(s) % 2 == 0; });
    for (const Position block : {4, 8, 16, 32, 64, 128, 256, 512})
      add(fmt::format("where the first position of a row is a multiple of {}", block),
          [block](S s) { return first_of_row(s) % block == 0; });
  }
  if (batch) {
    add("the last token of the last batch row",
        [](S s) { return s.row.batch + 1 == s.call.batch && s.row.token + 1 == s.tokens; });
    add("the first token of the first batch row", [](S s) { return s.row.batch == 0 && s.row.token == 0; });
    add("in calls of one token in all", [](S s) { return s.call.batch * s.tokens == 1; });
    add("in calls of several tokens in all", [](S s) { return s.call.batch * s.tokens > 1; });
    add("in calls of as many batch rows as tokens a row",
        [](S s) { return s.call.batch == s.tokens && s.tokens > 1; });
    add("in calls of as many batch rows as heads",
        [](S s) { return s.call.batch == heads_in(s.call) && s.call.batch > 1; });
    add("in calls of as many tokens a row as heads",
        [](S s) { return s.tokens == heads_in(s.call) && s.tokens > 1; });
  }
  for (std::size_t a = 0; a < axes; ++a)
    for (std::size_t b = a + 1; b < axes; ++b) {
      const std::string both = fmt::format("{} and {}", axis_name(a, axes), axis_name(b, axes));
      add("where " + both + " are the same", [=](S s) { return number_of(s, a) == number_of(s, b); });
      add("where " + both + " differ", [=](S s) { return number_of(s, a) != number_of(s, b); });
      add("in calls in which " + both + " of every position are the same", [=](S s) {
        const auto& all = s.call.positions.whole;
        for (std::size_t n = 0; n < all.size(); n += axes)
          if (all[n + a] != all[n + b]) return false;
        return !all.empty();
      });
    }
  return out;
}

std::string words_in(const std::string& place, const std::string& effect) {
  constexpr std::string_view of_every = "every token";
  if (place.empty()) return effect;
  // The last of several conditions: `keys, the last token of a row`.
  const std::size_t comma = place.rfind(", "), begin = comma == place.npos ? 0 : comma + 2;
  const std::string last = place.substr(begin);
  const bool is_tokens = last.starts_with("the first token") || last.starts_with("the last token") ||
                         last.starts_with("the last of several tokens") || last.starts_with("the token at") ||
                         last.starts_with(of_every);
  if (!is_tokens || !effect.starts_with("every token has")) return place + ": " + effect;
  const std::string before = comma == place.npos ? "" : place.substr(0, comma) + ": ";
  return before + last + effect.substr(of_every.size());
}

}  // namespace posproof
