#include "diagnosis/position_effects.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <vector>

namespace posproof {

Position rounded_to_digits(Position t, int digits) {
  const auto value = static_cast<double>(t);
  int exponent = 0;
  const double fraction = std::frexp(value, &exponent);
  return static_cast<Position>(std::ldexp(std::nearbyint(std::ldexp(fraction, digits)), exponent - digits));
}

namespace {

using Row = std::span<const Position>;
using OfRow = void (*)(Row row, std::span<Position> other);

// Of so many tokens at once, axis by axis: what is found by looking at all of them is found once.
Effect effect_on_tokens_at_once(std::string words, OfRow other, std::size_t (*tokens_of)(const Call&)) {
  return effect_on_calls(std::move(words), [other, tokens_of](Call& call) {
    TokenPositions& given = call.positions;
    const std::size_t all = given.whole.size() / given.axes, tokens = tokens_of(call);
    std::vector<Position> row(tokens), changed(tokens);
    for (std::size_t axis = 0; axis < given.axes; ++axis)
      for (std::size_t first = 0; first < all; first += tokens) {  // none where there are no tokens
        const auto at = [&](std::size_t n) -> Position& {
          return given.whole[(first + n) * given.axes + axis];
        };
        for (std::size_t n = 0; n < tokens; ++n) row[n] = at(n);
        other(row, changed);
        for (std::size_t n = 0; n < tokens; ++n) at(n) = changed[n];
      }
  });
}

Effect effect_on_rows(std::string words, OfRow other) {
  return effect_on_tokens_at_once(std::move(words), other, [](const Call& call) {
    return call.positions.whole.size() / call.positions.axes / std::max<std::size_t>(call.batch, 1);
  });
}

Effect effect_on_batches(std::string words, OfRow other) {
  return effect_on_tokens_at_once(std::move(words), other, [](const Call& call) {
    return call.positions.whole.size() / call.positions.axes;
  });
}

// Packed sequences whose boundaries are seen where a position is smaller than the one before.
void on_until_they_fall(Row row, std::span<Position> other) {
  for (std::size_t n = 0; n < row.size(); ++n)
    other[n] = n == 0 || row[n] < row[n - 1] ? row[n] : other[n - 1] + 1;
}

// Packed sequences each of which is taken to begin at 0.
void runs_from_0(Row row, std::span<Position> other) {
  for (std::size_t n = 0; n < row.size(); ++n)
    other[n] = n == 0 || row[n] != row[n - 1] + 1 ? 0 : other[n - 1] + 1;
}

// A sequence that is shared out among two, each of which counts its own tokens.
void modulo_half(Row row, std::span<Position> other) {
  const Position all = std::ranges::max(row) + 1, half = std::max((all + 1) / 2, Position{1});
  for (std::size_t n = 0; n < row.size(); ++n) other[n] = (row[n] % half + half) % half;
}

std::vector<Position> sorted(Row row) {
  std::vector<Position> rising(row.begin(), row.end());
  std::ranges::sort(rising);
  return rising;
}

// argsort: entry n is the token that comes n-th, of equal ones the first first.
std::vector<std::size_t> in_rising_order(Row row) {
  std::vector<std::size_t> order(row.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, {}, [row](std::size_t n) { return row[n]; });
  return order;
}

void put_back_by_the_order(Row row, std::span<Position> other) {
  const std::vector<Position> rising = sorted(row);
  const std::vector<std::size_t> order = in_rising_order(row);
  for (std::size_t n = 0; n < row.size(); ++n) other[n] = rising[order[n]];
}

// What finds the row of a position in those of the distinct ones by counting from the smallest on, as if no
// position were missing; past the last one it finds that.
void among_distinct(Row row, std::span<Position> other) {
  std::vector<Position> distinct = sorted(row);
  distinct.erase(std::unique(distinct.begin(), distinct.end()), distinct.end());
  const auto last = static_cast<Position>(distinct.size()) - 1;
  for (std::size_t n = 0; n < row.size(); ++n)
    other[n] = distinct[static_cast<std::size_t>(std::min(row[n] - distinct.front(), last))];
}

void from_the_smallest(Row row, std::span<Position> other) {
  const Position least = *std::ranges::min_element(row);
  for (std::size_t n = 0; n < row.size(); ++n) other[n] = row[n] - least;
}

void all_the_largest(Row row, std::span<Position> other) {
  std::ranges::fill(other, *std::ranges::max_element(row));
}

void all_the_smallest(Row row, std::span<Position> other) {
  std::ranges::fill(other, *std::ranges::min_element(row));
}

void at_most_one_less_than_the_largest(Row row, std::span<Position> other) {
  const Position most = *std::ranges::max_element(row) - 1;
  for (std::size_t n = 0; n < row.size(); ++n) other[n] = std::min(row[n], most);
}

void largest_so_far(Row row, std::span<Position> other) {
  Position most = row.front();
  for (std::size_t n = 0; n < row.size(); ++n) other[n] = most = std::max(most, row[n]);
}

// Of positions that follow each other the first, as an offset that a call is given.
template <int digits>
void on_from_a_rounded_one(Row row, std::span<Position> other) {
  for (std::size_t n = 0, first = 0; n < row.size(); ++n) {
    if (n > 0 && row[n] != row[n - 1] + 1) first = n;
    other[n] = rounded_to_digits(row[first], digits) + row[n] - row[first];
  }
}

// Context parallelism gives rank r of so many the chunks r and 2 ranks - 1 - r of a sequence, so that all
// have as much to do under a causal mask; its tokens then stand in that order.
Effect in_zigzag(std::size_t ranks) {
  return effect_on_positions(
      fmt::format("where the number of tokens is a multiple of {0}, the positions of a row are in the zigzag "
                  "order of {1} ranks: chunks 1, {0}, 2, {2} and so on, of {0}",
                  2 * ranks, ranks, 2 * ranks - 1),
      [chunks = 2 * ranks](const TokenOf& t) {
        if (t.tokens % chunks != 0) return t.at;
        const std::size_t size = t.tokens / chunks, at = t.token / size, rank = at / 2;
        const std::size_t chunk = at % 2 == 0 ? rank : chunks - 1 - rank;
        return t.of_row()[chunk * size + t.token % size];
      });
}

}  // namespace

std::vector<Effect> effects_of_row_positions() {
  using T = const TokenOf&;
  std::vector<Effect> out = {
      effect_on_positions("positions count as 0", [](T) { return Position{0}; }),
      effect_on_positions("positions are one ahead", [](T t) { return t.at + 1; }),
      effect_on_positions("positions are one behind", [](T t) { return t.at - 1; }),
      effect_on_positions("positions are one behind, 0 as it is",
                          [](T t) { return t.at == 0 ? t.at : t.at - 1; }),
      effect_on_positions("positions are two ahead", [](T t) { return t.at + 2; }),
      effect_on_positions("positions count as 1", [](T) { return Position{1}; }),
      effect_on_positions("positions are doubled", [](T t) { return 2 * t.at; }),
      effect_on_positions("positions are tripled", [](T t) { return 3 * t.at; }),
      effect_on_positions("positions are halved, rounded down",
                          [](T t) { return t.at >= 0 ? t.at / 2 : -((1 - t.at) / 2); }),
      effect_on_positions("positions have the other sign", [](T t) { return -t.at; }),
      effect_on_positions("positions below 0 count as their absolute value",
                          [](T t) { return std::abs(t.at); }),
      effect_on_positions("positions below 0 count as 0", [](T t) { return std::max(t.at, Position{0}); }),
      effect_on_positions("tokens are numbered from 0 in each row, whatever their positions",
                          [](T t) { return static_cast<Position>(t.token); }),
      effect_on_positions("tokens are numbered from 1 in each row, whatever their positions",
                          [](T t) { return static_cast<Position>(t.token + 1); }),
      effect_on_positions("tokens are numbered from 0 through the whole batch, whatever their positions",
                          [](T t) { return static_cast<Position>(t.row * t.tokens + t.token); }),
      effect_on_positions("tokens are numbered from the last to the first, whatever their positions",
                          [](T t) { return static_cast<Position>(t.tokens - 1 - t.token); }),
      effect_on_positions("tokens count on from the first of their row",
                          [](T t) { return t.first() + static_cast<Position>(t.token); }),
      effect_on_positions("tokens count back from the last of their row",
                          [](T t) { return t.last() - static_cast<Position>(t.tokens - 1 - t.token); }),
      effect_on_rows("tokens count on by one from the one before, but where positions fall",
                     &on_until_they_fall),
      effect_on_rows("each run of positions that follow each other is counted from 0", &runs_from_0),
      effect_on_rows("positions are taken modulo half of m + 1, rounded up, m being the largest of the row",
                     &modulo_half),
      effect_on_positions("tokens count on from the first of the batch",
                          [](T t) { return t.all.front() + static_cast<Position>(t.token); }),
      effect_on_positions("positions are relative to the first of their row",
                          [](T t) { return t.at - t.first(); }),
      effect_on_positions("positions are relative to the last of their row",
                          [](T t) { return t.at - t.last(); }),
      effect_on_rows("positions are relative to the smallest of their row", &from_the_smallest),
      effect_on_batches("positions are relative to the smallest of the batch", &from_the_smallest),
      effect_on_rows(
          "positions of a row are sorted, the smallest first",
          [](Row row, std::span<Position> other) { std::ranges::copy(sorted(row), other.begin()); }),
      effect_on_rows("positions of a row are sorted, and put back by the permutation that sorts them "
                     "instead of its inverse",
                     &put_back_by_the_order),
      effect_on_rows("the distinct positions of a row stand in a list, in which position t is taken for "
                     "entry t - t_min, as if none were missing",
                     &among_distinct),
      effect_on_positions("where a row of n tokens ends n - 1 behind its first position, its tokens count on "
                          "from that, whatever stands between",
                          [](T t) {
                            const auto n = static_cast<Position>(t.token);
                            const auto all = static_cast<Position>(t.tokens);
                            return t.last() - t.first() == all - 1 ? t.first() + n : t.at;
                          }),
      effect_on_positions("every token has the position of the first of its row",
                          [](T t) { return t.first(); }),
      effect_on_positions("every token has the position of the last of its row",
                          [](T t) { return t.last(); }),
      effect_on_positions("every token has the position of the first of the batch",
                          [](T t) { return t.all.front(); }),
      effect_on_batches("every token has the largest position of the batch", &all_the_largest),
      effect_on_batches("every token has the smallest position of the batch", &all_the_smallest),
      effect_on_rows("every token has the largest position of its row", &all_the_largest),
      effect_on_positions("positions count as the number of tokens in the row",
                          [](T t) { return static_cast<Position>(t.tokens); }),
      effect_on_positions("positions count as the number of tokens in the row, less one",
                          [](T t) { return static_cast<Position>(t.tokens) - 1; }),
      effect_on_positions("positions past n - 1 count as n - 1, n being the number of tokens in the row",
                          [](T t) { return std::min(t.at, static_cast<Position>(t.tokens) - 1); }),
      effect_on_positions("positions are taken modulo the number of tokens in the row",
                          [](T t) {
                            const auto n = static_cast<Position>(t.tokens);
                            return ((t.at % n) + n) % n;
                          }),
      effect_on_positions("the number of the token is added to its position",
                          [](T t) { return t.at + static_cast<Position>(t.token); }),
      effect_on_positions("the number of tokens is added to every position",
                          [](T t) { return t.at + static_cast<Position>(t.tokens); }),
      effect_on_positions("the number of the batch row is added to every position",
                          [](T t) { return t.at + static_cast<Position>(t.row); }),
      effect_on_positions("batch rows after the first have their tokens at position 0",
                          [](T t) { return t.row == 0 ? t.at : Position{0}; }),
      effect_on_positions("every row of the batch has the positions of the first",
                          [](T t) { return t.all[t.token]; }),
      // As where an operator is told by the first row that one number says where each row begins.
      effect_on_positions("where the positions of the first row follow each other, every row of the batch "
                          "has them",
                          [](T t) {
                            for (std::size_t n = 1; n < t.tokens; ++n)
                              if (t.all[n] != t.all[n - 1] + 1) return t.at;
                            return t.all[t.token];
                          }),
      effect_on_positions("every row of the batch has the positions of the last",
                          [](T t) { return t.all[(t.batch - 1) * t.tokens + t.token]; }),
      effect_on_positions("every token has the largest position that stands at its place in a row",
                          [](T t) {
                            Position most = t.at;
                            for (std::size_t row = 0; row < t.batch; ++row)
                              most = std::max(most, t.all[row * t.tokens + t.token]);
                            return most;
                          }),
      effect_on_positions("rows of the batch have each other's positions, in reverse order",
                          [](T t) { return t.all[(t.batch - 1 - t.row) * t.tokens + t.token]; }),
      effect_on_positions("every row of the batch has the positions of the row before, the first of the last",
                          [](T t) { return t.all[(t.row + t.batch - 1) % t.batch * t.tokens + t.token]; }),
      effect_on_positions("every row of the batch has the positions of the row after, the last of the first",
                          [](T t) { return t.all[(t.row + 1) % t.batch * t.tokens + t.token]; }),
      effect_on_positions("tokens of a row have each other's positions, in reverse order",
                          [](T t) { return t.all[t.row * t.tokens + t.tokens - 1 - t.token]; }),
      effect_on_positions("every token has the position of the one before it in its row",
                          [](T t) { return t.all[t.row * t.tokens + (t.token == 0 ? 0 : t.token - 1)]; }),
      effect_on_positions("every token has the position of the one after it in its row",
                          [](T t) { return t.all[t.row * t.tokens + std::min(t.token + 1, t.tokens - 1)]; }),
      effect_on_positions("every token has the position of the one before it in its row, the first that of "
                          "the last",
                          [](T t) { return t.of_row()[(t.token + t.tokens - 1) % t.tokens]; }),
      effect_on_positions("every token has the position of the one after it in its row, the last that of the "
                          "first",
                          [](T t) { return t.of_row()[(t.token + 1) % t.tokens]; }),
      effect_on_positions("every token has the position of the one after it in the batch, the last that of "
                          "the first",
                          [](T t) { return t.all[(t.row * t.tokens + t.token + 1) % t.all.size()]; }),
      effect_on_positions("positions are read column by column where they lie row by row",
                          [](T t) { return t.all[t.token * t.batch + t.row]; }),
      effect_on_positions("positions are laid out column by column and read row by row",
                          [](T t) {
                            const std::size_t n = t.row * t.tokens + t.token;
                            return t.all[n % t.batch * t.tokens + n / t.batch];
                          }),
      effect_on_positions("the first two tokens of a row have each other's positions",
                          [](T t) {
                            const bool two = t.tokens > 1 && t.token < 2;
                            return two ? t.of_row()[1 - t.token] : t.at;
                          }),
      effect_on_positions("every second token of a row and the one before it have each other's positions",
                          [](T t) {
                            const std::size_t other = t.token % 2 == 0 ? t.token + 1 : t.token - 1;
                            return other < t.tokens ? t.of_row()[other] : t.at;
                          }),
      effect_on_rows("no position is smaller than one before it in its row: the largest so far counts",
                     &largest_so_far),
      effect_on_batches("positions past m - 1 count as m - 1, m being the largest of the call",
                        &at_most_one_less_than_the_largest),
      effect_on_positions("every token of batch row b has the position of token b of its row",
                          [](T t) { return t.of_row()[t.row % t.tokens]; }),
      effect_on_positions("where the number of tokens is a multiple of 16, the first two of 16 have each "
                          "other's positions",
                          [](T t) {
                            const std::size_t n = t.row * t.tokens + t.token;
                            if (t.tokens % 16 != 0 || n % 16 > 1) return t.at;
                            return t.all[n % 16 == 0 ? n + 1 : n - 1];
                          }),
      // Halves of little-endian numbers, those of negative ones with their sign.
      effect_on_positions(
          "positions of 64 bits are read as 32 bits: of all tokens the 2nd, 4th and so on are "
          "at 0, and those between at the positions of the first half",
          [](T t) {
            const std::size_t n = t.row * t.tokens + t.token;
            return n % 2 == 0 ? Position{static_cast<std::int32_t>(t.all[n / 2])} : t.all[n / 2] >> 32;
          }),
      effect_on_positions("positions are cut to 16 bits, with a sign",
                          [](T t) { return static_cast<Position>(static_cast<std::int16_t>(t.at)); }),
      effect_on_positions("positions are rounded to bf16: from 257 on neighbours coincide",
                          [](T t) { return rounded_to_digits(t.at, 8); }),
      effect_on_positions(
          "positions are rounded to 11 bits, as in f16 or tf32: from 2049 on neighbours coincide",
          [](T t) { return rounded_to_digits(t.at, 11); }),
      effect_on_positions("positions are counted from 1 in bf16: from 256 on neighbours coincide",
                          [](T t) { return rounded_to_digits(t.at + 1, 8) - 1; }),
      effect_on_positions(
          "positions are counted from 1 in 11 bits, as in f16 or tf32: from 2048 on neighbours coincide",
          [](T t) { return rounded_to_digits(t.at + 1, 11) - 1; }),
      effect_on_rows(
          "the first of positions that follow each other is rounded to bf16, and the others count on "
          "from it",
          &on_from_a_rounded_one<8>),
      effect_on_rows(
          "the first of positions that follow each other is rounded to 11 bits, as in f16 or tf32, "
          "and the others count on from it",
          &on_from_a_rounded_one<11>)};
  for (const std::size_t ranks : {2, 4, 8}) out.push_back(in_zigzag(ranks));
  // Blocks of a kernel that each read the positions of their first row.
  for (const std::size_t block : {2, 4, 8, 16, 32, 64, 128})
    out.push_back(effect_on_positions(
        fmt::format("every batch row has the positions of the first of its block of {}", block),
        [block](T t) { return t.all[t.row / block * block * t.tokens + t.token]; }));
  // Blocks of a kernel that each read the position of their first token.
  for (const std::size_t block : {2, 4, 8, 16, 32, 64, 128})
    out.push_back(effect_on_positions(
        fmt::format("tokens count on from the first of their block of {} in a row", block), [block](T t) {
          return t.of_row()[t.token / block * block] + static_cast<Position>(t.token % block);
        }));
  // Blocks of a kernel that each begin at the first token.
  for (const std::size_t block : {16, 32, 64, 128, 256, 512, 1024, 2048})
    out.push_back(effect_on_positions(
        fmt::format("the tokens of a row have the positions of the first {0} again and again", block),
        [block](T t) { return t.of_row()[t.token % block]; }));
  return out;
}

std::vector<Effect> effects_of_head_positions() {
  using T = const TokenOf&;
  return {
      effect_on_positions(
          "the number of the head is added to every position",
          [](T t) { return t.at + static_cast<Position>(t.head); }, true),
      effect_on_positions(
          "the number of the head stands for every position",
          [](T t) { return static_cast<Position>(t.head); }, true),
      effect_on_positions(
          "head h of every batch row has the positions of batch row h, modulo the number of rows",
          [](T t) { return t.all[t.head % t.batch * t.tokens + t.token]; }, true),
      // The heads' axis is taken for that of the tokens.
      effect_on_positions(
          "heads count on from the first token of their row: all tokens of head h have its position and h",
          [](T t) { return t.first() + static_cast<Position>(t.head); }, true),
      effect_on_positions(
          "every token of head h has the position of token h of its row",
          [](T t) { return t.of_row()[t.head % t.tokens]; }, true),
      effect_on_positions(
          "token n of head h has the position of token (n heads + h) mod n_all",
          [](T t) { return t.of_row()[(t.token * t.heads + t.head) % t.tokens]; }, true),
      effect_on_positions(
          "token n of head h has the position of token (h n_all + n) / heads mod n_all",
          [](T t) {
            const std::size_t other = (t.head * t.tokens + t.token) / t.heads % t.tokens;
            return t.all[t.row * t.tokens + other];
          },
          true)};
}

// A key's head past its own ones is one of those again (subject/subject.h).
std::vector<Effect> effects_of_fewer_key_heads(std::size_t of_queries, std::size_t of_keys) {
  using T = const TokenOf&;
  const auto number = [of_keys](T t) { return t.head % of_keys; };
  return {
      effect_on_positions(
          fmt::format("row r of [batch, n, heads] of keys has the position of token r / {}, as if keys had "
                      "the heads of queries, not r / {}",
                      of_queries, of_keys),
          [=](T t) { return t.all[((t.row * t.tokens + t.token) * of_keys + number(t)) / of_queries]; },
          true),
      effect_on_positions(
          fmt::format("row r of [batch, heads] of keys has the positions of batch row r / {}, as if keys "
                      "had the heads of queries, not r / {}",
                      of_queries, of_keys),
          [=](T t) { return t.all[(t.row * of_keys + number(t)) / of_queries * t.tokens + t.token]; }, true),
      effect_on_positions(
          fmt::format(
              "row r of [n, heads] of a batch row's keys has the position of token r / {}, as if keys "
              "had the heads of queries, not r / {}",
              of_queries, of_keys),
          [=](T t) { return t.of_row()[(t.token * of_keys + number(t)) / of_queries]; }, true),
      // A grid of programs, one for each key and head, that are numbered as those of queries.
      effect_on_positions(
          fmt::format(
              "only the first {1} in {0} of the keys are rotated, as if keys had the heads of queries",
              of_queries, of_keys),
          [=](T t) {
            const std::size_t token = t.row * t.tokens + t.token;
            return token * of_queries + number(t) < t.batch * t.tokens * of_keys ? t.at : Position{0};
          },
          true),
      effect_on_positions(
          fmt::format(
              "of each batch row only the first {1} in {0} of the keys are rotated, as if keys had the heads "
              "of queries",
              of_queries, of_keys),
          [=](T t) { return t.token * of_queries + number(t) < t.tokens * of_keys ? t.at : Position{0}; },
          true)};
}

}  // namespace posproof
