#include "benchmarks/measured.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/math/distributions/students_t.hpp>
#include <charconv>
#include <cmath>
#include <iterator>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "report/file.h"

namespace posproof::report {
namespace {

using Json = nlohmann::json;
namespace fs = std::filesystem;

// What Google Benchmark writes of a run besides its counters.
const std::vector<std::string> own = {"family_index",     "per_family_instance_index",
                                      "repetitions",      "repetition_index",
                                      "threads",          "iterations",
                                      "real_time",        "cpu_time",
                                      "items_per_second", "bytes_per_second"};

double seconds_of(const std::string& unit) {
  if (unit == "ns") return 1e-9;
  if (unit == "us") return 1e-6;
  if (unit == "ms") return 1e-3;
  if (unit == "s") return 1;
  throw std::invalid_argument(fmt::format("time_unit `{}`: ns, us, ms and s are known", unit));
}

std::string cache(const Json& one) {
  return fmt::format("L{} {} {} KiB", one.at("level").get<int>(), one.at("type").get<std::string>(),
                     one.at("size").get<std::int64_t>() / 1024);
}

std::optional<double> number(std::string_view text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

Spread spread(const std::vector<double>& values) {
  return {median(values), *std::min_element(values.begin(), values.end()),
          *std::max_element(values.begin(), values.end())};
}

}  // namespace

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const std::size_t middle = values.size() / 2;
  return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

Measured::Measured(const std::vector<fs::path>& rounds) {
  if (rounds.empty()) throw std::invalid_argument("no round was measured");
  for (const fs::path& folder : rounds) {
    Round& round = rounds_.emplace_back();
    if (!fs::is_directory(folder))
      throw std::invalid_argument(
          fmt::format("`{}` is no folder: a round is one, with *.json", folder.string()));
    std::vector<fs::path> files;
    for (const auto& entry : fs::directory_iterator(folder))
      if (entry.path().extension() == ".json") files.push_back(entry.path());
    std::sort(files.begin(), files.end());
    for (const fs::path& file : files) read(file, round);
    if (round.empty())
      throw std::invalid_argument(fmt::format("`{}`: no *.json in it has a measurement", folder.string()));
  }
}

void Measured::read(const fs::path& file, Round& round) {
  try {
    const auto bytes = file_bytes(file);
    if (!bytes) throw std::invalid_argument("cannot be read");
    const Json json = Json::parse(*bytes);
    for (const auto& [key, value] : json.at("context").items()) {
      if (value.is_string()) context_[key] = value.get<std::string>();
      if (value.is_number_integer()) context_[key] = fmt::format("{}", value.get<std::int64_t>());
      if (key != "caches") continue;
      std::string& all = context_["caches"];
      all.clear();
      for (const Json& one : value) all += fmt::format("{}{}", all.empty() ? "" : ", ", cache(one));
    }
    std::map<std::string, std::vector<double>> items, runs;
    for (const Json& run : json.at("benchmarks")) {
      if (run.value("run_type", "iteration") != "iteration" || run.value("error_occurred", false)) continue;
      auto name = run.at("name").get<std::string>();
      // What a benchmark asked for stands behind its name: `/real_time`, `/min_time:0.010`.
      constexpr std::string_view wall = "/real_time";
      const bool by_wall = name.ends_with(wall);
      if (by_wall) name.resize(name.size() - wall.size());
      if (const auto asked = name.find("/min_time:"); asked != std::string::npos) name.resize(asked);
      const double unit = seconds_of(run.at("time_unit").get<std::string>());
      const double time = unit * run.at(by_wall ? "real_time" : "cpu_time").get<double>();
      const double seconds =
          run.contains("items_per_second") ? 1 / run.at("items_per_second").get<double>() : time;
      if (!(seconds > 0) || !std::isfinite(seconds))
        throw std::invalid_argument(fmt::format("`{}` took {} s: that is no time", name, seconds));
      items[name].push_back(seconds);
      runs[name].push_back(time);
      for (const auto& [key, value] : run.items())
        if (value.is_number() && std::find(own.begin(), own.end(), key) == own.end())
          round[name].counters[key] = value.get<double>();
    }
    for (const auto& [name, seconds] : items) {
      round[name].seconds = median(seconds);
      round[name].run = median(runs[name]);
    }
  } catch (const std::exception& error) {
    throw std::invalid_argument(fmt::format("{}: {}", file.string(), error.what()));
  }
}

std::string Measured::context(const std::string& key) const {
  const auto found = context_.find(key);
  return found == context_.end() ? "unknown" : found->second;
}

std::optional<double> Measured::sum(const Round& round, const std::vector<std::string>& names) const {
  double all = 0;
  for (const std::string& name : names) {
    const auto found = round.find(name);
    if (found == round.end()) return std::nullopt;
    all += found->second.seconds;
  }
  return all;
}

std::optional<Spread> Measured::seconds(const std::string& name) const {
  std::vector<double> all;
  for (const Round& round : rounds_) {
    const auto one = sum(round, {name});
    if (!one) return std::nullopt;
    all.push_back(*one);
  }
  return spread(all);
}

std::optional<Spread> Measured::ratio(const std::vector<std::string>& over,
                                      const std::vector<std::string>& under, double factor) const {
  std::vector<double> all;
  for (const Round& round : rounds_) {
    const auto above = sum(round, over), below = sum(round, under);
    if (!above || !below || over.empty() || under.empty()) return std::nullopt;
    all.push_back(factor * *above / *below);
  }
  return spread(all);
}

std::optional<double> Measured::counter(const std::string& name, const std::string& counter) const {
  const auto found = rounds_.front().find(name);
  if (found == rounds_.front().end()) return std::nullopt;
  const auto counted = found->second.counters.find(counter);
  if (counted == found->second.counters.end()) return std::nullopt;
  return counted->second;
}

std::vector<std::string> Measured::names(std::string_view beginning) const {
  std::vector<std::string> out;
  for (const auto& [name, one] : rounds_.front())
    if (name.rfind(beginning, 0) == 0) out.push_back(name);
  return out;
}

std::optional<std::string> Measured::fastest(std::string_view beginning) const {
  std::optional<std::string> best;
  double least = HUGE_VAL;
  for (const std::string& name : names(beginning))
    if (const auto took = seconds(name); took && took->median < least) {
      least = took->median;
      best = name;
    }
  return best;
}

std::vector<std::pair<double, double>> Measured::growth(const std::string& name) const {
  std::vector<std::pair<double, double>> out;
  for (const Round& round : rounds_)
    for (const auto& [other, one] : round)
      if (other.rfind(name + "/", 0) == 0)
        if (const auto value = number(std::string_view(other).substr(name.size() + 1)))
          out.emplace_back(*value, one.run);
  std::sort(out.begin(), out.end());
  return out;
}

std::optional<Growth> growth(std::span<const std::pair<double, double>> points) {
  if (points.size() < 3) return std::nullopt;
  const auto n = static_cast<double>(points.size());
  double mean_x = 0, mean_y = 0;
  for (const auto& [x, y] : points) {
    if (!(x > 0) || !(y > 0)) return std::nullopt;
    mean_x += std::log(x) / n;
    mean_y += std::log(y) / n;
  }
  double xx = 0, xy = 0;
  for (const auto& [x, y] : points) {
    xx += (std::log(x) - mean_x) * (std::log(x) - mean_x);
    xy += (std::log(x) - mean_x) * (std::log(y) - mean_y);
  }
  if (!(xx > 0)) return std::nullopt;
  const double slope = xy / xx;
  double left = 0;
  for (const auto& [x, y] : points) {
    const double off = std::log(y) - mean_y - slope * (std::log(x) - mean_x);
    left += off * off;
  }
  const double error = std::sqrt(left / (n - 2) / xx);
  const double within = error * boost::math::quantile(boost::math::students_t(n - 2), 0.975);
  return Growth{slope, error, slope - within, slope + within};
}

std::optional<double> growth_at_the_end(std::span<const std::pair<double, double>> points) {
  std::map<double, std::vector<double>> by_size;
  for (const auto& [x, y] : points) by_size[x].push_back(y);
  if (by_size.size() < 2) return std::nullopt;
  const auto last = std::prev(by_size.end()), before = std::prev(last);
  if (!(before->first > 0)) return std::nullopt;
  return std::log(median(last->second) / median(before->second)) / std::log(last->first / before->first);
}

}  // namespace posproof::report
