#include "run/long_cases.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "attention/reference_attention.h"
#include "core/call.h"
#include "core/draw.h"
#include "run/case_of_length.h"
#include "run/long_cases_of_operators.h"
#include "run/long_cases_of_rows.h"
#include "run/narrowed.h"

namespace posproof {
namespace sized {
namespace {

// Of several numbers a rotation or a table: all pairs of a bias are asked for elsewhere.
bool has_long_calls(const Signature& known, const Domain& domain) {
  return domain.axes == 1 || known.role || known.has(Axis::token);
}

std::size_t square(std::int64_t tokens) {
  return static_cast<std::size_t>(tokens) * static_cast<std::size_t>(tokens);
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
}  // namespace sized

std::optional<Encoding> as_the_subject(const Encoding& truth, const Encoding& subject) {
  if (depends_on_the_call(truth)) return std::nullopt;
  const std::vector<Encoding> kinds = attention::in_every_kind(truth);
  const Encoding* same = attention::same_kind(kinds, subject);
  return same == nullptr ? std::nullopt : std::optional(*same);
}

std::vector<double> contents_of_all_digits(const Encoding& truth, const Precision& precision) {
  return sized::Contents(truth, precision).first();
}

std::vector<Case> long_cases(const Encoding& truth, const Encoding& subject, const Precision& precision) {
  const auto same = as_the_subject(truth, subject);
  if (!same) return {};
  const sized::Contents contents(*same, precision);
  if (!signature(*same).positions)
    return {sized::case_of_opposite_tokens(*same, contents),
            sized::case_of_the_operator(*same, sized::shortest_sizes.past, "causal", contents, 0)};
  const Domain domain = overlap(positions_of(subject), positions_of(*same));
  if (!sized::has_long_calls(signature(*same), domain)) return {};
  std::vector<Case> out;
  const auto add = [&](std::int64_t tokens, std::string_view arranged) {
    if (sized::fits(tokens, domain))
      out.push_back(signature(*same).role ? sized::case_of_two_rows(*same, domain, tokens, arranged, contents)
                                          : sized::case_of_length(*same, domain, tokens, arranged, contents));
  };
  for (const sized::Sizes& sizes : {sized::shortest_sizes, sized::usual_sizes})
    add(sizes.full, "consecutive"), add(sizes.past, "spread");
  return out;
}

std::vector<Case> wide_cases(const Encoding& truth, const Encoding& subject, const Precision& precision) {
  if (auto past = sized::case_past_a_change(truth, subject, precision)) return {std::move(*past)};
  const auto same = as_the_subject(truth, subject);
  if (!same) return {};
  const Signature& known = signature(*same);
  const sized::Contents contents(*same, precision);
  if (!known.positions) return sized::cases_of_all_keys(*same, contents);
  const Domain domain = overlap(positions_of(subject), positions_of(*same));
  if ((domain.real && !known.has(Axis::token)) || !sized::has_long_calls(known, domain)) return {};
  if (!known.role && !known.has(Axis::token)) {
    for (const sized::Sizes& sizes : {sized::usual_sizes, sized::shortest_sizes})
      if (sized::fits(sizes.past, domain))
        return sized::cases_of_many_queries(*same, domain, sizes, contents);
    return {};
  }
  std::vector<Case> out;
  if (known.role) {
    out = sized::cases_of_rows(*same, domain, contents);
    for (Case& one : sized::cases_of_other_sizes(*same, domain, precision, contents))
      out.push_back(std::move(one));
  }
  for (Case& one : sized::cases_between(*same, domain, contents)) out.push_back(std::move(one));
  for (Case& one : sized::cases_of_the_most(*same, domain, contents)) out.push_back(std::move(one));
  return out;
}

}  // namespace posproof
