// Hostlists as Slurm writes them: "n[0-3,7]", "rack[1-2]n[01-16]", "login,gpu[01-04]".
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace bcastgen {

constexpr std::size_t most_hostlist_names = 1'000'000;  ///< of one list; more is a typing error

/// Of all hostlists of one file together, 32 bytes for each name beside its own.
constexpr std::size_t most_expanded_bytes = std::size_t{128} << 20;

/// A part of a hostlist between commas, and the byte of the list where it starts.
struct HostlistItem {
    std::string_view text;
    std::size_t offset = 0;
};

/// The parts between commas outside brackets, without spaces around them. They point into `hostlist`.
[[nodiscard]] std::vector<HostlistItem> hostlist_items(std::string_view hostlist);

/// The names that `hostlist` stands for, in its order (leftmost bracket slowest, zero padding kept), each a safe name
/// (names.hpp); names that are listed twice come twice. An empty text is an empty list.
/// Throws ParseError at the first mistake; a list of more than most_hostlist_names is one.
[[nodiscard]] std::vector<std::string> expand_hostlist(std::string_view hostlist);

/// Expands the hostlists of one file. Together they may stand for so many names only, as a few bytes stand for many.
class HostlistExpander {
  public:
    /// The names of one item (hostlist_items). Throws ParseError, also where it is the one item too many.
    [[nodiscard]] std::vector<std::string> expand(std::string_view item);

    /// Counts names, of at most so many bytes each, that are made in another way.
    void spend(std::size_t names, std::size_t bytes_each);

  private:
    std::size_t bytes_left_ = most_expanded_bytes;
};

/// The inverse, as `scontrol show hostlist` does it: neighbours in the list whose names differ in their last number
/// share brackets. Expanding gives back the same names in the same order.
[[nodiscard]] std::string fold_hostlist(const std::vector<std::string>& names);

}  // namespace bcastgen
