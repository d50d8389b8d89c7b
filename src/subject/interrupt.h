#pragma once

#include <string>

namespace posproof {

// From now on, the first SIGINT, SIGTERM or SIGHUP does not end this process: it is noted, calls of subjects
// are given up, and who asked can say what is known. The second one does what it did before. One that is
// ignored (nohup) stays ignored.
void note_interrupts();

// The signal that was noted; 0: none.
int interrupted();

// `interrupted by SIGINT`
std::string interruption();

// Readable once a signal is noted, for poll(); -1 where none is going to be.
int interrupt_descriptor();

}  // namespace posproof
