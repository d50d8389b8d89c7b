// What the benchmarks run on, for the head of the report.
#include <benchmark/benchmark.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gnu/libc-version.h>
#include <mpfr.h>

#include <fstream>
#include <string>
#include <vector>

#include "benchmarks/microarchitecture.h"
#include "exact/phasor_tables.h"

namespace posproof::exact {
namespace {

// The value of the first line that begins with `key`, as /proc/cpuinfo writes it; `unknown` where there is
// none.
std::string line_of(const char* path, const std::string& key) {
  std::ifstream in(path);
  for (std::string line; std::getline(in, line);)
    if (line.rfind(key, 0) == 0) {
      const auto colon = line.find(": ");
      return key.empty() ? line : colon == std::string::npos ? "unknown" : line.substr(colon + 2);
    }
  return "unknown";
}

int number(const std::string& text) {
  return text.empty() || text.find_first_not_of("0123456789") != std::string::npos ? -1 : std::stoi(text);
}

const bool told = [] {
  const auto tell = [](const char* key, const std::string& value) {
    benchmark::AddCustomContext(key, value);
  };
  tell("processor", line_of("/proc/cpuinfo", "model name"));
  const std::string vendor = line_of("/proc/cpuinfo", "vendor_id"),
                    family = line_of("/proc/cpuinfo", "cpu family"),
                    model = line_of("/proc/cpuinfo", "model\t"),
                    stepping = line_of("/proc/cpuinfo", "stepping");
  tell("processor_family",
       fmt::format("{}, family {}, model {}, stepping {}", vendor, family, model, stepping));
  tell("microarchitecture", microarchitecture(vendor, number(family), number(model), number(stepping)));
  tell("hypervisor",
       line_of("/proc/cpuinfo", "flags").find(" hypervisor") == std::string::npos ? "no" : "yes");
  tell("governor", line_of("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", ""));
  tell("huge_pages", line_of("/sys/kernel/mm/transparent_hugepage/enabled", ""));
  std::vector<std::string> kernels;
  for (const Kernel* kernel : kernels_here()) kernels.emplace_back(kernel->name);
  tell("kernels", fmt::format("{}", fmt::join(kernels, " ")));
  tell("best_kernel", best_kernel().name);
#if defined(__clang__)
  tell("compiler", "clang++ " __clang_version__);
#else
  tell("compiler", "g++ " __VERSION__);
#endif
  tell("glibc", gnu_get_libc_version());
  tell("mpfr", mpfr_get_version());
  return true;
}();

}  // namespace
}  // namespace posproof::exact
