#include "diagnosis/bias_entries.h"

#include <algorithm>
#include <numeric>
#include <optional>
#include <span>
#include <stdexcept>

namespace posproof {
namespace {

std::vector<Position> whole(const Positions& positions) {
  return {positions.begin(), positions.end()};
}

// What rounding may do to the declared entries of which that makes one, where it depends on their positions.
double error_of(const Bias& truth, const OtherEntry& other, std::size_t head, Position i, Position j,
                double entry, const Precision& precision) {
  const std::vector<Position> query = {i}, key = {j};
  double worst = 0;
  const auto count = [&](std::size_t of, Position at, Position to, double is) {
    const double from = static_cast<double>(at), there = static_cast<double>(to);
    worst = std::max(worst, truth.error(of, {&from, 1}, {&there, 1}, is, precision));
  };
  count(head, i, j, entry);
  const BiasEntry declared = [&](std::size_t of, Position at, Position to) {
    const Position one[] = {at}, two[] = {to};
    const double is = truth.bias(one, two).data.at(of);
    count(of, at, to, is);
    return is;
  };
  try {
    other(declared, {head, i, j, 0, 0, query, key});
  } catch (const Refusal&) {  // not defined there
  }
  return worst;
}

}  // namespace

Bias with_entries(const Bias& truth, const OtherEntry& other) {
  Bias out = truth;
  if (truth.error)
    out.error = [=](std::size_t head, std::span<const double> query, std::span<const double> key,
                    double entry, const Precision& precision) {
      return error_of(truth, other, head, static_cast<Position>(query[0]), static_cast<Position>(key[0]),
                      entry, precision);
    };
  out.bias = [other, own = truth.bias, heads = truth.heads](const Positions& queries, const Positions& keys) {
    const std::vector<Position> i = whole(queries), j = whole(keys);
    Tensor to({heads, i.size(), j.size()});
    // Most entries are made of the declared one in their own place: those are asked for in one call.
    std::optional<Tensor> here;
    std::size_t row = 0, column = 0;
    const BiasEntry declared = [&](std::size_t head, Position at, Position key) {
      if (at == i[row] && key == j[column]) {
        if (!here) here = own(i, j);
        return here->at(head * i.size() + row, column);
      }
      const Position one[] = {at}, two[] = {key};
      return own(one, two).data.at(head);
    };
    for (std::size_t r = 0; r < to.rows(); ++r)
      for (column = 0; column < j.size(); ++column) {
        row = r % i.size();
        to.at(r, column) = other(declared, {r / i.size(), i[row], j[column], row, column, i, j});
      }
    return to;
  };
  return out;
}

Tensor AskedBias::entries(const Bias& bias, const std::vector<Position>& i,
                          const std::vector<Position>& j) const {
  Tensor out = bias.bias(i, j);
  if (out.shape != Shape{truth.heads, i.size(), j.size()}) throw std::runtime_error("another shape");
  return out;
}

std::vector<Position> near_positions(const Domain& domain) {
  std::vector<Position> out(static_cast<std::size_t>(std::min<Position>(24, domain.hi - domain.lo + 1)));
  std::iota(out.begin(), out.end(), domain.lo);
  return out;
}

}  // namespace posproof
