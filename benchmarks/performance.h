#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "benchmarks/measured.h"
#include "core/document.h"

// reports/performance.md: what `./run performance` measured, as ratios within a run, on the machine that it
// names. It is the one page that is not the same everywhere, and the one that no test compares.
namespace posproof::report {

// What was set out to be reached, and whether it was.
struct Target {
  std::string what;
  std::optional<Spread> measured;
  bool at_least;
  double limit;
  std::string unit;                      // behind the number: ` x`, ` %`, ` ms`
  std::string missing = "not measured";  // or why it was not

  bool met() const;                 // by the median over the rounds
  bool met_in_every_round() const;  // by the round that is farthest from it
  std::string number(double value) const;
  std::string aim() const;      // `at least 3,500 x`
  std::string verdict() const;  // `met in every round`, `met by the median`, `not met`, or what is missing
};

std::vector<Target> performance_targets(const Measured& measured);

// The numbers behind them, one section each.
std::vector<document::Block> performance_of_others(const Measured& measured);
std::vector<document::Block> performance_of_the_oracle(const Measured& measured);
std::vector<document::Block> performance_of_cases(const Measured& measured);
std::vector<document::Block> performance_of_references(const Measured& measured);
std::vector<document::Block> performance_growth(const Measured& measured);

Document performance(const Measured& measured);

// Writes the page and its figures into the folder, and the index; the paths of those that changed. Throws as
// `Measured` does.
std::vector<std::string> write_performance(const std::filesystem::path& folder,
                                           const std::vector<std::filesystem::path>& rounds);

}  // namespace posproof::report
