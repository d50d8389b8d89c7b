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
  return attention.error(x, rolled(x, 1, attention.dim), rolled(x, 2, attention.value_dim), mask, p);
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

// One of the families of masks over n tokens, each of which leaves every query a key.
inline Mask drawn_mask(Draw& draw, std::size_t n) {
  const Value family =
      draw.one_of("mask", {std::string("none"), std::string("causal"), std::string("padding"),
                           std::string("block"), std::string("window")});
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
  if (name == "window") return mask::sliding_window(n, from_1_to("reach", n));
  // Blocks of one size, the last one smaller where they do not divide n.
  const std::size_t size = from_1_to("block", n);
  std::vector<std::size_t> sizes;
  for (std::size_t left = n; left > 0; left -= sizes.back()) sizes.push_back(std::min(size, left));
  return mask::block(sizes);
}

}  // namespace posproof::tokens
