# Carries files inside the tool. Writes OUTPUT, C++ source that defines FUNCTION of HEADER: a list of TYPE {name, text}
# with the FILES, given by their paths below ROOT or as absolute paths below it, as raw string literals.
set(source "#include \"${HEADER}\"

namespace bcastgen {

const std::vector<${TYPE}>& ${FUNCTION}() {
    static const std::vector<${TYPE}> files = {
")
foreach(file IN LISTS FILES)
  cmake_path(ABSOLUTE_PATH file BASE_DIRECTORY "${ROOT}" OUTPUT_VARIABLE path)
  cmake_path(RELATIVE_PATH path BASE_DIRECTORY "${ROOT}" OUTPUT_VARIABLE name)
  file(READ "${path}" text)
  string(APPEND source "{\"${name}\", R\"~file~(${text})~file~\"},\n")
endforeach()
string(APPEND source "    };
    return files;
}

}  // namespace bcastgen
")
file(WRITE "${OUTPUT}" "${source}")
