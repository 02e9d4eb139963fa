// Attributes of communicators, and error handlers.
#include <algorithm>
#include <cstring>
#include <utility>

#include "job.hpp"

namespace simulator {

namespace {

/// A key that was freed goes with its last attribute.
void forget(int number) {
    Rank& rank = self();
    Keyval& keyval = *rank.keyvals.find(number);
    if (keyval.freed && keyval.attributes == 0) rank.keyvals.remove(number);
}

void forget_use(MPI_Errhandler handler) {
    Rank& rank = self();
    if (Errhandler* own = rank.errhandlers.find(handler)) {
        if (--own->uses == 0) rank.errhandlers.remove(handler);
    }
}

int remove_attribute(MPI_Comm comm, Communicator& communicator, std::size_t at) {
    const auto [number, value] = communicator.attributes[at];
    const Keyval keyval = *self().keyvals.find(number);
    if (keyval.remove != nullptr) {
        Rank& rank = self();
        const int in_mpi = std::exchange(rank.in_mpi, 0);  // the library's code, whoever frees the communicator
        int error = MPI_SUCCESS;
        {
            const Within library(rank.in_library);
            error = keyval.remove(comm, number, value, keyval.extra);
        }
        rank.in_mpi = in_mpi;
        if (error != MPI_SUCCESS) return error;
    }
    // The callback may have changed others.
    std::vector<std::pair<int, void*>>& attributes = communicator.attributes;
    attributes.erase(std::find(attributes.begin(), attributes.end(), std::make_pair(number, value)));
    --self().keyvals.find(number)->attributes;
    forget(number);
    return MPI_SUCCESS;
}

}  // namespace

void remove_attributes(MPI_Comm comm, Communicator& communicator) {
    while (!communicator.attributes.empty()) {
        if (remove_attribute(comm, communicator, communicator.attributes.size() - 1) != MPI_SUCCESS) return;
    }
}

}  // namespace simulator

using namespace simulator;

extern "C" {

int PMPI_Comm_create_keyval(MPI_Comm_copy_attr_function* copy, MPI_Comm_delete_attr_function* remove, int* keyval,
                            void* extra) {
    if (const int error = enter({"Comm_create_keyval"}); error != MPI_SUCCESS) return error;
    *keyval = self().keyvals.add({copy, remove, extra, 0, false});
    return MPI_SUCCESS;
}

int PMPI_Comm_free_keyval(int* keyval) {
    if (const int error = enter({"Comm_free_keyval"}); error != MPI_SUCCESS) return error;
    Keyval* found = self().keyvals.find(*keyval);
    if (found == nullptr) return raise(MPI_COMM_WORLD, MPI_ERR_KEYVAL);
    found->freed = true;
    forget(*keyval);
    *keyval = MPI_KEYVAL_INVALID;
    return MPI_SUCCESS;
}

int PMPI_Comm_set_attr(MPI_Comm comm, int keyval, void* value) {
    if (const int error = enter({"Comm_set_attr"}, comm); error != MPI_SUCCESS) return error;
    Communicator* communicator = find_communicator(comm);
    if (communicator == nullptr) return raise(comm, MPI_ERR_COMM);
    Keyval* found = self().keyvals.find(keyval);
    if (found == nullptr) return raise(comm, MPI_ERR_KEYVAL);
    for (std::size_t i = 0; i < communicator->attributes.size(); ++i) {
        if (communicator->attributes[i].first != keyval) continue;
        if (const int error = remove_attribute(comm, *communicator, i); error != MPI_SUCCESS) return raise(comm, error);
        break;
    }
    ++self().keyvals.find(keyval)->attributes;
    communicator->attributes.emplace_back(keyval, value);
    return MPI_SUCCESS;
}

int PMPI_Comm_get_attr(MPI_Comm comm, int keyval, void* value, int* flag) {
    if (const int error = enter({"Comm_get_attr"}, comm); error != MPI_SUCCESS) return error;
    const Communicator* communicator = find_communicator(comm);
    if (communicator == nullptr) return raise(comm, MPI_ERR_COMM);
    if (keyval == MPI_TAG_UB) {
        const int* largest = &self().job.habits.largest_tag;
        std::memcpy(value, &largest, sizeof largest);
        *flag = 1;
        return MPI_SUCCESS;
    }
    if (self().keyvals.find(keyval) == nullptr) return raise(comm, MPI_ERR_KEYVAL);
    *flag = 0;
    for (const auto& [number, kept] : communicator->attributes) {
        if (number != keyval) continue;
        *flag = 1;
        std::memcpy(value, &kept, sizeof kept);
    }
    return MPI_SUCCESS;
}

int PMPI_Comm_delete_attr(MPI_Comm comm, int keyval) {
    if (const int error = enter({"Comm_delete_attr"}, comm); error != MPI_SUCCESS) return error;
    Communicator* communicator = find_communicator(comm);
    if (communicator == nullptr) return raise(comm, MPI_ERR_COMM);
    for (std::size_t i = 0; i < communicator->attributes.size(); ++i) {
        if (communicator->attributes[i].first == keyval) return raise(comm, remove_attribute(comm, *communicator, i));
    }
    return raise(comm, MPI_ERR_KEYVAL);
}

int PMPI_Comm_create_errhandler(MPI_Comm_errhandler_function* function, MPI_Errhandler* handler) {
    *handler = self().errhandlers.add({function, 1});
    return MPI_SUCCESS;
}

int PMPI_Comm_set_errhandler(MPI_Comm comm, MPI_Errhandler handler) {
    if (const int error = enter({"Comm_set_errhandler"}, comm); error != MPI_SUCCESS) return error;
    Communicator* communicator = find_communicator(comm);
    if (communicator == nullptr) return raise(comm, MPI_ERR_COMM);
    if (Errhandler* own = self().errhandlers.find(handler)) ++own->uses;
    forget_use(communicator->errhandler);
    communicator->errhandler = handler;
    return MPI_SUCCESS;
}

int PMPI_Comm_get_errhandler(MPI_Comm comm, MPI_Errhandler* handler) {
    if (const int error = enter({"Comm_get_errhandler"}, comm); error != MPI_SUCCESS) return error;
    const Communicator* communicator = find_communicator(comm);
    if (communicator == nullptr) return raise(comm, MPI_ERR_COMM);
    *handler = communicator->errhandler;
    if (Errhandler* own = self().errhandlers.find(*handler)) ++own->uses;
    return MPI_SUCCESS;
}

int PMPI_Comm_call_errhandler(MPI_Comm comm, int error) {
    raise(comm, error);
    return MPI_SUCCESS;
}

int PMPI_Errhandler_free(MPI_Errhandler* handler) {
    if (const int error = enter({"Errhandler_free"}); error != MPI_SUCCESS) return error;
    forget_use(*handler);
    *handler = MPI_ERRHANDLER_NULL;
    return MPI_SUCCESS;
}

}  // extern "C"
