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

# What man and the shells read: the program writes it.
set(words ${PROJECT_BINARY_DIR}/words)
set(made ${words}/posproof.1 ${words}/posproof.bash ${words}/posproof.zsh ${words}/posproof.fish)
add_custom_command(OUTPUT ${made}
                   COMMAND ${CMAKE_COMMAND} -E make_directory ${words}
                   COMMAND posproof manual > ${words}/posproof.1
                   COMMAND posproof completion bash > ${words}/posproof.bash
                   COMMAND posproof completion zsh > ${words}/posproof.zsh
                   COMMAND posproof completion fish > ${words}/posproof.fish
                   DEPENDS posproof COMMENT "Writing the manual page and the completions" VERBATIM)
add_custom_target(posproof_words ALL DEPENDS ${made})
if(TARGET posproof_tests)
  add_dependencies(posproof_tests posproof_words)  # one of them installs everything
endif()
install(FILES ${words}/posproof.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
install(FILES ${words}/posproof.bash DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions RENAME posproof)
install(FILES ${words}/posproof.zsh DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions RENAME _posproof)
install(FILES ${words}/posproof.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)
