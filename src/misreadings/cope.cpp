#include <algorithm>
#include <cmath>

#include "catalogue/encodings/cope.h"
#include "catalogue/misreadings/cope.h"
#include "core/formats.h"
#include "misreadings/right.h"

namespace posproof::misreadings_cope {
namespace {

using namespace inside;

enum class Between { interpolated, rounded, floor, ceiling, exchanged };

using Rounding = double (*)(double);

// What is kept in a format of few digits of gates and of what is made of them.
struct Kept {
  Rounding product = nullptr, gate = nullptr, sum = nullptr;
  bool each_step = false;  // of the sum, from the query on

  static Real in(Rounding format, Real x) {
    return format == nullptr ? x : static_cast<Real>(format(static_cast<double>(x)));
  }
};

struct Count {
  bool from_the_first = false;  // of the keys up to this one, not from it to the query
  bool open = false;            // every gate is 1: the distance
  bool closes = false;          // 1 - gate
  bool of_keys = false;         // the gate is of a key with itself
  bool masked_too = false;      // the gates of keys that the query does not see count
  bool hidden_too = false;      // of these, those of keys up to the query's own
  std::size_t less = 0;         // the largest position is smaller by it
  Real below = 0;               // added to the position
  bool wraps = false;           // past the largest one it begins again at 0
  Between between = Between::interpolated;
  bool divided = false;  // the product with the row, by sqrt(dim)
  Kept kept = {};
};

Encoding reads(const Parameters& given, const Count& of) {
  const Arguments p = misread::arguments(encodings::cope, given);
  const std::size_t dim = p.width("dim"), rows = p.width("length");
  if (rows < 1 + of.less || (of.wraps && rows < 2)) throw Refusal("nothing is left");
  const Real last = static_cast<Real>(rows - 1 - of.less);
  const Real scale = p.is("gate", "scaled") ? 1 / root(dim) : 1;
  const std::size_t behind = p.is("counting", "inclusive") ? 0 : 1;
  const Tensor table = trained(rows, dim, p.whole("table_seed"));
  return misread::with_pairs(
      encodings::cope, given, [=](const Tensor& q, const Tensor& k, const Tensor& v, const Mask& mask) {
        const auto gate = [=, &q, &k](std::size_t i, std::size_t l) -> Real {
          if (of.open) return 1;
          const Real product =
              Kept::in(of.kept.product, scale * dot(of.of_keys ? k.row(l) : q.row(i), k.row(l)));
          const Real open = Kept::in(of.kept.gate, 1 / (1 + std::exp(-product)));
          return of.closes ? 1 - open : open;
        };
        const auto logit = [=, &q, &k, &mask](std::size_t i, std::size_t j) {
          Real position = of.below;
          const std::size_t begin = of.from_the_first ? 0 : j + behind,
                            end = of.from_the_first ? j + 1 - behind : k.rows();
          for (std::size_t l = end; l-- > begin;)
            if (of.masked_too || (of.hidden_too && l <= i) || mask.at(i, l) != 0) {
              position += gate(i, l);
              if (of.kept.each_step) position = Kept::in(of.kept.sum, position);
            }
          position = Kept::in(of.kept.sum, position);
          position = of.wraps ? std::fmod(position, last) : std::clamp(position, Real{0}, last);
          const auto low = static_cast<std::size_t>(position), high = std::min(low + 1, rows - 1);
          Real share = position - static_cast<Real>(low);
          if (of.between == Between::rounded) share = std::nearbyint(share);
          if (of.between == Between::floor) share = 0;
          if (of.between == Between::ceiling) share = std::ceil(share);
          // Of a whole position the row below is the one above, too, as in the paper's listing.
          if (of.between == Between::exchanged && share != 0) share = 1 - share;
          const Real met =
              (1 - share) * dot(q.row(i), table.row(low)) + share * dot(q.row(i), table.row(high));
          return dot(q.row(i), k.row(j)) / root(dim) + (of.divided ? met / root(dim) : met);
        };
        return Pairwise{logit, misread::plain_values(v)};
      });
}

misread::Make with(const Count& of) {
  return [of](const Parameters& given) { return reads(given, of); };
}

}  // namespace

const MisreadingFamily entry{{
    {"the gates are counted from the first key up to this one, not from this one to the query",
     with({.from_the_first = true}), "dim=4 length=8"},
    {"every gate is 1: positions are distances", with({.open = true}), "dim=4 length=8"},
    {"the gates are 1 - sigmoid: they close where they should open", with({.closes = true}),
     "dim=4 length=8"},
    {"the gates are of a key's product with itself, not with the query", with({.of_keys = true}),
     "dim=4 length=8"},
    {"the gates of masked keys count as well", with({.masked_too = true}), "dim=4 length=8"},
    {"the gates of masked keys up to the query's own count as well", with({.hidden_too = true}),
     "dim=4 length=8"},
    {"positions are limited to length - 2, not to length - 1", with({.less = 1}), "dim=4 length=3"},
    {"positions are taken modulo length - 1, not limited to it", with({.wraps = true}), "dim=4 length=3"},
    {"positions count from 1, not from 0", with({.below = 1}), "dim=4 length=8"},
    {"positions are smaller by 1", with({.below = -1}), "dim=4 length=8"},
    {"positions are rounded to the nearest row, not interpolated", with({.between = Between::rounded}),
     "dim=4 length=8"},
    {"positions are rounded down to a row, not interpolated", with({.between = Between::floor}),
     "dim=4 length=8"},
    {"positions are rounded up to a row, not interpolated", with({.between = Between::ceiling}),
     "dim=4 length=8"},
    {"the two rows of the interpolation have each other's share", with({.between = Between::exchanged}),
     "dim=4 length=8"},
    {"the product of the query with the row is divided by sqrt(dim)", with({.divided = true}),
     "dim=4 length=8"},
    {"the gates are rounded to f16", with({.kept = {.gate = &to_f16}}), "dim=4 length=8"},
    {"the gates and their sums are rounded to f16", with({.kept = {.gate = &to_f16, .sum = &to_f16}}),
     "dim=4 length=8"},
    {"the gates and each step of their sums are rounded to f16",
     with({.kept = {.gate = &to_f16, .sum = &to_f16, .each_step = true}}), "dim=4 length=64"},
    {"the products in the gates, and the gates, are rounded to f16",
     with({.kept = {.product = &to_f16, .gate = &to_f16}}), "dim=4 length=8"},
    {"the products in the gates, the gates and their sums are rounded to f16",
     with({.kept = {.product = &to_f16, .gate = &to_f16, .sum = &to_f16}}), "dim=4 length=8"},
    {"the products in the gates, the gates and each step of their sums are rounded to f16",
     with({.kept = {.product = &to_f16, .gate = &to_f16, .sum = &to_f16, .each_step = true}}),
     "dim=4 length=64"},
    {"the gates are rounded to bf16", with({.kept = {.gate = &to_bf16}}), "dim=4 length=8"},
    {"the gates and their sums are rounded to bf16", with({.kept = {.gate = &to_bf16, .sum = &to_bf16}}),
     "dim=4 length=8"},
    {"the gates and each step of their sums are rounded to bf16",
     with({.kept = {.gate = &to_bf16, .sum = &to_bf16, .each_step = true}}), "dim=4 length=64"},
    {"the products in the gates, and the gates, are rounded to bf16",
     with({.kept = {.product = &to_bf16, .gate = &to_bf16}}), "dim=4 length=8"},
    {"the products in the gates, the gates and their sums are rounded to bf16",
     with({.kept = {.product = &to_bf16, .gate = &to_bf16, .sum = &to_bf16}}), "dim=4 length=8"},
    {"the products in the gates, the gates and each step of their sums are rounded to bf16",
     with({.kept = {.product = &to_bf16, .gate = &to_bf16, .sum = &to_bf16, .each_step = true}}),
     "dim=4 length=64"},
}};

}  // namespace posproof::misreadings_cope
