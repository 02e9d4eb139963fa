// The one source that holds the emitted library: what mpi_bcast.cpp is in an emitted directory.
#include "library.hpp"

#include <cstring>

#include "bcast/library/broadcast_by.hpp"
#include "bcast/library/entry_points.hpp"

namespace simulator {

namespace {

struct Library {
    Surroundings surroundings;
    bcast::State* state = nullptr;
};

const Library& library() {
    return *static_cast<const Library*>(self().library);
}

const char* variable(const char* name) {
    const char* found = nullptr;
    for (const auto& [known, value] : *library().surroundings.variables) {
        if (known == name) found = value.c_str();
    }
    return found;
}

int yield() {
    Rank& rank = self();
    const Within mpi(rank.in_mpi);  // what the scheduler allocates is not the library's to be refused
    rank.job.scheduler.pause();
    return 0;
}

/// A rank copies to or from shared memory: others run meanwhile, or not, and time passes.
void copying(std::size_t bytes) {
    Rank& rank = self();
    const Within mpi(rank.in_mpi);
    rank.job.scheduler.found();
    if (rank.job.random.chance(0.5)) {
        rank.job.scheduler.sleep(rank.job.about(static_cast<double>(bytes + 1) / 1e10));
    } else {
        rank.job.scheduler.give_way();
    }
}

/// A function of the MPI's, as the library calls it.
template <auto function>
struct Called;

template <class Result, class... Arguments, Result (*function)(Arguments...)>
struct Called<function> {
    static Result call(Arguments... arguments) {
        Rank* rank = self_or_none();
        if (rank == nullptr) return function(arguments...);
        const Within mpi(rank->in_mpi);
        return function(arguments...);
    }
};

void fill_table() {
#define SIMULATOR_CALL(name) bcast::mpi.name = &Called<&PMPI_##name>::call;
    BCAST_MPI_FUNCTIONS(SIMULATOR_CALL)
#if MPI_VERSION >= 4
    SIMULATOR_CALL(Bcast_c)
    SIMULATOR_CALL(Pack_c)
    SIMULATOR_CALL(Unpack_c)
#endif
#undef SIMULATOR_CALL
    bcast::mpi.yield = yield;
    bcast::mpi.copying = copying;
}

}  // namespace

void load_library(Rank& rank, const Surroundings& surroundings) {
    auto* library = new Library{surroundings, nullptr};
    rank.library = library;
    library->state = new bcast::State;
    library->state->process.variable = variable;
    library->state->process.ring = surroundings.ring;
    fill_table();
    rank.job.scheduler.set_abandoned(true);
    use_library_of(&rank);
}

void unload_library(Rank& rank) {
    auto* library = static_cast<Library*>(rank.library);
    delete library->state;
    delete library;
    rank.library = nullptr;
    rank.job.scheduler.set_abandoned(false);
    use_library_of(&rank);
}

void use_library_of(void* rank) {
    static bcast::State* const of_nobody = bcast::state();  // the one that a real process would have
    const auto* library = static_cast<const Library*>(static_cast<Rank*>(rank)->library);
    bcast::state() = library != nullptr ? library->state : of_nobody;
    bcast::reserve() = &bcast::state()->process.reserve;
}

std::string prepare(MPI_Comm comm) {
    return bcast::set_up_for_choice(comm);
}

int broadcast_by(const bcast::Choice& choice, void* buffer, int count, MPI_Datatype type, int root, MPI_Comm comm) {
    return bcast::broadcast_by(choice, buffer, count, type, root, comm);
}

bool is_declined(MPI_Comm comm) {
    const bcast::Communicator* communicator = bcast::communicators().find(comm, 0);
    return communicator == nullptr || communicator->rule(1).compare(0, 8, "declined") == 0;
}

}  // namespace simulator

namespace bcast {

const Site& site() {
    static const Site nowhere{};
    const simulator::Rank* rank = simulator::self_or_none();
    return rank != nullptr && rank->library != nullptr ? *simulator::library().surroundings.site : nowhere;
}

}  // namespace bcast
