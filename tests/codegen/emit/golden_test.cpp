// generated/fsu-1 is what the emitter gives for topologies/fsu-1.yaml, byte for byte, but for bcast/, a copy of
// templates/bcast/. After a change that is meant: tests/update-golden, and look at the difference.
#include <gtest/gtest.h>

#include <cstdlib>
#include <set>

#include "codegen/emit/emitter.hpp"
#include "codegen/emit/library_directory.hpp"
#include "tests/models/sites.hpp"

namespace bcastgen {
namespace {

namespace fs = std::filesystem;

TEST(Golden, EmittedLibraryIsTheCheckedInOne) {
    const Network network = testing::sample_network("fsu-1");
    std::vector<EmittedFile> files =
        testing::emitted_library(network, testing::predicted_table(network), "bcastgen fsu-1.yaml");
    std::erase_if(files, [](const EmittedFile& file) { return file.path.starts_with("bcast/"); });
    const fs::path golden = fs::path(BCASTGEN_SOURCE_DIR) / "generated/fsu-1";
    constexpr const char* advice = "if the change is meant, run tests/update-golden and look at git diff generated";
    const bool renew = std::getenv("BCASTGEN_RENEW_GOLDEN") != nullptr;
    if (renew) write_library(golden, files);
    std::set<std::string> emitted;
    for (const EmittedFile& file : files) {
        emitted.insert(file.path);
        ASSERT_TRUE(fs::exists(golden / file.path)) << golden / file.path << " is missing; " << advice;
        EXPECT_EQ(file.text, testing::file_text(golden / file.path)) << file.path << " differs; " << advice;
    }
    for (const auto& entry : fs::recursive_directory_iterator(golden)) {
        const std::string path = fs::relative(entry.path(), golden).generic_string();
        if (!entry.is_regular_file() || path.rfind("build/", 0) == 0 || emitted.count(path) == 1) continue;
        if (renew) fs::remove(entry.path());
        EXPECT_TRUE(renew) << path << " is not emitted any more; " << advice;
    }
}

}  // namespace
}  // namespace bcastgen
