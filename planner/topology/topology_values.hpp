// What a topology file's values must be, for those who read them from elsewhere.
#pragma once

#include <string>

namespace bcastgen {

/// What is wrong with a range of multicast groups, or an empty text.
[[nodiscard]] std::string multicast_problem(const std::string& range);

/// Whether it can name a network interface: a safe name as long as the kernel allows.
[[nodiscard]] bool is_interface_name(const std::string& name);

}  // namespace bcastgen
