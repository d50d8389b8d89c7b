#pragma once

#include <fmt/format.h>

#include <sys/wait.h>

#include <cstdio>
#include <memory>
#include <stdexcept>
#include <string>

#include "test_paths.h"

// The program as a shell runs it.
namespace posproof::testing {

struct Ran {
  int code;          // what it ended with; negative: by that signal
  std::string out;   // on standard output
  std::string said;  // there, and on standard error where that was asked for
};

inline std::string read_to_end(std::FILE* file) {
  std::string out;
  for (int c; (c = std::fgetc(file)) != EOF;) out.push_back(static_cast<char>(c));
  return out;
}

inline Ran ran(const std::string& command) {
  std::FILE* pipe = ::popen(command.c_str(), "r");
  if (pipe == nullptr) throw std::runtime_error("no shell for: " + command);
  Ran out{0, read_to_end(pipe), ""};
  const int status = ::pclose(pipe);
  out.code = WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
  out.said = out.out;
  return out;
}

// `posproof ARGUMENTS`. What a slow machine lets it say of its progress is on standard error, and not in
// `out`.
inline Ran posproof(const std::string& arguments) {
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> errors(std::tmpfile(), &std::fclose);
  if (!errors) throw std::runtime_error("no file for what posproof says of errors");
  Ran out = ran(fmt::format("{} {} 2>/dev/fd/{}", POSPROOF_BINARY, arguments, ::fileno(errors.get())));
  std::rewind(errors.get());
  out.said = read_to_end(errors.get()) + out.out;
  return out;
}

}  // namespace posproof::testing
