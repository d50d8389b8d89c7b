#pragma once

#include <span>
#include <string>

#include "command/command.h"

namespace posproof::command {

// Parses `argv` as `PROGRAM COMMAND ...` and runs that command: what it gives, `usage` where CLI11 refuses
// the words, having said why on stderr, and `as_claimed` after a help text. Throws std::invalid_argument for
// a name of no command, no encoding or no option, and what the command throws.
int run(const Program& program, std::span<const Command> commands, int argc, char** argv);

// The same for a program that is one command: `PROGRAM ...`.
int run(const Command& command, int argc, char** argv);

}  // namespace posproof::command
