// Preloaded into MPI ranks that share a processor with others: makes a rank that waits step aside.
//
// MPI libraries wait by asking again and again whether something has come. With more ranks than processors every one of
// those questions is time that the rank with the answer does not get, and a barrier of 16 ranks takes a fifth of a
// second. So after a few questions in a row without an answer, the next one is asked in a way that sleeps:
//
//   epoll_wait, poll      with a time-out of 0 (sockets: UCX under MPICH, libevent under Open MPI): may block for a
//                         millisecond (or BCASTGEN_IDLE_MS), and wakes at once when data comes, also on a socket that
//                         recvmmsg was just asked for datagrams on
//   ucp_worker_progress   (shared memory under MPICH, which asks UCX once per round): sleeps for nap_ns, as nothing
//                         would wake it
//   sched_yield           (Open MPI with mpi_yield_when_idle): likewise. Over shared memory that is where its ranks
//                         wait, and nothing comes through the sockets that it asks in between: those do not block then
//
// MPICH over UCX also hangs in MPI_Finalize now and then when ranks are crowded: one rank still closes its connections
// while its peers, in read() on the launcher's socket, no longer answer. Until that socket has something to say, the
// shim's read() keeps UCX going.
//
// Only timing changes, never a result. Built alone: cc -shared -fPIC -O2 idle_shim.c -o libidle_shim.so -ldl
#define _GNU_SOURCE
#include <dlfcn.h>
#include <poll.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum {
    patience = 8,  // empty answers in a row before a rank sleeps: an answer often comes at the second question
    usual_idle_ms = 1,
    nap_ns = 20000,
    finalize_ms = 2,
    datagram_patience = 8,
};

// Each thread counts for itself: one that works must not keep one that waits awake.
static _Thread_local unsigned empty_answers;
static atomic_int finalizing;
static void* _Atomic last_worker;

// The function behind ours; also where MPI and UCX came with a plug-in that keeps them to itself.
static void* find_next(const char* name) {
    static const char* const libraries[] = {"libucp.so.0", "libmpich.so.12", "libmpi.so.40"};
    void* found = dlsym(RTLD_NEXT, name);
    for (size_t i = 0; found == NULL && i < sizeof libraries / sizeof *libraries; ++i) {
        void* library = dlopen(libraries[i], RTLD_LAZY | RTLD_NOLOAD);
        if (library == NULL) continue;
        found = dlsym(library, name);
        dlclose(library);  // only our count on it
    }
    return found;
}

#define NEXT(name)                 \
    static __typeof__(&name) next; \
    if (next == NULL) *(void**)&next = find_next(#name)

static void nap(void) {
    const struct timespec time = {0, nap_ns};
    nanosleep(&time, NULL);
}

// Whether what a rank waits for comes through sockets. With Open MPI on one host it does not, unless TCP is asked for.
static int sockets_bring_messages(void) {
    static atomic_int answer = -1;
    if (answer < 0) {
        const char* transports = getenv("OMPI_MCA_btl");
        answer = getenv("OMPI_COMM_WORLD_RANK") == NULL || (transports != NULL && strstr(transports, "tcp") != NULL);
    }
    return answer;
}

// The socket that this thread has just asked for datagrams in vain, and will ask again: a sleep ends when one comes,
// and no other begins before it has been asked. For a few sleeps and questions only, as it may never be asked again.
static _Thread_local int asked_socket = -1;
static _Thread_local int asked_sleeps;  // for so many more it counts
static _Thread_local int wide_awake;    // so many more questions are not to sleep

// BCASTGEN_IDLE_MS: with a hundred ranks on a processor even a look every millisecond is much.
static int idle_ms(void) {
    static atomic_int once = -1;
    if (once < 0) {
        const char* text = getenv("BCASTGEN_IDLE_MS");
        once = text != NULL && atoi(text) > 0 ? atoi(text) : usual_idle_ms;
    }
    return once;
}

// How long to wait when `timeout_ms` was asked for.
static int patient_ms(int timeout_ms) {
    if (wide_awake > 0) {
        --wide_awake;
        return timeout_ms;
    }
    return timeout_ms == 0 && empty_answers >= patience && sockets_bring_messages() ? idle_ms() : timeout_ms;
}

int recvmmsg(int file, struct mmsghdr* messages, unsigned count, int flags, struct timespec* time) {
    NEXT(recvmmsg);
    const int received = next(file, messages, count, flags, time);
    asked_socket = received < 0 && (flags & MSG_DONTWAIT) != 0 ? file : -1;
    asked_sleeps = datagram_patience;
    wide_awake = 0;
    if (received > 0) empty_answers = 0;
    return received;
}

// Sleeps until one of the files, or the socket that datagrams are expected on, has something, or the time is over.
// False if none of the files has.
static int sleep_for_any(const struct pollfd* files, nfds_t count) {
    static int (*next)(struct pollfd*, nfds_t, int);
    if (next == NULL) *(void**)&next = find_next("poll");
    struct pollfd all[64];
    if (count >= sizeof all / sizeof *all) return 1;
    memcpy(all, files, count * sizeof *files);
    all[count] = (struct pollfd){asked_socket, POLLIN, 0};
    if (--asked_sleeps == 0) asked_socket = -1;
    const int found = next(all, count + 1, idle_ms());
    if (found <= 0 || all[count].revents == 0) return found != 0;
    asked_socket = -1;
    wide_awake = datagram_patience;
    return found > 1;
}

int epoll_wait(int epoll, struct epoll_event* events, int most, int timeout_ms) {
    NEXT(epoll_wait);
    int wait_ms = patient_ms(timeout_ms);
    if (wait_ms != timeout_ms && asked_socket >= 0) {
        const struct pollfd events_file = {epoll, POLLIN, 0};
        if (!sleep_for_any(&events_file, 1)) {
            ++empty_answers;
            return 0;  // the datagram that has come need not wait for another look
        }
        wait_ms = timeout_ms;
    }
    const int found = next(epoll, events, most, wait_ms);
    empty_answers = found == 0 ? empty_answers + 1 : 0;
    return found;
}

int poll(struct pollfd* files, nfds_t count, int timeout_ms) {
    NEXT(poll);
    int wait_ms = patient_ms(timeout_ms);
    if (wait_ms != timeout_ms && asked_socket >= 0) {
        (void)sleep_for_any(files, count);
        wait_ms = timeout_ms;
    }
    const int found = next(files, count, wait_ms);
    empty_answers = found == 0 ? empty_answers + 1 : 0;
    return found;
}

int sched_yield(void) {
    NEXT(sched_yield);
    if (++empty_answers < patience || wide_awake > 0) return next();
    nap();
    return 0;
}

// UCX's own functions, declared here so that its headers are not needed.
unsigned ucp_worker_progress(void* worker);
int ucp_worker_create(void* context, const void* parameters, void** worker);
void ucp_worker_destroy(void* worker);

unsigned ucp_worker_progress(void* worker) {
    NEXT(ucp_worker_progress);
    const unsigned before = empty_answers;
    const unsigned events = next(worker);
    if (events != 0) {
        empty_answers = 0;
    } else if (empty_answers == before && ++empty_answers >= patience) {
        nap();  // UCX asked no socket itself, where it would have slept already
    }
    return events;
}

int ucp_worker_create(void* context, const void* parameters, void** worker) {
    NEXT(ucp_worker_create);
    const int status = next(context, parameters, worker);
    if (status == 0) atomic_store(&last_worker, *worker);
    return status;
}

void ucp_worker_destroy(void* worker) {
    NEXT(ucp_worker_destroy);
    if (atomic_load(&last_worker) == worker) atomic_store(&last_worker, NULL);
    next(worker);
}

static int launcher_socket(void) {
    const char* text = getenv("PMI_FD");
    return text != NULL ? atoi(text) : -1;
}

ssize_t read(int file, void* buffer, size_t bytes) {
    NEXT(read);
    void* worker = atomic_load(&last_worker);
    if (worker != NULL && atomic_load(&finalizing) != 0 && file == launcher_socket()) {
        struct pollfd socket = {file, POLLIN, 0};
        while (poll(&socket, 1, finalize_ms) == 0) ucp_worker_progress(worker);
    }
    return next(file, buffer, bytes);
}

// The end of the world model and of a session; both talk to the launcher. PMPI_Finalize is what a preloaded profiler
// calls.
int MPI_Finalize(void);
int PMPI_Finalize(void);
int MPI_Session_finalize(void* session);

int MPI_Finalize(void) {
    NEXT(MPI_Finalize);
    atomic_fetch_add(&finalizing, 1);
    const int error = next();
    atomic_fetch_sub(&finalizing, 1);
    return error;
}

int PMPI_Finalize(void) {
    NEXT(PMPI_Finalize);
    atomic_fetch_add(&finalizing, 1);
    const int error = next();
    atomic_fetch_sub(&finalizing, 1);
    return error;
}

int MPI_Session_finalize(void* session) {
    NEXT(MPI_Session_finalize);
    atomic_fetch_add(&finalizing, 1);
    const int error = next(session);
    atomic_fetch_sub(&finalizing, 1);
    return error;
}
