#pragma once

// What is being written and is to be gone where a signal ends the process.
namespace posproof::report {

// From now on, SIGHUP, SIGINT, SIGPIPE, SIGQUIT, SIGTERM and SIGXCPU remove the file before they end the
// process, unless they are ignored (nohup) or somebody else handles them. One more at once than there are
// places (8) would stay. `path` lives until it is kept.
void remove_on_signal(const char* path);
void keep_on_signal(const char* path);

}  // namespace posproof::report
