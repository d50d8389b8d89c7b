# One library a folder, which links to what its `LINKS` say and to nothing else:
#
#   posproof_folder(run FOLDER src/run LINKS search subject [EXTERNAL fmt::fmt] [INTERNAL utf8cpp] [SOURCES generated.cpp])
#
# makes `posproof_run`, known as `posproof::run`. `INTERNAL` libraries are those that no header of the folder includes:
# who links to it is compiled without them. `posproof_run_alone` links every object of it with those libraries and
# no others: it does not link where a folder uses one that stands above it. `LOOPS` says that its inner loops take the
# time of a run: it is optimised as far as the build type says. Of the others compiling is what takes time (an eighth
# of a build from nothing), and the release build has -O1 for them.
#
# A precompiled header of GCC brings its own options of optimisation along, whatever the source is compiled with. So there
# are two: of the first folder with `LOOPS` and of the first without.
function(posproof_folder name)
  cmake_parse_arguments(ARG "LOOPS" "FOLDER" "LINKS;EXTERNAL;INTERNAL;SOURCES" ${ARGN})
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/${ARG_FOLDER}/*.cpp)
  list(FILTER sources EXCLUDE REGEX "(_(test|search|long)|/testing/[^/]*)\\.cpp$")
  set(target posproof_${name})
  add_library(${target} STATIC ${sources} ${ARG_SOURCES})
  add_library(posproof::${name} ALIAS ${target})
  set_target_properties(${target} PROPERTIES EXPORT_NAME ${name})
  target_compile_features(${target} PUBLIC cxx_std_20)
  target_include_directories(${target} PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/src>
                             $<BUILD_INTERFACE:${PROJECT_BINARY_DIR}/generated>
                             $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}/posproof>)
  list(TRANSFORM ARG_LINKS PREPEND posproof_)
  target_link_libraries(${target} PUBLIC ${ARG_LINKS} ${ARG_EXTERNAL} PRIVATE ${ARG_INTERNAL})
  posproof_compiles(${target})
  if(ARG_LOOPS)
    posproof_precompiles(${target} loops)
  else()
    target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:-O1>)
    posproof_precompiles(${target} once)
  endif()
  set_property(GLOBAL APPEND PROPERTY posproof_folders ${target})
  if(PROJECT_IS_TOP_LEVEL)
    file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/generated/alone.cpp CONTENT "int main() {}\n")
    add_executable(${target}_alone ${PROJECT_BINARY_DIR}/generated/alone.cpp)
    target_link_libraries(${target}_alone PRIVATE -Wl,--whole-archive $<TARGET_FILE:${target}> -Wl,--no-whole-archive
                          ${ARG_LINKS} ${ARG_EXTERNAL} ${ARG_INTERNAL})
    add_dependencies(${target}_alone ${target})
  endif()
endfunction()

# Half of the time that a small file takes to compile is these. Headers of the project are not among them: each has to
# name what it needs, and -DCMAKE_DISABLE_PRECOMPILE_HEADERS=ON shows whether it does. The first target of a `group` compiles
# them, and the others have the same options.
function(posproof_precompiles target group)
  get_property(first GLOBAL PROPERTY posproof_precompiled_${group})
  if(first)
    # Of the libraries that it links to: where one is not defined, GCC reads all headers anew.
    target_compile_definitions(${target} PRIVATE $<TARGET_PROPERTY:${first},COMPILE_DEFINITIONS>)
    target_precompile_headers(${target} REUSE_FROM ${first})
    return()
  endif()
  set_property(GLOBAL PROPERTY posproof_precompiled_${group} ${target})
  target_precompile_headers(${target} PRIVATE <algorithm> <functional> <map> <span> <string> <variant> <vector>
                            <fmt/format.h> <fmt/ranges.h>)
endfunction()

# How everything of ours is compiled. A printed digit must not depend on the machine: no contraction, no -march, no
# -ffast-math. Who uses the libraries keeps their own flags. GCC collects its own garbage later than it would: a tenth
# of the time that a large file takes.
function(posproof_compiles target)
  target_compile_options(${target} PRIVATE -Wall -Wextra -Wshadow -Wconversion -ffp-contract=off
                         $<$<BOOL:${POSPROOF_WERROR}>:-Werror>
                         $<$<CXX_COMPILER_ID:GNU>:--param=ggc-min-heapsize=1000000>
                         # `for (const std::size_t n : {0, 1})`: of constants GCC knows that they are not below 0
                         $<$<CXX_COMPILER_ID:Clang>:-Wno-sign-conversion>)
  set_target_properties(${target} PROPERTIES CXX_EXTENSIONS OFF)
  posproof_unity(${target})
endfunction()
