// The MPI library that the process runs on, bound when the first broadcast comes.
//
// The emitted library is preloaded into everything a job starts: MPI programs, but also shells, launchers, and programs
// that load MPI later and privately (Python modules). So it must not refer to MPI's symbols by linking: every function
// and every predefined handle is looked up by name, once, in the libraries that are loaded by then.
#pragma once

#include <mpi.h>
#include <sched.h>

#if defined(OPEN_MPI) || defined(MPICH_NAME)
#define BCAST_LATE_BINDING 1
#include <dlfcn.h>
#include <link.h>
#else  // an MPI that programs are compiled against whole, such as a simulator
#define BCAST_LATE_BINDING 0
#endif

#include <cstddef>
#include <cstring>
#include <string>
#include <vector>

namespace bcast {

// clang-format off
#define BCAST_MPI_FUNCTIONS(X)                                                                                 \
    X(Abort) X(Allgather) X(Allreduce) X(Bcast) X(Cancel) X(Comm_call_errhandler) X(Comm_create) X(Comm_create_keyval)  \
    X(Comm_delete_attr) X(Comm_free) X(Comm_free_keyval) X(Comm_get_attr) X(Comm_get_errhandler)               \
    X(Comm_group) X(Comm_rank) X(Comm_set_attr) X(Comm_set_errhandler) X(Comm_size) X(Comm_split)               \
    X(Comm_split_type) X(Comm_test_inter)                                                                      \
    X(Errhandler_free) X(Get_count) X(Get_library_version) X(Get_processor_name) X(Group_free) X(Iallreduce)   \
    X(Initialized) X(Iprobe) X(Irecv) X(Isend) X(Issend) X(Pack) X(Probe) X(Query_thread) X(Recv) X(Request_free) \
    X(Send) X(Sendrecv) X(Test) X(Testany) X(Testsome) X(Type_commit) X(Type_create_hindexed) X(Type_free)     \
    X(Type_get_contents) X(Type_get_envelope) X(Type_get_extent) X(Type_size) X(Type_size_x) X(Unpack) X(Wait) \
    X(Waitany) X(Win_allocate_shared) X(Win_free) X(Win_shared_query) X(Wtime)
// clang-format on

/// MPI's functions (their profiling names, so that a call never comes back to us) and the handles we use.
struct MpiLibrary {
#define BCAST_MEMBER(name) decltype(&PMPI_##name) name = nullptr;
    BCAST_MPI_FUNCTIONS(BCAST_MEMBER)
#undef BCAST_MEMBER
#ifdef OPEN_MPI
    decltype(&PMPI_Comm_f2c) Comm_f2c = nullptr;
    decltype(&PMPI_Type_f2c) Type_f2c = nullptr;
#endif
#if MPI_VERSION >= 4
    decltype(&PMPI_Bcast_c) Bcast_c = nullptr;
    decltype(&PMPI_Pack_c) Pack_c = nullptr;
    decltype(&PMPI_Unpack_c) Unpack_c = nullptr;
#endif
    MPI_Datatype byte{};
    MPI_Datatype int_type{};
    MPI_Datatype double_type{};
    MPI_Datatype char_type{};
    MPI_Datatype float_type{};
    MPI_Datatype datatype_null{};
    MPI_Comm comm_world{};
    MPI_Comm comm_self{};
    MPI_Comm comm_null{};
    MPI_Request request_null{};
    MPI_Op op_min{};
    MPI_Op op_max{};
    MPI_Op op_sum{};
    MPI_Errhandler errors_return{};
    MPI_Errhandler errors_are_fatal{};
    MPI_Info info_null{};
    /// What a rank does between two looks at its requests. Not MPI's, but who fills this table with an MPI of its own
    /// (tests/simulator) decides as well who runs meanwhile.
    int (*yield)() = sched_yield;
    /// Where time passes only if it is said to (a simulator): after `looks` looks at shared memory in vain, and while
    /// so many bytes are copied to or from it. nullptr where time passes by itself.
    void (*nap)(int looks) = nullptr;
    void (*copying)(std::size_t bytes) = nullptr;
};

inline MpiLibrary mpi;

/// Which handle layout an MPI has: two libraries of one family can run each other's compiled programs.
enum class MpiFamily { mpich, open_mpi, other };

#if defined(OPEN_MPI)
inline constexpr MpiFamily built_for = MpiFamily::open_mpi;
#elif defined(MPICH_NAME)
inline constexpr MpiFamily built_for = MpiFamily::mpich;
#else
inline constexpr MpiFamily built_for = MpiFamily::other;
#endif

#if BCAST_LATE_BINDING

namespace detail {

inline int note_mpi_library(dl_phdr_info* info, std::size_t /*size*/, void* names) {
    const char* slash = std::strrchr(info->dlpi_name, '/');
    const char* file = slash != nullptr ? slash + 1 : info->dlpi_name;
    if (std::strncmp(file, "libmpi", 6) == 0 || std::strncmp(file, "libpmpi", 7) == 0) {
        static_cast<std::vector<std::string>*>(names)->emplace_back(info->dlpi_name);
    }
    return 0;
}

}  // namespace detail

/// The address of a symbol of the process's MPI: where every library sees it, else in an MPI library that was loaded
/// privately. nullptr if there is none.
inline void* find_mpi_symbol(const char* name) {
    if (void* found = dlsym(RTLD_DEFAULT, name)) return found;
    std::vector<std::string> libraries;
    dl_iterate_phdr(detail::note_mpi_library, &libraries);
    for (const std::string& library : libraries) {
        void* handle = dlopen(library.c_str(), RTLD_LAZY | RTLD_NOLOAD);
        if (handle == nullptr) continue;
        void* found = dlsym(handle, name);
        dlclose(handle);  // only our count on it: it stays loaded
        if (found != nullptr) return found;
    }
    return nullptr;
}

/// The family of the MPI in this process, by its own words; works before MPI_Init.
inline MpiFamily running_on() {
    using GetVersion = int (*)(char*, int*);
    const auto get_version = reinterpret_cast<GetVersion>(find_mpi_symbol("PMPI_Get_library_version"));
    if (get_version == nullptr) return MpiFamily::other;
    std::vector<char> text(8192 + 1, '\0');  // MPICH's MPI_MAX_LIBRARY_VERSION_STRING, the largest
    int length = 0;
    get_version(text.data(), &length);
    return std::strstr(text.data(), "Open MPI") != nullptr ? MpiFamily::open_mpi : MpiFamily::mpich;
}

/// Binds `mpi`. False if something is missing: then no call may be served.
inline bool bind_mpi() {
    bool complete = true;
    const auto find = [&complete](const char* name) {
        void* found = find_mpi_symbol(name);
        complete = complete && found != nullptr;
        return found;
    };
#define BCAST_BIND(name) mpi.name = reinterpret_cast<decltype(mpi.name)>(find("PMPI_" #name));
    BCAST_MPI_FUNCTIONS(BCAST_BIND)
#if MPI_VERSION >= 4
    BCAST_BIND(Bcast_c)
    BCAST_BIND(Pack_c)
    BCAST_BIND(Unpack_c)
#endif
#ifdef OPEN_MPI
    BCAST_BIND(Comm_f2c)
    BCAST_BIND(Type_f2c)
    // Open MPI's predefined handles are the addresses of these objects.
    mpi.byte = static_cast<MPI_Datatype>(find("ompi_mpi_byte"));
    mpi.int_type = static_cast<MPI_Datatype>(find("ompi_mpi_int"));
    mpi.double_type = static_cast<MPI_Datatype>(find("ompi_mpi_double"));
    mpi.char_type = static_cast<MPI_Datatype>(find("ompi_mpi_char"));
    mpi.float_type = static_cast<MPI_Datatype>(find("ompi_mpi_float"));
    mpi.datatype_null = static_cast<MPI_Datatype>(find("ompi_mpi_datatype_null"));
    mpi.comm_world = static_cast<MPI_Comm>(find("ompi_mpi_comm_world"));
    mpi.comm_self = static_cast<MPI_Comm>(find("ompi_mpi_comm_self"));
    mpi.comm_null = static_cast<MPI_Comm>(find("ompi_mpi_comm_null"));
    mpi.request_null = static_cast<MPI_Request>(find("ompi_request_null"));
    mpi.op_min = static_cast<MPI_Op>(find("ompi_mpi_op_min"));
    mpi.op_max = static_cast<MPI_Op>(find("ompi_mpi_op_max"));
    mpi.op_sum = static_cast<MPI_Op>(find("ompi_mpi_op_sum"));
    mpi.errors_return = static_cast<MPI_Errhandler>(find("ompi_mpi_errors_return"));
    mpi.errors_are_fatal = static_cast<MPI_Errhandler>(find("ompi_mpi_errors_are_fatal"));
    mpi.info_null = static_cast<MPI_Info>(find("ompi_mpi_info_null"));
#endif
#undef BCAST_BIND
    return complete;
}

#else

inline MpiFamily running_on() {
    return built_for;
}

inline bool bind_mpi() {
    if (mpi.Abort != nullptr) return true;  // the table is filled
#define BCAST_BIND(name) mpi.name = &PMPI_##name;
    BCAST_MPI_FUNCTIONS(BCAST_BIND)
#if MPI_VERSION >= 4
    BCAST_BIND(Bcast_c)
    BCAST_BIND(Pack_c)
    BCAST_BIND(Unpack_c)
#endif
#undef BCAST_BIND
    return true;
}

#endif

/// The handles of an MPI whose predefined handles are constants or ordinary objects of the program.
inline void take_handles() {
#ifndef OPEN_MPI
    mpi.byte = MPI_BYTE;
    mpi.int_type = MPI_INT;
    mpi.double_type = MPI_DOUBLE;
    mpi.char_type = MPI_CHAR;
    mpi.float_type = MPI_FLOAT;
    mpi.datatype_null = MPI_DATATYPE_NULL;
    mpi.comm_world = MPI_COMM_WORLD;
    mpi.comm_self = MPI_COMM_SELF;
    mpi.comm_null = MPI_COMM_NULL;
    mpi.request_null = MPI_REQUEST_NULL;
    mpi.op_min = MPI_MIN;
    mpi.op_max = MPI_MAX;
    mpi.op_sum = MPI_SUM;
    mpi.errors_return = MPI_ERRORS_RETURN;
    mpi.errors_are_fatal = MPI_ERRORS_ARE_FATAL;
    mpi.info_null = MPI_INFO_NULL;
#endif
}

}  // namespace bcast
