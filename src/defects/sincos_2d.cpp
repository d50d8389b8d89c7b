#include "catalogue/defects/sincos_2d.h"

#include <numbers>

#include "catalogue/encodings/sincos_2d.h"
#include "defects/grids.h"

namespace posproof::defects_sincos_2d {
namespace {

using namespace operators;

Encoding right(const Parameters& p) {
  return encodings::sincos_2d.make(p);
}

// meshgrid(w, h) where h is meant to come first.
Encoding axes_swapped(const Parameters& p) {
  const std::string normalize = p.word("normalize");
  refuse_unless(normalize == "none", "said of whole places");
  return at_each_place(right(p), [](std::span<Position> place) { std::ranges::reverse(place); });
}

// The parts of the axes are stacked on the last axis and flattened: one column of each in turn.
Encoding stacked_on_the_wrong_axis(const Parameters& p) {
  const auto dim = static_cast<std::size_t>(p.integer("dim")),
             axes = static_cast<std::size_t>(p.integer("axes"));
  refuse_unless(dim % axes == 0 && dim > axes && std::get<std::vector<double>>(*p.find("parts")).size() == 1,
                "said of parts of one width");
  return answering(right(p), [=](const Call&, Tensor& out) {
    const Tensor rows = out;
    const std::size_t part = dim / axes;
    for (std::size_t r = 0; r < rows.rows(); ++r)
      for (std::size_t c = 0; c < dim; ++c) out.at(r, c % part * axes + c / part) = rows.at(r, c);
  });
}

// y / (h + eps) - 1/2, all of it times 2 pi, in place of (y - 1/2) / (h + eps).
Encoding half_outside_the_bracket(const Parameters& p) {
  refuse_unless(p.word("normalize") == "centred", "there is no half pixel");
  Table table = as<Table>(right(p));
  const std::vector<double> grid = std::get<std::vector<double>>(*p.find("grid"));
  const double offset = table.offset + 0.5;
  table.rows = [=, dim = table.dim, pairs = table.pairs](const Positions& positions, Position) {
    Tensor rows({positions.size(), dim});
    for (std::size_t r = 0; r < rows.rows(); ++r)
      for (const Pair& pair : pairs) {
        const double half = pair.frequency * (grid[pair.axis] + 1e-6) / 2;
        const double angle = (positions.at(r, pair.axis) + offset) * pair.frequency - half;
        rows.at(r, pair.first) = std::sin(angle), rows.at(r, pair.second) = std::cos(angle);
      }
    return rows;
  };
  refuse_unless(std::ranges::any_of(grid, [](double extent) { return extent > 1; }),
                "the same where every extent is 1");
  return table;
}

}  // namespace

const DefectFamily entry{{
    {.name = "axes_swapped",
     .wrong =
         "where rows first was meant, meshgrid(w, h) in place of (h, w): the first half of the columns belongs to w (the convention axis_order=reversed)",
     .sources = "kin of facebookresearch/mae#67, huggingface/diffusers#10877",
     .make = &axes_swapped,
     .setting = "dim=4"},
    {.name = "stacked_on_the_wrong_axis",
     .wrong =
         "the parts of x and y are stacked on the last axis before they are flattened: their columns mix",
     .sources = "NVIDIA/physicsnemo#1096",
     .recorded = {"2d-stack-order"},
     .make = &stacked_on_the_wrong_axis,
     .setting = "dim=8"},
    {.name = "half_outside_the_bracket",
     .wrong =
         "y/(h + eps) - 1/2 in place of (y - 1/2)/(h + eps), times 2 pi: half the grid is taken off, not half a pixel",
     .sources = "kin of IDEA-Research/DN-DETR#51",
     .make = &half_outside_the_bracket,
     .setting = "dim=4 normalize=centred grid=[2,3]"},
}};

}  // namespace posproof::defects_sincos_2d
