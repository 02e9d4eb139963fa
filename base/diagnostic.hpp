// What is wrong with an input, and where.
#pragma once

#include <cstddef>
#include <functional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace bcastgen {

/// One error in an input file. line and column count from 1; line 0 means the file as a whole.
struct Diagnostic {
    std::string file;
    int line = 0;
    int column = 0;
    std::string message;
    std::string source_line;    ///< the text of that line, without its end; of a long line the part around the column
    std::size_t cut_bytes = 0;  ///< of the line, that are left out before source_line
};

/// How many errors are shown, and kept; the others are counted.
constexpr std::size_t most_shown_errors = 20;
/// After so many more, reading ends.
constexpr std::size_t most_counted_errors = 100'000;

/// "file:line:column: error: message", then the source line and a caret under the column. Whatever they hold, the text
/// is fit for a terminal.
[[nodiscard]] std::string render(const Diagnostic& diagnostic);

/// Thrown when an input cannot be used: the first errors, in file order, and how many more there are. The input is at
/// fault, not bcastgen; exit code 2.
class InputErrors : public std::runtime_error {
  public:
    /// `more`: errors that were found beside `diagnostics`. Of these the first most_shown_errors are kept.
    explicit InputErrors(std::vector<Diagnostic> diagnostics, std::size_t more = 0);
    [[nodiscard]] const std::vector<Diagnostic>& diagnostics() const { return diagnostics_; }
    [[nodiscard]] std::size_t more() const { return more_; }

  private:
    std::size_t more_;
    std::vector<Diagnostic> diagnostics_;
};

/// The errors of one input while it is read, in any order. Time and memory do not depend on how many there are: those
/// that stand first in the file are kept, with as much of their lines as is shown, and the others are counted.
class ErrorList {
  public:
    explicit ErrorList(std::string file) : file_(std::move(file)) {}

    /// An error at a place of the file; line 0: of the file as a whole. `source_line` is that line's text. Throws
    /// InputErrors where there are too many to go on.
    void add(int line, int column, std::string message, std::string_view source_line);

    [[nodiscard]] bool empty() const { return first_.empty(); }

    /// Throws InputErrors if there are any.
    void throw_if_any() const;

  private:
    std::string file_;
    std::vector<Diagnostic> first_;  // by place; of one place in the order in which they were added
    std::size_t more_ = 0;
};

/// Runs `reading`, and adds the InputErrors that it throws to `errors`, so that reading can go on.
void collect(std::vector<Diagnostic>& errors, const std::function<void()>& reading);

/// Gathers what options are refused for. An option stands in the place of a file's name.
class OptionErrors {
  public:
    /// Of the option as a whole.
    void add(const std::string& option, const std::string& message);
    /// Of the character at `offset` of its text.
    void add(const std::string& option, const std::string& text, std::size_t offset, const std::string& message);
    /// Runs `reading`, which reads `text`; adds the ParseError that it throws.
    void parse(const std::string& option, const std::string& text, const std::function<void()>& reading);
    /// Runs `reading`; adds the InputErrors that it throws.
    void gather(const std::function<void()>& reading) { collect(errors_, reading); }

    /// Throws InputErrors if there is anything.
    void check() const;

  private:
    std::vector<Diagnostic> errors_;
};

}  // namespace bcastgen
