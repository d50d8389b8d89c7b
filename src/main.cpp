// The program, assembled: src/command has its commands.
#include <fmt/format.h>

#include <array>
#include <cstdio>
#include <stdexcept>

#include "command/command_line.h"
#include "command/commands.h"
#include "core/encoding.h"
#include "subject/interrupt.h"
#include "subject/subject.h"
#include "subject/words.h"

#ifdef __GLIBC__
#include <malloc.h>
#endif

namespace posproof::command {
namespace {

// What a case takes it gives back, and the next one takes it again: memory stays with the process, large
// arrays as well, instead of being mapped anew and faulted in page by page each time.
void keep_memory() {
#ifdef __GLIBC__
  mallopt(M_MMAP_THRESHOLD, 32 << 20);
  mallopt(M_TRIM_THRESHOLD, 64 << 20);
#endif
}

int run(int argc, char** argv) {
  const std::array commands = {matrix_command(), check_command(),  gate_command(), accuracy_command(),
                               oracle_command(), report_command(), list_command(), explain_command()};
  return run(
      {.description = "posproof: the conformance suite for positional encodings",
       .version = POSPROOF_VERSION,
       .footer =
           "Exit: 0 as claimed, 1 something is broken, 2 wrong command line, 3 something was not "
           "checked,\n4 the subject could not be started, 130 interrupted (143 by SIGTERM, 129 by SIGHUP)."},
      commands, argc, argv);
}

}  // namespace
}  // namespace posproof::command

namespace {

// What was given, which may be a file's name, is quoted in it.
void say(const std::exception& error) {
  fmt::print(stderr, "posproof: {}\n", posproof::printable(error.what()));
}

int ended_with(int argc, char** argv) {
  using namespace posproof::command;
  try {
    return run(argc, argv);
  } catch (const posproof::SubjectError& error) {
    say(error);
    return no_subject;
  } catch (const posproof::Refusal& error) {
    say(error);
    return usage;
  } catch (const std::invalid_argument& error) {
    say(error);
    return usage;
  } catch (const std::exception& error) {
    say(error);
    return not_checked;
  }
}

}  // namespace

int main(int argc, char** argv) {
  posproof::command::keep_memory();
  const int code = ended_with(argc, argv), signal = posproof::interrupted();
  return signal == 0 ? code : 128 + signal;  // as a shell has it
}
