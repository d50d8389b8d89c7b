# The program, and one that is built when asked for.
find_package(CLI11 REQUIRED)
posproof_folder(command FOLDER src/command LINKS report INTERNAL CLI11::CLI11)
add_executable(posproof src/main.cpp)
target_link_libraries(posproof PRIVATE posproof_command)
foreach(target IN ITEMS posproof posproof_command)
  target_compile_definitions(${target} PRIVATE POSPROOF_VERSION="${PROJECT_VERSION}")
endforeach()
posproof_compiles(posproof)

# It takes minutes and prints a file of src/oracle/cases: CONTRIBUTING.md
add_executable(posproof_hard_cases EXCLUDE_FROM_ALL src/oracle/hard_search.cpp)
target_link_libraries(posproof_hard_cases PRIVATE posproof_run)
posproof_compiles(posproof_hard_cases)
