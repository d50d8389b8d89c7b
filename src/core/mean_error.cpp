#include "core/mean_error.h"

#include <algorithm>
#include <cmath>

#include "core/term.h"

namespace posproof {

double mean_error(std::span<const double> logits, std::span<const double> errors, const Tensor& values,
                  double values_error, const Precision& p) {
  const double most = *std::max_element(logits.begin(), logits.end());
  double e = 0;
  for (std::size_t j = 0; j < logits.size(); ++j)
    e = std::max(e, errors[j] + term(Term::softmax, p.result * (most - logits[j]) + 4 * p.result));
  const double roundings =
      term(Term::mean, 2 * static_cast<double>(logits.size()) * p.work()) + term(Term::result, 4 * p.result);
  double worst = 0;
  for (std::size_t c = 0; c < values.width(); ++c) {
    double lo = values.at(0, c), hi = lo;
    for (std::size_t j = 1; j < values.rows(); ++j)
      lo = std::min(lo, values.at(j, c)), hi = std::max(hi, values.at(j, c));
    const double largest = std::max(std::abs(lo), std::abs(hi));
    worst = std::max(worst, std::min(e, 2.0) * (hi - lo) / 2 + values_error + roundings * largest);
  }
  // What is not a number is allowed nothing, so that a comparison with it refutes instead of ending the run.
  return std::isfinite(worst) ? worst : 0;
}

}  // namespace posproof
