// topology.conf and `scontrol show topology`: lines of Key=value.
#include <fmt/format.h>

#include <algorithm>

#include "base/hostlist.hpp"
#include "base/names.hpp"
#include "planner/formats/slurm/slurm.hpp"
#include "planner/formats/slurm/slurm_reader.hpp"

namespace bcastgen {

namespace {

/// A text of settings, and what was found in its lines so far.
class SlurmConf {
  public:
    SlurmConf(SourceText& source, HostlistExpander& expander, Wiring& wiring)
        : report_(report_to(source)), expander_(expander), wiring_(wiring) {
        read_lines(source);
        if (aggregated_) {
            wiring_.note(
                "left out: aggregated blocks; which blocks are near each other Slurm says by their order only");
        }
    }

    std::vector<SlurmSwitch> switches;
    std::vector<SlurmHint> hints;

  private:
    void read_lines(const SourceText& source) {
        const std::vector<std::string_view>& lines = source.lines();
        for (std::size_t at = 0; at < lines.size(); ++at) {
            std::string_view line = lines[at];
            const auto number = static_cast<int>(at) + 1;
            const std::size_t hash = line.find('#');
            if (hash != std::string_view::npos) {
                take_hint(line.substr(hash + 1), {number, static_cast<int>(hash) + 2});
                line = line.substr(0, hash);
            }
            std::vector<SlurmSetting> settings = slurm_settings(continued(line), {number, 1}, report_);
            while (is_continued(line) && at + 1 < lines.size()) {
                line = lines[++at];
                const std::vector<SlurmSetting> more =
                    slurm_settings(continued(line), {static_cast<int>(at) + 1, 1}, report_);
                settings.insert(settings.end(), more.begin(), more.end());
            }
            if (!settings.empty()) take_line(settings);
        }
    }

    static bool is_continued(std::string_view line) { return line.ends_with('\\'); }
    static std::string_view continued(std::string_view line) {
        return is_continued(line) ? line.substr(0, line.size() - 1) : line;
    }

    void take_hint(std::string_view comment, Place place) {
        constexpr std::string_view mark = " bcastgen ";
        if (!comment.starts_with(mark)) return;
        place.column += static_cast<int>(mark.size());
        hints.push_back(slurm_settings(comment.substr(mark.size()), place, report_));
    }

    void take_line(const std::vector<SlurmSetting>& settings) {
        const std::string& first = settings.front().key;
        if (first == "switchname") {
            take_switch(settings, {"switchname", "switches", "nodes", "linkspeed", "level"});
        } else if (first == "blockname") {
            take_switch(settings, {"blockname", "nodes", "blockindex", "blocksize"});
        } else if (first == "aggregatedblock") {
            aggregated_ = true;
        } else if (first == "blocksizes") {
            check_block_sizes(settings.front());
        } else {
            report_(settings.front().key_place,
                    fmt::format("a line of a Slurm topology starts with SwitchName= or BlockName=, not with {}",
                                in_quotes(first)));
        }
    }

    void take_switch(const std::vector<SlurmSetting>& settings, const std::vector<std::string>& allowed) {
        SlurmSwitch sw;
        const SlurmSetting* nodes = nullptr;
        bool has_level = false;
        for (const SlurmSetting& setting : settings) {
            if (std::find(allowed.begin(), allowed.end(), setting.key) == allowed.end()) {
                report_(setting.key_place,
                        fmt::format("unknown key {}{}", in_quotes(setting.key), did_you_mean(setting.key, allowed)));
            } else if (&setting != &settings.front() && setting.key == allowed.front()) {
                report_(setting.key_place, "a second name on this line; is a line break missing?");
            } else if (setting.key == "switches") {
                sw.children = slurm_names(setting.value, {setting.value_place}, expander_, report_);
            } else if (setting.key == "nodes") {
                nodes = &setting;
            }
            has_level = has_level || setting.key == "level";
        }
        // scontrol repeats at each switch the nodes of all switches below it.
        if (nodes != nullptr && !(has_level && !sw.children.empty())) {
            sw.nodes = slurm_names(nodes->value, {nodes->value_place}, expander_, report_);
        }
        const SlurmSetting& name = settings.front();
        const std::vector<SlurmName> names = slurm_names(name.value, {name.value_place}, expander_, report_);
        if (!may_repeat(sw, names.size(), expander_, name.value_place, report_)) return;
        for (const SlurmName& one : names) {
            sw.name = one;
            switches.push_back(sw);
        }
    }

    void check_block_sizes(const SlurmSetting& setting) {
        std::vector<SlurmName> sizes;
        for (const HostlistItem& item : hostlist_items(setting.value)) {
            const Place place{setting.value_place.line, setting.value_place.column + static_cast<int>(item.offset)};
            sizes.push_back({std::string(item.text), place});
        }
        check_slurm_block_sizes(sizes, report_);
    }

    Report report_;
    HostlistExpander& expander_;
    Wiring& wiring_;
    bool aggregated_ = false;
};

/// "Include FILE", as Slurm writes it.
bool is_include(std::string_view line) {
    constexpr std::string_view word = "include";
    const std::size_t at = line.find_first_not_of(" \t");
    if (at == std::string_view::npos || line.size() < at + word.size() + 1) return false;
    const bool same = std::equal(word.begin(), word.end(), line.begin() + static_cast<std::ptrdiff_t>(at),
                                 [](char a, char b) { return a == std::tolower(static_cast<unsigned char>(b)); });
    const char next = line[at + word.size()];
    return same && (next == ' ' || next == '\t' || next == '=');
}

void refuse_includes(SourceText& source) {
    for (std::size_t i = 0; i < source.lines().size(); ++i) {
        const std::string_view line = source.lines()[i];
        if (!is_include(line)) continue;
        source.error(
            {static_cast<int>(i) + 1, static_cast<int>(line.find_first_not_of(" \t")) + 1},
            "files that are included are not read: put their lines here, or import what scontrol show topology "
            "prints");
    }
    source.throw_if_errors();
}

bool looks_like_yaml(const SourceText& source) {
    for (const std::string_view line : source.lines()) {
        const std::size_t at = line.find_first_not_of(" \t");
        if (at == std::string_view::npos || line[at] == '#') continue;
        return line.find('=') == std::string_view::npos || line.find(": ") < line.find('=');
    }
    return false;
}

}  // namespace

Imported import_slurm(const ImportFile& file, const std::string& name) {
    SourceText text(file.text, file.name);
    text.refuse_unprintable();
    text.throw_if_errors();
    HostlistExpander expander;
    Wiring wiring;
    std::vector<SlurmHint> hints;
    std::vector<int> tops;
    refuse_includes(text);
    if (looks_like_yaml(text)) {
        YamlSource source(file.text, file.name);
        const Report report = report_to(source);
        const std::vector<SlurmSwitch> switches = read_slurm_yaml(source, wiring);
        source.throw_if_errors();
        tops = wire_slurm(switches, wiring, report);
        source.throw_if_errors();
    } else {
        const SlurmConf conf(text, expander, wiring);
        if (conf.switches.empty() && !text.has_errors()) {
            text.error_in_file("describes no switch; a Slurm topology has lines like SwitchName=s0 Nodes=n[0-15]");
        }
        text.throw_if_errors();
        tops = wire_slurm(conf.switches, wiring, report_to(text));
        text.throw_if_errors();
        hints = conf.hints;
    }
    if (hints.empty()) {
        wiring.note("assumed: 1Gbit/s and 20us on every link; Slurm's file tells no speeds, so set them here");
    }
    Imported imported = wiring.finish(name, tops, slurm_link);
    check_machine_count(imported.network, file.name, "describes no machine");
    apply_slurm_hints(hints, imported, expander, report_to(text));
    text.throw_if_errors();
    return imported;
}

}  // namespace bcastgen
