#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/place.h"
#include "diagnosis/diagnosis.h"
#include "identify/identified.h"
#include "identify/identified_subject.h"
#include "run/seeming_precision.h"

namespace posproof {

// A convention under which everything that was compared is within rounding.
struct Convention {
  Candidate candidate;
  double share = 0;  // the largest of what rounding allows
  // Its buckets, or the rows of its table, are these, but the numbers in them are trained ones, of which the
  // catalogue knows nothing.
  bool trained = false;
};

// What the subject cannot tell: other values of a parameter, that hold as well.
struct NotTold {
  std::string parameter;
  std::vector<std::string> values;  // that of the answer first
  std::string apart = {};           // `rotary_dim=2`: with that, no subject is both
};

// Where none holds: the one that explains most of what was compared.
struct NearestConvention {
  Candidate candidate;
  std::size_t wrong = 0, of = 0;    // answers
  std::optional<Place> first = {};  // that is wrong, of a file the first position
  std::string precision = {};       // under which it would hold; empty where none is
  std::vector<Explanation> explanations = {};
};

struct Identified {
  Subject subject;                    // as the answer has it, or the nearest
  std::vector<Convention> hold = {};  // the answer first: the simplest one
  std::vector<NotTold> not_told = {};
  // Others that differ in several parameters, or in the encoding, and take about as many digits; and how many
  // take more.
  std::vector<Candidate> or_else = {};
  std::size_t less_simple = 0;
  std::optional<NearestConvention> nearest = {};
  std::size_t tried = 0;     // conventions
  std::size_t compared = 0;  // answers of a program, or of a file positions
  // The subject with the precision in which one holds, where none does in that of its file (`stored_in`): all
  // of the file's numbers are of a format with fewer digits.
  std::string read_as = {}, stored_in = {};
  std::string seeming = {};      // the precision that the answers seem to have, in words
  std::string interrupted = {};  // `interrupted by SIGINT`, before all conventions were tried; or empty
};

// Which convention of the catalogue a subject has, of which nothing is said: measures it, proposes settings,
// and compares each with the exact encoding under the error bounds that a gate has. Throws as open() does.
Identified identify(std::string_view words, const IdentifyOptions& options = {});
// The same of a subject that answers already, as opened for that candidate.
Identified identify(Subject live, const Candidate& taken_for);

}  // namespace posproof
