#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gate/gate.h"
#include "report/accuracy.h"
#include "run/exact_array.h"
#include "run/matrix.h"

// JSON: what a machine reads, the same values as report/words.h, one document each, numbers that are not
// finite as null.
namespace posproof::report {

std::string json(const GateResult& gated);
std::string json(const std::vector<Cell>& cells);

// A recorded failure that was replayed: the claim, and where it stands.
struct Replayed {
  const Claim& claim;
  const ClaimResult& witness;
};
std::string json(std::string_view id, const Verdict& verdict, const Containment& containment = {},
                 const std::optional<Replayed>& claimed_to_fail = {});

std::string json(const AccuracyReport& report);  // with the whole curve

// What `posproof oracle` wrote.
struct WrittenArray {
  std::string_view file, encoding;
  const Parameters& parameters;
  Position first, last;
  const ExactArray& array;
  std::size_t bytes;  // of the file
};
std::string json(const WrittenArray& written);

}  // namespace posproof::report
