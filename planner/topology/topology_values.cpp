// Single values of a topology file: numbers with units, address ranges.
#include "planner/topology/topology_values.hpp"

#include <arpa/inet.h>
#include <fmt/format.h>

#include <array>
#include <charconv>

#include "base/names.hpp"
#include "base/parse_error.hpp"
#include "base/units.hpp"
#include "planner/topology/topology_reader.hpp"

namespace bcastgen {

namespace {

template <class Parse, class Quantity>
void read_quantity(YamlSource& source, const YamlNode* node, std::string_view what, Parse parse, Quantity& quantity) {
    const std::optional<std::string> text = read_scalar(source, node, what);
    if (!text) return;
    try {
        quantity = parse(*text);
    } catch (const ParseError& error) {
        source.error(source.place_in(*node, error.offset()), error.what());
    }
}

// The bits of an address beyond its first `prefix` ones are all zero.
bool is_network_address(const std::array<unsigned char, 16>& address, int bits, int prefix) {
    for (int bit = prefix; bit < bits; ++bit) {
        if ((address[static_cast<std::size_t>(bit / 8)] >> (7 - bit % 8)) & 1) return false;
    }
    return true;
}

}  // namespace

std::string multicast_problem(const std::string& range) {
    constexpr std::string_view advice =
        "write a range inside 239.0.0.0/8 (administratively scoped) or ff00::/8, like 239.192.0.0/16";
    const std::size_t slash = range.find('/');
    const std::string address_text = range.substr(0, slash);
    std::array<unsigned char, 16> address{};
    const bool is_ipv4 = inet_pton(AF_INET, address_text.c_str(), address.data()) == 1;
    if (!is_ipv4 && inet_pton(AF_INET6, address_text.c_str(), address.data()) != 1) {
        return fmt::format("{} is not a range of addresses; {}", in_quotes(range), advice);
    }
    const int bits = is_ipv4 ? 32 : 128;
    const std::string prefix_text = slash == std::string::npos ? "" : range.substr(slash + 1);
    int prefix = -1;
    const char* end = prefix_text.data() + prefix_text.size();
    const auto [rest, error] = std::from_chars(prefix_text.data(), end, prefix);
    if (error != std::errc{} || rest != end || prefix < 8 || prefix > bits) {
        return fmt::format("{} needs a prefix length from 8 to {} behind a slash; {}", in_quotes(range), bits, advice);
    }
    if (is_ipv4 ? address[0] != 239 : address[0] != 0xFF) {
        return fmt::format("{} is not a range of multicast groups that a site may use; {}", in_quotes(range), advice);
    }
    if (!is_network_address(address, bits, prefix)) {
        return fmt::format("{} has address bits set beyond its first {}", in_quotes(range), prefix);
    }
    return "";
}

bool is_interface_name(const std::string& name) {
    constexpr std::size_t longest = 15;  // the kernel's IFNAMSIZ, less its final zero
    return is_safe_name(name) && name.size() <= longest;
}

void read_speed(YamlSource& source, const YamlFields& fields, LinkSpeed& speed) {
    read_quantity(source, fields["bandwidth"], "a bandwidth", parse_bandwidth_Bps, speed.bandwidth_Bps);
    read_quantity(source, fields["latency"], "a latency", parse_latency_s, speed.latency_s);
}

void read_software(YamlSource& source, const YamlNode* node, std::string_view what, DescribedSoftware& software) {
    const auto for_message = [](std::string_view text) { return parse_duration_s(text, most_software_s); };
    const auto for_byte = [](std::string_view text) { return parse_duration_s(text, most_software_per_byte_s); };
    const YamlFields fields(source, node, what, {"send", "receive", "per_byte", "copy"});
    read_quantity(source, fields["send"], "what a send costs", for_message, software.send_s);
    read_quantity(source, fields["receive"], "what a receive costs", for_message, software.receive_s);
    read_quantity(source, fields["per_byte"], "what a byte costs", for_byte, software.per_byte_s);
    const YamlFields copy(source, fields["copy"], "the copy within a machine", {"bandwidth", "latency"});
    read_quantity(source, copy["bandwidth"], "a bandwidth", parse_bandwidth_Bps, software.copy_bandwidth_Bps);
    read_quantity(source, copy["latency"], "a latency", parse_latency_s, software.copy_latency_s);
}

std::optional<Software> software_with(const DescribedSoftware& described, const LinkSpeed& port) {
    if (!described.send_s && !described.receive_s && !described.per_byte_s && !described.copy_bandwidth_Bps &&
        !described.copy_latency_s) {
        return std::nullopt;
    }
    const Software usual = usual_software(port.bandwidth_Bps);
    return Software{described.send_s.value_or(usual.send_s), described.receive_s.value_or(usual.receive_s),
                    described.per_byte_s.value_or(usual.per_byte_s),
                    described.copy_bandwidth_Bps.value_or(usual.copy_bandwidth_Bps),
                    described.copy_latency_s.value_or(usual.copy_latency_s)};
}

std::optional<Multicast> read_multicast(YamlSource& source, const YamlNode* node) {
    if (node == nullptr) return std::nullopt;
    const YamlFields fields(source, node, "multicast", {"groups", "interface"});
    Multicast multicast;
    if (const auto groups = read_scalar(source, fields["groups"], "a range of multicast groups")) {
        const std::string problem = multicast_problem(*groups);
        if (!problem.empty()) source.error(*fields["groups"], problem);
        multicast.groups = *groups;
    } else if (fields.lacks("groups") && node->kind != YamlNode::Kind::scalar && node->kind != YamlNode::Kind::list) {
        source.error(*node, "multicast needs groups: the range to take groups from, like 239.192.0.0/16");
    }
    if (const auto interface = read_scalar(source, fields["interface"], "the name of a network interface")) {
        if (!is_interface_name(*interface)) {
            source.error(*fields["interface"],
                         fmt::format("{} is not the name of a network interface, like eth0", in_quotes(*interface)));
        }
        multicast.interface = *interface;
    }
    return multicast;
}

}  // namespace bcastgen
