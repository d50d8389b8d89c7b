#pragma once

#include <string>
#include <string_view>

#include "gate/gate.h"

// What a gate comes to, in one line.
namespace posproof::report {

struct Headline {
  std::string_view verdict;  // `REFUTED`, `NOT DECIDED`, `HOLDS`
  std::string counted;       // `9 of 14 properties`
  std::string cause = {};    // of a refutation: what explains it; empty where nothing does
  std::string hint = {};     // where there is no cause: where the wrong answers lie
  std::string looser = {};   // where there is neither: the precision in which it would hold
  std::string why = {};      // nothing was decided: the first reason
};

Headline headline(const GateResult& gated);

// What came instead of an answer to such a call, in one line: the error of a traceback, or the call and what
// it did; without the name of the program.
std::string what_came(std::string_view instead, const Encoding& subject);

// `9 of 14 properties; cause: ...; interrupted by SIGINT`
std::string in_words(const Headline& headline, const GateResult& gated);

}  // namespace posproof::report
