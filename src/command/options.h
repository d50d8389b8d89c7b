#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "core/spec.h"
#include "search/search.h"

namespace CLI {
class App;
}

namespace posproof::command {

// What several commands can be told. Each has its own.
struct Common {
  std::uint64_t seed = 1;
  std::uint64_t cases = 300;
  double seconds = 30;
  double call_seconds = 20;
  bool json = false;

  Budget budget() const;
  std::chrono::milliseconds call_time() const;
};

// --seed, --cases, --time and --json.
void add_common(CLI::App& app, Common& common);

// `FIRST:LAST`, both ends included; none where the option was not given. Throws std::invalid_argument.
std::optional<std::pair<Position, Position>> range(const std::string& positions);

// `--dim 128 --layout half_split` for one encoding, as options of its own command.
class Options {
 public:
  void add(CLI::App& app, const EncodingSpec& spec);
  // The spec's standard parameters, those of the file and those of the options, the last one counting. Throws
  // std::invalid_argument.
  Parameters read(const EncodingSpec& spec) const;

 private:
  void read_file(Parameters& given) const;

  std::map<std::string, std::string> words_;
  std::string file_;
};

}  // namespace posproof::command
