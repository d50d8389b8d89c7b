#pragma once

namespace posproof {

// SIGKILL to every descendant of this process that /proc shows. One that is started meanwhile may be missed:
// call it again until no child is left. Makes system calls only, so that a process that was forked from one
// with threads may call it.
void kill_descendants();

}  // namespace posproof
