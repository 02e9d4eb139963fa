# Writes OUTPUT, C++ source with the text of FILES (paths below ROOT) as raw string literals, for embedded_templates.hpp.
set(source "#include \"embedded_templates.hpp\"

namespace bcastgen {

// NOLINTNEXTLINE(readability-function-size): its lines are the files'
const std::vector<EmbeddedFile>& embedded_templates() {
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
