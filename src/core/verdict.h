#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "core/case.h"
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
};

// Nothing was learned: 0 cases, gave up, out of time, only vacuous cases. Never a pass.
struct Undecided {
  std::string why;
};

// The check could not be carried out: the subject died, hung, or answered another shape.
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
