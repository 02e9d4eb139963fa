// Messages between ranks as MPI carries them.
#pragma once

#include <cstddef>

#include "bcast/mpi/memory.hpp"
#include "bcast/mpi/mpi_library.hpp"
#include "bcast/mpi/waiting.hpp"
#include "bcast/multicast/reliable_links.hpp"

namespace bcast {

class MpiLinks : public ReliableLinks {
  public:
    explicit MpiLinks(MPI_Comm comm) : comm_(comm) {}

    int send(int rank, int tag, const void* data, std::size_t bytes, int& handle) override {
        handle = free_handle();
        const auto at = static_cast<std::size_t>(handle);
        const int error = insist(
            [&] { return mpi.Isend(data, static_cast<int>(bytes), mpi.byte, rank, tag, comm_, &requests_[at]); });
        if (error != MPI_SUCCESS) return error;
        // A short message has left by now; no need to wait for progress() to learn that.
        bool left = false;
        if (const int failed = wait_until(&requests_[at], 0, left); failed != MPI_SUCCESS) return failed;
        if (left) state_[at] = State::completed;
        return MPI_SUCCESS;
    }

    int receive(int rank, int tag, void* data, std::size_t bytes, int& handle) override {
        handle = free_handle();
        return insist([&] {
            return mpi.Irecv(data, static_cast<int>(bytes), mpi.byte, rank, tag, comm_,
                             &requests_[static_cast<std::size_t>(handle)]);
        });
    }

    int progress(bool& some) override {
        if (requests_.empty()) return MPI_SUCCESS;
        int count = 0;
        const int error = mpi.Testsome(static_cast<int>(requests_.size()), requests_.data(), &count, completed_.data(),
                                       MPI_STATUSES_IGNORE);
        if (error != MPI_SUCCESS || count == MPI_UNDEFINED) return error;
        for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i) {
            state_[static_cast<std::size_t>(completed_[i])] = State::completed;
        }
        some = some || count > 0;
        return MPI_SUCCESS;
    }

    bool take(int handle) override {
        State& state = state_[static_cast<std::size_t>(handle)];
        if (state != State::completed) return false;
        state = State::free;
        return true;
    }

  private:
    enum class State : char { free, under_way, completed };

    int free_handle() {
        std::size_t handle = 0;
        while (handle < state_.size() && state_[handle] != State::free) ++handle;
        if (handle == state_.size()) {
            state_.push_back(State::free);
            requests_.push_back(mpi.request_null);
            completed_.push_back(0);
        }
        state_[handle] = State::under_way;
        return static_cast<int>(handle);
    }

    MPI_Comm comm_;
    Row<MPI_Request> requests_;
    Row<State> state_;
    Row<int> completed_;  // what Testsome returns
};

}  // namespace bcast
