#include "tuner/wiring/packing.hpp"

#include <algorithm>

#include "base/index.hpp"
#include "planner/network/paths.hpp"

namespace bcastgen {

Answer Packing::answer(const std::vector<Answer>& answers, std::size_t packed, std::size_t streams) const {
    if (streams == 0) return {};
    const Place& place = places[packed];
    const auto first = answers[place.round].begin() + static_cast<std::ptrdiff_t>(place.first);
    return {first, first + static_cast<std::ptrdiff_t>(streams)};
}

Packing pack_rounds(const Network& network, const std::vector<Round>& rounds) {
    const Paths paths(network);
    Packing packing;
    std::vector<std::vector<bool>> in_use;  // by packed round, by LinkId / 2: acknowledgements go the other way
    for (const Round& round : rounds) {
        std::vector<LinkId> links;
        for (const Stream& stream : round.streams) {
            const std::vector<LinkId> way = paths.between(stream.from, stream.to);
            links.insert(links.end(), way.begin(), way.end());
        }
        const auto has_room = [&](const std::vector<bool>& used) {
            return std::none_of(links.begin(), links.end(), [&](LinkId link) { return used[at(link / 2)]; });
        };
        const auto room = std::find_if(in_use.begin(), in_use.end(), has_room);
        const auto place = static_cast<std::size_t>(room - in_use.begin());
        if (room == in_use.end() && !links.empty()) {
            in_use.emplace_back(at(link_count(network) / 2), false);
            packing.rounds.push_back({round.asked, {}});
        }
        packing.places.push_back({place, links.empty() ? 0 : packing.rounds[place].streams.size()});
        if (links.empty()) continue;
        std::vector<Stream>& streams = packing.rounds[place].streams;
        streams.insert(streams.end(), round.streams.begin(), round.streams.end());
        for (const LinkId link : links) in_use[place][at(link / 2)] = true;
    }
    return packing;
}

}  // namespace bcastgen
