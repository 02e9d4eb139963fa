// YamlSource: from text to located values.
#include <fmt/format.h>
#include <yaml-cpp/depthguard.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/parser.h>

#include <algorithm>
#include <optional>
#include <sstream>
#include <unordered_map>
#include <utility>

#include "base/names.hpp"
#include "base/utf8.hpp"
#include "base/yaml/yaml_source.hpp"

namespace bcastgen {

namespace {

Place place_of(const YAML::Mark& mark) {
    return {mark.line + 1, mark.column + 1};
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
    void OnAlias(const YAML::Mark&, YAML::anchor_t anchor) override { hang(anchored_.at(anchor)); }
    void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  const std::string& value) override {
        YamlNode& node = add(YamlNode::Kind::scalar, mark, anchor, tag);
        node.text = value;
        source_.refuse_open_quote(node);
    }
    void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                         YAML::EmitterStyle::value) override {
        open_.push_back({&add(YamlNode::Kind::list, mark, anchor, tag), nullptr});
    }
    void OnSequenceEnd() override { open_.pop_back(); }
    void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                    YAML::EmitterStyle::value) override {
        open_.push_back({&add(YamlNode::Kind::map, mark, anchor, tag), nullptr});
    }
    void OnMapEnd() override { open_.pop_back(); }

  private:
    struct Open {
        YamlNode* node;
        const YamlNode* key;  // of a map: the key whose value comes next
    };

    YamlNode& add(YamlNode::Kind kind, const YAML::Mark& mark, YAML::anchor_t anchor, const std::string& tag) {
        YamlNode& node = source_.nodes_.emplace_back();
        node.kind = kind;
        node.place = place_of(mark);
        if (kind == YamlNode::Kind::nothing && !open_.empty()) {
            node.place = open_.back().key != nullptr ? open_.back().key->place : source_.dash_before(node.place);
        }
        const bool plain_tag = tag.empty() || tag == "?" || tag == "!" || tag.starts_with("tag:yaml.org,2002:");
        if (!plain_tag) source_.error(node, fmt::format("the tag {} means nothing here", in_quotes(tag)));
        if (anchor != 0) anchored_[anchor] = &node;
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
    std::unordered_map<YAML::anchor_t, const YamlNode*> anchored_;
};

YamlSource::YamlSource(std::string_view text, std::string file) : file_(std::move(file)) {
    if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);  // byte order mark
    text_ = text;
    line_starts_.push_back(0);
    for (std::size_t at = 0; at < text_.size(); ++at) {
        if (text_[at] == '\n') line_starts_.push_back(at + 1);
    }
    refuse_bad_characters();
    read_document();
    throw_if_errors();
}

// What no input file of ours contains: another encoding, binary data, and control characters, which an error message
// would send to the terminal.
void YamlSource::refuse_bad_characters() {
    for (std::size_t at = 0; at < text_.size();) {
        const Utf8Character character = decode_utf8(text_, at);
        const bool line_end = text_.compare(at, 2, "\r\n") == 0;
        const bool control = character.code < 0x20 || (character.code >= 0x7F && character.code < 0xA0);
        if (character.bytes == 0 || (control && character.code != '\t' && character.code != '\n' && !line_end)) {
            error(place_at(at),
                  character.bytes == 0
                      ? fmt::format("byte 0x{:02x} is no UTF-8 text", static_cast<unsigned char>(text_[at]))
                      : fmt::format("control character U+{:04X}; the file is to be plain text",
                                    static_cast<unsigned>(character.code)));
            std::string& shown = errors_.back().source_line;  // what comes before is fit to be shown
            shown.resize(std::min(shown.size(), static_cast<std::size_t>(errors_.back().column) - 1));
            throw_if_errors();
        }
        at += character.bytes;
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
    const std::string_view indent = line.substr(0, std::min(line.size(), line.find_first_not_of(" \t")));
    if (indent.find('\t') != std::string_view::npos) {
        error({place.line, static_cast<int>(indent.find('\t')) + 1}, "a tab cannot indent in YAML; write spaces");
    } else if (innermost && (said == "end of map flow not found" || said == "end of sequence flow not found")) {
        error(*innermost, "this bracket is never closed");
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
    std::string_view text(text_);
    text.remove_prefix(line_starts_[index]);
    text = text.substr(0, text.find('\n'));
    if (text.ends_with('\r')) text.remove_suffix(1);
    return text;
}

Place YamlSource::place_in(const YamlNode& scalar, std::size_t offset) const {
    const std::string_view line = line_text(scalar.place.line);
    auto start = static_cast<std::size_t>(scalar.place.column) - 1;
    if (start < line.size() && (line[start] == '"' || line[start] == '\'')) ++start;
    if (start > line.size() || line.substr(start, scalar.text.size()) != scalar.text) return scalar.place;
    return {scalar.place.line, static_cast<int>(start + offset) + 1};
}

void YamlSource::error(Place place, std::string message) {
    errors_.push_back({file_, place.line, place.column, std::move(message), std::string(line_text(place.line))});
}

void YamlSource::throw_if_errors() const {
    if (errors_.empty()) return;
    std::vector<Diagnostic> sorted = errors_;
    std::stable_sort(sorted.begin(), sorted.end(), [](const Diagnostic& a, const Diagnostic& b) {
        return std::pair(a.line, a.column) < std::pair(b.line, b.column);
    });
    throw InputErrors(std::move(sorted));
}

}  // namespace bcastgen
