#include <sys/stat.h>

#include "cli/command_line.hpp"

int main(int argc, char** argv) {
    umask(umask(0) | S_IWOTH);  // nothing that bcastgen writes, as root at times, is for everybody to change
    try {
        return bcastgen::run_command_line(argc, argv);
    } catch (...) {  // stdout or stderr refused a message
        return 1;
    }
}
