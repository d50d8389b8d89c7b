#pragma once

#include <functional>
#include <span>
#include <string_view>
#include <vector>

#include "core/property.h"
#include "core/spec.h"
#include "core/verdict.h"
#include "search/search.h"

namespace posproof {

// The id under which agreement is listed beside the catalogued properties.
constexpr std::string_view agreement_id = "agrees_with_its_oracle";

// "Agrees with `truth`": a subject of the truth's own kind is compared value by value, with positions,
// contents, batch rows and roles drawn; one that gives logits, or the whole operator, is compared with the
// truth plugged into them. What is allowed is the error of an exactly known encoding computed in the
// subject's precision. `each` is told of every single comparison, entry by entry (of the whole operator:
// one). It is for comparing with an encoding that may be wrong: every token is then allowed the error of the
// farthest of its call, and NaN is NaN.
Property agreement(const Encoding& truth, const std::function<void(const Residual&)>& each = {});

// The cases in which agreement asks for one position of a table whose domain this is, for one token rotated,
// and for one pair of a bias.
Case case_of_rows(const Domain& domain, Position t);
Case case_of_rotation(Position t, Role role, std::vector<double> x);
Case case_of_pair(Position i, Position j);

// What is rotated in such a case. Every token has the same content but for a power of two, which is exact in
// every format: tokens that are mixed up differ, and the counterexample stays one vector.
Tensor contents_of_tokens(const Rotary& truth, std::size_t batch, std::size_t n,
                          std::span<const double> content);

// "Agrees with its oracle", the claim that every encoding has without writing it, over the spec's grid.
Trial agreement_over_grid(const EncodingSpec& spec);

}  // namespace posproof
