# A room is a folder of sources and a library of the same name: planner/network is the target planner_network.
include_guard(GLOBAL)

# What nearly every source of the libraries includes: precompiled once, where headers are. A target of its own, because
# a precompiled header serves only those who are compiled with all the definitions that it was made with.
file(GENERATE OUTPUT ${CMAKE_BINARY_DIR}/precompiled.cpp CONTENT "")  # a target must have a source
add_library(precompiled OBJECT ${CMAKE_BINARY_DIR}/precompiled.cpp)
target_link_libraries(precompiled PRIVATE bcastgen_options fmt::fmt)
target_precompile_headers(precompiled PRIVATE <algorithm> <filesystem> <functional> <map> <string> <vector> <fmt/ranges.h>)

# compile_together(TARGET): its sources make one unit for the compiler, which reads and instantiates what they
# include once. So names in anonymous namespaces differ within a room. Not with ccache, which likes small units.
function(compile_together target)
  set_target_properties(${target} PROPERTIES COMPILED_TOGETHER ON)
  if(NOT CCACHE)
    set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 0)
  endif()
endfunction()

# add_room(DEPENDS … PRIVATE …): the library of this folder's sources, those in folders below included. DEPENDS: rooms it
# includes, which whoever includes it gets too; PRIVATE: libraries from outside. A file that is added is found by itself.
function(add_room)
  cmake_parse_arguments(room "" "" "DEPENDS;PRIVATE;SOURCES" ${ARGN})
  file(RELATIVE_PATH name ${PROJECT_SOURCE_DIR} ${CMAKE_CURRENT_SOURCE_DIR})
  string(REPLACE "/" "_" name ${name})
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS *.cpp)
  add_library(${name} ${sources} ${room_SOURCES})
  target_include_directories(${name} PUBLIC ${PROJECT_SOURCE_DIR})
  target_link_libraries(${name} PUBLIC ${room_DEPENDS} PRIVATE bcastgen_options fmt::fmt ${room_PRIVATE})
  target_precompile_headers(${name} REUSE_FROM precompiled)
  compile_together(${name})
endfunction()

# carry_files(NAME DIRECTORY FILES…): makes NAME.cpp, which defines base/embedded_file.hpp's list NAME() of the texts of
# FILES, paths below DIRECTORY, and puts its path in the variable NAME. The tool needs no files beside it then.
function(carry_files name directory)
  set(output ${CMAKE_CURRENT_BINARY_DIR}/${name}.cpp)
  set(files ${ARGN})
  list(TRANSFORM files PREPEND ${directory}/ OUTPUT_VARIABLE paths)
  add_custom_command(
    OUTPUT ${output}
    COMMAND ${CMAKE_COMMAND} "-DOUTPUT=${output}" "-DROOT=${directory}" "-DFILES=${files}" -DNAME=${name}
            -P ${PROJECT_SOURCE_DIR}/cmake/carry_files.cmake
    DEPENDS ${paths} ${PROJECT_SOURCE_DIR}/cmake/carry_files.cmake
    VERBATIM)
  set(${name} ${output} PARENT_SCOPE)
endfunction()
