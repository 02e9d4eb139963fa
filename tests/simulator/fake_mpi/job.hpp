// One simulated MPI job: its ranks, its network, and what may go wrong in it.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "handles.hpp"
#include "objects.hpp"
#include "tests/simulator/random.hpp"
#include "tests/simulator/scheduler.hpp"

namespace simulator {

/// A call of the library's that goes wrong.
struct Fault {
    enum class How {
        at_once,  ///< it returns an error and does nothing
        after,    ///< it does what it should and returns an error all the same
        lost      ///< of Irecv: what it begins ends with an error, and without what was sent
    };
    std::string call;  ///< without "MPI_"
    int rank = 0;      ///< of the world; all_ranks
    int number = 0;    ///< which of this rank's calls, from 0
    int error = MPI_ERR_OTHER;
    How how = How::at_once;
    int every = 0;  ///< not 0: also so many calls later, and again

    static constexpr int all_ranks = -1;
};

/// What an MPI does with a message that is longer than the receive which takes it.
enum class Overlong {
    cut,       ///< as the standard says: what fits is there, and the receive ends with MPI_ERR_TRUNCATE
    run_over,  ///< writes past the end a little, as Open MPI 4.1 within a host, and then the same
    fatal      ///< ends the job
};

/// Memory that is refused to the library.
struct Refusal {
    int rank = 0;              ///< of the world; all_ranks
    std::int64_t number = 0;   ///< which of this rank's allocations, from 0; negative: none
    std::size_t at_least = 0;  ///< not 0: all of so many bytes and more

    static constexpr int all_ranks = -1;
};

/// How the network and the MPI of a job behave.
struct Habits {
    Scheduler::Habits scheduler;
    double latency_s = 2e-6;
    double bandwidth_Bps = 1e9;
    double jitter = 1;                   ///< delays vary by so many times themselves
    double rendezvous = 0.3;             ///< how often a message waits for its receiver
    double completes_at_once = 0.5;      ///< how often an eager send is complete when its call returns
    double freeing_waits = 0.2;          ///< how often MPI_Comm_free waits for all ranks
    std::size_t most_contexts = 100000;  ///< communicators that can be made
    std::size_t most_windows = 100000;   ///< of shared memory that can be made
    bool shares_memory = true;           ///< ranks of one machine can
    int largest_tag = 0x7fffffff;        ///< MPI_TAG_UB
    Overlong overlong = Overlong::cut;
    std::vector<Fault> faults;
    std::vector<Refusal> refusals;
    std::vector<std::pair<int, double>> stops;  ///< (rank, when it answers no more)
};

/// What a rank is doing, for reports.
struct Step {
    const char* call = "nothing yet";
    int context = -1;
    int peer = -1;
    int tag = -1;
    std::int64_t bytes = -1;
};

/// Somebody who looks on at messages that are sent inside broadcasts.
class Observer {
  public:
    Observer() = default;
    Observer(const Observer&) = delete;
    Observer& operator=(const Observer&) = delete;
    virtual ~Observer() = default;
    virtual void send_begins(Rank& rank, const Request& send) = 0;
    virtual void send_ends(Rank& rank, const Request& send) = 0;  ///< and the rank knows
};

/// One process of the job.
struct Rank {
    Rank(Job& its_job, int its_number) : job(its_job), number(its_number) {}
    Rank(const Rank&) = delete;
    Rank& operator=(const Rank&) = delete;
    ~Rank() = default;

    Job& job;
    int number;
    std::string processor = "localhost";
    void* library = nullptr;  ///< the library's state in this process
    bool initialised = false;
    int thread_level = MPI_THREAD_SINGLE;
    int label = -1;             ///< the broadcast that this rank is in
    int watched_context = -1;   ///< broadcasts on this communicator
    int native_broadcasts = 0;  ///< that the MPI itself did
    Step step;
    bool probing = false;          ///< waits for a message to come
    int in_library = 0;            ///< the library's code is running
    int in_mpi = 0;                ///< that has called the MPI
    std::int64_t allocations = 0;  ///< that the library has made

    Communicator world;
    Communicator self;
    Handles<std::unique_ptr<Communicator>> communicators{MPI_COMM_NULL};
    Handles<std::shared_ptr<Type>> types{MPI_DATATYPE_NULL};
    Handles<std::unique_ptr<Request>> requests{MPI_REQUEST_NULL};
    Handles<std::vector<int>> groups{MPI_GROUP_NULL};  // world ranks
    Handles<Errhandler> errhandlers{MPI_ERRHANDLER_NULL};
    Handles<Keyval> keyvals{MPI_KEYVAL_INVALID};
    Handles<SharedWindow> windows{MPI_WIN_NULL};
    std::vector<Request*> active;  // begun, and not known to be complete
    std::vector<std::unique_ptr<Request>> spare_requests;
    std::vector<std::pair<std::string, int>> calls;  // counted where faults are to come
};

class Job {
  public:
    /// `body(rank)` is what each rank runs, between MPI_Init and MPI_Finalize if it wants messages.
    Job(int ranks, std::uint64_t seed, Habits habits, std::function<void(Rank&)> body);
    Job(const Job&) = delete;
    Job& operator=(const Job&) = delete;
    ~Job();

    /// Empty, or what went wrong, and what each rank was at.
    std::string run();

    /// Of the calling rank's job. What is wrong with how MPI is used; ends the rank.
    void fail(const std::string& what);

    [[nodiscard]] Rank& rank(int number) { return *ranks_[static_cast<std::size_t>(number)]; }
    [[nodiscard]] int size() const { return static_cast<int>(ranks_.size()); }

    Random random;
    Habits habits;
    Scheduler scheduler;
    Observer* observer = nullptr;
    int tag_between_broadcasts = -1;  ///< messages of this tag may be received in another broadcast
    std::uint64_t messages = 0;       ///< sent so far
    std::uint64_t faults = 0;         ///< that have happened so far, and refusals
    std::uint64_t lost = 0;           ///< of them messages that were lost
    std::uint64_t lost_by_tag = 0;    ///< of those the ones in receives for one tag
    std::uint64_t lost_untold = 0;    ///< and those of which the receiver hears no more than that
    std::uint64_t ended_badly = 0;    ///< of them errors of requests that had done what they should
    std::uint64_t late = 0;  ///< messages of that tag for a rank that is in a later broadcast, not asked for yet
    bool aborted = false;    ///< by MPI_Abort

    std::shared_ptr<Context> make_context(std::vector<int> members);
    Message& new_message();
    void release(Message& message);
    /// A delay of about so many seconds.
    double about(double seconds) { return seconds * (0.05 + habits.jitter * random.fraction()); }

  private:
    static void begin(void* argument);
    void look_for_leftovers();
    [[nodiscard]] std::string where_everybody_is() const;

    std::function<void(Rank&)> body_;
    std::vector<std::unique_ptr<Rank>> ranks_;
    std::vector<std::shared_ptr<Context>> contexts_;
    std::vector<std::unique_ptr<Message>> all_messages_;
    std::vector<Message*> spare_messages_;
};

/// While it lives, the calling rank's code is of that kind (Rank::in_library, Rank::in_mpi).
class Within {
  public:
    explicit Within(int& count) : count_(count) { ++count_; }
    Within(const Within&) = delete;
    Within& operator=(const Within&) = delete;
    ~Within() { --count_; }

  private:
    int& count_;
};

/// The rank whose fiber runs.
Rank& self();
/// The same, or nullptr outside of ranks.
Rank* self_or_none();

/// A 64-bit checksum, quickly.
std::uint64_t checksum(const char* data, std::size_t bytes);

// ---- What the calls of MPI are made of ----

/// Notes that the calling rank makes a call. An error that it has to return at once, or MPI_SUCCESS.
int enter(const Step& step, MPI_Comm comm = MPI_COMM_WORLD);
/// At its end: an error that it has to return, or MPI_SUCCESS.
int leave(const char* call, MPI_Comm comm);
/// The error with which what the call begins is to end, or MPI_SUCCESS.
int lose(const char* call);
/// Through the communicator's error handler.
int raise(MPI_Comm comm, int error);

/// nullptr for no communicator; one that was freed is reported.
Communicator* find_communicator(MPI_Comm comm);
std::shared_ptr<Type> find_type(MPI_Datatype type);
void pack(const Type& type, const char* from, std::int64_t count, char* to);
void unpack(const Type& type, const char* from, char* to, std::int64_t count);
/// Copies what fits.
void unpack_some(const Request& receive, const char* from, std::size_t bytes);

/// Waits for the request and takes it, as a part of another call. MPI error code, after the error handler.
int finish(MPI_Request* handle, MPI_Status* status);
void complete(Request& request);
/// A message and a receive that fit each other.
void match(Message& message, Request& receive);
/// Calls the delete callbacks.
void remove_attributes(MPI_Comm comm, Communicator& communicator);

}  // namespace simulator
