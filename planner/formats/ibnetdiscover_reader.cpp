#include "planner/formats/ibnetdiscover_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "base/names.hpp"

namespace bcastgen {

namespace {

/// Takes a line apart from left to right.
class Cursor {
  public:
    explicit Cursor(std::string_view line) : line_(line) {}

    void skip_blanks() {
        while (at_ < line_.size() && (line_[at_] == ' ' || line_[at_] == '\t')) ++at_;
    }
    [[nodiscard]] char next() const { return at_ < line_.size() ? line_[at_] : '\0'; }
    [[nodiscard]] std::size_t at() const { return at_; }
    [[nodiscard]] std::string_view rest() const { return line_.substr(at_); }

    /// The text between two marks, the first of which is here.
    std::optional<std::string_view> between(char open, char close) {
        if (next() != open) return std::nullopt;
        const std::size_t end = line_.find(close, at_ + 1);
        if (end == std::string_view::npos) return std::nullopt;
        const std::string_view text = line_.substr(at_ + 1, end - at_ - 1);
        at_ = end + 1;
        return text;
    }
    std::string_view word() {
        const std::size_t start = at_;
        while (at_ < line_.size() && line_[at_] != ' ' && line_[at_] != '\t') ++at_;
        return line_.substr(start, at_ - start);
    }

  private:
    std::string_view line_;
    std::size_t at_ = 0;
};

struct Rate {
    std::string_view name;
    double lane_gbit_per_s;  ///< of data, after the line code
};
constexpr Rate rates[] = {{"SDR", 2},  {"DDR", 4},  {"QDR", 8},   {"FDR10", 10}, {"FDR", 14.0625 * 64 / 66},
                          {"EDR", 25}, {"HDR", 50}, {"NDR", 100}, {"XDR", 200}};

struct Width {
    std::string_view name;
    int lanes;
};
constexpr Width lane_widths[] = {{"1", 1}, {"2", 2}, {"4", 4}, {"8", 8}, {"12", 12}};  // all that InfiniBand has

bool is_node_id(std::string_view id) {
    return id.size() > 2 && (id.starts_with("S-") || id.starts_with("H-") || id.starts_with("R-"));
}

class Reader {
  public:
    explicit Reader(SourceText& source) : source_(source) {}

    IbFabric read() {
        for (std::size_t number = 0; number < source_.lines().size(); ++number) {
            line_ = static_cast<int>(number) + 1;
            read_line(source_.lines()[number]);
        }
        return std::move(fabric_);
    }

  private:
    [[nodiscard]] Place here(std::size_t byte) const { return {line_, static_cast<int>(byte) + 1}; }

    void read_line(std::string_view line) {
        Cursor cursor(line);
        cursor.skip_blanks();
        const std::size_t start = cursor.at();
        if (cursor.next() == '\0' || cursor.next() == '#') return;
        if (cursor.next() == '[') {
            read_port(cursor);
            return;
        }
        const std::string_view word = cursor.word();
        for (const std::string_view key : {"vendid=", "devid=", "sysimgguid=", "switchguid=", "caguid=", "rtguid="}) {
            if (word.starts_with(key)) return;
        }
        if (word == "Switch") return read_node(cursor, IbNode::Kind::sw);
        if (word == "Ca") return read_node(cursor, IbNode::Kind::adapter);
        if (word == "Rt") return read_node(cursor, IbNode::Kind::router);
        if (word == "Chassis" || word == "Slot" || word == "DDR" || word.starts_with("Spine")) return;
        // Lines of ports, "CA 11 1 0x… 4x EDR - SW 9 2 0x… ( 'n0 HCA-1' - 's1' )".
        const bool is_port_list = (word == "CA" || word == "SW" || word == "RT") && line.find(" 0x") != line.npos;
        if (is_port_list) {
            source_.error(here(start), "this is what ibnetdiscover -p prints; run it without -p");
            source_.throw_if_errors();
        }
        source_.error(
            here(start),
            fmt::format("{} is nothing that ibnetdiscover prints here; is the file cut or mixed?", in_quotes(word)));
    }

    /// Switch 36 "S-f452…" # "description" base port 0 lid 5 lmc 0
    void read_node(Cursor& cursor, IbNode::Kind kind) {
        cursor.skip_blanks();
        cursor.word();  // number of ports
        cursor.skip_blanks();
        const std::size_t at = cursor.at();
        const std::optional<std::string_view> id = cursor.between('"', '"');
        if (!id || !is_node_id(*id)) {
            source_.error(here(at), "a node's id, such as \"S-0002c902004885b0\", is missing here");
            return;
        }
        IbNode node{kind, std::string(*id), "", {}, here(at)};
        cursor.skip_blanks();
        if (cursor.next() == '#') {
            cursor.word();
            cursor.skip_blanks();
            const std::size_t quote = cursor.at();
            const std::optional<std::string_view> description = cursor.between('"', '"');
            if (!description) {
                source_.error(here(quote), "the node's description in quotes is missing here");
                return;
            }
            node.description = *description;
        }
        const auto [known, added] = fabric_.index.emplace(node.id, fabric_.nodes.size());
        if (!added) {
            source_.error(here(at), fmt::format("node {} is described twice (first on line {})", node.id,
                                                fabric_.nodes[known->second].place.line));
            return;
        }
        fabric_.nodes.push_back(std::move(node));
    }

    /// [19] "S-…"[20](guid) # "description" lid 10 4xHDR
    void read_port(Cursor& cursor) {
        IbPort port;
        port.place = here(cursor.at());
        const std::optional<std::string_view> number = cursor.between('[', ']');
        while (cursor.next() == '[' || cursor.next() == '(') {
            if (!cursor.between(cursor.next(), cursor.next() == '[' ? ']' : ')')) break;
        }
        cursor.skip_blanks();
        if (cursor.next() == '[') {  // [ext 3]
            cursor.between('[', ']');
            cursor.skip_blanks();
        }
        const std::size_t at = cursor.at();
        const std::optional<std::string_view> peer = cursor.between('"', '"');
        const std::optional<std::string_view> peer_number = cursor.between('[', ']');
        if (!number || !peer || !is_node_id(*peer) || !peer_number) {
            source_.error(here(at), "the other end of a cable, such as \"S-0002c902004885b0\"[3], is missing here");
            return;
        }
        if (fabric_.nodes.empty()) {
            source_.error(port.place, "a port before the first Switch or Ca line");
            return;
        }
        port.number = *number;
        port.peer = *peer;
        port.peer_number = *peer_number;
        const std::string_view rest = cursor.rest();
        const std::size_t last = rest.find_last_of(" \t");  // width and rate end the line
        for (std::string_view text = rest; !text.empty() && port.bandwidth_Bps == 0;) {
            const std::size_t blank = text.find_last_of(" \t");
            port.bandwidth_Bps = ib_bandwidth_Bps(blank == std::string_view::npos ? text : text.substr(blank + 1));
            if (blank == std::string_view::npos || last == std::string_view::npos) break;
            text = text.substr(0, blank);
            if (text.ends_with('"')) break;
        }
        if (port.bandwidth_Bps == 0 && rest.find('x') != std::string_view::npos && last != std::string_view::npos) {
            const std::string_view word = rest.substr(last + 1);
            if (word.find("DR") != std::string_view::npos) {
                source_.error(
                    here(cursor.at() + last + 1),
                    fmt::format("{} is not a width and rate of InfiniBand; they look like 4xEDR", in_quotes(word)));
            }
        }
        fabric_.nodes.back().ports.push_back(std::move(port));
    }

    SourceText& source_;
    IbFabric fabric_;
    int line_ = 0;
};

/// Ends of cables that no record has. Only dumps that are cut short have any.
void refuse_cut(const IbFabric& fabric, SourceText& source) {
    std::set<std::string> told;
    std::set<std::string> ends;
    for (const IbNode& node : fabric.nodes) {
        for (const IbPort& port : node.ports) ends.insert(node.id + "[" + port.number);
    }
    for (const IbNode& node : fabric.nodes) {
        for (const IbPort& port : node.ports) {
            if (!fabric.index.contains(port.peer)) {
                if (!told.insert(port.peer).second) continue;
                source.error(port.place, fmt::format("node {} has no record in this file; was it cut?", port.peer));
            } else if (port.peer == fabric.nodes.back().id && !ends.contains(port.peer + "[" + port.peer_number)) {
                source.error(port.place, fmt::format("the record of node {}, the last one, lacks this cable; was the "
                                                     "file cut?",
                                                     port.peer));
                return;
            }
        }
    }
}

}  // namespace

double ib_bandwidth_Bps(std::string_view text) {
    const std::size_t x = text.find('x');
    if (x == 0 || x == std::string_view::npos || x > 2) return 0;
    for (const Width& width : lane_widths) {
        if (width.name != text.substr(0, x)) continue;
        for (const Rate& rate : rates) {
            if (rate.name == text.substr(x + 1)) return width.lanes * rate.lane_gbit_per_s * 1e9 / 8;
        }
    }
    return 0;
}

IbFabric read_ibnetdiscover(SourceText& source) {
    IbFabric fabric = Reader(source).read();
    if (!source.has_errors() && fabric.nodes.empty()) {
        source.error_in_file("describes no fabric; what ibnetdiscover prints has lines that start with Switch and Ca");
    }
    if (!source.has_errors()) refuse_cut(fabric, source);
    return fabric;
}

}  // namespace bcastgen
