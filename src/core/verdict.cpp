#include "core/verdict.h"

#include <array>

namespace posproof {

void Holds::add(const Residual& held, const Case& at) {
  add(Holds{.cases = 1, .vacuous = held.vacuous() ? 1u : 0u, .worst = held, .worst_at = at});
}

void Holds::add(const Holds& more) {
  if (more.learned() && (!learned() || more.worst.error_over_bound() > worst.error_over_bound())) {
    worst = more.worst;
    worst_at = more.worst_at;
  }
  cases += more.cases;
  vacuous += more.vacuous;
}

std::string_view name(const Verdict& verdict) {
  static constexpr std::array<std::string_view, 5> names = {"holds", "refuted", "undecided", "errored",
                                                            "not applicable"};
  return names[verdict.index()];
}

}  // namespace posproof
