// SimGrid's own function, where one of ours stands before it.
#pragma once

#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>

namespace simulation {

/// Ends the simulation where there is none.
template <class Function>
Function next(const char* symbol) {
    void* found = dlsym(RTLD_NEXT, symbol);
    if (found == nullptr) {
        std::fprintf(stderr, "this SimGrid has no %s: it is not of a version that bcastgen knows\n", symbol);
        std::abort();
    }
    return reinterpret_cast<Function>(found);
}

}  // namespace simulation
