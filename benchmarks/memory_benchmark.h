#pragma once

#include <cstddef>

namespace posproof::exact {

// The memory of all benchmarks: touched, aligned to 2 MiB, in huge pages where the system gives them (numpy
// asks for them too). The limits are measured on the same bytes as what is held against them.
constexpr std::size_t benchmark_bytes = std::size_t{1} << 29;  // 1048576 x 128 in f32
char* benchmark_memory();

}  // namespace posproof::exact
