#include "subject/sandbox.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <optional>

#include "subject/process.h"

namespace posproof {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

// Folders where programs meet: their sockets reach others past any network. They are empty in the sandbox.
constexpr std::array<std::string_view, 2> hidden = {"/tmp", "/run"};

// Ample for PyTorch with a thread for each of 128 processors; address space is more than what is used of it.
constexpr int most_processes = 1024;
constexpr int memory = 32;  // GiB of addresses, each process
constexpr int file = 1;     // GiB, each file, and all of /tmp
constexpr int time = 3600;  // seconds of a processor, each process

std::string gibibytes(int n) {
  return std::to_string(std::uint64_t(n) << 30);
}

// What has to be put back for the program to see this path: the folder of /tmp or /run that holds it, or the
// path itself where none does. None: nothing hides it.
std::optional<std::string> behind(const fs::path& path) {
  const fs::path whole = fs::absolute(path).lexically_normal();
  for (const std::string_view folder : hidden) {
    const fs::path below = whole.lexically_relative(folder);
    if (below.empty() || below == "." || *below.begin() == "..") continue;
    return (fs::path(folder) / *below.begin()).string();
  }
  return std::nullopt;
}

// Where the program works, and every file that one of its words names.
std::vector<std::string> put_back(const std::vector<std::string>& argv) {
  std::vector<std::string> out;
  const auto add = [&out](const fs::path& path) {
    std::error_code none;
    if (const auto one = behind(path);
        one && fs::exists(path, none) && std::find(out.begin(), out.end(), *one) == out.end())
      out.push_back(*one);
  };
  add(fs::current_path());
  for (const std::string& word : argv)
    if (!word.empty()) add(word);
  return out;
}

std::vector<std::string> sandbox_words(const std::vector<std::string>& argv) {
  std::vector<std::string> out = {"bwrap",
                                  "--unshare-all",
                                  "--die-with-parent",
                                  "--new-session",
                                  "--cap-drop",
                                  "ALL",
                                  "--ro-bind",
                                  "/",
                                  "/",
                                  "--dev",
                                  "/dev",
                                  "--proc",
                                  "/proc",
                                  "--setenv",
                                  "TMPDIR",
                                  "/tmp"};
  for (const std::string_view folder : hidden)
    out.insert(out.end(), {"--size", gibibytes(file), "--tmpfs", std::string(folder)});
  for (const std::string& path : put_back(argv)) out.insert(out.end(), {"--ro-bind", path, path});
  out.insert(out.end(), {"--chdir", fs::current_path().string(), "--", "prlimit",
                         fmt::format("--nproc={}", most_processes), "--as=" + gibibytes(memory),
                         "--fsize=" + gibibytes(file), fmt::format("--cpu={}", time), "--core=0", "--"});
  return out;
}

Containment containment() {
  Containment out{
      .contained = {"no network", "files are read-only but for an empty /tmp of 1 GiB", "an empty /run",
                    "no other processes", "no devices",
                    fmt::format("at most {} GiB of memory a process", memory),
                    fmt::format("{} GiB a file", file),
                    fmt::format("{} s of processor time a process", time)},
      .not_contained = {"reading files", "sockets in folders other than /tmp and /run", "memory in total"}};
  const std::string number = "the number of processes";
  if (::getuid() != 0)
    out.contained.push_back(fmt::format("at most {} processes", most_processes));
  else
    out.not_contained.push_back(number + " (Linux limits none of root's)");
  return out;
}

constexpr std::string_view remedy =
    "Debian has it in the package bubblewrap (apt-get install bubblewrap), and the kernel has to permit user "
    "namespaces (sysctl kernel.unprivileged_userns_clone, user.max_user_namespaces)";

void try_out(std::vector<std::string> argv) {
  argv.push_back("true");
  Process process(argv, Process::Status::of_a_wrapper);
  const auto wait = process.await(1, Process::Clock::now() + 60s);
  if (wait == Process::Wait::ended && process.ending() == "exits with status 0") return;
  throw SubjectError(fmt::format("`--sandbox`: bwrap {}: {}; {}",
                                 wait == Process::Wait::ended ? process.ending() : "does not end",
                                 process.stderr_tail(), remedy));
}

}  // namespace

Sandboxed sandboxed(const std::vector<std::string>& argv) {
  std::vector<std::string> all = sandbox_words(argv);
  try {
    try_out(all);
  } catch (const SubjectError& error) {
    const std::string_view why = error.what();
    if (why.find("`--sandbox`") == 0) throw;
    throw SubjectError(fmt::format("`--sandbox`: {}; {}", why, remedy));
  }
  all.insert(all.end(), argv.begin(), argv.end());
  return {std::move(all), containment()};
}

}  // namespace posproof
