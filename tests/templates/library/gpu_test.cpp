#include "bcast/library/gpu.hpp"

#include <gtest/gtest.h>
#include <sys/auxv.h>

namespace {

using bcast::detail::is_loaded;
using bcast::detail::loaded_symbol;

TEST(LoadedLibraries, AreKnownByTheLinkersNames) {
    EXPECT_TRUE(is_loaded("libc.so.6"));
    EXPECT_TRUE(is_loaded("libstdc++.so.6"));
    EXPECT_FALSE(is_loaded("libc.so"));
    EXPECT_FALSE(is_loaded("libcuda.so.1"));
}

/// The kernel's own names itself by an address from its beginning, as some linkers leave all of them.
TEST(LoadedLibraries, NameThemselvesRelatively) {
    if (getauxval(AT_SYSINFO_EHDR) == 0) GTEST_SKIP() << "this kernel has none";
    EXPECT_TRUE(is_loaded("linux-vdso.so.1"));
}

TEST(LoadedLibraries, AreAskedForSymbols) {
    EXPECT_NE(loaded_symbol("libc.so.6", "printf"), nullptr);
    EXPECT_EQ(loaded_symbol("libc.so.6", "cuPointerGetAttribute"), nullptr);
}

}  // namespace
