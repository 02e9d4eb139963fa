// What is wrong with an input, and where.
#pragma once

#include <cstddef>
#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

namespace bcastgen {

/// One error in an input file. line and column count from 1; line 0 means the file as a whole.
struct Diagnostic {
    std::string file;
    int line = 0;
    int column = 0;
    std::string message;
    std::string source_line;  ///< the text of that line, without its end
};

/// "file:line:column: error: message", then the source line and a caret under the column.
[[nodiscard]] std::string render(const Diagnostic& diagnostic);

/// Thrown when an input cannot be used: every error found, in file order. The input is at fault, not bcastgen; exit
/// code 2.
class InputErrors : public std::runtime_error {
  public:
    explicit InputErrors(std::vector<Diagnostic> diagnostics);
    [[nodiscard]] const std::vector<Diagnostic>& diagnostics() const { return diagnostics_; }

  private:
    std::vector<Diagnostic> diagnostics_;
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
