// Every way that we know to make a library do something else than its audit says: each is shown to work, and refused.
#include "tests/codegen/audit/attack.hpp"

#include <cstdio>
#include <set>

namespace bcastgen {
namespace {

using testing::Attack;
using testing::SampleDirectory;

void expect_refused(const std::vector<Attack>& attacks) {
    const testing::Sample sample = testing::small_sample();
    std::set<std::string> names;
    for (const Attack& attack : attacks) {
        const std::string name = attack.kind + ": " + attack.name;
        SCOPED_TRACE(name);
        EXPECT_TRUE(names.insert(name).second) << "twice";
        const SampleDirectory library(sample);
        attack.make(library);
        const std::string said = library.audited();
        EXPECT_NE(said.find("error: "), std::string::npos) << said.substr(0, 2000);
        EXPECT_NE(said.find(attack.finding), std::string::npos) << said.substr(0, 2000);
        EXPECT_EQ(attack.proof(library), "");
    }
    std::printf("%zu attacks\n", attacks.size());
}

TEST(Attacks, ByFilesAreRefused) {
    expect_refused(testing::attacks_by_files());
}

TEST(Attacks, ByCodeAreRefused) {
    expect_refused(testing::attacks_by_code());
}

TEST(Attacks, ByTheBuildFileAreRefused) {
    expect_refused(testing::attacks_by_build_file());
}

TEST(Attacks, ByTheModulefileAreRefused) {
    expect_refused(testing::attacks_by_modulefile());
}

TEST(Attacks, OnTheAuditAreRefused) {
    expect_refused(testing::attacks_on_the_audit());
}

}  // namespace
}  // namespace bcastgen
