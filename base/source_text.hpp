// A text of lines and the errors found in it, for formats without a packaged parser.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/diagnostic.hpp"
#include "base/yaml/yaml_source.hpp"

namespace bcastgen {

/// Reports what is wrong at a place of the file that is being read.
using Report = std::function<void(Place, std::string)>;

/// Reports to `source`, which must outlive the result.
template <class Source>
[[nodiscard]] Report report_to(Source& source) {
    return [&source](Place place, std::string message) { source.error(place, std::move(message)); };
}

class SourceText {
  public:
    /// Keeps views of `text`, which must outlive it.
    SourceText(std::string_view text, std::string file);

    /// Reports the first control character or byte that is no text, if there is one.
    void refuse_unprintable();

    [[nodiscard]] const std::vector<std::string_view>& lines() const { return lines_; }  ///< without their ends

    void error(Place place, std::string message);
    void error_in_file(std::string message);  ///< of the file as a whole
    [[nodiscard]] bool has_errors() const { return !errors_.empty(); }

    /// Throws InputErrors, the first errors of the file and how many more, if there are any.
    void throw_if_errors() const { errors_.throw_if_any(); }

  private:
    std::vector<std::string_view> lines_;
    ErrorList errors_;
};

}  // namespace bcastgen
