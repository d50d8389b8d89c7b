#pragma once

#include <string>
#include <vector>

#include "core/function.h"
#include "run/claims.h"

namespace posproof {

// One claim of an encoding about a property, judged; or, where the encoding claims nothing, what a search
// over its standard parameters says: a claim that someone could make, with a proof.
struct Answer {
  const Claim* claim;  // nullptr: nothing is claimed
  ClaimStatus status;  // of the claim
  Verdict verdict;
  std::string why;
};

struct Cell {
  std::string encoding;
  std::string property;         // an id, or `agrees_with_its_oracle`
  std::vector<Answer> answers;  // none: does not apply
};

struct MatrixOptions {
  std::uint64_t seed = 1;
  Budget budget = {};
  // Part of `encoding.property/id`; empty for all. What stands before a dot, where that is an encoding, is
  // that one alone: `rope.` is not `m_rope.`.
  std::string filter;
  bool unclaimed = true;  // search the cells without a claim too
  Function<void(std::string_view encoding, std::string_view property, std::size_t done, std::size_t of)>
      progress = {};
};

// Every encoding against every property, encodings and properties in the order of the catalogue, agreement
// first.
std::vector<Cell> matrix(const MatrixOptions& options);

// `holds`, `fails`, `holds?`, `fails?`, `BROKEN`, `STALE`, `not checked`, and nothing where it does not
// apply. Several answers of one cell are joined by a slash.
std::string summary(const Cell& cell);

// What follows from one declared fact, of the claims that were judged.
struct Followed {
  std::string_view fact;
  std::vector<std::string> encodings;
  std::vector<std::string> claims;  // `holds attention/is_causal`
};

// In the order in which the facts are met.
std::vector<Followed> followed(const std::vector<Cell>& cells);

bool any(const std::vector<Cell>& cells, ClaimStatus status);

}  // namespace posproof
