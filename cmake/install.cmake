# The program, the libraries and their headers, for find_package(posproof): target posproof::report brings all of them,
# posproof::core, posproof::encodings and so on what their folders hold. The folder of the command line is the program's
# alone. A project that has this one in a subdirectory installs what it wants of it.
if(NOT PROJECT_IS_TOP_LEVEL)
  return()
endif()
include(CMakePackageConfigHelpers)

get_property(folders GLOBAL PROPERTY posproof_folders)
list(REMOVE_ITEM folders posproof_command)
install(TARGETS ${folders} EXPORT posproof_targets)
install(EXPORT posproof_targets NAMESPACE posproof:: FILE targets.cmake
        DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/posproof)
set(headers FILES_MATCHING PATTERN "*.h" PATTERN command EXCLUDE PATTERN testing EXCLUDE PATTERN cases EXCLUDE
            PATTERN test_paths.h EXCLUDE)
install(DIRECTORY src/ ${PROJECT_BINARY_DIR}/generated/ DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/posproof ${headers})

configure_package_config_file(cmake/config.cmake.in config.cmake
                              INSTALL_DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/posproof)
write_basic_package_version_file(version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/config.cmake DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/posproof
        RENAME posproof-config.cmake)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/version.cmake DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/posproof
        RENAME posproof-config-version.cmake)
install(TARGETS posproof)
