#pragma once

#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "core/case.h"
#include "core/encoding.h"
#include "core/formats.h"

// Recorded hard cases of a ladder, as the files in cases/ hold them: see CONTRIBUTING.md.
namespace posproof::oracle {

// The exact sine or cosine is close to the middle of two neighbours of a format.
struct NearBoundary {
  bool cosine;
  Format format;
  bool operator==(const NearBoundary&) const = default;
};

// The angle is close to so many quarter turns.
struct NearQuarterTurns {
  std::int64_t quarters;
  bool operator==(const NearQuarterTurns&) const = default;
};

// `t=7 i=3 entry=sine format=f64 # 1.026e-10 ulp, every entry below 2^24: 1st`, or
// `t=7 i=3 quarters=2 # 3.5e-12 rad, continued fractions below 2^40: 1st`.
struct HardCase {
  Position t;
  std::size_t frequency;  // its number in the ladder
  std::variant<NearBoundary, NearQuarterTurns> near;
  double distance;  // as printed, four digits: in units in the last place of the format, or radians
  std::string found;

  bool operator==(const HardCase&) const = default;
};

struct HardCases {
  std::string encoding;  // id of the spec that has the ladder: `rope`
  Parameters parameters;
  std::vector<HardCase> cases;

  bool operator==(const HardCases&) const = default;
};

std::string text(const HardCase& one);
std::string text(const HardCases& all);  // the file, without comments

// A distance as it is recorded.
std::string distance_text(double distance);

// What the head of a file says of a format: the smallest distance, as a power of two, and how many bits of
// the value tell on which side of the boundary it lies.
std::string worst_text(Format format, double distance);

// Lines that begin with # are comments; the first other line is the ladder (`encoding=rope dim=64
// base=10000`), the others are its cases. Throws std::invalid_argument with the file's name, the line's
// number, the word and what is allowed.
HardCases hard_cases(std::string_view file, std::string_view contents);

}  // namespace posproof::oracle
