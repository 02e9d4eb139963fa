# clang-tidy as tests, tidy.TARGET, on every source that the build knows. Sources that are compiled together are also looked
# at together: most of the time goes into the headers that they share.
include_guard(GLOBAL)
find_program(CLANG_TIDY NAMES clang-tidy-14 REQUIRED)

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

function(add_tidy_test target)
  sources_of(${target} sources)
  get_property(seen GLOBAL PROPERTY tidy_sources)
  list(REMOVE_ITEM sources ${seen})  # programs of both MPIs have the same
  if(NOT sources)
    return()
  endif()
  set_property(GLOBAL APPEND PROPERTY tidy_sources ${sources})
  get_target_property(together ${target} COMPILED_TOGETHER)
  if(together)
    list(TRANSFORM sources REPLACE "(.+)" "#include \"\\1\"\n")
    string(CONCAT text "// NOLINTBEGIN(bugprone-suspicious-include)\n" ${sources} "// NOLINTEND(bugprone-suspicious-include)\n")
    set(sources ${CMAKE_BINARY_DIR}/tidy/${target}.cpp)
    file(GENERATE OUTPUT ${sources} CONTENT "${text}")
  endif()
  set(includes $<REMOVE_DUPLICATES:$<TARGET_PROPERTY:${target},INCLUDE_DIRECTORIES>>)
  set(foreign "$<FILTER:${includes},EXCLUDE,^(${PROJECT_SOURCE_DIR}.*|/usr/include)$>")
  set(simulated $<FILTER:${includes},INCLUDE,/fake_mpi$>)  # its <mpi.h> keeps MPI's names
  set(definitions $<TARGET_PROPERTY:${target},COMPILE_DEFINITIONS>)
  add_test(NAME tidy.${target}
    COMMAND ${CLANG_TIDY} --quiet --config-file=${PROJECT_SOURCE_DIR}/.clang-tidy ${sources} --
      -std=c++$<TARGET_PROPERTY:${target},CXX_STANDARD>
      "$<$<BOOL:${foreign}>:-isystem$<JOIN:${foreign},;-isystem>>"
      "$<$<BOOL:${simulated}>:-isystem${simulated}>" -I${PROJECT_SOURCE_DIR}
      -I${PROJECT_SOURCE_DIR}/templates "$<$<BOOL:${definitions}>:-D$<JOIN:${definitions},;-D>>"
    COMMAND_EXPAND_LISTS)
  set_tests_properties(tidy.${target} PROPERTIES LABELS tidy TIMEOUT 3600 COST 50)
endfunction()

# Of what is built with sanitizers only the tests: all else is looked at where it is built without.
function(add_tidy_tests)
  set(folder ${PROJECT_SOURCE_DIR})
  if(BCASTGEN_SANITIZE)
    set(folder ${PROJECT_SOURCE_DIR}/tests)
  endif()
  targets_below(${folder} targets)
  foreach(target IN LISTS targets)
    get_target_property(type ${target} TYPE)
    if(type MATCHES "^(STATIC_LIBRARY|MODULE_LIBRARY|EXECUTABLE)$")
      add_tidy_test(${target})
    endif()
  endforeach()
endfunction()
