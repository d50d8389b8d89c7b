#pragma once

#include <cstddef>
#include <vector>

// Whether a fault that is seen somewhere would have been seen elsewhere, if it were there, too.
namespace posproof {

// Entries of one call that are told alike.
struct EntriesOfCall {
  std::size_t call;              // its number
  std::size_t entries = 0;       // at least one
  std::vector<double> off = {};  // of those that are wrong: by how much
  double bounds = 0;             // the sum of what rounding allows each

  double bound() const { return bounds / static_cast<double>(entries); }
};

// How likely all entries `elsewhere` hold, if the fault were there as it is in `seen`: as often, and as
// large. It shows in an entry where it is larger than rounding allows that one. Calls are given once each, by
// rising numbers. 1 where nothing elsewhere could have shown it.
double chance_of_none(const std::vector<EntriesOfCall>& seen, const std::vector<EntriesOfCall>& elsewhere);

}  // namespace posproof
