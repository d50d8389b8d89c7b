#pragma once

#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "core/failure.h"
#include "subject/subject.h"
#include "test_paths.h"

// The programs beside this file, as subjects. They run in the Python that CMake found (POSPROOF_PYTHON).
// Where it found none that imports numpy, a test that asks for one ends its process with 77: ctest has a
// process for each test, and counts this one as skipped.
namespace posproof::testing {

inline const std::string source = POSPROOF_SOURCE;

inline std::string interpreter() {
  const std::string found = POSPROOF_PYTHON;
  if (!found.empty()) return found;
  std::puts(
      "skipped: no Python that imports numpy was found: install python3-numpy, or -DPOSPROOF_PYTHON=...");
  std::fflush(stdout);
  std::_Exit(77);
}

// `cmd:/usr/bin/python3 .../src/subject/testing/bad.py crash`
inline std::string python(const std::string& script, const std::string& arguments = "") {
  return "cmd:" + interpreter() + " '" + source + "/" + script + "'" +
         (arguments.empty() ? "" : " " + arguments);
}

inline std::string bad(const std::string& arguments) {
  return python("src/subject/testing/bad.py", arguments);
}
inline std::string sdk(const std::string& arguments) {
  return python("src/subject/testing/sdk.py", arguments);
}

inline Expected expected(Encoding declared, std::string_view parameters = "dim=4") {
  return {.encoding = "learned", .parameters = Case::parse(parameters), .declared = {std::move(declared)}};
}

inline Tensor rows(const Subject& subject, std::vector<Position> positions, Position length = 100) {
  return as<Table>(subject.encoding).rows(positions, length);
}

// What an action throws as E, without the command that most messages begin with.
template <class E>
std::string thrown(const std::string& words, const auto& action) {
  try {
    action();
  } catch (const E& error) {
    std::string what = error.what();
    const std::string command = words.substr(words.find(':') + 1);
    return what.rfind(command, 0) == 0 ? what.substr(command.size()) : what;
  }
  return "nothing was thrown";
}

// The same, as a Failure (core/failure.h) or as any other error of a subject.
std::string thrown(const std::string& words, const auto& action) {
  try {
    return thrown<SubjectError>(words, action);
  } catch (const Failure& failure) {
    return thrown<Failure>(words, [&] { throw failure; });
  }
}

}  // namespace posproof::testing
