// Eigen's product for x86-64-v3.
#if defined(__x86_64__)
#define Eigen Eigen_v3
#define GEMM gemm_v3
#include "benchmarks/gemm_of_benchmark.h"
#endif
