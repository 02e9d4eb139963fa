// YamlSource: from text to located values.
#include <fmt/format.h>
#include <yaml-cpp/depthguard.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/parser.h>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <sstream>
#include <unordered_map>
#include <utility>

#include "base/names.hpp"
#include "base/printable.hpp"
#include "base/utf8.hpp"
#include "base/yaml/yaml_source.hpp"

namespace bcastgen {

namespace {

// A few times what the largest file of a million machines has. yaml-cpp needs up to 240 bytes for each of these, as it
// reads a bracket to its end before it tells of it.
constexpr std::size_t most_values = 3'000'000;

Place place_of(const YAML::Mark& mark) {
    return {mark.line + 1, mark.column + 1};
}

/// The first n[0-3] without quotes, which within brackets YAML reads as a text that ends at [ and a list; empty if
/// there is none.
std::string_view unquoted_hostlist(std::string_view text) {
    for (std::size_t open = text.find('['); open != std::string_view::npos; open = text.find('[', open + 1)) {
        const std::size_t close = text.find_first_not_of("0123456789,-", open + 1);
        if (close == std::string_view::npos || text[close] != ']' || close == open + 1) continue;
        std::size_t begin = open;
        while (begin > 0 && is_name_character(text[begin - 1])) --begin;
        const bool is_in_quotes = begin > 0 && std::string_view("\"',").find(text[begin - 1]) != std::string_view::npos;
        if (begin < open && !is_in_quotes) return text.substr(begin, close + 1 - begin);
    }
    return {};
}

}  // namespace

/// Makes a tree of nodes, owned by the source, from yaml-cpp's events.
class YamlTreeBuilder : public YAML::EventHandler {
  public:
    explicit YamlTreeBuilder(YamlSource& source) : source_(source) {}

    [[nodiscard]] const YamlNode* root() const { return root_; }
    [[nodiscard]] std::optional<Place> second_document() const { return second_; }
    [[nodiscard]] std::optional<Place> innermost() const {  ///< of the lists and maps that are not complete
        return open_.empty() ? std::nullopt : std::optional(open_.back().node->place);
    }

    void OnDocumentStart(const YAML::Mark& mark) override {
        if (root_ != nullptr && !second_) second_ = place_of(mark);
    }
    void OnDocumentEnd() override {}
    void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
        add(YamlNode::Kind::nothing, mark, anchor, "");
    }
    void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override {
        const Anchored& value = anchored_.at(anchor);
        if (value.values == 0) {
            source_.error(place_of(mark), "this alias stands for a value that it is a part of");
            source_.throw_if_errors();
        }
        count_values(value.values, place_of(mark));
        hang(value.node);
    }
    void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  const std::string& value) override {
        YamlNode& node = add(YamlNode::Kind::scalar, mark, anchor, tag);
        node.text = value;
        source_.refuse_open_quote(node);
    }
    void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                         YAML::EmitterStyle::value style) override {
        open(YamlNode::Kind::list, mark, tag, anchor, style == YAML::EmitterStyle::Block);
    }
    void OnSequenceEnd() override { close(); }
    void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                    YAML::EmitterStyle::value) override {
        open(YamlNode::Kind::map, mark, tag, anchor, false);
    }
    void OnMapEnd() override { close(); }

  private:
    struct Open {
        YamlNode* node;
        YAML::anchor_t anchor;
        std::size_t values_before;
        bool has_dashes;
        const YamlNode* key = nullptr;  // of a map: the key whose value comes next
    };
    struct Anchored {
        const YamlNode* node = nullptr;
        std::size_t values = 0;  // with those in it, counted wherever an alias repeats them; 0: not complete yet
    };

    void open(YamlNode::Kind kind, const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
              bool has_dashes) {
        const std::size_t before = values_;
        YamlNode& node = add(kind, mark, anchor, tag);
        if (anchor != 0) anchored_[anchor].values = 0;
        open_.push_back({&node, anchor, before, has_dashes});
    }

    void close() {
        const Open& last = open_.back();
        if (last.anchor != 0) anchored_[last.anchor].values = values_ - last.values_before;
        open_.pop_back();
    }

    // Aliases of aliases make much of little.
    void count_values(std::size_t more, Place place) {
        values_ += more;
        if (values_ <= most_values) return;
        source_.error(place, fmt::format("more than {} values, those counted that aliases repeat; no file for bcastgen "
                                         "has as many",
                                         most_values));
        source_.throw_if_errors();
    }

    YamlNode& add(YamlNode::Kind kind, const YAML::Mark& mark, YAML::anchor_t anchor, const std::string& tag) {
        YamlNode& node = source_.nodes_.emplace_back();
        node.kind = kind;
        node.place = place_of(mark);
        if (kind == YamlNode::Kind::nothing && !open_.empty()) {
            const Open& within = open_.back();
            node.place = within.key != nullptr ? within.key->place
                         : within.has_dashes   ? source_.dash_before(node.place)
                                               : node.place;
        }
        count_values(1, node.place);
        const bool plain_tag = tag.empty() || tag == "?" || tag == "!" || tag.starts_with("tag:yaml.org,2002:");
        if (!plain_tag) source_.error(node, fmt::format("the tag {} means nothing here", in_quotes(tag)));
        if (anchor != 0) anchored_[anchor] = {&node, 1};
        hang(&node);
        return node;
    }

    void hang(const YamlNode* node) {
        if (open_.empty()) {
            if (root_ == nullptr) root_ = node;
            return;
        }
        Open& open = open_.back();
        if (open.node->kind == YamlNode::Kind::list) {
            open.node->items.push_back(node);
        } else if (open.key == nullptr) {
            open.key = node;
        } else {
            open.node->pairs.push_back({std::exchange(open.key, nullptr), node});
        }
    }

    YamlSource& source_;
    const YamlNode* root_ = nullptr;
    std::optional<Place> second_;
    std::vector<Open> open_;
    std::unordered_map<YAML::anchor_t, Anchored> anchored_;
    std::size_t values_ = 0;
};

YamlSource::YamlSource(std::string_view text, std::string file) : errors_(std::move(file)) {
    text_ = without_byte_order_mark(text);
    line_starts_.push_back(0);
    for (std::size_t at = 0; at < text_.size(); ++at) {
        if (text_[at] == '\n') line_starts_.push_back(at + 1);
    }
    refuse_unprintable();
    refuse_too_many_values();
    read_document();
    throw_if_errors();
}

// What no input file of ours contains: another encoding, binary data, and control characters, which an error message
// would send to the terminal.
void YamlSource::refuse_unprintable() {
    const std::optional<std::size_t> at = first_unprintable(text_);
    if (!at) return;
    const Place place = place_at(*at);
    const std::string_view before = line_text(place.line).substr(0, static_cast<std::size_t>(place.column) - 1);
    errors_.add(place.line, place.column, describe_unprintable(text_, *at), before);
    throw_if_errors();
}

// The characters between which values stand are counted before anything is made of them.
void YamlSource::refuse_too_many_values() {
    std::size_t count = 0;
    for (std::size_t at = 0; at < text_.size(); ++at) {
        const char c = text_[at];
        const bool separates = c == ',' || c == ':' || c == '[' || c == ']' || c == '{' || c == '}';
        if (!separates || ++count <= most_values) continue;
        error(place_at(at),
              fmt::format("more than {} brackets, colons and commas; no file for bcastgen has as many", most_values));
        throw_if_errors();
    }
}

void YamlSource::read_document() {
    YamlTreeBuilder builder(*this);
    std::istringstream stream(text_);
    try {
        YAML::Parser parser(stream);
        while (!builder.second_document() && parser.HandleNextDocument(builder)) {
        }
    } catch (const YAML::DeepRecursion& problem) {
        error(place_of(problem.mark), "values are nested too deeply");
    } catch (const YAML::ParserException& problem) {
        report_syntax(place_of(problem.mark), problem.msg, builder.innermost());
    }
    if (builder.second_document()) {
        error(*builder.second_document(), "a second YAML document starts here; the file is to hold one");
    }
    if (builder.root() != nullptr) {
        root_ = builder.root();
    } else {
        root_ = &nodes_.emplace_back();
    }
}

// yaml-cpp's messages say what its parser missed, which is seldom what the writer did wrong.
void YamlSource::report_syntax(Place place, std::string_view said, std::optional<Place> innermost) {
    if (has_errors()) return;  // the open quote that led to this
    const std::string_view line = line_text(place.line);
    place.column = std::min(place.column, static_cast<int>(line.size()) + 1);  // at the end of a file it may be beyond
    const std::string_view indent = line.substr(0, std::min(line.size(), line.find_first_not_of(" \t")));
    if (indent.find('\t') != std::string_view::npos) {
        error({place.line, static_cast<int>(indent.find('\t')) + 1}, "a tab cannot indent in YAML; write spaces");
    } else if (innermost && (said == "end of map flow not found" || said == "end of sequence flow not found")) {
        report_open_bracket(*innermost, place);
    } else if (said == "end of map not found" || said == "end of sequence not found") {
        error(place, "this line is indented neither like the entries above nor as a part of the last one");
    } else if (said == "illegal flow end") {
        error(place, "this bracket closes none that is open");
    } else if (said == "illegal map value") {
        error(place, "a second \":\" in one entry; check the line's indentation, or put the value in quotes");
    } else {
        error(place, fmt::format("YAML syntax: {}", said));
    }
}

// Most often it is one of a hostlist, not of YAML's own.
void YamlSource::report_open_bracket(Place open, Place noticed) {
    const std::size_t from =
        line_starts_[static_cast<std::size_t>(open.line) - 1] + static_cast<std::size_t>(open.column) - 1;
    const auto next_line = static_cast<std::size_t>(noticed.line);
    const std::size_t to = next_line < line_starts_.size() ? line_starts_[next_line] : text_.size();
    const std::string_view list = unquoted_hostlist(std::string_view(text_).substr(from, to - from));
    if (list.empty()) return error(open, "this bracket is never closed");
    error(place_at(static_cast<std::size_t>(list.data() - text_.data())),
          fmt::format("YAML takes this [ for the beginning of a list; put the hostlist in quotes: \"{}\"", list));
}

// An empty list item has no place of its own: yaml-cpp gives it that of what comes next.
Place YamlSource::dash_before(Place place) const {
    std::string_view before(text_);
    before = before.substr(
        0, line_starts_[static_cast<std::size_t>(place.line) - 1] + static_cast<std::size_t>(place.column) - 1);
    while (true) {
        before = before.substr(0, before.find_last_not_of(" \t\r\n") + 1);
        if (before.ends_with('-')) return place_at(before.size() - 1);
        const std::size_t line_start = before.rfind('\n') + 1;
        const std::size_t text_start = before.find_first_not_of(" \t", line_start);
        if (text_start == std::string_view::npos || before[text_start] != '#') return place;
        before = before.substr(0, line_start);
    }
}

Place YamlSource::place_at(std::size_t byte) const {
    const auto after = std::upper_bound(line_starts_.begin(), line_starts_.end(), byte);
    return {static_cast<int>(after - line_starts_.begin()), static_cast<int>(byte - *(after - 1)) + 1};
}

// Where a quote is missing, yaml-cpp gives the end of the file as the place.
void YamlSource::refuse_open_quote(const YamlNode& scalar) {
    const auto line = static_cast<std::size_t>(scalar.place.line) - 1;
    if (line >= line_starts_.size()) return;
    std::size_t at = line_starts_[line] + static_cast<std::size_t>(scalar.place.column) - 1;
    if (at >= text_.size() || (text_[at] != '"' && text_[at] != '\'')) return;
    const char quote = text_[at++];
    while (at < text_.size() && text_[at] != quote) at += quote == '"' && text_[at] == '\\' ? 2U : 1U;
    if (at >= text_.size()) error(scalar, "this quote is never closed");
}

std::string_view YamlSource::line_text(int line) const {
    const auto index = static_cast<std::size_t>(line) - 1;
    if (line < 1 || index >= line_starts_.size()) return {};
    const std::size_t start = line_starts_[index];
    const std::size_t end = index + 1 < line_starts_.size() ? line_starts_[index + 1] - 1 : text_.size();
    std::string_view text = std::string_view(text_).substr(start, end - start);
    if (text.ends_with('\r')) text.remove_suffix(1);
    return text;
}

WrittenText YamlSource::written(const YamlNode& scalar) const {
    const std::string_view line = line_text(scalar.place.line);
    auto start = static_cast<std::size_t>(scalar.place.column) - 1;
    if (start < line.size() && (line[start] == '"' || line[start] == '\'')) ++start;
    if (start > line.size() || line.substr(start, scalar.text.size()) != scalar.text) return {scalar.place, false};
    return {{scalar.place.line, static_cast<int>(start) + 1}, true};
}

bool YamlSource::is_quoted(const YamlNode& scalar) const {
    const std::string_view line = line_text(scalar.place.line);
    const auto start = static_cast<std::size_t>(scalar.place.column) - 1;
    return start < line.size() && (line[start] == '"' || line[start] == '\'');
}

void YamlSource::error(Place place, std::string message) {
    errors_.add(place.line, place.column, std::move(message), line_text(place.line));
}

}  // namespace bcastgen
