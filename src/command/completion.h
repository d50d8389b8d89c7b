#pragma once

#include <span>
#include <string>

#include "command/command.h"

// What a shell is told of the command line: commands, encodings, options and the words of options, from the
// options that the parser reads.
namespace posproof::command {

std::string bash_completion(std::span<const Command> commands);
std::string zsh_completion(std::span<const Command> commands);
std::string fish_completion(std::span<const Command> commands);

}  // namespace posproof::command
