#include "diagnosis/memory_effects.h"

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace posproof {
namespace {

using AllPositions = std::vector<Position>;

// What changes the positions of a call, row by row of so many, by what the calls before left; and leaves what
// the next one finds.
template <class Left>
using Changes = void (*)(AllPositions& positions, std::size_t batch, Left& left);

template <class Left>
Effect leaving(std::string words, Changes<Left> change) {
  return {std::move(words), [change] {
            return [change, left = std::make_shared<Left>()](const Call& call, std::size_t, std::size_t) {
              Instead out{call};
              change(out.call.positions.whole, call.batch, *left);
              return out;
            };
          }};
}

// ---- positions of another call of this shape

using RowsAndTokens = std::pair<std::size_t, std::size_t>;  // rows, tokens in all

RowsAndTokens rows_and_tokens(const Call& call) {
  return {call.batch, call.positions.whole.size()};
}

// Rows and tokens as one number, and one of the positions; 0 where there is none.
template <class Of>
RowsAndTokens and_one_of(const Call& call, const Of& of) {
  const auto& all = call.positions.whole;
  return {call.batch << 32 | all.size(), all.empty() ? 0 : static_cast<std::size_t>(of(all))};
}

// The first call with such a key decides.
Effect first_of(std::string words, RowsAndTokens (*key_of)(const Call&)) {
  return {std::move(words), [key_of] {
            return [key_of, first = std::make_shared<std::map<RowsAndTokens, AllPositions>>()](
                       const Call& call, std::size_t, std::size_t) {
              Instead out{call};
              out.call.positions.whole = first->try_emplace(key_of(call), call.positions.whole).first->second;
              return out;
            };
          }};
}

// The same of the tokens of a row: of a call whose rows are alike, as one is that is given an offset.
Effect first_row_of_as_many_tokens() {
  return {"the first call with so many tokens a row decides on the positions of every row of all later ones",
          [] {
            return [first = std::make_shared<std::map<std::size_t, AllPositions>>()](
                       const Call& call, std::size_t, std::size_t) {
              Instead out{call};
              AllPositions& all = out.call.positions.whole;
              if (call.batch == 0 || all.empty()) return out;
              const std::size_t tokens = all.size() / call.batch;
              const AllPositions row(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(tokens));
              const AllPositions& kept = first->try_emplace(tokens, row).first->second;
              for (std::size_t n = 0; n < all.size(); ++n) all[n] = kept[n % tokens];
              return out;
            };
          }};
}

// Kept until a call renews them.
Effect kept_until(std::string words, bool (*renews)(const Call& call, const Call& kept)) {
  return {std::move(words), [renews] {
            return [renews, kept = std::make_shared<Call>()](const Call& call, std::size_t, std::size_t) {
              if (renews(call, *kept)) *kept = call;
              Instead out{call};
              out.call.positions = kept->positions;
              return out;
            };
          }};
}

// Of each row so many as the call has, the first ones of the row that is kept; kept until a call has more
// tokens or other rows.
Effect cut_from_kept() {
  return {"positions stay for later calls of as many rows and fewer tokens, cut off", [] {
            return [kept = std::make_shared<Call>()](const Call& call, std::size_t, std::size_t) {
              Instead out{call};
              const std::size_t has = call.positions.whole.size(), of_kept = kept->positions.whole.size();
              if (has == 0) return out;
              if (call.batch != kept->batch || has >= of_kept) {
                *kept = call;
                return out;
              }
              const std::size_t own = has / call.batch, row = of_kept / call.batch;
              for (std::size_t n = 0; n < has; ++n)
                out.call.positions.whole[n] = kept->positions.whole[n / own * row + n % own];
              return out;
            };
          }};
}

// ---- a number that calls leave

struct FirstCall {
  bool seen = false;
};
struct NextPosition {
  Position next = 0;
};
struct LargestSoFar {
  std::optional<Position> largest;

  void see(const AllPositions& positions) {
    for (const Position t : positions) largest = std::max(largest.value_or(t), t);
  }
};
// A table that is made anew, for so many, when a call needs more than `spare` past its last row.
struct RowsHeld {
  std::optional<Position> last;

  void grow(const AllPositions& positions, Position spare, Position (*made_for)(Position)) {
    if (positions.empty()) return;
    const Position most = *std::ranges::max_element(positions);
    if (!last)
      last = most;
    else if (most > *last + spare)
      last = made_for(most);
  }
};
struct GrownOnce {
  std::optional<Position> first;
  bool grown = false;

  void see(const AllPositions& positions) {
    if (positions.empty()) return;
    const Position most = *std::ranges::max_element(positions);
    if (!first) first = most;
    grown = grown || most > *first;
  }
};
struct LastOfRows {
  AllPositions of_rows;
};

std::vector<Effect> of_a_number_that_is_left() {
  return {
      leaving<NextPosition>("every call counts on where the one before ended",
                            [](AllPositions& all, std::size_t, NextPosition& left) {
                              for (Position& t : all) t += left.next;
                              if (!all.empty()) left.next = all.back() + 1;
                            }),
      // A table that is made for the longest call, a row too short.
      leaving<LargestSoFar>("positions past m - 1 count as m - 1, m being the largest so far",
                            [](AllPositions& all, std::size_t, LargestSoFar& left) {
                              left.see(all);
                              for (Position& t : all) t = std::min(t, *left.largest - 1);
                            }),
      leaving<NextPosition>("the number of tokens of all calls before is added to every position",
                            [](AllPositions& all, std::size_t batch, NextPosition& left) {
                              for (Position& t : all) t += left.next;
                              left.next += batch == 0 ? 0 : static_cast<Position>(all.size() / batch);
                            }),
      // A cache that counts what it holds is asked for how much that is, and then told it, too.
      leaving<NextPosition>(
          "the number of tokens of all calls since one from position 0 on is added to every position",
          [](AllPositions& all, std::size_t batch, NextPosition& left) {
            if (batch == 0 || all.empty()) return;
            if (all.front() == 0) left.next = 0;
            for (Position& t : all) t += left.next;
            left.next += static_cast<Position>(all.size() / batch);
          }),
      // A table that is made in the first call, and does not grow.
      leaving<LargestSoFar>("positions past m count as m, m being the largest of the first call",
                            [](AllPositions& all, std::size_t, LargestSoFar& left) {
                              if (!left.largest) left.see(all);
                              for (Position& t : all) t = std::min(t, *left.largest);
                            }),
      leaving<LargestSoFar>("positions past m count as m, m being the largest of the calls before",
                            [](AllPositions& all, std::size_t, LargestSoFar& left) {
                              const auto before = left.largest;
                              left.see(all);
                              if (!before) return;
                              for (Position& t : all) t = std::min(t, *before);
                            }),
      leaving<LargestSoFar>("positions are taken modulo m + 1, m being the largest of the first call",
                            [](AllPositions& all, std::size_t, LargestSoFar& left) {
                              if (!left.largest) left.see(all);
                              if (left.largest.value_or(-1) < 0) return;
                              const Position n = *left.largest + 1;
                              for (Position& t : all) t = (t % n + n) % n;
                            }),
      // A table that grows for the position after the next alone.
      leaving<RowsHeld>(
          "a table with rows up to m, the largest position that it was made for, does not grow for "
          "m + 1, which counts as m",
          [](AllPositions& all, std::size_t, RowsHeld& left) {
            left.grow(all, 1, [](Position t) { return t; });
            for (Position& t : all) t = std::min(t, left.last.value_or(t));
          }),
      leaving<RowsHeld>(
          "a table with rows up to m, which doubles when it grows, does not grow for m + 1, which "
          "counts as m",
          [](AllPositions& all, std::size_t, RowsHeld& left) {
            left.grow(all, 1, [](Position t) { return 2 * t + 1; });
            for (Position& t : all) t = std::min(t, left.last.value_or(t));
          }),
      // Rows behind those of padding that growing puts there.
      leaving<LargestSoFar>("positions past m are one behind, m being the largest of the first call",
                            [](AllPositions& all, std::size_t, LargestSoFar& left) {
                              if (!left.largest) return left.see(all);
                              for (Position& t : all) t -= t > *left.largest ? 1 : 0;
                            }),
      leaving<GrownOnce>("once a call has had a larger position than the first one, positions are one behind",
                         [](AllPositions& all, std::size_t, GrownOnce& left) {
                           left.see(all);
                           for (Position& t : all) t -= left.grown ? 1 : 0;
                         }),
      leaving<GrownOnce>("once a call has had a larger position than the first one, positions are one ahead",
                         [](AllPositions& all, std::size_t, GrownOnce& left) {
                           left.see(all);
                           for (Position& t : all) t += left.grown ? 1 : 0;
                         }),
      // Decoding that counts its steps.
      leaving<NextPosition>("a single token counts on from the largest position of the last call of several "
                            "tokens, whatever its own",
                            [](AllPositions& all, std::size_t batch, NextPosition& left) {
                              if (all.empty()) return;
                              const bool single = all.size() == batch;
                              if (single && left.next > 0)
                                std::ranges::fill(all, left.next++);
                              else if (!single)
                                left.next = *std::ranges::max_element(all) + 1;
                            }),
      // A cache that counts what it holds.
      leaving<LargestSoFar>("a single token up to m counts as m + 1, m being the largest so far",
                            [](AllPositions& all, std::size_t batch, LargestSoFar& left) {
                              if (left.largest && all.size() == batch)
                                for (Position& t : all) t = std::max(t, *left.largest + 1);
                              left.see(all);
                            }),
      leaving<LargestSoFar>("positions up to m count as 0, m being the largest of the calls before",
                            [](AllPositions& all, std::size_t, LargestSoFar& left) {
                              const auto before = left.largest;
                              left.see(all);
                              if (!before) return;
                              for (Position& t : all) t = t <= *before ? 0 : t;
                            }),
      leaving<LargestSoFar>("positions up to m count as 0, m being the largest of the first call",
                            [](AllPositions& all, std::size_t, LargestSoFar& left) {
                              if (!left.largest) return left.see(all);
                              for (Position& t : all) t = t <= *left.largest ? 0 : t;
                            })};
}

// Of the rows of the call before, where it had as many.
std::vector<Effect> of_the_call_before() {
  static constexpr auto keep_last = [](const AllPositions& all, std::size_t batch, LastOfRows& left) {
    if (all.empty()) return;
    left.of_rows.clear();
    const std::size_t tokens = all.size() / batch;
    for (std::size_t row = 0; row < batch; ++row) left.of_rows.push_back(all[(row + 1) * tokens - 1]);
  };
  const auto from_last = [](std::string words, Changes<LastOfRows> change) {
    return leaving<LastOfRows>(std::move(words), change);
  };
  return {from_last("every token has the position of the last one of its row in the call before",
                    [](AllPositions& all, std::size_t batch, LastOfRows& left) {
                      const AllPositions own = all;
                      if (left.of_rows.size() == batch)
                        for (std::size_t n = 0; n < all.size(); ++n)
                          all[n] = left.of_rows[n / (all.size() / batch)];
                      keep_last(own, batch, left);
                    }),
          from_last("tokens count on from the last one of their row in the call before",
                    [](AllPositions& all, std::size_t batch, LastOfRows& left) {
                      const AllPositions own = all;
                      if (left.of_rows.size() == batch)
                        for (std::size_t n = 0; n < all.size(); ++n)
                          all[n] = left.of_rows[n / (all.size() / batch)] + 1 +
                                   static_cast<Position>(n % (all.size() / batch));
                      keep_last(own, batch, left);
                    })};
}

// Queries and keys each have a cache.
Effect counted_by_role() {
  return {
      "the number of tokens of all calls of queries, or of keys, since one from position 0 on is added to "
      "every position",
      [] {
        return [counts = std::make_shared<std::map<Role, Position>>()](const Call& call, std::size_t,
                                                                       std::size_t) {
          Instead out{call};
          AllPositions& all = out.call.positions.whole;
          if (call.batch == 0 || all.empty()) return out;
          Position& count = (*counts)[call.role];
          if (all.front() == 0) count = 0;
          for (Position& t : all) t += count;
          count += static_cast<Position>(all.size() / call.batch);
          return out;
        };
      }};
}

}  // namespace

std::vector<Effect> effects_of_memory() {
  std::vector<Effect> out = {
      leaving<FirstCall>("after the first call a single token counts as 0",
                         [](AllPositions& all, std::size_t batch, FirstCall& left) {
                           if (left.seen && all.size() == batch) std::ranges::fill(all, Position{0});
                           left.seen = true;
                         }),
      first_of("the first call with so many tokens decides on the positions of all later ones",
               [](const Call& call) {
                 return RowsAndTokens{0, call.positions.whole.size()};
               }),
      first_of("the first call with so many rows and tokens decides on the positions of all later ones",
               &rows_and_tokens),
      first_row_of_as_many_tokens(),
      kept_until(
          "positions stay as long as calls have the same number of rows and tokens",
          [](const Call& call, const Call& kept) { return rows_and_tokens(call) != rows_and_tokens(kept); }),
      kept_until(
          "positions of queries stay for keys, as long as those have the same number of rows and tokens",
          [](const Call& call, const Call& kept) {
            return call.role == Role::query || rows_and_tokens(call) != rows_and_tokens(kept);
          }),
      cut_from_kept(),
      first_of(
          "the first call with the same number of rows and tokens and the same first position decides on "
          "the others",
          [](const Call& call) { return and_one_of(call, [](const auto& all) { return all.front(); }); }),
      first_of(
          "the first call with the same number of rows and tokens and the same largest position decides on "
          "the others",
          [](const Call& call) { return and_one_of(call, std::ranges::max); })};
  for (auto more : {of_a_number_that_is_left(), of_the_call_before()})
    for (Effect& one : more) out.push_back(std::move(one));
  out.push_back(counted_by_role());
  for (Effect& one : out) one.remembers = true;
  return out;
}

}  // namespace posproof
