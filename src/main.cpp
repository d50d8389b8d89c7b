// The program, assembled: src/command has its commands.
#include <exception>
#include <filesystem>
#include <stdexcept>

#include "command/command_line.h"
#include "command/commands.h"
#include "command/terminal.h"
#include "core/encoding.h"
#include "report/file.h"
#include "subject/interrupt.h"
#include "subject/library.h"
#include "subject/subject.h"

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

// Whatever folder it is called in, and however it was found.
void serve_libraries_with_this_program() {
  std::error_code none;
  serve_libraries_with(std::filesystem::read_symlink("/proc/self/exe", none).native());
}

int run(int argc, char** argv) {
  return run(program(), all_commands(), argc, argv);
}

// What it ends with where it did not come to a verdict.
int refused(const std::exception_ptr& thrown) {
  try {
    std::rethrow_exception(thrown);
  } catch (const SubjectError& error) {
    complain(error.what());
    return no_subject;
  } catch (const report::Unwritable& error) {
    complain(error.what());
  } catch (const Refusal& error) {
    complain(error.what());
  } catch (const std::invalid_argument& error) {
    complain(error.what());
  } catch (const std::exception& error) {
    complain(error.what());
    return not_checked;
  }
  return usage;
}

}  // namespace
}  // namespace posproof::command

int main(int argc, char** argv) {
  using namespace posproof::command;
  prepare_to_write();
  keep_memory();
  serve_libraries_with_this_program();
  int code = as_claimed;
  try {
    code = run(argc, argv);
  } catch (...) {
    code = refused(std::current_exception());
  }
  code = finished(code);
  const int signal = posproof::interrupted();
  return signal == 0 ? code : 128 + signal;  // as a shell has it
}
