// Preloaded into simulations of fast networks (tuner/clusters/simulated.cpp), compiled where they run: software that
// takes time.
//
// SMPI's own options for software (smpi/os, ois, or) leave out blocking sends and what is received unless it was sent
// detached. Here every message between machines costs its sender send_s + bytes * per_byte_s before it is on the wire,
// and its receiver receive_s + bytes * per_byte_s once it is waited for; the platform's hosts have the property
// "software", these three numbers. Between ranks of a host there is the host's own link and nothing else.
//
// Functions of libsimgrid stand aside for those of the same names here, as symbols of a preloaded object do. They are
// members of classes without a public header, so they go by their symbols.
#include <smpi/mpi.h>

#include <cstddef>
#include <simgrid/s4u.hpp>
#include <sstream>
#include <unordered_map>

#include "tuner/simulation/next_symbol.hpp"

using simulation::next;

namespace {

struct Software {
    double send_s = 0;
    double receive_s = 0;
    double per_byte_s = 0;
};

struct Message {
    long from = 0;  ///< process, or negative: any
    long to = 0;
    std::size_t bytes = 0;  ///< room for them
    bool receives = false;
};

// SMPI's flags of a request (src/smpi/include/private.hpp).
constexpr unsigned flag_receives = 0x8;

/// By request. One that has been freed is overwritten when its memory is used again.
std::unordered_map<const void*, Message>& messages() {
    static std::unordered_map<const void*, Message> all;
    return all;
}

const Software& software_of(const simgrid::s4u::Host* host) {
    static std::unordered_map<const simgrid::s4u::Host*, Software> known;
    const auto [at, added] = known.try_emplace(host);
    if (const char* text = added ? host->get_property("software") : nullptr; text != nullptr) {
        std::istringstream in(text);
        in >> at->second.send_s >> at->second.receive_s >> at->second.per_byte_s;
    }
    return at->second;
}

const simgrid::s4u::Host* host_of(long process) {
    const auto actor = process < 0 ? nullptr : simgrid::s4u::Actor::by_pid(process);
    return actor == nullptr ? nullptr : actor->get_host();
}

/// The calling rank's processor is busy with the message.
void spend(double message_s, double per_byte_s, std::size_t bytes) {
    const double seconds = message_s + per_byte_s * static_cast<double>(bytes);
    if (seconds > 0) simgrid::s4u::this_actor::sleep_for(seconds);
}

bool between_machines(const Message& message) {
    return host_of(message.from) != host_of(message.to);
}

}  // namespace

extern "C" {

#define REQUEST_CONSTRUCTOR "_ZN7simgrid4smpi7RequestC1EPKviPNS0_8DatatypeElliPNS0_4CommEjPNS0_2OpE"
#define REQUEST_START "_ZN7simgrid4smpi7Request5startEv"
#define REQUEST_FINISH "_ZN7simgrid4smpi7Request11finish_waitEPPS1_P10MPI_Status"

void make_request(void* request, const void* buffer, int count, MPI_Datatype type, long from, long to, int tag,
                  void* comm, unsigned flags, void* op) asm(REQUEST_CONSTRUCTOR);
void start_request(void* request) asm(REQUEST_START);
void finish_request(void** request, MPI_Status* status) asm(REQUEST_FINISH);

void make_request(void* request, const void* buffer, int count, MPI_Datatype type, long from, long to, int tag,
                  void* comm, unsigned flags, void* op) {
    static const auto original = next<decltype(&make_request)>(REQUEST_CONSTRUCTOR);
    original(request, buffer, count, type, from, to, tag, comm, flags, op);
    int size = 0;
    if (count > 0) PMPI_Type_size(type, &size);
    messages()[request] = {from, to, static_cast<std::size_t>(count) * static_cast<std::size_t>(size),
                           (flags & flag_receives) != 0};
}

void start_request(void* request) {
    static const auto original = next<decltype(&start_request)>(REQUEST_START);
    const auto message = messages().find(request);
    if (message != messages().end() && !message->second.receives && between_machines(message->second)) {
        const Software& software = software_of(host_of(message->second.from));
        spend(software.send_s, software.per_byte_s, message->second.bytes);
    }
    original(request);
}

void finish_request(void** request, MPI_Status* status) {
    static const auto original = next<decltype(&finish_request)>(REQUEST_FINISH);
    const auto found = messages().find(*request);
    const Message message = found == messages().end() ? Message() : found->second;
    MPI_Status own;
    MPI_Status* const seen = status == MPI_STATUS_IGNORE ? &own : status;
    original(request, seen);
    if (!message.receives || !between_machines(message)) return;
    const Software& software = software_of(host_of(message.to));
    int bytes = 0;
    PMPI_Get_count(seen, MPI_BYTE, &bytes);
    spend(software.receive_s, software.per_byte_s, static_cast<std::size_t>(bytes));
}
}
