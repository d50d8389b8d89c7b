#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "core/bounds.h"
#include "core/document.h"
#include "core/random.h"

// What several experiments share: frequencies, random numbers, extents, and how pages print them. Everything
// is in long double: its sines are the same on every machine (glibc computes them without the processor's
// own), and its exponentials, logarithms and powers but for the last of 64 bits. Double's sines and powers
// are not.
namespace posproof::experiments {

constexpr long double two_pi = 6.283185307179586476925286766559005768L;

// The frequencies base^(-2i/dim), in radians per position, fastest first.
inline std::vector<long double> ladder(std::size_t dim, long double base = 10000) {
  std::vector<long double> out;
  for (std::size_t i = 0; 2 * i + 1 < dim; ++i)
    out.push_back(std::pow(base, -2.0L * static_cast<long double>(i) / static_cast<long double>(dim)));
  return out;
}

// Uniform numbers in [-1, 1), the same ones for the same seed everywhere.
class Uniform {
 public:
  explicit Uniform(std::uint64_t seed) : numbers_(seed) {}
  double next() { return static_cast<double>(numbers_.next() >> 11) * 0x1p-52 - 1; }

 private:
  SplitMix64 numbers_;
};

// The smallest and the largest of the numbers that it has seen.
struct Extent {
  long double least = std::numeric_limits<long double>::infinity();
  long double most = -std::numeric_limits<long double>::infinity();

  void see(long double x) { least = std::min(least, x), most = std::max(most, x); }
  long double width() const { return most - least; }
};

// Whole numbers as reports print them: `65,536`.
inline Exactly whole(std::int64_t value) {
  const std::string digits = std::to_string(value < 0 ? -value : value);
  std::string out(value < 0 ? "-" : "");
  for (std::size_t at = 0; at < digits.size(); ++at) {
    if (at > 0 && (digits.size() - at) % 3 == 0) out += ',';
    out += digits[at];
  }
  return Exactly(out);
}

// A position or an offset that was looked for; 0: there is none.
inline std::string whole_or_none(std::int64_t value) {
  return value == 0 ? std::string("none") : whole(value);
}

// `31.6 %` of a share of 1.
inline std::string percent(long double share) {
  return document::fixed(100 * share, 1) + " %";
}

inline std::string yes_no(bool yes) {
  return yes ? "yes" : "no";
}

// A sentence of a page stands only as long as the data prove it. Throws std::logic_error with the sentence
// otherwise.
inline void proved(bool holds, std::string_view sentence) {
  if (!holds) throw std::logic_error(fmt::format("the data do not prove: {}", sentence));
}

// What was derived beforehand, with pencil or by another program, and what was measured, both as printed.
// They agree where they read the same.
struct Expectation {
  std::string claim;
  std::string derived;
  std::string measured;
};

inline std::vector<document::Block> expectations(const std::vector<Expectation>& all) {
  document::Grid grid{.columns = {"claim", "derived", "measured", "agrees"}, .rows = {}};
  for (const auto& [claim, derived, measured] : all)
    grid.rows.push_back({claim, derived, measured, derived == measured ? "yes" : "**no**"});
  return {document::Section{"Against the derivation"}, std::move(grid)};
}

// The parts of a page, one after the other.
inline std::vector<document::Block> joined(std::initializer_list<std::vector<document::Block>> parts) {
  std::vector<document::Block> out;
  for (const auto& part : parts) out.insert(out.end(), part.begin(), part.end());
  return out;
}

}  // namespace posproof::experiments
