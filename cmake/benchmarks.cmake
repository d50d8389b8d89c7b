# What is timed, and what writes the performance report: `./run performance` builds and runs both. Nothing of it ships.
file(GLOB report_sources CONFIGURE_DEPENDS benchmarks/performance*.cpp benchmarks/measured.cpp
     benchmarks/words_of_numbers.cpp benchmarks/errors_in_ulp.cpp benchmarks/microarchitecture.cpp)
list(FILTER report_sources EXCLUDE REGEX "_(test|main)\\.cpp$")
add_library(posproof_performance_report STATIC EXCLUDE_FROM_ALL ${report_sources})
target_include_directories(posproof_performance_report PUBLIC ${PROJECT_SOURCE_DIR})
target_link_libraries(posproof_performance_report PUBLIC posproof_command PRIVATE nlohmann_json::nlohmann_json)
posproof_compiles(posproof_performance_report)
posproof_precompiles(posproof_performance_report loops)
add_executable(posproof_performance EXCLUDE_FROM_ALL benchmarks/performance_main.cpp)
target_link_libraries(posproof_performance PRIVATE posproof_performance_report)
posproof_compiles(posproof_performance)

find_package(benchmark QUIET)
if(NOT benchmark_FOUND)
  return()
endif()
file(GLOB benchmarks CONFIGURE_DEPENDS benchmarks/*_benchmark.cpp)
add_executable(posproof_benchmarks EXCLUDE_FROM_ALL ${benchmarks} benchmarks/errors_in_ulp.cpp
               benchmarks/microarchitecture.cpp)
target_include_directories(posproof_benchmarks PRIVATE ${PROJECT_SOURCE_DIR})
target_link_libraries(posproof_benchmarks PRIVATE posproof_gate benchmark::benchmark ${CMAKE_DL_LIBS})
posproof_compiles(posproof_benchmarks)
if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
  foreach(isa IN ITEMS v3 v4)  # the yardstick of matrix products only; it shares no code with the project
    set_source_files_properties(benchmarks/gemm_${isa}_benchmark.cpp PROPERTIES
                                COMPILE_OPTIONS "-march=x86-64-${isa};-Wno-maybe-uninitialized")  # GCC bug 105593
  endforeach()
endif()
