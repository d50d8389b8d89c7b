#pragma once

#include <fmt/format.h>

#include <sys/wait.h>

#include <cstdio>
#include <stdexcept>
#include <string>

#include "test_paths.h"

// The program as a shell runs it.
namespace posproof::testing {

struct Ran {
  int code;          // what it ended with; negative: by that signal
  std::string said;  // on stdout, and on stderr where that was asked for
};

inline Ran ran(const std::string& command) {
  std::FILE* pipe = ::popen(command.c_str(), "r");
  if (pipe == nullptr) throw std::runtime_error("no shell for: " + command);
  Ran out{0, ""};
  for (int c; (c = std::fgetc(pipe)) != EOF;) out.said.push_back(static_cast<char>(c));
  const int status = ::pclose(pipe);
  out.code = WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
  return out;
}

// `posproof ARGUMENTS`
inline Ran posproof(const std::string& arguments) {
  return ran(fmt::format("{} {} 2>&1", POSPROOF_BINARY, arguments));
}

}  // namespace posproof::testing
