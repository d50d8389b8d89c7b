#include "attention/dot_product.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "attention/mask.h"

namespace posproof::attention {

// Plain loops and no matrix library: a library blocks its sums by the size of the machine's cache, and with
// the order the last bits change.
Tensor product(const Tensor& x, const Tensor& w) {
  if (x.shape.size() != 2 || w.shape.size() != 2 || x.width() != w.rows())
    throw std::invalid_argument(fmt::format("{} cannot be multiplied with {}", text(x.shape), text(w.shape)));
  Tensor out({x.rows(), w.width()});
  for (std::size_t r = 0; r < x.rows(); ++r)
    for (std::size_t i = 0; i < x.width(); ++i)
      for (std::size_t c = 0; c < w.width(); ++c) out.at(r, c) += x.at(r, i) * w.at(i, c);
  return out;
}

Tensor scaled_logits(const Tensor& q, const Tensor& k) {
  if (q.width() != k.width())
    throw std::invalid_argument(fmt::format("queries {} meet keys {}", text(q.shape), text(k.shape)));
  const double root = std::sqrt(static_cast<double>(q.width()));
  const std::size_t keys = k.rows(), width = q.width();
  // Eight keys side by side, the last ones filled up with zeros, so that the sums of a query with them run
  // beside each other, each in the order of the channels.
  constexpr std::size_t abreast = 8;
  std::vector<double> beside((keys + abreast - 1) / abreast * abreast * width, 0.0);
  for (std::size_t j = 0; j < keys; ++j) {
    const auto key = k.row(j);
    double* place = beside.data() + j / abreast * abreast * width + j % abreast;
    for (std::size_t c = 0; c < width; ++c) place[c * abreast] = key[c];
  }
  Tensor logits({q.rows(), keys});
  for (std::size_t i = 0; i < q.rows(); ++i) {
    const auto query = q.row(i);
    const auto row = logits.row(i);
    for (std::size_t j = 0; j < keys; j += abreast) {
      const double* place = beside.data() + j * width;
      std::array<double, abreast> sums = {};
      for (std::size_t c = 0; c < width; ++c) {
        const double one = query[c];
        for (std::size_t n = 0; n < abreast; ++n) sums[n] += one * place[c * abreast + n];
      }
      for (std::size_t n = 0; n < abreast && j + n < keys; ++n) row[j + n] = sums[n] / root;
    }
  }
  return logits;
}

Tensor softmax(const Tensor& logits, const Mask& mask) {
  if (logits.shape != mask.shape)
    throw std::invalid_argument(
        fmt::format("logits {} meet a mask of {}", text(logits.shape), text(mask.shape)));
  Tensor weights(logits.shape);
  for (std::size_t i = 0; i < logits.rows(); ++i) {
    double most = -std::numeric_limits<double>::infinity();
    bool any = false;
    for (std::size_t j = 0; j < logits.width(); ++j)
      if (mask::sees(mask, i, j)) {
        any = true;
        most = std::max(most, logits.at(i, j));
      }
    if (!any) throw Refusal(fmt::format("query {} sees no key", i));
    std::vector<long double> powers(logits.width(), 0.0L);
    long double sum = 0;
    for (std::size_t j = 0; j < logits.width(); ++j)
      if (mask::sees(mask, i, j)) {
        powers[j] = std::exp(static_cast<long double>(logits.at(i, j)) - most);
        sum += powers[j];
      }
    for (std::size_t j = 0; j < logits.width(); ++j) weights.at(i, j) = static_cast<double>(powers[j] / sum);
  }
  return weights;
}

Tensor scaled_dot_product(const Tensor& q, const Tensor& k, const Tensor& v, const Mask& mask) {
  return product(softmax(scaled_logits(q, k), mask), v);
}

}  // namespace posproof::attention
