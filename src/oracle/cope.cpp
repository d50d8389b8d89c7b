#include "catalogue/oracle/cope.h"
#include "oracle/formula.h"

namespace posproof {

// a_ij = softmax(q_i . (k_j + e[p_ij])), p_ij = sum of g_ik over k = j .. i, g_ij = sigmoid(q_i . k_j), and
// e[p] between the rows around p: Golovneva et al. 2024. As in the paper's listing, keys
// that the query does not see have gates of 0 and p ends at the table's last row.
Encoding oracle::cope(const Arguments& p) {
  const std::size_t dim = p.width("dim"), rows = p.width("length");
  const bool scaled_gates = p.is("gate", "scaled"), inclusive = p.is("counting", "inclusive");
  const Trained table(rows, dim, p.whole("table_seed"));

  Attention cope = attention(
      "cope", dim, [=](const auto& in, const Tensor& q, const Tensor& k, const Tensor& v, const Mask& mask) {
        using In = std::decay_t<decltype(in)>;
        Operands<In> of;
        of.logits.resize(q.rows() * k.rows());
        for (std::size_t i = 0; i < q.rows(); ++i) {
          const auto query = given(in, q.row(i));
          NumbersOf<In> entries;
          for (std::size_t r = 0; r < rows; ++r)
            entries.push_back(in.dot(query, trained(in, table.row(static_cast<Position>(r)))));
          NumbersOf<In> contents, gates, behind = {in.given(0)};
          for (std::size_t j = 0; j < k.rows(); ++j) {
            const bool seen = mask.at(i, j) != 0;
            const auto plain = in.dot(query, given(in, k.row(j)));
            contents.push_back(in.over_root(plain, dim));
            gates.push_back(in.sigmoid(scaled_gates ? contents.back() : plain));
            behind.push_back(seen ? in.next(behind.back(), gates.back()) : behind.back());
          }
          // From the last key on, or as the rest of all: `total - cumsum + gate`.
          auto counted = in.given(0);
          for (std::size_t j = k.rows(); j-- > 0;) {
            const auto before = counted;
            if (mask.at(i, j) != 0) counted = in.next(counted, gates[j]);
            const auto rest = in.sum(behind.back(), in.minus(behind[inclusive ? j : j + 1]));
            const auto position = in.either(inclusive ? counted : before, rest);
            of.logits[i * k.rows() + j] = in.sum(contents[j], in.interpolated(in.stored(position), entries));
          }
        }
        for (const double x : v.data) of.values.push_back(in.given(x));
        return of;
      });
  cope.only_logits = true;
  cope.causal = true;
  return cope;
}

}  // namespace posproof
