// A YAML text as a tree of values with their places, and the errors found in it.
//
// Built on yaml-cpp's events rather than its Node: a Node hides repeated keys and does not know the place of an empty
// value.
#pragma once

#include <cstddef>
#include <deque>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/diagnostic.hpp"
#include "base/hostlist.hpp"

namespace bcastgen {

/// Line and column, counted from 1; columns count bytes.
struct Place {
    int line = 1;
    int column = 1;
};

struct YamlNode;

struct YamlPair {
    const YamlNode* key;
    const YamlNode* value;
};

/// One value. An empty map value ("key:" with nothing after it) has the place of its key.
struct YamlNode {
    enum class Kind { nothing, scalar, list, map };
    Kind kind = Kind::nothing;
    Place place;
    std::string text;                    ///< of a scalar
    std::vector<const YamlNode*> items;  ///< of a list
    std::vector<YamlPair> pairs;         ///< of a map, in file order, repeated keys included
};

/// Where a scalar's text stands in the file.
struct WrittenText {
    Place start;
    bool as_it_is = true;  ///< byte for byte in one line; if not, all of it has the place of its start

    [[nodiscard]] Place at(std::size_t offset) const {
        return as_it_is ? Place{start.line, start.column + static_cast<int>(offset)} : start;
    }
};

/// The one document of a file, and what is wrong with it.
class YamlSource {
  public:
    /// Throws InputErrors when the bytes are not text, or not YAML, or more than one document, or more values than any
    /// file of ours has.
    YamlSource(std::string_view text, std::string file);
    YamlSource(const YamlSource&) = delete;
    YamlSource& operator=(const YamlSource&) = delete;

    [[nodiscard]] const YamlNode& root() const { return *root_; }  ///< Kind::nothing for an empty file

    /// Looks at all of the text.
    [[nodiscard]] WrittenText written(const YamlNode& scalar) const;

    /// The place of byte `offset` of a scalar's text; the scalar's start if the text differs from what is written.
    [[nodiscard]] Place place_in(const YamlNode& scalar, std::size_t offset) const {
        return written(scalar).at(offset);
    }

    /// Whether a scalar is written in quotes: JSON's texts are, its numbers and words are not.
    [[nodiscard]] bool is_quoted(const YamlNode& scalar) const;

    void error(Place place, std::string message);
    void error(const YamlNode& node, std::string message) { error(node.place, std::move(message)); }
    [[nodiscard]] bool has_errors() const { return !errors_.empty(); }

    /// Throws InputErrors, the first errors of the file and how many more, if there are any.
    void throw_if_errors() const { errors_.throw_if_any(); }

    /// Expands the file's hostlists.
    [[nodiscard]] HostlistExpander& hostlists() { return hostlists_; }

  private:
    friend class YamlTreeBuilder;

    [[nodiscard]] std::string_view line_text(int line) const;
    void refuse_unprintable();
    void refuse_too_many_values();
    void read_document();
    void report_syntax(Place place, std::string_view said, std::optional<Place> innermost);
    void report_open_bracket(Place open, Place noticed);
    void refuse_open_quote(const YamlNode& scalar);
    [[nodiscard]] Place place_at(std::size_t byte) const;
    [[nodiscard]] Place dash_before(Place place) const;

    std::string text_;
    std::vector<std::size_t> line_starts_;
    std::deque<YamlNode> nodes_;
    const YamlNode* root_ = nullptr;
    ErrorList errors_;
    HostlistExpander hostlists_;
};

/// A map's entries. Keys that are no scalars, repeated keys and a value that is not a map are reported and left out. A
/// blank value counts as an empty map. `what` names the value in messages: "a link".
[[nodiscard]] std::vector<YamlPair> map_entries(YamlSource& source, const YamlNode* node, std::string_view what);

/// The items of a list; anything else is reported and counts as empty.
[[nodiscard]] std::vector<const YamlNode*> list_items(YamlSource& source, const YamlNode* node, std::string_view what);

/// The values of a map that may have only the `allowed` keys; other keys are reported.
class YamlFields {
  public:
    YamlFields(YamlSource& source, const YamlNode* node, std::string_view what,
               std::initializer_list<std::string_view> allowed);
    [[nodiscard]] const YamlNode* operator[](std::string_view key) const;  ///< null when absent
    /// Absent, and no unknown key looks like a misspelling of it: worth an error of its own.
    [[nodiscard]] bool lacks(std::string_view key) const;

  private:
    std::vector<YamlPair> entries_;
    std::vector<std::string> misspelt_;  // allowed keys that unknown ones were meant to be
};

/// What a value is, for messages: "a list", "nothing", ….
[[nodiscard]] std::string describe(const YamlNode& node);

}  // namespace bcastgen
