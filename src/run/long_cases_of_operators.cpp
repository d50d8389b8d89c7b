#include "run/long_cases_of_operators.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>
#include <utility>

#include "core/draw.h"

namespace posproof::sized {
namespace {

double product(std::span<const double> a, std::span<const double> b) {
  return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
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

}  // namespace

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

}  // namespace posproof::sized
