#include "command/exit_code.h"

#include "command/command.h"

namespace posproof::command {

int exit_of(const Verdict& verdict) {
  if (std::holds_alternative<Refuted>(verdict)) return broken;
  return std::holds_alternative<Holds>(verdict) ? as_claimed : not_checked;
}

int exit_of(const GateResult& gated) {
  if (gated.refuted()) return broken;
  return gated.undecided() || gated.results.empty() ? not_checked : as_claimed;
}

int exit_of(const Accuracy& found) {
  if (found.beyond || found.failed) return broken;
  const bool all = found.rows > 0 && !found.errored && found.stopped.empty() && found.declined == 0;
  return all ? as_claimed : not_checked;
}

int exit_of(const Identified& found) {
  return found.hold.empty() ? not_checked : as_claimed;
}

int exit_of(const std::vector<Cell>& cells) {
  if (any(cells, ClaimStatus::broken) || any(cells, ClaimStatus::stale)) return broken;
  return cells.empty() || any(cells, ClaimStatus::not_checked) ? not_checked : as_claimed;
}

int exit_of(const ClaimResult& witness) {
  return witness.status == ClaimStatus::as_claimed ? as_claimed : broken;
}

}  // namespace posproof::command
