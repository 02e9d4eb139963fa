# Where clang's own headers are: of the packages of the clang that checks the project's format.
include_guard(GLOBAL)
set(CLANG_ROOT /usr/lib/llvm-14 CACHE PATH "Where clang 14 and LLVM are installed")
find_path(CLANG_HEADERS clang/Tooling/Tooling.h PATHS ${CLANG_ROOT}/include NO_DEFAULT_PATH REQUIRED)
find_path(LLVM_HEADERS llvm/Support/VirtualFileSystem.h PATHS ${CLANG_ROOT}/include NO_DEFAULT_PATH REQUIRED)
