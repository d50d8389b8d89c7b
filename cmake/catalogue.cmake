# The tree is the catalogue. A file `properties/score/depends_on_offset.cpp` has a namespace with the name of its path, and
# defines `const Property entry` there:
#   namespace posproof::properties_score_depends_on_offset { const Property entry{...}; }
# The rest of the tree calls it `posproof::properties::score::depends_on_offset`; its id is `score/depends_on_offset`. What
# two files define for themselves never meets. A file that has a header beside it is what entries share, not an entry; one
# that has another namespace than its path says is refused.
#
#   posproof_catalogue(NAME properties FOLDER properties TYPE Property HEADER core/property.h)
#
# writes a header for each entry, so that a file includes what it names and a new entry compiles nothing but itself and
# the list: catalogue/properties/score/depends_on_offset.h with
#   namespace posproof::properties_score_depends_on_offset { extern const Property entry; }
#   namespace posproof::properties::score { inline constexpr const Property& depends_on_offset = ...::entry; }
# and catalogue/properties.h with
#   namespace posproof::catalogue { std::span<const Entry<Property>> properties(); }
# and sets <NAME>_SOURCES in the caller: the list that was written. With `FUNCTION "const Arguments&"` in place of a list
# every entry is a function of that argument which gives a TYPE: `Encoding oracle::rope(const Arguments&)`.
function(posproof_catalogue)
  cmake_parse_arguments(ARG "" "NAME;FOLDER;TYPE;HEADER;FUNCTION" "" ${ARGN})
  file(GLOB_RECURSE files CONFIGURE_DEPENDS RELATIVE ${PROJECT_SOURCE_DIR}/${ARG_FOLDER}
       ${PROJECT_SOURCE_DIR}/${ARG_FOLDER}/*.cpp)
  list(FILTER files EXCLUDE REGEX "_(test|search)\\.cpp$")
  list(SORT files)

  set(written "// Written by cmake/catalogue.cmake from the files in ${ARG_FOLDER}/.\n")
  set(made ${PROJECT_BINARY_DIR}/generated/catalogue)
  set(includes "")
  set(entries "")
  set(number 0)
  foreach(file IN LISTS files)
    string(REGEX REPLACE "\\.cpp$" "" id ${file})
    if(EXISTS ${PROJECT_SOURCE_DIR}/${ARG_FOLDER}/${id}.h)
      continue()
    endif()
    if(NOT id MATCHES "^[a-z][a-z0-9_]*(/[a-z][a-z0-9_]*)*$")
      message(FATAL_ERROR "${ARG_FOLDER}/${file}: a file here names a ${ARG_TYPE}, in lower case with underscores")
    endif()
    string(REPLACE "/" "::" name ${ARG_NAME}/${id})
    string(REGEX REPLACE "::[a-z0-9_]+$" "" space posproof::${name})
    get_filename_component(last ${id} NAME)
    file(READ ${PROJECT_SOURCE_DIR}/${ARG_FOLDER}/${file} source)
    if(ARG_FUNCTION)
      set(wanted "${ARG_TYPE} ${name}")
      if(NOT source MATCHES "[ :]${name}[(]")
        string(REGEX MATCHALL "${ARG_TYPE} ${ARG_NAME}::[a-z0-9_:]+" found "${source}")
        message(FATAL_ERROR "${ARG_FOLDER}/${file} defines no `${wanted}`, as its path says; it defines: ${found}")
      endif()
      set(declared "namespace ${space} {\n${ARG_TYPE} ${last}(${ARG_FUNCTION});\n}")
    else()
      string(REPLACE "/" "_" own posproof::${ARG_NAME}/${id})
      if(NOT source MATCHES "\nnamespace ${own} {\n" OR NOT source MATCHES "\nconst ${ARG_TYPE} entry{")
        string(REGEX MATCHALL "\n(namespace [A-Za-z0-9_:]+|const ${ARG_TYPE} [A-Za-z0-9_:]+)" found "${source}")
        string(REGEX REPLACE ";?\n" ", " found "${found}")
        string(REGEX REPLACE "^, " "" found "${found}")
        message(FATAL_ERROR "${ARG_FOLDER}/${file} defines no `const ${ARG_TYPE} entry` in `namespace ${own}`, as its "
                            "path says; it has: ${found}")
      endif()
      set(declared "namespace ${own} {\nextern const ${ARG_TYPE} entry;\n}
namespace ${space} {\ninline constexpr const ${ARG_TYPE}& ${last} = ${own}::entry;\n}")
    endif()
    file(CONFIGURE OUTPUT ${made}/${ARG_NAME}/${id}.h @ONLY
         CONTENT "${written}#pragma once\n\n#include \"${ARG_HEADER}\"\n\n${declared}\n")
    string(APPEND includes "#include \"catalogue/${ARG_NAME}/${id}.h\"\n")
    string(APPEND entries "    {\"${id}\", &${name}},\n")
    math(EXPR number "${number} + 1")
  endforeach()
  if(ARG_FUNCTION)
    return()
  endif()

  set(signature "std::span<const Entry<${ARG_TYPE}>> ${ARG_NAME}()")
  file(CONFIGURE OUTPUT ${made}/${ARG_NAME}.h @ONLY
       CONTENT "${written}#pragma once\n\n#include <span>\n\n#include \"${ARG_HEADER}\"\n#include \"core/catalogue.h\"\n
namespace posproof::catalogue {\n${signature};\n}\n")
  file(CONFIGURE OUTPUT ${made}/${ARG_NAME}.cpp @ONLY
       CONTENT "${written}#include \"catalogue/${ARG_NAME}.h\"\n\n#include <array>\n\n${includes}
namespace posproof::catalogue {\n${signature} {
  static constexpr std::array<Entry<${ARG_TYPE}>, ${number}> all = {{\n${entries}  }};\n  return all;\n}\n}\n")
  set(${ARG_NAME}_SOURCES ${made}/${ARG_NAME}.cpp PARENT_SCOPE)
endfunction()

# The contents of some files of a folder, to be had at run time without a path of the source tree:
#
#   posproof_texts(NAME hard_cases FOLDER src/oracle/cases ENDINGS cases)
#
# writes catalogue/hard_cases.h with
#   namespace posproof::catalogue { std::span<const Entry<char>> hard_cases(); }
# whose values are the files, ended by a 0, under their names, of one ending only without it; and sets <NAME>_SOURCES in
# the caller.
function(posproof_texts)
  cmake_parse_arguments(ARG "" "NAME;FOLDER" "ENDINGS" ${ARGN})
  list(TRANSFORM ARG_ENDINGS PREPEND "${PROJECT_SOURCE_DIR}/${ARG_FOLDER}/*." OUTPUT_VARIABLE patterns)
  file(GLOB files CONFIGURE_DEPENDS RELATIVE ${PROJECT_SOURCE_DIR}/${ARG_FOLDER} ${patterns})
  list(SORT files)
  list(LENGTH ARG_ENDINGS endings)
  set(contents "")
  set(entries "")
  foreach(file IN LISTS files)
    if(NOT file MATCHES "^[a-z][a-z0-9_]*\\.[a-z]+$")
      message(FATAL_ERROR "${ARG_FOLDER}/${file}: a file here is named in lower case with underscores")
    endif()
    string(REPLACE "." "_" variable ${file})
    set(id ${file})
    if(endings EQUAL 1)
      string(REGEX REPLACE "\\.[a-z]+$" "" id ${file})
    endif()
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/${ARG_FOLDER}/${file})
    file(READ ${PROJECT_SOURCE_DIR}/${ARG_FOLDER}/${file} content)
    string(APPEND contents "constexpr char ${variable}[] = R\"text(${content})text\";\n")
    string(APPEND entries "    {\"${id}\", ${variable}},\n")
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
