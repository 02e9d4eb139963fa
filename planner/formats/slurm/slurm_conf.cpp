// topology.conf and `scontrol show topology`: lines of Key=value.
#include <fmt/format.h>

#include <algorithm>

#include "base/hostlist.hpp"
#include "base/names.hpp"
#include "planner/formats/slurm/slurm.hpp"
#include "planner/formats/slurm/slurm_files.hpp"
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
                take_slurm_hint(line.substr(hash + 1), {number, static_cast<int>(hash) + 2}, hints, report_);
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

bool looks_like_yaml(const SourceText& source) {
    for (const std::string_view line : source.lines()) {
        const std::size_t at = line.find_first_not_of(" \t");
        if (at == std::string_view::npos || line[at] == '#' || is_slurm_include(line)) continue;
        return line.find('=') == std::string_view::npos || line.find(": ") < line.find('=');
    }
    return false;
}

/// The hints of a YAML text: comments on lines of their own.
std::vector<SlurmHint> hints_of_yaml(SourceText& source) {
    std::vector<SlurmHint> hints;
    const Report report = report_to(source);
    for (std::size_t at = 0; at < source.lines().size(); ++at) {
        const std::string_view line = source.lines()[at];
        if (line.starts_with('#')) take_slurm_hint(line.substr(1), {static_cast<int>(at) + 1, 2}, hints, report);
    }
    return hints;
}

Imported import_one(const std::string& text_of_all, const std::string& file, const std::string& name,
                    const NameLine& name_line) {
    SourceText text(text_of_all, file);
    text.refuse_unprintable();
    text.throw_if_errors();
    HostlistExpander expander;
    Wiring wiring;
    std::vector<SlurmHint> hints;
    std::vector<int> tops;
    if (looks_like_yaml(text)) {
        YamlSource source(text_of_all, file);
        const Report report = report_to(source);
        const std::vector<SlurmSwitch> switches = read_slurm_yaml(source, wiring);
        source.throw_if_errors();
        tops = wire_slurm(switches, wiring, report, name_line);
        source.throw_if_errors();
        hints = hints_of_yaml(text);
    } else {
        const SlurmConf conf(text, expander, wiring);
        if (conf.switches.empty() && !text.has_errors()) {
            text.error_in_file("describes no switch; a Slurm topology has lines like SwitchName=s0 Nodes=n[0-15]");
        }
        text.throw_if_errors();
        tops = wire_slurm(conf.switches, wiring, report_to(text), name_line);
        hints = conf.hints;
    }
    text.throw_if_errors();
    if (hints.empty()) {
        wiring.note("assumed: 1Gbit/s and 20us on every link; Slurm's file tells no speeds, so set them here");
    }
    Imported imported = wiring.finish(name, tops, slurm_link);
    check_machine_count(imported.network, file, "describes no machine");
    apply_slurm_hints(hints, imported, expander, report_to(text));
    text.throw_if_errors();
    return imported;
}

/// One that stands beside other files.
void refuse_yaml(const std::vector<ImportFile>& files) {
    if (files.size() == 1) return;
    for (const ImportFile& file : files) {
        if (!looks_like_yaml(SourceText(file.text, file.name))) continue;
        throw InputErrors({{file.name, 0, 0, "looks like a topology.yaml, which is imported alone", ""}});
    }
}

}  // namespace

Imported import_slurm(const std::vector<ImportFile>& files, const std::string& name, const SlurmIncludes& includes) {
    refuse_yaml(files);
    const SlurmText joined = with_includes(files, includes);
    const bool alone = joined.files.size() == 1;
    try {
        // Alone the text stays as it is: a YAML file may have a byte-order mark.
        return import_one(alone ? files.front().text : joined.text, files.front().name, name,
                          [&joined](int line) { return joined.name_line(line); });
    } catch (const InputErrors& errors) {
        if (alone) throw;
        throw joined.in_their_files(errors);
    }
}

Imported import_slurm(const ImportFile& file, const std::string& name) {
    const SlurmIncludes none{[](const std::string&, const std::string& path) { return path; },
                             [](const std::string& path) -> std::string {
                                 throw InputErrors({{path, 0, 0, "cannot be read here", ""}});
                             }};
    return import_slurm({file}, name, none);
}

}  // namespace bcastgen
