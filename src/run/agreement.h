#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "core/call.h"
#include "core/function.h"
#include "core/property.h"
#include "core/spec.h"
#include "core/verdict.h"
#include "search/search.h"

namespace posproof {

// The id under which agreement is listed beside the catalogued properties.
constexpr std::string_view agreement_id = "agrees_with_its_oracle";

// "Agrees with `truth`": a subject of the truth's own kind is compared value by value, with positions,
// contents, batch rows and roles drawn; one that gives logits, or the whole operator, is compared with the
// truth in that kind. What is allowed is the error of an exactly known encoding computed in the
// subject's precision. `each` is told of every single comparison, entry by entry (of the whole operator:
// one). It is for comparing with an encoding that may be wrong: every token is then allowed the error of the
// farthest of its call, and NaN is NaN.
Property agreement(const Encoding& truth, const Function<void(const Residual&)>& each = {});

// The same of one answer to one call, `here` being the truth's: the entry that is the largest share of what
// that precision allows. The truth is of the kind that answered. `own` are the positions that the subject
// has: where they end, rows that are shifted may count from there.
Residual agreement_of(const Encoding& truth, const Call& call, const Tensor& there, const Tensor& here,
                      const Precision& precision, const Domain& own = {});

// The same with where that entry is, and what each may be off by.
struct Agreement {
  Comparison compared;
  Bound allowed;
};
Agreement agreement_in_full(const Encoding& truth, const Call& call, const Tensor& there, const Tensor& here,
                            const Precision& precision, const Domain& own = {});

// "Agrees with its oracle", the claim that every encoding has without writing it, over the spec's grid.
Trial agreement_over_grid(const EncodingSpec& spec);

}  // namespace posproof
