#include "catalogue/defects/sincos_2d.h"

#include <cmath>

#include "catalogue/encodings/sincos_2d.h"
#include "core/axis_bases.h"
#include "core/function.h"
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

// Of each pair at a position with its offset.
Table with_angles(Table table, Function<double(const Pair&, double t)> angle) {
  table.rows = [angle = std::move(angle), dim = table.dim, pairs = table.pairs, offset = table.offset](
                   const Positions& positions, Position) {
    Tensor rows({positions.size(), dim});
    for (std::size_t r = 0; r < rows.rows(); ++r)
      for (const Pair& pair : pairs) {
        const double of = angle(pair, positions.at(r, pair.axis) + offset);
        rows.at(r, pair.first) = std::sin(of), rows.at(r, pair.second) = std::cos(of);
      }
    return rows;
  };
  return table;
}

// y / (h + eps) - 1/2, all of it times 2 pi, in place of (y - 1/2) / (h + eps).
Encoding half_outside_the_bracket(const Parameters& p) {
  refuse_unless(p.word("normalize") == "centred", "there is no half pixel");
  Table table = as<Table>(right(p));
  const std::vector<double> grid = std::get<std::vector<double>>(*p.find("grid"));
  refuse_unless(std::ranges::any_of(grid, [](double extent) { return extent > 1; }),
                "the same where every extent is 1");
  return with_angles(std::move(table), [grid](const Pair& pair, double t) {
    return (t + 0.5) * pair.frequency - pair.frequency * (grid[pair.axis] + 1e-6) / 2;
  });
}

// Of n frequencies of an axis the j-th: e^(2j floor(-ln(base) / (2 dim))) in place of base^(-j/n).
Encoding exponent_rounded_down(const Parameters& p) {
  refuse_unless(p.word("normalize") == "none" && p.word("divisor") == "half", "said of exponents 2j/dim");
  Table table = as<Table>(right(p));
  const auto frequency = [bases = std::get<std::vector<double>>(*p.find("bases")), base = p.real("base"),
                          dim = p.real("dim")](const Pair& pair) {
    const double log = std::log(base_of_axis(bases, pair.axis).value_or(base));
    return std::exp(2 * static_cast<double>(pair.index) * std::floor(-log / (2 * dim)));
  };
  refuse_unless(
      std::ranges::none_of(table.pairs, [](const Pair& pair) { return pair.frequency_error.roundings > 0; }),
      "said of positions that nothing divides");
  refuse_unless(std::ranges::any_of(table.pairs, [](const Pair& pair) { return pair.index > 0; }),
                "the first frequency is 1 either way");
  return with_angles(std::move(table),
                     [frequency](const Pair& pair, double t) { return t * frequency(pair); });
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
    {.name = "exponent_rounded_down",
     .wrong =
         "-ln(base) / dim // 2 in place of -ln(base) / (dim // 2): the quotient is rounded down, to -1 at usual widths, and frequency j of an axis is e^(-2j)",
     .sources = "LoFTR#41",
     .make = &exponent_rounded_down,
     .setting = "dim=8"},
}};

}  // namespace posproof::defects_sincos_2d
