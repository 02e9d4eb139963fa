# Read by CPack for each kind of package.
if(CPACK_GENERATOR STREQUAL DEB)
  list(GET CPACK_INSTALL_CMAKE_PROJECTS 0 build_folder)
  list(APPEND CPACK_INSTALL_CMAKE_PROJECTS ${build_folder} bcastgen debian /)
endif()
