#include "attention/dot_product.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
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

namespace {

// So many keys lie side by side, the last ones filled up with zeros: the sums of a query with them run beside
// each other, each in the order of the channels. So do those of as many queries.
constexpr std::size_t abreast = 4;
using Two = double __attribute__((vector_size(16)));

std::vector<double> side_by_side(const Tensor& k) {
  const std::size_t keys = k.rows(), width = k.width();
  std::vector<double> beside((keys + abreast - 1) / abreast * abreast * width);
  for (std::size_t j = 0; j < keys; ++j) {
    const double* key = k.data.data() + j * width;
    double* place = beside.data() + j / abreast * abreast * width + j % abreast;
    for (std::size_t c = 0; c < width; ++c) place[c * abreast] = key[c];
  }
  return beside;
}

// Each of these queries, whose rows follow each other, with each of the keys that lie abreast.
template <std::size_t queries>
void sums(const double* query, const double* key, std::size_t width, double (&out)[queries][abreast]) {
  Two low[queries] = {}, high[queries] = {};
  for (std::size_t c = 0; c < width; ++c, key += abreast) {
    Two first, second;
    std::memcpy(&first, key, sizeof first);
    std::memcpy(&second, key + 2, sizeof second);
    for (std::size_t i = 0; i < queries; ++i) {
      const double one = query[i * width + c];
      low[i] += one * first;
      high[i] += one * second;
    }
  }
  for (std::size_t i = 0; i < queries; ++i) {
    std::memcpy(out[i], &low[i], sizeof low[i]);
    std::memcpy(out[i] + 2, &high[i], sizeof high[i]);
  }
}

}  // namespace

Tensor scaled_logits(const Tensor& q, const Tensor& k) {
  if (q.width() != k.width())
    throw std::invalid_argument(fmt::format("queries {} meet keys {}", text(q.shape), text(k.shape)));
  const double root = std::sqrt(static_cast<double>(q.width()));
  const std::size_t queries = q.rows(), keys = k.rows(), width = q.width();
  const std::vector<double> beside = side_by_side(k);
  Tensor logits({queries, keys});
  const auto some = [&]<std::size_t n>(std::size_t i, double(&found)[n][abreast]) {
    for (std::size_t j = 0; j < keys; j += abreast) {
      sums(q.data.data() + i * width, beside.data() + j * width, width, found);
      for (std::size_t r = 0; r < n; ++r)
        for (std::size_t c = 0; c < abreast && j + c < keys; ++c)
          logits.data[(i + r) * keys + j + c] = found[r][c] / root;
    }
    return i + n;
  };
  double four[abreast][abreast], one[1][abreast];
  std::size_t i = 0;
  while (i + abreast <= queries) i = some(i, four);
  while (i < queries) i = some(i, one);
  return logits;
}

namespace {

// Of one row, its seen keys alone, to where the logits are.
void softmax_of_row(std::span<double> row, std::span<const std::size_t> seen,
                    std::vector<long double>& powers) {
  double most = -std::numeric_limits<double>::infinity();
  for (const std::size_t j : seen) most = std::max(most, row[j]);
  powers.clear();
  long double sum = 0;
  for (const std::size_t j : seen) {
    powers.push_back(std::exp(static_cast<long double>(row[j]) - most));
    sum += powers.back();
  }
  std::fill(row.begin(), row.end(), 0.0);
  for (std::size_t n = 0; n < seen.size(); ++n) row[seen[n]] = static_cast<double>(powers[n] / sum);
}

}  // namespace

Tensor softmax(const Tensor& logits, const Mask& mask) {
  if (logits.shape != mask.shape)
    throw std::invalid_argument(
        fmt::format("logits {} meet a mask of {}", text(logits.shape), text(mask.shape)));
  Tensor weights = logits;
  std::vector<std::size_t> seen;
  std::vector<long double> powers;
  for (std::size_t i = 0; i < logits.rows(); ++i) {
    mask::seen(mask, i, seen);
    softmax_of_row(weights.row(i), seen, powers);
  }
  return weights;
}

void average(std::span<const double> weights, const Tensor& v, std::size_t first, std::span<double> answer) {
  constexpr std::size_t twos = 8;
  const std::size_t step = v.width();
  std::size_t c = 0;
  for (; c + 2 * twos <= answer.size(); c += 2 * twos) {
    Two sums[twos] = {};
    const double* value = v.data.data() + first + c;
    for (const double weight : weights) {
      for (std::size_t n = 0; n < twos; ++n) {
        Two two;
        std::memcpy(&two, value + 2 * n, sizeof two);
        sums[n] += weight * two;
      }
      value += step;
    }
    std::memcpy(answer.data() + c, sums, sizeof sums);
  }
  for (; c < answer.size(); ++c) {
    double sum = 0;
    for (std::size_t j = 0; j < weights.size(); ++j) sum += weights[j] * v.data[j * step + first + c];
    answer[c] = sum;
  }
}

Tensor scaled_dot_product(const Tensor& q, const Tensor& k, const Tensor& v, const Mask& mask) {
  const Tensor weights = softmax(scaled_logits(q, k), mask);
  if (v.shape.size() != 2 || v.rows() != k.rows())
    return product(weights, v);  // which says what does not fit
  Tensor out({q.rows(), v.width()});
  for (std::size_t i = 0; i < q.rows(); ++i) average(weights.row(i), v, 0, out.row(i));
  return out;
}

}  // namespace posproof::attention
