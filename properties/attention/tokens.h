#pragma once

#include <algorithm>
#include <string>

#include "attention/mask.h"
#include "attention/order.h"
#include "core/draw.h"
#include "core/encoding.h"

// What the properties of the operator share: tokens, and what self-attention makes of them.
namespace posproof::tokens {

// Each token with its channels moved on by `by`, as a token-wise linear map, cut or repeated to `width`.
inline Tensor rolled(const Tensor& x, std::size_t by, std::size_t width) {
  Tensor out({x.rows(), width});
  for (std::size_t r = 0; r < x.rows(); ++r) {
    const auto row = x.row(r);
    auto rest = out.row(r);
    for (std::size_t from = by % row.size(); !rest.empty(); from = 0) {
      const std::size_t run = std::min(rest.size(), row.size() - from);
      std::ranges::copy(row.subspan(from, run), rest.begin());
      rest = rest.subspan(run);
    }
  }
  return out;
}

// Self-attention of x with projections that move the channels on, so that queries, keys and values differ.
inline Tensor attend(const Attention& attention, const Tensor& x, const Mask& mask) {
  return attention.attend(x, rolled(x, 1, attention.dim), rolled(x, 2, attention.value_dim), mask);
}

inline double error(const Attention& attention, const Tensor& x, const Mask& mask, const Precision& p) {
  return largest_error(attention, x, rolled(x, 1, attention.dim), rolled(x, 2, attention.value_dim), mask, p);
}

// How far the answers to two inputs, equal by the statement, may lie apart.
inline double error_of_both(const Attention& attention, const Tensor& x, const Mask& of_x, const Tensor& y,
                            const Mask& of_y, const Precision& p) {
  return error(attention, x, of_x, p) + error(attention, y, of_y, p);
}

// n tokens that all differ, for any width: entry (r, c) is (r + 1)(c + 1 + shift) modulo 17, moved to [-1,
// 1]. The eighths are exact in every format.
inline Tensor distinct(std::size_t n, std::size_t dim, std::size_t shift) {
  Tensor x({n, dim});
  for (std::size_t r = 0; r < n; ++r)
    for (std::size_t c = 0; c < dim; ++c)
      x.at(r, c) = (static_cast<double>((r + 1) * (c + 1 + shift) % 17) - 8) / 8;
  return x;
}

// One of the families of masks over n tokens, each of which leaves every query a key. Of the first five, what
// is left where no query is shown a later key has no symmetry in which a query sees several keys that change
// places; last_sees_all has.
inline Mask drawn_mask(Draw& draw, std::size_t n, const Attention& attention) {
  std::vector<Value> families = {std::string("none"), std::string("causal"), std::string("padding"),
                                 std::string("block"), std::string("window")};
  if (attention.causal) families.emplace_back(std::string("last_sees_all"));
  const Value family = draw.one_of("mask", families);
  const std::string& name = std::get<std::string>(family);
  const auto from_1_to = [&](const char* what, std::size_t most) {
    return static_cast<std::size_t>(draw.integer(what, 1, static_cast<std::int64_t>(most)));
  };
  if (name == "none") return mask::none(n);
  if (name == "causal") return mask::causal(n);
  if (name == "padding") {
    std::vector<bool> keep(n, false);
    std::fill_n(keep.begin(), from_1_to("kept", n), true);
    return mask::padding(n, keep);
  }
  if (name == "last_sees_all") return mask::last_sees_all(n);
  if (name == "window") return mask::sliding_window(n, from_1_to("reach", n));
  // Blocks of one size, the last one smaller where they do not divide n.
  const std::size_t size = from_1_to("block", n);
  std::vector<std::size_t> sizes;
  for (std::size_t left = n; left > 0; left -= sizes.back()) sizes.push_back(std::min(size, left));
  return mask::block(sizes);
}

// Where only keys at or before the query mean anything, no query is shown another.
inline Mask allowed(const Attention& attention, Mask mask) {
  return attention.causal ? mask::intersect(mask, mask::causal(mask.rows())) : mask;
}

// Queries that see every key, as the last of all rows: where only keys at or before the query mean anything,
// rows of zeros stand before them, one for each key but the first, which see the keys at or before them.
struct Across {
  std::size_t before;
  Mask mask;
};
inline Across across(const Attention& attention, std::size_t queries, std::size_t keys) {
  const std::size_t before = attention.causal ? keys - 1 : 0;
  Mask mask = mask::none(before + queries, keys);
  for (std::size_t r = 0; r < before; ++r)
    for (std::size_t c = r + 1; c < keys; ++c) mask.at(r, c) = 0;
  return {before, std::move(mask)};
}
inline Tensor behind_zeros(const Tensor& q, std::size_t rows) {
  Tensor out({rows + q.rows(), q.width()});
  std::ranges::copy(q.data, out.data.begin() + static_cast<std::ptrdiff_t>(rows * q.width()));
  return out;
}

// What each of these queries makes of all keys.
inline Tensor attend_across(const Attention& attention, const Tensor& q, const Tensor& k, const Tensor& v) {
  const auto [before, mask] = across(attention, q.rows(), k.rows());
  const Tensor all = attention.attend(behind_zeros(q, before), k, v, mask);
  const auto first = all.data.begin() + static_cast<std::ptrdiff_t>(before * all.width());
  return {{q.rows(), all.width()}, {first, all.data.end()}};
}
inline double error_across(const Attention& attention, const Tensor& q, const Tensor& k, const Tensor& v,
                           const Precision& p) {
  const auto [before, mask] = across(attention, q.rows(), k.rows());
  return largest_error(attention, behind_zeros(q, before), k, v, mask, p);
}

}  // namespace posproof::tokens
