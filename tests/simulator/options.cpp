#include "options.hpp"

#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace simulator {

const char* const usage = R"(Runs the emitted library's broadcasts over a simulated MPI, and checks every byte.

  tests/simulate [--broadcasts N] [--seed S] [--processes P] [--faults] [--quiet] [--no-shrink]
  tests/simulate --replay SEED [--reduced WORDS]
  tests/simulate --defects [NAME ...]
  tests/simulate --defects --check

  --broadcasts N   about so many, in jobs of 3 to 35 (default 30000; 1e6 can be written so)
  --seed S         jobs S, S + 1, ... of a sequence in which each is another cluster, program and timing (default 1)
  --processes P    side by side (default: one for each core)
  --faults         something fails in every job, not in one of seven
  --quiet          no progress
  --no-shrink      a failure is shown as it was found, not made smaller first
  --replay SEED    one job alone
  --reduced WORDS  with less in it: ranks=3,bytes=17,only=4,plain=1,together=1,even=1,turns=2,
                   faults=1 (any of these)
  --defects        breaks the library in many ways, or by name, and shows that each is found
                   (tests/simulator/defects.py); --check: only that it can still be broken so

Examples:
  tests/simulate                                a minute's worth
  tests/simulate --broadcasts 1e7 --seed 1000   a night's worth, other jobs than those of the default
  tests/simulate --replay 252 --reduced ranks=2,only=7

Exit code: 0 all is well, 1 something was found, 2 the command line is wrong.
)";

namespace {

bool read_number(const char* text, std::uint64_t& number) {
    char* end = nullptr;
    const double value = text != nullptr ? std::strtod(text, &end) : -1;  // 1e6 too
    if (text == nullptr || end == text || *end != '\0' || !(value >= 0 && value < 1e18)) return false;
    const bool digits = std::strspn(text, "0123456789") == std::strlen(text);
    number = digits ? std::strtoull(text, nullptr, 10) : static_cast<std::uint64_t>(value);
    return true;
}

}  // namespace

bool read_options(int count, char** words, Options& options) {
    for (int i = 1; i < count; ++i) {
        const std::string word = words[i];
        const char* value = i + 1 < count ? words[i + 1] : nullptr;
        std::uint64_t number = 0;
        bool fine = true;
        if (word == "--help" || word == "-h") {
            options.help = true;
        } else if (word == "--quiet") {
            options.quiet = true;
        } else if (word == "--faults") {
            options.reduction.faults = true;
        } else if (word == "--no-shrink") {
            options.shrink = false;
        } else if (word == "--reduced") {
            fine = value != nullptr && options.reduction.read(value);
            ++i;
        } else {
            fine = read_number(value, number);
            ++i;
            if (word == "--broadcasts") {
                options.broadcasts = number;
            } else if (word == "--seed" || word == "--replay") {
                options.seed = number;
                options.replay = options.replay || word == "--replay";
            } else if (word == "--processes") {
                options.processes = static_cast<int>(number);
            } else {
                std::fprintf(stderr, "simulate: %s is not an option; --help tells them\n", word.c_str());
                return false;
            }
        }
        if (!fine) {
            std::fprintf(stderr, "simulate: %s %s cannot be read; --help has examples\n", word.c_str(),
                         value != nullptr ? value : "(nothing)");
            return false;
        }
    }
    return true;
}

}  // namespace simulator
