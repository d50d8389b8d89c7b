#pragma once

// What a mutated source asks: is this mutant the one that runs? plant.py puts this file into the scratch
// copy; nothing of the project includes it.
#include <type_traits>

namespace posproof_mutants {

extern "C" int posproof_mutant_active;  // from POSPROOF_MUTANT, before anything else starts; 0 is none
extern "C" unsigned* posproof_mutants_reached;  // how often each was asked for; a file where
                                                // POSPROOF_MUTANTS_REACHED names one

[[gnu::always_inline]] inline bool active(int mutant) noexcept {
  ++posproof_mutants_reached[mutant];
  return mutant == posproof_mutant_active;
}

// In a function that the compiler may have to evaluate itself: what it evaluates is never mutated.
[[gnu::always_inline]] constexpr bool active_at_run_time(int mutant) noexcept {
  return !__builtin_is_constant_evaluated() && active(mutant);
}

}  // namespace posproof_mutants
