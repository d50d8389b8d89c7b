#pragma once

#include <span>
#include <string>

#include "command/command.h"

namespace posproof::command {

// The manual page posproof(1) in troff: every command, every encoding and all their options, as their help
// has them.
std::string manual_page(const Program& program, std::span<const Command> commands);

}  // namespace posproof::command
