// A dump of ibnetdiscover as records, before anything is made of it.
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/source_text.hpp"

namespace bcastgen {

/// One end of a cable, as its record has it.
struct IbPort {
    std::string peer;    ///< id of the node at the other end: "S-…" or "H-…"
    std::string number;  ///< of the port here
    std::string peer_number;
    double bandwidth_Bps = 0;  ///< 0: unknown
    Place place;
};

/// A switch, an adapter or a router.
struct IbNode {
    enum class Kind { sw, adapter, router };
    Kind kind = Kind::sw;
    std::string id;  ///< "S-…": several chips of a chassis share a GUID, but not this
    std::string description;
    std::vector<IbPort> ports;
    Place place;
};

struct IbFabric {
    std::vector<IbNode> nodes;
    std::unordered_map<std::string, std::size_t> index;  ///< by id
};

/// The bandwidth of "4xEDR", in bytes per second of data; 0 for what is not a width and rate.
[[nodiscard]] double ib_bandwidth_Bps(std::string_view text);

/// Reports lines without a meaning, ports whose other end has no record, and a last record without ports that others
/// refer to.
[[nodiscard]] IbFabric read_ibnetdiscover(SourceText& source);

}  // namespace bcastgen
