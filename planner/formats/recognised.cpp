#include "planner/formats/recognised.hpp"

#include <regex>

#include "base/utf8.hpp"

namespace bcastgen {

namespace {

struct Looks {
    const char* format;
    const char* pattern;
};

// Each is found at the beginning of a line.
constexpr Looks all_looks[] = {
    {"lstopo", R"(<topology\b)"},
    {"ibnetdiscover", R"((Switch|Ca)[ \t]+[0-9]+[ \t]+"[SH]-[0-9a-f]+")"},
    {"slurm", R"((SwitchName|BlockName)=\S)"},
    {"slurm", R"(-? *topology: [^\n]*\n+(  cluster_default: [^\n]*\n+)?  (tree|block):)"},
    {"netloc", R"(1\r?\n[0-9a-f]{4}(:[0-9a-f]{4}){3}\r?\n)"},
};

}  // namespace

std::string recognised_format(std::string_view text) {
    constexpr std::size_t looked_at = 2000;  // std::regex recurses for each character
    const std::string beginning(without_byte_order_mark(text).substr(0, looked_at));
    for (const Looks& looks : all_looks) {
        const std::regex pattern("(^|\\n)" + std::string(looks.pattern), std::regex::ECMAScript | std::regex::icase);
        if (std::regex_search(beginning, pattern)) return looks.format;
    }
    return "";
}

std::string lstopo_advice() {
    return "is lstopo's XML: it tells what is inside a machine, not how machines are wired; import what ibnetdiscover "
           "prints (InfiniBand), or lldpcli show neighbors -f json on every host (Ethernet), or measure the wiring "
           "with "
           "bcastgen discover";
}

}  // namespace bcastgen
