#include "catalogue/oracle/forgetting_transformer.h"
#include "oracle/forgetting.h"

namespace posproof {

// d_ij = sum of log f_l over l = j + 1 .. i, f_t = sigmoid(w_f . x_t + b_f): Lin et al. 2025. The key stands
// for x_t: with w for W_K^T w_f, which is as general where W_K has an inverse.
Encoding oracle::forgetting_transformer(const Arguments& p) {
  const std::size_t dim = p.width("dim");
  const double bias = p.real("gate_bias");
  const Trained gate(1, dim, p.whole("table_seed"), p.real("gate_std"));
  return forgetting("forgetting_transformer", dim, true, [=](const auto& in, const auto& key) {
    return in.log_sigmoid(in.sum(in.dot(trained(in, gate.row(0)), key), in.trained(bias)));
  });
}

}  // namespace posproof
