# Without GoogleTest there are no tests, and everything else is built.
find_package(GTest QUIET)
if(NOT GTest_FOUND)
  message(STATUS "No GoogleTest: the tests are left out")
  return()
endif()
enable_testing()
include(GoogleTest)
include(cmake/python.cmake)
include(cmake/suites.cmake)
if(POSPROOF_PYTHON_HAS_TORCH)
  set(torch 1)
else()
  set(torch 0)
endif()
configure_file(cmake/test_paths.h.in generated/test_paths.h @ONLY)

# Tests run once: compiling is what takes time. Of clang's -O0 that is a third of GCC's -Og, which takes a fifth longer than
# GCC's -O0 and makes half of the code, which a process for each suite feels.
find_program(POSPROOF_CLANG clang++)
function(posproof_compiles_tests target)
  posproof_compiles(${target})
  if(CMAKE_CXX_COMPILER_ID STREQUAL GNU AND CMAKE_BUILD_TYPE STREQUAL Release AND POSPROOF_CLANG)
    set_target_properties(${target} PROPERTIES CXX_COMPILER_LAUNCHER
                          "${PROJECT_SOURCE_DIR}/cmake/by_clang.sh;${POSPROOF_CLANG}")
    target_compile_options(${target} PRIVATE -O0 -Wno-sign-conversion -Wno-missing-braces)
  else()
    target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:-Og>)
  endif()
endfunction()

file(GLOB_RECURSE unit_tests CONFIGURE_DEPENDS src/*_test.cpp properties/*_test.cpp)
add_executable(posproof_tests ${unit_tests} src/testing/function_tests.cpp src/testing/generators.cpp
               src/testing/holds_for.cpp src/exact/testing/boost_numbers.cpp)
target_link_libraries(posproof_tests PRIVATE posproof_command nlohmann_json::nlohmann_json pugixml::pugixml ZLIB::ZLIB
                      GTest::gtest)
set(POSPROOF_UNITY_USUAL 90)  # twice 45 take 122 s where 90 take 81 s: what a unit reads and instantiates is read once
posproof_compiles_tests(posproof_tests)
# ... but for the numbers of a second derivation, of thousands of bits.
set_source_files_properties(src/exact/testing/boost_numbers.cpp PROPERTIES COMPILE_OPTIONS $<$<CONFIG:Release>:-O2>
                            SKIP_PRECOMPILE_HEADERS ON)  # GCC 12 does not survive a header that was compiled for -Og
# Of an inline function the linker keeps the first that it meets. So that this is not the one of the tests, which is not
# optimised, the libraries stand before them, whole: reports.encoding_by_property takes 23 s then, and 31 s without.
get_property(folders GLOBAL PROPERTY posproof_folders)
list(TRANSFORM folders REPLACE "(.+)" "$<TARGET_FILE:\\1>" OUTPUT_VARIABLE archives)
target_link_options(posproof_tests PRIVATE -Wl,--whole-archive ${archives} -Wl,--no-whole-archive)
# Those of the experiments stand apart: GCC does not compile Eigen's prefetch unoptimised with a precompiled header.
file(GLOB experiment_tests CONFIGURE_DEPENDS experiments/*_test.cpp)
add_library(posproof_experiment_tests OBJECT ${experiment_tests})
target_link_libraries(posproof_experiment_tests PRIVATE posproof_command nlohmann_json::nlohmann_json GTest::gtest)
target_include_directories(posproof_experiment_tests PRIVATE ${PROJECT_SOURCE_DIR})  # experiments/encoding_page.h
posproof_compiles_tests(posproof_experiment_tests)
target_link_libraries(posproof_tests PRIVATE posproof_experiment_tests)
target_precompile_headers(posproof_tests PRIVATE <functional> <string> <vector> <fmt/format.h> <gtest/gtest.h>
                          [["testing/function_tests.h"]])
# What the tests of the program ask, beside programs in Python.
add_executable(posproof_test_subject src/command/testing/subject.cpp)
target_link_libraries(posproof_test_subject PRIVATE posproof_run)
posproof_compiles(posproof_test_subject)
# What its tests of `lib:` load.
add_library(posproof_test_library MODULE src/subject/testing/library.cpp)
target_include_directories(posproof_test_library PRIVATE ${PROJECT_SOURCE_DIR}/src)
target_compile_features(posproof_test_library PRIVATE cxx_std_20)
add_dependencies(posproof_tests posproof posproof_test_subject posproof_test_library)
# `./run test` leaves out those that have the label `slow` or `long`, so that CI ends within its 8 minutes, and `./run test
# fast` those of the label `pages`, too, which write a report again. `./run test whole` leaves out `long` ones alone: those
# that take ten seconds and more, most of PyTorch, and those that gate other projects' code in many settings.
set(long reports.defects:reports.encodings:PublicModels.*:DiagnosisOfDefects.of_rope_tells_all_apart_that_differ:Modules.*)
string(APPEND long :Gate.shrinks_and_names_the_variants_of_torch_rope:PythonSubject.torch_functions_*:Examples.torch_rope)
string(APPEND long :ScaledRopes.*:Grids.*:InsideAttention.*:ForeignBiases.*:RealFunctions.*:ResizedTables.*:IdentifyLiveInFull.*)
string(APPEND long :TermDeviationsInFull.*:OperatorDeviationsInFull.*:OperatorRulesInFull.*:OtherSettings.explain_*)
# Pages that take two seconds of processor time and more are `slow`: what the matrix says of a claim is what the test of
# that claim found. The longest starts first: at the end it would run alone.
set(slow_pages reports.encoding_by_property:reports.every_position_is_its_own:reports.first_collision_by_format)
string(APPEND slow_pages :reports.positions_through_depth:reports.tables_computed_in_f32)
string(APPEND slow_pages :reports.attention_without_encodings:reports.directions_of_position)
string(APPEND slow_pages :reports.adding_position_to_a_token:reports.looking_k_tokens_back)
gtest_discover_tests(posproof_tests DISCOVERY_TIMEOUT 60 TEST_FILTER ${slow_pages} TEST_LIST slow_pages_tests
                     PROPERTIES SKIP_RETURN_CODE 77 LABELS slow COST 1000)
gtest_discover_tests(posproof_tests DISCOVERY_TIMEOUT 60 TEST_FILTER reports.*-${long}:${slow_pages} TEST_LIST pages_tests
                     PROPERTIES SKIP_RETURN_CODE 77 LABELS pages COST 500)
file(STRINGS cmake/slow_tests.txt slow REGEX "^[^#]")
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS cmake/slow_tests.txt)
list(JOIN slow : slow)
gtest_discover_tests(posproof_tests DISCOVERY_TIMEOUT 60 TEST_FILTER ${slow}-${long} TEST_LIST slow_tests
                     PROPERTIES SKIP_RETURN_CODE 77 LABELS slow COST 100)
posproof_discover_suites(posproof_tests FILTER *-${slow}:${long}:reports.*)
gtest_discover_tests(posproof_tests DISCOVERY_TIMEOUT 60 TEST_FILTER ${long} TEST_LIST long_tests
                     PROPERTIES SKIP_RETURN_CODE 77 LABELS long)

# The tests of what writes the performance report; compiling both takes as long as four in a hundred of all others.
file(GLOB performance_tests CONFIGURE_DEPENDS benchmarks/*_test.cpp)
add_executable(posproof_performance_tests ${performance_tests})
target_link_libraries(posproof_performance_tests PRIVATE posproof_performance_report GTest::gtest_main)
posproof_compiles_tests(posproof_performance_tests)
gtest_discover_tests(posproof_performance_tests DISCOVERY_TIMEOUT 60 PROPERTIES SKIP_RETURN_CODE 77 LABELS slow)

# What `./run test` builds: without these tests, and without the harnesses of fuzz/, which are slow, too.
add_custom_target(posproof_tested DEPENDS posproof posproof_tests)

# An arrow that runs up does not link: cmake/folder.cmake
get_property(folders GLOBAL PROPERTY posproof_folders)
foreach(folder IN LISTS folders)
  string(REPLACE posproof_ "" name ${folder})
  add_test(NAME links_alone.${name} COMMAND ${folder}_alone)
  add_dependencies(posproof_tested ${folder}_alone)
endforeach()

# The libraries in a project of somebody else's: cmake/consumer. Building them there once more has the label `long`.
function(posproof_consumer name way configure_only)
  add_test(NAME consumer.${name}
           COMMAND ${CMAKE_COMMAND} -D WAY=${way} -D SOURCE=${PROJECT_SOURCE_DIR} -D BINARY=${PROJECT_BINARY_DIR}
                   -D SCRATCH=${PROJECT_BINARY_DIR}/consumer/${name} -D GENERATOR=${CMAKE_GENERATOR}
                   -D COMPILER=${CMAKE_CXX_COMPILER} -D FLAGS=${CMAKE_CXX_FLAGS} -D CONFIGURE_ONLY=${configure_only}
                   -P ${PROJECT_SOURCE_DIR}/cmake/consumer_test.cmake)
endfunction()
posproof_consumer(find_package find_package OFF)
posproof_consumer(add_subdirectory add_subdirectory ON)
posproof_consumer(add_subdirectory_builds add_subdirectory OFF)
set_tests_properties(consumer.find_package consumer.add_subdirectory PROPERTIES LABELS slow)
set_tests_properties(consumer.add_subdirectory_builds PROPERTIES LABELS long TIMEOUT 600)

# What takes minutes has the label `long`, and is built and run when asked for: cmake --build --preset release --target
# posproof_long_tests && ctest --preset long
file(GLOB_RECURSE long_tests CONFIGURE_DEPENDS src/*_long.cpp)
add_executable(posproof_long_tests EXCLUDE_FROM_ALL ${long_tests})
add_dependencies(posproof_long_tests posproof)
target_link_libraries(posproof_long_tests PRIVATE posproof_gate GTest::gtest_main)
posproof_compiles(posproof_long_tests)
add_dependencies(posproof_long_tests posproof posproof_test_subject)
add_test(NAME long COMMAND posproof_long_tests)
set_tests_properties(long PROPERTIES LABELS long TIMEOUT 7200)

add_test(NAME catalogue.refuses_wrong_names
         COMMAND ${CMAKE_COMMAND} -DFOLDER=${PROJECT_BINARY_DIR}/catalogue_test -DGENERATOR=${CMAKE_GENERATOR}
                 -P ${PROJECT_SOURCE_DIR}/cmake/catalogue_test.cmake)

# reports/html in headless Chromium, where that, its driver and selenium are installed: ./run browser. Debian's selenium is
# seen by its own python3 alone.
find_program(python_of_debian python3 PATHS /usr/bin NO_DEFAULT_PATH)
if(python_of_debian)
  add_test(NAME site.in_a_browser
           COMMAND ${python_of_debian} ${PROJECT_SOURCE_DIR}/src/report/testing/browser.py $<TARGET_FILE:posproof>
                   --scratch ${PROJECT_BINARY_DIR}/site --axe ${PROJECT_SOURCE_DIR}/build/axe/node_modules/axe-core/axe.min.js)
  set_tests_properties(site.in_a_browser PROPERTIES LABELS long TIMEOUT 900 SKIP_RETURN_CODE 77
                       ENVIRONMENT PYTHONDONTWRITEBYTECODE=1)
endif()

# The tools that say how sharp the tests are: ./run mutants and ./run coverage.
find_package(Python3 COMPONENTS Interpreter QUIET)
if(Python3_Interpreter_FOUND)
  add_test(NAME mutants.every_site_of_a_small_source
           COMMAND ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/src/testing/mutants/mutants_test.py)
  add_test(NAME coverage.is_counted_right COMMAND ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/src/testing/coverage_test.py)
  set_tests_properties(mutants.every_site_of_a_small_source coverage.is_counted_right PROPERTIES SKIP_RETURN_CODE 77
                       LABELS slow ENVIRONMENT PYTHONDONTWRITEBYTECODE=1)
  add_test(NAME mutants.are_noticed
           COMMAND ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/src/testing/mutants/mutants.py 50 --at-least 95
                   --scratch ${PROJECT_BINARY_DIR}/mutants)
  set_tests_properties(mutants.are_noticed PROPERTIES LABELS long TIMEOUT 7200 SKIP_RETURN_CODE 77
                       ENVIRONMENT PYTHONDONTWRITEBYTECODE=1)
endif()
