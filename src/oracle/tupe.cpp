#include "catalogue/oracle/tupe.h"
#include "core/outside.h"
#include "oracle/formula.h"
#include "oracle/whole.h"

namespace posproof {
namespace {

// T5's bucket of key - query among 32 up to distance 128. A quotient of logarithms that is whole is whole to
// all but the last of 256 bits.
Position bucket_of(Position offset) {
  using exact::Number;
  const Position n = std::abs(offset), ahead = offset > 0 ? 16 : 0;
  if (n < 8) return ahead + n;
  const Number share = log(Number(static_cast<double>(n)) / Number(8)) / log(Number(16)) * Number(8);
  return ahead + std::min<Position>(15, 8 + static_cast<Position>(floor(share + Number(0x1p-200)).nearest()));
}

}  // namespace

// a_ij = (x_i W_Q)(x_j W_K)^T / sqrt(2 d) + (p_i U_Q)(p_j U_K)^T / sqrt(2 d) + b_j-i: Ke, He, Liu 2021.
// theta1 and theta2 untie the first token. The tables hold p U_Q and
// p U_K. As in the code, where it is untied, rows 0 and 1 give theta1 and theta2, tokens have the rows from 1
// on, and the first token has biases of its own, buckets 16 and 32.
Encoding oracle::tupe(const Arguments& p) {
  const std::size_t dim = p.width("dim"), length = p.width("length");
  const bool untied = p.is("cls", "untied"), relative = p.is("relative", "t5");
  const std::int64_t seed = p.whole("table_seed");
  const Trained queries(length, dim, seed), keys(length, dim, seed + 1), biases(33, 1, seed + 2);
  const Kept<Position> buckets;
  const Position last = static_cast<Position>(length) - (untied ? 2 : 1);

  Contextual tupe =
      contextual("tupe", dim, AsGiven(), [=](const auto& in, auto q, auto k, Position i, Position j) {
        refuse_outside(i, 0, last);
        refuse_outside(j, 0, last);
        Position row = i + (untied ? 1 : 0), column = j + (untied ? 1 : 0),
                 entry = buckets(j - i, &bucket_of);
        if (untied && j == 0) row = column = 1, entry = 32;
        if (untied && i == 0) row = column = 0, entry = 16;
        const auto logit = in.over_root(
            in.sum(in.dot(q, k), in.dot(trained(in, queries.row(row)), trained(in, keys.row(column)))),
            2 * dim);
        return relative ? in.sum(logit, in.trained(biases.at(entry))) : logit;
      });
  tupe.positions = whole_domain(0, last);
  tupe.positions.ends = true;
  return tupe;
}

}  // namespace posproof
