#include "codegen/build/installation.hpp"

#include <fmt/format.h>

#include <stdexcept>

namespace bcastgen {

namespace {

/// `text` as one word of a Tcl command, whatever is in it.
std::string tcl_word(std::string_view text) {
    constexpr std::string_view plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/._+-=@%,:~";
    std::string word;
    for (const char c : text) {
        const bool ascii = static_cast<unsigned char>(c) < 0x80;
        if (ascii && plain.find(c) == std::string_view::npos) word += '\\';
        word += c;
    }
    return word;
}

/// `text` with another value in the line that sets `variable`.
std::string with_value(std::string_view text, std::string_view variable, std::string_view value) {
    const std::string start = fmt::format("\nset {} ", variable);
    const std::size_t at = text.find(start);
    if (at == std::string_view::npos) throw std::logic_error(fmt::format("the modulefile sets no {}", variable));
    const std::size_t from = at + start.size();
    const std::size_t to = text.find('\n', from);
    if (to == std::string_view::npos) throw std::logic_error("the modulefile ends too early");
    return fmt::format("{}{}{}", text.substr(0, from), value, text.substr(to));
}

constexpr const char* path_to_stage = R"(
# bcastgen-stage is beside the library.
foreach one $chosen {
    prepend-path PATH $libraries/$one
}
)";

}  // namespace

std::string placed_modulefile(std::string_view modulefile, const std::filesystem::path& directory,
                              std::string_view mpi) {
    return with_value(with_value(modulefile, "libraries", tcl_word(directory.string())), "mpi", mpi) + path_to_stage;
}

std::vector<EmittedFile> site_modulefiles(std::string_view modulefile, const std::string& name,
                                          const std::filesystem::path& prefix, const std::vector<std::string>& mpis) {
    const std::filesystem::path libraries = prefix / "lib";
    const std::string path = "modulefiles/bcast/" + name;
    std::vector<EmittedFile> files = {{path, placed_modulefile(modulefile, libraries, "any")}};
    for (const std::string& mpi : mpis) {
        files.push_back({fmt::format("{}-{}", path, mpi), placed_modulefile(modulefile, libraries, mpi)});
    }
    return files;
}

}  // namespace bcastgen
