// Eigen's product without flags for the machine.
#define GEMM gemm_plain
#include "benchmarks/gemm_of_benchmark.h"
