#pragma once

#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>
#include <vector>

#include "catalogue/defects.h"
#include "core/call.h"
#include "core/function.h"
#include "diagnosis/answered.h"
#include "diagnosis/deviations.h"
#include "run/agreement.h"
#include "run/catalogued.h"
#include "run/long_calls.h"
#include "search/trial.h"

// For tests of what is measured of a wrong encoding.
namespace posproof::testing {

using Sentences = std::vector<std::string>;
using Make = Function<Encoding(const Parameters&)>;

// A wrong encoding of a family, and the setting in which it is asked; made anew, as some remember.
inline Sentences said(const std::string& family, const Parameters& parameters, const Make& make,
                      const Precision& precision = all_f32) {
  const EncodingSpec& spec = encoding_named(family);
  const Encoding truth = spec.oracle(parameters);
  const Verdict verdict = search(*trial(agreement(truth), make(parameters), precision),
                                 {.id = "deviations_test", .budget = {.cases = 1000, .shrinks = 0}});
  const auto in_long_calls = std::holds_alternative<Refuted>(verdict)
                                 ? std::nullopt
                                 : agreement_in_long_calls(truth, make(parameters), precision, {});
  const Verdict& last = in_long_calls ? *in_long_calls : verdict;
  Case counterexample;
  if (const auto* refuted = std::get_if<Refuted>(&last)) counterexample = refuted->counterexample;
  const Subject subject{"made", "", make(parameters), precision};
  return deviations(spec, parameters, subject, answers_of(subject, truth, counterexample, 1));
}

inline Sentences said(const std::string& family, const std::string& words, const Make& make,
                      const Precision& precision = all_f32) {
  return said(family, with(encoding_named(family), Case::parse(words)), make, precision);
}

using SentencesOf = std::map<std::string, Sentences>;

// Of every defect of the family, at its own setting with these changes.
inline SentencesOf of_defects(const std::string& family, const std::string& changes = "",
                              const std::set<std::string>& only = {}) {
  SentencesOf out;
  for (const auto& [id, defects] : catalogue::defects())
    for (const Defect& defect : defects->defects) {
      if (id != family || (!only.empty() && !only.contains(std::string(defect.name)))) continue;
      Case words = Case::parse(defect.setting);
      const Case changed = Case::parse(changes);
      for (const auto& [name, value] : changed.fields()) words.set(name, value);
      const Parameters parameters = with(encoding_named(family), words);
      out[std::string(defect.name)] = said(family, parameters, defect.make, defect.precision);
    }
  return out;
}

inline void expect_same(const SentencesOf& found, const SentencesOf& expected) {
  for (const auto& [name, sentences] : found) {
    const auto wanted = expected.find(name);
    if (wanted == expected.end())
      ADD_FAILURE() << "not expected: " << name << ": " << ::testing::PrintToString(sentences);
    else
      EXPECT_EQ(sentences, wanted->second) << name;
  }
  EXPECT_EQ(found.size(), expected.size());
}

}  // namespace posproof::testing
