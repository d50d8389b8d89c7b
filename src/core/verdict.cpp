#include "core/verdict.h"

#include <array>

namespace posproof {

std::string_view name(const Verdict& verdict) {
  static constexpr std::array<std::string_view, 5> names = {"holds", "refuted", "undecided", "errored",
                                                            "not applicable"};
  return names[verdict.index()];
}

}  // namespace posproof
