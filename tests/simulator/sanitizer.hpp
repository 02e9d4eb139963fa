// Whether AddressSanitizer watches: g++ and clang say so in different ways.
#pragma once

#if defined(__SANITIZE_ADDRESS__)
#define SIMULATOR_ASAN
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define SIMULATOR_ASAN
#endif
#endif
