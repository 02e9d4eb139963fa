// Datagrams to and from a multicast group over InfiniBand: an unreliable-datagram queue pair that the RDMA connection
// manager joins to the group. The datagrams are those of UDP (datagram.hpp).
//
// NOT YET RUN ON HARDWARE: tested only against a device made of memory.
//
// Compiled where rdma-core's headers are installed; its libraries are looked up at run time, as MPI is. A receive that
// is posted ahead holds one datagram, with room for the route header that the card puts before it.
#pragma once

#if defined(__has_include)
#if __has_include(<infiniband/verbs.h>) && __has_include(<rdma/rdma_cma.h>)
#define BCAST_INFINIBAND 1
#endif
#endif

#ifdef BCAST_INFINIBAND

#include <arpa/inet.h>
#include <dlfcn.h>
#include <infiniband/verbs.h>
#include <rdma/rdma_cma.h>
#include <sched.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "bcast/multicast/datagram_socket.hpp"
#include "bcast/multicast/group.hpp"

namespace bcast {

/// The functions of rdma-core that are used; a test puts its own here.
struct RdmaLibrary {
    rdma_event_channel* (*create_event_channel)() = nullptr;
    void (*destroy_event_channel)(rdma_event_channel*) = nullptr;
    int (*create_id)(rdma_event_channel*, rdma_cm_id**, void*, rdma_port_space) = nullptr;
    int (*destroy_id)(rdma_cm_id*) = nullptr;
    int (*resolve_addr)(rdma_cm_id*, sockaddr*, sockaddr*, int) = nullptr;
    int (*get_cm_event)(rdma_event_channel*, rdma_cm_event**) = nullptr;
    int (*ack_cm_event)(rdma_cm_event*) = nullptr;
    int (*create_qp)(rdma_cm_id*, ibv_pd*, ibv_qp_init_attr*) = nullptr;
    void (*destroy_qp)(rdma_cm_id*) = nullptr;
    int (*join_multicast)(rdma_cm_id*, sockaddr*, void*) = nullptr;
    int (*leave_multicast)(rdma_cm_id*, sockaddr*) = nullptr;
    ibv_pd* (*alloc_pd)(ibv_context*) = nullptr;
    int (*dealloc_pd)(ibv_pd*) = nullptr;
    ibv_cq* (*create_cq)(ibv_context*, int, void*, ibv_comp_channel*, int) = nullptr;
    int (*destroy_cq)(ibv_cq*) = nullptr;
    ibv_mr* (*reg_mr)(ibv_pd*, void*, std::size_t, int) = nullptr;
    int (*dereg_mr)(ibv_mr*) = nullptr;
    ibv_ah* (*create_ah)(ibv_pd*, ibv_ah_attr*) = nullptr;
    int (*destroy_ah)(ibv_ah*) = nullptr;
    int (*post_send)(ibv_qp*, ibv_send_wr*, ibv_send_wr**) = nullptr;
    int (*post_recv)(ibv_qp*, ibv_recv_wr*, ibv_recv_wr**) = nullptr;
    int (*poll_cq)(ibv_cq*, int, ibv_wc*) = nullptr;
};

/// rdma-core on this host; nullptr if it is not there.
inline const RdmaLibrary* find_rdma_library() {
    static RdmaLibrary found;
    static const bool complete = [] {
        void* const verbs = dlopen("libibverbs.so.1", RTLD_NOW | RTLD_LOCAL);
        void* const manager = dlopen("librdmacm.so.1", RTLD_NOW | RTLD_LOCAL);
        if (verbs == nullptr || manager == nullptr) return false;
        bool all = true;
        const auto find = [&all](void* library, const char* name, auto& function) {
            void* const symbol = dlsym(library, name);
            all = all && symbol != nullptr;
            std::memcpy(&function, &symbol, sizeof symbol);
        };
        find(manager, "rdma_create_event_channel", found.create_event_channel);
        find(manager, "rdma_destroy_event_channel", found.destroy_event_channel);
        find(manager, "rdma_create_id", found.create_id);
        find(manager, "rdma_destroy_id", found.destroy_id);
        find(manager, "rdma_resolve_addr", found.resolve_addr);
        find(manager, "rdma_get_cm_event", found.get_cm_event);
        find(manager, "rdma_ack_cm_event", found.ack_cm_event);
        find(manager, "rdma_create_qp", found.create_qp);
        find(manager, "rdma_destroy_qp", found.destroy_qp);
        find(manager, "rdma_join_multicast", found.join_multicast);
        find(manager, "rdma_leave_multicast", found.leave_multicast);
        find(verbs, "ibv_alloc_pd", found.alloc_pd);
        find(verbs, "ibv_dealloc_pd", found.dealloc_pd);
        find(verbs, "ibv_create_cq", found.create_cq);
        find(verbs, "ibv_destroy_cq", found.destroy_cq);
        find(verbs, "ibv_reg_mr", found.reg_mr);
        find(verbs, "ibv_dereg_mr", found.dereg_mr);
        find(verbs, "ibv_create_ah", found.create_ah);
        find(verbs, "ibv_destroy_ah", found.destroy_ah);
        found.post_send = [](ibv_qp* pair, ibv_send_wr* list, ibv_send_wr** bad) {
            return ibv_post_send(pair, list, bad);
        };
        found.post_recv = [](ibv_qp* pair, ibv_recv_wr* list, ibv_recv_wr** bad) {
            return ibv_post_recv(pair, list, bad);
        };
        found.poll_cq = [](ibv_cq* queue, int most, ibv_wc* completions) {
            return ibv_poll_cq(queue, most, completions);
        };
        return all;
    }();
    return complete ? &found : nullptr;
}

class InfinibandSocket : public DatagramSocket {
  public:
    /// No datagram is longer than what every InfiniBand network carries.
    static constexpr std::size_t datagram_most = 2048;
    static constexpr std::size_t receives = 1024;  // posted ahead
    static constexpr std::size_t sends = 64;       // under way at once

    /// Joins the group; nothing if any step fails.
    static std::unique_ptr<InfinibandSocket> open(const GroupSecret& group, const RdmaLibrary& rdma) {
        std::unique_ptr<InfinibandSocket> opened(new InfinibandSocket(group, rdma));
        return opened->set_up() ? std::move(opened) : nullptr;
    }

    ~InfinibandSocket() override {
        if (address_ != nullptr) rdma_.destroy_ah(address_);
        if (joined_) rdma_.leave_multicast(id_, group_address());
        if (has_pair_) rdma_.destroy_qp(id_);
        if (region_ != nullptr) rdma_.dereg_mr(region_);
        if (received_ != nullptr) rdma_.destroy_cq(received_);
        if (sent_ != nullptr) rdma_.destroy_cq(sent_);
        if (domain_ != nullptr) rdma_.dealloc_pd(domain_);
        if (id_ != nullptr) rdma_.destroy_id(id_);
        if (events_ != nullptr) rdma_.destroy_event_channel(events_);
    }

    [[nodiscard]] bool joined() const override { return joined_; }
    [[nodiscard]] std::size_t datagram_bytes() const override { return datagram_most; }
    [[nodiscard]] std::size_t room() const override { return receives * datagram_most / 2; }

    std::size_t send(const Datagram* datagrams, const DatagramEnds* ends, std::size_t count) override {
        ibv_wc done[datagram_batch];
        for (int some = 1; some > 0;) {
            some = rdma_.poll_cq(sent_, static_cast<int>(datagram_batch), done);
            for (int i = 0; i < some; ++i) free_sends_.push_back(static_cast<std::size_t>(done[i].wr_id));
        }
        std::size_t gone = 0;
        for (; gone < count && !free_sends_.empty(); ++gone) {
            const std::size_t slot = free_sends_.back();
            char* const at = memory_.data() + receives * receive_bytes + slot * datagram_most;
            const Datagram& datagram = datagrams[gone];
            std::memcpy(at, ends[gone].head, datagram_head_bytes);
            std::memcpy(at + datagram_head_bytes, datagram.payload, datagram.payload_bytes);
            std::memcpy(at + datagram_head_bytes + datagram.payload_bytes, ends[gone].tag, datagram_tag_bytes);
            ibv_sge part{reinterpret_cast<std::uint64_t>(at),
                         static_cast<std::uint32_t>(datagram.payload_bytes + datagram_overhead_bytes), region_->lkey};
            ibv_send_wr request{};
            request.wr_id = slot;
            request.sg_list = &part;
            request.num_sge = 1;
            request.opcode = IBV_WR_SEND;
            request.send_flags = IBV_SEND_SIGNALED;
            request.wr.ud.ah = address_;
            request.wr.ud.remote_qpn = all_pairs;
            request.wr.ud.remote_qkey = remote_key_;
            ibv_send_wr* bad = nullptr;
            if (rdma_.post_send(id_->qp, &request, &bad) != 0) return count;  // a loss, like any other
            free_sends_.pop_back();
        }
        return gone;
    }

    std::size_t receive(Received* arrivals) override {
        for (const std::size_t slot : handed_out_) post_receive(slot);
        handed_out_.clear();
        ibv_wc done[datagram_batch];
        const int some = rdma_.poll_cq(received_, static_cast<int>(datagram_batch), done);
        std::size_t count = 0;
        for (int i = 0; i < some; ++i) {
            const auto slot = static_cast<std::size_t>(done[i].wr_id);
            handed_out_.push_back(slot);
            if (done[i].status != IBV_WC_SUCCESS || done[i].byte_len < route_bytes) continue;
            arrivals[count] = {memory_.data() + slot * receive_bytes + route_bytes, done[i].byte_len - route_bytes};
            ++count;
        }
        return count;
    }

    void make_room(std::size_t /*bytes*/) override {}  // the others are posted

    void wait(bool /*to_send*/, int /*microseconds*/) override { sched_yield(); }

  private:
    static constexpr std::size_t route_bytes = 40;  // in front of what is received
    static constexpr std::size_t receive_bytes = route_bytes + datagram_most;
    static constexpr std::uint32_t all_pairs = 0xffffff;  // of a group
    static constexpr int resolve_ms = 2000;

    InfinibandSocket(const GroupSecret& group, const RdmaLibrary& rdma) : rdma_(rdma) {
        if (group.six != 0) {
            auto& address = reinterpret_cast<sockaddr_in6&>(group_);
            address.sin6_family = AF_INET6;
            std::memcpy(&address.sin6_addr, group.address, 16);
        } else {
            auto& address = reinterpret_cast<sockaddr_in&>(group_);
            address.sin_family = AF_INET;
            std::memcpy(&address.sin_addr, group.address, 4);
        }
    }

    [[nodiscard]] sockaddr* group_address() { return reinterpret_cast<sockaddr*>(&group_); }

    bool set_up() {
        events_ = rdma_.create_event_channel();
        if (events_ == nullptr || rdma_.create_id(events_, &id_, nullptr, RDMA_PS_UDP) != 0) return false;
        if (rdma_.resolve_addr(id_, nullptr, group_address(), resolve_ms) != 0) return false;
        if (!expect(RDMA_CM_EVENT_ADDR_RESOLVED, nullptr)) return false;
        return make_pair() && post_receives() && join();
    }

    bool make_pair() {
        domain_ = rdma_.alloc_pd(id_->verbs);
        if (domain_ == nullptr) return false;
        sent_ = rdma_.create_cq(id_->verbs, static_cast<int>(sends), nullptr, nullptr, 0);
        received_ = rdma_.create_cq(id_->verbs, static_cast<int>(receives), nullptr, nullptr, 0);
        if (sent_ == nullptr || received_ == nullptr) return false;
        ibv_qp_init_attr wanted{};
        wanted.send_cq = sent_;
        wanted.recv_cq = received_;
        wanted.qp_type = IBV_QPT_UD;
        wanted.cap.max_send_wr = static_cast<std::uint32_t>(sends);
        wanted.cap.max_recv_wr = static_cast<std::uint32_t>(receives);
        wanted.cap.max_send_sge = 1;
        wanted.cap.max_recv_sge = 1;
        has_pair_ = rdma_.create_qp(id_, domain_, &wanted) == 0;
        return has_pair_;
    }

    bool post_receives() {
        memory_.resize(receives * receive_bytes + sends * datagram_most);
        region_ = rdma_.reg_mr(domain_, memory_.data(), memory_.size(), IBV_ACCESS_LOCAL_WRITE);
        if (region_ == nullptr) return false;
        for (std::size_t slot = 0; slot < sends; ++slot) free_sends_.push_back(slot);
        for (std::size_t slot = 0; slot < receives; ++slot) {
            if (!post_receive(slot)) return false;
        }
        return true;
    }

    bool post_receive(std::size_t slot) {
        ibv_sge part{reinterpret_cast<std::uint64_t>(memory_.data() + slot * receive_bytes),
                     static_cast<std::uint32_t>(receive_bytes), region_->lkey};
        ibv_recv_wr request{};
        request.wr_id = slot;
        request.sg_list = &part;
        request.num_sge = 1;
        ibv_recv_wr* bad = nullptr;
        return rdma_.post_recv(id_->qp, &request, &bad) == 0;
    }

    bool join() {
        if (rdma_.join_multicast(id_, group_address(), nullptr) != 0) return false;
        rdma_ud_param group{};
        joined_ = expect(RDMA_CM_EVENT_MULTICAST_JOIN, &group);
        if (!joined_) return false;
        remote_key_ = group.qkey;
        address_ = rdma_.create_ah(domain_, &group.ah_attr);
        return address_ != nullptr;
    }

    /// Whether the next event is of this kind; `group` is what it says of the group.
    bool expect(rdma_cm_event_type kind, rdma_ud_param* group) {
        rdma_cm_event* event = nullptr;
        if (rdma_.get_cm_event(events_, &event) != 0) return false;
        const bool right = event->event == kind && event->status == 0;
        if (right && group != nullptr) *group = event->param.ud;
        rdma_.ack_cm_event(event);
        return right;
    }

    const RdmaLibrary& rdma_;
    sockaddr_storage group_{};
    rdma_event_channel* events_ = nullptr;
    rdma_cm_id* id_ = nullptr;
    ibv_pd* domain_ = nullptr;
    ibv_cq* sent_ = nullptr;
    ibv_cq* received_ = nullptr;
    ibv_mr* region_ = nullptr;
    ibv_ah* address_ = nullptr;
    std::uint32_t remote_key_ = 0;
    bool has_pair_ = false;
    bool joined_ = false;
    std::vector<char> memory_;  // what receives are posted to, then what is sent
    std::vector<std::size_t> free_sends_;
    std::vector<std::size_t> handed_out_;  // receives to post again
};

}  // namespace bcast

#endif
