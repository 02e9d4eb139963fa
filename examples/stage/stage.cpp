// Copies a file or a directory to every machine of a job by MPI_Bcast. See README.md.
#include <mpi.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <random>

#include "arguments.hpp"
#include "destination.hpp"
#include "digest.hpp"
#include "failure.hpp"
#include "machines.hpp"
#include "size_text.hpp"
#include "transfer.hpp"

namespace stage {

namespace {

constexpr std::uint64_t journal_format = 0x31656761747362;  // "bstage1"
constexpr std::uint64_t manifest_key = 0x9e3779b97f4a7c15;  // any: a name for the source, not a proof

enum ExitCode { exit_done = 0, exit_failed = 1, exit_bad_input = 2 };

/// Rank 0's list of what there is, on all machines.
Manifest shared_manifest(const Machines& machines, const std::string& source, std::vector<char>& bytes) {
    machines.together([&] {
        if (machines.is_root()) bytes = Manifest::of_source(source).to_bytes();
    });
    machines.share(bytes);
    return Manifest::from_bytes(bytes);
}

/// A staging that was cut goes on under its own key.
JournalHead head_for(const Destination& destination, std::uint64_t source, std::uint64_t chunk_bytes) {
    std::random_device random;
    const std::uint64_t key = digest_key(std::uint64_t{random()} << 32 | random());
    const JournalHead fresh{journal_format, source, chunk_bytes, key};
    const std::optional<JournalHead> before = destination.left_behind();
    return before && before->same_source(fresh) ? *before : fresh;
}

/// The first chunk that some machine lacks.
std::uint64_t first_chunk(const Machines& machines, const Destination& destination, std::uint64_t there) {
    const std::uint64_t first = machines.least(there);
    const std::uint64_t own = destination.digest_of_first(first);
    std::uint64_t roots = own;
    machines.share(&roots, sizeof roots);
    return machines.least(own == roots ? 1 : 0) == 1 ? first : 0;
}

void stage(const Machines& machines, const Arguments& arguments) {
    std::vector<char> listed;
    const Manifest manifest = shared_manifest(machines, arguments.source, listed);
    Destination destination(arguments.directory, arguments.name, manifest);
    JournalHead head{};
    machines.together([&] {
        const std::uint64_t source = digest(manifest_key, listed.data(), listed.size());
        if (machines.is_root()) head = head_for(destination, source, arguments.chunk_bytes);
    });
    machines.share(&head, sizeof head);
    std::uint64_t there = 0;
    machines.together([&] { there = destination.prepare(head); });
    const std::uint64_t first = first_chunk(machines, destination, there);
    const bool says = machines.is_root() && !arguments.quiet;
    if (says && first > 0) {
        std::fprintf(stderr, "bcastgen-stage: %s: going on after %s\n", arguments.name.c_str(),
                     size_text(first * head.chunk_bytes).c_str());
    }
    const double started = MPI_Wtime();
    transfer(machines, arguments, manifest, head, destination, first);
    machines.together([&] { destination.finish(); });
    machines.together([&] { destination.publish(); });
    if (!says) return;
    const double seconds = MPI_Wtime() - started;
    const std::uint64_t sent = manifest.stream_bytes() - std::min(first * head.chunk_bytes, manifest.stream_bytes());
    std::printf("%s: %s to %d machines in %.2f s, %s/s\n", arguments.name.c_str(), size_text(sent).c_str(),
                machines.count(), seconds,
                size_text(static_cast<std::uint64_t>(static_cast<double>(sent) / seconds)).c_str());
}

int run(const Arguments& arguments) {
    const Machines machines;
    int code = exit_done;
    if (machines.is_writer()) {
        try {
            stage(machines, arguments);
        } catch (const Failure& failed) {
            code = dynamic_cast<const BadInput*>(&failed) != nullptr ? exit_bad_input : exit_failed;
            if (machines.is_root()) std::fprintf(stderr, "bcastgen-stage: %s\n", failed.what());
        }
    }
    return Machines::outcome(code);
}

int run_words(int count, const char* const* words, bool says) {
    try {
        const Arguments arguments = read_arguments(count, words);
        if (!arguments.help) return run(arguments);
        if (says) std::fputs(help_text, stdout);
        return exit_done;
    } catch (const BadInput& wrong) {  // the same words on all ranks, so all end here
        if (says) std::fprintf(stderr, "bcastgen-stage: %s\n", wrong.what());
        return exit_bad_input;
    }
}

}  // namespace

}  // namespace stage

int main(int count, char** words) {
    std::signal(SIGXFSZ, SIG_IGN);  // a limit on files' sizes is an error as a full disk is
    // Under bcastgen's library, unless the user has chosen: one broadcast follows the other, so a chain is filled once
    // for all of them, and no other tree leaves a port more even work.
    setenv("BCASTGEN_ALGORITHM", "linear", 0);
    int threads = 0;
    MPI_Init_thread(&count, &words, MPI_THREAD_MULTIPLE, &threads);  // more than one only when nothing moves
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    const int code = stage::run_words(count, words, rank == 0);
    MPI_Finalize();
    return code;
}
