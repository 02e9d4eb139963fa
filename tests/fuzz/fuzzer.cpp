// Under libFuzzer: the target that BCASTGEN_FUZZ names. An input that takes too long is a failure: of processor time,
// so that a busy host finds none.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>

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
    const std::clock_t start = std::clock();
    target->run(std::string_view(reinterpret_cast<const char*>(data), size));
    const double seconds = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
    if (seconds <= target->most_seconds) return 0;
    std::fprintf(stderr, "broken promise: an input takes no more than %g seconds; it took %g\n", target->most_seconds,
                 seconds);
    std::abort();
}
