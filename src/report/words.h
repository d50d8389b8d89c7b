#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/defect.h"
#include "core/experiment.h"
#include "core/identity.h"
#include "core/property.h"
#include "core/spec.h"
#include "gate/gate.h"
#include "run/matrix.h"

// What a person reads on a terminal. Every function gives whole lines; nothing is printed here.
namespace posproof::report {

// A word by what it means: green for holds, red for refuted, yellow for the rest. Plain where colour is off.
struct Style {
  bool colour = false;
  std::string paint(std::string_view word) const;
};

// `HOLDS    score/depends_on_offset    300 cases, 20 of them vacuous, error at most 31 % of the bound`, and
// the whole story where it does not: statement, error, bound, counterexample, what does not matter, how to
// see it again. An empty subject is left out.
std::string verdict(std::string_view subject, std::string_view id, const Property& property,
                    const Verdict& verdict, const Precision& precision, std::string_view again,
                    const Style& style);

// What a reader of a gate asked for.
struct Wanted {
  bool in_full = false;  // properties whose refutation follows from another's are printed like the others
  std::string reproduced = {};  // the file that a script was written to; empty: none
};

// The verdict in one line, then what explains it, what was refuted, the rest, and what was measured.
std::string gated(const GateResult& gated, const Style& style, const Wanted& wanted = {});

// What is said of a property as soon as it is known: `HOLDS      score/x`.
std::string ended(const PropertyResult& result, const Style& style);

// The line that names a script for an issue: the file, or the option that writes one.
std::string reproduced(std::string_view file);

// The command that asks a property again, to which `--case` is added: of a subject, or without one of our own
// encoding; with `--positions` where those were said.
std::string again(std::string_view property, std::string_view encoding, const Parameters& parameters,
                  const Subject* subject,
                  const std::optional<std::pair<Position, Position>>& positions = std::nullopt);

// What stands below the verdict on a property that our own encoding claims to fail: whether its witness does,
// and why. The search may have missed it.
std::string claimed_to_fail(const Claim& claim, const ClaimResult& witness, const Verdict& searched);

// One line a cell that is not as claimed, then the matrix: encodings across, properties down, in blocks that
// are no wider than `width` where that is not 0; what the words in it mean; what follows from which declared
// fact; and how many cells are how.
std::string matrix(const std::vector<Cell>& cells, const Style& style, std::size_t width = 0);

std::string explain(std::string_view id, const Property& property);
std::string explain(std::string_view id, const EncodingSpec& spec);
std::string explain(std::string_view id, const Defect& defect);
std::string explain(std::string_view id, const Experiment& experiment);
std::string explain(std::string_view id, const Identity& identity);

// `  contained: no network, ...`, `  not contained: ...`, a line each; nothing without a sandbox.
std::string contained(const Containment& containment);

// The parameters as options of the command line, those that are standard left out: ` --dim 128`.
std::string options(const EncodingSpec& spec, const Parameters& parameters);

// The text in single quotes as a shell reads it back; as $'...', which bash and zsh read back, where a
// terminal would take it for more than text.
std::string as_shell_word(std::string_view words);

}  // namespace posproof::report
