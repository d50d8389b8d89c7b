# One test of ctest for up to 40 tests of a suite of GoogleTest: starting a process takes longer than most tests.
#
#   posproof_discover_suites(posproof_tests FILTER *-Slow.*:reports.*)
#
# asks the program which tests it has each time it is built. Their names stand in the words of the command, so that who reads
# `ctest --show-only=json-v1` knows them. A test of ctest is skipped where one of its tests was, and says which.
function(posproof_discover_suites target)
  cmake_parse_arguments(ARG "" "FILTER" "" ${ARGN})
  set(list ${CMAKE_CURRENT_BINARY_DIR}/${target}_suites.cmake)
  add_custom_command(TARGET ${target} POST_BUILD VERBATIM BYPRODUCTS ${list}
                     COMMAND ${CMAKE_COMMAND} -D PROGRAM=$<TARGET_FILE:${target}> -D FILTER=${ARG_FILTER} -D LIST=${list}
                             -P ${CMAKE_CURRENT_FUNCTION_LIST_FILE})
  set(include ${CMAKE_CURRENT_BINARY_DIR}/${target}_suites_include.cmake)
  file(WRITE ${include} "if(EXISTS \"${list}\")\n  include(\"${list}\")\nelse()\n"
                        "  add_test(${target}_NOT_BUILT ${target}_NOT_BUILT)\nendif()\n")
  set_property(DIRECTORY APPEND PROPERTY TEST_INCLUDE_FILES ${include})
endfunction()

if(NOT CMAKE_SCRIPT_MODE_FILE)
  return()
endif()

# Writes those of `suite` in `tests`, whose full names are separated by `:`.
function(posproof_write_suite suite number tests)
  set(name ${suite})
  if(number GREATER 1)
    string(APPEND name ".${number}")
  endif()
  file(APPEND ${LIST}.new "add_test([=[${name}]=] [=[${PROGRAM}]=] [=[--gtest_filter=${tests}]=])\n"
                          "set_tests_properties([=[${name}]=] PROPERTIES SKIP_RETURN_CODE 77)\n")
endfunction()

execute_process(COMMAND ${PROGRAM} --gtest_list_tests --gtest_filter=${FILTER} OUTPUT_VARIABLE listed
                COMMAND_ERROR_IS_FATAL ANY)
string(REGEX REPLACE "  # [^\n]*" "" listed "${listed}")  # what a parameter is
string(REGEX MATCHALL "[^\n]+" lines "${listed}")
file(WRITE ${LIST}.new "")
set(suite)
set(tests)
foreach(line IN LISTS lines ITEMS "end.")
  string(REGEX MATCH "^ +(.*)$" is_test "${line}")
  list(LENGTH tests count)
  if(tests AND (NOT is_test OR count EQUAL 40))
    math(EXPR number "${number} + 1")
    list(JOIN tests : joined)
    posproof_write_suite(${suite} ${number} "${joined}")
    set(tests)
  endif()
  if(is_test)
    list(APPEND tests ${suite}.${CMAKE_MATCH_1})
  else()
    string(REGEX REPLACE "[.]$" "" suite "${line}")
    set(number 0)
  endif()
endforeach()
file(RENAME ${LIST}.new ${LIST})
