#include "benchmarks/microarchitecture.h"

#include <algorithm>
#include <iterator>

namespace posproof {
namespace {

// Server processors by CPUID; Intel's model 85 is three of them, told apart by stepping.
struct Known {
  std::string_view vendor;
  int family, model, first_stepping, last_stepping;
  std::string_view name;
};
constexpr int any = 15;  // the last stepping that there is
constexpr Known all[] = {
    {"GenuineIntel", 6, 63, 0, any, "Haswell"},
    {"GenuineIntel", 6, 79, 0, any, "Broadwell"},
    {"GenuineIntel", 6, 85, 0, 4, "Skylake"},
    {"GenuineIntel", 6, 85, 5, 7, "Cascade Lake"},
    {"GenuineIntel", 6, 85, 10, 11, "Cooper Lake"},
    {"GenuineIntel", 6, 106, 0, any, "Ice Lake"},
    {"GenuineIntel", 6, 143, 0, any, "Sapphire Rapids"},
    {"GenuineIntel", 6, 207, 0, any, "Emerald Rapids"},
    {"GenuineIntel", 6, 173, 0, any, "Granite Rapids"},
    {"AuthenticAMD", 23, 1, 0, any, "Zen"},
    {"AuthenticAMD", 23, 49, 0, any, "Zen 2"},
    {"AuthenticAMD", 25, 1, 0, any, "Zen 3"},
    {"AuthenticAMD", 25, 17, 0, any, "Zen 4"},
    {"AuthenticAMD", 25, 160, 0, any, "Zen 4c"},
    {"AuthenticAMD", 26, 2, 0, any, "Zen 5"},
    {"AuthenticAMD", 26, 17, 0, any, "Zen 5c"},
};

}  // namespace

std::string microarchitecture(std::string_view vendor, int family, int model, int stepping) {
  const auto found = std::ranges::find_if(all, [&](const Known& one) {
    return one.vendor == vendor && one.family == family && one.model == model &&
           one.first_stepping <= stepping && stepping <= one.last_stepping;
  });
  return found == std::end(all) ? "unknown" : std::string(found->name);
}

}  // namespace posproof
