#include "temporary_directory.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <system_error>

#include "outside_failure.hpp"

namespace bcastgen {

TemporaryDirectory::TemporaryDirectory(const std::filesystem::path& parent) {
    std::string name = (std::filesystem::absolute(parent) / "bcastgen-XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr) {
        throw OutsideFailure(fmt::format("no directory can be made in {}: {}", parent.string(), std::strerror(errno)));
    }
    path_ = name;
}

TemporaryDirectory::~TemporaryDirectory() {
    std::error_code error;  // what cannot be removed stays
    std::filesystem::remove_all(path_, error);
}

}  // namespace bcastgen
