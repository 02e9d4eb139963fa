// What the root tells a rank that is to take part: where it joins, or that the message comes to it alone.
#pragma once

#include <cstdint>
#include <vector>

#include "bcast/mpi/mpi_library.hpp"
#include "bcast/mpi/waiting.hpp"
#include "bcast/pipeline/pool.hpp"

namespace bcast {

/// Letters under way from the root, each of a few words.
class Letters {
  public:
    static constexpr int tag = 5;

    /// Begins a letter: its words, none yet. send() must follow.
    std::vector<std::int32_t>& write() {
        Letter& letter = under_way_.add();
        letter.words.clear();
        letter.requests.reset(1);
        return letter.words;
    }

    /// Sends the letter that was begun last. MPI error code.
    int send(int rank, MPI_Comm comm) {
        Letter& letter = under_way_.back();
        return mpi.Isend(letter.words.data(), static_cast<int>(letter.words.size() * sizeof(std::int32_t)), mpi.byte,
                         rank, tag, comm, letter.requests.handles.data());
    }

    void forget_sent() {
        under_way_.remove_if([](Letter& letter) { return letter.requests.take(0); });
    }

    [[nodiscard]] bool empty() const { return under_way_.empty(); }

    void wait_for(WaitSet& waiting) {
        for (std::size_t i = 0; i < under_way_.size(); ++i) waiting.add(under_way_[i].requests);
    }

  private:
    struct Letter {
        std::vector<std::int32_t> words;
        Requests requests;
    };
    Pool<Letter> under_way_;
};

}  // namespace bcast
