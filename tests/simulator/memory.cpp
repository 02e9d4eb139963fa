// The simulator's operator new, which refuses the library memory where a job wants it to.
#include <cstdlib>
#include <new>

#include "tests/simulator/fake_mpi/job.hpp"

namespace simulator {

namespace {

/// Whether the calling rank is refused so many bytes.
bool refuses(std::size_t bytes) {
    Rank* rank = self_or_none();
    if (rank == nullptr || rank->in_library == 0 || rank->in_mpi != 0) return false;
    const std::int64_t number = rank->allocations++;
    for (const Refusal& refusal : rank->job.habits.refusals) {
        if (refusal.rank != rank->number && refusal.rank != Refusal::all_ranks) continue;
        if (refusal.number != number && (refusal.at_least == 0 || bytes < refusal.at_least)) continue;
        ++rank->job.faults;
        return true;
    }
    return false;
}

void* allocate(std::size_t bytes) {
    return refuses(bytes) ? nullptr : std::malloc(bytes == 0 ? 1 : bytes);
}

}  // namespace

}  // namespace simulator

void* operator new(std::size_t bytes) {
    if (void* memory = simulator::allocate(bytes)) return memory;
    throw std::bad_alloc();
}

void* operator new[](std::size_t bytes) {
    return operator new(bytes);
}

void* operator new(std::size_t bytes, const std::nothrow_t& /*tag*/) noexcept {
    return simulator::allocate(bytes);
}

void* operator new[](std::size_t bytes, const std::nothrow_t& /*tag*/) noexcept {
    return simulator::allocate(bytes);
}

void operator delete(void* memory) noexcept {
    std::free(memory);
}

void operator delete[](void* memory) noexcept {
    std::free(memory);
}

void operator delete(void* memory, std::size_t /*bytes*/) noexcept {
    std::free(memory);
}

void operator delete[](void* memory, std::size_t /*bytes*/) noexcept {
    std::free(memory);
}
