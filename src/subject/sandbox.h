#pragma once

#include <string>
#include <vector>

#include "subject/subject.h"

namespace posproof {

// A program's words with those before them that start it in a sandbox of bubblewrap's, and what that keeps it
// from.
struct Sandboxed {
  std::vector<std::string> argv;
  Containment containment;
};

// Tries the sandbox first, with `true`. Throws SubjectError where there is none to be had: never is a program
// started without what `containment` says.
Sandboxed sandboxed(const std::vector<std::string>& argv);

}  // namespace posproof
