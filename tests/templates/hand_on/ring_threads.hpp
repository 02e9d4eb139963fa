// The ranks of a machine as threads that broadcast to each other through a ring, every byte checked.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <thread>
#include <vector>

#include "bcast/hand_on/ring.hpp"

namespace ring_threads {

/// `broadcasts` of growing and shrinking messages, each led by another rank; some ranks are slower than others. Empty,
/// or what went wrong first at some rank.
class Machine {
  public:
    Machine(const bcast::RingShape& shape, std::vector<int> domains, int broadcasts)
        : shape_(shape), domains_(domains.begin(), domains.end()), broadcasts_(broadcasts) {
        int most = 0;
        for (const int domain : domains_) most = std::max(most, domain);
        memory_.assign(bcast::Ring::page_bytes + bcast::Ring::bytes_of(shape_, ranks(), most + 1), 0);
        problems_.resize(domains_.size());
    }

    std::string run() {
        std::vector<std::thread> threads;
        for (int rank = 0; rank < ranks(); ++rank) threads.emplace_back([this, rank] { take_part(rank); });
        for (std::thread& thread : threads) thread.join();
        for (const std::string& problem : problems_) {
            if (!problem.empty()) return problem;
        }
        return "";
    }

  private:
    [[nodiscard]] int ranks() const { return static_cast<int>(domains_.size()); }
    [[nodiscard]] std::size_t length(int broadcast) const {
        return 1 + static_cast<std::size_t>(broadcast * 7919) % (5 * shape_.slot_bytes);
    }
    static char byte(int broadcast, std::size_t at) {
        return static_cast<char>(at * 31 + at / 251 + static_cast<std::size_t>(broadcast) * 17);
    }

    void take_part(int rank) {
        const std::uintptr_t into_page = reinterpret_cast<std::uintptr_t>(memory_.data()) % bcast::Ring::page_bytes;
        bcast::Ring ring(memory_.data() + (bcast::Ring::page_bytes - into_page), shape_, domains_, rank);
        for (int broadcast = 0; broadcast < broadcasts_; ++broadcast) {
            const int leader = (broadcast * 5 + broadcast / 3) % ranks();
            ring.begin(leader);
            if (rank == leader) {
                lead(ring, broadcast);
            } else {
                read(ring, broadcast, rank);
            }
        }
    }

    void lead(bcast::Ring& ring, int broadcast) const {
        const std::size_t bytes = length(broadcast);
        std::vector<char> message(bytes);
        for (std::size_t i = 0; i < bytes; ++i) message[i] = byte(broadcast, i);
        for (std::size_t at = 0; at < bytes;) {
            while (!ring.may_write()) std::this_thread::yield();
            bcast::PieceHead head;
            head.message_bytes = bytes;
            head.offset = at;
            head.bytes = static_cast<std::uint32_t>(std::min(ring.piece_bytes(), bytes - at));
            head.last = at + head.bytes == bytes;
            ring.write(head, &message[at]);
            at += head.bytes;
        }
    }

    void read(bcast::Ring& ring, int broadcast, int rank) {
        std::size_t at = 0;
        bool last = false;
        while (!last) {
            const bcast::PieceHead* head = ring.read();
            if (head == nullptr) {
                std::this_thread::yield();
                continue;
            }
            if (rank % 3 == 1) std::this_thread::yield();
            const char* bytes = ring.bytes();
            bool right = head->message_bytes == length(broadcast) && head->offset == at;
            for (std::size_t i = 0; i < head->bytes; ++i) right = right && bytes[i] == byte(broadcast, at + i);
            if (!right && problems_[static_cast<std::size_t>(rank)].empty()) {
                problems_[static_cast<std::size_t>(rank)] = "rank " + std::to_string(rank) + ", broadcast " +
                                                            std::to_string(broadcast) + ", from byte " +
                                                            std::to_string(at);
            }
            at += head->bytes;
            last = head->last;
            ring.done_with_piece();
        }
    }

    bcast::RingShape shape_;
    bcast::Row<int> domains_;
    int broadcasts_;
    std::vector<char> memory_;
    std::vector<std::string> problems_;  // by rank
};

/// Machines of one domain and of several, ranks of one domain side by side and in turn; the smallest rings.
inline std::string run_all(int broadcasts) {
    const std::vector<std::vector<int>> machines = {{0, 0},          {0, 0, 0, 0},    {0, 1},   {0, 0, 1, 1},
                                                    {0, 1, 0, 1, 0}, {0, 1, 1, 2, 2}, {0, 0, 1}};
    const bcast::RingShape shapes[] = {{1, 64}, {2, 100}, {8, 1000}};
    for (const std::vector<int>& domains : machines) {
        for (const bcast::RingShape& shape : shapes) {
            const std::string problem = Machine(shape, domains, broadcasts).run();
            if (problem.empty()) continue;
            return std::to_string(domains.size()) + " ranks, " + std::to_string(shape.slots) + " slots of " +
                   std::to_string(shape.slot_bytes) + " bytes: " + problem;
        }
    }
    return "";
}

}  // namespace ring_threads
