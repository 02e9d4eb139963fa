#include "codegen/audit/claims.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "base/characters.hpp"
#include "base/names.hpp"

namespace bcastgen {

namespace {

constexpr int no_note = -1;

/// The words of comments, without what makes them comments.
std::vector<CodeToken> words_of(const std::vector<CodeToken>& comments) {
    constexpr std::string_view marks = "/*<!";
    std::vector<CodeToken> words;
    for (const CodeToken& comment : comments) {
        CodePlace place = comment.place;
        const std::string& text = comment.text;
        for (std::size_t at = 0; at < text.size();) {
            const std::size_t end = std::min(text.find_first_of(" \t\r\n", at), text.size());
            std::string_view word(text.data() + at, end - at);
            const std::size_t before = std::min(word.find_first_not_of(marks), word.size());
            word = word.substr(before, word.find_last_not_of(marks) + 1 - before);
            place.column += static_cast<int>(before);
            if (!word.empty()) words.push_back({std::string(word), place});
            place.column += static_cast<int>(end + 1 - at - before);
            if (end < text.size() && text[end] == '\n') {
                ++place.line;
                place.column = 1;
            }
            at = end + 1;
        }
    }
    return words;
}

/// "height" of "Heights:"; empty of a word for something else.
std::string_view figure_named(std::string_view word) {
    constexpr std::array<std::string_view, 3> figures = {"height", "stage", "fanout"};
    std::string letters;
    for (const char c : word) {
        if (c >= 'A' && c <= 'Z') letters += static_cast<char>(c - 'A' + 'a');
        if (c >= 'a' && c <= 'z') letters += c;
    }
    const auto at = std::find_if(figures.begin(), figures.end(), [&](std::string_view figure) {
        return letters == figure ||
               (letters.size() == figure.size() + 1 && letters.ends_with('s') && letters.starts_with(figure));
    });
    return at == figures.end() ? "" : *at;
}

/// Whether the words from `at` to `end` begin by stating a figure: its name, and a number soon after.
bool states_figure(const std::vector<CodeToken>& words, std::size_t at, std::size_t end) {
    constexpr std::size_t soon = 6;  // words
    if (figure_named(words[at].text).empty()) return false;
    const auto first = words.begin() + static_cast<std::ptrdiff_t>(at);
    const auto last = words.begin() + static_cast<std::ptrdiff_t>(std::min(end, at + 1 + soon));
    return std::any_of(first, last, [](const CodeToken& word) {
        const std::size_t mark = word.text.find_last_of("(\"'~=:");
        const std::size_t number = mark + 1;  // 0 if there is no such mark
        return number < word.text.size() && is_digit(word.text[number]);
    });
}

/// A line of the emitted comments.
struct Sentence {
    std::vector<std::string> words;
    int note = no_note;  ///< of which algorithm; lines that stand together are of one
    bool figures = false;
};

class Sentences {
  public:
    explicit Sentences(const std::vector<CodeToken>& comments) {
        int note = no_note;
        int line = 0;  // of the last comment that said anything
        for (const CodeToken& comment : comments) {
            Sentence sentence;
            const std::vector<CodeToken> words = words_of({comment});
            for (std::size_t at = 0; at < words.size(); ++at) {
                sentence.figures = sentence.figures || states_figure(words, at, words.size());
                sentence.words.push_back(words[at].text);
            }
            if (words.empty()) continue;
            // Figures are those of what stands above them. A line that only looks like figures names something.
            const bool begins = comment.place.line != line + 1;
            if (begins) ++note;
            line = comment.place.line;
            sentence.note = note;
            sentence.figures = sentence.figures && !begins;
            if (sentence.figures) figures_[note] = fmt::format("{}", fmt::join(sentence.words, " "));
            if (known_.insert({sentence.words, sentence.figures ? note : no_note}).second) {
                const std::string second = sentence.words.size() > 1 ? sentence.words[1] : "";
                by_beginning_[{sentence.words[0], second}].push_back(std::move(sentence));
            }
        }
    }

    /// The longest that stands in `words` from `at` on; of several alike the one of `note`.
    [[nodiscard]] const Sentence* find(const std::vector<CodeToken>& words, std::size_t at, int note) const {
        const Sentence* found = nullptr;
        for (const std::string& second : {at + 1 < words.size() ? words[at + 1].text : "", std::string()}) {
            const auto candidates = by_beginning_.find({words[at].text, second});
            if (candidates == by_beginning_.end()) continue;
            for (const Sentence& sentence : candidates->second) {
                if (sentence.words.size() > words.size() - at) continue;
                const bool same = std::equal(sentence.words.begin(), sentence.words.end(),
                                             words.begin() + static_cast<std::ptrdiff_t>(at),
                                             [](const std::string& a, const CodeToken& b) { return a == b.text; });
                const bool better = found == nullptr || sentence.words.size() > found->words.size() ||
                                    (sentence.words.size() == found->words.size() && sentence.note == note);
                if (same && better) found = &sentence;
            }
        }
        return found;
    }

    /// What is stated of an algorithm.
    [[nodiscard]] std::string figures_of(int note) const {
        const auto at = figures_.find(note);
        return at == figures_.end() ? "one that was proved" : in_quotes(at->second);
    }

  private:
    std::map<std::pair<std::string, std::string>, std::vector<Sentence>> by_beginning_;  ///< first and second word
    std::map<int, std::string> figures_;
    std::set<std::pair<std::vector<std::string>, int>> known_;
};

}  // namespace

void compare_claims(const std::vector<CodeToken>& expected, const std::vector<CodeToken>& found,
                    const ReportFact& report) {
    const Sentences sentences(expected);
    const std::vector<CodeToken> words = words_of(found);
    int note = no_note;
    const auto complain = [&](std::size_t at, std::size_t end) {
        std::string text;
        for (std::size_t next = at; next < std::min(end, at + 8); ++next)
            text += (next == at ? "" : " ") + words[next].text;
        report(words[at].place, fmt::format("a comment claims what is not so: expected {}, found {}",
                                            sentences.figures_of(note), in_quotes(text)));
    };
    std::size_t free_from = 0;  // where words began that are not the emitted comments'
    const auto check_free_words = [&](std::size_t end) {
        for (std::size_t at = free_from; at < end; ++at) {
            if (states_figure(words, at, end)) return complain(at, end);
        }
    };
    for (std::size_t at = 0; at < words.size();) {
        const Sentence* sentence = sentences.find(words, at, note);
        if (sentence == nullptr) {
            ++at;
            continue;
        }
        check_free_words(at);
        const std::size_t end = at + sentence->words.size();
        if (!sentence->figures) {
            note = sentence->note;
        } else if (note != no_note && sentence->note != note) {
            complain(at, end);
        }
        at = free_from = end;
    }
    check_free_words(words.size());
}

}  // namespace bcastgen
