// Ranks in one process, for the multicast engine: datagrams that get lost, doubled, swapped, damaged and forged, and
// messages that take their time.
#pragma once

#include <cstring>
#include <deque>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <tuple>
#include <vector>

#include "bcast/multicast/datagram_socket.hpp"
#include "bcast/multicast/reliable_links.hpp"

namespace bcast::testing {

/// What may happen to a datagram on its way to one receiver: probabilities.
struct Faults {
    double lost = 0;
    double doubled = 0;
    double swapped = 0;  ///< overtakes all that waits
    double damaged = 0;
    double forged = 0;               ///< beside each, one of somebody without the key
    double replayed = 0;             ///< beside each, an old one of the group's own
    std::size_t room = 1 << 20;      ///< datagrams that wait at a receiver; more are lost
    std::vector<int> deaf;           ///< ranks that nothing reaches
    std::size_t eager_bytes = 4096;  ///< longer messages end only when they are received
};

class FakeNetwork;

class FakeSocket : public DatagramSocket {
  public:
    explicit FakeSocket(FakeNetwork& network) : network_(network) {}
    std::size_t send(const Datagram* datagrams, const DatagramEnds* ends, std::size_t count) override;
    std::size_t receive(Received* arrivals) override {
        std::size_t count = 0;
        while (count < datagram_batch && !waiting.empty()) {
            taken_[count] = std::move(waiting.front());
            waiting.pop_front();
            arrivals[count] = {taken_[count].data(), taken_[count].size()};
            ++count;
        }
        return count;
    }
    [[nodiscard]] bool joined() const override { return true; }
    [[nodiscard]] std::size_t datagram_bytes() const override { return 1472; }
    [[nodiscard]] std::size_t room() const override { return 1 << 20; }
    void make_room(std::size_t) override {}
    void wait(bool, int) override {}

    std::deque<std::string> waiting;

  private:
    FakeNetwork& network_;
    std::string taken_[datagram_batch];
};

/// One rank's messages.
class FakeLinks : public ReliableLinks {
  public:
    FakeLinks(FakeNetwork& network, int rank) : network_(network), rank_(rank) {}
    int send(int rank, int tag, const void* data, std::size_t bytes, int& handle) override;
    int receive(int rank, int tag, void* data, std::size_t bytes, int& handle) override;
    int progress(bool& some) override;
    bool take(int handle) override {
        if (state_[static_cast<std::size_t>(handle)] != 2) return false;
        state_[static_cast<std::size_t>(handle)] = 0;
        return true;
    }
    void complete(int handle) { state_[static_cast<std::size_t>(handle)] = 2; }
    [[nodiscard]] bool idle() const { return posted_.empty(); }

  private:
    struct Posted {
        int rank;
        int tag;
        char* data;
        std::size_t bytes;
        int handle;
    };
    int free_handle() {
        std::size_t handle = 0;
        while (handle < state_.size() && state_[handle] != 0) ++handle;
        if (handle == state_.size()) state_.push_back(0);
        state_[handle] = 1;
        return static_cast<int>(handle);
    }

    FakeNetwork& network_;
    int rank_;
    std::vector<char> state_;  // by handle: 0 free, 1 under way, 2 completed
    std::deque<Posted> posted_;
};

class FakeNetwork {
  public:
    struct Message {
        std::string bytes;
        int sender_handle;  // to complete when it is received; -1: completed
    };

    FakeNetwork(int ranks, Faults given, unsigned seed) : faults(std::move(given)), random(seed) {
        for (int rank = 0; rank < ranks; ++rank) {
            sockets.push_back(std::make_unique<FakeSocket>(*this));
            links.push_back(std::make_unique<FakeLinks>(*this, rank));
        }
    }

    [[nodiscard]] bool happens(double probability) {
        return std::uniform_real_distribution<double>(0, 1)(random) < probability;
    }

    void deliver(int to, const std::string& bytes) {
        std::deque<std::string>& waiting = sockets[static_cast<std::size_t>(to)]->waiting;
        for (const int deaf : faults.deaf) {
            if (deaf == to) return;
        }
        if (waiting.size() >= faults.room) return;
        if (happens(faults.swapped)) {
            waiting.push_front(bytes);
        } else {
            waiting.push_back(bytes);
        }
    }

    Faults faults;
    std::mt19937 random;
    std::vector<std::unique_ptr<FakeSocket>> sockets;
    std::vector<std::unique_ptr<FakeLinks>> links;
    std::map<std::tuple<int, int, int>, std::deque<Message>> mail;  // from, to, tag
    std::vector<std::string> sent;                                  // datagrams of the group, to replay
    int messages = 0;
};

inline std::size_t FakeSocket::send(const Datagram* datagrams, const DatagramEnds* ends, std::size_t count) {
    const std::size_t some = count == 1 ? 1 : 1 + network_.random() % count;  // as little room as a socket may have
    for (std::size_t i = 0; i < some; ++i) {
        std::string bytes(reinterpret_cast<const char*>(ends[i].head), sizeof ends[i].head);
        bytes.append(datagrams[i].payload, datagrams[i].payload_bytes);
        bytes.append(reinterpret_cast<const char*>(ends[i].tag), sizeof ends[i].tag);
        const Faults& faults = network_.faults;
        for (int to = 0; to < static_cast<int>(network_.sockets.size()); ++to) {
            std::string forged = bytes;
            DatagramEnds strangers;
            seal(datagrams[i], {666, 666}, strangers);
            forged.replace(forged.size() - sizeof strangers.tag, sizeof strangers.tag,
                           reinterpret_cast<const char*>(strangers.tag), sizeof strangers.tag);
            if (network_.happens(faults.forged)) network_.deliver(to, forged);
            if (!network_.sent.empty() && network_.happens(faults.replayed)) {
                network_.deliver(to, network_.sent[network_.random() % network_.sent.size()]);
            }
            if (network_.happens(faults.lost)) continue;
            std::string copy = bytes;
            if (network_.happens(faults.damaged)) {
                copy[network_.random() % copy.size()] ^= static_cast<char>(1 + network_.random() % 255);
                if (network_.happens(0.3)) copy.resize(network_.random() % copy.size());
            }
            network_.deliver(to, copy);
            if (network_.happens(faults.doubled)) network_.deliver(to, copy);
        }
        if (network_.sent.size() < 500) network_.sent.push_back(bytes);
    }
    return some;
}

inline int FakeLinks::send(int rank, int tag, const void* data, std::size_t bytes, int& handle) {
    handle = free_handle();
    const bool eager = bytes <= network_.faults.eager_bytes;
    network_.mail[{rank_, rank, tag}].push_back(
        {std::string(static_cast<const char*>(data == nullptr ? "" : data), bytes), eager ? -1 : handle});
    if (eager) complete(handle);
    ++network_.messages;
    return 0;
}

inline int FakeLinks::receive(int rank, int tag, void* data, std::size_t bytes, int& handle) {
    handle = free_handle();
    posted_.push_back({rank, tag, static_cast<char*>(data), bytes, handle});
    return 0;
}

/// Receives match in the order in which they were posted; a message may be there and not be seen yet.
inline int FakeLinks::progress(bool& some) {
    std::vector<std::pair<int, int>> later;  // rank and tag of receives that this must not overtake
    for (std::size_t at = 0; at < posted_.size();) {
        const Posted one = posted_[at];
        auto& queue = network_.mail[{one.rank, rank_, one.tag}];
        const bool overtakes = std::find(later.begin(), later.end(), std::make_pair(one.rank, one.tag)) != later.end();
        if (overtakes || queue.empty() || network_.happens(0.3)) {
            later.emplace_back(one.rank, one.tag);
            ++at;
            continue;
        }
        const FakeNetwork::Message message = queue.front();
        queue.pop_front();
        if (message.bytes.size() > one.bytes) return 1;  // truncated
        if (!message.bytes.empty()) std::memcpy(one.data, message.bytes.data(), message.bytes.size());
        complete(one.handle);
        if (message.sender_handle >= 0) {
            network_.links[static_cast<std::size_t>(one.rank)]->complete(message.sender_handle);
        }
        posted_.erase(posted_.begin() + static_cast<std::ptrdiff_t>(at));
        some = true;
    }
    return 0;
}

}  // namespace bcast::testing
