// The broadcasts of a simulated job: of what, from whom, by what, and who comes late.
#include <algorithm>
#include <iterator>
#include <optional>

#include "bcast/library/process.hpp"
#include "bcast/pipeline/lane.hpp"
#include "bcast/roles/placement.hpp"
#include "bcast/roles/roles.hpp"
#include "bcast/trees/latency_tree.hpp"
#include "plan.hpp"

namespace simulator {

namespace {

/// Sizes at which something changes: nothing, single bytes, multiples of the segment and one more or less.
std::size_t draw_bytes(Random& random, std::size_t segment_bytes, std::size_t ranks) {
    const double kind = random.fraction();
    if (kind < 0.05) return 0;
    if (kind < 0.10) return 1;
    if (kind < 0.25) return random.below(64);
    const std::size_t segment = segment_bytes == 0 ? 1 + random.below(500) : segment_bytes;
    if (kind < 0.75) {
        const std::size_t most = std::max<std::size_t>(1, std::min<std::size_t>(4 + 50 / ranks, 9000 / segment));
        const std::size_t multiple = segment * (1 + random.below(most));
        return multiple + random.below(3) - std::min<std::size_t>(1, multiple);
    }
    if (kind < 0.98) return random.below(std::min<std::size_t>(1000, (6 + 70 / ranks) * segment + 1));
    if (kind < 0.997 || segment < 256) return random.below(std::min<std::size_t>(20000, 150 * segment + 1));
    return 70000 + random.below(100000);
}

}  // namespace

void Plan::draw_broadcast(Random& random, int number, bool by_choice) {
    BroadcastPlan broadcast;
    broadcast.number = number;
    do {
        broadcast.communicator = static_cast<int>(random.below(communicators.size()));
    } while (number < communicators[static_cast<std::size_t>(broadcast.communicator)].first ||
             number > communicators[static_cast<std::size_t>(broadcast.communicator)].last);
    const bool follows = absence_.begun != none;
    if (follows) broadcast.communicator = absence_.communicator;
    const std::vector<int>& members = communicators[static_cast<std::size_t>(broadcast.communicator)].members;
    const std::size_t size = members.size();
    broadcast.root = static_cast<int>(random.below(size));
    broadcast.by_choice = by_choice && size > 1;
    broadcast.choice = {draw_algorithm(random, false), draw_segment_bytes(random), bcast::HandOn::messages};
    if (hands_on_) broadcast.choice.hand_on = draw_hand_on(apart_);
    // Often the same as before: ranks that are ahead of others are then in the same engine's next broadcast.
    if (!broadcasts.empty() && !follows && random.chance(0.4)) broadcast.choice = broadcasts.back().choice;
    if (by_choice && !spares_segments) draw_absence(random, broadcast);
    if (!bcast::pipelines(broadcast.choice.algorithm) && random.chance(0.7)) broadcast.choice.segment_bytes = 0;
    if (spares_segments) {
        while (broadcast.choice.algorithm == bcast::Algorithm::arrival_nb)  // whose segments are the MPI's to choose
            broadcast.choice.algorithm = draw_algorithm(random, false);
        broadcast.choice.segment_bytes = 200 + random.below(3000);
    }
    const std::size_t segment = by_choice ? broadcast.choice.segment_bytes : segment_bytes;
    std::size_t bytes = draw_bytes(random, segment, size);
    if (!by_choice && segment_bytes > 0) bytes = std::min(bytes, 100 * segment_bytes);
    if (refused_bytes > 0 && (segment == 0 || segment >= 64) && random.chance(0.15))
        bytes = refused_bytes + random.below(2000);
    // The list of a circulant broadcast's blocks takes 16 bytes for each, and a block has 100 at least: who is refused
    // that ends the job.
    if (spares_segments && broadcast.choice.algorithm == bcast::Algorithm::circulant)
        bytes = std::min(bytes, 5 * refused_bytes);
    constexpr MPI_Datatype bases[] = {MPI_BYTE, MPI_BYTE, MPI_INT, MPI_DOUBLE};
    broadcast.signature.base = random.one_of(bases);
    broadcast.signature.count = static_cast<int>(bytes / broadcast.signature.base_bytes());
    broadcast.seed = random.bits();
    draw_delays(random, broadcast, size);
    if (absence_.begun != none) stay_away(broadcast);
    if (absence_.begun != none && number == absence_.begun + 2) absence_.begun = none;
    if (wrong_lengths && random.chance(0.6)) draw_lengths(random, broadcast, size);
    draw_above(Random(mixed(broadcast.seed, 79)), broadcast);
    broadcasts.push_back(std::move(broadcast));
}

/// Who sends to `rank` of a communicator in a broadcast from another.
int Plan::parent_of(int rank, const CommunicatorPlan& communicator, bcast::Algorithm algorithm, int root) const {
    std::vector<int> machines;
    for (const int member : communicator.members) machines.push_back(ranks[static_cast<std::size_t>(member)].machine);
    const bcast::Placement placement = bcast::place(std::move(machines));
    const bcast::Layout layout = bcast::layout_of(world->site());
    constexpr std::size_t some_bytes = 100;
    bcast::Roles roles(world->site(), layout, placement, rank);
    return roles.role(algorithm, root, some_bytes).trees.front().parent;
}

/// What a rank says of a broadcast that it stayed away from must not be taken for anything in the next ones: one in
/// which the root of the first gets its segments from that rank, and another of its own, which others have entered.
void Plan::draw_absence(Random& random, BroadcastPlan& broadcast) {
    const CommunicatorPlan& communicator = communicators[static_cast<std::size_t>(broadcast.communicator)];
    const std::size_t size = communicator.members.size();
    bcast::Algorithm& algorithm = broadcast.choice.algorithm;
    if (absence_.begun == none) {
        const bool sends_unasked = habits.rendezvous <= 0.1 && habits.latency_s < 1e-3;  // else they wait after all
        if (size < 3 || broadcast.number + 2 > communicator.last || !sends_unasked || !random.chance(0.4)) return;
        // In the first on a communicator ranks find out together what the wire is like.
        const bool first = std::none_of(broadcasts.begin(), broadcasts.end(), [&](const BroadcastPlan& before) {
            return before.communicator == broadcast.communicator &&
                   before.choice.algorithm == bcast::Algorithm::arrival_nb;
        });
        if (first) {
            algorithm = bcast::Algorithm::arrival_nb;
            return;
        }
        bcast::Choice next{algorithm, 0, bcast::HandOn::messages};
        while (!bcast::uses_trees(next.algorithm)) next.algorithm = draw_algorithm(random, false);
        const int root = broadcast.root;
        const int next_root = static_cast<int>((static_cast<std::size_t>(root) + 1 + random.below(size - 1)) % size);
        const int late = parent_of(root, communicator, next.algorithm, next_root);
        if (late == next_root) return;
        absence_ = {broadcast.number, broadcast.communicator, root, late, next, next_root};
        algorithm = bcast::Algorithm::arrival_nb;
    } else if (broadcast.number == absence_.begun + 1) {
        broadcast.choice = absence_.next;
        broadcast.root = absence_.next_root;
    } else {
        while (!bcast::is_arrival_aware(algorithm)) algorithm = draw_algorithm(random, false);
        broadcast.root = absence_.root;
    }
}

/// In which the root has time to send it all that it has for it.
void Plan::stay_away(BroadcastPlan& broadcast) const {
    std::fill(broadcast.delays_s.begin(), broadcast.delays_s.end(), 0);
    if (broadcast.number > absence_.begun) return;
    broadcast.delays_s[static_cast<std::size_t>(absence_.late)] =
        2000 * habits.latency_s + 20 * static_cast<double>(broadcast.signature.bytes()) / habits.bandwidth_Bps;
}

/// Some ranks pass another length, of those that lead them to the same algorithm and tree.
void Plan::draw_lengths(Random& random, BroadcastPlan& broadcast, std::size_t size) const {
    std::optional<bcast::Algorithm> algorithm;
    if (broadcast.by_choice) algorithm = broadcast.choice.algorithm;
    for (const auto& [name, value] : ranks.front().variables) {
        if (!broadcast.by_choice && name == "BCASTGEN_ALGORITHM") algorithm = bcast::parse_algorithm(value.c_str());
    }
    // Trees for wide trunks change with the length as well, at one that only the library knows.
    if (!algorithm || size == 1 || bcast::has(*algorithm, bcast::trait::spare_bandwidth)) return;
    const std::size_t base = broadcast.signature.base_bytes();
    const auto tree = [&](int count) {
        return bcast::has(*algorithm, bcast::trait::by_size)
                   ? bcast::latency_tree_size(static_cast<std::size_t>(count) * base)
                   : 0;
    };
    const bool by_blocks = bcast::scatters(*algorithm);
    if (broadcast.by_choice && (bcast::uses_trees(*algorithm) || by_blocks) && refused_bytes == 0 &&
        random.chance(by_blocks ? 0.5 : 0.2)) {
        // What goes as one message, or as one for each block, that is looked at first.
        const std::size_t blocks = by_blocks ? size : 1;
        broadcast.choice.segment_bytes = 0;
        broadcast.signature.count =
            static_cast<int>((blocks * bcast::longest_first_segment_bytes + random.below(60000)) / base);
    }
    if (broadcast.by_choice && refused_bytes == 0 && !spares_segments && random.chance(0.2)) {
        // Rounds of blocks that go unheralded: longer than a first message could be, and few, so that lengths matter.
        algorithm = bcast::Algorithm::circulant;
        const std::size_t segment = bcast::longest_first_segment_bytes + 1 + random.below(1000);
        broadcast.choice = {*algorithm, segment, bcast::HandOn::messages};
        broadcast.signature.count = static_cast<int>((segment * (1 + random.below(8)) + random.below(10000)) / base);
    }
    const int right = broadcast.signature.count;
    if (right == 0) return;
    // In elements. Whose message is shorter than a segment must have room for one all the same.
    const std::size_t wanted_bytes = std::min<std::size_t>(broadcast.choice.segment_bytes, 4096);
    const int segment = wanted_bytes == 0 ? right : std::max(1, static_cast<int>(wanted_bytes / base));
    const auto draw_wrong = [&]() -> int {
        for (int i = 0; i < 20; ++i) {
            const int others[] = {right - 1,
                                  right + 1,
                                  right / 2,
                                  random.between(1, std::min(right, segment)),
                                  random.between(1, segment),
                                  2 * right,
                                  right + segment * random.between(1, 5),
                                  random.between(1, 2 * right),
                                  1 + static_cast<int>(random.below(40000 / base))};
            int wrong = random.one_of(others);
            if (broadcast.choice.segment_bytes < 100) wrong = std::min(wrong, right + 1000);
            if (wrong != right && wrong > 0 && tree(wrong) == tree(right)) return wrong;
        }
        return right;
    };
    const int wrong = draw_wrong();
    const bool alike = random.chance(0.5);
    broadcast.counts.assign(size, right);
    const double share = random.chance(0.5) ? 0.1 : random.fraction();
    for (int& count : broadcast.counts) {
        if (random.chance(share)) count = alike ? wrong : draw_wrong();
    }
    if (random.chance(0.5)) broadcast.counts[random.below(size)] = wrong;
}

/// What the choice is for may begin anywhere below the shortest message.
void Plan::draw_above(Random random, BroadcastPlan& broadcast) {
    const std::size_t least_bytes = broadcast.least_bytes();
    std::size_t& above_bytes = broadcast.choice.above_bytes;
    above_bytes = 0;
    if (least_bytes == 0 || random.chance(0.2)) return;
    above_bytes = random.chance(0.7) ? least_bytes - 1 : random.below(least_bytes);
}

/// Arrival patterns: all at once, all a little apart, one late, all far apart.
void Plan::draw_delays(Random& random, BroadcastPlan& broadcast, std::size_t size) {
    broadcast.delays_s.assign(size, 0);
    const double kind = random.fraction();
    if (kind < 0.4) return;
    const double scale_s = habits.latency_s * (random.chance(0.5) ? 3 : 100);
    if (kind < 0.6) {
        broadcast.delays_s[random.below(size)] = scale_s * 20;
        return;
    }
    for (double& delay_s : broadcast.delays_s) delay_s = scale_s * random.fraction();
    if (kind < 0.7) broadcast.delays_s[static_cast<std::size_t>(broadcast.root)] = 5 * scale_s;
}

}  // namespace simulator
