#include "command/commands.h"

namespace posproof::command {

std::vector<Command> all_commands() {
  return {matrix_command(),   check_command(),      gate_command(),   accuracy_command(),
          identify_command(), oracle_command(),     report_command(), list_command(),
          explain_command(),  completion_command(), manual_command(), serve_command()};
}

Program program() {
  return {.description = "posproof: the conformance suite for positional encodings",
          .version = "posproof " POSPROOF_VERSION,
          .footer =
              "Exit: 0 as claimed, 1 something is broken, 2 wrong command line or output that could not be\n"
              "written, 3 something was not checked, 4 the subject could not be started, 130 interrupted\n"
              "(143 by SIGTERM, 129 by SIGHUP)."};
}

}  // namespace posproof::command
