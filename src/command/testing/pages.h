#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <optional>
#include <regex>
#include <sstream>
#include <string>
#include <vector>

#include "command/testing/ran.h"
#include "test_paths.h"

// The commands that the pages of this project show, and a folder in which they run as they stand there.
namespace posproof::testing {

struct ShownCommand {
  std::size_t line;  // from 1
  std::string words;
  int code;  // what the page says that it ends with: `# exit 1`; 0 where it says nothing
};

struct ShownFile {
  std::string name, bytes;
};

struct Shown {
  std::vector<ShownCommand> commands;
  std::vector<std::string> synopses;  // `posproof gate ENCODING [parameters] SUBJECT`
  std::vector<ShownFile> files;       // blocks of Python whose first line is `# NAME.py`
};

namespace pages {

inline bool is_synopsis(const std::string& words) {
  static const std::regex placeholder(R"((^|[\s|:'])[A-Z]{2,}\b|\[|\.\.\.|<)");
  return std::regex_search(words, placeholder);
}

// A command that is run: of the program, and what prepares files for it.
inline bool is_command(const std::string& words) {
  for (const std::string first : {"./run posproof ", "posproof ", "python3 ", "cp ", "cc ", "c++ "})
    if (words.starts_with(first)) return true;
  return false;
}

// `posproof gate` alone names a command.
inline bool is_name(const std::string& words) {
  return std::count(words.begin(), words.end(), ' ') == 1;
}

inline void add(Shown& shown, std::size_t line, std::string words) {
  static const std::regex says(R"(\s*# exit (\d+)\b.*$)"), comment(R"(\s+# .*$)"),
      table(R"(\s{3,}.*$)");  // in a list of commands, what it is for stands in a column behind it
  int code = 0;
  if (std::smatch found; std::regex_search(words, found, says)) code = std::stoi(found[1]);
  words = std::regex_replace(std::regex_replace(words, comment, ""), table, "");
  if (!is_command(words)) return;
  if (is_synopsis(words))
    shown.synopses.push_back(words);
  else
    shown.commands.push_back({line, words, code});
}

}  // namespace pages

// Of a page in Markdown: what stands in blocks, fenced or indented, and between backquotes. Of Python: what
// is indented in the text at its head.
inline Shown shown_in(const std::string& page) {
  Shown out;
  std::ifstream in(std::string(POSPROOF_SOURCE "/") + page);
  const bool python = page.ends_with(".py");
  static const std::regex span("`((?:\\./run )?posproof [^`]+)`");
  std::optional<ShownFile> file;
  bool fenced = false;
  std::string line;
  for (std::size_t number = 1; std::getline(in, line); ++number) {
    const std::size_t indent = std::min(line.find_first_not_of(' '), line.size());
    const std::string words = line.substr(indent);
    if (words.starts_with("```")) {
      fenced = !fenced;
      if (fenced && words == "```python") file.emplace();
      if (!fenced && file && !file->name.empty()) out.files.push_back(*file);
      if (!fenced) file.reset();
    } else if (file) {
      static const std::regex name(R"(# (\w+\.py))");
      if (std::smatch found; file->bytes.empty() && std::regex_match(words, found, name))
        file->name = found[1];
      file->bytes += words.empty() ? "\n" : line + "\n";
    } else if (fenced || indent >= 4) {
      pages::add(out, number, words);
    } else if (!python) {
      for (std::sregex_iterator at(line.begin(), line.end(), span), end; at != end; ++at)
        if (!pages::is_name((*at)[1])) pages::add(out, number, (*at)[1]);
    }
    if (python && number > 1 && line.find("\"\"\"") != std::string::npos) break;
  }
  for (ShownFile& one : out.files) {
    // A block in a list is indented as a whole.
    const std::size_t indent = one.bytes.find_first_not_of(' ');
    one.bytes = std::regex_replace(one.bytes, std::regex("(^|\n) {" + std::to_string(indent) + "}"), "$1");
  }
  return out;
}

// A copy of what somebody has who cloned the project, built it and did what the README says first: it has the
// files that stand there, and the SDK beside them. It is gone at the end.
class Clone {
 public:
  explicit Clone(const std::vector<ShownFile>& files) {
    namespace fs = std::filesystem;
    fs::create_directories(folder_ / "build" / "release");
    fs::create_directories(folder_ / "bin");
    fs::copy(POSPROOF_SOURCE "/run", folder_ / "run");
    fs::copy(POSPROOF_SOURCE "/examples", folder_ / "examples", fs::copy_options::recursive);
    fs::copy(POSPROOF_SOURCE "/examples/posproof_subject.py", folder_);
    fs::create_directories(folder_ / "src" / "subject");
    fs::copy(POSPROOF_SOURCE "/src/subject/posproof_subject.h", folder_ / "src" / "subject");
    for (const ShownFile& file : files) std::ofstream(folder_ / file.name) << file.bytes;
    fs::create_symlink(POSPROOF_BINARY, folder_ / "build" / "release" / "posproof");
    program("posproof", "exec " POSPROOF_BINARY " \"$@\"");
    program("cmake", "exit 0");  // everything is built
    std::ofstream(folder_ / "build" / "release" / "build.ninja") << "\n";
    if (const std::string python = POSPROOF_PYTHON; !python.empty())
      program("python3", "exec " + python + " \"$@\"");
  }
  ~Clone() { std::filesystem::remove_all(folder_); }
  Clone(const Clone&) = delete;
  Clone& operator=(const Clone&) = delete;

  std::filesystem::path folder() const { return folder_; }

  // A program of this name, before all others on the PATH.
  void program(const std::string& name, const std::string& script) const {
    const auto path = folder_ / "bin" / name;
    std::ofstream(path) << "#!/bin/sh\n" << script << "\n";
    std::filesystem::permissions(path, std::filesystem::perms::owner_all);
  }

  Ran run(const std::string& words) const {
    std::ofstream(folder_ / "script") << words << "\n";
    return ran(fmt::format("cd {} && PATH={}/bin:$PATH POSPROOF_NO_INSTALL=1 bash script 2>&1 </dev/null",
                           folder_.string(), folder_.string()));
  }

 private:
  std::filesystem::path folder_ =
      std::filesystem::path(::testing::TempDir()) / ("posproof_clone_" + std::to_string(::getpid()));
};

// What takes seconds: programs that are asked for everything, the whole matrix, the reports, a compiler.
inline bool is_long(const ShownCommand& command) {
  for (const std::string part : {"cmd:", "posproof matrix", "posproof report", "c++ "})
    if (command.words.find(part) != std::string::npos) return true;
  return false;
}

// Runs them in their order, each as it stands on the page: all, or those that are not long; of the others
// then only whether the words are right. How many there were.
inline std::size_t run_as_shown(const std::string& page, bool long_ones) {
  const Shown shown = shown_in(page);
  if (std::string(POSPROOF_PYTHON).empty() && !shown.commands.empty()) return 0;
  const Clone clone(shown_in("README.md").files);
  std::size_t count = 0;
  for (const ShownCommand& command : shown.commands) {
    ++count;
    if (is_long(command) && !long_ones) {
      const Ran ran = clone.run(command.words + " --help");
      EXPECT_EQ(ran.code, 0) << page << ":" << command.line << ": " << command.words << "\n" << ran.said;
      continue;
    }
    Ran ran = clone.run(command.words);
    // On a machine that is busy otherwise, more time is what is missing.
    if (ran.code == 3 && ran.said.find("`--budget`") != std::string::npos)
      ran = clone.run(command.words + " --budget 3600 --time 600");
    if (ran.code == 4 && ran.said.find("bubblewrap") != std::string::npos)
      continue;  // it is absent, and says so
    EXPECT_EQ(ran.code, command.code) << page << ":" << command.line << ": " << command.words << "\n"
                                      << ran.said;
  }
  return count;
}

// Every page that shows commands.
inline std::vector<std::string> pages_with_commands() {
  std::vector<std::string> out = {"README.md", "examples/README.md", "CONTRIBUTING.md"};
  for (const auto& entry : std::filesystem::directory_iterator(POSPROOF_SOURCE "/examples"))
    if (entry.path().extension() == ".py") out.push_back("examples/" + entry.path().filename().string());
  std::sort(out.begin() + 3, out.end());
  return out;
}

}  // namespace posproof::testing
