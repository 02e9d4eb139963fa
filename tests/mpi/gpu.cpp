// Buffers that a GPU driver claims, on one rank only: the whole broadcast goes to the MPI, on all ranks, and those of
// other buffers do not. The driver is a double (gpu_double.c), loaded by rank 1 alone.
//
//     gpu DRIVER [everything]      everything: this driver cannot tell buffers apart
#include <dlfcn.h>

#include <cstring>

#include "checking.hpp"

namespace {

constexpr int bytes = 50000;

/// How the broadcast that was traced last went: true if by a planned algorithm.
bool last_was_served() {
    const std::size_t lines = checking::trace().size();
    return checking::served_since(lines - 1) == 1;
}

bool broadcast(std::vector<char>& buffer, int root, std::uint64_t seed) {
    const checking::Content content(seed);
    if (checking::world_rank() == root) content.write(buffer.data(), 0, bytes);
    MPI_Bcast(buffer.data(), bytes, MPI_BYTE, root, MPI_COMM_WORLD);
    return content.wrong(buffer.data(), 0, bytes) == 0;
}

}  // namespace

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    std::vector<char> on_device(bytes);
    std::vector<char> on_host(bytes);
    if (checking::world_rank() == 1) {
        void* driver = argc > 1 ? dlopen(argv[1], RTLD_NOW | RTLD_LOCAL) : nullptr;
        EXPECT(driver != nullptr);
        using Claim = void (*)(const void*, std::size_t);
        const auto claim = driver != nullptr ? reinterpret_cast<Claim>(dlsym(driver, "claim_memory")) : nullptr;
        EXPECT(claim != nullptr);
        if (claim != nullptr) claim(on_device.data(), on_device.size());
    }
    const bool everything = argc > 2 && std::strcmp(argv[2], "everything") == 0;
    std::uint64_t seed = 0;
    for (int root = 0; root < checking::ranks_in(MPI_COMM_WORLD); ++root) {
        EXPECT(broadcast(on_host, root, ++seed));
        EXPECT(last_was_served() == !everything);
        EXPECT(broadcast(on_device, root, ++seed));
        EXPECT(!last_was_served());
    }
    return checking::finish();
}
