#pragma once

#include <cstddef>

// Eigen's product of matrices, a [n, d] times b [d, m] to c [n, m], row-major doubles, compiled for one
// instruction set each: what the processor can do in matrix products.
namespace posproof::attention {

using Gemm = void (*)(const double* a, const double* b, double* c, std::size_t n, std::size_t d,
                      std::size_t m);

void gemm_plain(const double* a, const double* b, double* c, std::size_t n, std::size_t d, std::size_t m);
#if defined(__x86_64__)
void gemm_v3(const double* a, const double* b, double* c, std::size_t n, std::size_t d, std::size_t m);
void gemm_v4(const double* a, const double* b, double* c, std::size_t n, std::size_t d, std::size_t m);
#endif

}  // namespace posproof::attention
