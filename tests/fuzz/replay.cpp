// Runs the kept inputs of a target once each: what CI does instead of fuzzing.
//
//   fuzz_replay TARGET FILE|DIRECTORY…        fuzz_replay --list
#include <algorithm>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <vector>

#include "tests/fuzz/target.hpp"

namespace {

namespace fs = std::filesystem;
using bcastgen::fuzz::Target;

std::vector<fs::path> files_of(int count, char** names) {
    std::vector<fs::path> files;
    for (int i = 0; i < count; ++i) {
        if (!fs::is_directory(names[i])) {
            files.emplace_back(names[i]);
            continue;
        }
        for (const fs::directory_entry& entry : fs::directory_iterator(names[i])) files.push_back(entry.path());
    }
    std::sort(files.begin(), files.end());
    return files;
}

int replay(const Target& target, const std::vector<fs::path>& files) {
    for (const fs::path& file : files) {
        std::ifstream in(file, std::ios::binary);
        if (!in) {
            std::fprintf(stderr, "%s: cannot be read\n", file.c_str());
            return 1;
        }
        const std::string bytes(std::istreambuf_iterator<char>(in), {});
        std::printf("%s\n", file.filename().c_str());  // the last one printed is the one that ends it
        std::fflush(stdout);
        target.run(bytes);
    }
    target.run("");
    std::printf("%s: %zu inputs\n", target.name, files.size());
    return files.empty() ? 1 : 0;
}

}  // namespace

int main(int argc, char** argv) {
    for (const Target* target = bcastgen::fuzz::targets; target->name != nullptr; ++target) {
        if (argc == 2 && std::strcmp(argv[1], "--list") == 0) std::printf("%-14s %s\n", target->name, target->of);
        if (argc > 2 && std::strcmp(argv[1], target->name) == 0) return replay(*target, files_of(argc - 2, argv + 2));
    }
    if (argc == 2 && std::strcmp(argv[1], "--list") == 0) return 0;
    std::fprintf(stderr, "usage: fuzz_replay TARGET FILE|DIRECTORY…, or fuzz_replay --list\n");
    return 2;
}
