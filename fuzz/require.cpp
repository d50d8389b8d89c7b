#include <cstdio>
#include <cstdlib>

#include "fuzz/harness.h"

namespace posproof::fuzz {

void require(bool holds, const char* law) {
  if (holds) return;
  std::fprintf(stderr, "this does not hold: %s\n", law);
  std::abort();
}

}  // namespace posproof::fuzz
