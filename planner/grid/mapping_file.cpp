#include "planner/grid/mapping_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/hostlist.hpp"
#include "base/index.hpp"
#include "base/names.hpp"
#include "base/parse_error.hpp"
#include "base/source_text.hpp"
#include "base/wording.hpp"

namespace bcastgen {

namespace {

constexpr std::string_view blanks = " \t";

/// A part of a line, and the byte of the line where it starts.
struct Word {
    std::string_view text;
    std::size_t offset = 0;

    [[nodiscard]] Word from(std::size_t start) const { return {text.substr(start), offset + start}; }
    [[nodiscard]] Word to(std::size_t end) const { return {text.substr(0, end), offset}; }
};

Word trimmed(Word word) {
    const std::size_t start = std::min(word.text.find_first_not_of(blanks), word.text.size());
    word = word.from(start);
    return word.to(word.text.find_last_not_of(blanks) + 1);
}

/// A number from 0 to most_grid_ranks.
std::optional<int> number_in(std::string_view text) {
    int value = -1;
    const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    const bool whole = error == std::errc{} && rest == text.data() + text.size();
    return whole && value >= 0 && value <= most_grid_ranks ? std::optional(value) : std::nullopt;
}

class MappingReader {
  public:
    MappingReader(std::string_view text, const std::string& file, const Network& network, const Grid& grid,
                  int ranks_per_machine)
        : source_(text, file),
          network_(network),
          grid_(grid),
          ranks_per_machine_(ranks_per_machine),
          mapping_(at(grid.ranks()), -1),
          ranks_on_(network.machines.size(), 0) {
        for (const Machine& machine : network.machines) {
            index_.emplace(machine.name, static_cast<int>(names_.size()));
            names_.push_back(machine.name);
        }
    }

    Mapping read() {
        source_.refuse_unprintable();
        source_.throw_if_errors();
        for (std::size_t i = 0; i < source_.lines().size(); ++i) {
            line_ = static_cast<int>(i) + 1;
            const std::string_view line = source_.lines()[i];
            const Word content = trimmed({line.substr(0, line.find('#')), 0});
            if (content.text.empty()) continue;
            if (is_rankfile_line(content)) {
                read_rank(trimmed(content.from(rank_word.size())));
            } else {
                read_hosts(content);
            }
        }
        if (!source_.has_errors()) find_missing();
        source_.throw_if_errors();
        return mapping_;
    }

  private:
    static constexpr std::string_view rank_word = "rank";

    static bool is_rankfile_line(const Word& line) {
        return line.text.starts_with(rank_word) && line.text.size() > rank_word.size() &&
               blanks.find(line.text[rank_word.size()]) != std::string_view::npos &&
               line.text.find('=') != std::string_view::npos;
    }

    void error(const Word& word, std::string message) {
        source_.error({line_, static_cast<int>(word.offset) + 1}, std::move(message));
    }

    /// "0=n0 slot=1", what follows "rank".
    void read_rank(const Word& line) {
        const std::size_t equals = std::min(line.text.find('='), line.text.size());
        const Word number = trimmed(line.to(equals));
        const std::optional<int> rank = number_in(number.text);
        if (!rank || *rank >= grid_.ranks()) {
            error(number, fmt::format("expected a rank from 0 to {}, as a {} x {} grid has them", grid_.ranks() - 1,
                                      grid_.rows, grid_.columns));
            return;
        }
        const Word rest = trimmed(line.from(std::min(equals + 1, line.text.size())));
        const Word host = rest.to(rest.text.find_first_of(blanks));
        if (host.text.starts_with('+')) {
            error(host, "hosts by number (+n0) are not read; write the machine's name");
            return;
        }
        const std::optional<int> machine = machine_called(host.text, host);
        if (!machine) return;
        if (mapping_[at(*rank)] >= 0) {
            error(number, fmt::format("rank {} is mapped twice", *rank));
            return;
        }
        put(*rank, *machine, host);
    }

    /// "n0", "n0:2", "n0 slots=2", "n[0-3],n7"
    void read_hosts(const Word& line) {
        const std::size_t blank = line.text.find_first_of(blanks);
        Word hosts = line.to(blank);
        std::optional<int> count;
        if (const std::size_t colon = hosts.text.find(':'); colon != std::string_view::npos) {
            const Word number = hosts.from(colon + 1);
            count = positive(number);
            if (!count) return;
            hosts = hosts.to(colon);
        }
        if (blank != std::string_view::npos && !read_settings(line.from(blank), count)) return;
        std::vector<std::string> names;
        try {
            for (const HostlistItem& item : hostlist_items(hosts.text)) {
                const std::vector<std::string> some = expander_.expand(item.text);
                names.insert(names.end(), some.begin(), some.end());
            }
        } catch (const ParseError& wrong) {
            error(hosts.from(std::min(wrong.offset(), hosts.text.size())), wrong.what());
            return;
        }
        for (const std::string& name : names) {
            const std::optional<int> machine = machine_called(name, hosts);
            if (!machine) continue;
            for (int i = 0; i < count.value_or(1) && next_ < grid_.ranks(); ++i) {
                if (!put(next_, *machine, hosts)) return;
                ++next_;
            }
        }
    }

    /// "slots=2 max_slots=4", what follows a host.
    bool read_settings(Word rest, std::optional<int>& count) {
        constexpr std::string_view slots = "slots=";
        while (!(rest = trimmed(rest)).text.empty()) {
            const std::size_t end = std::min(rest.text.find_first_of(blanks), rest.text.size());
            const Word setting = rest.to(end);
            if (setting.text.find('=') == std::string_view::npos) {
                error(setting, "expected one host on each line, with settings such as slots=2 after it");
                return false;
            }
            if (setting.text.starts_with(slots)) {
                count = positive(setting.from(slots.size()));
                if (!count) return false;
            }
            rest = rest.from(end);
        }
        return true;
    }

    std::optional<int> positive(const Word& word) {
        const std::optional<int> number = number_in(word.text);
        if (number && *number > 0) return number;
        error(word, fmt::format("expected a number of ranks from 1 to {}", most_grid_ranks));
        return std::nullopt;
    }

    std::optional<int> machine_called(std::string_view host, const Word& place) {
        for (const std::string_view name : {host, host.substr(0, host.find('.'))}) {
            if (const auto found = index_.find(std::string(name)); found != index_.end()) return found->second;
        }
        const bool suggest = ++unknown_ <= static_cast<int>(most_shown_errors);  // of others nothing is shown
        error(place, fmt::format("no machine {} in {}{}", in_quotes(host), network_.name,
                                 suggest ? did_you_mean(host, names_) : ""));
        return std::nullopt;
    }

    bool put(int rank, int machine, const Word& place) {
        mapping_[at(rank)] = machine;
        if (++ranks_on_[at(machine)] <= ranks_per_machine_) return true;
        error(place, fmt::format("machine {} has more than {}; --ranks-per-machine says how many it may have",
                                 names_[at(machine)], counted(ranks_per_machine_, "rank", "ranks")));
        return false;
    }

    void find_missing() {
        const auto first = std::find(mapping_.begin(), mapping_.end(), -1);
        const auto missing = std::count(mapping_.begin(), mapping_.end(), -1);
        if (missing == 0) return;
        source_.error_in_file(fmt::format(
            "has machines for {} of the {} of a {} x {} grid; the first without is rank {}", grid_.ranks() - missing,
            counted(grid_.ranks(), "rank", "ranks"), grid_.rows, grid_.columns, first - mapping_.begin()));
    }

    SourceText source_;
    const Network& network_;
    Grid grid_;
    int ranks_per_machine_;
    Mapping mapping_;
    std::vector<int> ranks_on_;  ///< by machine
    std::vector<std::string> names_;
    std::unordered_map<std::string, int> index_;
    HostlistExpander expander_;
    int line_ = 0;
    int next_ = 0;     ///< the first rank without a machine, where hosts are listed
    int unknown_ = 0;  ///< hosts that are no machines
};

}  // namespace

Mapping read_mapping(std::string_view text, const std::string& file, const Network& network, const Grid& grid,
                     int ranks_per_machine) {
    return MappingReader(text, file, network, grid, ranks_per_machine).read();
}

}  // namespace bcastgen
