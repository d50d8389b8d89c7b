// `posproof completion` and `posproof manual`: what an installation gives to a shell and to `man`.
#include <memory>
#include <string>

#include "command/commands.h"
#include "command/completion.h"
#include "command/manual.h"
#include "command/terminal.h"

namespace posproof::command {

Command completion_command() {
  const auto shell = std::make_shared<std::string>();
  return {.name = "completion",
          .help = "print the completion script of a shell",
          .options = {{.names = "SHELL",
                       .field = shell.get(),
                       .help = "bash, zsh or fish",
                       .allowed = Option::OneOf{"bash", "zsh", "fish"},
                       .required = true,
                       .shows_standard = false}},
          .run = [shell] {
            const auto commands = all_commands();
            write(*shell == "bash"  ? bash_completion(commands)
                  : *shell == "zsh" ? zsh_completion(commands)
                                    : fish_completion(commands));
            return static_cast<int>(as_claimed);
          }};
}

Command manual_command() {
  return {.name = "manual", .help = "the manual page, in troff: posproof manual | man -l -", .run = [] {
            write(manual_page(program(), all_commands()));
            return static_cast<int>(as_claimed);
          }};
}

}  // namespace posproof::command
