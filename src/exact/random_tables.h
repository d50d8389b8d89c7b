#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include "exact/exact_table.h"
#include "exact/ladder.h"
#include "exact/strip.h"

// Tables of every base, width, scaling, layout, offset and amplitude, at positions to 2^40 and below 0,
// against MPFR. For tests; nothing else includes it.
namespace posproof::exact::random_tables {

// The kernels that run here, by name, so that a test is called after its own.
inline std::vector<std::string> kernel_names() {
  std::vector<std::string> names;
  for (const Kernel* kernel : kernels_here()) names.emplace_back(kernel->name);
  return names;
}
inline const Kernel& kernel_named(const std::string& name) {
  for (const Kernel* kernel : kernels_here())
    if (kernel->name == name) return *kernel;
  throw std::invalid_argument("no kernel is called " + name);
}

using Random = std::mt19937_64;

inline double between(Random& random, double lo, double hi) {
  return lo + (hi - lo) * static_cast<double>(random() >> 11) * 0x1p-53;
}
inline std::size_t below(Random& random, std::size_t n) {
  return static_cast<std::size_t>(random() % n);
}

inline Frequencies frequencies(Random& random, std::size_t pairs) {
  Frequencies out;
  out.backward = below(random, 4) == 0;
  if (below(random, 3) == 0) {
    Given given;
    for (std::size_t i = 0; i < pairs; ++i) {
      double w = std::exp(between(random, -25, 1));
      if (below(random, 2) == 0) w = static_cast<double>(static_cast<float>(w));
      given.frequencies.push_back(below(random, 16) == 0 ? 0 : w);
    }
    out.ladder = given;
    return out;
  }
  Geometric powers{std::exp(between(random, -3, 25)), {}};
  if (below(random, 2) == 0) powers.base = std::array{10000.0, 500000.0, 1000000.0}.at(below(random, 3));
  const auto width = static_cast<std::int64_t>(2 * pairs + 2 * below(random, 2));
  for (std::size_t i = 0; i < pairs; ++i)
    powers.exponents.push_back({2 * static_cast<std::int64_t>(i), width});
  if (powers.base > 2 && pairs > 2) {
    const double factor = 1 + static_cast<double>(below(random, 32));
    switch (below(random, 8)) {
      case 0:
        powers.scaling = Interpolated{factor};
        break;
      case 1:
        powers.scaling = NtkAware{factor};
        break;
      case 2:
        powers.scaling = ByParts{factor, 8192, 1, 4};
        break;
      case 3:
        powers.scaling = ByIndex{factor, 4096, 32, 1, true};
        break;
      case 4:
        powers.scaling = DynamicNtk{factor, 4096, 4097 + 1000 * factor};
        break;
      default:
        break;
    }
  }
  out.ladder = powers;
  return out;
}

inline std::vector<Run> runs(Random& random, std::size_t pairs, std::size_t& dim) {
  using Part = Run::Part;
  dim = 2 * pairs;
  switch (below(random, 10)) {
    case 0:
      return {{Part::sines_and_cosines, 0, 0, pairs}};
    case 1:
      dim += 2;  // a column of zeros on either side
      return {{Part::cosines_and_sines, 1, 0, pairs}};
    case 2:
      dim -= 1;  // the last cosine is cut off
      if (pairs == 1) return {{Part::sines, 0, 0, 1}};
      return {{Part::sines, 0, 0, pairs}, {Part::cosines, pairs, 0, pairs - 1}};
    case 3:
      return {{Part::cosines, 0, 0, pairs}, {Part::cosines, pairs, 0, pairs}};
    case 4:
      return {{Part::cosines, 0, 0, pairs}, {Part::sines, pairs, 0, pairs}};
    case 5:
      return {{Part::sines, 0, 0, pairs}, {Part::sines, pairs, 0, pairs}};
    case 6:
      dim *= 2;
      return {{Part::sines_and_cosines, 0, 0, pairs}, {Part::sines_and_cosines, 2 * pairs, 0, pairs}};
    case 8:  // more runs of cosines than of sines
      dim = 3 * pairs;
      return {
          {Part::cosines, 0, 0, pairs}, {Part::cosines, pairs, 0, pairs}, {Part::sines, 2 * pairs, 0, pairs}};
    case 7:
      dim *= 2;
      return {{Part::sines, 0, 0, pairs},
              {Part::cosines, pairs, 0, pairs},
              {Part::sines, 2 * pairs, 0, pairs},
              {Part::cosines, 3 * pairs, 0, pairs}};
    default:
      return {{Part::sines, 0, 0, pairs}, {Part::cosines, pairs, 0, pairs}};
  }
}

inline Position position(Random& random) {
  switch (below(random, 6)) {
    case 0:
      return 0;
    case 1:
      return -static_cast<Position>(below(random, 300));
    case 2:
      return static_cast<Position>(below(random, 100000));
    case 3:
      return static_cast<Position>(below(random, 1 << 24));
    case 4:
      return (Position{1} << 40) - 1200;
    default:
      return static_cast<Position>(below(random, std::size_t{1} << 40));
  }
}

// What was compared, and the first entry that was not the one of MPFR.
struct Outcome {
  std::uint64_t entries = 0, wrong = 0;
  std::string first;
};

// Of a table that is right: a share of its entries made wrong, most by little. Returns how many.
inline std::uint64_t spoil(Random& random, Format format, std::vector<char>& table) {
  const std::size_t one = bytes(format), entries = table.size() / one;
  const std::size_t every = std::array<std::size_t, 4>{1, 2, 30, 1000}[below(random, 4)];
  std::uint64_t wrong = 0;
  for (std::size_t n = below(random, every); n < entries; n += 1 + below(random, 2 * every - 1)) {
    char* const at = table.data() + n * one;
    const double right = load(format, at);
    switch (below(random, 12)) {
      case 0:
        store(format, at, std::numeric_limits<double>::quiet_NaN());
        break;
      case 1:
        store(format, at, -right);
        break;
      case 2:
        store(format, at, below(random, 2) == 0 ? 0.0 : -0.0);
        break;
      case 3:
        store(format, at, nearest(format, between(random, -2, 2)));
        break;
      default:
        *at ^= 1;  // the last digit
    }
    wrong += load(format, at) == right ? 0 : 1;
  }
  return wrong;
}

// One table, with every kernel that runs here: some of its entries against MPFR, the whole against itself,
// and with a known number of entries wrong.
inline void one_table(Random& random, std::size_t samples, Outcome& outcome) {
  const std::size_t pairs = 1 + below(random, 40);
  std::size_t dim = 0;
  const Frequencies recipe = frequencies(random, pairs);
  const std::vector<Run> columns = runs(random, pairs, dim);
  const double amplitude = below(random, 2) == 0 ? 1.0 : std::exp(between(random, -12, 9));
  const Position offset = below(random, 3) == 0 ? static_cast<Position>(below(random, 1000)) - 500 : 0;
  const Position first = position(random);
  const std::size_t rows = 1 + below(random, 200);
  const Format format = every_format.at(below(random, 4));
  const auto strips = strips_of(columns);
  const auto tell = [&](std::string_view kernel, std::string_view what) {
    if (++outcome.wrong == 1)
      outcome.first =
          fmt::format("{}, {}, {} pairs, amplitude {}, rows {} .. {}: {}", kernel, name(format), pairs,
                      amplitude, first + offset, first + offset + static_cast<Position>(rows) - 1, what);
  };

  std::vector<std::vector<char>> filled;
  std::vector<char> spoilt;
  std::uint64_t wrong = 0;
  std::shared_ptr<const Ladder> any;
  for (const Kernel* kernel : kernels_here()) {
    const auto ladder = std::make_shared<const Ladder>(recipe, amplitude, *kernel);
    any = ladder;
    const ExactTable table(ladder, columns, dim, offset);
    auto& out = filled.emplace_back(rows * dim * bytes(format), '\x55');
    const unsigned threads = 1 + static_cast<unsigned>(below(random, 2));
    table.fill(format, first, rows, out.data(), threads);
    if (out != filled.front()) tell(kernel->name, "other bits than the plain kernel's");
    if (const Compared same = table.compare(format, first, rows, out.data(), {}, 3 - threads);
        same.wrong != 0)
      tell(kernel->name, fmt::format("{} entries differ from themselves", same.wrong));
    if (filled.size() == 1) wrong = spoil(random, format, spoilt = out);
    const std::uint64_t measured = table.compare(format, first, rows, spoilt.data(), {}, threads).wrong,
                        counted = table.count_wrong(format, first, rows, spoilt.data(), 3 - threads);
    if (measured != wrong || counted != wrong)
      tell(kernel->name,
           fmt::format("{} measured and {} counted of {} wrong entries", measured, counted, wrong));
  }
  for (std::size_t s = 0; s < samples; ++s) {
    const Strip& strip = strips[below(random, strips.size())];
    const std::size_t row = below(random, rows), lane = strip.lane + below(random, strip.count);
    const auto [sine, cosine] =
        any->multiprecision().point(lane, first + offset + static_cast<Position>(row), format);
    for (const bool of_cosine : {false, true}) {
      if (of_cosine ? !strip.has_cosines() : !strip.has_sines()) continue;
      ++outcome.entries;
      const std::size_t at = row * dim + strip.column(lane, of_cosine);
      const double here = load(format, filled.front().data() + at * bytes(format));
      const double there = of_cosine ? cosine : sine;
      if (here != there)
        tell("MPFR", fmt::format("position {}, frequency {}, {}: {} where {} is right",
                                 first + offset + static_cast<Position>(row), lane,
                                 of_cosine ? "cosine" : "sine", here, there));
    }
  }
}

inline Outcome against_mpfr(std::uint64_t seed, std::uint64_t entries, std::size_t samples_of_a_table) {
  Random random(seed);
  Outcome outcome;
  while (outcome.entries < entries) one_table(random, samples_of_a_table, outcome);
  return outcome;
}

}  // namespace posproof::exact::random_tables
