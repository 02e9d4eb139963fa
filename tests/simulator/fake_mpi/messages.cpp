// Messages between two ranks.
//
//   eager        the send takes the bytes with it and is complete soon, whether or not the receiver is there
//   rendezvous   the announcement goes ahead; the bytes are taken from the sender once a receive is there
#include <algorithm>
#include <cstring>

#include "job.hpp"

namespace simulator {

namespace {

bool overlap(const char* a, std::size_t a_bytes, const char* b, std::size_t b_bytes) {
    return a < b + b_bytes && b < a + a_bytes;
}

/// Memory that a receive writes must be nobody else's meanwhile; what a send reads, no receive's.
void check_overlap(Rank& rank, const char* call, const char* buffer, std::size_t bytes, bool writes) {
    if (bytes == 0) return;
    for (const Request* other : rank.active) {
        if (other->bytes == 0 || other->type != nullptr || !overlap(buffer, bytes, other->buffer, other->bytes))
            continue;
        const bool other_writes = other->kind == Request::Kind::receive;
        if (!writes && !other_writes) continue;
        rank.job.fail(std::string(call) + " of " + std::to_string(bytes) + " bytes into memory that a " +
                      (other_writes ? "receive" : "send") + " of tag " + std::to_string(other->tag) + " has under way");
    }
}

Request& new_request(Rank& rank, Request::Kind kind, MPI_Request* handle) {
    std::unique_ptr<Request> request;
    if (rank.spare_requests.empty()) {
        request = std::make_unique<Request>();
    } else {
        request = std::move(rank.spare_requests.back());
        rank.spare_requests.pop_back();
        request->type.reset();
    }
    request->kind = kind;
    request->owner = &rank;
    request->complete = false;
    request->freed = false;
    request->error = request->lost = MPI_SUCCESS;
    request->label = rank.label;
    request->checksum = 0;
    Request& made = *request;
    rank.active.push_back(&made);
    *handle = rank.requests.add(std::move(request));
    made.handle = *handle;
    return made;
}

/// When a message that is sent now may come: not before the one before it from the same rank.
double arrival_delay_s(Job& job, Context& context, const Message& message) {
    Mailbox& mailbox = context.mailboxes[static_cast<std::size_t>(message.destination)];
    const double now_s = job.scheduler.now_s();
    double delay_s = job.about(job.habits.latency_s);
    if (message.eager) delay_s += static_cast<double>(message.bytes) / job.habits.bandwidth_Bps;
    double& last_s = mailbox.last_arrival_s[static_cast<std::size_t>(message.source)];
    delay_s = std::max(delay_s, last_s + 1e-9 - now_s);
    last_s = now_s + delay_s;
    return delay_s;
}

void schedule(Message& message, double delay_s, Message::Happening what) {
    ++message.events;
    message.job->scheduler.after(delay_s, message, what);
}

void check_unchanged(Job& job, const Request& send, const char* when) {
    if (send.kind != Request::Kind::send || send.type != nullptr || send.bytes == 0) return;
    if (checksum(send.buffer, send.bytes) == send.checksum) return;
    job.scheduler.note_failure("rank " + std::to_string(send.owner->number) + ": " + std::to_string(send.bytes) +
                               " bytes under way to rank " + std::to_string(send.peer) + " under tag " +
                               std::to_string(send.tag) + " were changed before " + when);
}

void take_copy(Message& message) {
    if (message.copied) return;
    message.copied = true;
    if (message.buffer != nullptr) message.copy.assign(message.buffer, message.buffer + message.bytes);
}

void finish_send(Message& message) {
    if (message.send == nullptr) return;
    check_unchanged(*message.job, *message.send, "they were sent");
    complete(*message.send);
    message.send = nullptr;
}

void take_overlong(const Message& message, Request& receive) {
    Job& job = *message.job;
    receive.error = MPI_ERR_TRUNCATE;
    if (job.habits.overlong == Overlong::fatal) {
        job.scheduler.note_failure("rank " + std::to_string(receive.owner->number) + ": the MPI ends the job, for " +
                                   std::to_string(message.bytes) + " bytes have come from rank " +
                                   std::to_string(message.source) + " to a receive of " +
                                   std::to_string(receive.bytes));
    }
    if (job.habits.overlong == Overlong::run_over && receive.type == nullptr) {
        constexpr std::size_t a_little = 16;
        std::memcpy(receive.buffer + receive.bytes, message.copy.data() + receive.bytes,
                    std::min(a_little, message.bytes - receive.bytes));
    }
}

void land(Message& message) {
    Request& receive = *message.receive;
    take_copy(message);
    const std::size_t fits = std::min(message.bytes, receive.bytes);
    if (message.bytes > receive.bytes) take_overlong(message, receive);
    if (receive.lost == MPI_SUCCESS) {
        unpack_some(receive, message.copy.data(), fits);
    } else {
        receive.error = receive.lost;
        ++message.job->lost;
        if (receive.tag != MPI_ANY_TAG) ++message.job->lost_by_tag;
    }
    receive.status = {message.source, message.tag, receive.error, fits};
    complete(receive);
    --message.context->on_the_way;
    message.receive = nullptr;
    message.done = true;
}

/// Whether a receive from this rank, or any, and of this tag, or any, takes the message.
bool fits(int from, int tag, const Message& message) {
    return (from == message.source || from == MPI_ANY_SOURCE) && (tag == message.tag || tag == MPI_ANY_TAG);
}

void arrive(Message& message) {
    Mailbox& mailbox = message.context->mailboxes[static_cast<std::size_t>(message.destination)];
    for (std::size_t i = 0; i < mailbox.posted.size(); ++i) {
        Request& receive = *mailbox.posted[i];
        if (!fits(receive.peer, receive.tag, message)) continue;
        mailbox.posted.erase(mailbox.posted.begin() + static_cast<std::ptrdiff_t>(i));
        return match(message, receive);
    }
    mailbox.unexpected.push_back(&message);
    Job& job = *message.job;
    const int world_rank = message.context->members[static_cast<std::size_t>(message.destination)];
    if (job.rank(world_rank).probing) job.scheduler.wake(world_rank);
    const bool late = message.label >= 0 && message.label < job.rank(world_rank).label;
    if (late && message.tag == job.tag_between_broadcasts) ++job.late;
}

void check_labels(const Message& message, const Request& receive) {
    Job& job = *message.job;
    if (message.label == receive.label || message.label < 0 || receive.label < 0) return;
    if (message.tag == job.tag_between_broadcasts) return;
    job.scheduler.note_failure("rank " + std::to_string(receive.owner->number) + " took a message of broadcast " +
                               std::to_string(message.label) + " from rank " + std::to_string(message.source) +
                               " in broadcast " + std::to_string(receive.label) + ", tag " +
                               std::to_string(message.tag));
}

enum class Mode { standard, synchronous };

int begin_send(Mode mode, const char* call, const void* buffer, int count, MPI_Datatype type, int to, int tag,
               MPI_Comm comm, MPI_Request* handle) {
    Rank& rank = self();
    Job& job = rank.job;
    const Communicator* communicator = find_communicator(comm);
    const std::shared_ptr<Type> layout = find_type(type);
    if (communicator == nullptr) return raise(comm, MPI_ERR_COMM);
    Context& context = *communicator->context;
    if (layout == nullptr || !layout->committed) return raise(comm, MPI_ERR_TYPE);
    if (count < 0) return raise(comm, MPI_ERR_COUNT);
    if (tag < 0 || tag > job.habits.largest_tag) return raise(comm, MPI_ERR_TAG);
    if (to < 0 || to >= context.size()) return raise(comm, MPI_ERR_RANK);
    const std::size_t bytes = static_cast<std::size_t>(count) * layout->bytes;
    rank.step = {call, context.id, to, tag, static_cast<std::int64_t>(bytes)};
    const bool plain = layout->plain();
    if (plain) check_overlap(rank, call, static_cast<const char*>(buffer), bytes, false);

    Request& send = new_request(rank, Request::Kind::send, handle);
    send.context = &context;
    send.peer = to;
    send.tag = tag;
    send.bytes = bytes;
    send.buffer = const_cast<char*>(static_cast<const char*>(buffer));
    Message& message = job.new_message();
    message.context = &context;
    message.source = communicator->rank;
    message.destination = to;
    message.tag = tag;
    message.bytes = bytes;
    message.label = rank.label;
    message.send = &send;
    message.eager = mode == Mode::standard && !job.random.chance(job.habits.rendezvous);
    if (plain) {
        message.buffer = send.buffer;
        send.checksum = checksum(send.buffer, bytes);
    } else {
        send.type = layout;
        message.buffer = nullptr;
        message.copy.resize(bytes);
        pack(*layout, send.buffer, count, message.copy.data());
        message.copied = true;
    }
    ++context.on_the_way;
    if (rank.label >= 0 && job.observer != nullptr) job.observer->send_begins(rank, send);
    const double delay_s = arrival_delay_s(job, context, message);
    schedule(message, delay_s, Message::arrives);
    if (message.eager) {
        if (job.random.chance(job.habits.completes_at_once)) {
            take_copy(message);
            finish_send(message);
        } else {
            schedule(message, delay_s * job.random.fraction(), Message::is_copied);
        }
    }
    return MPI_SUCCESS;
}

int begin_receive(void* buffer, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm, MPI_Request* request,
                  int lost = MPI_SUCCESS) {
    Rank& rank = self();
    const Communicator* communicator = find_communicator(comm);
    const std::shared_ptr<Type> layout = find_type(type);
    if (communicator == nullptr) return raise(comm, MPI_ERR_COMM);
    Context& context = *communicator->context;
    if (layout == nullptr || !layout->committed) return raise(comm, MPI_ERR_TYPE);
    if (count < 0) return raise(comm, MPI_ERR_COUNT);
    if (tag < 0 && tag != MPI_ANY_TAG) return raise(comm, MPI_ERR_TAG);
    if (from != MPI_ANY_SOURCE && (from < 0 || from >= context.size())) return raise(comm, MPI_ERR_RANK);
    const std::size_t bytes = static_cast<std::size_t>(count) * layout->bytes;
    rank.step = {"Irecv", context.id, from, tag, static_cast<std::int64_t>(bytes)};
    const bool plain = layout->plain();
    if (plain) check_overlap(rank, "Irecv", static_cast<const char*>(buffer), bytes, true);
    Request& receive = new_request(rank, Request::Kind::receive, request);
    receive.context = &context;
    receive.peer = from;
    receive.tag = tag;
    receive.bytes = bytes;
    receive.count = count;
    receive.lost = lost;
    receive.buffer = static_cast<char*>(buffer);
    if (!plain) receive.type = layout;
    Mailbox& mailbox = context.mailboxes[static_cast<std::size_t>(communicator->rank)];
    for (std::size_t i = 0; i < mailbox.unexpected.size(); ++i) {
        Message& message = *mailbox.unexpected[i];
        if (!fits(from, tag, message)) continue;
        mailbox.unexpected.erase(mailbox.unexpected.begin() + static_cast<std::ptrdiff_t>(i));
        match(message, receive);
        rank.job.release(message);
        return MPI_SUCCESS;
    }
    mailbox.posted.push_back(&receive);
    return MPI_SUCCESS;
}

}  // namespace

void Message::happen(int what) {
    --events;
    switch (what) {
        case arrives:
            arrive(*this);
            break;
        case is_copied:
            take_copy(*this);
            finish_send(*this);
            break;
        case lands:
            land(*this);
            if (eager || send == nullptr) break;
            if (job->random.chance(0.5)) {
                finish_send(*this);
            } else {
                schedule(*this, job->about(job->habits.latency_s), is_acknowledged);
            }
            break;
        case is_acknowledged:
            finish_send(*this);
            break;
        default:
            break;
    }
    job->release(*this);
}

void match(Message& message, Request& receive) {
    check_labels(message, receive);
    Job& job = *message.job;
    message.receive = &receive;
    if (message.eager && message.copied && job.random.chance(0.5)) {
        land(message);
        return;
    }
    const double wire_s = message.eager ? 0 : static_cast<double>(message.bytes) / job.habits.bandwidth_Bps;
    schedule(message, wire_s + job.about(job.habits.latency_s), Message::lands);
}

void complete(Request& request) {
    request.complete = true;
    if (request.freed) {
        Rank& owner = *request.owner;
        owner.active.erase(std::find(owner.active.begin(), owner.active.end(), &request));
        return owner.requests.remove(request.handle);
    }
    request.owner->job.scheduler.wake(request.owner->number);
}

}  // namespace simulator

using namespace simulator;

extern "C" {

int PMPI_Isend(const void* buffer, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm, MPI_Request* request) {
    if (const int error = enter({"Isend", -1, to, tag, count}, comm); error != MPI_SUCCESS) return error;
    return begin_send(Mode::standard, "Isend", buffer, count, type, to, tag, comm, request);
}

int PMPI_Issend(const void* buffer, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm,
                MPI_Request* request) {
    if (const int error = enter({"Issend", -1, to, tag, count}, comm); error != MPI_SUCCESS) return error;
    return begin_send(Mode::synchronous, "Issend", buffer, count, type, to, tag, comm, request);
}

int PMPI_Irecv(void* buffer, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm, MPI_Request* request) {
    if (const int error = enter({"Irecv", -1, from, tag, count}, comm); error != MPI_SUCCESS) return error;
    return begin_receive(buffer, count, type, from, tag, comm, request, lose("Irecv"));
}

int PMPI_Send(const void* buffer, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm) {
    if (const int error = enter({"Send", -1, to, tag, count}, comm); error != MPI_SUCCESS) return error;
    MPI_Request request = MPI_REQUEST_NULL;
    const int error = begin_send(Mode::standard, "Send", buffer, count, type, to, tag, comm, &request);
    return error != MPI_SUCCESS ? error : finish(&request, MPI_STATUS_IGNORE);
}

int PMPI_Recv(void* buffer, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm, MPI_Status* status) {
    if (const int error = enter({"Recv", -1, from, tag, count}, comm); error != MPI_SUCCESS) return error;
    MPI_Request request = MPI_REQUEST_NULL;
    const int error = begin_receive(buffer, count, type, from, tag, comm, &request);
    return error != MPI_SUCCESS ? error : finish(&request, status);
}

int PMPI_Probe(int from, int tag, MPI_Comm comm, MPI_Status* status) {
    if (const int error = enter({"Probe", -1, from, tag}, comm); error != MPI_SUCCESS) return error;
    Rank& rank = self();
    const Communicator* communicator = find_communicator(comm);
    if (communicator == nullptr) return raise(comm, MPI_ERR_COMM);
    const Context& context = *communicator->context;
    const Mailbox& mailbox = context.mailboxes[static_cast<std::size_t>(communicator->rank)];
    rank.step = {"Probe", context.id, from, tag};
    while (true) {
        for (const Message* message : mailbox.unexpected) {
            if (!fits(from, tag, *message)) continue;
            *status = {message->source, message->tag, MPI_SUCCESS, message->bytes};
            return leave("Probe", comm);
        }
        rank.probing = true;
        rank.job.scheduler.block();
        rank.probing = false;
    }
}

int PMPI_Sendrecv(const void* out, int out_count, MPI_Datatype out_type, int to, int out_tag, void* in, int in_count,
                  MPI_Datatype in_type, int from, int in_tag, MPI_Comm comm, MPI_Status* status) {
    if (const int error = enter({"Sendrecv", -1, from, in_tag, in_count}, comm); error != MPI_SUCCESS) return error;
    MPI_Request receive = MPI_REQUEST_NULL;
    MPI_Request send = MPI_REQUEST_NULL;
    int error = begin_receive(in, in_count, in_type, from, in_tag, comm, &receive);
    if (error != MPI_SUCCESS) return error;
    error = begin_send(Mode::standard, "Sendrecv", out, out_count, out_type, to, out_tag, comm, &send);
    if (error == MPI_SUCCESS) error = finish(&send, MPI_STATUS_IGNORE);
    const int received = finish(&receive, status);
    return error != MPI_SUCCESS ? error : received;
}

}  // extern "C"
