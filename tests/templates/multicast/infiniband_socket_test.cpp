// The InfiniBand transport over a device of memory: what is sent to the group comes to every other queue pair that has
// a receive posted, 40 bytes of route header in front; and everything that is made is given back.
#include "bcast/multicast/infiniband_socket.hpp"

#include <gtest/gtest.h>

#ifdef BCAST_INFINIBAND

#include <deque>
#include <map>
#include <string>

namespace bcast {
namespace {

/// The device and the network behind it.
struct Fabric {
    struct Pair {
        ibv_cq* sent = nullptr;
        ibv_cq* received = nullptr;
        std::deque<ibv_recv_wr> posted;
        std::deque<ibv_sge> parts;
        bool member = false;
    };
    std::map<ibv_qp*, Pair> pairs;
    std::map<ibv_cq*, std::deque<ibv_wc>> completions;
    std::deque<rdma_cm_event> events;
    int alive = 0;        // objects made and not yet destroyed
    std::string failing;  // the call that fails
    int drops = 0;        // datagrams that found no receive
};
Fabric fabric;

template <class Object>
Object* make(const char* call) {
    if (fabric.failing == call) return nullptr;
    ++fabric.alive;
    return new Object{};
}

template <class Object>
void destroy(Object* object) {
    --fabric.alive;
    delete object;
}

void add_event(rdma_cm_event_type kind) {
    rdma_cm_event event{};
    event.event = kind;
    event.param.ud.qkey = 0x1234;
    fabric.events.push_back(event);
}

// NOLINTNEXTLINE(readability-function-size): a double for each of the library's functions, in one table
RdmaLibrary device() {
    RdmaLibrary rdma;
    rdma.create_event_channel = [] { return make<rdma_event_channel>("create_event_channel"); };
    rdma.destroy_event_channel = [](rdma_event_channel* channel) { destroy(channel); };
    rdma.create_id = [](rdma_event_channel*, rdma_cm_id** id, void*, rdma_port_space space) {
        *id = space == RDMA_PS_UDP ? make<rdma_cm_id>("create_id") : nullptr;
        return *id == nullptr ? -1 : 0;
    };
    rdma.destroy_id = [](rdma_cm_id* id) {
        destroy(id);
        return 0;
    };
    rdma.resolve_addr = [](rdma_cm_id*, sockaddr*, sockaddr*, int) {
        add_event(fabric.failing == "resolve_addr" ? RDMA_CM_EVENT_ADDR_ERROR : RDMA_CM_EVENT_ADDR_RESOLVED);
        return 0;
    };
    rdma.get_cm_event = [](rdma_event_channel*, rdma_cm_event** event) {
        *event = &fabric.events.front();
        return 0;
    };
    rdma.ack_cm_event = [](rdma_cm_event*) {
        fabric.events.pop_front();
        return 0;
    };
    rdma.create_qp = [](rdma_cm_id* id, ibv_pd*, ibv_qp_init_attr* wanted) {
        id->qp = make<ibv_qp>("create_qp");
        if (id->qp == nullptr) return -1;
        fabric.pairs[id->qp].sent = wanted->send_cq;
        fabric.pairs[id->qp].received = wanted->recv_cq;
        return 0;
    };
    rdma.destroy_qp = [](rdma_cm_id* id) {
        fabric.pairs.erase(id->qp);
        destroy(id->qp);
    };
    rdma.join_multicast = [](rdma_cm_id* id, sockaddr*, void*) {
        const bool fails = fabric.failing == "join_multicast";
        if (!fails) fabric.pairs[id->qp].member = true;
        add_event(fails ? RDMA_CM_EVENT_MULTICAST_ERROR : RDMA_CM_EVENT_MULTICAST_JOIN);
        return 0;
    };
    rdma.leave_multicast = [](rdma_cm_id* id, sockaddr*) {
        fabric.pairs[id->qp].member = false;
        return 0;
    };
    rdma.alloc_pd = [](ibv_context*) { return make<ibv_pd>("alloc_pd"); };
    rdma.dealloc_pd = [](ibv_pd* domain) {
        destroy(domain);
        return 0;
    };
    rdma.create_cq = [](ibv_context*, int, void*, ibv_comp_channel*, int) { return make<ibv_cq>("create_cq"); };
    rdma.destroy_cq = [](ibv_cq* queue) {
        fabric.completions.erase(queue);
        destroy(queue);
        return 0;
    };
    rdma.reg_mr = [](ibv_pd*, void*, std::size_t, int) { return make<ibv_mr>("reg_mr"); };
    rdma.dereg_mr = [](ibv_mr* region) {
        destroy(region);
        return 0;
    };
    rdma.create_ah = [](ibv_pd*, ibv_ah_attr*) { return make<ibv_ah>("create_ah"); };
    rdma.destroy_ah = [](ibv_ah* address) {
        destroy(address);
        return 0;
    };
    rdma.post_recv = [](ibv_qp* pair, ibv_recv_wr* request, ibv_recv_wr**) {
        fabric.pairs[pair].posted.push_back(*request);
        fabric.pairs[pair].parts.push_back(*request->sg_list);
        return 0;
    };
    rdma.post_send = [](ibv_qp* from, ibv_send_wr* request, ibv_send_wr**) {
        EXPECT_EQ(request->wr.ud.remote_qpn, 0xffffffU);
        EXPECT_EQ(request->wr.ud.remote_qkey, 0x1234U);
        for (auto& [to, pair] : fabric.pairs) {
            if (to == from || !pair.member) continue;
            if (pair.posted.empty()) {
                ++fabric.drops;
                continue;
            }
            const ibv_sge into = pair.parts.front();
            EXPECT_LE(request->sg_list->length + 40, into.length);
            std::memset(reinterpret_cast<void*>(into.addr), 0xee, 40);
            std::memcpy(reinterpret_cast<char*>(into.addr) + 40, reinterpret_cast<void*>(request->sg_list->addr),
                        request->sg_list->length);
            ibv_wc done{};
            done.wr_id = pair.posted.front().wr_id;
            done.byte_len = request->sg_list->length + 40;
            fabric.completions[pair.received].push_back(done);
            pair.posted.pop_front();
            pair.parts.pop_front();
        }
        ibv_wc done{};
        done.wr_id = request->wr_id;
        fabric.completions[fabric.pairs[from].sent].push_back(done);
        return 0;
    };
    rdma.poll_cq = [](ibv_cq* queue, int most, ibv_wc* into) {
        std::deque<ibv_wc>& waiting = fabric.completions[queue];
        int count = 0;
        for (; count < most && !waiting.empty(); ++count) {
            into[count] = waiting.front();
            waiting.pop_front();
        }
        return count;
    };
    return rdma;
}

class Infiniband : public ::testing::Test {
  protected:
    void SetUp() override { fabric = Fabric{}; }
    void TearDown() override { EXPECT_EQ(fabric.alive, 0) << "something was not given back"; }

    const RdmaLibrary rdma_ = device();
    const GroupSecret group_ = draw_group(*parse_groups("ff15:7::/32"));
};

std::size_t send(InfinibandSocket& socket, const std::string& text, const SipKey& with) {
    const Datagram datagram{0, 1, text.size(), 2000, 0, text.data(), static_cast<std::uint32_t>(text.size())};
    DatagramEnds ends;
    seal(datagram, with, ends);
    return socket.send(&datagram, &ends, 1);
}

TEST_F(Infiniband, CarriesDatagramsToEveryOtherMember) {
    const auto first = InfinibandSocket::open(group_, rdma_);
    const auto second = InfinibandSocket::open(group_, rdma_);
    const auto third = InfinibandSocket::open(group_, rdma_);
    ASSERT_TRUE(first && second && third);
    const std::string longest(InfinibandSocket::datagram_most - datagram_overhead_bytes, 'x');
    // More than receives and sends are there for, so that both must be used again.
    for (std::size_t i = 0; i < 2 * InfinibandSocket::receives; ++i) {
        const std::string text = i % 2 == 0 ? std::to_string(i) : longest;
        ASSERT_EQ(send(*first, text, group_.key), 1U);
        for (const auto& socket : {second.get(), third.get()}) {
            Received arrivals[datagram_batch];
            ASSERT_EQ(socket->receive(arrivals), 1U);
            Datagram read;
            ASSERT_EQ(open_datagram(arrivals[0].bytes, arrivals[0].count, group_.key, read), Verdict::good);
            EXPECT_EQ(std::string(read.payload, read.payload_bytes), text);
        }
    }
    Received arrivals[datagram_batch];
    EXPECT_EQ(first->receive(arrivals), 0U);
    EXPECT_EQ(fabric.drops, 0);
}

TEST_F(Infiniband, LosesWhatNoReceiveIsPostedFor) {
    const auto sender = InfinibandSocket::open(group_, rdma_);
    const auto receiver = InfinibandSocket::open(group_, rdma_);
    for (std::size_t i = 0; i < InfinibandSocket::receives + 5; ++i) send(*sender, "x", group_.key);
    EXPECT_EQ(fabric.drops, 5);
    Received arrivals[datagram_batch];
    std::size_t all = 0;
    while (const std::size_t some = receiver->receive(arrivals)) all += some;
    EXPECT_EQ(all, InfinibandSocket::receives);
    send(*sender, "x", group_.key);
    EXPECT_EQ(receiver->receive(arrivals), 1U);
}

TEST_F(Infiniband, IsNotOpenedIfAnyStepFails) {
    for (const char* call : {"create_event_channel", "create_id", "resolve_addr", "alloc_pd", "create_cq", "create_qp",
                             "reg_mr", "join_multicast", "create_ah"}) {
        fabric.failing = call;
        EXPECT_EQ(InfinibandSocket::open(group_, rdma_), nullptr) << call;
        EXPECT_EQ(fabric.alive, 0) << call;
    }
}

}  // namespace
}  // namespace bcast

#endif
