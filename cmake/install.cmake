# The program, the libraries and their headers, for find_package(posproof): target posproof::report brings all of them,
# posproof::core, posproof::encodings and so on what their folders hold.
include(CMakePackageConfigHelpers)

get_property(folders GLOBAL PROPERTY posproof_folders)
install(TARGETS ${folders} EXPORT posproof_targets)
install(EXPORT posproof_targets NAMESPACE posproof:: FILE targets.cmake
        DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/posproof)
install(DIRECTORY src/ ${PROJECT_BINARY_DIR}/generated/ DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/posproof
        FILES_MATCHING PATTERN "*.h" PATTERN testing EXCLUDE)
configure_package_config_file(cmake/config.cmake.in config.cmake
                              INSTALL_DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/posproof)
write_basic_package_version_file(version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/config.cmake DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/posproof
        RENAME posproof-config.cmake)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/version.cmake DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/posproof
        RENAME posproof-config-version.cmake)
if(TARGET posproof)
  install(TARGETS posproof)
endif()
