#pragma once

#include <functional>
#include <string>
#include <vector>

#include "core/precision.h"
#include "core/spec.h"
#include "core/tensor.h"
#include "identify/identified.h"

namespace posproof {

// A bias at positions first, first + 1, ... of queries and of keys: [heads, n, n].
struct MeasuredBias {
  Tensor entries;
  Position first = 0;

  std::size_t heads() const { return entries.shape[0]; }
  std::size_t size() const { return entries.shape[1]; }
  double at(std::size_t head, std::size_t query, std::size_t key) const {
    return entries.at(head * size() + query, key);
  }
};

// Settings of `alibi` (rule, form, rows, max_bias) that its slopes may come from: what the entries of the
// last query differ by from key to key.
std::vector<Candidate> alibi_candidates(const EncodingSpec& spec, const MeasuredBias& bias,
                                        const Precision& precision);

// Settings of `kerple` (logarithm or power) that the last query's row may come from: of each head r1 and r2,
// from the nearest key but its own and from the farthest.
std::vector<Candidate> kerple_candidates(const EncodingSpec& spec, const MeasuredBias& bias,
                                         const Precision& precision);

// Settings of `t5_bias` whose buckets the entries have, whatever numbers stand in them: each entry depends on
// the bucket alone, and neighbouring buckets differ in one head at least. `trained`: the numbers are not
// those of the settings.
struct BucketCandidate {
  Candidate candidate;
  bool trained;
};
std::vector<BucketCandidate> bucket_candidates(const EncodingSpec& spec, const MeasuredBias& bias);

}  // namespace posproof
