#pragma once

#include <string>
#include <vector>

// A shared library with the functions of posproof_subject.h, as a subject: `lib:PATH`. A process of its own
// loads it and speaks the protocol (protocol.md) for it, so that what crashes or hangs there is a verdict
// here.
namespace posproof {

// Which program does that, with the words `serve PATH`. Until it is said, `lib:` is refused.
void serve_libraries_with(std::string program);

// The program and its arguments that serve the library. Throws std::invalid_argument where no program is
// known, and SubjectError where there is no such file.
std::vector<std::string> command_that_serves(const std::string& library);

// Loads the library, and answers on `output` what is asked on `input` until that ends. What the library
// prints goes to stderr where `output` is standard output. A library that cannot be loaded or takes no part
// says so in its handshake. Throws frame::Malformed for what is no frame.
void serve_library(const std::string& path, int input, int output);

}  // namespace posproof
