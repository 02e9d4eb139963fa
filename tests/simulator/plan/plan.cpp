#include "plan.hpp"

#include <algorithm>
#include <cstring>
#include <numeric>
#include <sstream>

namespace simulator {

std::vector<char> content_of(std::uint64_t seed, std::size_t bytes) {
    std::vector<char> content(bytes + 8);
    Random random(seed);
    for (std::size_t i = 0; i < bytes; i += 8) {
        const std::uint64_t bits = random.bits();
        std::memcpy(content.data() + i, &bits, sizeof bits);
    }
    content.resize(bytes);
    return content;
}

Plan::Plan(std::uint64_t seed, const Reduction& reduction) {
    Random random(seed);
    apart_ = Random(mixed(seed, 78));
    hands_on_ = seed % 4 == 3;
    turns_seed = mixed(seed, 77 + reduction.turns);
    draw_ranks(random);
    const bool by_choice = random.chance(0.5);
    faulty = random.chance(0.15) || reduction.faults;
    const bool sound = by_choice || faulty || random.chance(0.5);
    const int count = sound ? random.between(5, 35) : random.between(3, 8);  // trouble comes early or not at all
    draw_communicators(random, count);
    draw_habits(random);
    if (hands_on_) draw_windows();
    draw_variables(random);
    if (!sound) draw_trouble(random);
    wrong_lengths =
        sound && !faulty && random.chance(by_choice ? 0.4 : 0.2);  // the MPI's own broadcast is not meant for them
    if (faulty) draw_faults(random, by_choice);
    if (faulty && by_choice) draw_losses(Random(mixed(seed, 78)));
    for (int number = 0; number < count; ++number) draw_broadcast(random, number, by_choice);
    reduce(reduction);
}

void Plan::draw_ranks(Random& random) {
    int count = random.between(2, 7);
    if (random.chance(0.2)) count = random.between(8, 16);
    if (random.chance(0.01)) count = random.between(17, 64);
    const int most_on_a_machine = random.chance(0.5) ? 1 : random.between(2, 6);
    const int machines = (count + most_on_a_machine - 1) / most_on_a_machine + random.between(0, 4);
    world = std::make_unique<World>(random, machines);
    std::vector<int> free;
    for (int machine = 0; machine < machines; ++machine)
        free.insert(free.end(), static_cast<std::size_t>(most_on_a_machine), machine);
    const bool shuffled = random.chance(0.6);
    for (int rank = 0; rank < count; ++rank) {
        const std::size_t at = shuffled ? random.below(free.size()) : 0;
        ranks.push_back({free[at], false, false, {}});
        free.erase(free.begin() + static_cast<std::ptrdiff_t>(at));
    }
}

void Plan::draw_communicators(Random& random, int count) {
    std::vector<int> everybody(ranks.size());
    std::iota(everybody.begin(), everybody.end(), 0);
    communicators.push_back({everybody, 0, count});
    const int others = random.chance(0.5) ? 0 : random.between(1, 4);
    for (int i = 0; i < others; ++i) {
        CommunicatorPlan made;
        for (const int rank : everybody) {
            if (random.chance(0.7)) made.members.push_back(rank);
        }
        if (made.members.empty()) made.members = everybody;
        if (random.chance(0.6)) {
            for (std::size_t at = made.members.size(); at > 1; --at)
                std::swap(made.members[at - 1], made.members[random.below(at)]);
        }
        made.first = random.between(0, count - 1);
        made.last = random.between(made.first, count - 1);
        communicators.push_back(std::move(made));
    }
}

void Plan::draw_habits(Random& random) {
    constexpr double latencies_s[] = {1e-7, 2e-6, 5e-5, 1e-3};
    constexpr double bandwidths_Bps[] = {1e6, 1e8, 1e9, 1e11};
    constexpr double shares[] = {0, 0.1, 0.5, 0.9, 1};
    habits.latency_s = random.one_of(latencies_s);
    habits.bandwidth_Bps = random.one_of(bandwidths_Bps);
    habits.jitter = random.chance(0.2) ? 20 : 2 * random.fraction();
    habits.rendezvous = random.one_of(shares);
    habits.completes_at_once = random.one_of(shares);
    constexpr int largest_tags[] = {32767, 0x7ffff, 0xfffffff, 0x7fffffff};
    habits.largest_tag = random.one_of(largest_tags);
    constexpr Overlong overlong[] = {Overlong::cut, Overlong::run_over, Overlong::fatal, Overlong::fatal};
    habits.overlong = random.one_of(overlong);
    habits.freeing_waits = random.chance(0.5) ? 0 : random.fraction();
    habits.scheduler.gives_way = random.chance(0.5) ? 0.02 : 0.3 * random.fraction();
    habits.scheduler.early_events = random.chance(0.3) ? 0 : 0.5 * random.fraction();
}

void Plan::draw_windows() {
    constexpr bcast::RingShape rings[] = {{2, 64}, {3, 100}, {4, 1000}, {8, 32768}};
    ring = apart_.one_of(rings);
    habits.shares_memory = !apart_.chance(0.05);
    if (apart_.chance(0.1)) habits.most_windows = apart_.below(3);
    world->draw_hand_on(apart_);
}

void Plan::draw_variables(Random& random) {
    std::vector<std::pair<std::string, std::string>> variables;
    if (random.chance(0.5)) {
        window = random.chance(0.8) ? random.between(1, 5) : random.between(6, 64);
        variables.emplace_back("BCASTGEN_IN_FLIGHT", std::to_string(window));
    }
    if (random.chance(0.3)) {
        const auto algorithm = draw_algorithm(random, false);
        variables.emplace_back("BCASTGEN_ALGORITHM", bcast::name_of(algorithm));
    }
    if (random.chance(0.3)) {
        segment_bytes = draw_segment_bytes(random);
        variables.emplace_back("BCASTGEN_SEGMENT", std::to_string(segment_bytes));
    }
    if (hands_on_ && apart_.chance(0.3)) {
        variables.emplace_back("BCASTGEN_HAND_ON", bcast::name_of(draw_hand_on(apart_)));
    }
    if (random.chance(0.4)) {
        constexpr const char* settings[] = {"balanced", "imbalanced", "auto", "auto"};
        variables.emplace_back("BCASTGEN_ARRIVAL", random.one_of(settings));
    }
    if (random.chance(0.1)) variables.emplace_back("BCASTGEN_MULTICAST", random.chance(0.5) ? "try" : "off");
    for (RankPlan& rank : ranks) rank.variables = variables;
}

std::string Plan::description() const {
    std::ostringstream text;
    text << ranks.size() << " ranks on " << world->machines() << " machines under " << world->site().switches
         << " switches; machine of each rank:";
    for (const RankPlan& rank : ranks) text << " " << rank.machine;
    text << "\n";
    for (const auto& [name, value] : ranks.front().variables) text << name << "=" << value << " ";
    text << (trouble ? "(the set-up goes wrong)" : "") << "\n";
    const auto who = [](int rank) { return rank < 0 ? std::string("all ranks") : "rank " + std::to_string(rank); };
    for (const Fault& fault : habits.faults) {
        text << fault.call << " number " << fault.number;
        if (fault.every > 0) text << " and every " << fault.every << " later";
        text << " of " << who(fault.rank);
        if (fault.how == Fault::How::at_once) text << " fails\n";
        if (fault.how == Fault::How::after) text << " fails after it is done\n";
        if (fault.how == Fault::How::lost) text << " gets nothing of what comes\n";
    }
    for (const Refusal& refusal : habits.refusals) {
        text << who(refusal.rank) << " is refused ";
        if (refusal.at_least > 0) {
            text << "memory of " << refusal.at_least << " bytes and more\n";
        } else {
            text << "allocation number " << refusal.number << "\n";
        }
    }
    for (const auto& [rank, when_s] : habits.stops) text << "rank " << rank << " stops after " << when_s << " s\n";
    for (std::size_t i = 1; i < communicators.size(); ++i) {
        text << "communicator " << i << " of world ranks";
        for (const int member : communicators[i].members) text << " " << member;
        text << ", for broadcasts " << communicators[i].first << " to " << communicators[i].last << "\n";
    }
    constexpr std::size_t most_listed = 12;
    for (std::size_t i = broadcasts.size() - std::min(broadcasts.size(), most_listed); i < broadcasts.size(); ++i) {
        const BroadcastPlan& broadcast = broadcasts[i];
        text << "broadcast " << broadcast.number << " of " << broadcast.signature.bytes() << " bytes on communicator "
             << broadcast.communicator << " from its rank " << broadcast.root;
        if (broadcast.by_choice) {
            text << " by " << bcast::name_of(broadcast.choice.algorithm) << ", segments of "
                 << broadcast.choice.segment_bytes << ", handed on by " << bcast::name_of(broadcast.choice.hand_on)
                 << ", for messages above " << broadcast.choice.above_bytes;
        }
        for (std::size_t rank = 0; rank < broadcast.counts.size(); ++rank) {
            text << (rank == 0 ? "; the ranks pass " : ", ")
                 << static_cast<std::size_t>(broadcast.counts[rank]) * broadcast.signature.base_bytes();
        }
        text << "\n";
    }
    return text.str();
}

}  // namespace simulator
