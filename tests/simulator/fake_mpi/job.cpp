#include "job.hpp"

#include <algorithm>
#include <cstring>
#include <numeric>

namespace simulator {

namespace {

Job* running_job = nullptr;

}  // namespace

Rank* self_or_none() {
    if (running_job == nullptr || running_job->scheduler.running() < 0) return nullptr;
    return &running_job->rank(running_job->scheduler.running());
}

Rank& self() {
    return *self_or_none();
}

std::uint64_t checksum(const char* data, std::size_t bytes) {
    std::uint64_t sum = 0x9e3779b97f4a7c15U ^ bytes;
    std::uint64_t lanes[4] = {1, 2, 3, 4};  // long ones, four words at a time
    for (; bytes >= 256; bytes -= sizeof lanes, data += sizeof lanes) {
        std::uint64_t words[4];
        std::memcpy(words, data, sizeof words);
        for (int lane = 0; lane < 4; ++lane) lanes[lane] = (lanes[lane] ^ words[lane]) * 0xbf58476d1ce4e5b9U;
    }
    for (const std::uint64_t lane : lanes) sum = (sum ^ lane ^ lane >> 29) * 0x94d049bb133111ebU;
    while (bytes > 0) {
        std::uint64_t word = 0;
        const std::size_t step = std::min<std::size_t>(bytes, sizeof word);
        std::memcpy(&word, data, step);
        sum = (sum ^ word) * 0xbf58476d1ce4e5b9U;
        sum ^= sum >> 31;
        data += step;
        bytes -= step;
    }
    return sum;
}

Job::Job(int ranks, std::uint64_t seed, Habits its_habits, std::function<void(Rank&)> body)
    : random(seed), habits(std::move(its_habits)), scheduler(random, habits.scheduler), body_(std::move(body)) {
    std::vector<int> everybody(static_cast<std::size_t>(ranks));
    std::iota(everybody.begin(), everybody.end(), 0);
    const std::shared_ptr<Context> world = make_context(everybody);
    for (int number = 0; number < ranks; ++number) {
        ranks_.push_back(std::make_unique<Rank>(*this, number));
        ranks_.back()->world = {world, number, MPI_ERRORS_ARE_FATAL, {}};
        ranks_.back()->self = {make_context({number}), 0, MPI_ERRORS_ARE_FATAL, {}};
        scheduler.add(&Job::begin, ranks_.back().get());
    }
}

Job::~Job() = default;

std::string Job::run() {
    Job* const before = running_job;
    running_job = this;
    scheduler.run();
    if (!scheduler.failed() && habits.stops.empty()) look_for_leftovers();
    const std::string failure = scheduler.failed() ? scheduler.failure() + where_everybody_is() : "";
    scheduler.end_all();
    running_job = before;
    return failure;
}

void Job::begin(void* argument) {
    Rank& rank = *static_cast<Rank*>(argument);
    if (rank.job.scheduler.failed()) return;
    try {
        rank.job.body_(rank);
    } catch (const Cancelled&) {  // the job has failed, and says so
    }
}

void Job::fail(const std::string& what) {
    const Rank* rank = self_or_none();
    scheduler.fail((rank != nullptr ? "rank " + std::to_string(rank->number) + ": " : "") + what);
}

std::string Job::where_everybody_is() const {
    std::string text;
    for (const std::unique_ptr<Rank>& rank : ranks_) {
        const Step& step = rank->step;
        text += "\n    rank " + std::to_string(rank->number) + " " + scheduler.state_of(rank->number);
        if (rank->label >= 0) text += ", in broadcast " + std::to_string(rank->label);
        text += ", in ";
        text += step.call;
        if (step.context >= 0) text += " on communicator " + std::to_string(step.context);
        if (step.peer != -1) text += ", rank " + std::to_string(step.peer);
        if (step.tag != -1) text += ", tag " + std::to_string(step.tag);
        if (step.bytes >= 0) text += ", " + std::to_string(step.bytes) + " bytes";
        for (const Request* request : rank->active) {
            const bool sends = request->kind == Request::Kind::send;
            text += sends ? "; sends " : request->kind == Request::Kind::receive ? "; receives " : "; reduces ";
            text += std::to_string(request->bytes) + (sends ? " bytes to " : " bytes from ") +
                    std::to_string(request->peer) + " tag " + std::to_string(request->tag) +
                    (request->complete ? " (complete)" : "");
        }
    }
    return text;
}

void Job::look_for_leftovers() {
    for (const std::unique_ptr<Rank>& rank : ranks_) {
        const std::string who = "rank " + std::to_string(rank->number) + " has left ";
        if (!rank->active.empty()) return scheduler.note_failure(who + "a request");
        // A communicator that not all ranks have made cannot be freed.
        const bool some_may_be_left = std::any_of(habits.faults.begin(), habits.faults.end(), [](const Fault& fault) {
            return fault.call == "Comm_create" || fault.call == "Comm_set_errhandler" || fault.call == "Comm_split" ||
                   fault.call == "Comm_split_type" || fault.call == "Win_allocate_shared";
        });
        if (!some_may_be_left && rank->communicators.alive() != 0)
            return scheduler.note_failure(who + "a communicator");
        if (!some_may_be_left && rank->windows.alive() != 0) return scheduler.note_failure(who + "a window");
        if (rank->types.alive() != 0) return scheduler.note_failure(who + "a datatype");
        if (rank->groups.alive() != 0) return scheduler.note_failure(who + "a group");
        if (rank->errhandlers.alive() != 0) return scheduler.note_failure(who + "an error handler");
        if (rank->keyvals.alive() != 0) return scheduler.note_failure(who + "an attribute key");
    }
    for (const std::shared_ptr<Context>& context : contexts_) {
        if (context->on_the_way != 0) {
            return scheduler.note_failure("a message was never received on communicator " +
                                          std::to_string(context->id));
        }
        for (const std::uint64_t entered : context->collectives_of) {
            if (entered != context->collectives_of[0]) {
                return scheduler.note_failure("not all ranks of communicator " + std::to_string(context->id) +
                                              " made the same collective calls");
            }
        }
    }
}

std::shared_ptr<Context> Job::make_context(std::vector<int> members) {
    auto context = std::make_shared<Context>();
    context->id = static_cast<int>(contexts_.size());
    context->members = std::move(members);
    context->mailboxes.resize(context->members.size());
    for (Mailbox& mailbox : context->mailboxes) mailbox.last_arrival_s.assign(context->members.size(), -1);
    context->collectives_of.assign(context->members.size(), 0);
    context->alive = context->size();
    contexts_.push_back(context);
    return context;
}

Message& Job::new_message() {
    if (spare_messages_.empty()) {
        all_messages_.push_back(std::make_unique<Message>());
        all_messages_.back()->job = this;
        spare_messages_.push_back(all_messages_.back().get());
    }
    Message& message = *spare_messages_.back();
    spare_messages_.pop_back();
    message.copied = false;
    message.send = nullptr;
    message.receive = nullptr;
    message.events = 0;
    message.done = false;
    ++messages;
    return message;
}

void Job::release(Message& message) {
    if (message.done && message.events == 0 && message.send == nullptr) spare_messages_.push_back(&message);
}

}  // namespace simulator
