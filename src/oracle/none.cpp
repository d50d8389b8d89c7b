#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "catalogue/oracle/none.h"
#include "core/hard.h"
#include "exact/numbers.h"

namespace posproof {

using namespace exact;

namespace {

// How far q . k * scale may be from the exact logit where it is formed in arithmetic of unit u or better: not
// every library sums bf16 in f32 (PyTorch 1.13's einsum on a CPU sums it in bf16). Each term meets at most
// dim roundings on its way (its product, and the sums in any order), and the scale three more (a root, a
// quotient, the product with it), so it is off by at most (1 + u)^(dim + 3) - 1 of itself, which is the
// first-order (dim + 3) u where that is small. Below the normal numbers of f16 each rounding is half of the
// smallest one instead: of dim products, of three results, and of the entries of a query or a key that the
// scale multiplies first, which count as often as the other's entries. Our own exact logit is rounded to
// double once, and the bound itself, a sum of dim positive terms, is short of its value by at most (dim + 4)
// units of a double.
double bound(std::span<const double> q, std::span<const double> k, double scale, const Precision& p) {
  const auto roundings = static_cast<double>(q.size()) + 3;
  double size = 0, of_q = 0, of_k = 0;
  for (std::size_t c = 0; c < q.size(); ++c) {
    size += std::abs(q[c] * k[c]);
    of_q += std::abs(q[c]), of_k += std::abs(k[c]);
  }
  if (size == 0) return 0;
  size *= scale;
  const auto subject = static_cast<double>(
      std::expm1(static_cast<long double>(roundings) * std::log1p(static_cast<long double>(p.result))));
  const double least = p.result == unit_f16 ? 0x1p-25 * (roundings + std::max(of_q, of_k)) : 0;
  return (size * (subject + unit_f64) + least) * (1 + (roundings + 1) * unit_f64);
}

Tensor logits_of(const Tensor& q, const Tensor& k, std::size_t queries, std::size_t keys, std::size_t dim,
                 std::size_t root) {
  if (q.shape != Shape{queries, dim} || k.shape != Shape{keys, dim})
    throw Refusal(fmt::format("none: q is {} and k is {}, {} and {} came", text(Shape{queries, dim}),
                              text(Shape{keys, dim}), text(q.shape), text(k.shape)));
  Tensor out({1, queries, keys});
  for (std::size_t i = 0; i < queries; ++i)
    for (std::size_t j = 0; j < keys; ++j) out.at(i, j) = dot(q.row(i), k.row(j), root);
  return out;
}

}  // namespace

Encoding oracle::none(const Arguments& p) {
  const std::size_t dim = p.width("dim");
  const std::size_t root = p.is("scale", "rsqrt") ? dim : 1;

  Contextual none{.dim = dim, .positional = false};
  none.positions.hard = hard_positions(std::span<const Pair>{}, none.positions.lo, none.positions.hi);
  none.logits = [dim, root](const Tensor& q, const Tensor& k, std::span<const Position> queries,
                            std::span<const Position> keys) {
    return logits_of(q, k, queries.size(), keys.size(), dim, root);
  };
  none.error = [scale = 1 / std::sqrt(static_cast<double>(root))](
                   std::span<const double> q, std::span<const double> k, std::span<const double>,
                   std::span<const double>,
                   const Precision& precision) { return bound(q, k, scale, precision); };
  return none;
}

}  // namespace posproof
