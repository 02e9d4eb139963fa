// What all calls begin and end with, and those about the process.
#include <algorithm>
#include <cstring>
#include <exception>

#include "job.hpp"

namespace simulator {

namespace {

/// The fault that is meant for this call of this rank's, if any; `count`: the call counts as one more.
const Fault* fault_of(Rank& rank, const char* call, bool count) {
    if (rank.job.habits.faults.empty() || rank.in_library == 0) return nullptr;
    auto found =
        std::find_if(rank.calls.begin(), rank.calls.end(), [&](const auto& entry) { return entry.first == call; });
    if (found == rank.calls.end()) found = rank.calls.insert(rank.calls.end(), {call, 0});
    if (count) ++found->second;
    for (const Fault& fault : rank.job.habits.faults) {
        if (fault.call != call || (fault.rank != rank.number && fault.rank != Fault::all_ranks)) continue;
        const int after = found->second - 1 - fault.number;
        if (after == 0 || (after > 0 && fault.every > 0 && after % fault.every == 0)) return &fault;
    }
    return nullptr;
}

}  // namespace

int enter(const Step& step, MPI_Comm comm) {
    Rank& rank = self();
    rank.step = step;
    if (std::uncaught_exceptions() > 0) return MPI_ERR_OTHER;  // the rank is being ended
    if (!rank.initialised) rank.job.fail(std::string(step.call) + " outside of MPI_Init and MPI_Finalize");
    for (const auto& [number, when_s] : rank.job.habits.stops) {
        if (number == rank.number && rank.job.scheduler.now_s() >= when_s) rank.job.scheduler.stop();
    }
    rank.job.scheduler.give_way();
    const Fault* fault = fault_of(rank, step.call, true);
    if (fault == nullptr || fault->how != Fault::How::at_once) return MPI_SUCCESS;
    ++rank.job.faults;
    return raise(comm, fault->error);
}

int leave(const char* call, MPI_Comm comm) {
    const Fault* fault = fault_of(self(), call, false);
    if (fault == nullptr || fault->how != Fault::How::after) return MPI_SUCCESS;
    ++self().job.faults;
    return raise(comm, fault->error);
}

int lose(const char* call) {
    const Fault* fault = fault_of(self(), call, false);
    if (fault == nullptr || fault->how != Fault::How::lost) return MPI_SUCCESS;
    ++self().job.faults;
    return fault->error;
}

int raise(MPI_Comm comm, int error) {
    if (error == MPI_SUCCESS) return error;
    Rank& rank = self();
    Communicator* communicator = find_communicator(comm);
    const MPI_Errhandler handler = communicator != nullptr ? communicator->errhandler : rank.world.errhandler;
    if (handler == MPI_ERRORS_RETURN) return error;
    if (Errhandler* own = rank.errhandlers.find(handler)) {
        own->function(&comm, &error);
        return error;
    }
    rank.job.fail("an error ends the program: code " + std::to_string(error) + " in " + rank.step.call);
    return error;
}

Communicator* find_communicator(MPI_Comm comm) {
    Rank& rank = self();
    if (comm == MPI_COMM_WORLD) return &rank.world;
    if (comm == MPI_COMM_SELF) return &rank.self;
    if (comm == MPI_COMM_NULL) return nullptr;
    std::unique_ptr<Communicator>* found = rank.communicators.find(comm);
    if (found == nullptr) rank.job.fail(std::string(rank.step.call) + " on a communicator that is no more");
    return found != nullptr ? found->get() : nullptr;
}

}  // namespace simulator

using simulator::enter;
using simulator::Rank;
using simulator::self;

extern "C" {

int PMPI_Init(int* /*argc*/, char*** /*argv*/) {
    self().initialised = true;
    return MPI_SUCCESS;
}

int PMPI_Finalize() {
    Rank& rank = self();
    enter({"Finalize"});
    simulator::remove_attributes(MPI_COMM_SELF, rank.self);
    PMPI_Barrier(MPI_COMM_WORLD);
    simulator::remove_attributes(MPI_COMM_WORLD, rank.world);
    rank.initialised = false;
    rank.step = {"MPI_Finalize, which it has left"};
    return MPI_SUCCESS;
}

int PMPI_Abort(MPI_Comm /*comm*/, int error) {
    Rank& rank = self();
    rank.job.aborted = true;
    rank.job.fail("ends the job, error " + std::to_string(error));
    return MPI_SUCCESS;
}

int PMPI_Initialized(int* flag) {
    *flag = self().initialised ? 1 : 0;
    return MPI_SUCCESS;
}

int PMPI_Query_thread(int* level) {
    *level = self().thread_level;
    return MPI_SUCCESS;
}

int PMPI_Get_library_version(char* text, int* length) {
    std::strcpy(text, "simulated MPI");
    *length = static_cast<int>(std::strlen(text));
    return MPI_SUCCESS;
}

int PMPI_Get_processor_name(char* name, int* length) {
    if (const int error = enter({"Get_processor_name"}); error != MPI_SUCCESS) return error;
    const std::string& processor = self().processor;
    std::memcpy(name, processor.c_str(), processor.size() + 1);
    *length = static_cast<int>(processor.size());
    return MPI_SUCCESS;
}

double PMPI_Wtime() {
    return self().job.scheduler.now_s();
}

}  // extern "C"
