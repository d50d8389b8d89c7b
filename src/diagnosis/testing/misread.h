#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "catalogue/misreadings.h"
#include "core/call.h"
#include "diagnosis/diagnosis.h"
#include "run/agreement.h"
#include "run/catalogued.h"
#include "search/trial.h"

// For tests of what a diagnosis says of a formula that is misread.
namespace posproof::testing {

using Sentences = std::vector<std::string>;

inline Parameters parameters_of(const std::string& id, std::string_view setting) {
  return with(encoding_named(id), Case::parse(std::string(setting)));
}

// What is said of an encoding that stands for a foreign one, of f32: of one that is not refuted its verdict.
inline Sentences said_of(const std::string& id, const Parameters& parameters, const Encoding& wrong) {
  const EncodingSpec& spec = encoding_named(id);
  const Verdict verdict = search(*trial(agreement(spec.oracle(parameters)), wrong, all_f32),
                                 {.id = "misreadings_test", .budget = {.cases = 300, .shrinks = 0}});
  const auto* refuted = std::get_if<Refuted>(&verdict);
  if (refuted == nullptr) return {std::string(name(verdict))};
  Sentences out;
  for (const Explanation& one :
       diagnose(spec, id, parameters, {"made", "", wrong, all_f32}, refuted->counterexample, 1))
    if (one.kind != Explanation::Kind::place) out.push_back(one.what);
  return out;
}

// As a program in f32 gives its answers.
inline Encoding rounded_to_f32(const Encoding& exact) {
  return answered_by(exact, [exact](const Call& call) {
    Tensor out = answer(exact, call);
    for (double& x : out.data) x = static_cast<float>(x);
    return out;
  });
}

inline void expect_named(const std::string& id, const Misreading& one) {
  const Parameters parameters = parameters_of(id, one.setting);
  EXPECT_EQ(said_of(id, parameters, rounded_to_f32(one.make(parameters))), Sentences{std::string(one.what)})
      << parameters.text();
}

}  // namespace posproof::testing
