#include "run/long_cases_of_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <string>
#include <utility>

#include "core/draw.h"

namespace posproof::sized {
namespace {

// Rows that have more than 2^15 tokens together and, of two heads, more than 2^16 heads of a token: what
// counts them may have room for no more. None where the call has not, or the domain.
std::optional<Case> case_of_the_largest_batch(const Encoding& truth, const Domain& domain,
                                              const Contents& contents) {
  constexpr Position rows = 9;
  if (in_room(truth, most_sizes.past, rows, values_of_the_largest_call) < most_sizes.past)
    return std::nullopt;
  for (const Position tokens : {most_sizes.past, most_sizes.full})
    if (fits(tokens, domain)) return case_of_a_batch(truth, domain, rows, tokens, contents);
  return std::nullopt;
}

// Rows of a rotation that all begin at the first position, each arranged with 2 tokens more than the one
// before: of the first row, or of any, nothing is known of the others.
Case case_of_rows_apart(const Encoding& truth, const Domain& domain, Position rows, Position tokens,
                        const Arranged& as, const Contents& contents) {
  Case out = case_of_rows_of(truth, domain, rows, tokens, contents);
  arrange(out, as);
  out.set("role", std::string(as.role));
  for (Position row = 0; row < rows; ++row) begin(out, domain, static_cast<std::size_t>(row), tokens, 0);
  return out;
}

// Prompts of different lengths, padded on the left, or packed; and on a grid images of as many tokens, row by
// row, of other widths: 4 by 6 and 6 by 4.
std::vector<Case> cases_of_rows_apart(const Encoding& truth, const Domain& domain, const Contents& contents) {
  constexpr std::array<Arranged, 4> prompts = {{{"left_padded_apart", "padding", 0, "query"},
                                                {"left_padded_apart", "padding", 2, "key"},
                                                {"packed_apart", "packed", 0, "key"},
                                                {"packed_apart", "packed", 2, "query"}}};
  constexpr std::array<Arranged, 2> images = {
      {{"grids_apart", "columns", 4, "query"}, {"grids_apart", "columns", 4, "key"}}};
  std::vector<Case> out;
  for (const Position tokens : {5, 33})
    for (const Arranged& as : prompts)
      out.push_back(case_of_rows_apart(truth, domain, 3, tokens, as, contents));
  for (const Arranged& as : images)
    if (domain.axes > 1) out.push_back(case_of_rows_apart(truth, domain, 2, 24, as, contents));
  return out;
}

// Where rows begin: no two at the same position where the domain has room, or all at one, as those of a batch
// that is decoded in step.
enum class RowsBegin { apart, together };

Case case_of_rows(const Encoding& truth, const Domain& domain, std::int64_t tokens, const std::string& role,
                  const Contents& contents, RowsBegin begin, Position rows = many_rows) {
  constexpr Position together = 7;
  Case one = case_of_rows_of(truth, domain, rows, tokens, contents);
  one.set("role", role);
  for (Position r = 0; r < rows; ++r)
    for (Position token = 0; token < tokens; ++token)
      for (std::size_t axis = 0; axis < domain.axes; ++axis) {
        const Position span = domain.last(axis) - domain.lo + 1, step = std::max(tokens, span / rows);
        const Position first = begin == RowsBegin::apart ? r * step : together;
        put_number(one, static_cast<std::size_t>(r * tokens + token), axis,
                   domain.lo + (first + token + between_axes * static_cast<Position>(axis)) % span);
      }
  return one;
}

// Two numbers of every position are the same, and others are in turn smaller and larger. A program that takes
// such a call for text, whose numbers are all the same, by looking at two of them is right of nearly all
// calls that are drawn.
Case case_of_two_alike(const Encoding& truth, const Domain& domain, std::size_t one, std::size_t other,
                       const Contents& contents) {
  constexpr Position batch = 2, tokens = 2;
  Case out = case_of_rows_of(truth, domain, batch, tokens, contents);
  for (Position number = 0; number < batch * tokens; ++number)
    for (std::size_t axis = 0; axis < domain.axes; ++axis) {
      const Position span = domain.last(axis) - domain.lo + 1;
      const bool alike = axis == one || axis == other;
      const Position most =
          alike ? std::min(span, domain.last(one == axis ? other : one) - domain.lo + 1) : span;
      put_number(out, static_cast<std::size_t>(number), axis,
                 domain.lo + (alike ? number + 1 : number + number % 2 * 2) % most);
    }
  return out;
}

// Two rows of two tokens: the numbers of one position in each, the first or the last, are all the same, as
// those of text are, and of the other none are. A program that takes a call for text by looking at one token
// is right of nearly all calls that are drawn, and wrong of most prompts with an image.
Case case_of_one_text_token(const Encoding& truth, const Domain& domain, std::size_t text,
                            const Contents& contents) {
  constexpr Position apart = 3;
  Case out = case_of_rows_of(truth, domain, 2, 2, contents);
  for (std::size_t number = 0; number < 4; ++number)
    for (std::size_t axis = 0; axis < domain.axes; ++axis) {
      const bool of_text = number % 2 == text;
      Position most = domain.last(axis) - domain.lo + 1;
      for (std::size_t other = 0; of_text && other < domain.axes; ++other)
        most = std::min(most, domain.last(other) - domain.lo + 1);
      const auto row = static_cast<Position>(number / 2);
      const Position behind = 2 + row + (of_text ? 0 : apart * static_cast<Position>(domain.axes - 1 - axis));
      put_number(out, number, axis, domain.lo + behind % most);
    }
  return out;
}

// Two rows of two tokens, whose positions are neighbours in one of them alone. Rows that are drawn are
// arranged alike: a program that finds out from one row that positions follow each other is right of nearly
// all.
Case case_of_one_row_of_neighbours(const Encoding& truth, const Domain& domain, std::size_t row,
                                   const Contents& contents) {
  constexpr std::array<Position, 2> neighbours = {3, 4}, others = {6, 1};
  Case out = case_of_rows_of(truth, domain, 2, 2, contents);
  for (std::size_t number = 0; number < 4; ++number)
    for (std::size_t axis = 0; axis < domain.axes; ++axis) {
      const Position span = domain.last(axis) - domain.lo + 1;
      const Position behind = (number / 2 == row ? neighbours : others)[number % 2];
      put_number(out, number, axis, domain.lo + behind % span);
    }
  return out;
}

// The same with more tokens a row, of which one row ends just before the end of the domain, so that steps
// through the rest of it are of one; those of the other are through all of it.
std::optional<Case> case_of_one_row_of_steps_of_one(const Encoding& truth, const Domain& domain,
                                                    std::size_t row, const Contents& contents) {
  constexpr Position tokens = tile_edges.front();
  Case out = case_of_rows_of(truth, domain, 2, tokens, contents);
  out.set("arranged", std::string("spread"));
  for (std::size_t number = 0; number < 2; ++number)
    for (std::size_t axis = 0; axis < domain.axes; ++axis) {
      if (domain.last(axis) - domain.lo < 2 * tokens) return std::nullopt;
      put_number(out, number, axis, number == row ? domain.last(axis) - tokens : domain.lo);
    }
  return out;
}

}  // namespace

std::vector<Case> cases_of_other_sizes(const Encoding& truth, const Domain& domain,
                                       const Precision& precision, const Contents& contents) {
  for (const double unit : {precision.result, precision.input(), precision.work(), precision.table()})
    if (unit == unit_f16) return {};
  std::vector<Case> out;
  for (const int power : {17, -30}) {
    out.push_back(case_of_one_row(truth, domain, 2, power > 0 ? "query" : "key", contents, 3));
    std::vector<double> sized = contents.first();
    for (double& x : sized) x = std::ldexp(x, power);
    out.back().set(signature(truth).takes.front().name, std::move(sized));
  }
  return out;
}

std::vector<Case> cases_of_rows(const Encoding& truth, const Domain& domain, const Contents& contents) {
  std::vector<Case> out;
  for (const std::int64_t tokens : {1, 2})
    for (const std::string role : {"query", "key"})
      out.push_back(case_of_rows(truth, domain, tokens, role, contents, RowsBegin::apart));
  out.push_back(case_of_rows(truth, domain, 1, "query", contents, RowsBegin::together));
  out.push_back(case_of_rows(truth, domain, 2, "key", contents, RowsBegin::together));
  // Prompts that all begin at the first position, and images or windows of a batch.
  out.push_back(case_of_a_batch(truth, domain, 4, 33, contents, 0));
  for (const auto& [rows, tokens] : {std::pair{8, 49}, {12, 7}, {9, 289}})
    out.push_back(case_of_a_batch(truth, domain, rows, tokens, contents));
  // Extents that are alike: what guesses an axis by its extent takes one for another.
  const auto heads = static_cast<Position>(heads_of(truth));
  const auto width = static_cast<Position>(width_of_content(truth, 0));
  out.push_back(case_of_a_batch(truth, domain, 16, 16, contents));
  if (heads > 1 && heads <= 64) out.push_back(case_of_a_batch(truth, domain, heads, heads, contents));
  if (width > 2 && width <= 256) out.push_back(case_of_a_batch(truth, domain, 3, width, contents));
  // Those that servers capture graphs for: blocks of rows that are full.
  for (const Position rows : {4, 8, 16, 32, 64})
    out.push_back(case_of_rows(truth, domain, 1, "query", contents, RowsBegin::apart, rows));
  out.push_back(case_of_a_batch(truth, domain, 4, 33, contents));
  // As many rows of as many tokens as a step of training has: past blocks of both at once.
  out.push_back(case_of_a_batch(truth, domain, 17, 130, contents));
  if (auto largest = case_of_the_largest_batch(truth, domain, contents)) out.push_back(std::move(*largest));
  for (Case& one : cases_of_rows_apart(truth, domain, contents)) out.push_back(std::move(one));
  for (const std::size_t row : {0, 1})
    out.push_back(case_of_one_row_of_neighbours(truth, domain, row, contents));
  for (const std::size_t row : {0, 1})
    if (auto more = case_of_one_row_of_steps_of_one(truth, domain, row, contents))
      out.push_back(std::move(*more));
  for (const std::size_t text : {0, 1})
    if (domain.axes > 1) out.push_back(case_of_one_text_token(truth, domain, text, contents));
  for (std::size_t a = 0; a < domain.axes; ++a)
    for (std::size_t b = a + 1; b < domain.axes; ++b)
      out.push_back(case_of_two_alike(truth, domain, a, b, contents));
  return out;
}

}  // namespace posproof::sized
