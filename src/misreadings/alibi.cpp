#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <span>
#include <vector>

#include "catalogue/encodings/alibi.h"
#include "catalogue/misreadings/alibi.h"
#include "core/formats.h"
#include "misreadings/right.h"

namespace posproof::misreadings_alibi {
namespace {

using Rounding = double (*)(double);

std::vector<double> rounded(std::vector<double> slopes, Rounding to) {
  for (double& one : slopes) one = to(one);
  return slopes;
}

// Both formats may round all slopes alike.
enum class Kept { f16, bf16, either };

template <Kept kept>
Encoding with_rounded_slopes(const Parameters& given) {
  Bias out = misread::right<Bias>(encodings::alibi, given);
  const std::vector<double> own = out.slopes, f16 = rounded(own, &to_f16), bf16 = rounded(own, &to_bf16);
  if ((f16 == bf16) != (kept == Kept::either)) throw Refusal("said of slopes that these formats tell apart");
  out.slopes = kept == Kept::bf16 ? bf16 : f16;
  if (out.slopes == own) throw Refusal("slopes that are numbers of the format");
  out.bias = [bias = out.bias, own, other = out.slopes](const Positions& queries, const Positions& keys) {
    Tensor all = bias(queries, keys);
    for (std::size_t h = 0; h < own.size(); ++h)
      for (std::size_t i = 0; i < queries.size() && own[h] != 0; ++i)
        for (std::size_t j = 0; j < keys.size(); ++j) {
          double& entry = all.at(h * queries.size() + i, j);
          entry = static_cast<double>(misread::Real{entry} / own[h] * other[h]);
        }
    return all;
  };
  return out;
}

using Place = std::span<const Position>;

// What stands for the distance of two places of a grid.
using Distance = Position (*)(Place query, Place key, const std::vector<double>& grid);

Position sum_of_squares(Place query, Place key, const std::vector<double>&) {
  Position sum = 0;
  for (std::size_t axis = 0; axis < query.size(); ++axis)
    sum += (query[axis] - key[axis]) * (query[axis] - key[axis]);
  return sum;
}
Position largest_of_the_axes(Place query, Place key, const std::vector<double>&) {
  Position most = 0;
  for (std::size_t axis = 0; axis < query.size(); ++axis)
    most = std::max(most, std::abs(query[axis] - key[axis]));
  return most;
}
Position of_numbers(Place query, Place key, const std::vector<double>& grid) {
  Position apart = 0;
  for (std::size_t axis = 0; axis < query.size(); ++axis)
    apart = apart * static_cast<Position>(grid[axis]) + query[axis] - key[axis];
  return std::abs(apart);
}

// A class token stays without a bias.
template <Distance distance>
Encoding at_a_distance(const Parameters& given) {
  const Arguments p = misread::arguments(encodings::alibi, given);
  const std::vector<double>& grid = p.list("grid");
  if (p.is("axes", "line") || std::ranges::max(grid) < 3 ||
      std::ranges::count_if(grid, [](double extent) { return extent > 1; }) < 2)
    throw Refusal("said of a grid with three places in a row and two on another axis");
  Bias out = misread::right<Bias>(encodings::alibi, given);
  out.bias = [own = out.bias, slopes = out.slopes, grid](const Positions& queries, const Positions& keys) {
    const auto place = [&](const Positions& all, std::size_t token) {
      return all.flat().subspan(token * grid.size(), grid.size());
    };
    Tensor all = own(queries, keys);
    for (std::size_t h = 0; h < slopes.size(); ++h)
      for (std::size_t i = 0; i < queries.size(); ++i)
        for (std::size_t j = 0; j < keys.size(); ++j)
          if (double& entry = all.at(h * queries.size() + i, j); entry != 0)
            entry = -slopes[h] * static_cast<double>(distance(place(queries, i), place(keys, j), grid));
    return all;
  };
  return out;
}

constexpr std::string_view on_a_grid = "heads=2 form=symmetric axes=rows_and_columns grid=[5,4]";

}  // namespace

const MisreadingFamily entry{{
    {"slopes are rounded to f16", &with_rounded_slopes<Kept::f16>, "heads=24"},
    {"slopes are rounded to bf16", &with_rounded_slopes<Kept::bf16>, "heads=24"},
    {"slopes are rounded to bf16 or f16", &with_rounded_slopes<Kept::either>, "heads=12"},
    {"the sum of the squares of the axes' distances stands for the distance: no root is taken",
     &at_a_distance<sum_of_squares>, on_a_grid},
    {"the largest of the axes' distances stands for the distance", &at_a_distance<largest_of_the_axes>,
     on_a_grid},
    {"the distance is that of the tokens' numbers, counted row by row", &at_a_distance<of_numbers>,
     on_a_grid},
}};

}  // namespace posproof::misreadings_alibi
