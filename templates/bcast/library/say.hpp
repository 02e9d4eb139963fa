// What the library says on stderr, in one line that begins with its name.
#pragma once

#include <cstdio>
#include <string>

namespace bcast {

/// In one piece, so that lines of several ranks do not mix.
inline void say(const std::string& line) {
    std::fputs(("bcastgen: " + line + "\n").c_str(), stderr);
}

}  // namespace bcast
