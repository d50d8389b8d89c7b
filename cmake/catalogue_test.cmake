# A file of the catalogue that defines another name than its path is refused when the project is configured.
#
#   cmake -DFOLDER=scratch -DGENERATOR=Ninja -P cmake/catalogue_test.cmake
function(configured file content expected)
  file(REMOVE_RECURSE ${FOLDER})
  file(WRITE ${FOLDER}/CMakeLists.txt "cmake_minimum_required(VERSION 3.25)\nproject(scratch LANGUAGES NONE)
include(${CMAKE_CURRENT_LIST_DIR}/catalogue.cmake)
posproof_catalogue(NAME tables FOLDER all TYPE Table HEADER table.h)\n")
  file(WRITE ${FOLDER}/all/first.cpp "const Table tables::first{1};\n")
  file(WRITE ${FOLDER}/all/${file} "${content}")
  execute_process(COMMAND ${CMAKE_COMMAND} -G ${GENERATOR} -S ${FOLDER} -B ${FOLDER}/build RESULT_VARIABLE code
                  OUTPUT_QUIET ERROR_VARIABLE said)
  string(REGEX REPLACE "[ \n]+" " " said "${said}")
  if(expected STREQUAL "" AND NOT code EQUAL 0)
    message(FATAL_ERROR "${file} is refused: ${said}")
  elseif(NOT expected STREQUAL "" AND (code EQUAL 0 OR NOT said MATCHES "${expected}"))
    message(FATAL_ERROR "${file} ended with ${code}, and not with `${expected}`: ${said}")
  endif()
  file(REMOVE_RECURSE ${FOLDER}/found)
  if(EXISTS ${FOLDER}/build/generated)
    file(COPY ${FOLDER}/build/generated/ DESTINATION ${FOLDER}/found)
  endif()
endfunction()

configured(near/second.cpp "const Table tables::near::second{2};\n" "")
file(READ ${FOLDER}/found/catalogue/tables/near/second.h header)
if(NOT header MATCHES "namespace posproof::tables::near {\nextern const Table second;")
  message(FATAL_ERROR "the header of an entry says: ${header}")
endif()
file(READ ${FOLDER}/found/catalogue/tables.h header)
if(header MATCHES "second")  # a new entry must not compile whoever asks for the list
  message(FATAL_ERROR "the header of the list names its entries: ${header}")
endif()
configured(second.cpp "const Table tables::third{2};\n"
           "all/second.cpp defines no `Table tables::second`, as its path says. it defines: Table tables::third")
configured(second.cpp "const Table tables::second_best{2};\n" "defines no `Table tables::second`")
configured(Second.cpp "const Table tables::Second{2};\n" "in lower case with underscores")
file(REMOVE_RECURSE ${FOLDER})
