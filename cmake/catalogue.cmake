# The tree is the catalogue. A file `properties/score/depends_on_offset.cpp` defines
# `posproof::properties::score::depends_on_offset`, of type Property, under the id `score/depends_on_offset`; this
# writes the header that declares every such name and the list of all of them. A file that defines another name
# than its path does not compile or does not link.
#
#   posproof_catalogue(NAME properties FOLDER properties TYPE Property HEADER core/property.h)
#
# writes catalogue/properties.h with
#   namespace posproof::properties::score { extern const Property depends_on_offset; }
#   namespace posproof::catalogue { std::span<const Entry<Property>> properties(); }
# and sets <NAME>_SOURCES in the caller: the list that was written.
function(posproof_catalogue)
  cmake_parse_arguments(ARG "" "NAME;FOLDER;TYPE;HEADER" "" ${ARGN})
  file(GLOB_RECURSE files CONFIGURE_DEPENDS RELATIVE ${PROJECT_SOURCE_DIR}/${ARG_FOLDER}
       ${PROJECT_SOURCE_DIR}/${ARG_FOLDER}/*.cpp)
  list(FILTER files EXCLUDE REGEX "_test\\.cpp$")
  list(SORT files)

  set(declarations "")
  set(entries "")
  foreach(file IN LISTS files)
    string(REGEX REPLACE "\\.cpp$" "" id ${file})
    if(NOT id MATCHES "^[a-z][a-z0-9_]*(/[a-z][a-z0-9_]*)*$")
      message(FATAL_ERROR "${ARG_FOLDER}/${file}: a file here names a ${ARG_TYPE}, in lower case with underscores")
    endif()
    string(REPLACE "/" "::" name ${id})
    get_filename_component(folder ${id} DIRECTORY)
    get_filename_component(last ${id} NAME)
    string(REPLACE "/" "::" space "posproof/${ARG_NAME}/${folder}")
    string(REGEX REPLACE "::$" "" space ${space})
    string(APPEND declarations "namespace ${space} {\nextern const ${ARG_TYPE} ${last};\n}\n")
    string(APPEND entries "    {\"${id}\", &${ARG_NAME}::${name}},\n")
  endforeach()

  set(made ${PROJECT_BINARY_DIR}/generated/catalogue)
  set(declared "// Written by cmake/catalogue.cmake from the files in ${ARG_FOLDER}/.\n#pragma once\n\n#include <span>\n
#include \"${ARG_HEADER}\"\n#include \"core/catalogue.h\"\n\n${declarations}\nnamespace posproof::catalogue {
std::span<const Entry<${ARG_TYPE}>> ${ARG_NAME}();\n}\n")
  list(LENGTH files number)
  set(listed "// Written by cmake/catalogue.cmake from the files in ${ARG_FOLDER}/.\n#include \"catalogue/${ARG_NAME}.h\"\n
#include <array>\n\nnamespace posproof::catalogue {
std::span<const Entry<${ARG_TYPE}>> ${ARG_NAME}() {
  static constexpr std::array<Entry<${ARG_TYPE}>, ${number}> all = {{\n${entries}  }};\n  return all;\n}\n}\n")
  file(CONFIGURE OUTPUT ${made}/${ARG_NAME}.h CONTENT "${declared}" @ONLY)
  file(CONFIGURE OUTPUT ${made}/${ARG_NAME}.cpp CONTENT "${listed}" @ONLY)
  set(${ARG_NAME}_SOURCES ${made}/${ARG_NAME}.cpp PARENT_SCOPE)
endfunction()

# The contents of the `.cases` files of a folder, to be had at run time without a path of the source tree:
#
#   posproof_cases(NAME hard_cases FOLDER src/oracle/cases)
#
# writes catalogue/hard_cases.h with
#   namespace posproof::catalogue { std::span<const Entry<char>> hard_cases(); }
# whose values are the files, ended by a 0, under their names without `.cases`; and sets <NAME>_SOURCES in the caller.
function(posproof_cases)
  cmake_parse_arguments(ARG "" "NAME;FOLDER" "" ${ARGN})
  file(GLOB files CONFIGURE_DEPENDS RELATIVE ${PROJECT_SOURCE_DIR}/${ARG_FOLDER}
       ${PROJECT_SOURCE_DIR}/${ARG_FOLDER}/*.cases)
  list(SORT files)
  set(contents "")
  set(entries "")
  foreach(file IN LISTS files)
    if(NOT file MATCHES "^[a-z][a-z0-9_]*\\.cases$")
      message(FATAL_ERROR "${ARG_FOLDER}/${file}: a file of cases is named in lower case with underscores")
    endif()
    string(REGEX REPLACE "\\.cases$" "" id ${file})
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/${ARG_FOLDER}/${file})
    file(READ ${PROJECT_SOURCE_DIR}/${ARG_FOLDER}/${file} content)
    string(APPEND contents "constexpr char ${id}[] = R\"cases(${content})cases\";\n")
    string(APPEND entries "    {\"${id}\", ${id}},\n")
  endforeach()

  set(made ${PROJECT_BINARY_DIR}/generated/catalogue)
  set(written "// Written by cmake/catalogue.cmake from the files in ${ARG_FOLDER}/.\n")
  set(declared "${written}#pragma once\n\n#include <span>\n\n#include \"core/catalogue.h\"\n
namespace posproof::catalogue {\nstd::span<const Entry<char>> ${ARG_NAME}();\n}\n")
  list(LENGTH files number)
  set(listed "${written}#include \"catalogue/${ARG_NAME}.h\"\n\n#include <array>\n
namespace posproof::catalogue {\nnamespace {\n${contents}}  // namespace\n
std::span<const Entry<char>> ${ARG_NAME}() {
  static constexpr std::array<Entry<char>, ${number}> all = {{\n${entries}  }};\n  return all;\n}\n}\n")
  file(CONFIGURE OUTPUT ${made}/${ARG_NAME}.h CONTENT "${declared}" @ONLY)
  file(CONFIGURE OUTPUT ${made}/${ARG_NAME}.cpp CONTENT "${listed}" @ONLY)
  set(${ARG_NAME}_SOURCES ${made}/${ARG_NAME}.cpp PARENT_SCOPE)
endfunction()
