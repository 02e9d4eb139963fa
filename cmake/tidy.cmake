# clang-tidy as tests, tidy.TARGET, on every source that the build knows. Sources that are compiled together are also looked
# at together: most of the time goes into reading the headers that they share. What is declared in other people's headers
# is read, but not looked at (tests/house/own_declarations.cpp).
include_guard(GLOBAL)

# The targets of this folder and those below.
function(targets_below folder result)
  get_property(found DIRECTORY ${folder} PROPERTY BUILDSYSTEM_TARGETS)
  get_property(below DIRECTORY ${folder} PROPERTY SUBDIRECTORIES)
  foreach(one IN LISTS below)
    targets_below(${one} more)
    list(APPEND found ${more})
  endforeach()
  set(${result} ${found} PARENT_SCOPE)
endfunction()

# The C++ sources of a target that are files of the project.
function(sources_of target result)
  get_target_property(sources ${target} SOURCES)
  get_target_property(folder ${target} SOURCE_DIR)
  set(found "")
  foreach(source IN LISTS sources)
    cmake_path(ABSOLUTE_PATH source BASE_DIRECTORY ${folder} NORMALIZE)
    cmake_path(IS_PREFIX PROJECT_BINARY_DIR ${source} NORMALIZE generated)
    if(source MATCHES "\\.cpp$" AND NOT generated)
      list(APPEND found ${source})
    endif()
  endforeach()
  set(${result} ${found} PARENT_SCOPE)
endfunction()

# add_tidy_test(NAME TARGETS…): one look at the sources of these targets, which are compiled with the same options.
function(add_tidy_test name)
  set(sources "")
  set(includes "")
  set(definitions "")
  set(together ON)
  foreach(target IN LISTS ARGN)
    sources_of(${target} more)
    list(APPEND sources ${more})
    list(APPEND includes $<TARGET_PROPERTY:${target},INCLUDE_DIRECTORIES>)
    list(APPEND definitions $<TARGET_PROPERTY:${target},COMPILE_DEFINITIONS>)
    get_target_property(one_unit ${target} COMPILED_TOGETHER)
    if(NOT one_unit)
      set(together OFF)
    endif()
  endforeach()
  get_property(seen GLOBAL PROPERTY tidy_sources)
  list(REMOVE_ITEM sources ${seen})  # programs of both MPIs have the same
  if(NOT sources)
    return()
  endif()
  set_property(GLOBAL APPEND PROPERTY tidy_sources ${sources})
  if(together)
    list(TRANSFORM sources REPLACE "(.+)" "#include \"\\1\"\n")
    string(CONCAT text "// NOLINTBEGIN(bugprone-suspicious-include)\n" ${sources} "// NOLINTEND(bugprone-suspicious-include)\n")
    set(sources ${CMAKE_BINARY_DIR}/tidy/${name}.cpp)
    file(GENERATE OUTPUT ${sources} CONTENT "${text}")
  endif()
  set(includes $<REMOVE_DUPLICATES:${includes}>)
  set(definitions $<REMOVE_DUPLICATES:${definitions}>)
  set(foreign "$<FILTER:${includes},EXCLUDE,^(${PROJECT_SOURCE_DIR}.*|/usr/include)$>")
  set(simulated $<FILTER:${includes},INCLUDE,/fake_mpi$>)  # its <mpi.h> keeps MPI's names
  add_test(NAME tidy.${name}
    COMMAND ${CLANG_TIDY} --quiet --config-file=${PROJECT_SOURCE_DIR}/.clang-tidy
      --load=$<TARGET_FILE:own_declarations> --checks=bcastgen-own-declarations ${sources} --
      -std=c++$<TARGET_PROPERTY:${ARGV1},CXX_STANDARD>
      "$<$<BOOL:${foreign}>:-isystem$<JOIN:${foreign},;-isystem>>"
      "$<$<BOOL:${simulated}>:-isystem${simulated}>" -I${PROJECT_SOURCE_DIR}
      -I${PROJECT_SOURCE_DIR}/templates "$<$<BOOL:${definitions}>:-D$<JOIN:${definitions},;-D>>"
    COMMAND_EXPAND_LISTS)
  set_tests_properties(tidy.${name} PROPERTIES LABELS tidy TIMEOUT 3600 COST 50)
endfunction()

# Of what is built with sanitizers only the tests: all else is looked at where it is built without. A target's property
# TIDY_ELSEWHERE says that the other of run-tests' two builds looks at it. The planner's rooms share so much that they are
# looked at together; names in their anonymous namespaces differ.
function(add_tidy_tests)
  set(folder ${PROJECT_SOURCE_DIR})
  if(BCASTGEN_SANITIZE)
    set(folder ${PROJECT_SOURCE_DIR}/tests)
  endif()
  set(planner "")
  targets_below(${folder} targets)
  foreach(target IN LISTS targets)
    get_target_property(type ${target} TYPE)
    get_target_property(elsewhere ${target} TIDY_ELSEWHERE)
    if(target MATCHES "^planner_[a-z]+$" AND type STREQUAL STATIC_LIBRARY)
      list(APPEND planner ${target})
    elseif(type MATCHES "^(STATIC_LIBRARY|MODULE_LIBRARY|EXECUTABLE)$" AND NOT elsewhere)
      add_tidy_test(${target} ${target})
    endif()
  endforeach()
  if(planner)
    add_tidy_test(planner ${planner})
  endif()
endfunction()
