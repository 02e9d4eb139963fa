# MPICH and Open MPI side by side, as Debian installs them: their compiler wrappers say what a program needs.
#
#   bcastgen::mpich    bcastgen::openmpi             what C and C++ programs of that MPI are compiled and linked with
#   bcastgen::mpich_fortran bcastgen::openmpi_fortran    what Fortran programs are
#   BCASTGEN_MPIS                                    mpich;openmpi
#   BCASTGEN_LAUNCHER_mpich and _openmpi             their mpiexec
include_guard(GLOBAL)

set(BCASTGEN_MPIS mpich openmpi)

# Makes `target` carry the flags that `wrapper -show` prints.
function(bcastgen_import_mpi target wrapper)
  find_program(${target}_wrapper ${wrapper} REQUIRED)
  execute_process(COMMAND ${${target}_wrapper} -show OUTPUT_VARIABLE command COMMAND_ERROR_IS_FATAL ANY)
  separate_arguments(words UNIX_COMMAND "${command}")
  list(POP_FRONT words)  # the compiler
  add_library(bcastgen::${target} INTERFACE IMPORTED GLOBAL)
  foreach(word IN LISTS words)
    if(word MATCHES "^-I(.+)")
      target_include_directories(bcastgen::${target} SYSTEM INTERFACE ${CMAKE_MATCH_1})
    elseif(word MATCHES "^-L(.+)")
      target_link_directories(bcastgen::${target} INTERFACE ${CMAKE_MATCH_1})
    elseif(word MATCHES "^-(l|Wl,)")
      target_link_libraries(bcastgen::${target} INTERFACE ${word})
    elseif(word MATCHES "^-fallow-")  # MPICH's Fortran calls one routine with buffers of several types
      target_compile_options(bcastgen::${target} INTERFACE ${word})
    endif()
  endforeach()
endfunction()

foreach(mpi IN LISTS BCASTGEN_MPIS)
  bcastgen_import_mpi(${mpi} mpicc.${mpi})
  bcastgen_import_mpi(${mpi}_fortran mpif90.${mpi})
  find_program(BCASTGEN_LAUNCHER_${mpi} mpiexec.${mpi} REQUIRED)
endforeach()
target_compile_definitions(bcastgen::openmpi INTERFACE OMPI_SKIP_MPICXX)  # its C++ bindings need a library of their own
