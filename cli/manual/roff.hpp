// Text as man pages have it (man(7)).
#pragma once

#include <string>
#include <string_view>

namespace bcastgen {

/// Text on one line of a page, with nothing in it that roff would act on.
[[nodiscard]] std::string roff(std::string_view text);

/// The same as a part of a paragraph: lines of moderate length, the last with its end.
[[nodiscard]] std::string roff_lines(std::string_view text);

/// Lines that are not filled, each as it stands.
[[nodiscard]] std::string roff_example(std::string_view lines);

/// A paragraph with a tag that hangs out of it; the tag is roff already, the text is not.
[[nodiscard]] std::string roff_item(std::string_view tag, std::string_view text);

[[nodiscard]] std::string roff_section(std::string_view title);

}  // namespace bcastgen
