#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <map>
#include <string_view>
#include <utility>
#include <vector>

#include "catalogue/encodings/log_cpb.h"
#include "catalogue/misreadings/log_cpb.h"
#include "encodings/seeded.h"
#include "misreadings/right.h"

namespace posproof::misreadings_log_cpb {
namespace {

using misread::Real;

// The offset along an axis, and the extent of the window by which it is divided: what the perceptron is
// given.
using Coordinate = Real (*)(Real offset, Real extent);
using RealFunction = Real (*)(Real x);

Real with_sign(Real offset, Real size) {
  return std::copysign(size, offset);
}
Real right(Real offset, Real extent) {
  return with_sign(offset, std::log2(1 + 8 * std::abs(offset) / (extent - 1)) / 3);
}
Real by_the_extent(Real offset, Real extent) {
  return with_sign(offset, std::log2(1 + 8 * std::abs(offset) / extent) / 3);
}
Real without_8(Real offset, Real extent) {
  return with_sign(offset, std::log2(1 + std::abs(offset) / (extent - 1)) / 3);
}
Real without_division(Real offset, Real) {
  return with_sign(offset, std::log2(1 + 8 * std::abs(offset)) / 3);
}
Real natural(Real offset, Real extent) {
  return with_sign(offset, std::log1p(8 * std::abs(offset) / (extent - 1)) / 3);
}
Real without_3(Real offset, Real extent) {
  return 3 * right(offset, extent);
}
Real by_4(Real offset, Real extent) {
  return right(offset, extent) * 3 / 4;
}
Real without_logarithm(Real offset, Real extent) {
  return 8 * offset / (extent - 1);
}
Real without_1(Real offset, Real extent) {
  return offset == 0 ? 0 : with_sign(offset, std::log2(8 * std::abs(offset) / (extent - 1)) / 3);
}
Real backward(Real offset, Real extent) {
  return -right(offset, extent);
}

// Of raw offsets: ln(1 + |t|), not divided.
Real raw(Real offset, Real) {
  return with_sign(offset, std::log1p(std::abs(offset)));
}
Real raw_to_base_2(Real offset, Real) {
  return with_sign(offset, std::log2(1 + std::abs(offset)));
}
Real raw_to_base_10(Real offset, Real) {
  return with_sign(offset, std::log10(1 + std::abs(offset)));
}
Real raw_without_1(Real offset, Real) {
  return offset == 0 ? 0 : with_sign(offset, std::log(std::abs(offset)));
}
Real raw_without_logarithm(Real offset, Real) {
  return offset;
}
Real raw_without_sign(Real offset, Real) {
  return std::log1p(std::abs(offset));
}
Real raw_backward(Real offset, Real extent) {
  return -raw(offset, extent);
}

Real sixteenfold(Real z) {
  return 16 * misread::sigmoid(z);
}
Real eightfold_tanh(Real z) {
  return 8 * std::tanh(z);
}

// By which the offsets of rows and of columns are divided.
enum class Extents { own, exchanged, of_rows, of_columns };

struct Reading {
  Coordinate coordinate = &right;
  RealFunction limit = &sixteenfold;
  RealFunction activation = &misread::positive_part;
  bool exchanged = false, hidden_biases = true;
  Extents extents = Extents::own;
  bool raw = false;  // of raw coordinates, without a limit
};

Encoding made(const Parameters& given, const Reading& as) {
  const Arguments p = misread::arguments(encodings::log_cpb, given);
  const bool released =
      p.is("coordinates", "normalized") && p.is("limit", "sigmoid") && p.is("last_biases", "none");
  if (as.raw ? !p.is("coordinates", "raw") || !p.is("limit", "none") : !released)
    throw Refusal("a misreading of the released code, or of raw coordinates");
  if (!p.is("class_token", "none")) throw Refusal("said of windows without a class token");
  const bool last_biases = p.is("last_biases", "trained");
  const std::vector<double> trained = as.raw ? std::vector<double>() : p.list("pretrained");
  std::array<Real, 2> extent = {
      static_cast<Real>(trained.empty() ? static_cast<double>(p.whole("height")) : trained.at(0)),
      static_cast<Real>(trained.empty() ? static_cast<double>(p.whole("width")) : trained.at(1))};
  if (as.extents != Extents::own && extent[0] == extent[1]) throw Refusal("the same in a square window");
  if (as.extents == Extents::exchanged) std::swap(extent[0], extent[1]);
  if (as.extents == Extents::of_rows) extent[1] = extent[0];
  if (as.extents == Extents::of_columns) extent[0] = extent[1];
  const std::size_t hidden = p.width("hidden");
  const auto seed = static_cast<std::uint64_t>(p.whole("mlp_seed"));
  Bias out = misread::right<Bias>(encodings::log_cpb, given);
  out.bias = [=, heads = out.heads, std = p.real("std")](const Positions& queries, const Positions& keys) {
    const auto entry = [&](std::size_t head, Real rows, Real columns) {
      std::array x = {as.coordinate(rows, extent[0]), as.coordinate(columns, extent[1])};
      if (as.exchanged) std::swap(x[0], x[1]);
      Real z = last_biases ? seeded(seed, (3 + heads) * hidden + head, std) : 0;
      for (std::size_t k = 0; k < hidden; ++k) {
        const Real before = seeded(seed, 2 * k, 1.0) * x[0] + seeded(seed, 2 * k + 1, 1.0) * x[1] +
                            (as.hidden_biases ? seeded(seed, 2 * hidden + k, 1.0) : 0);
        z += seeded(seed, 3 * hidden + head * hidden + k, std) * as.activation(before);
      }
      return static_cast<double>(as.limit(z));
    };
    std::map<std::pair<double, double>, std::vector<double>> known;
    Tensor all({heads, queries.size(), keys.size()});
    for (std::size_t i = 0; i < queries.size(); ++i)
      for (std::size_t j = 0; j < keys.size(); ++j) {
        const double rows = queries.at(i, 0) - keys.at(j, 0), columns = queries.at(i, 1) - keys.at(j, 1);
        std::vector<double>& entries = known[{rows, columns}];
        for (std::size_t h = entries.size(); h < heads; ++h) entries.push_back(entry(h, rows, columns));
        for (std::size_t h = 0; h < heads; ++h) all.at(h * queries.size() + i, j) = entries[h];
      }
    return all;
  };
  return out;
}

Misreading reads(std::string_view what, const Reading& as,
                 std::string_view setting = "hidden=8 heads=2 height=5 width=7 std=0.5") {
  return {what, [as](const Parameters& given) { return made(given, as); }, setting};
}

Misreading of_raw(std::string_view what, Coordinate coordinate) {
  return reads(what, {.coordinate = coordinate, .limit = &misread::itself, .raw = true},
               "hidden=8 heads=2 height=5 width=7 std=0.5 coordinates=raw limit=none last_biases=trained");
}

}  // namespace

const MisreadingFamily entry{{
    reads("offsets are divided by the extents of the window, not by one less",
          {.coordinate = &by_the_extent}),
    reads("the factor 8 is left out: log2(1 + |t| / (e - 1)) / 3", {.coordinate = &without_8}),
    reads("offsets are not divided by the extents: log2(1 + 8 |t|) / 3", {.coordinate = &without_division}),
    reads("the logarithm is natural, not to base 2", {.coordinate = &natural}),
    reads("the logarithm is not divided by 3, the one of 8", {.coordinate = &without_3}),
    reads("the logarithm is divided by 4, the one of 16, not by 3", {.coordinate = &by_4}),
    reads("the logarithm is left out: 8 t / (e - 1)", {.coordinate = &without_logarithm}),
    reads("the 1 in the logarithm is left out: log2(8 |t| / (e - 1)) / 3, and 0 where t is 0",
          {.coordinate = &without_1}),
    reads("the offsets are those of the key to the query", {.coordinate = &backward}),
    reads("the coordinates of rows and columns are exchanged", {.exchanged = true}),
    reads("rows are divided by the extent of columns, and columns by that of rows",
          {.extents = Extents::exchanged}),
    reads("columns are divided by the extent of rows", {.extents = Extents::of_rows}),
    reads("rows are divided by the extent of columns", {.extents = Extents::of_columns},
          "hidden=8 heads=2 height=5 width=9 std=0.5"),  // of 7 columns it is as with --height 7
    reads("the perceptron's output has max(., 0) before the sigmoid",
          {.limit = [](Real z) { return 16 * misread::sigmoid(misread::positive_part(z)); }}),
    reads("the factor 16 of the sigmoid is left out", {.limit = &misread::sigmoid}),
    reads("the sigmoid is left out: 16 z", {.limit = [](Real z) { return 16 * z; }}),
    reads("8 tanh(z) stands for 16 / (1 + e^-z)", {.limit = &eightfold_tanh}),
    reads("the perceptron's hidden layer has no biases", {.hidden_biases = false}),
    reads("the perceptron's hidden layer has no max(., 0)", {.activation = &misread::itself}),
    reads("the perceptron's hidden layer has GELU", {.activation = &misread::gelu}),
    of_raw("the logarithm of raw offsets is to base 2, not natural", &raw_to_base_2),
    of_raw("the logarithm of raw offsets is to base 10, not natural", &raw_to_base_10),
    of_raw("the 1 in the logarithm of raw offsets is left out: ln |t|, and 0 where t is 0", &raw_without_1),
    of_raw("the logarithm of raw offsets is left out: t itself", &raw_without_logarithm),
    of_raw("raw offsets have no sign: ln(1 + |t|)", &raw_without_sign),
    of_raw("raw offsets are those of the key to the query", &raw_backward),
}};

}  // namespace posproof::misreadings_log_cpb
