// `posproof serve`: the program that loads a shared library and speaks the protocol for it.
#include <unistd.h>

#include <memory>
#include <string>

#include "command/commands.h"
#include "subject/library.h"

namespace posproof::command {

Command serve_command() {
  const auto library = std::make_shared<std::string>();
  return {.name = "serve",
          .help = "answer the subject protocol for a shared library, as lib:LIBRARY has it",
          .options = {{.names = "LIBRARY",
                       .field = library.get(),
                       .help = "a shared library that exports posproof_start(): posproof_subject.h",
                       .allowed = Option::ExistingFile{},
                       .required = true,
                       .shows_standard = false}},
          .run = [library] {
            serve_library(*library, STDIN_FILENO, STDOUT_FILENO);
            return static_cast<int>(as_claimed);
          }};
}

}  // namespace posproof::command
