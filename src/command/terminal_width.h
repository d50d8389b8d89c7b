#pragma once

#include <cstddef>

namespace posproof::command {

// Letters in a line of the terminal that stdout is: COLUMNS where that is set, what the terminal says, or 80.
// 0 where stdout is no terminal: what goes to a file or a pipe has lines as long as they are.
std::size_t terminal_width();

}  // namespace posproof::command
