#pragma once

#include <gtest/gtest.h>

#include <string_view>
#include <vector>

#include "attention/reference_attention.h"
#include "catalogue/encodings/rope.h"
#include "core/call.h"
#include "core/spec.h"
#include "run/long_calls.h"

namespace posproof::long_calls_testing {
inline Encoding truth_of(const EncodingSpec& spec, std::string_view parameters) {
  return spec.oracle(with(spec, Case::parse(parameters)));
}

inline Encoding operator_of_rope() {
  return attention::in_every_kind(truth_of(encodings::rope, "dim=4")).back();
}

// The calls that were asked for.
inline std::vector<Call> asked(const Encoding& truth) {
  std::vector<Call> calls;
  const Encoding listening = answered_by(truth, [&](const Call& call) {
    calls.push_back(call);
    return answer(truth, call);
  });
  const auto verdict = agreement_in_long_calls(truth, listening, all_f32, {});
  EXPECT_EQ(verdict.has_value(), !calls.empty());
  EXPECT_TRUE(!verdict || std::holds_alternative<Holds>(*verdict));
  return calls;
}

inline std::vector<Position> from_to(Position first, Position last) {
  std::vector<Position> out;
  for (Position t = first; t <= last; ++t) out.push_back(t);
  return out;
}

}  // namespace posproof::long_calls_testing
