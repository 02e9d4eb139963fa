// Programs that use sessions: without MPI_COMM_WORLD, with two sessions at once, and (argument: world) with
// MPI_COMM_WORLD coming and going meanwhile.
#include <cstring>

#include "checking.hpp"

namespace {

struct Session {
    MPI_Session session = MPI_SESSION_NULL;
    MPI_Comm comm = MPI_COMM_NULL;

    explicit Session(const char* tag) {
        MPI_Group group = MPI_GROUP_NULL;
        MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &session);
        MPI_Group_from_session_pset(session, "mpi://WORLD", &group);
        MPI_Comm_create_from_group(group, tag, MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &comm);
        MPI_Group_free(&group);
    }
    Session(const Session&) = delete;
    Session& operator=(const Session&) = delete;
    ~Session() {
        MPI_Comm_free(&comm);
        MPI_Session_finalize(&session);
    }
};

void broadcast_in_world(int* argc, char*** argv) {
    MPI_Init(argc, argv);
    checking::broadcast_from_every_root(MPI_COMM_WORLD, 100);
    MPI_Finalize();
}

}  // namespace

int main(int argc, char** argv) {
    const bool world = argc > 1 && std::strcmp(argv[1], "world") == 0;
    {
        const Session outer("bcastgen-outer");
        checking::broadcast_from_every_root(outer.comm, 1000);
        if (world) broadcast_in_world(&argc, &argv);
        checking::broadcast_from_every_root(outer.comm, 2000);
        {
            const Session inner("bcastgen-inner");
            checking::broadcast_from_every_root(inner.comm, 3000);
            MPI_Comm copy = MPI_COMM_NULL;
            MPI_Comm_dup(inner.comm, &copy);
            checking::broadcast_from_every_root(copy, 4000);
            checking::broadcast_from_every_root(outer.comm, 5000);
            MPI_Comm_free(&copy);
        }
        checking::broadcast_from_every_root(outer.comm, 6000);
    }
    return checking::failures == 0 ? 0 : 1;
}
