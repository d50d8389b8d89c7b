# Builds and runs the project in cmake/consumer, and looks at how it was compiled:
#
#   cmake -D WAY=find_package|add_subdirectory -D SOURCE=... -D BINARY=... -D SCRATCH=... -D GENERATOR=... -D COMPILER=...
#         -D FLAGS=... [-D CONFIGURE_ONLY=1] -P cmake/consumer_test.cmake
#
# `find_package` installs the build in BINARY to a scratch prefix first; `add_subdirectory` builds what posproof::core
# needs, and nothing else of ours.
cmake_minimum_required(VERSION 3.25)

function(run)
  execute_process(COMMAND ${ARGN} COMMAND_ECHO STDOUT COMMAND_ERROR_IS_FATAL ANY)
endfunction()

file(REMOVE_RECURSE ${SCRATCH})
if(WAY STREQUAL "find_package")
  run(${CMAKE_COMMAND} --install ${BINARY} --prefix ${SCRATCH}/prefix)
  set(where -D CMAKE_PREFIX_PATH=${SCRATCH}/prefix)
  # What man and the shells look for, where they look for it.
  foreach(file IN ITEMS man/man1/posproof.1 bash-completion/completions/posproof zsh/site-functions/_posproof
                        fish/vendor_completions.d/posproof.fish)
    file(READ ${SCRATCH}/prefix/share/${file} text)
    if(NOT text MATCHES "has_constant_norm|POSPROOF 1 ")
      message(FATAL_ERROR "${file} was installed without the words of posproof:\n${text}")
    endif()
  endforeach()
  set(programs searched replayed)
else()
  set(where -D POSPROOF_SOURCE=${SOURCE})
  set(programs replayed)
endif()
run(${CMAKE_COMMAND} -S ${SOURCE}/cmake/consumer -B ${SCRATCH}/build -G ${GENERATOR} -D CMAKE_CXX_COMPILER=${COMPILER}
    -D CMAKE_CXX_FLAGS=${FLAGS} -D CMAKE_BUILD_TYPE=Debug -D CMAKE_CXX_FLAGS_DEBUG=-O0 ${where})
if(NOT CONFIGURE_ONLY)
  run(${CMAKE_COMMAND} --build ${SCRATCH}/build --target ${programs} --parallel 2)
  foreach(program IN LISTS programs)
    run(${SCRATCH}/build/${program})
  endforeach()
endif()

# The consumer's own files are compiled with the consumer's flags: none of ours that warn or that change a number.
file(READ ${SCRATCH}/build/compile_commands.json commands)
string(JSON last LENGTH "${commands}")
math(EXPR last "${last} - 1")
set(seen 0)
foreach(n RANGE ${last})
  string(JSON file GET "${commands}" ${n} file)
  string(JSON command GET "${commands}" ${n} command)
  if(file MATCHES "/cmake/consumer/")
    math(EXPR seen "${seen} + 1")
    string(REPLACE "${FLAGS} " " " command " ${command}")
    if(command MATCHES " -W[a-z]| -ffp-contract| -m(arch|avx)")
      message(FATAL_ERROR "${file} is compiled with flags of ours: ${command}")
    endif()
  endif()
endforeach()
list(LENGTH programs expected)
if(NOT seen EQUAL expected)
  message(FATAL_ERROR "${seen} files of the consumer were compiled; ${expected} were expected")
endif()
