# A file of the catalogue that defines another name than its path is refused when the project is configured.
#
#   cmake -DFOLDER=scratch -DGENERATOR=Ninja -P cmake/catalogue_test.cmake
function(configured file content expected)
  file(REMOVE_RECURSE ${FOLDER})
  file(WRITE ${FOLDER}/CMakeLists.txt "cmake_minimum_required(VERSION 3.25)\nproject(scratch LANGUAGES NONE)
include(${CMAKE_CURRENT_LIST_DIR}/catalogue.cmake)
posproof_catalogue(NAME tables FOLDER all TYPE Table HEADER table.h)\n")
  file(WRITE ${FOLDER}/all/first.cpp "\nnamespace posproof::tables_first {\nconst Table entry{1};\n}\n")
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

configured(near/second.cpp "\nnamespace posproof::tables_near_second {\nconst Table entry{2};\n}\n" "")
file(READ ${FOLDER}/found/catalogue/tables/near/second.h header)
if(NOT header MATCHES "namespace posproof::tables_near_second {\nextern const Table entry;\n}
namespace posproof::tables::near {\ninline constexpr const Table& second = posproof::tables_near_second::entry;")
  message(FATAL_ERROR "the header of an entry says: ${header}")
endif()
file(READ ${FOLDER}/found/catalogue/tables.h header)
if(header MATCHES "second")  # a new entry must not compile whoever asks for the list
  message(FATAL_ERROR "the header of the list names its entries: ${header}")
endif()
set(wanted "all/second.cpp defines no `const Table entry` in `namespace posproof::tables_second`, as its path says. it has: ")
configured(second.cpp "\nnamespace posproof::tables_third {\nconst Table entry{2};\n}\n"
           "${wanted}namespace posproof::tables_third, const Table entry")
configured(second.cpp "\nnamespace posproof::tables_second_best {\nconst Table entry{2};\n}\n" "${wanted}")
configured(second.cpp "\nnamespace posproof::tables_second {\nconst Table tables_second{2};\n}\n"
           "${wanted}namespace posproof::tables_second, const Table tables_second")
configured(Second.cpp "\nnamespace posproof::tables_Second {\nconst Table entry{2};\n}\n"
           "in lower case with underscores")
file(REMOVE_RECURSE ${FOLDER})
