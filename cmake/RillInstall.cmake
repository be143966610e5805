# Installs headers, both libraries, the program, a CMake package (rill::rill, rill::rill_shared) and rill.pc.
include(CMakePackageConfigHelpers)

install(DIRECTORY include/rill DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.h")
install(TARGETS ${libraries} EXPORT rill-targets
  RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR}
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
if(TARGET rill_program)
  install(TARGETS rill_program RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
  install(DIRECTORY scenes DESTINATION ${CMAKE_INSTALL_DATADIR}/rill) # the gallery of `rill view`
endif()

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/rill)
install(EXPORT rill-targets NAMESPACE rill:: DESTINATION ${package_dir})
configure_package_config_file(cmake/rill-config.cmake.in rill-config.cmake INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(rill-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/rill-config.cmake ${PROJECT_BINARY_DIR}/rill-config-version.cmake
  DESTINATION ${package_dir})

# pkg-config files are relocatable only with paths relative to the file itself.
file(RELATIVE_PATH pc_prefix /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
string(REGEX REPLACE "/$" "" pc_prefix "${pc_prefix}")
set(pc_threads "")
if(RILL_THREADS)
  set(pc_threads " -lpthread")
endif()
configure_file(cmake/rill.pc.in rill.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/rill.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})
