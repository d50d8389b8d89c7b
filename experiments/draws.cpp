#include "draws.h"

#include <boost/math/distributions/binomial.hpp>

namespace posproof::experiments {

std::pair<double, double> Drawn::of_median() const {
  const boost::math::binomial below(static_cast<double>(values_.size()), 0.5);
  // The largest count whose probability to be reached or stayed below is no more than 2.5 %.
  const auto cut = static_cast<std::size_t>(boost::math::quantile(below, 0.025));
  return {values_[cut], values_[values_.size() - 1 - cut]};
}

}  // namespace posproof::experiments
