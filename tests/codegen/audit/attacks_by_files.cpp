// Files beside the emission's, and what stands in for one of its own.
#include <sys/stat.h>

#include "tests/codegen/audit/attack.hpp"

namespace bcastgen::testing {

namespace fs = std::filesystem;

namespace {

using Library = SampleDirectory;

constexpr const char* no_file = ": error: expected no such file: the compiler would look into it for a header";
constexpr const char* no_folder = ": error: expected no such folder: the compiler would look into it for headers";
constexpr const char* cmake_reads = ": error: expected no such file: CMake would read it";
constexpr const char* module_reads = ": error: expected no such file: the module system would read it";
constexpr const char* no_link = ": error: expected no symbolic link: it can lead elsewhere tomorrow";

const std::string say_while_loading = "message(\"foreign code runs\")\n";

/// A header that runs foreign code and then does what the one that it hides does.
std::string before(const std::string& include) {
    return foreign_code + include + "\n";
}

Attack header(const std::string& kind, const std::string& path, const std::string& include,
              const std::string& finding) {
    return {kind, path, [=](const Library& library) { library.write(path, before(include)); }, compiles_foreign_code(),
            finding};
}

std::vector<Attack> headers() {
    const std::string kind = "search paths";
    return {
        header(kind, "cstddef", "#include_next <cstddef>", std::string("lib/cstddef") + no_file),
        header(kind, "mpi.h", "#include_next <mpi.h>", std::string("lib/mpi.h") + no_file),
        header(kind, "dlfcn.h", "#include_next <dlfcn.h>", std::string("lib/dlfcn.h") + no_file),
        header(kind, "bits/functexcept.h", "#include_next <bits/functexcept.h>", std::string("lib/bits") + no_folder),
        header(kind, "sys/types.h", "#include_next <sys/types.h>", std::string("lib/sys") + no_folder),
        header(kind, "netinet/in.h", "#include_next <netinet/in.h>", std::string("lib/netinet") + no_folder),
        header(kind, "gnu/stubs.h", "#include_next <gnu/stubs.h>", std::string("lib/gnu") + no_folder),
        // A quoted name is looked for beside the file that includes it first.
        header("shadowing", "bcast/facts/bcast/trees/order.hpp", "#include_next <bcast/trees/order.hpp>",
               std::string("lib/bcast/facts/bcast") + no_folder),
        header("shadowing", "bcast/library/bcast/mpi/mpi_library.hpp", "#include_next <bcast/mpi/mpi_library.hpp>",
               std::string("lib/bcast/library/bcast") + no_folder),
        // __has_include turns on what nobody has seen.
        {"__has_include", "InfiniBand's headers",
         [](const Library& library) {
             library.write("infiniband/verbs.h", before("#include_next <infiniband/verbs.h>"));
             library.write("rdma/rdma_cma.h", "#include_next <rdma/rdma_cma.h>\n");
         },
         compiles_foreign_code(), std::string("lib/infiniband") + no_folder},
        {"precompiled headers", "in place of the first header",
         [](const Library& library) {
             Surroundings here;
             here.directory = library.path();
             library.write("foreign.hpp", foreign_code);
             run_program({"g++", "-std=c++17", "-DOMPI_SKIP_MPICXX", "-DMPICH_SKIP_MPICXX", "-x", "c++-header",
                          "foreign.hpp", "-o", "bcast/library/entry_points.hpp.gch"},
                         here);
             fs::remove(library.path("foreign.hpp"));
         },
         compiler_takes("entry_points.hpp.gch", {"-fpch-preprocess"}),
         "lib/bcast/library/entry_points.hpp.gch: error: expected no such file: the compiler would read it instead of "
         "the header"},
    };
}

Attack in_place_of(const std::string& name, const std::function<void(const Library&)>& make,
                   const std::string& finding) {
    return {"symbolic links", name, make, not_shown("the same bytes today, others tomorrow"), finding};
}

std::vector<Attack> links() {
    return {
        {"symbolic links", "a header's folder",
         [](const Library& library) {
             fs::rename(library.path("bcast/facts"), library.path("../facts"));
             library.write("../facts/cstdint", before("#include_next <cstdint>"));
             library.link("bcast/facts", library.path("../facts"));
             library.edit("../facts/site.hpp", "#include <cstdint>", "#include \"cstdint\"");
         },
         compiles_foreign_code(), std::string("lib/bcast/facts") + no_link},
        {"symbolic links", "a folder of headers",
         [](const Library& library) {
             library.write("../foreign/functexcept.h", before("#include_next <bits/functexcept.h>"));
             library.link("bits", library.path("../foreign"));
         },
         compiles_foreign_code(), std::string("lib/bits") + no_link},
        in_place_of(
            "a header",
            [](const Library& library) {
                library.write("../order.hpp", library.text("bcast/trees/order.hpp"));
                library.link("bcast/trees/order.hpp", library.path("../order.hpp"));
            },
            std::string("lib/bcast/trees/order.hpp") + no_link),
        in_place_of(
            "the build file",
            [](const Library& library) {
                library.write("../CMakeLists.txt", library.text("CMakeLists.txt"));
                library.link("CMakeLists.txt", library.path("../CMakeLists.txt"));
            },
            std::string("lib/CMakeLists.txt") + no_link),
        in_place_of(
            "to nothing", [](const Library& library) { library.link("vector", "nowhere"); },
            std::string("lib/vector") + no_link),
    };
}

const std::string poisoned_cache = "CMAKE_PROJECT_INCLUDE:FILEPATH=";

std::vector<Attack> cmake_files() {
    const auto presets = [](const char* file) {
        return [file](const Library& library) {
            library.write("evil.txt", say_while_loading);
            library.write(file, R"({"version": 3, "configurePresets": [{"name": "mpich", "binaryDir": "../b", )"
                                R"("generator": "Unix Makefiles", "cacheVariables": {"CMAKE_PROJECT_INCLUDE": ")" +
                                    library.path("evil.txt").string() + R"("}}]})");
        };
    };
    return {
        {"CMake's files", "CMakePresets.json", presets("CMakePresets.json"),
         cmake_runs_foreign_code({"--preset", "mpich"}), std::string("lib/CMakePresets.json") + cmake_reads},
        {"CMake's files", "CMakeUserPresets.json", presets("CMakeUserPresets.json"),
         cmake_runs_foreign_code({"--preset", "mpich"}), std::string("lib/CMakeUserPresets.json") + cmake_reads},
        {"CMake's files", "a cache beside the sources",
         [](const Library& library) {
             library.write("evil.txt", say_while_loading);
             library.write("CMakeCache.txt", poisoned_cache + library.path("evil.txt").string() + "\n");
         },
         cmake_runs_foreign_code({"."}), std::string("lib/CMakeCache.txt") + cmake_reads},
        {"CMake's files", "a cache where the next build will be",
         [](const Library& library) {
             library.write("evil.txt", say_while_loading);
             library.write("build/mpich/CMakeCache.txt", poisoned_cache + library.path("evil.txt").string() + "\n");
         },
         cmake_runs_foreign_code({"-S", ".", "-B", "build/mpich"}),
         "lib/build/mpich/CMakeCache.txt: error: expected no more than libbcast_small.so here: CMake would take "
         "settings "
         "and compiled code from what it left. Remove build/ and build again"},
        {"CMake's files", "a folder for its results", [](const Library& library) { library.write("CMakeFiles/x", ""); },
         not_shown("with a cache beside it, as above"), std::string("lib/CMakeFiles") + no_folder},
        {"CMake's files", "a toolchain",
         [](const Library& library) { library.write("toolchain.cmake", say_while_loading); },
         cmake_runs_foreign_code({"-S", ".", "-B", "../b", "-DCMAKE_TOOLCHAIN_FILE=toolchain.cmake"}),
         std::string("lib/toolchain.cmake") + cmake_reads},
        {"CMake's files", "a module of its own for MPI",
         [](const Library& library) { library.write("FindMPI.cmake", say_while_loading); },
         cmake_runs_foreign_code({"-S", ".", "-B", "../b", "-DCMAKE_MODULE_PATH=."}),
         std::string("lib/FindMPI.cmake") + cmake_reads},
        {"make's files", "GNUmakefile",
         [](const Library& library) { library.write("GNUmakefile", "all:\n\t@echo foreign code runs\n"); },
         make_runs_foreign_code(), std::string("lib/GNUmakefile") + no_file},
    };
}

std::vector<Attack> other_files() {
    const std::string module = "#%Module\nputs stderr {foreign code runs}\n";
    const auto with = [](const char* file, const std::string& text) {
        return [=](const Library& library) { library.write(file, text); };
    };
    return {
        {"module systems' files", ".modulerc", with(".modulerc", module), module_runs_foreign_code(),
         std::string("lib/.modulerc") + module_reads},
        {"module systems' files", ".version", with(".version", module), module_runs_foreign_code(),
         std::string("lib/.version") + module_reads},
        {"module systems' files", ".modulecache", with(".modulecache", module),
         not_shown("Environment Modules read it from 5.3 on"), std::string("lib/.modulecache") + module_reads},
        {"module systems' files", "Lmod's", with("modulefile.lua", "os.execute('echo foreign code runs')\n"),
         not_shown("Lmod takes it before modulefile"), std::string("lib/modulefile.lua") + module_reads},
        {"response files", "flags.rsp", with("flags.rsp", "-include /tmp/foreign.hpp\n"),
         not_shown("read once CXXFLAGS or a toolchain names it"), std::string("lib/flags.rsp") + no_file},
        {"response files", "compile_flags.txt", with("compile_flags.txt", "-include\n/tmp/foreign.hpp\n"),
         not_shown("clang's tools read it"), std::string("lib/compile_flags.txt") + no_file},
        {"other files", "sources", with("more.cpp", foreign_code), not_shown("a CMakeLists.txt may glob"),
         std::string("lib/more.cpp") + no_file},
        {"other files", "objects", with("mpi_bcast.o", "ELF"), not_shown("make in the folder takes it for its own"),
         std::string("lib/mpi_bcast.o") + no_file},
        {"other files", "compiled code where CMake would have put it",
         with("build/mpich/CMakeFiles/bcast.dir/mpi_bcast.cpp.o", "ELF"), not_shown("with CMake's cache, as above"),
         "lib/build/mpich/CMakeFiles"},
        {"other files", "a file's name that is a command to terminals", with("\x1b[2Kcstdlib", ""),
         not_shown("names are shown in findings"), std::string("lib/?[2Kcstdlib") + no_file},
        {"other files", "a header missing",
         [](const Library& library) { fs::remove(library.path("bcast/facts/site.hpp")); },
         not_shown("another of that name would be found"),
         "lib/bcast/facts/site.hpp: error: expected this file, found none"},
        {"pipes and devices", "a pipe for a header",
         [](const Library& library) {
             fs::remove(library.path("bcast/facts/site.hpp"));
             mkfifo(library.path("bcast/facts/site.hpp").c_str(), 0600);
         },
         not_shown("gives each reader what its writer likes"),
         "lib/bcast/facts/site.hpp: error: expected a file or nothing, found a pipe, a socket or a device"},
        {"pipes and devices", "a folder for a header",
         [](const Library& library) {
             fs::remove(library.path("bcast/facts/site.hpp"));
             library.write("bcast/facts/site.hpp/site.hpp", "");
         },
         not_shown("GCC looks further for a file"), std::string("lib/bcast/facts/site.hpp") + no_folder},
    };
}

}  // namespace

std::vector<Attack> attacks_by_files() {
    std::vector<Attack> all;
    for (const auto& some : {headers(), links(), cmake_files(), other_files()})
        all.insert(all.end(), some.begin(), some.end());
    return all;
}

}  // namespace bcastgen::testing
