#pragma once

#include <optional>
#include <string>

#include "command/command.h"
#include "report/file.h"

namespace posproof::command {

// `--reproduce FILE.py`
Option reproduce(std::string& path);

// The script that is to be written at the end of a run. Made before it: a file that cannot be written, or
// that is somebody else's, is refused then. An empty path: none is wanted.
class ScriptFile {
 public:
  explicit ScriptFile(std::string path);

  // What the text names: the path where there is a script, else nothing.
  std::string named(const std::optional<std::string>& script) const;
  // When the verdict `code` has been written already: as saved() in terminal.h. Where there is no script,
  // nothing is written, and stderr says so.
  int save(const std::optional<std::string>& script, int code);

 private:
  std::string path_;
  std::optional<report::NewFile> file_;
};

}  // namespace posproof::command
