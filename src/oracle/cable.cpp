#include "catalogue/oracle/cable.h"
#include "oracle/forgetting.h"

namespace posproof {

// b_i - b_j, b = cumsum(-softplus(w . x + c)): Veisi et al. 2025; axiomlab/Cable, which divides
// its logits by sqrt(1). The key stands for x.
Encoding oracle::cable(const Arguments& p) {
  const std::size_t dim = p.width("dim");
  const double bias = p.real("gate_bias");
  const Trained gate(1, dim, p.whole("table_seed"), p.real("gate_std"));
  return forgetting("cable", dim, p.is("scale", "rsqrt"), [=](const auto& in, const auto& key) {
    return in.minus(in.softplus(in.sum(in.dot(trained(in, gate.row(0)), key), in.trained(bias))));
  });
}

}  // namespace posproof
