#include "command/script_file.h"

#include <fmt/format.h>

#include <utility>

#include "command/terminal.h"
#include "report/reproduce.h"

namespace posproof::command {

Option reproduce(std::string& path) {
  return {"--reproduce", &path, "write a script for an issue that shows the wrong answer without posproof",
          Option::NewFile{}};
}

ScriptFile::ScriptFile(std::string path) : path_(std::move(path)) {
  if (path_.empty()) return;
  report::refuse_other_files(path_);
  file_.emplace(path_, 0);
}

std::string ScriptFile::named(const std::optional<std::string>& script) const {
  return script ? path_ : "";
}

int ScriptFile::save(const std::optional<std::string>& script, int code) {
  if (!file_) return code;
  if (script) return saved(*file_, *script, code);
  complain(fmt::format("`{}` was not written: no single answer was found wrong", path_));
  return code;
}

}  // namespace posproof::command
