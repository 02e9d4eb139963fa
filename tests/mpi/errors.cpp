// What a wrong call is answered with: the MPI's own error class, through the communicator's error handler, called once.
#include "checking.hpp"

namespace {

int handler_calls = 0;
int last_class = MPI_SUCCESS;
MPI_Comm last_comm = MPI_COMM_NULL;

void note_error(MPI_Comm* comm, int* code, ...) {
    ++handler_calls;
    last_comm = *comm;
    MPI_Error_class(*code, &last_class);
}

int class_of(int code) {
    int error_class = 0;
    MPI_Error_class(code, &error_class);
    return error_class;
}

struct Call {
    const char* what;
    void* buffer;
    int count;
    MPI_Datatype type;
    int root;
};

/// The call must be answered as PMPI_Bcast answers it, whatever came before on the communicator.
void check_wrong_call(MPI_Comm comm, const Call& call) {
    handler_calls = 0;
    const int native = PMPI_Bcast(call.buffer, call.count, call.type, call.root, comm);
    const int native_calls = handler_calls;
    EXPECT(native != MPI_SUCCESS && native_calls == 1);
    handler_calls = 0;
    last_class = MPI_SUCCESS;
    const int ours = MPI_Bcast(call.buffer, call.count, call.type, call.root, comm);
    const bool same =
        class_of(ours) == class_of(native) && handler_calls == 1 && last_class == class_of(native) && last_comm == comm;
    EXPECT(same);
    if (!same) {
        std::fprintf(stderr, "%s: class %d, MPI's own %d; handler called %d times with class %d\n", call.what,
                     class_of(ours), class_of(native), handler_calls, last_class);
    }
}

void check_wrong_calls(MPI_Comm comm) {
    static char buffer[100000];
    MPI_Datatype uncommitted = MPI_DATATYPE_NULL;
    MPI_Type_vector(3, 1, 2, MPI_INT, &uncommitted);
    MPI_Datatype uncommitted_run = MPI_DATATYPE_NULL;
    MPI_Type_contiguous(3, MPI_INT, &uncommitted_run);
    const int ranks = checking::ranks_in(comm);
    const Call calls[] = {
        {"root too large", buffer, 1000, MPI_BYTE, ranks},
        {"negative root", buffer, 1000, MPI_BYTE, -5},
        {"negative count", buffer, -1, MPI_BYTE, 0},
        {"no type", buffer, 1000, MPI_DATATYPE_NULL, 0},
        {"uncommitted type", buffer, 1000, uncommitted, 0},
        {"uncommitted contiguous type", buffer, 1000, uncommitted_run, 0},
        {"uncommitted type, small", buffer, 1, uncommitted, 0},
    };
    for (const Call& call : calls) check_wrong_call(comm, call);
    MPI_Type_free(&uncommitted);
    MPI_Type_free(&uncommitted_run);
}

/// One rank alone makes a wrong call; before any broadcast has set the communicator up that must not wait for others.
void check_alone(MPI_Comm comm) {
    static char buffer[1000];
    if (checking::rank_in(comm) == 0) {
        EXPECT(class_of(MPI_Bcast(buffer, 1000, MPI_BYTE, 99, comm)) == MPI_ERR_ROOT);
        EXPECT(class_of(MPI_Bcast(buffer, -3, MPI_BYTE, 0, comm)) == MPI_ERR_COUNT);
        EXPECT(class_of(MPI_Bcast(buffer, 1000, MPI_DATATYPE_NULL, 0, comm)) == MPI_ERR_TYPE);
    }
    MPI_Barrier(comm);
}

}  // namespace

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    MPI_Errhandler handler = MPI_ERRHANDLER_NULL;
    MPI_Comm_create_errhandler(note_error, &handler);
    MPI_Comm comm = MPI_COMM_NULL;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_set_errhandler(comm, handler);
    // MPI_COMM_WORLD keeps MPI_ERRORS_ARE_FATAL: an error that lands there ends the program.
    check_alone(comm);
    check_wrong_calls(comm);
    checking::broadcast_from_every_root(comm, 1);
    check_wrong_calls(comm);
    checking::broadcast_from_every_root(comm, 1000);
    MPI_Errhandler now = MPI_ERRHANDLER_NULL;
    MPI_Comm_get_errhandler(comm, &now);
    EXPECT(now == handler);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler);
    handler_calls = 0;
    char byte = 0;
    EXPECT(class_of(MPI_Bcast(&byte, 1, MPI_BYTE, 0, MPI_COMM_NULL)) == MPI_ERR_COMM);
    EXPECT(handler_calls == 1);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
    MPI_Comm_free(&comm);
    MPI_Errhandler_free(&handler);
    MPI_Errhandler_free(&now);
    return checking::finish();
}
