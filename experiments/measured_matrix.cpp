#include "measured_matrix.h"

#include <fmt/format.h>

#include "catalogue/properties.h"

namespace posproof::experiments {

std::string failed_by(const std::string& property, const Refuted& refuted, const LeastEffects& least) {
  const Residual& residual = refuted.residual;
  if (!least.contains(property)) return fmt::format("{:.3g}", residual.error);
  return fmt::format("{:.2g} of {:.2g}", residual.ceiling - residual.error, residual.ceiling);
}

const MeasuredMatrix& measured_matrix() {
  static const MeasuredMatrix measured = [] {
    MeasuredMatrix m{.options = {}, .cells = matrix({}), .seen = {}, .least = {}};
    for (const auto& [id, property] : catalogue::properties())
      for (const MeasuredExample& of : sharpest(id, *property)) {
        if (of.example == nullptr) continue;
        m.seen.push_back({std::string(id), of});
        if (!of.in_16_bits && of.sharpness.measure == Measure::threshold) m.least.insert(std::string(id));
      }
    return m;
  }();
  return measured;
}

}  // namespace posproof::experiments
