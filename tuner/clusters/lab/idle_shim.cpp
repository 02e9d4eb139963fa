#include "tuner/clusters/lab/idle_shim.hpp"

// The assembler includes the file that IDLE_SHIM_FILE names, a string literal that the build defines.
asm(".pushsection .rodata\n"
    "idle_shim_begin: .incbin " IDLE_SHIM_FILE
    "\n"
    "idle_shim_end:\n"
    ".popsection\n");

extern "C" {
extern const char idle_shim_begin[];  // NOLINT(modernize-avoid-c-arrays): a place, not a container
extern const char idle_shim_end[];    // NOLINT(modernize-avoid-c-arrays)
}

namespace bcastgen {

std::string_view idle_shim_library() {
    return {idle_shim_begin, static_cast<std::size_t>(idle_shim_end - idle_shim_begin)};
}

}  // namespace bcastgen
