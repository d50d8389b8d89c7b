#pragma once

#include "core/function.h"
#include "encodings/forgetting.h"
#include "misreadings/right.h"

// Sums of gates between a key and a query, misread: shared by the encodings that have one number a token.
namespace posproof::misread {

struct Gates {
  bool of_queries = false;  // computed from queries, not keys
  int sign = 1;             // what is forgotten is added
  std::size_t behind = 1;   // 0: the key's own gate counts as well
  std::size_t before = 0;   // 1: the query's own does not
  bool mean = false;        // divided by how many
  bool seen_alone = false;  // those of keys that the query does not see do not count
  std::size_t block = 0;  // running sums, whose difference counts, begin again at 0 in each block of so many
  double (*kept)(double) = nullptr;  // what a running sum is rounded to at each token
};

inline Encoding with_gates(const EncodingSpec& spec, const Parameters& given, Real scale, const Gates& of,
                           Function<Real(std::span<const double>)> forgets) {
  return with_pairs(spec, given, [=](const Tensor& q, const Tensor& k, const Tensor& v, const Mask& mask) {
    std::vector<Real> each;
    for (std::size_t j = 0; j < k.rows(); ++j)
      each.push_back(forgets(of.of_queries ? q.row(std::min(j, q.rows() - 1)) : k.row(j)));
    const bool of_running_sums = of.block > 0 || of.kept != nullptr;
    std::vector<Real> running = each;
    for (std::size_t l = 0; l < each.size() && of_running_sums; ++l) {
      if (l > 0 && (of.block == 0 || l % of.block != 0)) running[l] += running[l - 1];
      if (of.kept != nullptr) running[l] = of.kept(static_cast<double>(running[l]));
    }
    const auto logit = [=, &q, &k, &mask](std::size_t i, std::size_t j) {
      if (of_running_sums)
        return inside::dot(q.row(i), k.row(j)) * scale +
               of.sign * (running[std::min(i, k.rows() - 1)] - running[j]);
      const std::size_t begin = j + of.behind, end = std::min(i + 1, k.rows()) - of.before;
      Real between = 0;
      for (std::size_t l = begin; l < end; ++l)
        if (!of.seen_alone || mask.at(i, l) != 0) between += each[l];
      if (of.mean && end > begin) between /= static_cast<Real>(end - begin);
      return inside::dot(q.row(i), k.row(j)) * scale + of.sign * between;
    };
    return inside::Pairwise{logit, plain_values(v)};
  });
}

}  // namespace posproof::misread
