#include "situations.hpp"

#include <algorithm>

namespace simulator {

void Situations::add(const Situations& other) {
    too_long += other.too_long;
    void_segments += other.void_segments;
    late += other.late;
    lost += other.lost;
    ended_badly += other.ended_badly;
}

void SituationWatch::send_begins(Rank& rank, const Request& send) {
    other_.send_begins(rank, send);
    const auto broadcast = std::find_if(plan_.broadcasts.begin(), plan_.broadcasts.end(),
                                        [&rank](const BroadcastPlan& each) { return each.number == rank.label; });
    if (broadcast == plan_.broadcasts.end() || broadcast->counts.empty()) return;
    if (send.context == rank.world.context.get()) return;
    const std::vector<int>& members = plan_.communicators[static_cast<std::size_t>(broadcast->communicator)].members;
    const auto rank_of = [&members](int world_rank) {
        return static_cast<std::size_t>(std::find(members.begin(), members.end(), world_rank) - members.begin());
    };
    const int count_here = broadcast->count_of(rank_of(rank.number));
    const int count_there = broadcast->count_of(rank_of(send.context->members[static_cast<std::size_t>(send.peer)]));
    const std::size_t bytes_there = static_cast<std::size_t>(count_there) * broadcast->signature.base_bytes();
    if (send.bytes > bytes_there && plan_.habits.overlong == Overlong::fatal) ++met_.too_long;
    const int count_of_root = broadcast->count_of(static_cast<std::size_t>(broadcast->root));
    if (send.bytes == 0 && count_here != count_of_root) ++met_.void_segments;
}

Situations SituationWatch::met(const Job& job) const {
    Situations all = met_;
    all.late = job.late;
    all.lost = job.lost;
    all.ended_badly = job.ended_badly;
    return all;
}

}  // namespace simulator
