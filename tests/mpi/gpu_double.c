// Doubles of GPU drivers: they say of one piece of memory that it is on a device. Built once per driver.
#include <stddef.h>
#include <stdint.h>

static uintptr_t claimed_from;
static uintptr_t claimed_to;

static int is_claimed(uintptr_t address) {
    return address >= claimed_from && address < claimed_to;
}

void claim_memory(const void* from, size_t bytes);
int cuPointerGetAttribute(void* value, int attribute, uintptr_t address);
int hipPointerGetAttributes(void* attributes, const void* address);
int zeInit(uint32_t flags);

void claim_memory(const void* from, size_t bytes) {
    claimed_from = (uintptr_t)from;
    claimed_to = claimed_from + bytes;
}

#if defined(CUDA)

// Memory that the driver does not know is an error, as with the real one.
int cuPointerGetAttribute(void* value, int attribute, uintptr_t address) {
    if (attribute != 2 || !is_claimed(address)) return 1;
    *(unsigned*)value = 2;  // CU_MEMORYTYPE_DEVICE
    return 0;
}

#elif defined(HIP)

int hipPointerGetAttributes(void* attributes, const void* address) {
    *(unsigned*)attributes = is_claimed((uintptr_t)address) ? 2 : 0;  // hipMemoryTypeDevice, unregistered
    return 0;
}

#else

int zeInit(uint32_t flags) {
    return is_claimed(flags) ? 0 : 1;
}

#endif
