#include "run/case_of_length.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <iterator>
#include <numbers>

#include "core/draw.h"

namespace posproof::sized {
namespace {

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

}  // namespace

bool fits(std::int64_t tokens, const Domain& domain) {
  if (domain.real) return domain.hi > domain.lo && tokens <= most_usual_tokens;
  const std::int64_t times = domain.axes == 1 ? 1 : 8;
  for (std::size_t axis = 0; axis < domain.axes; ++axis)
    if (tokens > times * (domain.last(axis) - domain.lo + 1)) return false;
  return true;
}

std::vector<double> Contents::of(std::size_t content) const {
  return numbers_of_all_digits(width_of_content(*truth_, content), *precision_);
}

std::vector<double> Contents::first() const {
  return signature(*truth_).takes.empty() ? std::vector<double>() : of(0);
}

std::vector<double> Contents::of(std::size_t content, const Call& call) const {
  return numbers_of_all_digits(count(shape_of_content(*truth_, call, content)), *precision_);
}

void put_number(Case& into, std::size_t number, std::size_t axis, Position t) {
  into.set(fmt::format("t{}{}", number == 0 ? "" : std::to_string(number),
                       axis == 0 ? "" : fmt::format("_{}", axis)),
           static_cast<double>(t));
}

void begin(Case& into, const Domain& domain, std::size_t row, std::int64_t tokens, Position behind) {
  for (std::size_t axis = 0; axis < domain.axes; ++axis) {
    const Position span = domain.last(axis) - domain.lo + 1, room = span >= tokens ? span - tokens : span - 1;
    const Position first = behind + between_axes * static_cast<Position>(axis);
    put_number(into, row, axis, domain.lo + std::min(first, room));
  }
}

std::int64_t in_room(const Encoding& truth, std::int64_t tokens, std::int64_t rows, std::size_t most) {
  const std::size_t width = signature(truth).role               ? width_of_content(truth, 0)
                            : signature(truth).has(Axis::token) ? as<Table>(truth).dim
                                                                : 1;
  const auto room = static_cast<std::int64_t>(most / (heads_of(truth) * width)) / rows;
  if (tokens <= room) return tokens;
  const auto past = std::ranges::upper_bound(long_sizes, room);
  return past == long_sizes.begin() ? std::max<std::int64_t>(1, room) : *std::prev(past);
}

Case case_of_length(const Encoding& truth, const Domain& domain, std::int64_t tokens,
                    std::string_view arranged, const Contents& contents, std::int64_t rows) {
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

Case case_of_one_row(const Encoding& truth, const Domain& domain, std::int64_t tokens,
                     const std::string& role, const Contents& contents, Position behind) {
  Case one = case_of_length(truth, domain, tokens, "consecutive", contents);
  one.set("batch", 1.0);
  begin(one, domain, 0, tokens, behind);
  one.set("role", role);
  return one;
}

Case case_of_two_rows(const Encoding& truth, const Domain& domain, std::int64_t tokens,
                      std::string_view arranged, const Contents& contents) {
  const Position apart = tokens < usual_sizes.full ? 19 : 4999;
  Case one = case_of_length(truth, domain, tokens, arranged, contents, 2);
  one.set("batch", 2.0);
  for (const std::size_t row : {0, 1}) begin(one, domain, row, tokens, apart * static_cast<Position>(row));
  one.set("role", arranged == "spread" ? "key" : "query");
  return one;
}

Case case_of_rows_of(const Encoding& truth, const Domain& domain, Position batch, Position tokens,
                     const Contents& contents) {
  Case out = case_of(truth, domain, domain.lo, contents.first());
  out.set("batch", static_cast<double>(batch));
  out.set("tokens", static_cast<double>(tokens));
  return out;
}

Case case_of_a_batch(const Encoding& truth, const Domain& domain, Position rows, Position tokens,
                     const Contents& contents, Position apart) {
  Case out = case_of_rows_of(truth, domain, rows, tokens, contents);
  out.set("arranged", std::string("consecutive"));
  for (Position row = 0; row < rows; ++row)
    begin(out, domain, static_cast<std::size_t>(row), tokens, apart * row);
  return out;
}

void arrange(Case& into, const Arranged& as) {
  into.set("arranged", std::string(as.word));
  into.set(as.turn_of, static_cast<double>(as.turn));
}

}  // namespace posproof::sized
