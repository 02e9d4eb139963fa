#include "bcast/hand_on/domains.hpp"

#include <gtest/gtest.h>

#include <filesystem>

#include "base/temporary_directory.hpp"
#include "base/text_file.hpp"

namespace bcast {
namespace {

/// /sys/devices/system/node of a machine of two domains.
class TwoDomains : public testing::Test {
  protected:
    void write(const std::string& file, const std::string& text) const {
        const std::filesystem::path path = directory_.path() / file;
        std::filesystem::create_directories(path.parent_path());
        bcastgen::write_file(path, text);
    }
    void SetUp() override {
        write("online", "0-1\n");
        write("node0/cpulist", "0-3,8-11\n");
        write("node1/cpulist", "4-7,12-15\n");
    }
    [[nodiscard]] int of(const std::vector<int>& processors) const {
        return domain_of(processors, directory_.path().string());
    }

    bcastgen::TemporaryDirectory directory_{std::filesystem::temp_directory_path()};
};

TEST_F(TwoDomains, AProcessIsWhereAllOfItsProcessorsAre) {
    EXPECT_EQ(of({0}), 0);
    EXPECT_EQ(of({3, 8, 11}), 0);
    EXPECT_EQ(of({12, 5}), 1);
    EXPECT_EQ(of({3, 4}), no_domain);
    EXPECT_EQ(of({16}), no_domain);
    EXPECT_EQ(of({}), no_domain);
}

TEST_F(TwoDomains, OneDomainIsNone) {
    write("online", "0\n");
    EXPECT_EQ(of({0}), no_domain);
}

TEST_F(TwoDomains, WhatCannotBeReadIsNone) {
    std::filesystem::remove(directory_.path() / "node1" / "cpulist");
    EXPECT_EQ(of({5}), no_domain);
    std::filesystem::remove(directory_.path() / "online");
    EXPECT_EQ(of({0}), no_domain);
}

TEST(Domains, AreNumberedAsTheyComeOrAllAlike) {
    EXPECT_EQ(numbered_domains({3, 3, 1, 3, 0}), (Row<int>{0, 0, 1, 0, 2}));
    EXPECT_EQ(numbered_domains({3, no_domain, 1}), (Row<int>{0, 0, 0}));
}

}  // namespace
}  // namespace bcast
