#include <algorithm>
#include <cmath>

#include "catalogue/encodings/sincos_2d.h"
#include "catalogue/misreadings/sincos_2d.h"
#include "misreadings/right.h"

namespace posproof::misreadings_sincos_2d {
namespace {

using misread::Real;

// Positions are divided by another extent than that of the declared grid, and 1e-6 more.
struct Extents {
  bool of_the_call = false;  // as far as the tokens of the call reach
  bool less_one = false;
  bool largest = false;  // of all axes
};

std::vector<double> reached(const Positions& positions, std::size_t axes) {
  std::vector<double> out(axes, 0);
  for (std::size_t r = 0; r < positions.size(); ++r)
    for (std::size_t axis = 0; axis < axes; ++axis)
      out[axis] = std::max(out[axis], static_cast<double>(positions.at(r, axis)) + 1);
  return out;
}

template <Extents of>
Encoding reads(const Parameters& given) {
  const Arguments p = misread::arguments(encodings::sincos_2d, given);
  if (p.is("normalize", "none")) throw Refusal("a misreading of extents");
  Table table = misread::right<Table>(encodings::sincos_2d, given);
  const std::vector<double> declared = p.list("grid");
  const double most = std::ranges::max(declared), least = std::ranges::min(declared);
  if (of.largest && most == least) throw Refusal("the same on a square grid");
  if (of.less_one && least < 2) throw Refusal("an extent of 0");
  const auto extents = [declared, most](const Positions& positions) {
    std::vector<double> out = of.of_the_call ? reached(positions, declared.size()) : declared;
    if (of.largest) std::ranges::fill(out, most);
    if (of.less_one)
      for (double& one : out) one -= 1;
    return out;
  };
  table.rows = [=, dim = table.dim, pairs = table.pairs, offset = table.offset](const Positions& positions,
                                                                                Position) {
    const std::vector<double> own = extents(positions);
    Tensor rows({positions.size(), dim});
    for (std::size_t r = 0; r < positions.size(); ++r)
      for (const Pair& pair : pairs) {
        const Real by = (declared[pair.axis] + 1e-6L) / (own[pair.axis] + 1e-6L);
        const Real angle = (static_cast<Real>(positions.at(r, pair.axis)) + offset) * by * pair.frequency;
        rows.at(r, pair.first) = static_cast<double>(std::sin(angle));
        rows.at(r, pair.second) = static_cast<double>(std::cos(angle));
      }
    return rows;
  };
  // One token is within a grid of one place: its angles are the largest, by as much as the grid is larger.
  if (of.of_the_call || of.less_one)
    for (Pair& pair : table.pairs) pair.frequency *= of.of_the_call ? declared[pair.axis] : 2;
  return table;
}

}  // namespace

const MisreadingFamily entry{{
    {"positions are divided by the extents of the call's own positions, not by those of the grid",
     &reads<Extents{.of_the_call = true}>, "dim=16 normalize=detr offset=1 grid=[5,3]"},
    {"positions are divided by the extents less 1", &reads<Extents{.less_one = true}>,
     "dim=16 normalize=detr offset=1 grid=[5,3]"},
    {"positions of every axis are divided by the largest extent", &reads<Extents{.largest = true}>,
     "dim=16 normalize=detr offset=1 grid=[5,3]"},
}};

}  // namespace posproof::misreadings_sincos_2d
