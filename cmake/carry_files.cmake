# Writes OUTPUT, C++ source that defines NAME(): the FILES, paths below ROOT, as raw string literals (carry_files in
# rooms.cmake).
set(source "#include \"base/embedded_file.hpp\"

namespace bcastgen {

const std::vector<EmbeddedFile>& ${NAME}();

// NOLINTNEXTLINE(readability-function-size): its lines are the files'
const std::vector<EmbeddedFile>& ${NAME}() {
    static const std::vector<EmbeddedFile> files = {
")
foreach(file IN LISTS FILES)
  file(READ "${ROOT}/${file}" text)
  string(APPEND source "{\"${file}\", R\"~file~(${text})~file~\"},\n")
endforeach()
string(APPEND source "    };
    return files;
}

}  // namespace bcastgen
")
file(WRITE "${OUTPUT}" "${source}")
