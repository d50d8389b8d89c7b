#include "run/long_calls.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "attention/reference_attention.h"
#include "core/call.h"
#include "core/draw.h"
#include "run/agreement.h"
#include "run/narrowed.h"
#include "search/budget_clock.h"
#include "search/case_result.h"
#include "search/trial.h"

namespace posproof {
namespace {

using Clock = BudgetClock;

// Two of `long_sizes`: tokens that fill every tile, and one more.
struct Sizes {
  std::int64_t full, past;
};
// Those that every kind is asked for, and the most.
constexpr Sizes shortest_sizes = {256, 257}, usual_sizes = {1024, 1025}, most_sizes = {4096, 4097};
// Between them, in no tile's size: what a program does for up to so many tokens alone.
constexpr std::array<std::int64_t, 3> between_sizes = {199, 777, 3001};

// Where positions have several numbers they may repeat a few times: code for whole grids is asked for one
// after the other.
bool fits(std::int64_t tokens, const Domain& domain) {
  const std::int64_t times = domain.axes == 1 ? 1 : 8;
  for (std::size_t axis = 0; axis < domain.axes; ++axis)
    if (tokens > times * (domain.last(axis) - domain.lo + 1)) return false;
  return true;
}

// Of several numbers a rotation alone: all places of a table, and all pairs of a bias, are asked for
// elsewhere.
bool has_long_calls(const Signature& known, const Domain& domain) {
  return domain.axes == 1 || known.role;
}

// A number with as many digits as contents are given in, where those that are drawn have eight: what rounds
// its input to fewer is seen. In each format the nearest to 4/3 has a one as its last digit.
double of_all_digits(const Precision& precision) {
  const double last_place = 2 * precision.input();
  return last_place * std::nearbyint(4.0 / 3 / last_place);
}

// A case of agreement: all contents are one number, not 0, so that every channel shows. Where the call has no
// room for so many tokens, the repaired case has as many as it has.
Case case_of_length(const Encoding& truth, const Domain& domain, std::int64_t tokens,
                    std::string_view arranged, double content) {
  const Signature& known = signature(truth);
  const bool pairs = !known.role && !known.has(Axis::token);
  // Of consecutive keys the last is the query's own: no key is behind it, whom a causal bias would not show.
  const Position last = arranged == "spread" ? domain.hi : std::min(domain.hi, domain.lo + tokens - 1);
  const std::vector<double> same(known.takes.empty() ? 0 : width_of_content(truth, 0), content);
  Case one = case_of(truth, domain, pairs ? last : domain.lo, same);
  one.set(known.role ? "tokens" : pairs ? "nk" : "rows", static_cast<double>(tokens));
  one.set(pairs ? "arranged_j" : "arranged", std::string(arranged));
  return one;
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

// One row of a rotation, so much behind the first position.
Case case_of_one_row(const Encoding& truth, const Domain& domain, std::int64_t tokens,
                     const std::string& role, double content, Position behind = 0) {
  Case one = case_of_length(truth, domain, tokens, "consecutive", content);
  one.set("batch", 1.0);
  begin(one, domain, 0, tokens, behind);
  one.set("role", role);
  return one;
}

// Two rows of a rotation, at positions of their own where there is room for it: the second goes on behind
// many tokens that were there before, which fill no tile.
Case case_of_two_rows(const Encoding& truth, const Domain& domain, std::int64_t tokens,
                      std::string_view arranged, double content) {
  const Position apart = tokens < usual_sizes.full ? 19 : 4999;
  Case one = case_of_length(truth, domain, tokens, arranged, content);
  one.set("batch", 2.0);
  for (const std::size_t row : {0, 1}) begin(one, domain, row, tokens, apart * static_cast<Position>(row));
  one.set("role", arranged == "spread" ? "key" : "query");
  return one;
}

// So many rows of so many tokens, whose positions are put into it.
Case case_of_rows_of(const Encoding& truth, const Domain& domain, Position batch, Position tokens,
                     double content) {
  Case out = case_of(truth, domain, domain.lo, std::vector<double>(width_of_content(truth, 0), content));
  out.set("batch", static_cast<double>(batch));
  out.set("tokens", static_cast<double>(tokens));
  return out;
}

// Where rows begin: no two at the same position where the domain has room, or all at one, as those of a batch
// that is decoded in step.
enum class RowsBegin { apart, together };

Case case_of_rows(const Encoding& truth, const Domain& domain, std::int64_t tokens, const std::string& role,
                  double content, RowsBegin begin) {
  constexpr Position together = 7;
  Case one = case_of_rows_of(truth, domain, many_rows, tokens, content);
  one.set("role", role);
  for (Position r = 0; r < many_rows; ++r)
    for (Position token = 0; token < tokens; ++token)
      for (std::size_t axis = 0; axis < domain.axes; ++axis) {
        const Position span = domain.last(axis) - domain.lo + 1, step = std::max(tokens, span / many_rows);
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
                       double content) {
  constexpr Position batch = 2, tokens = 2;
  Case out = case_of_rows_of(truth, domain, batch, tokens, content);
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
Case case_of_one_text_token(const Encoding& truth, const Domain& domain, std::size_t text, double content) {
  constexpr Position apart = 3;
  Case out = case_of_rows_of(truth, domain, 2, 2, content);
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
                                   double content) {
  constexpr std::array<Position, 2> neighbours = {3, 4}, others = {6, 1};
  Case out = case_of_rows_of(truth, domain, 2, 2, content);
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
                                                    std::size_t row, double content) {
  constexpr Position tokens = tile_edges.front();
  Case out = case_of_rows_of(truth, domain, 2, tokens, content);
  out.set("arranged", std::string("spread"));
  for (std::size_t number = 0; number < 2; ++number)
    for (std::size_t axis = 0; axis < domain.axes; ++axis) {
      if (domain.last(axis) - domain.lo < 2 * tokens) return std::nullopt;
      put_number(out, number, axis, number == row ? domain.last(axis) - tokens : domain.lo);
    }
  return out;
}

// Of a rotation, those in which rows, or the numbers of a position, may be taken for each other.
std::vector<Case> cases_of_rows(const Encoding& truth, const Domain& domain, double content) {
  std::vector<Case> out;
  for (const std::int64_t tokens : {1, 2})
    for (const std::string role : {"query", "key"})
      out.push_back(case_of_rows(truth, domain, tokens, role, content, RowsBegin::apart));
  out.push_back(case_of_rows(truth, domain, 1, "query", content, RowsBegin::together));
  out.push_back(case_of_rows(truth, domain, 2, "key", content, RowsBegin::together));
  for (const std::size_t row : {0, 1})
    out.push_back(case_of_one_row_of_neighbours(truth, domain, row, content));
  for (const std::size_t row : {0, 1})
    if (auto more = case_of_one_row_of_steps_of_one(truth, domain, row, content))
      out.push_back(std::move(*more));
  for (const std::size_t text : {0, 1})
    if (domain.axes > 1) out.push_back(case_of_one_text_token(truth, domain, text, content));
  for (std::size_t a = 0; a < domain.axes; ++a)
    for (std::size_t b = a + 1; b < domain.axes; ++b)
      out.push_back(case_of_two_alike(truth, domain, a, b, content));
  return out;
}

// So many queries against two keys, and two queries against so many keys: blocks of either, where the other
// is not one alone. Every key stands at or before a query.
std::vector<Case> cases_of_many_queries(const Encoding& truth, const Domain& domain, Sizes sizes,
                                        double content) {
  const Call two{.positions = {.whole = {0, 0}}, .keys = {.whole = {0, 0}}};
  Case one = case_of(truth, domain, domain.lo, {});
  for (std::size_t n = 0; n < signature(truth).takes.size(); ++n)
    one.set(signature(truth).takes[n].name,
            std::vector<double>(count(shape_of_content(truth, two, n)), content));
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
  // A sequence against itself: tiles of both at once.
  for (const std::int64_t tokens : {shortest_sizes.past, shortest_sizes.full}) {
    Case square = one;
    for (const std::string letter : {"i", "j"}) {
      square.set(letter == "i" ? "nq" : "nk", static_cast<double>(tokens));
      square.set(letter, static_cast<double>(domain.lo));
      square.set("arranged_" + letter, std::string("consecutive"));
    }
    out.push_back(std::move(square));
  }
  return out;
}

// Of the whole operator one length. The first query's product with its key, over the root of their width, is
// between 1/2 and 2, over so many powers of 2; those of others are some powers of two of it. What large
// logits round to would hide what the positions do to them.
Case case_of_the_operator(const Encoding& truth, std::int64_t tokens, const std::string& mask, double content,
                          int smaller) {
  Case one;
  one.set("tokens", static_cast<double>(tokens));
  one.set("mask", mask);
  const double logit = content * content * std::sqrt(static_cast<double>(width_of_content(truth, 0)));
  for (std::size_t n = 0; n < signature(truth).takes.size(); ++n) {
    const double power = n == 0 ? std::ldexp(content, -std::ilogb(logit) - smaller) : content;
    one.set(signature(truth).takes[n].name, std::vector<double>(width_of_content(truth, n), power));
  }
  return one;
}

// In which what the positions give decides: of large logits the keys with the largest take all of the weight.
// The fewer keys there are, the more one counts: one past each tile, which every query sees where the
// encoding has room for that, and whose logits are up to 4. Of many keys none of the contents is past 1.
std::vector<Case> cases_of_all_keys(const Encoding& truth, double content) {
  const std::string mask = is_causal(truth) ? "causal" : "none";
  std::vector<Case> out;
  for (const std::int64_t tokens : {65, 129, 193})
    out.push_back(case_of_the_operator(truth, tokens, mask, content, 5));
  out.push_back(case_of_the_operator(truth, shortest_sizes.past, "causal", content, 7));
  return out;
}

// Two tokens whose keys are opposite, and whose values are. Many logits are large, and what their rounding
// does is allowed; here a query's product with a key is the content's square, or half of it, so that the
// answer is about its tangent, and each of q, k and v that was rounded to fewer digits shows in it.
Case case_of_opposite_tokens(const Encoding& truth, double content) {
  Case one;
  one.set("tokens", 2.0);
  one.set("mask", "causal");
  for (std::size_t n = 0; n < signature(truth).takes.size(); ++n) {
    const std::size_t width = width_of_content(truth, n);
    const double power = n == 0 ? std::ldexp(content, -std::ilogb(static_cast<double>(width))) : content;
    std::vector<double> values(2 * width, power);
    if (n != 0) std::fill(values.begin() + static_cast<std::ptrdiff_t>(width), values.end(), -power);
    one.set(signature(truth).takes[n].name, values);
  }
  return one;
}

// The most tokens: of a rotation queries past all tiles, and keys that fill them.
std::vector<Case> cases_of_the_most(const Encoding& truth, const Domain& domain, double content) {
  if (!fits(most_sizes.full, domain)) return {};
  const std::int64_t tokens = fits(most_sizes.past, domain) ? most_sizes.past : most_sizes.full;
  if (!signature(truth).role) return {case_of_length(truth, domain, tokens, "consecutive", content)};
  return {case_of_one_row(truth, domain, tokens, "query", content),
          case_of_one_row(truth, domain, most_sizes.full, "key", content)};
}

// Of a rotation or a table, between full tiles; of a rotation the most in two rows.
std::vector<Case> cases_between(const Encoding& truth, const Domain& domain, double content) {
  std::vector<Case> out;
  for (const std::int64_t tokens : between_sizes)
    if (!fits(tokens, domain))
      break;
    else if (!signature(truth).role)
      out.push_back(case_of_length(truth, domain, tokens, "consecutive", content));
    else if (tokens == between_sizes.back())
      out.push_back(case_of_two_rows(truth, domain, tokens, "consecutive", content));
    else
      out.push_back(
          case_of_one_row(truth, domain, tokens, out.empty() ? "query" : "key", content, tokens + 6));
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
  return case_of_one_row(truth, domain, most_sizes.past, "query", of_all_digits(precision));
}

// The truth in the subject's kind, where that has long calls of every length.
std::optional<Encoding> as_the_subject(const Encoding& truth, const Encoding& subject) {
  if (depends_on_the_call(truth)) return std::nullopt;
  const std::vector<Encoding> kinds = attention::in_every_kind(truth);
  const Encoding* same = attention::same_kind(kinds, subject);
  return same == nullptr ? std::nullopt : std::optional(*same);
}

}  // namespace

std::vector<Case> long_cases(const Encoding& truth, const Encoding& subject, const Precision& precision) {
  const auto same = as_the_subject(truth, subject);
  if (!same) return {};
  const double content = of_all_digits(precision);
  if (!signature(*same).positions)
    return {case_of_opposite_tokens(*same, content),
            case_of_the_operator(*same, shortest_sizes.past, "causal", content, 0)};
  const Domain domain = overlap(positions_of(subject), positions_of(*same));
  if (!has_long_calls(signature(*same), domain)) return {};
  std::vector<Case> out;
  const auto add = [&](std::int64_t tokens, std::string_view arranged) {
    if (fits(tokens, domain))
      out.push_back(signature(*same).role ? case_of_two_rows(*same, domain, tokens, arranged, content)
                                          : case_of_length(*same, domain, tokens, arranged, content));
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
  const double content = of_all_digits(precision);
  if (!known.positions) return cases_of_all_keys(*same, content);
  const Domain domain = overlap(positions_of(subject), positions_of(*same));
  if (domain.real || !has_long_calls(known, domain)) return {};
  if (!known.role && !known.has(Axis::token)) {
    for (const Sizes& sizes : {usual_sizes, shortest_sizes})
      if (fits(sizes.past, domain)) return cases_of_many_queries(*same, domain, sizes, content);
    return {};
  }
  std::vector<Case> out;
  if (known.role) out = cases_of_rows(*same, domain, content);
  for (Case& one : cases_between(*same, domain, content)) out.push_back(std::move(one));
  for (Case& one : cases_of_the_most(*same, domain, content)) out.push_back(std::move(one));
  return out;
}

namespace {

// What a wide call has more of than others of its kind, and the most that those have.
struct Width {
  std::string_view name;
  std::int64_t usual;
};
std::optional<Width> width_of(const Case& one) {
  const auto more_than = [&](std::string_view name, std::int64_t usual) {
    return one.has(name) && one.integer(name) > usual;
  };
  for (const std::string_view tokens : {"tokens", "rows"})
    if (more_than(tokens, usual_sizes.past)) return Width{tokens, usual_sizes.past};
  if (more_than("batch", 3)) return Width{"batch", 3};
  return std::nullopt;
}

// The most tokens of a long call that are half as many, or one more, at most.
std::optional<std::int64_t> half_as_long(std::int64_t tokens) {
  const auto next = std::ranges::upper_bound(long_sizes, tokens / 2 + 1);
  return next == long_sizes.begin() ? std::nullopt : std::optional(*std::prev(next));
}

std::int64_t about_half(const Width& width, std::int64_t count) {
  const std::int64_t half = count / 2 + 1;
  return width.name == "batch" ? half : half_as_long(count).value_or(half);
}

// A program that raises an error for so many batch rows or tokens may have been built for fewer, which no
// declaration says: it is asked for about half as many, as long as they are more than others of its calls
// have, and then left alone.
CaseResult asked_for_fewer(const Trial& trial, Case one) {
  CaseResult found = run_repaired(trial, one);
  const auto width = width_of(one);
  while (found.raised && width) {
    const std::int64_t fewer = about_half(*width, one.integer(width->name));
    if (fewer <= width->usual) break;
    one.set(width->name, static_cast<double>(fewer));
    found = run_repaired(trial, one);
  }
  return found;
}

// What a long call has many of, and how many.
struct Length {
  std::string_view field, word;
  std::int64_t count = 0;
};
Length length_of(const Case& one) {
  Length most;
  for (const auto& [field, word] : {std::pair<std::string_view, std::string_view>{"tokens", "tokens"},
                                    {"rows", "tokens"},
                                    {"nq", "queries"},
                                    {"nk", "keys"}})
    if (one.has(field) && one.integer(field) > most.count) most = {field, word, one.integer(field)};
  return most;
}

// The token alone at which a long call is farthest off, where it is wrong alone, too; else the call.
CaseResult of_one_token(const Encoding& truth, const Encoding& subject, const Precision& precision,
                        const Trial& trial, const CaseResult& found) {
  const auto same = as_the_subject(truth, subject);
  if (!same || !signature(*same).positions || signature(*same).has(Axis::key)) return found;
  const Domain domain = overlap(positions_of(subject), positions_of(*same));
  if (domain.axes > 1 || domain.real) return found;
  try {
    Replay draw(found.drawn.values);
    const Call call = draw_call(*same, domain, draw);
    const Tensor expected = answer(*same, call), given = answer(subject, call);
    if (given.shape != expected.shape) return found;
    const Bound allowed = bound(*same, call, given, precision);
    const Comparison worst = compare(*same, call, given, expected, allowed);
    const auto place = place_of(*same, call, given, expected, allowed, worst.at);
    if (!place || place->position.empty()) return found;
    const auto t = static_cast<Position>(place->position.front());
    const std::vector<double> same_content(call.contents.empty() ? 0 : width_of_content(*same, 0),
                                           of_all_digits(precision));
    CaseResult alone = run_repaired(trial, case_of(*same, domain, t, same_content, call.role));
    return alone.fails() ? alone : found;
  } catch (const std::exception&) {  // it gave an answer before, and none now
    return found;
  }
}

}  // namespace

std::optional<Verdict> agreement_in_long_calls(const Encoding& truth, const Encoding& subject,
                                               const Precision& precision, const Budget& budget) {
  const std::vector<Case> by_length = long_cases(truth, subject, precision),
                          wide = wide_cases(truth, subject, precision);
  if (by_length.empty() && wide.empty()) return std::nullopt;
  const Trial one = *trial(agreement(truth), subject, precision);
  const auto deadline = Clock::now() + budget.time;
  Holds holds;
  std::optional<Verdict> end;
  std::optional<Errored> late;
  std::int64_t too_many = std::numeric_limits<std::int64_t>::max();
  // No answer came: of the next fewer there may be one, and no other call of so many is asked. The subject is
  // given up where a second one does not come.
  const auto asked_for_less = [&](Case asked, const CaseResult& without) {
    const Length length = length_of(asked);
    late = std::get<Errored>(verdict_of(without, holds.cases + 1));
    too_many = length.count;
    const auto fewer = half_as_long(length.count);
    if (!fewer) return without;
    asked.set(length.field, static_cast<double>(*fewer));
    CaseResult found = run_repaired(one, asked);
    if (found.end == CaseResult::End::held)
      late->what += fmt::format("; {} {} are answered, and right", *fewer, length.word);
    return found;
  };
  const auto ends = [&](const Case& asked, bool is_wide) {
    if (length_of(asked).count >= too_many) return false;
    if (Clock::now() >= deadline)
      end = Undecided{
          fmt::format("stopped by {} after {} of the long calls", budget.limit_text(), holds.cases), holds};
    if (end) return true;
    CaseResult found = is_wide ? asked_for_fewer(one, asked) : run_repaired(one, asked);
    if (found.end == CaseResult::End::threw) {
      found = late ? found : asked_for_less(asked, found);
      if (found.end == CaseResult::End::threw) {
        end = late;
        return true;
      }
    }
    const bool is_too_wide = is_wide && found.raised && width_of(asked);
    if (found.fails() && !is_too_wide)
      end = shrunk(one, of_one_token(truth, subject, precision, one, found), holds.cases + 1, budget);
    if (found.end == CaseResult::End::held) holds.add(found.residual, found.drawn.values);
    return end.has_value();
  };
  const auto longest = std::span(by_length).last(std::min<std::size_t>(2, by_length.size()));
  if (std::ranges::any_of(longest, [&](const Case& asked) { return ends(asked, false); })) return end;
  if (std::ranges::any_of(wide, [&](const Case& asked) { return ends(asked, true); })) return end;
  if (late) return late;
  if (!holds.learned()) return std::nullopt;
  return holds;
}

}  // namespace posproof
