#include "tuner/clusters/program_cache.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdint>

#include "base/file_cache.hpp"
#include "base/hash.hpp"
#include "base/outside_failure.hpp"
#include "base/process.hpp"
#include "base/text_file.hpp"

namespace bcastgen {

namespace {

namespace fs = std::filesystem;

using Deadline = std::chrono::steady_clock::time_point;

Command command(std::vector<std::string> words, Deadline deadline) {
    Command command;
    command.words = std::move(words);
    if (deadline != Deadline::max()) {
        const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - std::chrono::steady_clock::now());
        command.time_limit = std::max(left, std::chrono::milliseconds(1));
    }
    return command;
}

std::string hex(const Hash& key) {
    return fmt::format("{:016x}", key.value());
}

std::string version_of(const fs::path& compiler) {
    return must_run(command({compiler.string(), "--version"}, Deadline::max()),
                    "asking the MPI compiler for its version")
        .output;
}

/// The command up to the sources, all parts in one order on every run.
std::vector<std::string> compiler_words(const ProgramSources& program, const fs::path& compiler,
                                        const std::vector<std::string>& flags) {
    std::vector<std::string> words = {compiler.string(), "-std=c++17", "-O2"};
    words.insert(words.end(), flags.begin(), flags.end());
    for (const std::string& definition : program.definitions) words.push_back("-D" + definition);
    for (const fs::path& directory : program.include_directories) words.push_back("-I" + directory.string());
    return words;
}

/// A key of everything that the executable depends on: compiler, flags, the text of sources and of all headers.
std::string key_of(const ProgramSources& program, const fs::path& compiler, std::string_view compiler_version,
                   const std::vector<std::string>& flags) {
    Hash key;
    key.add(compiler_version);
    ProgramSources without_places = program;
    without_places.include_directories.clear();
    for (const std::string& word : compiler_words(without_places, compiler, flags)) key.add(word);
    std::vector<fs::path> files = program.sources;
    for (const fs::path& directory : program.include_directories) {
        std::vector<fs::path> headers;
        for (const fs::directory_entry& entry : fs::recursive_directory_iterator(directory)) {
            if (entry.is_regular_file() && entry.path().extension() == ".hpp") headers.push_back(entry.path());
        }
        std::sort(headers.begin(), headers.end());
        files.insert(files.end(), headers.begin(), headers.end());
    }
    for (const fs::path& file : files) {
        key.add(file.filename().string());
        key.add(text_of(file).value_or(""));
    }
    return hex(key);
}

void erase_all(std::string& text, const std::string& part) {
    for (std::size_t at = 0; !part.empty() && (at = text.find(part, at)) != std::string::npos;) {
        text.erase(at, part.size());
    }
}

/// Compiles one source, or takes it from the cache if the text that the compiler would see is the same: most sources
/// stay as they are from site to site.
fs::path compile_source(const fs::path& source, std::vector<std::string> words, std::string_view compiler_version,
                        const FileCache& cache, const fs::path& directory, Deadline deadline) {
    const fs::path object = directory / (source.stem().string() + ".o");
    std::vector<std::string> preprocess = words;
    preprocess.insert(preprocess.end(), {"-E", "-P", source.string()});
    std::string cached;
    if (cache.keeps()) {
        Hash key;
        key.add(compiler_version);
        std::string text =
            must_run(command(preprocess, deadline), fmt::format("reading {}", source.filename().string())).output;
        for (const std::string& word : words) {
            if (word.starts_with("-I")) {
                erase_all(text, word.substr(2));  // where __FILE__ names the directory of this run
            } else {
                key.add(word);
            }
        }
        key.add(text);
        cached = source.stem().string() + "-" + hex(key) + ".o";
        if (cache.take(cached, object)) return object;
    }
    words.insert(words.end(), {"-c", source.string(), "-o", object.string()});
    must_run(command(words, deadline), fmt::format("compiling {}", source.filename().string()));
    cache.keep(object, cached);
    return object;
}

}  // namespace

fs::path compile_program(const ProgramSources& program, const fs::path& compiler, const std::vector<std::string>& flags,
                         const fs::path& directory) {
    if (find_program(compiler.string()).empty())
        throw OutsideFailure(fmt::format("{} is not in PATH", compiler.string()));
    fs::create_directories(directory);
    const fs::path executable = directory / program.name;
    const FileCache cache("programs");
    const std::string version = version_of(compiler);
    const std::string cached = program.name + "-" + key_of(program, compiler, version, flags);
    if (cache.take(cached, executable)) return executable;
    const std::vector<std::string> words = compiler_words(program, compiler, flags);
    std::vector<std::string> link = {compiler.string()};
    link.insert(link.end(), flags.begin(), flags.end());
    for (const fs::path& source : program.sources) {
        link.push_back(compile_source(source, words, version, cache, directory, program.deadline).string());
    }
    link.insert(link.end(), {"-o", executable.string(), "-ldl", "-pthread"});
    must_run(command(link, program.deadline), fmt::format("linking {}", program.name));
    cache.keep(executable, cached);
    return executable;
}

}  // namespace bcastgen
