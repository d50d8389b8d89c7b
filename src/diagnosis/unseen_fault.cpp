#include "diagnosis/unseen_fault.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace posproof {
namespace {

// How many of the rising numbers are larger.
double larger(const std::vector<double>& rising, double than) {
  return static_cast<double>(rising.end() - std::ranges::upper_bound(rising, than));
}

// A share that is not 1 however few were counted: (n + 0) / (n + 1), as of one more that is right.
double share(double of, std::size_t all) {
  return of / static_cast<double>(all + 1);
}

double none_of(double share, std::size_t entries) {
  return std::pow(1 - share, static_cast<double>(entries));
}

}  // namespace

// Entries of a call are alike, and so may be right together. A call in which the fault is not seen holds by
// chance as often as one of those where it could be seen, and no less often than so many entries that had
// nothing to do with each other: the larger of both counts. In a call in which it is seen the share of its
// own entries says how often; such a call says no more than 2^-4, whatever the number of its entries.
double chance_of_none(const std::vector<EntriesOfCall>& seen, const std::vector<EntriesOfCall>& elsewhere) {
  constexpr double least_of_call = 0x1p-4;
  std::vector<double> off, largest;
  std::size_t entries = 0;
  std::map<std::size_t, std::pair<std::size_t, std::vector<double>>> wrong;
  for (const EntriesOfCall& one : seen) {
    entries += one.entries;
    if (one.off.empty()) continue;
    off.insert(off.end(), one.off.begin(), one.off.end());
    largest.push_back(std::ranges::max(one.off));
    auto& own = wrong[one.call] = {one.entries, one.off};
    std::ranges::sort(own.second);
  }
  std::ranges::sort(off);
  std::ranges::sort(largest);
  double all = 1;
  for (const EntriesOfCall& one : elsewhere) {
    if (const auto own = wrong.find(one.call); own != wrong.end()) {
      const auto& [of_call, sizes] = own->second;
      all *= std::max(least_of_call, none_of(share(larger(sizes, one.bound()), of_call), one.entries));
    } else {
      all *= std::max(1 - share(larger(largest, one.bound()), seen.size()),
                      none_of(share(larger(off, one.bound()), entries), one.entries));
    }
  }
  return all;
}

}  // namespace posproof
