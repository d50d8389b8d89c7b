// A table of our own, whose rows have the norm 1: one recorded case, checked with posproof::core alone.
#include <cmath>
#include <cstdio>

#include "core/case.h"
#include "core/draw.h"
#include "core/encoding.h"
#include "core/residual.h"

using namespace posproof;

namespace {

Residual has_norm_1(const Table& table, Draw& draw) {
  const Position t = draw.position("t", table.positions);
  const Tensor row = table.rows({&t, 1}, t + 1);
  return difference(std::hypot(row.at(0, 0), row.at(0, 1)), 1, 4 * unit_f64);
}

Tensor circle(std::span<const Position> positions, double radius) {
  Tensor out({positions.size(), 2});
  for (std::size_t n = 0; n < positions.size(); ++n) {
    out.at(n, 0) = radius * std::cos(static_cast<double>(positions[n]));
    out.at(n, 1) = radius * std::sin(static_cast<double>(positions[n]));
  }
  return out;
}

bool holds(double radius) {
  Table table;
  table.dim = 2;
  table.rows = [=](std::span<const Position> positions, Position) { return circle(positions, radius); };
  Replay draw(Case::parse("t=127"));
  return has_norm_1(table, draw).holds();
}

}  // namespace

int main() {
  std::printf("radius 1: %d, radius 1.001: %d\n", holds(1), holds(1.001));
  return holds(1) && !holds(1.001) ? 0 : 1;
}
