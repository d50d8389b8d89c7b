#include "diagnosis/bias_deviations.h"

#include "diagnosis/bias_distances.h"
#include "diagnosis/bias_entries.h"
#include "diagnosis/bias_forms.h"
#include "diagnosis/bias_heads.h"
#include "run/narrowed.h"

namespace posproof {

std::vector<Deviation> bias_deviations(const Bias& subject, const Bias& truth, const Parameters& parameters,
                                       const Precision& precision) {
  const Domain domain = overlap(subject.positions, truth.positions);
  if (truth.heads > 256 || domain.axes != 1 || domain.hi <= domain.lo) return {};
  const AskedBias measured{subject, truth, parameters, precision, domain};
  std::vector<Deviation> out;
  add_measured(out, [&] { return measured_heads(measured); });
  for (Deviation& one : measured_distances(measured)) out.push_back(std::move(one));
  for (const auto& [words, other] : bias_forms()) out.push_back({{words}, with_entries(truth, other), true});
  return out;
}

std::optional<Deviation> deviation_at_a_distance(const Bias& subject, const Bias& truth,
                                                 const Parameters& parameters, const Precision& precision,
                                                 const std::vector<Answered>& answered) {
  const Domain domain = overlap(subject.positions, truth.positions);
  if (domain.axes != 1 || domain.hi <= domain.lo) return std::nullopt;
  return lone_distance({subject, truth, parameters, precision, domain}, answered);
}

}  // namespace posproof
