// Windows of shared memory. All ranks are in one process: they share what the first to come has made.
#include <cstddef>

#include "collectives.hpp"

using namespace simulator;

extern "C" {

int PMPI_Win_allocate_shared(MPI_Aint bytes, int /*unit*/, MPI_Info /*info*/, MPI_Comm comm, void* base,
                             MPI_Win* window) {
    if (const int error = enter({"Win_allocate_shared"}, comm); error != MPI_SUCCESS) return error;
    const Communicator* communicator = find_communicator(comm);
    if (communicator == nullptr) return raise(comm, MPI_ERR_COMM);
    Rank& rank = self();
    if (communicator->rank != 0 && bytes != 0) rank.job.fail("a window of which not all is the first rank's");
    const std::shared_ptr<Context> context = communicator->context;
    const int number = communicator->rank;
    Member member(Collective::Kind::window, *context, number, 0);
    if (number == 0) {
        member().refused = rank.job.habits.most_windows == 0;
        if (!member().refused) --rank.job.habits.most_windows;
        member().memory = std::make_shared<std::vector<char>>(static_cast<std::size_t>(bytes), '\x7f');
    }
    member.wait_for_all();
    if (member().refused) return raise(comm, MPI_ERR_NO_MEM);
    const std::shared_ptr<std::vector<char>> memory = member().memory;
    if (const int error = leave("Win_allocate_shared", comm); error != MPI_SUCCESS) return error;
    *static_cast<char**>(base) = memory->data();
    *window = rank.windows.add({context, number, memory});
    return MPI_SUCCESS;
}

int PMPI_Win_shared_query(MPI_Win window, int /*rank*/, MPI_Aint* bytes, int* unit, void* base) {
    if (const int error = enter({"Win_shared_query"}); error != MPI_SUCCESS) return error;
    const SharedWindow* found = self().windows.find(window);
    if (found == nullptr) self().job.fail("Win_shared_query of a window that is no more");
    *bytes = static_cast<MPI_Aint>(found->memory->size());
    *unit = 1;
    *static_cast<char**>(base) = found->memory->data();
    return MPI_SUCCESS;
}

int PMPI_Win_free(MPI_Win* window) {
    if (const int error = enter({"Win_free"}); error != MPI_SUCCESS) return error;
    const SharedWindow* found = self().windows.find(*window);
    if (found == nullptr) self().job.fail("Win_free of a window that is no more");
    Member member(Collective::Kind::free_window, *found->context, found->rank, 0);
    member.wait_for_all();
    self().windows.remove(*window);
    *window = MPI_WIN_NULL;
    return MPI_SUCCESS;
}

}  // extern "C"
