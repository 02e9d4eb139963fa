// What the root tells a rank that is to take part: where it joins, or that the message comes to it alone.
#pragma once

#include <cstdint>

#include "bcast/mpi/mpi_library.hpp"
#include "bcast/mpi/waiting.hpp"
#include "bcast/pipeline/pool.hpp"

namespace bcast {

/// Control messages under way from the root, each of a few words.
class ControlMessages {
  public:
    static constexpr int tag = 5;

    /// Begins a control message: its words, none yet. send() must follow.
    Row<std::int32_t>& write() {
        ControlMessage& message = under_way_.add();
        message.words.clear();
        message.requests.reset(1);
        return message.words;
    }

    /// Sends the control message that was begun last. MPI error code.
    int send(int rank, MPI_Comm comm) {
        ControlMessage& message = under_way_.back();
        return message.requests.send(0, message.words.data(),
                                     static_cast<int>(message.words.size() * sizeof(std::int32_t)), rank, tag, comm);
    }

    void forget_sent() {
        under_way_.remove_if([](ControlMessage& message) { return message.requests.take(0) != Ended::not_yet; });
    }

    [[nodiscard]] bool empty() const { return under_way_.empty(); }

    void wait_for(WaitSet& waiting) {
        for (std::size_t i = 0; i < under_way_.size(); ++i) waiting.add(under_way_[i].requests);
    }

  private:
    struct ControlMessage {
        Row<std::int32_t> words;
        Requests requests;
    };
    Pool<ControlMessage> under_way_;
};

}  // namespace bcast
