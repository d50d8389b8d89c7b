#include "attention/order.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <stdexcept>
#include <vector>

#include "core/residual.h"

namespace posproof::attention {
namespace {

template <class Wanted>
std::size_t count_orders(std::size_t n, const Wanted& wanted) {
  if (n > 8)
    throw std::invalid_argument(fmt::format("{}! orders are too many to try; allowed: at most 8!", n));
  std::vector<std::size_t> order(n);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::size_t found = 0;
  do {
    if (wanted(Permutation(order))) ++found;
  } while (std::next_permutation(order.begin(), order.end()));
  return found;
}

}  // namespace

Tensor reordered(const Tensor& x, Permutation order) {
  if (order.size() != x.rows())
    throw std::invalid_argument(fmt::format("an order of {} for {} rows", order.size(), x.rows()));
  Tensor out(x.shape);
  for (std::size_t r = 0; r < order.size(); ++r)
    std::copy(x.row(order[r]).begin(), x.row(order[r]).end(), out.row(r).begin());
  return out;
}

Mask reordered(const Mask& mask, Permutation queries, Permutation keys) {
  Mask out = reordered(mask, queries);
  for (std::size_t i = 0; i < queries.size(); ++i)
    for (std::size_t j = 0; j < keys.size(); ++j) out.at(i, j) = mask.at(queries[i], keys[j]);
  return out;
}

bool is_identity(Permutation order) {
  for (std::size_t r = 0; r < order.size(); ++r)
    if (order[r] != r) return false;
  return true;
}

bool is_symmetry(const Mask& mask, Permutation order) {
  return reordered(mask, order, order) == mask;
}

std::size_t symmetries(const Mask& mask) {
  return count_orders(mask.rows(), [&](Permutation order) { return is_symmetry(mask, order); });
}

std::size_t equivariant_orders(const Attention& attention, const Tensor& x, const Mask& mask,
                               Reordered what) {
  const Tensor as_it_is = attention.attend(x, x, x, mask);
  const double bound = largest_error(attention, x, x, x, mask, all_f64);
  return count_orders(x.rows(), [&](Permutation order) {
    const Tensor moved = reordered(x, order);
    const Tensor &q = what == Reordered::keys_and_values ? x : moved,
                 &kv = what == Reordered::queries ? x : moved;
    const Tensor there = attention.attend(q, kv, kv, mask);
    const Tensor expected = what == Reordered::keys_and_values ? as_it_is : reordered(as_it_is, order);
    return difference(there.data, expected.data, bound + largest_error(attention, q, kv, kv, mask, all_f64))
        .holds();
  });
}

}  // namespace posproof::attention
