// What is wrong with an input, and where.
#pragma once

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

}  // namespace bcastgen
