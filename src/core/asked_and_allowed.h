#pragma once

#include <fmt/format.h>

#include <string>
#include <string_view>

namespace posproof {

// How a refusal reads: what was asked, in backquotes, and what would be taken.
//   `dim=0`; allowed: whole numbers from 1 to 1048576
inline std::string asked_and_allowed(std::string_view asked, std::string_view allowed) {
  return fmt::format("{}; allowed: {}", asked, allowed);
}

}  // namespace posproof
