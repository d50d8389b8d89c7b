// posproof_hard_cases ENCODING name=value ...: looks for the hard cases of one ladder and prints their file.
// Built when asked for; the tests only confirm what it recorded. See CONTRIBUTING.md.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <exception>
#include <map>
#include <stdexcept>
#include <string>
#include <thread>
#include <tuple>

#include "exact/argument_reduction.h"
#include "exact/exact_table.h"
#include "exact/hard_to_round.h"
#include "exact/ladder.h"
#include "oracle/hard_cases.h"
#include "run/catalogued.h"

namespace posproof::oracle {

using namespace exact;

namespace {

constexpr int last_scanned = 24;  // 2^24 positions
constexpr std::array<int, 3> scanned = {17, 20, last_scanned};
constexpr std::array<int, 4> fractions = {17, 20, 24, 40};
constexpr std::size_t sought = 4;  // below the last limit; half as many below the others

std::string nth(std::size_t n) {
  return fmt::format("{}{}", n, n == 1 ? "st" : n == 2 ? "nd" : n == 3 ? "rd" : "th");
}

// An entry may be among the closest below several limits.
class Collected {
 public:
  void add(HardCase one, int limit, std::size_t rank) {
    const std::string where = fmt::format("{} below 2^{}", nth(rank), limit);
    const auto at = std::find_if(cases_.begin(), cases_.end(), [&](const HardCase& other) {
      return other.t == one.t && other.frequency == one.frequency && other.near == one.near;
    });
    if (at == cases_.end()) {
      one.found += where;
      cases_.push_back(std::move(one));
    } else {
      at->found += ", " + where;
    }
  }
  std::vector<HardCase> cases_;
};

const Ladder& ladder_of(const Encoding& encoding) {
  const auto exact = exact_table(encoding);
  if (exact == nullptr) throw std::invalid_argument("the encoding has no ladder; allowed: rope, sinusoidal");
  return exact->ladder();
}

std::size_t kept(bool last) {
  return last ? sought : sought / 2;
}

int run(std::string_view encoding_id, const Parameters& parameters) {
  const Encoding encoding = encoding_named(encoding_id).oracle(parameters);
  const Ladder& ladder = ladder_of(encoding);
  const unsigned threads = std::max(1u, std::thread::hardware_concurrency());

  std::array<Position, scanned.size()> limits = {};
  for (std::size_t n = 0; n < limits.size(); ++n) limits[n] = Position{1} << scanned[n];
  int shown = -1;
  const auto boundaries = hardest_to_round(ladder, limits, sought, threads, [&](Position done) {
    const int percent = static_cast<int>(100 * done / limits.back());
    if (percent / 10 == shown / 10 && shown >= 0) return;
    shown = percent;
    fmt::print(stderr, "{} {}: {} % of 2^{} positions\n", encoding_id, parameters.text(), percent,
               last_scanned);
  });

  Collected collected;
  const double entries = std::ldexp(2.0 * static_cast<double>(ladder.size()), last_scanned);
  fmt::print("# Hard cases of one ladder, as recorded by\n#\n#   posproof_hard_cases {} {}\n#\n", encoding_id,
             parameters.text());
  fmt::print(
      "# Of its {:.0f} sines and cosines at positions 1 to 2^{} - 1 none is closer to a rounding boundary "
      "(the\n"
      "# middle of two neighbours) than the first of its format; spread evenly, 2^{:.1f} ulp were to be\n"
      "# expected. To know on which side it lies takes so many bits:\n#\n",
      entries - 2.0 * static_cast<double>(ladder.size()), last_scanned, -1 - std::log2(entries));
  for (const Closest& closest : boundaries) {
    fmt::print("#   {}\n", worst_text(closest.format, closest.of_limit.back().front().distance));
    for (std::size_t n = 0; n < closest.of_limit.size(); ++n)
      for (std::size_t rank = 0; rank < kept(n + 1 == closest.of_limit.size()); ++rank) {
        const auto& [entry, distance] = closest.of_limit[n].at(rank);
        collected.add(
            {entry.t, entry.frequency, NearBoundary{entry.cosine, closest.format}, distance, "every entry: "},
            scanned.at(n), rank + 1);
      }
  }
  fmt::print(
      "#\n# Of each frequency's position closest to a multiple of pi/2 (but 0) the closest, by continued\n"
      "# fractions.\n#\n"
      "# t is the position, i the number of the frequency; distances to the digits printed.\n");
  for (const int limit : fractions) {
    const auto found =
        closest_to_quarter_turns(ladder, Position{1} << limit, kept(limit == fractions.back()));
    for (std::size_t rank = 0; rank < found.size(); ++rank) {
      const QuarterTurns& one = found[rank];
      collected.add(
          {one.t, one.frequency, NearQuarterTurns{one.quarters}, one.distance, "continued fractions: "},
          limit, rank + 1);
    }
  }
  fmt::print("{}", text(HardCases{std::string(encoding_id), parameters, collected.cases_}));
  return 0;
}

}  // namespace
}  // namespace posproof::oracle

int main(int argc, char** argv) {
  if (argc < 2) {
    fmt::print(stderr, "posproof_hard_cases ENCODING name=value ...\nsuch as: rope dim=128 base=500000\n");
    return 2;
  }
  try {
    std::string words;
    for (int n = 2; n < argc; ++n) words += std::string(argv[n]) + " ";
    return posproof::oracle::run(argv[1], posproof::Case::parse(words));
  } catch (const std::exception& error) {
    fmt::print(stderr, "posproof_hard_cases: {}\n", error.what());
    return 1;
  }
}
