#include "catalogue/defects/decomposed_relative.h"

#include <algorithm>
#include <cstddef>
#include <vector>

#include "catalogue/encodings/decomposed_relative.h"
#include "core/formats.h"
#include "defects/operators.h"
#include "encodings/decomposed.h"

namespace posproof::defects_decomposed_relative {
namespace {

using namespace inside;
using operators::refuse_unless;

// The row of two tokens of grids of `queries` and of `keys`: i max(k/q, 1) - j max(q/k, 1) + (k - 1) max(q/k,
// 1), each step of it rounded to f32, and cut to a whole number.
Position row_in_f32(Position queries, Position keys, Position i, Position j) {
  const double q = static_cast<double>(queries), k = static_cast<double>(keys);
  const double of_query = to_f32(std::max(k / q, 1.0)), of_key = to_f32(std::max(q / k, 1.0));
  const double apart =
      to_f32(to_f32(static_cast<double>(i) * of_query) - to_f32(static_cast<double>(j) * of_key));
  return static_cast<Position>(to_f32(apart + to_f32((k - 1) * std::max(q / k, 1.0))));
}

// The same row in whole numbers, from the first of the axis on.
Position row_of(const DecomposedAxis& axis, Position i, Position j) {
  return axis.finer() * (i * axis.keys + (axis.keys - 1 - j) * axis.queries) / (axis.queries * axis.keys);
}

bool differs(const DecomposedAxis& axis) {
  for (Position i = 0; i < axis.queries; ++i)
    for (Position j = 0; j < axis.keys; ++j)
      if (row_in_f32(axis.queries, axis.keys, i, j) != row_of(axis, i, j)) return true;
  return false;
}

Encoding coordinates_in_f32(const Parameters& given) {
  const Arguments p(encodings::decomposed_relative.parameters, given);
  const std::size_t dim = p.width("dim");
  const std::vector<DecomposedAxis> axes = decomposed_axes(p);
  refuse_unless(std::ranges::any_of(axes, &differs), "f32 holds the coordinates of these grids");
  const bool scaled = p.is("query", "scaled"), classed = p.is("class_token", "apart");
  auto out = as<Contextual>(encodings::decomposed_relative.make(given));
  out.logits =
      contextual_on_a_grid(
          dim, 1, axes.size(),
          [=, rows = decomposed_rows(p, axes)](std::span<const double> q, std::span<const double> k,
                                               Coordinates i, Coordinates j, std::size_t) {
            const Real content = dot(q, k) / root(dim);
            if (classed && std::min(std::ranges::min(i), std::ranges::min(j)) < 0) return content;
            Real met = 0;
            for (std::size_t axis = 0; axis < axes.size(); ++axis) {
              const DecomposedAxis& of = axes[axis];
              const Position last = 2 * (of.finer() - 1);
              const Position row =
                  std::clamp<Position>(row_in_f32(of.queries, of.keys, i[axis] * of.queries / of.finer(),
                                                  j[axis] * of.keys / of.finer()),
                                       0, last);
              met += dot(q, rows[of.begin + static_cast<std::size_t>(of.from_query ? last - row : row)]);
            }
            return content + (scaled ? met / root(dim) : met);
          })
          .logits;
  return out;
}

}  // namespace

const DefectFamily entry{{
    {.name = "coordinates_in_f32",
     .wrong =
         "i max(k/q, 1) - j max(q/k, 1) + (k - 1) max(q/k, 1) is formed in f32 and cut to a whole number: where rounding "
         "puts it below one, the row before is taken",
     .sources = "facebookresearch/segment-anything@5717941, facebookresearch/detectron2@55145ba, "
                "facebookresearch/mvit@c1a28e6",
     .make = &coordinates_in_f32,
     .setting = "dim=1 grid=[8,1] key_grid=[6,1]"},
}};

}  // namespace posproof::defects_decomposed_relative
