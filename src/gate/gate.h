#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/function.h"
#include "core/spec.h"
#include "core/verdict.h"
#include "diagnosis/diagnosis.h"
#include "gate/observed.h"
#include "gate/wrong_answer.h"
#include "run/accuracy.h"
#include "run/seeming_precision.h"
#include "search/search.h"
#include "subject/subject.h"

namespace posproof {

// One property asked of a foreign subject.
struct PropertyResult {
  std::string id;  // of the property
  const Property* property;
  Verdict verdict;
  // The property that showed the same failure first (it raised the same error, say): empty where this one
  // did.
  std::string same_as = {};
  // The counterexample holds where a new object is asked nothing but that: it depends on the calls before.
  bool needs_history = false;
  // The property whose refutation explains this one: agreement, where an answer to the counterexample is
  // wrong and with the exact one in its place the counterexample holds; answers_like_a_new_object, where this
  // one needs history. Empty: a finding of its own.
  std::string follows_from = {};
  std::shared_ptr<const WrongAnswer> wrong = {};  // the first of the counterexample, where there is one
};

// What the gate found.
struct GateResult {
  std::string encoding;
  Parameters parameters;
  Subject subject;
  std::optional<std::pair<Position, Position>> positions = {};  // as the options have them
  std::vector<PropertyResult> results;
  std::vector<std::string> skipped;       // claims of the encoding that this subject cannot be asked, and why
  std::vector<Explanation> explanations;  // where something was refuted
  std::vector<std::shared_ptr<const Property>>
      made;  // of this subject: what results point to, wherever this is moved
  std::optional<Observations> observed = {};  // of a live subject: measured, and nobody's failure
  std::optional<Accuracy> accuracy = {};      // where every entry was compared, of a file or exhaustively
  SeemingPrecision seeming = {};              // from the answers of agreement
  std::string holds_as = {};                  // `f32+iterated`: gate/holds_iterated.h
  std::vector<std::string> alike = {};  // words that the subject cannot be told apart by, and what would
  std::vector<std::string> not_checked = {};  // what was to be checked and was not, in words
  std::string interrupted = {};               // `interrupted by SIGINT`; empty where the run came to its end

  bool refuted() const;
  bool undecided() const;  // something was neither held nor refuted, or not all was asked that was to be
};

struct GateOptions {
  // Calls of a live rotation have two heads: the parameters say nothing of them. A subject that gives logits
  // or the whole operator has those of the parameters.
  bool two_heads = false;
  std::uint64_t seed = 1;
  Budget budget = {};
  std::string filter = {};  // part of an id; empty for all
  std::chrono::milliseconds call_time{20000};
  std::chrono::milliseconds total{120000};  // for the whole run; what is not asked by then is undecided
  std::optional<std::pair<Position, Position>> positions = {};  // only these, both ends included
  bool sandbox = false;     // the subject is started in one: subject/sandbox.h
  bool exhaustive = false;  // agreement at every position of a live subject, too, however many there are
  // Told before each property: its id, its number and how many there are; and before what is asked behind
  // them.
  Function<void(std::string_view id, std::size_t number, std::size_t of)> progress = {};
  Function<void(const PropertyResult&)> ended = {};  // told of each result when it is known
  Function<void()> called = {};                      // told of each call of a live subject
};

// Puts a foreign implementation to everything that the encoding claims to hold for these parameters,
// agreement with the oracle first. Throws std::invalid_argument, Refusal (parameters) and SubjectError (it
// cannot be started).
GateResult gate(std::string_view encoding_id, const EncodingSpec& spec, const Parameters& parameters,
                std::string_view subject, const GateOptions& options);

// The same of a subject that this opens, given what it is expected to be.
using Opening = Function<Subject(const Expected&)>;
GateResult gate(std::string_view encoding_id, const EncodingSpec& spec, const Parameters& parameters,
                const Opening& opening, const GateOptions& options);

}  // namespace posproof
