// Under libFuzzer: the target that BCASTGEN_FUZZ names.
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "tests/fuzz/target.hpp"

namespace {

const bcastgen::fuzz::Target* target = nullptr;

}  // namespace

extern "C" int LLVMFuzzerInitialize(int*, char***) {
    const char* name = std::getenv("BCASTGEN_FUZZ");
    for (const bcastgen::fuzz::Target* one = bcastgen::fuzz::targets; one->name != nullptr; ++one) {
        if (name != nullptr && std::strcmp(one->name, name) == 0) target = one;
    }
    if (target == nullptr) {
        std::fprintf(stderr, "BCASTGEN_FUZZ names no target; tests/fuzz/run sets it\n");
        std::exit(2);
    }
    return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    target->run(std::string_view(reinterpret_cast<const char*>(data), size));
    return 0;
}
