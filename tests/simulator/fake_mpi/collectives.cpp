// Collective calls: each rank's k-th on a communicator belongs to every other rank's k-th.
#include "collectives.hpp"

#include <algorithm>
#include <cstring>

namespace simulator {

namespace {

const char* name_of(Collective::Kind kind) {
    constexpr const char* names[] = {"Barrier",    "Bcast",     "Allgather",           "Allreduce", "Comm_create",
                                     "Comm_split", "Comm_free", "Win_allocate_shared", "Win_free"};
    return names[static_cast<std::size_t>(kind)];
}

template <class Number>
void combine(MPI_Op op, const Number* one, Number* all, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) {
        if (op == MPI_MIN) all[i] = std::min(all[i], one[i]);
        if (op == MPI_MAX) all[i] = std::max(all[i], one[i]);
        if (op == MPI_SUM) all[i] = static_cast<Number>(all[i] + one[i]);
    }
}

void combine(const Collective& call, const char* one, char* all) {
    if (call.type == MPI_INT) {
        combine(call.op, reinterpret_cast<const int*>(one), reinterpret_cast<int*>(all), call.bytes / sizeof(int));
    } else if (call.type == MPI_DOUBLE) {
        combine(call.op, reinterpret_cast<const double*>(one), reinterpret_cast<double*>(all),
                call.bytes / sizeof(double));
    } else {
        self().job.fail("a reduction of a type that is not simulated");
    }
}

/// Puts a rank's numbers to those of the others. The memory of vectors is aligned for them.
void contribute(Collective& call, const void* numbers) {
    const auto* bytes = static_cast<const char*>(numbers);
    if (call.data.empty()) {
        call.data.assign(bytes, bytes + call.bytes);
    } else {
        combine(call, bytes, call.data.data());
    }
}

}  // namespace

Member::Member(Collective::Kind kind, Context& context, int rank, std::size_t bytes, int root, MPI_Datatype type,
               MPI_Op op)
    : context_(context) {
    const auto at = static_cast<std::size_t>(rank);
    number_ = context.collectives_of[at]++;
    while (context.first_collective + context.collectives.size() <= number_) context.collectives.emplace_back();
    Collective& call = (*this)();
    if (call.arrived == 0) {
        call.kind = kind;
        call.bytes = bytes;
        call.root = root;
        call.type = type;
        call.op = op;
        call.here.assign(context.members.size(), 0);
    } else if (call.kind != kind || call.root != root || call.bytes != bytes || call.type != type || call.op != op) {
        self().job.fail(std::string(name_of(kind)) + " of " + std::to_string(bytes) + " bytes, root " +
                        std::to_string(root) + ", where another rank calls " + name_of(call.kind) + " of " +
                        std::to_string(call.bytes) + " bytes, root " + std::to_string(call.root));
    }
    call.here[at] = 1;
    ++call.arrived;
    if (rank == root) call.root_here = true;
    self().step = {name_of(kind), context.id, root, -1, static_cast<std::int64_t>(bytes)};
    if (call.arrived == context.size() || call.root_here) {
        for (const int member : context.members) self().job.scheduler.wake(member);
    }
}

Member::~Member() {
    if (number_ < context_.first_collective) return;
    if (++(*this)().left < context_.size()) return;
    while (!context_.collectives.empty() && context_.collectives.front().left == context_.size()) {
        context_.collectives.pop_front();
        ++context_.first_collective;
    }
}

Collective& Member::operator()() {
    return context_.collectives[static_cast<std::size_t>(number_ - context_.first_collective)];
}

void Member::wait_for_all() {
    while ((*this)().arrived < context_.size()) self().job.scheduler.block();
    take_a_while();
}

void Member::wait_for_root() {
    while (!(*this)().root_here) self().job.scheduler.block();
    take_a_while();
}

void Member::take_a_while() {
    Job& job = self().job;
    if (job.random.chance(0.5)) job.scheduler.sleep(job.about(job.habits.latency_s));
}

namespace {

int broadcast(void* buffer, std::int64_t count, MPI_Datatype type, int root, MPI_Comm comm) {
    const Communicator* communicator = find_communicator(comm);
    if (communicator == nullptr) return raise(comm, MPI_ERR_COMM);
    const std::shared_ptr<Type> layout = find_type(type);
    if (layout == nullptr || !layout->committed) return raise(comm, MPI_ERR_TYPE);
    if (count < 0) return raise(comm, MPI_ERR_COUNT);
    Context& context = *communicator->context;
    if (root < 0 || root >= context.size()) return raise(comm, MPI_ERR_ROOT);
    if (context.id == self().watched_context) ++self().native_broadcasts;
    const std::size_t bytes = static_cast<std::size_t>(count) * layout->bytes;
    Member member(Collective::Kind::bcast, context, communicator->rank, bytes, root);
    if (communicator->rank == root) {
        member().data.resize(bytes);
        pack(*layout, static_cast<const char*>(buffer), count, member().data.data());
        if (self().job.random.chance(0.3)) member.wait_for_all();
    } else {
        member.wait_for_root();
        unpack(*layout, member().data.data(), static_cast<char*>(buffer), count);
    }
    return leave("Bcast", comm);
}

}  // namespace

void Request::happen(int /*what*/) {
    // Ranks that end a reduction late still find it: each takes the result when it ends.
    simulator::complete(*this);
}

}  // namespace simulator

using namespace simulator;

extern "C" {

int PMPI_Barrier(MPI_Comm comm) {
    if (const int error = enter({"Barrier"}, comm); error != MPI_SUCCESS) return error;
    const Communicator* communicator = find_communicator(comm);
    if (communicator == nullptr) return raise(comm, MPI_ERR_COMM);
    Member member(Collective::Kind::barrier, *communicator->context, communicator->rank, 0);
    member.wait_for_all();
    return leave("Barrier", comm);
}

int PMPI_Bcast(void* buffer, int count, MPI_Datatype type, int root, MPI_Comm comm) {
    if (const int error = enter({"Bcast", -1, root, -1, count}, comm); error != MPI_SUCCESS) return error;
    return broadcast(buffer, count, type, root, comm);
}

#if MPI_VERSION >= 4
int PMPI_Bcast_c(void* buffer, MPI_Count count, MPI_Datatype type, int root, MPI_Comm comm) {
    if (const int error = enter({"Bcast", -1, root, -1, count}, comm); error != MPI_SUCCESS) return error;
    return broadcast(buffer, count, type, root, comm);
}
#endif

int PMPI_Allgather(const void* mine, int count, MPI_Datatype type, void* all, int /*all_count*/,
                   MPI_Datatype /*all_type*/, MPI_Comm comm) {
    if (const int error = enter({"Allgather", -1, -1, -1, count}, comm); error != MPI_SUCCESS) return error;
    const Communicator* communicator = find_communicator(comm);
    if (communicator == nullptr) return raise(comm, MPI_ERR_COMM);
    Context& context = *communicator->context;
    const std::size_t bytes = static_cast<std::size_t>(count) * find_type(type)->bytes;
    Member member(Collective::Kind::allgather, context, communicator->rank, bytes);
    member().data.resize(bytes * context.members.size());
    std::memcpy(member().data.data() + static_cast<std::size_t>(communicator->rank) * bytes, mine, bytes);
    member.wait_for_all();
    std::memcpy(all, member().data.data(), member().data.size());
    return leave("Allgather", comm);
}

int PMPI_Allreduce(const void* mine, void* all, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
    if (const int error = enter({"Allreduce", -1, -1, -1, count}, comm); error != MPI_SUCCESS) return error;
    const Communicator* communicator = find_communicator(comm);
    if (communicator == nullptr) return raise(comm, MPI_ERR_COMM);
    const std::size_t bytes = static_cast<std::size_t>(count) * find_type(type)->bytes;
    Member member(Collective::Kind::allreduce, *communicator->context, communicator->rank, bytes, -1, type, op);
    contribute(member(), mine);
    member.wait_for_all();
    std::memcpy(all, member().data.data(), bytes);
    return leave("Allreduce", comm);
}

int PMPI_Iallreduce(const void* mine, void* all, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm,
                    MPI_Request* request) {
    if (const int error = enter({"Iallreduce", -1, -1, -1, count}, comm); error != MPI_SUCCESS) return error;
    const Communicator* communicator = find_communicator(comm);
    if (communicator == nullptr) return raise(comm, MPI_ERR_COMM);
    Context& context = *communicator->context;
    Rank& rank = self();
    const std::size_t bytes = static_cast<std::size_t>(count) * find_type(type)->bytes;
    auto made = std::make_unique<Request>();
    made->kind = Request::Kind::reduction;
    made->owner = &rank;
    made->context = &context;
    made->buffer = static_cast<char*>(all);
    made->bytes = 0;  // not looked at for overlaps
    made->peer = -1;
    made->tag = -1;
    Request* reduction = made.get();
    rank.active.push_back(reduction);
    *request = rank.requests.add(std::move(made));
    Member member(Collective::Kind::allreduce, context, communicator->rank, bytes, -2, type, op);
    contribute(member(), mine);
    member().reductions.push_back(reduction);
    if (member().arrived < context.size()) return MPI_SUCCESS;
    for (Request* waiting : member().reductions) {
        std::memcpy(waiting->buffer, member().data.data(), bytes);
        rank.job.scheduler.after(rank.job.about(rank.job.habits.latency_s), *waiting, 0);
    }
    return MPI_SUCCESS;
}

}  // extern "C"
