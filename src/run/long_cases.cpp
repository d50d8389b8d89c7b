#include "run/long_cases.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <numbers>
#include <numeric>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "attention/reference_attention.h"
#include "core/call.h"
#include "core/draw.h"
#include "run/narrowed.h"

namespace posproof {
namespace {

// Two of `long_sizes`: tokens that fill every tile, and one more.
struct Sizes {
  std::int64_t full, past;
};
// Those that every kind is asked for, and the most.
constexpr Sizes shortest_sizes = {256, 257}, usual_sizes = {1024, most_usual_tokens},
                most_sizes = {4096, 4097};
// Past what a program may set apart for a batch, and past tiles of 512 of queries and of keys at once.
constexpr std::int64_t past_a_buffer = 8257, past_wide_tiles = 577;
// Of points at real coordinates, past chunks of 1,024 and of 2,048: an exact answer takes long there.
constexpr std::int64_t most_real_tokens = 2049;
// Between them, in no tile's size: what a program does for up to so many tokens alone.
constexpr std::array<std::int64_t, 3> between_sizes = {199, 777, 3001};
// Lengths that prompts are cut to or padded to, which fill tiles of 64 or of 96 or bins of a power of two.
constexpr std::array<std::int64_t, 4> filled_sizes = {160, 384, 512, 2048};

// Where positions have several numbers they may repeat a few times: code for whole grids is asked for one
// after the other. Real ones never do; an exact answer takes long there, so that no call is longer than
// usual.
bool fits(std::int64_t tokens, const Domain& domain) {
  if (domain.real) return domain.hi > domain.lo && tokens <= most_usual_tokens;
  const std::int64_t times = domain.axes == 1 ? 1 : 8;
  for (std::size_t axis = 0; axis < domain.axes; ++axis)
    if (tokens > times * (domain.last(axis) - domain.lo + 1)) return false;
  return true;
}

// Of several numbers a rotation or a table: all pairs of a bias are asked for elsewhere.
bool has_long_calls(const Signature& known, const Domain& domain) {
  return domain.axes == 1 || known.role || known.has(Axis::token);
}

// One number a channel with as many digits as contents are given in, where those that are drawn have eight:
// what rounds its input to fewer is seen. From 1 to 2 each is an odd number of last places, the first the
// nearest to 4/3. Steps of the golden ratio keep sizes apart as far as the format holds them, and channels
// whose numbers differ in one binary digit, as partners in most layouts do, have opposite signs: what takes
// one channel for another is seen.
std::vector<double> numbers_of_all_digits(std::size_t channels, const Precision& precision) {
  const double last_place = 2 * precision.input();
  std::vector<double> out;
  for (std::size_t c = 0; c < channels; ++c) {
    const double steps = 1.0 / 3 + static_cast<double>(c) * std::numbers::phi;
    const double share = steps - std::floor(steps);
    const double size = 1 + last_place * (2 * std::floor(share / (2 * last_place)) + 1);
    out.push_back(std::popcount(c) % 2 == 0 ? size : -size);
  }
  return out;
}

// Of a long call: what each content of the encoding is given in every channel of its first token.
class Contents {
 public:
  Contents(const Encoding& truth, const Precision& precision) : truth_(&truth), precision_(&precision) {}
  std::vector<double> of(std::size_t content) const {
    return numbers_of_all_digits(width_of_content(*truth_, content), *precision_);
  }
  // Of the first; none where nothing is taken.
  std::vector<double> first() const {
    return signature(*truth_).takes.empty() ? std::vector<double>() : of(0);
  }
  std::vector<double> of(std::size_t content, const Call& call) const {
    return numbers_of_all_digits(count(shape_of_content(*truth_, call, content)), *precision_);
  }

 private:
  const Encoding* truth_;
  const Precision* precision_;
};

std::size_t square(std::int64_t tokens) {
  return static_cast<std::size_t>(tokens) * static_cast<std::size_t>(tokens);
}

double product(std::span<const double> a, std::span<const double> b) {
  return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}

// Of the token with this number, counted through all rows.
void put_number(Case& into, std::size_t number, std::size_t axis, Position t) {
  into.set(fmt::format("t{}{}", number == 0 ? "" : std::to_string(number),
                       axis == 0 ? "" : fmt::format("_{}", axis)),
           static_cast<double>(t));
}

// Of several numbers of a position each is so much behind the one before: none is another in its place.
constexpr Position between_axes = 5;

// Where that row of so many tokens begins: so much behind the first position, where there is room for it, and
// of several numbers none with another.
void begin(Case& into, const Domain& domain, std::size_t row, std::int64_t tokens, Position behind) {
  for (std::size_t axis = 0; axis < domain.axes; ++axis) {
    const Position span = domain.last(axis) - domain.lo + 1, room = span >= tokens ? span - tokens : span - 1;
    const Position first = behind + between_axes * static_cast<Position>(axis);
    put_number(into, row, axis, domain.lo + std::min(first, room));
  }
}

// So many tokens, or the most of `long_sizes` that a call of so many rows has room for.
std::int64_t in_room(const Encoding& truth, std::int64_t tokens, std::int64_t rows, std::size_t most) {
  const std::size_t width = signature(truth).role               ? width_of_content(truth, 0)
                            : signature(truth).has(Axis::token) ? as<Table>(truth).dim
                                                                : 1;
  const auto room = static_cast<std::int64_t>(most / (heads_of(truth) * width)) / rows;
  if (tokens <= room) return tokens;
  const auto past = std::ranges::upper_bound(long_sizes, room);
  return past == long_sizes.begin() ? std::max<std::int64_t>(1, room) : *std::prev(past);
}

// A case of agreement: no content is 0, so that every channel shows. Where the call has no room for so many
// tokens, the repaired case has as many as it has.
Case case_of_length(const Encoding& truth, const Domain& domain, std::int64_t tokens,
                    std::string_view arranged, const Contents& contents, std::int64_t rows = 1) {
  const Signature& known = signature(truth);
  tokens = in_room(truth, tokens, rows, rows == 1 ? values_of_the_largest_call : values_of_the_longest_call);
  const bool pairs = !known.role && !known.has(Axis::token);
  // Of consecutive keys the last is the query's own: no key is behind it, whom a causal bias would not show.
  const Position last = arranged == "spread" ? domain.hi : std::min(domain.hi, domain.lo + tokens - 1);
  Case one = case_of(truth, domain, pairs ? last : domain.lo, contents.first());
  one.set(known.role ? "tokens" : pairs ? "nk" : "rows", static_cast<double>(tokens));
  one.set(pairs ? "arranged_j" : "arranged", std::string(arranged));
  if (domain.axes > 1) begin(one, domain, 0, tokens, 0);
  if (domain.real) one.set("t_part", 647033.0);  // of 2^20
  return one;
}

// One row of a rotation, so much behind the first position.
Case case_of_one_row(const Encoding& truth, const Domain& domain, std::int64_t tokens,
                     const std::string& role, const Contents& contents, Position behind = 0) {
  Case one = case_of_length(truth, domain, tokens, "consecutive", contents);
  one.set("batch", 1.0);
  begin(one, domain, 0, tokens, behind);
  one.set("role", role);
  return one;
}

// Two rows of a rotation, at positions of their own where there is room for it: the second goes on behind
// many tokens that were there before, which fill no tile.
Case case_of_two_rows(const Encoding& truth, const Domain& domain, std::int64_t tokens,
                      std::string_view arranged, const Contents& contents) {
  const Position apart = tokens < usual_sizes.full ? 19 : 4999;
  Case one = case_of_length(truth, domain, tokens, arranged, contents, 2);
  one.set("batch", 2.0);
  for (const std::size_t row : {0, 1}) begin(one, domain, row, tokens, apart * static_cast<Position>(row));
  one.set("role", arranged == "spread" ? "key" : "query");
  return one;
}

// So many rows of so many tokens, whose positions are put into it.
Case case_of_rows_of(const Encoding& truth, const Domain& domain, Position batch, Position tokens,
                     const Contents& contents) {
  Case out = case_of(truth, domain, domain.lo, contents.first());
  out.set("batch", static_cast<double>(batch));
  out.set("tokens", static_cast<double>(tokens));
  return out;
}

// Rows that begin so far behind each other.
Case case_of_a_batch(const Encoding& truth, const Domain& domain, Position rows, Position tokens,
                     const Contents& contents, Position apart = 19) {
  Case out = case_of_rows_of(truth, domain, rows, tokens, contents);
  out.set("arranged", std::string("consecutive"));
  for (Position row = 0; row < rows; ++row)
    begin(out, domain, static_cast<std::size_t>(row), tokens, apart * row);
  return out;
}

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

// Tokens that are arranged in another way from number `turn` on, or in rows of so many columns.
struct Arranged {
  const char *word, *turn_of;
  std::int64_t turn;
  const char* role;
};

void arrange(Case& into, const Arranged& as) {
  into.set("arranged", std::string(as.word));
  into.set(as.turn_of, static_cast<double>(as.turn));
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

// Contents that are larger than any number of f16, and smaller than all: what has its numbers as those on the
// way loses them. None where f16 is declared anywhere.
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

// Of a rotation, those in which rows, or the numbers of a position, may be taken for each other.
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

// So many queries against two keys, and two queries against so many keys: blocks of either, where the other
// is not one alone. Every key stands at or before a query.
std::vector<Case> cases_of_many_queries(const Encoding& truth, const Domain& domain, Sizes sizes,
                                        const Contents& contents) {
  const Call two{.positions = {.whole = {0, 0}}, .keys = {.whole = {0, 0}}};
  Case one = case_of(truth, domain, domain.lo, {});
  for (std::size_t n = 0; n < signature(truth).takes.size(); ++n)
    one.set(signature(truth).takes[n].name, contents.of(n, two));
  const auto with = [&](std::string_view few, std::string_view many, Position first, Position second,
                        std::int64_t tokens) {
    Case out = one;
    out.set(few == "i" ? "nq" : "nk", 2.0);
    out.set(few == "i" ? "nk" : "nq", static_cast<double>(tokens));
    out.set(few, static_cast<double>(first));
    out.set(fmt::format("{}1", few), static_cast<double>(second));
    out.set(fmt::format("arranged_{}", many), std::string("consecutive"));
    return out;
  };
  const Position last = domain.lo + sizes.full - 1;
  std::vector<Case> out = {with("j", "i", domain.lo, domain.lo + sizes.past / 2, sizes.past),
                           with("i", "j", last, last - 1, sizes.full)};
  const auto last_of = [&](std::int64_t queries, std::int64_t keys) {
    Case sequence = one;
    for (const std::string letter : {"i", "j"}) {
      sequence.set(letter == "i" ? "nq" : "nk", static_cast<double>(letter == "i" ? queries : keys));
      sequence.set(letter, static_cast<double>(domain.lo + (letter == "i" ? keys - queries : 0)));
      sequence.set("arranged_" + letter, std::string("consecutive"));
    }
    return sequence;
  };
  // A sequence against itself: tiles of both at once.
  for (const std::int64_t tokens : {shortest_sizes.past, shortest_sizes.full, past_wide_tiles})
    if (fits(tokens, domain) && heads_of(truth) * square(tokens) <= values_of_the_largest_call)
      out.push_back(last_of(tokens, tokens));
  // Extents that are alike: what guesses an axis by its extent takes one for another.
  if (const auto heads = static_cast<std::int64_t>(heads_of(truth));
      heads > 4 && heads <= 64 && fits(heads, domain))
    out.push_back(last_of(heads, heads));
  // Behind tokens that were there before: a chunk of a prompt, tokens that were guessed, one token. None of
  // the keys fill tiles.
  for (const auto& [queries, keys] : {std::pair{67, 301}, {5, 777}, {1, 331}})
    if (fits(keys, domain)) out.push_back(last_of(queries, keys));
  return out;
}

// Of the whole operator one length. The first query's product with its key, over the root of their width, is
// between 1 and 2, over so many powers of 2; those of others are some powers of two of it. What large logits
// round to would hide what the positions do to them.
Case case_of_the_operator(const Encoding& truth, std::int64_t tokens, const std::string& mask,
                          const Contents& contents, int smaller) {
  Case one;
  one.set("tokens", static_cast<double>(tokens));
  one.set("mask", mask);
  std::vector<double> query = contents.of(0);
  const double logit = product(query, contents.of(1)) / std::sqrt(static_cast<double>(query.size()));
  for (double& x : query) x = std::ldexp(x, -std::ilogb(logit) - smaller);
  for (std::size_t n = 0; n < signature(truth).takes.size(); ++n)
    one.set(signature(truth).takes[n].name, n == 0 ? query : contents.of(n));
  return one;
}

// The same of queries and keys that are zeros: what positions do is all that there is, and sums of gates over
// many tokens are of the sizes that training begins with.
Case case_without_logits(const Encoding& truth, std::int64_t tokens, const Contents& contents) {
  Case one = case_of_the_operator(truth, tokens, "causal", contents, 0);
  for (std::size_t n = 0; n < 2; ++n)
    one.set(signature(truth).takes[n].name, std::vector<double>(width_of_content(truth, n), 0));
  return one;
}

// Whether an order of the keys makes no difference to this operator: then it means something for other
// numbers of queries than of keys, wherever they stand.
bool ignores_positions(const Encoding& truth, const Contents& contents) {
  if (is_causal(truth)) return false;
  Call call;
  call.mask = Mask({1, 2}, std::vector<double>(2, 1));
  for (std::size_t n = 0; n < 3; ++n) call.contents.emplace_back(Shape{n == 0 ? 1U : 2U, 0});
  for (std::size_t n = 0; n < 3; ++n) {
    Tensor given(shape_of_content(truth, call, n));
    const std::vector<double> all = contents.of(n);
    for (std::size_t r = 0; r < given.rows(); ++r)
      for (std::size_t c = 0; c < given.width(); ++c) given.at(r, c) = (r == 0 ? 0.25 : -0.125) * all[c];
    call.contents[n] = std::move(given);
  }
  Call other = call;
  for (const std::size_t n : {1, 2})
    for (std::size_t c = 0; c < other.contents[n].width(); ++c)
      std::swap(other.contents[n].at(0, c), other.contents[n].at(1, c));
  const Tensor one = answer(truth, call), swapped = answer(truth, other);
  constexpr double rounding = 1e-9;
  return std::ranges::equal(one.data, swapped.data,
                            [](double a, double b) { return std::abs(a - b) <= rounding; });
}

// In which what the positions give decides: of large logits the keys with the largest take all of the weight.
// The fewer keys there are, the more one counts: one past each tile, which every query sees where the
// encoding has room for that, and whose logits are up to 4, of the last key 8. Of many keys none of the
// contents is past 1.
std::vector<Case> cases_of_all_keys(const Encoding& truth, const Contents& contents) {
  const std::string mask = is_causal(truth) ? "causal" : "none";
  std::vector<Case> out;
  for (const std::int64_t tokens : {65, 129, 193})
    out.push_back(case_of_the_operator(truth, tokens, mask, contents, 5));
  out.push_back(case_of_the_operator(truth, shortest_sizes.past, "causal", contents, 7));
  if (as<Attention>(truth).any_mask)
    for (const std::int64_t tokens : {5, 33})
      for (const std::string mask : {"documents", "window", "prefix"}) {
        out.push_back(case_of_the_operator(truth, tokens, mask, contents, 5));
        out.back().set("part", static_cast<double>(tokens / 2));
      }
  // Other keys than queries, in no tile's number: one token's, a chunk's, and fewer; and of few queries so
  // many keys that they are past a wide tile, where others have a square of them.
  if (!ignores_positions(truth, contents)) {
    out.push_back(case_of_the_operator(truth, past_wide_tiles, "causal", contents, 9));
    out.push_back(case_without_logits(truth, past_wide_tiles, contents));
  } else {
    for (const auto& [queries, keys] : {std::pair{1, 131}, {67, 301}, {131, 67}, {5, 577}}) {
      out.push_back(case_of_the_operator(truth, queries, "across", contents, 6));
      out.back().set("keys", static_cast<double>(keys));
    }
  }
  return out;
}

// Two tokens whose keys are opposite, and whose values are. Many logits are large, and what their rounding
// does is allowed; here a query's product with a key is between 1 and 2, so that the answer is about its
// tangent, and each of q, k and v that was rounded to fewer digits shows in it.
Case case_of_opposite_tokens(const Encoding& truth, const Contents& contents) {
  Case one;
  one.set("tokens", 2.0);
  one.set("mask", "causal");
  const int power = std::ilogb(product(contents.of(0), contents.of(1)));
  for (std::size_t n = 0; n < signature(truth).takes.size(); ++n) {
    std::vector<double> values = contents.of(n);
    for (double& x : values) x = std::ldexp(x, n == 0 ? -power : 0);
    for (std::size_t c = 0, width = values.size(); c < width; ++c)
      values.push_back(n == 0 ? values[c] : -values[c]);
    one.set(signature(truth).takes[n].name, values);
  }
  return one;
}

// The most tokens: of a rotation queries past all tiles, and keys that fill them.
std::vector<Case> cases_of_the_most(const Encoding& truth, const Domain& domain, const Contents& contents) {
  if (!fits(most_sizes.full, domain)) return {};
  const std::int64_t tokens = fits(past_a_buffer, domain)     ? past_a_buffer
                              : fits(most_sizes.past, domain) ? most_sizes.past
                                                              : most_sizes.full;
  if (!signature(truth).role) return {case_of_length(truth, domain, tokens, "consecutive", contents)};
  return {case_of_one_row(truth, domain, tokens, "query", contents),
          case_of_one_row(truth, domain, most_sizes.full, "key", contents)};
}

// A grid in blocks of 2 by 2, one with other numbers of blocks along it and across; and two grids, of 3 by 4
// and of 4 by 3.
constexpr std::array<Arranged, 3> images = {{{"blocks", "columns", 6, "query"},
                                             {"blocks", "columns", 4, "key"},
                                             {"two_grids", "columns", 4, "query"}}};

// So many tokens of one row.
constexpr std::int64_t arranged_tokens = 301;
constexpr std::array<Arranged, 3> arranged_otherwise = {{{"packed", "packed", 190, "query"},
                                                         {"left_padded", "padding", 37, "key"},
                                                         {"gapped", "before_gap", 150, "key"}}};

Case case_of_one_arranged(const Encoding& truth, const Domain& domain, const Arranged& as,
                          const Contents& contents, std::int64_t tokens = arranged_tokens) {
  Case one = signature(truth).role ? case_of_one_row(truth, domain, tokens, as.role, contents, 3)
                                   : case_of_length(truth, domain, tokens, as.word, contents);
  arrange(one, as);
  return one;
}

// Of a rotation or a table, between full tiles; of a rotation the most in two rows.
std::vector<Case> cases_between(const Encoding& truth, const Domain& domain, const Contents& contents) {
  std::vector<Case> out;
  for (const std::int64_t tokens : between_sizes)
    if (!fits(tokens, domain))
      break;
    else if (!signature(truth).role)
      out.push_back(case_of_length(truth, domain, tokens, "consecutive", contents));
    else if (tokens == between_sizes.back())
      out.push_back(case_of_two_rows(truth, domain, tokens, "consecutive", contents));
    else
      out.push_back(
          case_of_one_row(truth, domain, tokens, out.empty() ? "query" : "key", contents, tokens + 6));
  for (std::size_t n = 0; n < filled_sizes.size(); ++n)
    if (fits(filled_sizes[n], domain))
      out.push_back(
          signature(truth).role
              ? case_of_one_row(truth, domain, filled_sizes[n], n % 2 == 0 ? "key" : "query", contents)
              : case_of_length(truth, domain, filled_sizes[n], "consecutive", contents));
  for (const Arranged& as : arranged_otherwise)
    if (fits(arranged_tokens, domain)) out.push_back(case_of_one_arranged(truth, domain, as, contents));
  if (domain.real && domain.hi > domain.lo)
    out.push_back(case_of_length(truth, domain, most_real_tokens, "consecutive", contents));
  if (!signature(truth).role && !domain.real) {
    // Tokens of a batch in one row, more than there are positions; and as many as a row has channels.
    if (domain.axes == 1 && !fits(most_real_tokens, domain))
      out.push_back(case_of_length(truth, domain, most_real_tokens, "consecutive", contents));
    if (const auto width = static_cast<std::int64_t>(as<Table>(truth).dim);
        width > 4 && width <= 256 && fits(width, domain))
      out.push_back(case_of_length(truth, domain, width, "consecutive", contents));
  }
  if (domain.axes > 1 && !domain.real)
    for (const Arranged& as : images) out.push_back(case_of_one_arranged(truth, domain, as, contents, 24));
  return out;
}

// Whether frequencies or amplitude of a call of so many tokens, from 0 on, are others than of the shortest
// one.
bool change_within(const Rotary& rotary, std::int64_t tokens) {
  const auto shortest = in_call(rotary, 0), there = in_call(rotary, tokens - 1);
  return there->amplitude != shortest->amplitude ||
         !std::ranges::equal(there->pairs, shortest->pairs, {}, &Pair::frequency, &Pair::frequency);
}

// Where the frequencies depend on the length of the call: one row of the most tokens, if they are others
// there. In calls that are drawn, which are shorter, only a position says that the sequence is long: a
// program that counts its tokens answers them as one that never scales.
std::optional<Case> case_past_a_change(const Encoding& truth, const Encoding& subject,
                                       const Precision& precision) {
  if (!depends_on_the_call(truth) || !signature(subject).role) return std::nullopt;
  const Domain domain = overlap(positions_of(subject), positions_of(truth));
  if (domain.real || domain.lo != 0 || !fits(most_sizes.past, domain) ||
      !change_within(as<Rotary>(truth), most_sizes.past))
    return std::nullopt;
  return case_of_one_row(truth, domain, most_sizes.past, "query", Contents(truth, precision));
}

}  // namespace

std::optional<Encoding> as_the_subject(const Encoding& truth, const Encoding& subject) {
  if (depends_on_the_call(truth)) return std::nullopt;
  const std::vector<Encoding> kinds = attention::in_every_kind(truth);
  const Encoding* same = attention::same_kind(kinds, subject);
  return same == nullptr ? std::nullopt : std::optional(*same);
}

std::vector<double> contents_of_all_digits(const Encoding& truth, const Precision& precision) {
  return Contents(truth, precision).first();
}

std::vector<Case> long_cases(const Encoding& truth, const Encoding& subject, const Precision& precision) {
  const auto same = as_the_subject(truth, subject);
  if (!same) return {};
  const Contents contents(*same, precision);
  if (!signature(*same).positions)
    return {case_of_opposite_tokens(*same, contents),
            case_of_the_operator(*same, shortest_sizes.past, "causal", contents, 0)};
  const Domain domain = overlap(positions_of(subject), positions_of(*same));
  if (!has_long_calls(signature(*same), domain)) return {};
  std::vector<Case> out;
  const auto add = [&](std::int64_t tokens, std::string_view arranged) {
    if (fits(tokens, domain))
      out.push_back(signature(*same).role ? case_of_two_rows(*same, domain, tokens, arranged, contents)
                                          : case_of_length(*same, domain, tokens, arranged, contents));
  };
  for (const Sizes& sizes : {shortest_sizes, usual_sizes})
    add(sizes.full, "consecutive"), add(sizes.past, "spread");
  return out;
}

std::vector<Case> wide_cases(const Encoding& truth, const Encoding& subject, const Precision& precision) {
  if (auto past = case_past_a_change(truth, subject, precision)) return {std::move(*past)};
  const auto same = as_the_subject(truth, subject);
  if (!same) return {};
  const Signature& known = signature(*same);
  const Contents contents(*same, precision);
  if (!known.positions) return cases_of_all_keys(*same, contents);
  const Domain domain = overlap(positions_of(subject), positions_of(*same));
  if ((domain.real && !known.has(Axis::token)) || !has_long_calls(known, domain)) return {};
  if (!known.role && !known.has(Axis::token)) {
    for (const Sizes& sizes : {usual_sizes, shortest_sizes})
      if (fits(sizes.past, domain)) return cases_of_many_queries(*same, domain, sizes, contents);
    return {};
  }
  std::vector<Case> out;
  if (known.role) {
    out = cases_of_rows(*same, domain, contents);
    for (Case& one : cases_of_other_sizes(*same, domain, precision, contents)) out.push_back(std::move(one));
  }
  for (Case& one : cases_between(*same, domain, contents)) out.push_back(std::move(one));
  for (Case& one : cases_of_the_most(*same, domain, contents)) out.push_back(std::move(one));
  return out;
}

}  // namespace posproof
