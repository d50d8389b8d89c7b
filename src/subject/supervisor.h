#pragma once

#include <sys/types.h>

#include <array>
#include <string>
#include <vector>

namespace posproof {

// A program with a process of our own between it and us, the supervisor: whatever the program starts is a
// descendant of the supervisor for ever, in another session or process group as well, and none outlives it.
// The supervisor ends them when we close our end of the link, and when this process ends in any way, SIGKILL
// included.
struct Supervised {
  pid_t supervisor;  // our child, which ends by itself, after all others
  int link;  // the message that the program has ended comes here, then, with the supervisor, the end of file
};

// What waitid() says of the program, in one packet on the link.
struct Ending {
  int cause;   // CLD_EXITED, CLD_KILLED, CLD_DUMPED
  int status;  // of exit(), or the signal
};

// Starts argv[0], sought on PATH, without a shell, with these as stdin, stdout and stderr and no other
// descriptor, in a process group of its own. The three are none of 0, 1 and 2. Throws SubjectError where that
// is not possible.
Supervised start_supervised(const std::vector<std::string>& argv, const std::array<int, 3>& files);

}  // namespace posproof
