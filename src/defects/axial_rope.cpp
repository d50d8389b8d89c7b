#include "catalogue/defects/axial_rope.h"

#include "catalogue/encodings/axial_rope.h"
#include "defects/grids.h"

namespace posproof::defects_axial_rope {
namespace {

using namespace operators;

Encoding right(const Parameters& p) {
  return encodings::axial_rope.make(p);
}

Encoding halves_exchanged(const Parameters& p) {
  return at_each_place(right(p), [](std::span<Position> place) { std::ranges::reverse(place); });
}

// Token k stands at (k / W, k % W) of a grid of H x W; whoever takes H for W puts it at (k / H, k % H).
Encoding rows_of_the_height(const Parameters& p) {
  refuse_unless(p.integer("axes") == 2, "said of two axes");
  refuse_unless(p.word("coordinates") != "whole", "said of coordinates that depend on the grid");
  const std::vector<double> grid = std::get<std::vector<double>>(*p.find("grid"));
  const auto height = static_cast<Position>(grid[0]), width = static_cast<Position>(grid[1]);
  refuse_unless(height != width, "the same on a square grid");
  refuse_unless(height > 1 && width > 1, "the same on a line");
  return at_each_place(right(p), [height, width](std::span<Position> place) {
    const Position token = place[0] * width + place[1];
    place[0] = token / height, place[1] = token % height;
  });
}

// The exponent 2j over all channels that rotate, as if there were one ladder for all axes.
Encoding ladder_half_range(const Parameters& p) {
  refuse_unless(p.word("ladder") == "restarted" && p.real("base") != 1,
                "said of ladders that begin anew on each axis");
  refuse_unless(std::ranges::any_of(std::get<std::vector<double>>(*p.find("bases")),
                                    [](double base) { return base != 1; }),
                "said of ladders whose frequencies differ");
  const auto axes = static_cast<double>(p.integer("axes"));
  const Rotary rotary = as<Rotary>(right(p));
  const std::vector<double> parts = std::get<std::vector<double>>(*p.find("parts"));
  refuse_unless(parts.size() == 1, "said of parts of one width");
  refuse_unless(std::ranges::any_of(rotary.pairs, [](const Pair& pair) { return pair.index > 0; }),
                "the same where each axis has one pair");
  const Encoding out =
      with_frequencies(rotary, [axes, all = p.real("factor"),
                                of_each = std::get<std::vector<double>>(*p.find("factors"))](Pair& pair) {
        const double factor = of_each.size() == 1 ? all : of_each.at(pair.axis);
        pair.frequency = std::pow(pair.frequency * factor, 1 / axes) / factor;
      });
  const std::string coordinates = p.word("coordinates");
  const bool from_0 = coordinates == "whole" || coordinates == "resized";
  return at_each_place(out, [offset = from_0 ? p.integer("offset") : 0](std::span<Position> place) {
    for (Position& number : place) number += offset;
  });
}

// Widths of the axes, and whoever divides the width by their number has other ones.
Encoding even_split(const Parameters& p) {
  Parameters other = p;
  other.set("parts", std::vector<double>{0});
  refuse_unless(p.text() != other.text(), "the parts are even by right");
  const Rotary even = as<Rotary>(right(other));
  const std::vector<double> parts = std::get<std::vector<double>>(*p.find("parts"));
  const double rotating = 2 * static_cast<double>(even.pairs.size());
  refuse_unless(std::ranges::any_of(
                    parts, [&](double part) { return part * static_cast<double>(parts.size()) != rotating; }),
                "the parts are even by right");
  return even;
}

Encoding ids_of_the_unpacked_grid(const Parameters& p) {
  return positions_doubled(right(p));
}

}  // namespace

const DefectFamily entry{{
    {.name = "halves_exchanged",
     .wrong = "(y, x) is read as (x, y): the channels of each axis rotate by the other one's number",
     .sources = "kin of huggingface/pytorch-image-models#2541",
     .make = &halves_exchanged,
     .setting = "dim=4"},
    {.name = "rows_of_the_height",
     .wrong = "height and width of the grid are exchanged: its rows are as long as its columns",
     .sources = "huggingface/pytorch-image-models#2541",
     .recorded = {"rope2d-hw-order"},
     .make = &rows_of_the_height,
     .setting = "dim=4 coordinates=cells grid=[2,3]"},
    {.name = "ladder_half_range",
     .wrong =
         "w_j = base^(-2j/d) with d the width of all axes: the ladder of each ends a step short of base^(-1/axes)",
     .sources = "torchtune#2593",
     .recorded = {"rope2d-frequency-ladder-half-range"},
     .make = &ladder_half_range,
     .setting = "dim=8"},
    {.name = "even_split",
     .wrong = "each axis has dim/axes channels, rounded down to pairs, whatever widths are configured",
     .sources = "kin of huggingface/diffusers#12538",
     .make = &even_split,
     .setting = "dim=8 axes=3 parts=[4,2,2]"},
    {.name = "ids_of_the_unpacked_grid",
     .wrong = "positions are counted before 2 x 2 of them are packed into a token: every number is doubled",
     .sources = "kin of THUDM/CogVideo#538",
     .make = &ids_of_the_unpacked_grid,
     .setting = "dim=4"},
}};

}  // namespace posproof::defects_axial_rope
