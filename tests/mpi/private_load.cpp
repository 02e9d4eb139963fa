// A program that knows nothing of MPI and loads a plug-in, which brings MPI along, out of everybody else's sight.
#include <dlfcn.h>

#include <cstdio>

int main(int argc, char** argv) {
    void* plugin = argc > 1 ? dlopen(argv[1], RTLD_NOW | RTLD_LOCAL) : nullptr;
    if (plugin == nullptr) {
        std::fprintf(stderr, "cannot load the plug-in: %s\n", dlerror());
        return 1;
    }
    if (dlsym(RTLD_DEFAULT, "PMPI_Bcast") != nullptr) {
        std::fprintf(stderr, "MPI is in everybody's sight: nothing is tested\n");
        return 1;
    }
    using Run = int (*)();
    const auto run = reinterpret_cast<Run>(dlsym(plugin, "run_plugin"));
    return run != nullptr ? run() : 1;
}
