// Waiting for what was begun, and looking whether it has ended.
#include <algorithm>

#include "job.hpp"

namespace simulator {

namespace {

/// The request behind a handle; nullptr for the null handle. Anything else that stands for nothing is reported.
Request* find_request(MPI_Request handle) {
    if (handle == MPI_REQUEST_NULL) return nullptr;
    Rank& rank = self();
    std::unique_ptr<Request>* found = rank.requests.find(handle);
    if (found == nullptr) rank.job.fail(std::string(rank.step.call) + " for a request that is no more");
    return found != nullptr ? found->get() : nullptr;
}

/// The rank hears of the end of a request: it is no more. MPI error code.
int take(MPI_Request* handle, MPI_Status* status) {
    Rank& rank = self();
    std::unique_ptr<Request>& request = *rank.requests.find(*handle);
    if (request->kind == Request::Kind::send) {
        if (request->type == nullptr && checksum(request->buffer, request->bytes) != request->checksum) {
            rank.job.fail("the memory of a send under tag " + std::to_string(request->tag) +
                          " was changed before its end was waited for");
        }
        if (request->label >= 0 && rank.job.observer != nullptr) rank.job.observer->send_ends(rank, *request);
    }
    const int error = request->error;
    // Of what was lost an MPI need not know more than that.
    const bool known = request->lost == MPI_SUCCESS || rank.job.random.chance(0.5);
    if (!known) ++rank.job.lost_untold;
    if (status != MPI_STATUS_IGNORE && known) {
        *status = request->status;
        status->MPI_ERROR = error;
    }
    rank.active.erase(std::find(rank.active.begin(), rank.active.end(), request.get()));
    rank.spare_requests.push_back(std::move(request));
    rank.requests.remove(*handle);
    *handle = MPI_REQUEST_NULL;
    rank.job.scheduler.found();
    return error;
}

/// Errors of a request are the communicator's.
int raise_of(const Context* context, int error) {
    if (error == MPI_SUCCESS) return error;
    // The error handler is that of the communicator by which this rank knows the context.
    Rank& rank = self();
    if (rank.world.context.get() == context) return raise(MPI_COMM_WORLD, error);
    return error;  // private communicators: errors return
}

/// One of those that are complete, whichever; -1 if there is none. `any`: whether any is under way at all.
int find_complete(int count, const MPI_Request* requests, bool& any) {
    Rank& rank = self();
    any = false;
    if (count > 1 &&
        std::none_of(rank.active.begin(), rank.active.end(), [](const Request* r) { return r->complete; })) {
        any = std::any_of(requests, requests + count, [](MPI_Request request) { return request != MPI_REQUEST_NULL; });
        return -1;
    }
    int chosen = -1;
    std::uint64_t complete = 0;
    for (int i = 0; i < count; ++i) {
        const Request* request = find_request(requests[i]);
        if (request == nullptr) continue;
        any = true;
        if (!request->complete) continue;
        ++complete;
        if (complete == 1 || rank.job.random.below(complete) == 0) chosen = i;
    }
    return chosen;
}

/// A fault that is meant for the end of a call that has taken a request.
int ends(const char* call, int error) {
    const int fault = leave(call, MPI_COMM_WORLD);
    if (error == MPI_SUCCESS && fault != MPI_SUCCESS) ++self().job.ended_badly;
    return error != MPI_SUCCESS ? error : fault;
}

int take_one(MPI_Request* handle, MPI_Status* status) {
    const Context* context = find_request(*handle)->context;
    return raise_of(context, take(handle, status));
}

}  // namespace

int finish(MPI_Request* handle, MPI_Status* status) {
    const Request* request = find_request(*handle);
    if (request == nullptr) return MPI_ERR_REQUEST;
    while (!request->complete) self().job.scheduler.block();
    return take_one(handle, status);
}

}  // namespace simulator

using namespace simulator;

extern "C" {

int PMPI_Get_count(const MPI_Status* status, MPI_Datatype type, int* count) {
    if (const int error = enter({"Get_count"}); error != MPI_SUCCESS) return error;
    *count = static_cast<int>(status->bytes / find_type(type)->bytes);
    return MPI_SUCCESS;
}

int PMPI_Cancel(MPI_Request* handle) {
    if (const int error = enter({"Cancel"}); error != MPI_SUCCESS) return error;
    Request* request = find_request(*handle);
    if (request == nullptr) return MPI_ERR_REQUEST;
    for (Mailbox& mailbox : request->context->mailboxes) {
        const auto found = std::find(mailbox.posted.begin(), mailbox.posted.end(), request);
        if (found == mailbox.posted.end()) continue;
        mailbox.posted.erase(found);
        complete(*request);
        return MPI_SUCCESS;
    }
    return MPI_SUCCESS;
}

int PMPI_Request_free(MPI_Request* handle) {
    if (const int error = enter({"Request_free"}); error != MPI_SUCCESS) return error;
    Request* request = find_request(*handle);
    if (request == nullptr) return MPI_ERR_REQUEST;
    request->freed = true;  // it goes when it is complete, whoever looks then
    if (request->complete) return take(handle, MPI_STATUS_IGNORE);
    *handle = MPI_REQUEST_NULL;
    return MPI_SUCCESS;
}

int PMPI_Wait(MPI_Request* handle, MPI_Status* status) {
    Rank& rank = self();
    const Step doing = rank.step;
    if (const int error = enter({"Wait"}); error != MPI_SUCCESS) return error;
    if (*handle == MPI_REQUEST_NULL) return MPI_SUCCESS;
    const Request* request = find_request(*handle);
    if (request == nullptr) return MPI_ERR_REQUEST;
    rank.step = {"Wait", doing.context, request->peer, request->tag, static_cast<std::int64_t>(request->bytes)};
    return ends("Wait", finish(handle, status));
}

int PMPI_Waitany(int count, MPI_Request* requests, int* index, MPI_Status* status) {
    if (const int error = enter({"Waitany"}); error != MPI_SUCCESS) return error;
    while (true) {
        bool any = false;
        const int found = find_complete(count, requests, any);
        if (found >= 0) {
            *index = found;
            return ends("Waitany", take_one(&requests[found], status));
        }
        if (!any) {
            *index = MPI_UNDEFINED;
            return MPI_SUCCESS;
        }
        self().job.scheduler.block();
    }
}

int PMPI_Test(MPI_Request* handle, int* flag, MPI_Status* status) {
    int index = 0;
    return PMPI_Testany(1, handle, &index, flag, status);
}

int PMPI_Testany(int count, MPI_Request* requests, int* index, int* flag, MPI_Status* status) {
    if (const int error = enter({"Testany"}); error != MPI_SUCCESS) return error;
    bool any = false;
    const int found = find_complete(count, requests, any);
    *flag = found >= 0 || !any ? 1 : 0;
    *index = found >= 0 ? found : MPI_UNDEFINED;
    if (found >= 0) return ends("Testany", take_one(&requests[found], status));
    if (any) self().job.scheduler.pause();
    return MPI_SUCCESS;
}

int PMPI_Iprobe(int /*source*/, int /*tag*/, MPI_Comm comm, int* flag, MPI_Status* /*status*/) {
    if (const int error = enter({"Iprobe"}, comm); error != MPI_SUCCESS) return error;
    *flag = 0;  // nobody here looks at it
    return MPI_SUCCESS;
}

int PMPI_Testsome(int count, MPI_Request* requests, int* completed, int* indices, MPI_Status* statuses) {
    if (const int error = enter({"Testsome"}); error != MPI_SUCCESS) return error;
    bool any = false;
    *completed = 0;
    int result = MPI_SUCCESS;
    for (int i = 0; i < count; ++i) {
        const Request* request = find_request(requests[i]);
        if (request == nullptr) continue;
        any = true;
        if (!request->complete) continue;
        const int error = take_one(&requests[i], statuses == MPI_STATUSES_IGNORE ? nullptr : &statuses[*completed]);
        if (error != MPI_SUCCESS) result = error;
        indices[(*completed)++] = i;
    }
    if (!any) *completed = MPI_UNDEFINED;
    if (any && *completed == 0) self().job.scheduler.pause();
    return result;
}

}  // extern "C"
