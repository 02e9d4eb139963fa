// Writes the man pages: manual_pages VERSION DATE DIRECTORY.
#include <cstdio>
#include <exception>

#include "cli/manual/manual.hpp"

int main(int count, char** words) {
    if (count != 4) return 2;
    try {
        bcastgen::write_manual(words[1], words[2], words[3]);
    } catch (const std::exception& problem) {
        std::fputs(problem.what(), stderr);
        return 1;
    }
    return 0;
}
