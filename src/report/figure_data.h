#pragma once

#include <string>
#include <utility>
#include <vector>

#include "core/document.h"

// The data of a figure, with exactly the digits that are drawn: what the plot program is given and what is
// published beside the drawing.
namespace posproof::report {

// The coordinates of a curve as they are printed. A point that a logarithmic axis cannot show is left out.
std::vector<std::pair<std::string, std::string>> printed(const document::Plot& plot,
                                                         const document::Curve& curve);

// The ends of its band as they are printed, at the points that `printed` gives; none where it has no band.
// Throws std::logic_error for a band that has not one pair of ends for each point, or whose end a logarithmic
// axis cannot show.
std::vector<std::pair<std::string, std::string>> printed_band(const document::Plot& plot,
                                                              const document::Curve& curve);

// The number of a heat map's first column or row: where the axis begins, 0 without a range.
double first_cell(const document::FigureAxis& axis);

// One line for each point or cell, under a header: `series` and the labels of both axes for a plot, and the
// ends of the band where a curve has one; the labels of both axes and `value` for a heat map. Fields are
// quoted as in RFC 4180, lines end with a line feed. Throws std::logic_error where a curve has neither a
// label nor a name.
std::string csv(const document::Plot& plot);
std::string csv(const document::HeatMap& map);

}  // namespace posproof::report
