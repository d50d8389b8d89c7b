#pragma once

#include <string>
#include <string_view>

namespace posproof {

// The name of the microarchitecture of an x86-64 server processor, as its maker calls it, from what CPUID and
// /proc/cpuinfo say; `unknown` for one that is not in the table.
std::string microarchitecture(std::string_view vendor, int family, int model, int stepping);

}  // namespace posproof
