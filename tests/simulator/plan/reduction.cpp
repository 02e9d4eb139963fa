// How less of a simulated job happens.
#include <algorithm>
#include <cstdlib>
#include <sstream>

#include "plan.hpp"

namespace simulator {

void Plan::keep_ranks(int most) {
    if (most <= 0 || most >= static_cast<int>(ranks.size())) return;
    ranks.resize(static_cast<std::size_t>(most));
    for (CommunicatorPlan& communicator : communicators) {
        std::vector<int>& members = communicator.members;
        members.erase(std::remove_if(members.begin(), members.end(), [most](int rank) { return rank >= most; }),
                      members.end());
        if (members.empty()) members.push_back(0);
    }
    for (BroadcastPlan& broadcast : broadcasts) {
        const std::size_t size = communicators[static_cast<std::size_t>(broadcast.communicator)].members.size();
        broadcast.root %= static_cast<int>(size);
        broadcast.delays_s.resize(size);
        if (!broadcast.counts.empty()) broadcast.counts.resize(size);
        broadcast.by_choice = broadcast.by_choice && size > 1;
    }
}

void Plan::reduce(const Reduction& reduction) {
    keep_ranks(reduction.most_ranks);
    if (!reduction.broadcasts.empty()) {
        std::vector<BroadcastPlan> kept;
        for (BroadcastPlan& broadcast : broadcasts) {
            const auto& wanted = reduction.broadcasts;
            if (std::find(wanted.begin(), wanted.end(), broadcast.number) != wanted.end())
                kept.push_back(std::move(broadcast));
        }
        broadcasts = std::move(kept);
    }
    for (BroadcastPlan& broadcast : broadcasts) {
        const std::size_t size = broadcast.signature.base_bytes();
        if (reduction.most_bytes > 0 && broadcast.signature.bytes() > reduction.most_bytes) {
            broadcast.signature.count = static_cast<int>(reduction.most_bytes / size);
        }
        for (int& count : broadcast.counts) {
            if (reduction.most_bytes > 0)
                count = std::clamp(count, 1, static_cast<int>(reduction.most_bytes / size) + 1);
        }
        broadcast.choice.above_bytes =
            std::min(broadcast.choice.above_bytes, std::max<std::size_t>(1, broadcast.least_bytes()) - 1);
        if (reduction.no_delays) std::fill(broadcast.delays_s.begin(), broadcast.delays_s.end(), 0);
    }
    plain_types = reduction.plain_types;
    if (reduction.even_network) {
        habits.jitter = 0;
        habits.rendezvous = 0;
        habits.completes_at_once = 1;
    }
}

std::string Reduction::words() const {
    std::ostringstream text;
    if (most_ranks > 0) text << "ranks=" << most_ranks << ",";
    if (most_bytes > 0) text << "bytes=" << most_bytes << ",";
    for (const int broadcast : broadcasts) text << "only=" << broadcast << ",";
    if (plain_types) text << "plain=1,";
    if (no_delays) text << "together=1,";
    if (even_network) text << "even=1,";
    if (turns > 0) text << "turns=" << turns << ",";
    if (faults) text << "faults=1,";
    std::string words = text.str();
    if (!words.empty()) words.pop_back();
    return words;
}

bool Reduction::read(const std::string& words) {
    std::istringstream text(words);
    std::string word;
    while (std::getline(text, word, ',')) {
        const std::size_t equals = word.find('=');
        if (equals == std::string::npos || word.find_first_not_of("0123456789", equals + 1) != std::string::npos)
            return false;
        const std::string name = word.substr(0, equals);
        const std::uint64_t value = std::strtoull(word.c_str() + equals + 1, nullptr, 10);
        if (name == "ranks")
            most_ranks = static_cast<int>(value);
        else if (name == "bytes")
            most_bytes = value;
        else if (name == "only")
            broadcasts.push_back(static_cast<int>(value));
        else if (name == "plain")
            plain_types = value != 0;
        else if (name == "together")
            no_delays = value != 0;
        else if (name == "even")
            even_network = value != 0;
        else if (name == "turns")
            turns = value;
        else if (name == "faults")
            faults = value != 0;
        else
            return false;
    }
    return true;
}

}  // namespace simulator
