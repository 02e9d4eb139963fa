#include "tests/fuzz/code_edits.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <iterator>
#include <sstream>
#include <string_view>
#include <vector>

#include "base/characters.hpp"

namespace bcastgen::fuzz {

namespace {

/// A piece of code: a name, a number, a text, or a sign.
struct Piece {
    std::size_t at;
    std::size_t size;
};

bool is_of_word(char c) {
    return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '\'';
}

/// The pieces that are no comments.
std::vector<Piece> pieces_of(const std::string& text) {
    std::vector<Piece> pieces;
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t start = at;
        if (text.compare(at, 2, "//") == 0) {
            at = std::min(text.find('\n', at), text.size());
            continue;
        }
        if (text[at] == '"') {
            at = std::min(text.find('"', at + 1), text.size() - 1) + 1;
        } else if (is_of_word(text[at])) {
            while (at < text.size() && is_of_word(text[at])) ++at;
        } else {
            ++at;
        }
        if (std::string_view(" \t\r\n").find(text[start]) == std::string_view::npos) {
            pieces.push_back({start, at - start});
        }
    }
    return pieces;
}

template <class List>
const auto& one_of(const List& list, Choices& choices) {
    return list[choices.below(std::min<std::size_t>(std::size(list), 65536))];
}

std::vector<std::string> words_of(const char* text) {
    std::istringstream in(text);
    return {std::istream_iterator<std::string>(in), {}};
}

/// What code may be put in or instead of code; with \n before and after those that are lines.
std::string fragment(Choices& choices) {
    static const std::vector<std::string> words = words_of(R"~(
        0 1 -1 2 0x 0b1 ' 8'192 4294967296 18446744073709551615 '\0' 1u 1ull 0777 1.5 1e9 0x1p3 " "n0" "all" u8 L R"( )"
        { } {} ( ) [ ] , ; : :: . .. ... ? < > = == + - ~ ! * & && %: <: <% %> / /* */ // # ## \ ??/ \u0030 é
        __LINE__ __COUNTER__ __FILE__ __func__ __INT_MAX__ _Pragma("once") inline constexpr const static volatile extern
        mutable thread_local typedef using namespace struct enum union template<int> auto int char bool double
        std::uint64_t bcast::any_number bcast::no_limit bcast::Span<int> bcast::Algorithm(0) bcast::Algorithm::native
        bcast::HandOn::native bcast::Arrival::balanced site:: ::site::switches machine_switch messages_0 rules sizeof
        alignof decltype noexcept throw new true false nullptr this operator asm goto return []{return+0;}()
        [[maybe_unused]] [[gnu::used]] alignas(64) __attribute__((weak)) static_assert(true); .number= .machine= [0]= x:
    )~");
    static const std::vector<std::string> lines = {"",
                                                   "#define n0 n1",
                                                   "#define constexpr",
                                                   "#undef bcast",
                                                   "#pragma once",
                                                   "#line 1",
                                                   "#if 0",
                                                   "#endif",
                                                   "\\",
                                                   "\v",
                                                   "\f",
                                                   "\r"};
    if (choices.one_in(8)) return "\n" + one_of(lines, choices) + "\n";
    return one_of(words, choices) + (choices.one_in(2) ? " " : "");
}

/// Code in brackets of some kind, most of which leave its meaning.
std::string bracketed(const std::string& code, Choices& choices) {
    static const std::vector<std::string> words = words_of(R"~(
        (X) {X} {{X}} +X -X ~X !X -(-X) X+0 X-0 X*1 X|0 X+1 0xX 0X Xu XLL X.0 Xe0 X'0 'X' "X" ""X X"" u8X RX LX *&X &X
        *X X[0] X() ::X X:: #X /*X*/ X/**/ X// X,X X,0 (0,X) true?X:0 0?0:X sizeof(char[X]) []{return(X);}() int(X)
        int{X} static_cast<int>(X) static_cast<bcast::Algorithm>(X) decltype(X){} const_cast<int&>(X)
        __builtin_constant_p(X) __builtin_choose_expr(1,X,0) struct{X} X;X inline/**/X R"(X)" X=X X-X X/X X^0 X%X
    )~");
    std::string now = one_of(words, choices);
    for (std::size_t at = 0; (at = now.find('X', at)) != std::string::npos; at += code.size()) {
        now.replace(at, 1, code);
    }
    return now;
}

std::size_t line_start(const std::string& text, std::size_t at) {
    return at == 0 ? 0 : text.rfind('\n', at - 1) + 1;
}

/// Another number, or the same one written in another way; nothing of what is none.
std::string respelled(const std::string& number, Choices& choices) {
    if (!is_digit(number[0])) return number;
    const std::uint64_t value = std::strtoull(number.c_str(), nullptr, 0);
    switch (choices.below(9)) {
        case 0:
            return fmt::format("{:#x}", value);
        case 1:
            return fmt::format("{:#o}", value);
        case 2:
            return fmt::format("{:#b}", value);
        case 3:
            return fmt::format("{}", value);
        case 4:
            return fmt::format("{}", value + 1);
        case 5:
            return fmt::format("{}", value - 1);
        case 6:
            return fmt::format("{}", value + (std::uint64_t{1} << 32));
        case 7:
            return fmt::format("{}", value ^ (std::uint64_t{1} << choices.below(64)));
        default:
            return fmt::format("-{}", value);
    }
}

void edit_lines(std::string& text, std::size_t at, Choices& choices) {
    const std::size_t start = line_start(text, at);
    const std::size_t end = std::min(text.find('\n', at), text.size() - 1) + 1;
    const std::string line = text.substr(start, end - start);
    const std::size_t kind = choices.below(3);
    if (kind != 0) text.erase(start, end - start);
    if (kind != 1) text.insert(line_start(text, choices.below(std::min<std::size_t>(text.size(), 65535) + 1)), line);
}

}  // namespace

void edit_bytes(std::string& text, Choices& choices) {
    const std::size_t at = choices.below(std::min<std::size_t>(text.size(), 65535) + 1);
    const std::size_t removed = choices.below(12);
    text.replace(at, std::min(removed, text.size() - at), choices.bytes(choices.below(16)));
}

void edit_code(std::string& text, Choices& choices) {
    const std::vector<Piece> pieces = pieces_of(text);
    if (pieces.empty()) return;
    const Piece piece = one_of(pieces, choices);
    const std::string code = text.substr(piece.at, piece.size);
    std::string now;
    switch (choices.below(9)) {
        case 0:
            now = fragment(choices);
            break;
        case 1:
            now = fragment(choices) + code;
            break;
        case 2:
            now = std::string(choices.bytes(choices.below(16))) + code;
            break;
        case 3:
            now = bracketed(code, choices);
            break;
        case 4: {
            const Piece other = one_of(pieces, choices);
            now = text.substr(other.at, other.size);
            break;
        }
        case 5:
            break;
        case 6:
            return edit_lines(text, piece.at, choices);
        default:
            now = respelled(code, choices);
    }
    text.replace(piece.at, piece.size, now);
}

}  // namespace bcastgen::fuzz
