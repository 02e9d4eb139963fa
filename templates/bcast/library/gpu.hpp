// Buffers that live on a GPU: the MPI beneath knows how to move them, we do not.
#pragma once

#include <dlfcn.h>
#include <link.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <mutex>

namespace bcast {

namespace detail {

/// The name by which the linker knows a library that is loaded (DT_SONAME); null if it has none.
inline const char* linkers_name(const dl_phdr_info& library) {
    const ElfW(Dyn)* entry = nullptr;
    for (int segment = 0; segment < library.dlpi_phnum; ++segment) {
        const ElfW(Phdr)& header = library.dlpi_phdr[segment];
        if (header.p_type == PT_DYNAMIC) entry = reinterpret_cast<const ElfW(Dyn)*>(library.dlpi_addr + header.p_vaddr);
    }
    ElfW(Addr) strings = 0;
    ElfW(Addr) name = 0;
    for (; entry != nullptr && entry->d_tag != DT_NULL; ++entry) {
        if (entry->d_tag == DT_STRTAB) strings = entry->d_un.d_ptr;
        if (entry->d_tag == DT_SONAME) name = entry->d_un.d_val;
    }
    if (strings == 0 || name == 0) return nullptr;
    if (strings < library.dlpi_addr) strings += library.dlpi_addr;  // some linkers leave it relative
    return reinterpret_cast<const char*>(strings + name);
}

inline bool is_loaded(const char* library) {
    const auto compare = [](dl_phdr_info* info, std::size_t /*size*/, void* wanted) {
        const char* name = linkers_name(*info);
        return name != nullptr && std::strcmp(name, static_cast<const char*>(wanted)) == 0 ? 1 : 0;
    };
    return dl_iterate_phdr(compare, const_cast<char*>(library)) != 0;
}

/// The address of `symbol` if `library` is already loaded in this process; never loads it. A linker that is asked for
/// what it has not loaded goes through all its folders, which on a cluster may be other machines': so it is asked for
/// nothing else.
inline void* loaded_symbol(const char* library, const char* symbol) {
    if (!is_loaded(library)) return nullptr;
    void* handle = dlopen(library, RTLD_LAZY | RTLD_NOLOAD);
    if (handle == nullptr) return nullptr;
    void* found = dlsym(handle, symbol);
    dlclose(handle);
    return found;
}

/// How many libraries this process has loaded so far; those unloaded since count too.
inline unsigned long long libraries_loaded() {
    unsigned long long loaded = 0;
    const auto take = [](dl_phdr_info* info, std::size_t /*size*/, void* result) {
        *static_cast<unsigned long long*>(result) = info->dlpi_adds;
        return 1;  // every entry says the same
    };
    dl_iterate_phdr(take, &loaded);
    return loaded;
}

}  // namespace detail

/// Asks the GPU drivers that this process has loaded where an address lives.
class GpuDrivers {
  public:
    /// Looks for NVIDIA's, AMD's and Intel's drivers among the loaded libraries, if one was loaded since the last time.
    void look() {
        const unsigned long long loaded = detail::libraries_loaded();
        const std::lock_guard<std::mutex> lock(mutex_);
        if (loaded == looked_at_) return;
        looked_at_ = loaded;
        cuda_ = reinterpret_cast<CudaQuery>(detail::loaded_symbol("libcuda.so.1", "cuPointerGetAttribute"));
        // Memory kinds were renumbered with version 6: host memory was 0, now 0 is unregistered and 1 is host.
        hip_last_host_kind_ = 1;
        auto hip = reinterpret_cast<HipQuery>(detail::loaded_symbol("libamdhip64.so.6", "hipPointerGetAttributes"));
        if (hip == nullptr) {
            hip_last_host_kind_ = 0;
            hip = reinterpret_cast<HipQuery>(detail::loaded_symbol("libamdhip64.so.5", "hipPointerGetAttributes"));
        }
        hip_ = hip;
        level_zero_ = detail::loaded_symbol("libze_loader.so.1", "zeInit") != nullptr;
    }

    [[nodiscard]] bool any() const { return cuda_ != nullptr || hip_ != nullptr || level_zero_; }

    /// True if a loaded driver says that the address is device memory, or if a driver is loaded that cannot be asked
    /// without a context of the program's (Level Zero).
    [[nodiscard]] bool on_device(const void* address) const {
        if (level_zero_) return true;
        if (const CudaQuery cuda = cuda_) {
            unsigned kind = 0;
            constexpr int memory_type_attribute = 2;  // CU_POINTER_ATTRIBUTE_MEMORY_TYPE
            constexpr unsigned host_memory = 1;       // CU_MEMORYTYPE_HOST
            const auto where = reinterpret_cast<std::uintptr_t>(address);
            if (cuda(&kind, memory_type_attribute, where) == 0 && kind > host_memory) return true;
        }
        if (const HipQuery hip = hip_) {
            // hipPointerAttribute_t starts with the memory type; its length differs between versions.
            alignas(std::max_align_t) unsigned attributes[64] = {};
            if (hip(attributes, address) == 0 && attributes[0] > hip_last_host_kind_) return true;
        }
        return false;
    }

  private:
    using CudaQuery = int (*)(void*, int, std::uintptr_t);
    using HipQuery = int (*)(void*, const void*);

    std::mutex mutex_;  // communicators may be set up by several threads at once
    unsigned long long looked_at_ = 0;
    std::atomic<CudaQuery> cuda_{nullptr};
    std::atomic<HipQuery> hip_{nullptr};
    std::atomic<unsigned> hip_last_host_kind_{0};
    std::atomic<bool> level_zero_{false};
};

/// What is loaded into this process, whoever asks.
inline GpuDrivers& gpu_drivers() {
    static GpuDrivers* drivers = new GpuDrivers;  // never destroyed: MPI may end after static objects do
    return *drivers;
}

}  // namespace bcast
