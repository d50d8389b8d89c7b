#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

// What benchmarks measured, read from Google Benchmark's JSON files, in rounds: everything is measured once
// in each.
namespace posproof::report {

// Over the rounds.
struct Spread {
  double median, least, most;
};

// The middle one, or the mean of the two in the middle; `values` is not empty.
double median(std::vector<double> values);

class Measured {
 public:
  // One folder a round, each with *.json. Processor time counts, or wall time where a benchmark asked for it
  // (`/real_time`, which is taken off its name, as is `/min_time:..`); of repetitions, the median. A
  // benchmark that ended with an error was not measured. Throws std::invalid_argument with the file and what
  // is wrong with it.
  explicit Measured(const std::vector<std::filesystem::path>& rounds);

  std::size_t rounds() const { return rounds_.size(); }

  // What was said of the machine: `processor`, `compiler`, ..; `unknown` for what was not.
  std::string context(const std::string& key) const;

  // Seconds for one item (a value, a byte, a case), or for one run of a benchmark that counts no items. None
  // for one that was not measured in every round.
  std::optional<Spread> seconds(const std::string& name) const;

  // seconds(over) / seconds(under), each in its own round, so that what changes between rounds falls out.
  // Names of several are added up.
  std::optional<Spread> ratio(const std::vector<std::string>& over, const std::vector<std::string>& under,
                              double factor = 1) const;

  // A number that a benchmark counted besides the time.
  std::optional<double> counter(const std::string& name, const std::string& counter) const;

  // The names that begin so.
  std::vector<std::string> names(std::string_view beginning) const;

  // Of those the one that takes the least time, and none where there is none.
  std::optional<std::string> fastest(std::string_view beginning) const;

  // name/VALUE, for every number VALUE there is, in every round: (value, seconds of one run).
  std::vector<std::pair<double, double>> growth(const std::string& name) const;

 private:
  struct One {
    double seconds = 0;  // of one item
    double run = 0;      // of one run
    std::map<std::string, double> counters = {};
  };
  using Round = std::map<std::string, One>;

  std::optional<double> sum(const Round& round, const std::vector<std::string>& names) const;
  void read(const std::filesystem::path& file, Round& round);

  std::vector<Round> rounds_;
  std::map<std::string, std::string> context_;
};

// The exponent of a power law y = c x^exponent, by least squares in the logarithms, its standard error, and
// the interval that holds it with 95 % where the scatter is normal (Student's t). None for fewer than three
// points, fewer than two different x, or values that are not above 0.
struct Growth {
  double exponent, error, low, high;
};
std::optional<Growth> growth(std::span<const std::pair<double, double>> points);

// The exponent between the two largest x alone, of the medians at each. None without two x above 0.
std::optional<double> growth_at_the_end(std::span<const std::pair<double, double>> points);

}  // namespace posproof::report
