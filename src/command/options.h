#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "command/command.h"
#include "core/spec.h"
#include "search/search.h"
#include "subject/config.h"

namespace posproof::command {

// What several commands can be told. Each has its own.
struct Common {
  std::uint64_t seed = 1;
  std::uint64_t cases = 300;
  double seconds = 30;
  double call_seconds = 20;
  double total_seconds = 120;
  bool json = false;

  Budget budget() const;
  std::chrono::milliseconds call_time() const;
};

// --seed, --cases, --time and --json, and the others behind them.
std::vector<Option> with_common(Common& common, std::vector<Option> others);

// --call-time and --budget
Option call_time(double& seconds);
Option total_time(double& seconds);

// How the words of a SUBJECT begin.
std::vector<std::string> schemes();

// --sandbox
Option sandbox(bool& wanted);
// Throws std::invalid_argument where a sandbox is wanted and no subject is named.
void refuse_sandbox_of_our_own(bool wanted, const std::string& subject);

std::chrono::milliseconds milliseconds(double seconds);

// `FIRST:LAST`, both ends included; none where the option was not given. Throws std::invalid_argument.
std::optional<std::pair<Position, Position>> range(const std::string& positions);

// An option for each parameter of an encoding, `--spec` and `--config`. Their fields are null.
std::vector<Option> parameter_options(const EncodingSpec& spec);

// `--dim 128 --layout half_split` for one encoding.
class GivenParameters {
 public:
  // Their fields are here.
  std::vector<Option> options(const EncodingSpec& spec);
  // The spec's standard parameters, those of a model's configuration, those of the file and those of the
  // options, the last one counting. Throws std::invalid_argument.
  Parameters read(const EncodingSpec& spec) const;
  Parameters given() const;  // without the standard ones
  // What was understood of the configuration, and what of it something else comes before.
  std::vector<std::string> configured() const;

 private:
  std::map<std::string, std::string> words_;
  Parameters named() const;  // without those of the configuration
  Configured configuration(const Parameters& named) const;

  std::string encoding_, file_, config_;
};

}  // namespace posproof::command
