// What the simulated MPI is made of: datatypes, messages, requests, communicators.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "tests/simulator/scheduler.hpp"

namespace simulator {

struct Rank;
class Job;

/// A datatype: how it was made, and the runs of bytes it names, in the order of its type map.
struct Type {
    struct Run {
        MPI_Aint at;
        std::size_t bytes;
    };
    int combiner = MPI_COMBINER_NAMED;
    std::vector<int> integers;
    std::vector<MPI_Aint> addresses;
    std::vector<std::pair<int, std::shared_ptr<Type>>> types;  // named ones by handle
    std::vector<Run> runs;
    std::size_t bytes = 0;
    MPI_Aint lower = 0;
    MPI_Aint extent = 0;
    bool committed = false;

    /// Elements lie one behind the other, from the buffer's address on.
    [[nodiscard]] bool plain() const {
        return runs.size() <= 1 && lower == 0 && extent == static_cast<MPI_Aint>(bytes) &&
               (runs.empty() || runs[0].at == 0);
    }
};

struct Request;
struct Context;

/// A message on its way. Belongs to the job until both ends are done with it.
struct Message : Occurrence {
    enum Happening { arrives, is_copied, lands, is_acknowledged };
    void happen(int what) override;

    Job* job = nullptr;
    Context* context = nullptr;
    int source = 0;  // ranks of the communicator
    int destination = 0;
    int tag = 0;
    std::size_t bytes = 0;
    const char* buffer = nullptr;  // the sender's, while it is needed
    std::vector<char> copy;        // of an eager message
    std::uint64_t checksum = 0;
    bool eager = false;
    bool copied = false;
    int label = -1;
    Request* send = nullptr;     // until it is complete
    Request* receive = nullptr;  // once it is matched
    int events = 0;              // to come
    bool done = false;           // has landed
};

/// Something that was begun and can be waited for.
struct Request : Occurrence {
    enum class Kind { none, send, receive, reduction };
    void happen(int what) override;  // a reduction has its result

    Kind kind = Kind::none;
    Rank* owner = nullptr;
    Context* context = nullptr;
    bool complete = false;
    bool freed = false;  // nobody waits for it
    int error = MPI_SUCCESS;
    int lost = MPI_SUCCESS;  // ends with this error, and without what was sent
    MPI_Status status{};
    char* buffer = nullptr;
    std::size_t bytes = 0;  // of a receive: room
    int count = 0;          // of elements, where they do not lie in a row
    std::shared_ptr<Type> type;
    int peer = 0;
    int tag = 0;
    int label = -1;
    std::uint64_t checksum = 0;  // of a send's bytes when it began
    std::uint64_t collective = 0;
    MPI_Request handle = MPI_REQUEST_NULL;
};

/// What has come for one rank of a communicator, and what it has asked for.
struct Mailbox {
    std::vector<Message*> unexpected;
    std::vector<Request*> posted;
    std::vector<double> last_arrival_s;  // by source
};

/// A collective call that not all ranks have left.
struct Collective {
    enum class Kind { barrier, bcast, allgather, allreduce, create, split, free, window, free_window };
    Kind kind = Kind::barrier;
    int root = -1;
    std::size_t bytes = 0;
    MPI_Datatype type = MPI_DATATYPE_NULL;
    MPI_Op op = MPI_OP_NULL;
    std::vector<char> data;
    std::vector<char> here;  // by rank
    std::vector<int> words;  // by rank: color and key
    std::vector<std::shared_ptr<Context>> made;
    std::shared_ptr<std::vector<char>> memory;  // of a window
    std::vector<Request*> reductions;
    int arrived = 0;
    int left = 0;
    bool root_here = false;
    bool refused = false;
    double ready_s = -1;
};

/// A communicator, as all its ranks share it.
struct Context {
    int id = 0;
    std::vector<int> members;  // world ranks
    std::vector<Mailbox> mailboxes;
    std::deque<Collective> collectives;
    std::uint64_t first_collective = 0;         // number of collectives.front()
    std::vector<std::uint64_t> collectives_of;  // by rank: how many it has entered
    int alive = 0;                              // ranks that have not freed it
    int on_the_way = 0;                         // messages that have not landed

    [[nodiscard]] int size() const { return static_cast<int>(members.size()); }
};

/// A communicator, as one rank has it.
struct Communicator {
    std::shared_ptr<Context> context;
    int rank = 0;
    MPI_Errhandler errhandler = MPI_ERRORS_ARE_FATAL;
    std::vector<std::pair<int, void*>> attributes;
};

/// Memory that the ranks of a communicator share.
struct SharedWindow {
    std::shared_ptr<Context> context;
    int rank = 0;
    std::shared_ptr<std::vector<char>> memory;
};

struct Errhandler {
    MPI_Comm_errhandler_function* function = nullptr;
    int uses = 0;
};

struct Keyval {
    MPI_Comm_copy_attr_function* copy = nullptr;
    MPI_Comm_delete_attr_function* remove = nullptr;
    void* extra = nullptr;
    int attributes = 0;
    bool freed = false;
};

}  // namespace simulator
