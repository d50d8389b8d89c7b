#include "confidence.h"

#include <boost/math/distributions/binomial.hpp>
#include <boost/math/distributions/students_t.hpp>

#include <cmath>

namespace posproof::experiments {

Estimate share(std::size_t successes, std::size_t trials) {
  const auto n = static_cast<double>(trials), k = static_cast<double>(successes);
  using Binomial = boost::math::binomial;
  return {k / n, k == 0 ? 0 : Binomial::find_lower_bound_on_p(n, k, 0.025),
          k == n ? 1 : Binomial::find_upper_bound_on_p(n, k, 0.025)};
}

Estimate mean(const std::vector<double>& draws) {
  const auto n = static_cast<double>(draws.size());
  double sum = 0, squares = 0;
  for (const double x : draws) sum += x;
  for (const double x : draws) squares += (x - sum / n) * (x - sum / n);
  const double half =
      boost::math::quantile(boost::math::students_t(n - 1), 0.975) * std::sqrt(squares / (n - 1) / n);
  return {sum / n, sum / n - half, sum / n + half};
}

}  // namespace posproof::experiments
