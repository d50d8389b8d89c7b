#include "gate/zeros_agree.h"

#include <algorithm>
#include <memory>

#include "attention/reference_attention.h"
#include "run/recorded.h"

namespace posproof {

bool zeros_agree(const Encoding& truth, const Encoding& subject, const Precision& precision, Plan plan) {
  const std::vector<Encoding> kinds = attention::in_every_kind(truth);
  const Encoding* same = attention::same_kind(kinds, subject);
  if (same == nullptr) return false;
  const auto is_more = std::make_shared<bool>(false);
  const Encoding zeros = answered_by(subject, [truth = *same, is_more](const Call& call) {
    Tensor out = answer(truth, call);
    *is_more = *is_more || std::ranges::any_of(out.data, [](double entry) { return entry != 0; });
    std::ranges::fill(out.data, 0.0);
    return out;
  });
  plan.budget.shrinks = 0;
  return std::holds_alternative<Holds>(agreement_searched(truth, zeros, precision, plan)) && *is_more;
}

}  // namespace posproof
