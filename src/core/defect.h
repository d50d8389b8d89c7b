#pragma once

#include <string_view>
#include <vector>

#include "core/case.h"
#include "core/encoding.h"
#include "core/precision.h"
#include "core/property.h"

namespace posproof {

// A named wrong implementation that real projects shipped. The suite's own mutation test (its property must
// refute it), the diagnosis of a refuted subject, and documentation.
struct Defect {
  std::string_view name;     // unique within the family: `angles_in_bf16`
  std::string_view wrong;    // the formula that was wrong, one sentence
  std::string_view sources;  // `candle#3520, gpt-neox#1016`
  // The entries of the catalogue of shipped defects that it stands for; none where it is kin of one only.
  std::vector<std::string_view> recorded = {};
  // The encoding with the defect, for any parameters of the family's spec. Throws Refusal where the defect
  // makes no difference or no sense.
  Encoding (*make)(const Parameters&);
  // Small parameters that show it, and tell it from the family's others: `dim=8`.
  std::string_view setting;
  // The property that must refute it there, nullptr: agreement with the oracle.
  const Property* refuted_by = nullptr;
  Precision precision = all_f32;  // what it claims to work in
};

// The file's name is the family's, and the name of the spec whose parameters it takes.
struct DefectFamily {
  std::vector<Defect> defects;
};

}  // namespace posproof
