// Writes the performance report from what Google Benchmark measured: `./run performance` runs both.
#include <fmt/format.h>

#include <exception>
#include <filesystem>
#include <string>
#include <vector>

#include "benchmarks/performance.h"
#include "command/command_line.h"
#include "command/terminal.h"

int main(int argc, char** argv) {
  using namespace posproof;
  std::vector<std::string> rounds;
  std::string folder = "reports";
  const command::Command write = {.name = "posproof_performance",
                                  .help = "writes the performance report from Google Benchmark's files",
                                  .options = {{.names = "ROUND",
                                               .field = &rounds,
                                               .help = "folders with Google Benchmark's *.json, one a round",
                                               .required = true,
                                               .shows_standard = false},
                                              {"-o,--output", &folder, "folder to write to"}},
                                  .run = [&] {
                                    const std::vector<std::filesystem::path> folders(rounds.begin(),
                                                                                     rounds.end());
                                    for (const std::string& path : report::write_performance(folder, folders))
                                      command::write(fmt::format("{}/{}\n", folder, path));
                                    return command::as_claimed;
                                  }};
  command::prepare_to_write();
  try {
    return command::finished(command::run(write, argc, argv));
  } catch (const std::exception& error) {
    command::complain(error.what());
    return command::usage;
  }
}
