#pragma once

#include <vector>

#include "command/command.h"

// The commands of the command line, one file each: words in, one call of run/ or report/, words out, an exit
// code.
namespace posproof::command {

Command matrix_command();
Command check_command();
Command gate_command();
Command accuracy_command();
Command identify_command();
Command oracle_command();
Command report_command();
Command list_command();
Command explain_command();
Command completion_command();
Command manual_command();
Command serve_command();

// All of these, in the order of the help.
std::vector<Command> all_commands();

Program program();

}  // namespace posproof::command
