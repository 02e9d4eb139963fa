#include "arguments.hpp"

#include <cstdlib>
#include <vector>

#include "failure.hpp"

namespace stage {

const char* const help_text = R"(Usage: mpiexec -n RANKS bcastgen-stage [--chunk SIZE] [--quiet] SOURCE DIRECTORY

Copies SOURCE, a file or a directory with all below it that rank 0 can read, into DIRECTORY on every machine
of the job, by MPI_Bcast. It gets its name there when it has been read back and found right on all machines.
What was cut (Ctrl-C, a full disk) goes on from there when it is started again.

  --chunk SIZE   bytes of one broadcast, from 64K to 1G (4M); machines have five of them in memory
  --quiet        say nothing but errors
  --help         print this

Examples:
  mpiexec -n 32 bcastgen-stage /shared/image.sqsh /local
  srun --ntasks-per-node=1 bcastgen-stage /shared/data-set /local          a directory
  LD_PRELOAD=/opt/bcast/lib/mpich/libbcast_my-cluster.so mpiexec -n 32 bcastgen-stage /shared/image.sqsh /local

One rank of each machine writes; more than one change nothing.

Exit codes: 0 done, 1 something failed on the machine that is named, 2 wrong arguments or no SOURCE.
)";

namespace {

std::uint64_t chunk_size(const std::string& text) {
    constexpr std::uint64_t least = std::uint64_t{64} << 10;
    constexpr std::uint64_t most = std::uint64_t{1} << 30;
    char* end = nullptr;
    std::uint64_t bytes = text.empty() || text[0] < '0' || text[0] > '9' ? 0 : std::strtoull(text.c_str(), &end, 10);
    const std::string unit = end == nullptr ? "?" : end;
    const int shift = unit == "K" ? 10 : unit == "M" ? 20 : unit == "G" ? 30 : 0;
    const bool known = shift > 0 || unit.empty();
    if (!known || bytes > most || bytes << shift < least || bytes << shift > most) {
        throw BadInput("--chunk " + text + ": a size from 64K to 1G, as 4M");
    }
    return bytes << shift;
}

std::string without_last_slashes(std::string path) {
    while (path.size() > 1 && path.back() == '/') path.pop_back();
    return path;
}

}  // namespace

Arguments read_arguments(int count, const char* const* words) {
    Arguments arguments;
    std::vector<std::string> paths;
    bool options = true;
    for (int at = 1; at < count; ++at) {
        const std::string word = words[at];
        if (!options || word.empty() || word[0] != '-') {
            paths.push_back(word);
        } else if (word == "--") {
            options = false;
        } else if (word == "--help" || word == "-h") {
            arguments.help = true;
            return arguments;
        } else if (word == "--quiet") {
            arguments.quiet = true;
        } else if (word == "--chunk" && at + 1 < count) {
            arguments.chunk_bytes = chunk_size(words[++at]);
        } else if (word.rfind("--chunk=", 0) == 0) {
            arguments.chunk_bytes = chunk_size(word.substr(8));
        } else {
            throw BadInput(word + ": no such option, or its value is missing; see --help");
        }
    }
    if (paths.size() != 2 || paths[0].empty() || paths[1].empty()) {
        throw BadInput("name a source and a directory; see --help");
    }
    arguments.source = without_last_slashes(paths[0]);
    arguments.directory = without_last_slashes(paths[1]);
    arguments.name = arguments.source.substr(arguments.source.rfind('/') + 1);
    if (arguments.name.empty() || arguments.name == "." || arguments.name == "..") {
        throw BadInput(paths[0] + ": has no name; write it with its last component");
    }
    return arguments;
}

}  // namespace stage
