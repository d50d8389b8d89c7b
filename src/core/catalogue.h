#pragma once

#include <string_view>

namespace posproof::catalogue {

// One line of a catalogue that was written from the tree: a file's path and what it defines.
template <class T>
struct Entry {
  std::string_view id;
  const T* value;
};

}  // namespace posproof::catalogue
