#include <algorithm>
#include <vector>

#include "catalogue/encodings/decomposed_relative.h"
#include "catalogue/misreadings/decomposed_relative.h"
#include "misreadings/right.h"

namespace posproof::misreadings_decomposed_relative {
namespace {

using namespace inside;

// Which axes are read otherwise: rows are the first, columns the last.
struct Axes {
  bool first = false, last = false;
  bool have(std::size_t axis, std::size_t count) const {
    return (first && axis == 0) || (last && axis + 1 == count);
  }
};

struct Reading {
  Axes mirrored = {};     // the offset has the other sign
  bool averaged = false;  // the products of the axes
  Axes of_keys = {};      // the row is multiplied with the key
};

Encoding reads(const Parameters& given, const Reading& as) {
  const Arguments p = misread::arguments(encodings::decomposed_relative, given);
  const std::size_t dim = p.width("dim");
  std::vector<Position> last;
  std::size_t rows = 0;
  for (const double extent : p.list("grid")) {
    last.push_back(static_cast<Position>(extent) - 1);
    rows += 2 * static_cast<std::size_t>(extent) - 1;
  }
  const bool from_key = p.is("relative", "query_minus_key"), scaled = p.is("query", "scaled"),
             classed = p.is("class_token", "apart");
  const Tensor table = trained(rows, dim, p.whole("table_seed"));
  Contextual out = misread::right<Contextual>(encodings::decomposed_relative, given);
  out.logits = contextual_on_a_grid(dim, 1, last.size(),
                                    [=](std::span<const double> q, std::span<const double> k, Coordinates i,
                                        Coordinates j, std::size_t) {
                                      const Real content = dot(q, k) / root(dim);
                                      if (classed && std::min(std::ranges::min(i), std::ranges::min(j)) < 0)
                                        return content;
                                      Real met = 0;
                                      Position begin = 0;
                                      for (std::size_t axis = 0; axis < last.size(); ++axis) {
                                        const Position past = i[axis] - j[axis], most = last[axis];
                                        const bool mirrored = as.mirrored.have(axis, last.size());
                                        const Position row =
                                            begin + most +
                                            std::clamp(from_key != mirrored ? past : -past, -most, most);
                                        const auto& with = as.of_keys.have(axis, last.size()) ? k : q;
                                        met += dot(with, table.row(static_cast<std::size_t>(row)));
                                        begin += 2 * most + 1;
                                      }
                                      if (as.averaged) met /= static_cast<Real>(last.size());
                                      return content + (scaled ? met / root(dim) : met);
                                    })
                   .logits;
  // Rows of other offsets, and products with the key.
  out.error = [own = out.error](const auto& q, const auto& k, const auto& i, const auto& j,
                                const Precision& p) {
    return own(q, k, i, j, p) + own(q, k, j, i, p) + own(k, q, i, j, p);
  };
  return out;
}

misread::Make with(const Reading& of) {
  return [of](const Parameters& given) { return reads(given, of); };
}

constexpr std::string_view narrow = "dim=4";

}  // namespace

const MisreadingFamily entry{{
    {"the offsets of the first axis are read in the other direction", with({.mirrored = {.first = true}}),
     narrow},
    {"the offsets of the last axis are read in the other direction", with({.mirrored = {.last = true}}),
     narrow},
    {"the rows of the first axis are multiplied with the key, not with the query",
     with({.of_keys = {.first = true}}), narrow},
    {"the rows of the last axis are multiplied with the key, not with the query",
     with({.of_keys = {.last = true}}), narrow},
    {"the rows of the first and of the last axis are multiplied with the key, not with the query",
     with({.of_keys = {.first = true, .last = true}}), narrow},
    {"the products of the axes are averaged, not added up", with({.averaged = true}), "dim=8"},
}};

}  // namespace posproof::misreadings_decomposed_relative
