#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

// What was measured on random content, over many seeds: no single draw is a result.
namespace posproof::experiments {

constexpr std::uint64_t draws = 200;  // seeds 1, 2, ...

// The values of one quantity over all draws.
class Drawn {
 public:
  void see(double value) { values_.insert(std::ranges::upper_bound(values_, value), value); }

  double least() const { return values_.front(); }
  double most() const { return values_.back(); }
  double median() const { return quantile(0.5); }
  // The middle nine tenths of the draws.
  std::pair<double, double> band() const { return {quantile(0.05), quantile(0.95)}; }

  // 95 % confidence interval of the median, from order statistics: how many draws lie below the true median
  // is binomial with 1/2, whatever the distribution.
  std::pair<double, double> of_median() const;

 private:
  // Linear between two neighbours in order.
  double quantile(double share) const {
    const double at = share * static_cast<double>(values_.size() - 1), whole = std::floor(at);
    const auto lower = static_cast<std::size_t>(whole), upper = std::min(lower + 1, values_.size() - 1);
    return values_[lower] + (at - whole) * (values_[upper] - values_[lower]);
  }

  std::vector<double> values_;  // rising
};

}  // namespace posproof::experiments
