#include "catalogue/defects/decomposed_relative.h"

#include <algorithm>
#include <vector>

#include "catalogue/encodings/decomposed_relative.h"
#include "core/formats.h"
#include "defects/operators.h"
#include "encodings/decomposed.h"

namespace posproof::defects_decomposed_relative {
namespace {

using namespace inside;
using operators::refuse_unless;

// The offset of two tokens, i max(k/q, 1) - j max(q/k, 1) + (k - 1) max(q/k, 1), each step of it rounded to
// f32, and cut to a whole number.
Position offset_in_f32(const DecomposedAxis& axis, Position i, Position j) {
  const double q = static_cast<double>(axis.queries), k = static_cast<double>(axis.keys);
  const double of_query = to_f32(std::max(k / q, 1.0)), of_key = to_f32(std::max(q / k, 1.0));
  const double apart =
      to_f32(to_f32(static_cast<double>(i) * of_query) - to_f32(static_cast<double>(j) * of_key));
  return static_cast<Position>(to_f32(apart + to_f32((k - 1) * std::max(q / k, 1.0))));
}

bool differs(const DecomposedAxis& axis) {
  for (Position i = 0; i < axis.queries; ++i)
    for (Position j = 0; j < axis.keys; ++j)
      if (offset_in_f32(axis, i, j) != axis.offset(i, j)) return true;
  return false;
}

Encoding coordinates_in_f32(const Parameters& given) {
  const Arguments p(encodings::decomposed_relative.parameters, given);
  const std::vector<DecomposedAxis> axes = decomposed_axes(p);
  refuse_unless(std::ranges::any_of(axes, &differs), "f32 holds the coordinates of these grids");
  auto out = as<Contextual>(encodings::decomposed_relative.make(given));
  out.logits = decomposed_logits(p, [axes, rows = decomposed_rows(p, axes)](std::span<const double> q,
                                                                            std::span<const double>,
                                                                            Coordinates i, Coordinates j) {
                 Real met = 0;
                 for (std::size_t axis = 0; axis < axes.size(); ++axis)
                   met += dot(q, rows[axes[axis].row(i[axis], j[axis], &offset_in_f32)]);
                 return met;
               }).logits;
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
