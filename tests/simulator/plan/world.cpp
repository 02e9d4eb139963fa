#include "world.hpp"

#include <algorithm>
#include <cstring>

#include "bcast/library/process.hpp"
#include "bcast/roles/roles.hpp"

namespace simulator {

namespace {

template <class T>
bcast::Span<T> span_of(const std::vector<T>& items) {
    bcast::Span<T> span;
    span.items = items.data();
    span.count = items.size();
    return span;
}

}  // namespace

std::size_t draw_segment_bytes(Random& random) {
    constexpr std::size_t usual[] = {0, 1, 2, 3, 7, 8, 16, 33, 64, 100, 128, 256, 1000, 1024, 4096, 8192, 65536};
    return random.chance(0.7) ? random.one_of(usual) : 1 + random.below(300);
}

bcast::Algorithm draw_algorithm(Random& random, bool native) {
    // Rounds, and trees of four and five children, take the place of one in 32 of the others each, by bits that these
    // leave over: most jobs that are known by their seed stay as they were.
    constexpr auto before_rounds = static_cast<std::size_t>(bcast::Algorithm::circulant);
    constexpr std::size_t in_rounds = 3;
    while (true) {
        const std::uint64_t bits = random.bits();
        if (bits / before_rounds % 32 == in_rounds) return bcast::Algorithm::circulant;
        if (bits / before_rounds % 32 == in_rounds + 1) {
            return bits % 2 == 0 ? bcast::Algorithm::kary4 : bcast::Algorithm::kary5;
        }
        const auto algorithm = static_cast<bcast::Algorithm>(bits % before_rounds);
        if (algorithm == bcast::Algorithm::multicast) continue;
        if (algorithm != bcast::Algorithm::native || native) return algorithm;
    }
}

bcast::HandOn draw_hand_on(Random& random) {
    constexpr bcast::HandOn ways[] = {bcast::HandOn::messages, bcast::HandOn::window, bcast::HandOn::native};
    return random.one_of(ways);
}

World::World(Random& random, int machines) {
    draw_network(random, machines);
    draw_speeds(random);
    rules_ = draw_rules(random);
    renewed_rules_ = draw_rules(random);
    for (int machine = 0; machine < machines; ++machine) names_.push_back("n" + std::to_string(machine));
    for (int machine = 0; machine < machines; ++machine) machine_names_.push_back({name_of(machine).c_str(), machine});
    std::sort(machine_names_.begin(), machine_names_.end(),
              [](const auto& a, const auto& b) { return std::strcmp(a.name, b.name) < 0; });
    site_.name = "simulated";
    site_.plan_hash = random.bits();
    site_.tuning_hash = random.bits();
    draw_software(Random(site_.plan_hash));
    site_.machine_names = span_of(machine_names_);
    site_.machine_switch = span_of(machine_switch_);
    site_.switches = switches_;
    site_.switch_links = span_of(links_);
    site_.rules = span_of(rules_);
    site_.link_speeds = span_of(speeds_);
    site_.port_speed = span_of(port_speed_);
    site_.more_send_ns = span_of(more_send_ns_);
    site_.more_receive_ns = span_of(more_receive_ns_);
    if (random.chance(0.3))
        site_.sends = {random.between(0, 20000), random.between(0, 40000), random.between(0, 80000)};
    if (random.chance(0.3)) bake(random);
    renewed_site_ = site_;
    ++renewed_site_.tuning_hash;
    renewed_site_.rules = span_of(renewed_rules_);
}

void World::draw_network(Random& random, int machines) {
    switches_ = random.chance(0.2) ? 1 : random.between(1, std::max(1, std::min(8, machines)));
    const int shape = random.between(0, 3);
    for (int sw = 1; sw < switches_; ++sw) {
        int above = 0;  // shape 0: a star
        if (shape == 1) above = sw - 1;
        if (shape == 2) above = std::max(0, sw - 1 - random.between(0, 2));
        if (shape == 3) above = random.between(0, sw - 1);
        links_.push_back(random.chance(0.5) ? bcast::SwitchPair{above, sw} : bcast::SwitchPair{sw, above});
    }
    for (int machine = 0; machine < machines; ++machine) machine_switch_.push_back(random.between(0, switches_ - 1));
    if (random.chance(0.5)) std::sort(machine_switch_.begin(), machine_switch_.end());
}

void World::draw_speeds(Random& random) {
    if (random.chance(0.4)) return;  // equal links
    constexpr std::int64_t bandwidths_Bps[] = {12500000, 125000000, 1250000000, 3125000000};
    const int count = random.between(1, 3);
    for (int i = 0; i < count; ++i) {
        speeds_.push_back({random.one_of(bandwidths_Bps), random.between(100, 50000)});
    }
    if (random.chance(0.5)) speeds_.push_back({4 * speeds_[0].bandwidth_Bps, speeds_[0].latency_ns});  // wide trunks
    for (bcast::SwitchPair& link : links_) link.speed = static_cast<int>(random.below(speeds_.size()));
    const bool ports_differ = random.chance(0.5);
    for (std::size_t machine = 0; machine < machine_switch_.size(); ++machine) {
        port_speed_.push_back(ports_differ ? static_cast<int>(random.below(speeds_.size())) : 0);
    }
}

void World::draw_software(Random random) {
    if (random.chance(0.7)) return;  // the same everywhere
    for (std::size_t machine = 0; machine < machine_switch_.size(); ++machine) {
        more_send_ns_.push_back(random.between(-5000, 5000));
        more_receive_ns_.push_back(random.between(-5000, 5000));
    }
}

void World::draw_hand_on(Random& random) {
    for (std::vector<bcast::MessageRule>& messages : message_rules_) {
        for (bcast::MessageRule& message : messages) message.hand_on = simulator::draw_hand_on(random);
    }
}

std::vector<bcast::Rule> World::draw_rules(Random& random) {
    std::vector<bcast::Rule> rules;
    const int count = random.between(1, 3);
    for (int i = 0; i < count; ++i) {
        std::vector<bcast::MessageRule>& messages = message_rules_.emplace_back();
        constexpr std::size_t ends[] = {0, 16, 100, 1000, 5000, 70000, bcast::no_limit};
        for (const std::size_t end : ends) {
            if (random.chance(0.4) && end != bcast::no_limit) continue;
            if (end == bcast::no_limit && random.chance(0.1)) continue;
            const std::size_t segment = draw_segment_bytes(random);
            // Large messages in tiny segments are all alike, and take long.
            messages.push_back(
                {end, draw_algorithm(random, true), segment == 0 ? 0 : std::max(segment, end / 100 % 1000)});
        }
        const bool all = i + 1 == count || random.chance(0.3);
        const int from = all ? 1 : random.between(1, 4);
        rules.push_back({from, all ? bcast::any_number : from + random.between(0, 6), 1,
                         random.chance(0.5) ? bcast::any_number : random.between(1, 3),
                         random.chance(0.7) ? bcast::Arrival::balanced : bcast::Arrival::imbalanced,
                         span_of(messages)});
    }
    return rules;
}

void World::bake(Random& /*random*/) {
    const bcast::Layout layout = bcast::layout_of(site_);
    std::vector<int> members;
    for (int machine = 0; machine < machines(); ++machine) members.push_back(machine);
    for (int sw = 0; sw < switches_; ++sw) {
        const auto first = std::find(machine_switch_.begin(), machine_switch_.end(), sw);
        if (first == machine_switch_.end()) continue;
        const int root = static_cast<int>(first - machine_switch_.begin());
        const bcast::Order order = bcast::depth_first_order(layout, members, root);
        std::vector<bcast::BakedTree>& baked = baked_trees_.emplace_back();
        for (const bcast::AlgorithmRow& row : bcast::algorithm_rows) {
            if (!bcast::has(row.algorithm, bcast::trait::baked)) continue;
            for (const bcast::Tree& tree : bcast::build_trees(row.algorithm, {layout, order, row.children, 0})) {
                std::vector<int>& parent = numbers_.emplace_back(tree.parent);
                std::vector<int>& turn = numbers_.emplace_back(tree.parent.size(), 0);
                for (const std::vector<int>& children : tree.children) {
                    for (std::size_t i = 0; i < children.size(); ++i) {
                        turn[static_cast<std::size_t>(children[i])] = static_cast<int>(i);
                    }
                }
                baked.push_back({row.algorithm, span_of(parent), span_of(turn)});
            }
        }
        baked_roots_.push_back({sw, span_of(numbers_.emplace_back(order.machines)), span_of(baked)});
    }
    baked_sets_.push_back({"whole", span_of(baked_roots_)});
    site_.baked_sets = span_of(baked_sets_);
}

}  // namespace simulator
