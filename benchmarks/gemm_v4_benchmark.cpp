// Eigen's product for x86-64-v4.
#if defined(__x86_64__)
#define Eigen Eigen_v4
#define GEMM gemm_v4
#include "benchmarks/gemm_of_benchmark.h"
#endif
