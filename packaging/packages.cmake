# Packages by CPack: `cpack -G DEB` and `cpack -G RPM` in the build folder. packaging/README.md tells how they are tried.
set(BCASTGEN_CONTACT "bcastgen maintainers <maintainers@bcastgen.example>" CACHE STRING "Whom packages name as maintainer")

set(CPACK_PACKAGE_NAME bcastgen)
set(CPACK_PACKAGE_VERSION ${PROJECT_VERSION})
set(CPACK_PACKAGE_CONTACT ${BCASTGEN_CONTACT})
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "topology-aware MPI_Bcast, compiled from a cluster's wiring")
set(CPACK_PACKAGE_DESCRIPTION "bcastgen reads which switch each machine hangs on, plans broadcast trees
whose transmissions do not get in each other's way, proves the load of every
link, and writes a small C++ library that takes the place of MPI_Bcast in any
MPI program, under MPICH and Open MPI. It tunes segment sizes and algorithms
on the cluster or in simulations of it.")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS
  OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
set(CPACK_STRIP_FILES ON)
set(CPACK_VERBATIM_VARIABLES ON)
set(CPACK_GENERATOR DEB)

# What the audit reads headers with, and what emitted libraries are compiled with; measuring takes an MPI as well.
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_RELEASE 1)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_DEPENDS "libclang-common-14-dev, cmake, make, g++")
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS
  "mpich, libmpich-dev, openmpi-bin, libopenmpi-dev, libsimgrid-dev, slurm-client, gnuplot-nox")
set(CPACK_DEBIAN_PACKAGE_SUGGESTS "environment-modules | lmod, iproute2, nftables, libibverbs-dev, librdmacm-dev")

set(CPACK_RPM_FILE_NAME RPM-DEFAULT)
set(CPACK_RPM_PACKAGE_LICENSE "none stated")
set(CPACK_RPM_PACKAGE_GROUP "Applications/Engineering")
set(CPACK_RPM_PACKAGE_REQUIRES "cmake, make, gcc-c++")
set(CPACK_RPM_SPEC_MORE_DEFINE "Recommends: mpich-devel, openmpi-devel, slurm, gnuplot\nSuggests: environment-modules, iproute, nftables")
set(CPACK_RPM_EXCLUDE_FROM_AUTO_FILELIST_ADDITION  # which belong to other packages
  /usr/share/man /usr/share/man/man1 /usr/share/man/man7 /usr/share/doc /usr/share/bash-completion
  /usr/share/bash-completion/completions /usr/share/fish /usr/share/fish/vendor_completions.d /usr/share/zsh
  /usr/share/zsh/site-functions)

# What Debian wants in share/doc, of CHANGES.md and for the packages alone.
execute_process(COMMAND date -u -R -d ${BCASTGEN_DATE} OUTPUT_VARIABLE BCASTGEN_LONG_DATE OUTPUT_STRIP_TRAILING_WHITESPACE
  COMMAND_ERROR_IS_FATAL ANY)
set(debian ${CMAKE_CURRENT_BINARY_DIR}/debian)
configure_file(debian/changelog.in ${debian}/changelog.Debian @ONLY)
configure_file(${PROJECT_SOURCE_DIR}/CHANGES.md ${debian}/changelog COPYONLY)
configure_file(debian/copyright ${debian}/copyright COPYONLY)
foreach(log changelog changelog.Debian)
  execute_process(COMMAND ${GZIP} -9 -n -f -k ${debian}/${log} COMMAND_ERROR_IS_FATAL ANY)
endforeach()
install(FILES ${debian}/changelog.gz ${debian}/changelog.Debian.gz ${debian}/copyright
  DESTINATION ${installed_docs} COMPONENT debian EXCLUDE_FROM_ALL)
set(CPACK_PROJECT_CONFIG_FILE ${CMAKE_CURRENT_SOURCE_DIR}/generator.cmake)
install(FILES completion/_bcastgen DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/vendor-completions  # Debian's own place
  COMPONENT debian EXCLUDE_FROM_ALL)
include(CPack)
