#pragma once

#include <string>
#include <variant>
#include <vector>

#include "diagnosis/diagnosis.h"
#include "diagnosis/testing/wrong_encodings.h"
#include "run/agreement.h"
#include "run/catalogued.h"
#include "search/trial.h"

// What a wrong subject is said to behave like, within this process.
namespace posproof::testing {

// A convention or a defect; what was measured, and where it is wrong, are sentences.
inline bool names_something(const Explanation& one) {
  return one.kind == Explanation::Kind::convention || one.kind == Explanation::Kind::defect;
}

using Names = std::vector<std::string>;

// A setting of a family, and a subject in it. The subject is made anew for the diagnosis: some remember.
struct Diagnosed {
  std::string family, words;
  Make make;
  Precision precision = all_f32;

  Parameters parameters() const { return with(encoding_named(family), Case::parse(words)); }

  Names names() const {
    const EncodingSpec& spec = encoding_named(family);
    const Encoding truth = spec.oracle(parameters());
    Case counterexample;
    const Verdict verdict = search(*trial(agreement(truth), make(parameters()), precision),
                                   {.id = "diagnosis_test", .budget = {.cases = 1000, .shrinks = 0}});
    if (const auto* refuted = std::get_if<Refuted>(&verdict)) counterexample = refuted->counterexample;
    const Subject subject{"made", "", make(parameters()), precision};
    Names out;
    for (const Explanation& one : diagnose(spec, family, parameters(), subject, counterexample, 1))
      if (names_something(one)) out.push_back(one.what);
    return out;
  }
};

// The right encoding of other parameters, under these.
inline Make of_other(const std::string& family, const std::string& words) {
  return [=](Parameters parameters) {
    const EncodingSpec& spec = encoding_named(family);
    const Encoding declared = spec.oracle(parameters);
    const Case changed = Case::parse(words);
    for (const auto& [name, value] : changed.fields()) parameters.set(name, value);
    const Encoding other = spec.oracle(parameters);
    return answered_by(declared, [other](const Call& call) { return answer(other, call); });
  };
}

}  // namespace posproof::testing
