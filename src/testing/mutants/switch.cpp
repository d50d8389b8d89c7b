#include "core/mutants_switch.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdlib>

namespace {

constexpr int most = 65536;  // suite.py
unsigned unread[most];

}  // namespace

extern "C" int posproof_mutant_active = 0;
extern "C" unsigned* posproof_mutants_reached = unread;

namespace {

// Before every other constructor: what initialises constants may be mutated. The file is shared memory, so
// that a child adds to it what it reaches, and what ends by a signal or by _exit() has written it all the
// same.
[[gnu::constructor(101)]] void read_environment() {
  if (const char* mutant = std::getenv("POSPROOF_MUTANT")) posproof_mutant_active = std::atoi(mutant);
  const char* path = std::getenv("POSPROOF_MUTANTS_REACHED");
  if (!path) return;
  const int file = open(path, O_RDWR | O_CLOEXEC);
  if (file < 0) return;
  void* counts = mmap(nullptr, sizeof unread, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  close(file);
  if (counts != MAP_FAILED) posproof_mutants_reached = static_cast<unsigned*>(counts);
}

}  // namespace
