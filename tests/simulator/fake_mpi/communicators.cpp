// Communicators and groups: made, asked, and freed.
#include <algorithm>
#include <map>
#include <numeric>

#include "collectives.hpp"

namespace simulator {

namespace {

/// The calling rank's handle on a communicator that it is a member of.
MPI_Comm take_part(const std::shared_ptr<Context>& context, MPI_Errhandler errhandler) {
    Rank& rank = self();
    const std::vector<int>& members = context->members;
    auto made = std::make_unique<Communicator>();
    made->context = context;
    made->rank = static_cast<int>(std::find(members.begin(), members.end(), rank.number) - members.begin());
    made->errhandler = errhandler;
    if (Errhandler* own = rank.errhandlers.find(errhandler)) ++own->uses;
    return rank.communicators.add(std::move(made));
}

bool contexts_are_left(Job& job) {
    if (job.habits.most_contexts == 0) return false;
    --job.habits.most_contexts;
    return true;
}

void check_unused(Rank& rank, const Context& context) {
    for (const Request* request : rank.active) {
        if (request->context == &context) rank.job.fail("a communicator is freed that a request is under way on");
    }
    if (context.alive == 0 && context.on_the_way != 0) {
        rank.job.fail("communicator " + std::to_string(context.id) + " is freed with messages that nobody received");
    }
}

/// MPI_Comm_split, also under another name.
int split(const char* name, MPI_Comm comm, int color, int key, MPI_Comm* made) {
    if (const int error = enter({name}, comm); error != MPI_SUCCESS) return error;
    const Communicator* communicator = find_communicator(comm);
    if (communicator == nullptr) return raise(comm, MPI_ERR_COMM);
    Rank& rank = self();
    Context& context = *communicator->context;
    const MPI_Errhandler errhandler = communicator->errhandler;
    Member member(Collective::Kind::split, context, communicator->rank, 0);
    member().words.resize(2 * context.members.size());
    member().words[2 * static_cast<std::size_t>(communicator->rank)] = color;
    member().words[2 * static_cast<std::size_t>(communicator->rank) + 1] = key;
    member.wait_for_all();
    if (member().made.empty()) {  // the first to go on makes them for all
        const std::vector<int> words = member().words;
        std::map<int, std::vector<int>> by_color;
        std::vector<int> sorted(context.members.size());
        std::iota(sorted.begin(), sorted.end(), 0);
        const auto key_of = [&](int of) { return words[2 * static_cast<std::size_t>(of) + 1]; };
        std::stable_sort(sorted.begin(), sorted.end(), [&](int a, int b) { return key_of(a) < key_of(b); });
        for (const int of : sorted) {
            by_color[words[2 * static_cast<std::size_t>(of)]].push_back(context.members[static_cast<std::size_t>(of)]);
        }
        for (auto& [its_color, members] : by_color) {
            if (its_color != MPI_UNDEFINED) member().made.push_back(rank.job.make_context(members));
        }
        if (member().made.empty()) member().made.push_back(nullptr);
    }
    *made = MPI_COMM_NULL;
    if (color == MPI_UNDEFINED) return MPI_SUCCESS;
    for (const std::shared_ptr<Context>& one : member().made) {
        if (std::find(one->members.begin(), one->members.end(), rank.number) == one->members.end()) continue;
        if (const int error = leave(name, comm); error != MPI_SUCCESS) {
            --one->alive;
            return error;
        }
        *made = take_part(one, errhandler);
    }
    return MPI_SUCCESS;
}

}  // namespace

}  // namespace simulator

using namespace simulator;

extern "C" {

int PMPI_Comm_rank(MPI_Comm comm, int* rank) {
    if (const int error = enter({"Comm_rank"}, comm); error != MPI_SUCCESS) return error;
    const Communicator* communicator = find_communicator(comm);
    if (communicator == nullptr) return raise(comm, MPI_ERR_COMM);
    *rank = communicator->rank;
    return MPI_SUCCESS;
}

int PMPI_Comm_size(MPI_Comm comm, int* size) {
    if (const int error = enter({"Comm_size"}, comm); error != MPI_SUCCESS) return error;
    const Communicator* communicator = find_communicator(comm);
    if (communicator == nullptr) return raise(comm, MPI_ERR_COMM);
    *size = communicator->context->size();
    return MPI_SUCCESS;
}

int PMPI_Comm_test_inter(MPI_Comm comm, int* flag) {
    if (const int error = enter({"Comm_test_inter"}, comm); error != MPI_SUCCESS) return error;
    if (find_communicator(comm) == nullptr) return raise(comm, MPI_ERR_COMM);
    *flag = 0;
    return MPI_SUCCESS;
}

int PMPI_Comm_group(MPI_Comm comm, MPI_Group* group) {
    if (const int error = enter({"Comm_group"}, comm); error != MPI_SUCCESS) return error;
    const Communicator* communicator = find_communicator(comm);
    if (communicator == nullptr) return raise(comm, MPI_ERR_COMM);
    *group = self().groups.add(communicator->context->members);
    return MPI_SUCCESS;
}

int PMPI_Group_free(MPI_Group* group) {
    if (const int error = enter({"Group_free"}); error != MPI_SUCCESS) return error;
    self().groups.remove(*group);
    *group = MPI_GROUP_NULL;
    return MPI_SUCCESS;
}

int PMPI_Group_incl(MPI_Group group, int count, const int* ranks, MPI_Group* made) {
    std::vector<int> members;
    const std::vector<int> all = *self().groups.find(group);
    for (int i = 0; i < count; ++i) members.push_back(all[static_cast<std::size_t>(ranks[i])]);
    *made = self().groups.add(std::move(members));
    return MPI_SUCCESS;
}

int PMPI_Comm_create(MPI_Comm comm, MPI_Group group, MPI_Comm* made) {
    if (const int error = enter({"Comm_create"}, comm); error != MPI_SUCCESS) return error;
    const Communicator* communicator = find_communicator(comm);
    if (communicator == nullptr) return raise(comm, MPI_ERR_COMM);
    Rank& rank = self();
    const std::vector<int> members = *rank.groups.find(group);
    const MPI_Errhandler errhandler = communicator->errhandler;
    Member member(Collective::Kind::create, *communicator->context, communicator->rank, 0);
    if (member().made.empty()) {
        member().refused = !contexts_are_left(rank.job);
        member().made.push_back(member().refused ? nullptr : rank.job.make_context(members));
    }
    member.wait_for_all();
    *made = MPI_COMM_NULL;
    if (member().refused) return raise(comm, MPI_ERR_OTHER);
    const std::shared_ptr<Context>& context = member().made[0];
    if (std::find(members.begin(), members.end(), rank.number) == members.end()) return MPI_SUCCESS;
    if (const int error = leave("Comm_create", comm); error != MPI_SUCCESS) {
        --context->alive;
        return error;
    }
    *made = take_part(context, errhandler);
    return MPI_SUCCESS;
}

int PMPI_Comm_split(MPI_Comm comm, int color, int key, MPI_Comm* made) {
    return split("Comm_split", comm, color, key, made);
}

int PMPI_Comm_split_type(MPI_Comm comm, int /*type*/, int key, MPI_Info /*info*/, MPI_Comm* made) {
    Rank& rank = self();
    int color = 0;  // the first rank on this machine
    while (rank.job.habits.shares_memory && rank.job.rank(color).processor != rank.processor) ++color;
    return split("Comm_split_type", comm, rank.job.habits.shares_memory ? color : rank.number, key, made);
}

int PMPI_Comm_dup(MPI_Comm comm, MPI_Comm* made) {
    const Communicator* communicator = find_communicator(comm);
    if (communicator == nullptr) return raise(comm, MPI_ERR_COMM);
    MPI_Group group = MPI_GROUP_NULL;
    PMPI_Comm_group(comm, &group);
    const int error = PMPI_Comm_create(comm, group, made);
    PMPI_Group_free(&group);
    if (error != MPI_SUCCESS) return error;
    Communicator* copy = find_communicator(*made);
    for (const auto& [number, value] : find_communicator(comm)->attributes) {
        Keyval& keyval = *self().keyvals.find(number);
        if (keyval.copy == nullptr) continue;
        void* copied = nullptr;
        int flag = 0;
        keyval.copy(comm, number, keyval.extra, value, static_cast<void*>(&copied), &flag);
        if (flag == 0) continue;
        ++keyval.attributes;
        copy->attributes.emplace_back(number, copied);
    }
    return MPI_SUCCESS;
}

int PMPI_Comm_free(MPI_Comm* comm) {
    if (const int error = enter({"Comm_free"}, *comm); error != MPI_SUCCESS) return error;
    Rank& rank = self();
    Communicator* communicator = find_communicator(*comm);
    if (communicator == nullptr || *comm == MPI_COMM_WORLD || *comm == MPI_COMM_SELF) return raise(*comm, MPI_ERR_COMM);
    remove_attributes(*comm, *communicator);
    communicator = find_communicator(*comm);
    const std::shared_ptr<Context> context = communicator->context;
    --context->alive;
    {
        Member member(Collective::Kind::free, *context, communicator->rank, 0);
        if (rank.job.random.chance(rank.job.habits.freeing_waits)) member.wait_for_all();
    }
    check_unused(rank, *context);
    if (Errhandler* own = rank.errhandlers.find(communicator->errhandler)) {
        if (--own->uses == 0) rank.errhandlers.remove(communicator->errhandler);
    }
    rank.communicators.remove(*comm);
    *comm = MPI_COMM_NULL;
    return MPI_SUCCESS;
}

}  // extern "C"
