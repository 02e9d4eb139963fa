// The part of MPI that the emitted library and its tests call, for the simulated MPI beside this file.
//
// All ranks live in one process, so a handle is a number that means something to the calling rank only: its kind, its
// place in that rank's table, and how often that place was used before, so that a freed handle is known for one.
#pragma once

#include <stddef.h>
#include <stdint.h>

#define SIMULATED_MPI 1
#ifdef SIMULATED_MPI_VERSION
#define MPI_VERSION SIMULATED_MPI_VERSION
#else
#define MPI_VERSION 4
#endif
#define MPI_SUBVERSION 0

typedef int MPI_Comm;
typedef int MPI_Datatype;
typedef int MPI_Request;
typedef int MPI_Group;
typedef int MPI_Errhandler;
typedef int MPI_Op;
typedef int MPI_Info;
typedef int MPI_Win;
typedef intptr_t MPI_Aint;
typedef int64_t MPI_Count;

typedef struct MPI_Status {
    int MPI_SOURCE;
    int MPI_TAG;
    int MPI_ERROR;
    size_t bytes;
} MPI_Status;

typedef int MPI_Comm_copy_attr_function(MPI_Comm, int, void*, void*, void*, int*);
typedef int MPI_Comm_delete_attr_function(MPI_Comm, int, void*, void*);
typedef void MPI_Comm_errhandler_function(MPI_Comm*, int*, ...);

enum {
    MPI_SUCCESS = 0,
    MPI_ERR_BUFFER = 1,
    MPI_ERR_COUNT = 2,
    MPI_ERR_TYPE = 3,
    MPI_ERR_TAG = 4,
    MPI_ERR_COMM = 5,
    MPI_ERR_RANK = 6,
    MPI_ERR_REQUEST = 7,
    MPI_ERR_ROOT = 8,
    MPI_ERR_GROUP = 9,
    MPI_ERR_OP = 10,
    MPI_ERR_ARG = 13,
    MPI_ERR_TRUNCATE = 15,
    MPI_ERR_OTHER = 16,
    MPI_ERR_INTERN = 17,
    MPI_ERR_NO_MEM = 34,
    MPI_ERR_KEYVAL = 48
};

// The kind stands in the upper bits; a number below 16 is predefined.
enum {
    MPI_COMM_NULL = 0x10000000,
    MPI_COMM_WORLD = 0x10000001,
    MPI_COMM_SELF = 0x10000002,
    MPI_DATATYPE_NULL = 0x20000000,
    MPI_BYTE = 0x20000001,
    MPI_CHAR = 0x20000002,
    MPI_INT = 0x20000003,
    MPI_DOUBLE = 0x20000004,
    MPI_INT64_T = 0x20000005,
    MPI_FLOAT = 0x20000006,
    MPI_REQUEST_NULL = 0x30000000,
    MPI_GROUP_NULL = 0x40000000,
    MPI_GROUP_EMPTY = 0x40000001,
    MPI_ERRHANDLER_NULL = 0x50000000,
    MPI_ERRORS_ARE_FATAL = 0x50000001,
    MPI_ERRORS_RETURN = 0x50000002,
    MPI_OP_NULL = 0x60000000,
    MPI_MIN = 0x60000001,
    MPI_MAX = 0x60000002,
    MPI_SUM = 0x60000003,
    MPI_KEYVAL_INVALID = 0x70000000,
    MPI_TAG_UB = 0x70000001,
    MPI_WIN_NULL = 0,
    MPI_INFO_NULL = 0
};
enum { MPI_COMM_TYPE_SHARED = 1 };

enum { MPI_UNDEFINED = -32766, MPI_ANY_SOURCE = -2, MPI_ANY_TAG = -1, MPI_PROC_NULL = -3, MPI_ROOT = -4 };
enum { MPI_MAX_PROCESSOR_NAME = 128, MPI_MAX_LIBRARY_VERSION_STRING = 256 };
enum { MPI_THREAD_SINGLE, MPI_THREAD_FUNNELED, MPI_THREAD_SERIALIZED, MPI_THREAD_MULTIPLE };
enum {
    MPI_COMBINER_NAMED = 1,
    MPI_COMBINER_DUP,
    MPI_COMBINER_CONTIGUOUS,
    MPI_COMBINER_VECTOR,
    MPI_COMBINER_HINDEXED,
    MPI_COMBINER_STRUCT,
    MPI_COMBINER_RESIZED,
    MPI_COMBINER_HVECTOR,  // nothing here makes this one and the next
    MPI_COMBINER_SUBARRAY
};
enum { MPI_ORDER_C = 1 };

#define MPI_BOTTOM ((void*)0)
#define MPI_STATUS_IGNORE ((MPI_Status*)0)
#define MPI_STATUSES_IGNORE ((MPI_Status*)0)
#define MPI_COMM_NULL_COPY_FN ((MPI_Comm_copy_attr_function*)0)
#define MPI_COMM_NULL_DELETE_FN ((MPI_Comm_delete_attr_function*)0)

#ifdef __cplusplus
extern "C" {
#endif

// The symbol that the emitted library defines.
int MPI_Bcast(void*, int, MPI_Datatype, int, MPI_Comm);

int PMPI_Init(int*, char***);
int PMPI_Finalize(void);
int PMPI_Abort(MPI_Comm, int);
int PMPI_Initialized(int*);
int PMPI_Query_thread(int*);
int PMPI_Get_library_version(char*, int*);
int PMPI_Get_processor_name(char*, int*);
double PMPI_Wtime(void);

int PMPI_Comm_rank(MPI_Comm, int*);
int PMPI_Comm_size(MPI_Comm, int*);
int PMPI_Comm_test_inter(MPI_Comm, int*);
int PMPI_Comm_group(MPI_Comm, MPI_Group*);
int PMPI_Comm_create(MPI_Comm, MPI_Group, MPI_Comm*);
int PMPI_Comm_split(MPI_Comm, int color, int key, MPI_Comm*);
int PMPI_Comm_split_type(MPI_Comm, int type, int key, MPI_Info, MPI_Comm*);
int PMPI_Comm_dup(MPI_Comm, MPI_Comm*);
int PMPI_Comm_free(MPI_Comm*);
int PMPI_Group_free(MPI_Group*);
int PMPI_Group_incl(MPI_Group, int, const int*, MPI_Group*);

int PMPI_Comm_create_keyval(MPI_Comm_copy_attr_function*, MPI_Comm_delete_attr_function*, int*, void*);
int PMPI_Comm_free_keyval(int*);
int PMPI_Comm_set_attr(MPI_Comm, int, void*);
int PMPI_Comm_get_attr(MPI_Comm, int, void*, int*);
int PMPI_Comm_delete_attr(MPI_Comm, int);

int PMPI_Comm_create_errhandler(MPI_Comm_errhandler_function*, MPI_Errhandler*);
int PMPI_Comm_set_errhandler(MPI_Comm, MPI_Errhandler);
int PMPI_Comm_get_errhandler(MPI_Comm, MPI_Errhandler*);
int PMPI_Comm_call_errhandler(MPI_Comm, int);
int PMPI_Errhandler_free(MPI_Errhandler*);

int PMPI_Isend(const void*, int, MPI_Datatype, int, int, MPI_Comm, MPI_Request*);
int PMPI_Issend(const void*, int, MPI_Datatype, int, int, MPI_Comm, MPI_Request*);
int PMPI_Irecv(void*, int, MPI_Datatype, int, int, MPI_Comm, MPI_Request*);
int PMPI_Send(const void*, int, MPI_Datatype, int, int, MPI_Comm);
int PMPI_Recv(void*, int, MPI_Datatype, int, int, MPI_Comm, MPI_Status*);
int PMPI_Sendrecv(const void*, int, MPI_Datatype, int, int, void*, int, MPI_Datatype, int, int, MPI_Comm, MPI_Status*);
int PMPI_Iprobe(int, int, MPI_Comm, int*, MPI_Status*);
int PMPI_Probe(int, int, MPI_Comm, MPI_Status*);
int PMPI_Get_count(const MPI_Status*, MPI_Datatype, int*);
int PMPI_Cancel(MPI_Request*);
int PMPI_Request_free(MPI_Request*);
int PMPI_Wait(MPI_Request*, MPI_Status*);
int PMPI_Waitany(int, MPI_Request*, int*, MPI_Status*);
int PMPI_Test(MPI_Request*, int*, MPI_Status*);
int PMPI_Testany(int, MPI_Request*, int*, int*, MPI_Status*);
int PMPI_Testsome(int, MPI_Request*, int*, int*, MPI_Status*);

int PMPI_Barrier(MPI_Comm);
int PMPI_Bcast(void*, int, MPI_Datatype, int, MPI_Comm);
int PMPI_Allgather(const void*, int, MPI_Datatype, void*, int, MPI_Datatype, MPI_Comm);
int PMPI_Allreduce(const void*, void*, int, MPI_Datatype, MPI_Op, MPI_Comm);
int PMPI_Iallreduce(const void*, void*, int, MPI_Datatype, MPI_Op, MPI_Comm, MPI_Request*);

int PMPI_Win_allocate_shared(MPI_Aint, int, MPI_Info, MPI_Comm, void*, MPI_Win*);
int PMPI_Win_shared_query(MPI_Win, int, MPI_Aint*, int*, void*);
int PMPI_Win_free(MPI_Win*);

int PMPI_Type_contiguous(int, MPI_Datatype, MPI_Datatype*);
int PMPI_Type_vector(int, int, int, MPI_Datatype, MPI_Datatype*);
int PMPI_Type_create_hindexed(int, const int*, const MPI_Aint*, MPI_Datatype, MPI_Datatype*);
int PMPI_Type_create_struct(int, const int*, const MPI_Aint*, const MPI_Datatype*, MPI_Datatype*);
int PMPI_Type_create_resized(MPI_Datatype, MPI_Aint, MPI_Aint, MPI_Datatype*);
int PMPI_Type_dup(MPI_Datatype, MPI_Datatype*);
int PMPI_Type_commit(MPI_Datatype*);
int PMPI_Type_free(MPI_Datatype*);
int PMPI_Type_size(MPI_Datatype, int*);
int PMPI_Type_size_x(MPI_Datatype, MPI_Count*);
int PMPI_Type_get_extent(MPI_Datatype, MPI_Aint*, MPI_Aint*);
int PMPI_Type_get_envelope(MPI_Datatype, int*, int*, int*, int*);
int PMPI_Type_get_contents(MPI_Datatype, int, int, int, int*, MPI_Aint*, MPI_Datatype*);
int PMPI_Pack(const void*, int, MPI_Datatype, void*, int, int*, MPI_Comm);
int PMPI_Unpack(const void*, int, int*, void*, int, MPI_Datatype, MPI_Comm);

#if MPI_VERSION >= 4
int MPI_Bcast_c(void*, MPI_Count, MPI_Datatype, int, MPI_Comm);
int PMPI_Bcast_c(void*, MPI_Count, MPI_Datatype, int, MPI_Comm);
int PMPI_Pack_c(const void*, MPI_Count, MPI_Datatype, void*, MPI_Count, MPI_Count*, MPI_Comm);
int PMPI_Unpack_c(const void*, MPI_Count, MPI_Count*, void*, MPI_Count, MPI_Datatype, MPI_Comm);
#endif

#ifdef __cplusplus
}
#endif
