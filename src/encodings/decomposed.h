#pragma once

#include <algorithm>
#include <functional>
#include <numeric>
#include <span>
#include <vector>

#include "core/resampling.h"
#include "encodings/inside_attention.h"

// What decomposed_relative and its misreadings have in common: the table of each axis, in long double.
namespace posproof::inside {

// One axis, on which queries and keys may have grids of their own. A position is a place on the finer one: a
// token of the other grid has all the places that it covers.
struct DecomposedAxis {
  Position queries, keys;  // extents
  std::size_t begin;       // of its rows among those of all axes
  bool from_query;         // rows by key - query

  Position finer() const { return std::max(queries, keys); }
  std::size_t rows() const { return static_cast<std::size_t>(2 * finer() - 1); }

  // The offset of token i of the grid of queries from token j of that of keys, each where its own grid lies
  // on the finer one: from the smallest on, rounded down.
  Position offset(Position i, Position j) const {
    return finer() * (i * keys + (keys - 1 - j) * queries) / (queries * keys);
  }

  // Of the rows of all axes, the one that this offset of two places has.
  template <class Offset>
  std::size_t row(Position query, Position key, const Offset& of) const {
    const Position past = of(*this, query * queries / finer(), key * keys / finer()),
                   last = 2 * (finer() - 1);
    const Position held = std::clamp<Position>(past, 0, last);
    return begin + static_cast<std::size_t>(from_query ? last - held : held);
  }
  std::size_t row(Position query, Position key) const {
    return row(query, key, std::mem_fn(&DecomposedAxis::offset));
  }
};

inline std::vector<DecomposedAxis> decomposed_axes(const Arguments& p) {
  const auto& queries = p.list("grid");
  const auto& keys = p.list("key_grid").empty() ? queries : p.list("key_grid");
  std::vector<DecomposedAxis> out;
  std::size_t begin = 0;
  for (std::size_t axis = 0; axis < queries.size(); ++axis) {
    out.push_back({static_cast<Position>(queries[axis]), static_cast<Position>(keys[axis]), begin,
                   p.is("relative", "key_minus_query")});
    begin += out.back().rows();
  }
  return out;
}

// The rows that products meet, of all axes: trained ones, or what is made of them.
inline std::vector<std::vector<Real>> decomposed_rows(const Arguments& p,
                                                      std::span<const DecomposedAxis> axes,
                                                      bool align_corners = false) {
  const std::size_t dim = p.width("dim");
  std::vector<std::size_t> trained_rows;
  for (std::size_t axis = 0; axis < axes.size(); ++axis)
    trained_rows.push_back(p.is("table", "fitting") ? axes[axis].rows()
                                                    : static_cast<std::size_t>(p.list("table_rows")[axis]));
  const Tensor table = trained(std::accumulate(trained_rows.begin(), trained_rows.end(), std::size_t{0}), dim,
                               p.whole("table_seed"));
  std::vector<std::vector<Real>> out;
  std::size_t begin = 0;
  for (std::size_t axis = 0; axis < axes.size(); ++axis) {
    const resampling::Axis resized{
        .before = trained_rows[axis],
        .after = axes[axis].rows(),
        .method = p.is("table", "linear") ? resampling::Method::linear : resampling::Method::first,
        .align_corners = align_corners,
        .antialias = false,
        .coefficient = 0,
        .more = 0};
    for (std::size_t n = 0; n < axes[axis].rows(); ++n) {
      std::vector<Real>& row = out.emplace_back(dim);
      for (const auto& [index, weight, error] : resampling::taps(resized, n))
        for (std::size_t c = 0; c < dim; ++c) row[c] += weight * table.at(begin + index, c);
    }
    begin += trained_rows[axis];
  }
  return out;
}

inline Real dot(std::span<const double> a, std::span<const Real> b) {
  Real sum = 0;
  for (std::size_t c = 0; c < a.size(); ++c) sum += a[c] * b[c];
  return sum;
}

// The logits, where met(q, k, i, j) is what the rows of all axes add to the content.
template <class Met>
Contextual decomposed_logits(const Arguments& p, const Met& met) {
  const std::size_t dim = p.width("dim");
  const bool scaled = p.is("query", "scaled"), classed = p.is("class_token", "apart");
  return contextual_on_a_grid(
      dim, 1, p.list("grid").size(),
      [=](std::span<const double> q, std::span<const double> k, Coordinates i, Coordinates j, std::size_t) {
        const Real content = dot(q, k) / root(dim);
        if (classed && std::min(std::ranges::min(i), std::ranges::min(j)) < 0) return content;
        const Real of_rows = met(q, k, i, j);
        return content + (scaled ? of_rows / root(dim) : of_rows);
      });
}

}  // namespace posproof::inside
