#include "planner/formats/netloc.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <string_view>
#include <utility>
#include <vector>

#include "base/names.hpp"
#include "base/source_text.hpp"
#include "planner/formats/ibnetdiscover.hpp"

namespace bcastgen {

namespace {

/// A part of a line, and the byte of the line where it starts.
struct Field {
    std::string_view text;
    std::size_t offset;
};

/// The parts between commas, of which those between single quotes separate nothing.
std::vector<Field> fields_of(std::string_view line) {
    std::vector<Field> fields;
    std::size_t start = 0;
    bool quoted = false;
    for (std::size_t at = 0; at <= line.size(); ++at) {
        if (at < line.size() && line[at] == '\'') quoted = !quoted;
        if (at < line.size() && (line[at] != ',' || quoted)) continue;
        fields.push_back({line.substr(start, at - start), start});
        start = at + 1;
    }
    return fields;
}

/// "'node179 HCA-1' " without the quotes.
std::string unquoted(std::string_view text) {
    while (text.ends_with(' ')) text.remove_suffix(1);
    if (text.size() >= 2 && text.starts_with('\'') && text.ends_with('\'')) {
        text.remove_prefix(1);
        text.remove_suffix(1);
    }
    return std::string(text);
}

/// A line of a node has: id, LID, type, partitions, description, host name.
enum NodeField : std::size_t {
    node_id,
    node_lid,
    node_type,
    node_partitions,
    node_description,
    node_host,
    node_fields
};
/// After the id of its node, a line of edges has for each neighbour: id, speed, partitions, number of cables …
enum EdgeField : std::size_t { edge_peer, edge_speed, edge_partitions, edge_cables, edge_fields };
/// … and for each of these.
enum CableField : std::size_t { cable_port = 1, cable_peer_port, cable_width, cable_rate, cable_fields = 9 };

class NetlocReader {
  public:
    explicit NetlocReader(SourceText& source) : source_(source), lines_(source.lines()) {}

    IbFabric read() {
        std::size_t version = 0;  // below an empty line where a prompt was pasted
        while (version < lines_.size() && lines_[version].empty()) ++version;
        if (version == lines_.size()) version = 0;   // nothing but empty lines
        const std::size_t first_node = version + 4;  // the subnet, a folder and how many nodes there are come between
        if (lines_.empty() || lines_[version] != "1") {
            source_.error({static_cast<int>(version) + 1, 1},
                          "a netloc file starts with its version, 1; netloc_ib_extract_dats writes such "
                          "(IB-…-nodes.txt)");
            return {};
        }
        const std::size_t count = lines_.size() < first_node ? 0 : number({lines_[first_node - 1], 0}, first_node - 1);
        if (source_.has_errors()) return {};
        if (count == 0) {
            source_.error_in_file("describes no node");
        } else if (lines_.size() - first_node < 2 * count) {  // so many, and their edges
            source_.error({static_cast<int>(first_node), 1},
                          fmt::format("{} nodes take {} lines from here; there are {}; was the file cut?", count,
                                      2 * count, lines_.size() - first_node));
        }
        if (source_.has_errors()) return {};
        for (std::size_t at = 0; at < count; ++at) read_node(first_node + at);
        for (std::size_t at = 0; at < count; ++at) read_edges(first_node + count + at);
        return std::move(fabric_);
    }

  private:
    [[nodiscard]] static Place place(std::size_t line, const Field& field) {
        return {static_cast<int>(line) + 1, static_cast<int>(field.offset) + 1};
    }

    std::size_t number(const Field& field, std::size_t line) {
        std::size_t value = 0;
        const char* end = field.text.data() + field.text.size();
        const auto [rest, error] = std::from_chars(field.text.data(), end, value);
        if (error == std::errc{} && rest == end && value <= most_lines) return value;
        source_.error(place(line, field), fmt::format("{} is not a number of lines or cables", in_quotes(field.text)));
        return 0;
    }

    void read_node(std::size_t line) {
        const std::vector<Field> fields = fields_of(lines_[line]);
        if (fields.size() != node_fields) {
            source_.error(place(line, fields.front()),
                          fmt::format("a node has {} fields, with commas between them; this line has {}",
                                      std::size_t{node_fields}, fields.size()));
            return;
        }
        const Field& id = fields[node_id];
        const Field& type = fields[node_type];
        if (type.text != "0" && type.text != "1") {
            source_.error(place(line, type),
                          fmt::format("{} is no type of a node; a host is 0 and a switch 1", in_quotes(type.text)));
        }
        const std::string host(fields[node_host].text);
        std::string description = unquoted(fields[node_description].text);
        if (!host.empty() && !description.starts_with(host)) description = host;
        const IbNode::Kind kind = type.text == "1" ? IbNode::Kind::sw : IbNode::Kind::adapter;
        const auto [known, added] = fabric_.index.emplace(std::string(id.text), fabric_.nodes.size());
        if (!added) {
            source_.error(place(line, id), fmt::format("node {} is described twice (first on line {})",
                                                       in_quotes(id.text), fabric_.nodes[known->second].place.line));
            return;
        }
        fabric_.nodes.push_back({kind, std::string(id.text), std::move(description), {}, place(line, id)});
    }

    void read_edges(std::size_t line) {
        const std::vector<Field> fields = fields_of(lines_[line]);
        IbNode* node = find(line, fields.front());
        for (std::size_t at = 1; at < fields.size();) {
            if (fields.size() - at < edge_fields) return cut(line, fields.back());
            const Field& peer = fields[at + edge_peer];
            const IbNode* neighbour = find(line, peer);
            const std::size_t cables = number(fields[at + edge_cables], line);
            at += edge_fields;
            if ((fields.size() - at) / cable_fields < cables) return cut(line, fields.back());
            for (std::size_t cable = 0; cable < cables; ++cable, at += cable_fields) {
                // The speed that the file tells is netloc's own, and for most rates not right.
                const std::string speed =
                    std::string(fields[at + cable_width].text) + std::string(fields[at + cable_rate].text);
                if (node == nullptr || neighbour == nullptr) continue;
                node->ports.push_back({neighbour->id, std::string(fields[at + cable_port].text),
                                       std::string(fields[at + cable_peer_port].text), ib_bandwidth_Bps(speed),
                                       place(line, peer)});
            }
        }
    }

    void cut(std::size_t line, const Field& last) {
        source_.error(place(line, last), "the line ends within what it says of a cable; was the file cut?");
    }

    IbNode* find(std::size_t line, const Field& id) {
        const auto known = fabric_.index.find(std::string(id.text));
        if (known != fabric_.index.end()) return &fabric_.nodes[known->second];
        source_.error(place(line, id), fmt::format("no node of this file is {}", in_quotes(id.text)));
        return nullptr;
    }

    static constexpr std::size_t most_lines = 100'000'000;
    SourceText& source_;
    const std::vector<std::string_view>& lines_;
    IbFabric fabric_;
};

}  // namespace

Imported import_netloc(const ImportFile& file, const std::string& name) {
    SourceText source(file.text, file.name);
    source.refuse_unprintable();
    source.throw_if_errors();
    const IbFabric fabric = NetlocReader(source).read();
    source.throw_if_errors();
    return import_fabric(fabric, source, file.name, name);
}

}  // namespace bcastgen
