#include "catalogue/oracle/decomposed_relative.h"
#include "oracle/formula.h"

namespace posproof {
namespace {

using exact::InFull;
using exact::Number;

// What is added up in any order, each partial sum stored. No partial sum is larger than all terms by their
// absolute values: one rounding of that for each but the first term.
Number added(const InFull&, std::span<const Number> terms) {
  Number out;
  for (const Number& term : terms) out += term;
  return out;
}
Rounded added(const InPrecision& in, std::span<const Rounded> terms) {
  Rounded out;
  for (const Rounded& term : terms)
    out = {out.value + term.value, out.size + term.size, out.error + term.error};
  for (std::size_t n = 1; n < terms.size(); ++n) out = in.stored(out);
  return out;
}

bool before_the_grid(oracle::Coordinates place) {
  return std::any_of(place.begin(), place.end(), [](Position number) { return number < 0; });
}

}  // namespace

// Attn = (Q K^T + E) / sqrt(d), E_ij = Q_i . (R^h_h(i),h(j) + R^w_w(i),w(j) + R^t_t(i),t(j)): MViTv2,
// equations 4 and 5; in its code, and Segment Anything's, Q K^T / sqrt(d) + E. An axis of g numbers has 2 g -
// 1 vectors, that of the smallest offset first; offsets beyond the grid are held at its end.
Encoding oracle::decomposed_relative(const Arguments& p) {
  const std::size_t dim = p.width("dim");
  std::vector<Position> extents;
  std::size_t rows = 0;
  for (const double extent : p.list("grid")) {
    extents.push_back(static_cast<Position>(extent));
    rows += 2 * static_cast<std::size_t>(extent) - 1;
  }
  const Trained table(rows, dim, p.whole("table_seed"));
  const bool key_minus_query = p.is("relative", "key_minus_query"), all_scaled = p.is("query", "scaled"),
             classed = p.is("class_token", "apart");

  Contextual relative = contextual_on_a_grid(
      "decomposed_relative", dim, 1, extents.size(), AsGiven(),
      [=](const auto& in, const auto& q, const auto& k, Coordinates i, Coordinates j) {
        using All = NumbersOf<std::decay_t<decltype(in)>>;
        const auto content = in.dot(q, k);
        if (classed && (before_the_grid(i) || before_the_grid(j))) return All{in.over_root(content, dim)};
        All terms = {all_scaled ? content : in.over_root(content, dim)};
        Position middle = 0;  // the row of offset 0
        for (std::size_t axis = 0; axis < extents.size(); ++axis) {
          const Position most = extents[axis] - 1,
                         apart = key_minus_query ? j[axis] - i[axis] : i[axis] - j[axis];
          middle += most;
          terms.push_back(in.dot(q, trained(in, table.row(middle + std::max(-most, std::min(most, apart))))));
          middle += most + 1;
        }
        const auto sum = added(in, terms);
        return All{all_scaled ? in.over_root(sum, dim) : sum};
      });
  for (const Position extent : extents) relative.positions.last_on_axis.push_back(extent - 1);
  relative.positions.hi = *std::max_element(extents.begin(), extents.end()) - 1;
  if (classed) relative.positions.lo = -1;
  return relative;
}

}  // namespace posproof
