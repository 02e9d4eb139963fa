// The ring's protocol under ThreadSanitizer, ranks as threads: a program of its own, for nothing else is compiled so.
#include <cstdio>
#include <string>

#include "tests/templates/hand_on/ring_threads.hpp"

int main() {
    const std::string problem = ring_threads::run_all(30);
    if (problem.empty()) return 0;
    std::fprintf(stderr, "%s\n", problem.c_str());
    return 1;
}
