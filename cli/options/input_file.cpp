#include "cli/options/input_file.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <memory>
#include <system_error>

#include "base/diagnostic.hpp"
#include "base/names.hpp"
#include "cli/options/output_file.hpp"
#include "planner/formats/recognised.hpp"
#include "planner/topology/topology_yaml.hpp"

namespace bcastgen {

namespace {

constexpr std::size_t most_bytes = std::size_t{64} << 20;

[[noreturn]] void refuse(const std::string& path, const std::string& message) {
    throw InputErrors({{path, 0, 0, message, ""}});
}

[[noreturn]] void refuse_for_error(const std::string& path, int error) {
    refuse(path, fmt::format("cannot be read: {}", std::strerror(error)));
}

std::string read_to_end(std::FILE* file, const std::string& path) {
    std::string text;
    char block[1 << 16];
    while (text.size() <= most_bytes) {
        const std::size_t count = std::fread(block, 1, sizeof block, file);
        if (count == 0) break;
        text.append(block, count);
    }
    if (std::ferror(file) != 0) refuse_for_error(path, errno);
    if (text.size() > most_bytes) refuse(path, "is larger than 64 MiB; no input file of bcastgen is");
    return text;
}

}  // namespace

std::string read_input_file(const std::string& path) {
    if (is_standard_stream(path)) {
        static const std::string text = read_to_end(stdin, path);  // it can be read only once
        return text;
    }
    const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "rb"), &std::fclose);
    if (!file) refuse_for_error(path, errno);
    return read_to_end(file.get(), path);
}

std::unique_ptr<ForwardingTables> load_routes(const std::string& path, const Network& network) {
    if (path.empty()) return nullptr;
    return std::make_unique<ForwardingTables>(read_input_file(path), path, network);
}

Network load_topology(const std::string& path) {
    const std::string text = read_input_file(path);
    try {
        return read_topology(text, path);
    } catch (const InputErrors&) {
        const std::string format = recognised_format(text);
        if (format.empty()) throw;
        if (format == "lstopo") refuse(path, lstopo_advice());
        refuse(path,
               fmt::format("is no topology file; bcastgen import {} {} makes one of it", format, shell_word(path)));
    }
}

std::vector<Diagnostic> unwritable(const std::string& option, const std::string& file) {
    if (is_standard_stream(file)) return {};
    const std::filesystem::path path(file);
    const std::filesystem::path folder = path.has_parent_path() ? path.parent_path() : ".";
    std::error_code unknown;
    const bool is_folder = std::filesystem::is_directory(path, unknown);
    const bool is_there = access(path.c_str(), F_OK) == 0;
    if (!is_folder && access((is_there ? path : folder).c_str(), W_OK) == 0) return {};
    const char* why = std::strerror(is_folder ? EISDIR : errno);
    return {{option, 0, 0, fmt::format("{} cannot be written: {}", file, why), ""}};
}

}  // namespace bcastgen
