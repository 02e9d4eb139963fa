// What the engine's own work costs per segment: the pipeline as emitted libraries run it, and beside it the same
// transfers written out by hand, once with everything read at run time and once with segment size and place in the tree
// known to the compiler. The difference of the last two is what a routine made for one segment size could gain; that of
// the first two is what the engine costs beyond the least there is to do.
//
//   build/segment_price --benchmark_enable_random_interleaving=true --benchmark_repetitions=9
//       one core, an MPI that completes everything at once
//   mpiexec.mpich -n 2 build/segment_price.mpich --benchmark_repetitions=9 --benchmark_report_aggregates_only=true
//       two ranks of this host: what is left of it over a real MPI
//
// Times are of a message of 256 segments; per_segment is that of one (figures: docs/adr/0013).
#include <benchmark/benchmark.h>
#include <mpi.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "bcast/pipeline/lane.hpp"
#include "bcast/pipeline/pipeline.hpp"

namespace {

using bcast::mpi;

#ifndef SEGMENT_PRICE_REAL

// ---- An MPI that completes everything at once: the requests are all there is. ----

/// What the segments that come from the parent say, in turn.
bcast::SegmentTags tags_of_parent;
int left_to_come = 0;

/// A request is a number: 1 for a send, for a receive how many segments are left, and 1.
int start_transfer(MPI_Request* request, int number) {
    std::memcpy(request, &number, sizeof number);
    return MPI_SUCCESS;
}

int instant_send(const void* /*data*/, int, MPI_Datatype, int, int, MPI_Comm, MPI_Request* request) {
    return start_transfer(request, 1);
}

int instant_receive(void* /*data*/, int, MPI_Datatype, int, int, MPI_Comm, MPI_Request* request) {
    return start_transfer(request, 1 + left_to_come--);
}

/// The next request in turn, as if the wire served all alike.
int instant_wait(int count, MPI_Request* requests, int* index, MPI_Status* status) {
    static int turn = 0;
    for (int i = 0; i < count; ++i) {
        turn = turn + 1 < count ? turn + 1 : 0;
        if (requests[turn] == MPI_REQUEST_NULL) continue;
        if (status != MPI_STATUS_IGNORE) {
            int number = 0;
            std::memcpy(&number, &requests[turn], sizeof number);
            status->MPI_TAG = tags_of_parent.of(number - 1);
        }
        requests[turn] = MPI_REQUEST_NULL;
        *index = turn;
        return MPI_SUCCESS;
    }
    *index = MPI_UNDEFINED;
    return MPI_SUCCESS;
}

void use_instant_mpi() {
    mpi.Isend = instant_send;
    mpi.Issend = instant_send;
    mpi.Irecv = instant_receive;
    mpi.Waitany = instant_wait;
    mpi.Query_thread = [](int* level) {
        *level = MPI_THREAD_SINGLE;
        return MPI_SUCCESS;
    };
    mpi.Type_size = [](MPI_Datatype, int* size) {
        *size = 1;
        return MPI_SUCCESS;
    };
    mpi.Type_get_extent = [](MPI_Datatype, MPI_Aint* low, MPI_Aint* extent) {
        *low = 0;
        *extent = 1;
        return MPI_SUCCESS;
    };
    mpi.Type_get_envelope = [](MPI_Datatype, int* integers, int* addresses, int* types, int* combiner) {
        *integers = *addresses = *types = 0;
        *combiner = MPI_COMBINER_NAMED;
        return MPI_SUCCESS;
    };
    mpi.Pack = [](const void*, int, MPI_Datatype, void*, int, int*, MPI_Comm) { return MPI_SUCCESS; };
    bcast::take_handles();
}

#endif

// ---- The transfers by hand. ----

/// What is broadcast, and this rank's place in the chain or tree.
struct Work {
    char* data;
    std::size_t bytes;
    std::size_t segment_bytes;
    int parent;                 // -1: none
    std::vector<int> children;  // none, one or two
    MPI_Comm comm;
};

constexpr int ahead = 4;      // receives posted ahead, as in the engine
constexpr int most_sent = 2;  // sends under way, to each child

/// As read at run time: a plain value of the work.
struct Read {
    static std::size_t segment_bytes(const Work& work) { return work.segment_bytes; }
    static bool receives(const Work& work) { return work.parent >= 0; }
    static std::size_t children(const Work& work) { return work.children.size(); }
};

/// As compiled in.
template <std::size_t segment, bool has_parent, std::size_t child_count>
struct Compiled {
    static constexpr std::size_t segment_bytes(const Work& /*work*/) { return segment; }
    static constexpr bool receives(const Work& /*work*/) { return has_parent; }
    static constexpr std::size_t children(const Work& /*work*/) { return child_count; }
};

/// Receives ahead, sends on what has come, in one event loop.
template <class Known>
void by_hand(const Work& work) {
    const std::size_t segment = Known::segment_bytes(work);
    const bool receives = Known::receives(work);
    const std::size_t children = Known::children(work);
    const auto segments = static_cast<int>((work.bytes + segment - 1) / segment);
    const auto length = [&](int at) {
        return static_cast<int>(std::min(segment, work.bytes - static_cast<std::size_t>(at) * segment));
    };
    const auto address = [&](int at) { return work.data + static_cast<std::size_t>(at) * segment; };
    MPI_Request requests[ahead + 2 * most_sent];
    std::fill(std::begin(requests), std::end(requests), MPI_REQUEST_NULL);
    bool done[ahead + 2 * most_sent] = {};
    int posted = 0;
    int arrived = receives ? 0 : segments;
    int started[2] = {};
    int sent[2] = {};
    while (true) {
        while (receives && arrived < posted && done[arrived % ahead]) done[arrived++ % ahead] = false;
        while (receives && posted < segments && posted < arrived + ahead) {
            mpi.Irecv(address(posted), length(posted), MPI_BYTE, work.parent, 0, work.comm, &requests[posted % ahead]);
            ++posted;
        }
        bool all = arrived == segments;
        for (std::size_t child = 0; child < children; ++child) {
            const std::size_t first = ahead + child * most_sent;
            const auto slot = [&](int at) { return first + static_cast<std::size_t>(at % most_sent); };
            while (sent[child] < started[child] && done[slot(sent[child])]) done[slot(sent[child]++)] = false;
            while (started[child] < arrived && started[child] < sent[child] + most_sent) {
                mpi.Isend(address(started[child]), length(started[child]), MPI_BYTE, work.children[child], 0, work.comm,
                          &requests[slot(started[child])]);
                ++started[child];
            }
            all = all && sent[child] == segments;
        }
        if (all) return;
        int index = 0;
        mpi.Waitany(static_cast<int>(ahead + children * most_sent), requests, &index, MPI_STATUS_IGNORE);
        done[index] = true;
    }
}

// ---- The engine. ----

class Engine {
  public:
    void run(const Work& work) {
        if (role_.trees.empty()) {
            role_.trees.resize(1);
            role_.trees[0].parent = work.parent;
            role_.trees[0].children = work.children;
        }
        message_.describe(work.data, static_cast<std::int64_t>(work.bytes), MPI_BYTE, 1, work.comm);
        const bcast::Lanes lanes{work.comm, work.comm, bcast::most_length_bits};
#ifndef SEGMENT_PRICE_REAL
        tags_of_parent = bcast::SegmentTags(work.bytes, lanes.length_bits);
        left_to_come = static_cast<int>((work.bytes + work.segment_bytes - 1) / work.segment_bytes);
#endif
        bcast::Failure failure;
        pipeline_.run(role_, message_, {work.segment_bytes, 0}, lanes, failure);
        if (failure.any()) std::abort();
    }

  private:
    bcast::Role role_;
    bcast::Message message_;
    bcast::Pipeline pipeline_;
};

// ---- Times. ----

constexpr int segments_of_a_message = 256;

enum class Way { engine, by_hand, compiled };

/// Broadcasts a message of many segments again and again; reports ns per segment.
template <Way way, std::size_t segment, bool has_parent, std::size_t child_count>
void broadcast(benchmark::State& state, Work work) {
    std::vector<char> memory(segment * segments_of_a_message);
    work.data = memory.data();
    work.bytes = memory.size();
    work.segment_bytes = segment;
    Engine engine;
    for ([[maybe_unused]] auto _ : state) {
        if constexpr (way == Way::engine) {
            engine.run(work);
        } else if constexpr (way == Way::by_hand) {
            by_hand<Read>(work);
        } else {
            by_hand<Compiled<segment, has_parent, child_count>>(work);
        }
    }
    const auto segments = static_cast<double>(state.iterations() * segments_of_a_message);
    state.counters["per_segment"] =
        benchmark::Counter(segments, benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
}

template <std::size_t segment, bool has_parent, std::size_t child_count>
void add_size(const std::string& place, const Work& work, benchmark::IterationCount iterations) {
    const auto add = [&](const char* way, auto function) {
        const std::string name = place + "/" + std::to_string(segment) + "/" + way;
        benchmark::internal::Benchmark* one = benchmark::RegisterBenchmark(
            name.c_str(), [work, function](benchmark::State& state) { function(state, work); });
        one->UseRealTime();
        if (iterations > 0) one->Iterations(iterations);
    };
    add("engine", broadcast<Way::engine, segment, has_parent, child_count>);
    add("by_hand", broadcast<Way::by_hand, segment, has_parent, child_count>);
    add("compiled", broadcast<Way::compiled, segment, has_parent, child_count>);
}

/// Segments from a byte to 64K. `iterations`: of each benchmark; 0: as many as its time takes.
template <bool has_parent, std::size_t child_count>
void add_sizes(const std::string& place, const Work& work, benchmark::IterationCount iterations = 0) {
    add_size<1, has_parent, child_count>(place, work, iterations);
    add_size<1024, has_parent, child_count>(place, work, iterations);
    add_size<8192, has_parent, child_count>(place, work, iterations);
    add_size<65536, has_parent, child_count>(place, work, iterations / 16);
}

#ifdef SEGMENT_PRICE_REAL

/// For ranks that only take part.
class Silent : public benchmark::BenchmarkReporter {
  public:
    bool ReportContext(const Context& /*context*/) override { return true; }
    void ReportRuns(const std::vector<Run>& /*runs*/) override {}
};

void run_all(int* argc, char*** argv) {
    MPI_Init(argc, argv);
    benchmark::Initialize(argc, *argv);
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (!bcast::bind_mpi()) MPI_Abort(MPI_COMM_WORLD, 2);
    bcast::take_handles();
    // Both ranks run the same benchmarks equally often, each its own end of them.
    constexpr benchmark::IterationCount iterations = 320;
    if (rank == 0) {
        add_sizes<false, 1>("root_of_two_ranks", {nullptr, 0, 0, -1, {1}, MPI_COMM_WORLD}, iterations);
        benchmark::RunSpecifiedBenchmarks();
    } else {
        Silent silent;
        add_sizes<true, 0>("root_of_two_ranks", {nullptr, 0, 0, 0, {}, MPI_COMM_WORLD}, iterations);
        benchmark::RunSpecifiedBenchmarks(&silent);
    }
    MPI_Finalize();
}

#else

void run_all(int* argc, char*** argv) {
    benchmark::Initialize(argc, *argv);
    use_instant_mpi();
    add_sizes<false, 1>("root", {nullptr, 0, 0, -1, {1}, MPI_COMM_SELF});
    add_sizes<true, 1>("chain", {nullptr, 0, 0, 0, {1}, MPI_COMM_SELF});
    add_sizes<true, 2>("two_children", {nullptr, 0, 0, 0, {1, 2}, MPI_COMM_SELF});
    add_sizes<true, 0>("leaf", {nullptr, 0, 0, 0, {}, MPI_COMM_SELF});
    benchmark::RunSpecifiedBenchmarks();
}

#endif

}  // namespace

int main(int argc, char** argv) {
    run_all(&argc, &argv);
    return 0;
}
