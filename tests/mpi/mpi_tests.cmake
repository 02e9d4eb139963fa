# Functions that build test programs and libraries for both MPIs and run them.

# Builds SOURCES as NAME.mpich and NAME.openmpi, or the one that ONLY names, with compile DEFINITIONS and (Fortran)
# COMPILE options. TEMPLATES: with the emitted library's headers compiled in. WITHOUT_MPI: not linked with it.
function(add_mpi_program name)
  cmake_parse_arguments(arg "TEMPLATES;WITHOUT_MPI" "" "ONLY;DEFINITIONS;COMPILE" ${ARGN})
  if(NOT arg_ONLY)
    set(arg_ONLY ${BCASTGEN_MPIS})
  endif()
  foreach(mpi IN LISTS arg_ONLY)
    add_executable(${name}.${mpi} ${arg_UNPARSED_ARGUMENTS})
    target_compile_definitions(${name}.${mpi} PRIVATE ${arg_DEFINITIONS})
    if("${arg_UNPARSED_ARGUMENTS}" MATCHES "\\.F90$")
      target_compile_options(${name}.${mpi} PRIVATE -Wall -Wextra -Werror ${arg_COMPILE})
      target_link_libraries(${name}.${mpi} PRIVATE bcastgen::${mpi}_fortran)
      set_target_properties(${name}.${mpi} PROPERTIES
        Fortran_MODULE_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR}/${name}.${mpi}.modules)
    elseif(arg_WITHOUT_MPI)
      target_link_libraries(${name}.${mpi} PRIVATE bcastgen_options ${CMAKE_DL_LIBS})
    else()
      target_link_libraries(${name}.${mpi} PRIVATE bcastgen_options bcastgen::${mpi} Threads::Threads)
    endif()
    if(arg_TEMPLATES)
      use_templates(${name}.${mpi})
    endif()
    set_target_properties(${name}.${mpi} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR})
  endforeach()
endfunction()

# Templates are C++17: site compilers are old.
function(use_templates target)
  target_link_libraries(${target} PRIVATE bcastgen_templates ${CMAKE_DL_LIBS})
  set_target_properties(${target} PROPERTIES CXX_STANDARD 17 CXX_VISIBILITY_PRESET hidden)
endfunction()

# The emitted library's fixed code as fixture_code.mpich and so on, for the libraries of add_fixture_site.
function(add_fixture_code)
  foreach(mpi IN LISTS BCASTGEN_MPIS)
    set(target fixture_code.${mpi})
    add_library(${target} OBJECT fixture_site/mpi_bcast.cpp)
    # The library is preloaded into programs of either MPI and must not bring one along: headers only.
    target_include_directories(${target} SYSTEM PRIVATE $<TARGET_PROPERTY:bcastgen::${mpi},INTERFACE_INCLUDE_DIRECTORIES>)
    target_compile_definitions(${target} PRIVATE $<TARGET_PROPERTY:bcastgen::${mpi},INTERFACE_COMPILE_DEFINITIONS>)
    target_link_libraries(${target} PRIVATE bcastgen_options Threads::Threads)
    use_templates(${target})
    set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE ON)
  endforeach()
endfunction()

# Builds the fixture site's library as libbcast_NAME.so of each MPI, targets NAME_library.mpich and so on. Further
# arguments are compile definitions of its facts.
function(add_fixture_site name)
  foreach(mpi IN LISTS BCASTGEN_MPIS)
    set(target ${name}_library.${mpi})
    add_library(${target} MODULE fixture_site/facts.cpp $<TARGET_OBJECTS:fixture_code.${mpi}>)
    target_compile_definitions(${target} PRIVATE ${ARGN})
    target_link_libraries(${target} PRIVATE bcastgen_options Threads::Threads)
    use_templates(${target})
    set_target_properties(${target} PROPERTIES
      OUTPUT_NAME bcast_${name} LIBRARY_OUTPUT_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR}/${mpi})
  endforeach()
endfunction()

# Runs PROGRAM (with ARGUMENTS) as tests mpi.mpich.NAME and mpi.openmpi.NAME, on RANKS ranks that play MACHINES.
# LIBRARY: preloads libbcast_LIBRARY.so. OPTIONS: run_mpi.py's. In both @mpi@ is the MPI, @other@ the other one.
function(add_mpi_test name program)
  cmake_parse_arguments(arg "" "RANKS;MACHINES;LIBRARY;TIMEOUT" "OPTIONS;ARGUMENTS;ONLY" ${ARGN})
  if(NOT arg_ONLY)
    set(arg_ONLY ${BCASTGEN_MPIS})
  endif()
  if(NOT arg_TIMEOUT)
    set(arg_TIMEOUT 240)  # what hangs; a busy host is only slow
  endif()
  foreach(mpi IN LISTS arg_ONLY)
    set(other ${BCASTGEN_MPIS})
    list(REMOVE_ITEM other ${mpi})
    string(CONFIGURE "${arg_OPTIONS}" options @ONLY)
    string(CONFIGURE "${arg_ARGUMENTS}" arguments @ONLY)
    set(command Python3::Interpreter ${CMAKE_CURRENT_SOURCE_DIR}/run_mpi.py
      --mpi ${mpi} --launcher ${BCASTGEN_LAUNCHER_${mpi}} --ranks ${arg_RANKS} --timeout ${arg_TIMEOUT}
      --preload $<TARGET_FILE:idle_shim>)
    if(arg_MACHINES)
      list(APPEND command --machines ${arg_MACHINES})
    endif()
    if(arg_LIBRARY)
      list(APPEND command --preload $<TARGET_FILE:${arg_LIBRARY}_library.${mpi}>)
    endif()
    add_test(NAME mpi.${mpi}.${name} COMMAND ${command} ${options} -- $<TARGET_FILE:${program}.${mpi}> ${arguments})
    math(EXPR ctest_timeout "${arg_TIMEOUT} + 60")  # run_mpi.py's own limit comes first and says more
    set_tests_properties(mpi.${mpi}.${name} PROPERTIES LABELS "mpi;${mpi}" TIMEOUT ${ctest_timeout})
  endforeach()
endfunction()
