#pragma once

#include <cstddef>
#include <vector>

// 95 % confidence intervals of shares and means, from independent draws.
namespace posproof::experiments {

struct Estimate {
  double value, low, high;
};

// Of a probability, from how many of that many trials succeeded: Clopper and Pearson 1934, exact.
Estimate share(std::size_t successes, std::size_t trials);

// Of the mean of a distribution, from at least two draws: Student's t.
Estimate mean(const std::vector<double>& draws);

}  // namespace posproof::experiments
