// Buffers that live on a GPU: the MPI beneath knows how to move them, we do not.
#pragma once

#include <dlfcn.h>

#include <cstddef>
#include <cstdint>

namespace bcast {

namespace detail {

/// The address of `symbol` if `library` is already loaded in this process; never loads it.
inline void* loaded_symbol(const char* library, const char* symbol) {
    void* handle = dlopen(library, RTLD_LAZY | RTLD_NOLOAD);
    if (handle == nullptr) return nullptr;
    void* found = dlsym(handle, symbol);
    dlclose(handle);
    return found;
}

}  // namespace detail

/// Asks the GPU drivers that this process has loaded where an address lives.
class GpuDrivers {
  public:
    /// Looks for NVIDIA's, AMD's and Intel's drivers among the loaded libraries.
    void look() {
        cuda_ = reinterpret_cast<CudaQuery>(detail::loaded_symbol("libcuda.so.1", "cuPointerGetAttribute"));
        // Memory kinds were renumbered with version 6: host memory was 0, now 0 is unregistered and 1 is host.
        hip_ = reinterpret_cast<HipQuery>(detail::loaded_symbol("libamdhip64.so.6", "hipPointerGetAttributes"));
        hip_last_host_kind_ = hip_ != nullptr ? 1 : 0;
        if (hip_ == nullptr) {
            hip_ = reinterpret_cast<HipQuery>(detail::loaded_symbol("libamdhip64.so.5", "hipPointerGetAttributes"));
        }
        level_zero_ = detail::loaded_symbol("libze_loader.so.1", "zeInit") != nullptr;
    }

    [[nodiscard]] bool any() const { return cuda_ != nullptr || hip_ != nullptr || level_zero_; }

    /// True if a loaded driver says that the address is device memory, or if a driver is loaded that cannot be asked
    /// without a context of the program's (Level Zero).
    [[nodiscard]] bool on_device(const void* address) const {
        if (level_zero_) return true;
        if (cuda_ != nullptr) {
            unsigned kind = 0;
            constexpr int memory_type_attribute = 2;  // CU_POINTER_ATTRIBUTE_MEMORY_TYPE
            constexpr unsigned host_memory = 1;       // CU_MEMORYTYPE_HOST
            const auto where = reinterpret_cast<std::uintptr_t>(address);
            if (cuda_(&kind, memory_type_attribute, where) == 0 && kind > host_memory) return true;
        }
        if (hip_ != nullptr) {
            // hipPointerAttribute_t starts with the memory type; its length differs between versions.
            alignas(std::max_align_t) unsigned attributes[64] = {};
            if (hip_(attributes, address) == 0 && attributes[0] > hip_last_host_kind_) return true;
        }
        return false;
    }

  private:
    using CudaQuery = int (*)(void*, int, std::uintptr_t);
    using HipQuery = int (*)(void*, const void*);

    CudaQuery cuda_ = nullptr;
    HipQuery hip_ = nullptr;
    unsigned hip_last_host_kind_ = 0;
    bool level_zero_ = false;
};

}  // namespace bcast
