#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "core/case.h"
#include "core/place.h"
#include "core/residual.h"

namespace posproof {

struct Holds {
  std::uint64_t cases = 0;     // that were run
  std::uint64_t vacuous = 0;   // of these, could not have come out the other way
  Residual worst = {0, 0, 0};  // of the others, the one whose error was the largest share of its bound
  Case worst_at = {};

  bool learned() const { return cases > vacuous; }

  void add(const Residual& held, const Case& at);
  void add(const Holds& more);
};

struct Refuted {
  Case counterexample;  // shrunk
  Residual residual;
  std::uint64_t found_after;                 // cases
  std::uint64_t shrinks;                     // runs of the check while shrinking
  bool repeats = true;                       // false: flaky, the same case did not fail again
  std::vector<std::string> irrelevant = {};  // fields that do not matter: redrawn, it still fails
  // What the implementation did where it gave no answer (it raised an error, died, answered another shape or
  // format); the residual says nothing then. `instead` has the call, `failure` what stays the same from call
  // to call.
  std::string instead = {};
  std::string failure = {};
  // Where an answer to the counterexample is not the exact one. None where every answer is, within rounding,
  // and where it was not looked for.
  std::optional<Place> place = {};
};

// Nothing was learned, or not all that was asked for: 0 cases, gave up, cut short, only vacuous cases. Never
// a pass.
struct Undecided {
  std::string why;
  Holds held = {};           // what was seen to hold before it was cut short
  bool out_of_time = false;  // more time would have decided more
};

// The check could not be carried out: no answer came in time, or the exchange broke down.
struct Errored {
  std::string what;
  Case at;
};

struct NotApplicable {
  std::string why;
};

using Verdict = std::variant<Holds, Refuted, Undecided, Errored, NotApplicable>;

// `holds`, `refuted`, `undecided`, `errored`, `not applicable`.
std::string_view name(const Verdict& verdict);

}  // namespace posproof
