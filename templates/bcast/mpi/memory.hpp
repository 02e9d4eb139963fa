// Memory that must not be refused in the middle of a broadcast, where other ranks wait for this one.
//
// Some is put by when things are quiet. A small piece of memory that is refused is asked for once more after giving
// that back; only what is as large as messages are may be refused for good, and who asks for it says what happens then.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdlib>
#include <memory>
#include <new>
#include <utility>
#include <vector>

namespace bcast {

/// Memory put by.
class Reserve {
  public:
    Reserve() = default;
    Reserve(const Reserve&) = delete;
    Reserve& operator=(const Reserve&) = delete;
    ~Reserve() { release(); }

    /// Puts some by, unless there is some. To be called before a broadcast communicates.
    void renew() {
        if (block_.load(std::memory_order_relaxed) != nullptr) return;
        void* block = std::malloc(bytes);
        void* none = nullptr;
        if (!block_.compare_exchange_strong(none, block)) std::free(block);  // another thread was quicker
    }

    /// Gives back what was put by, if anything is.
    void release() { std::free(block_.exchange(nullptr)); }

  private:
    static constexpr std::size_t bytes = std::size_t{512} << 10;
    std::atomic<void*> block_{nullptr};
};

/// The reserve of this process. Set by the library; before that there is none put by.
inline Reserve*& reserve() {
    static Reserve nobodys;
    static Reserve* of_process = &nobodys;
    return of_process;
}

/// Calls `work`, which may be called again from the start where memory was refused to it, a few times.
template <class Work>
decltype(auto) insured(Work work) {
    constexpr int most_calls = 5;
    for (int calls = 1; calls < most_calls; ++calls) {
        try {
            return work();
        } catch (const std::bad_alloc&) {
            reserve()->release();
        }
    }
    return work();
}

/// An allocator that falls back on the reserve.
template <class T>
struct Insured {
    using value_type = T;
    Insured() = default;
    template <class Other>
    Insured(const Insured<Other>& /*other*/) {}  // NOLINT(google-explicit-constructor): allocators convert

    T* allocate(std::size_t count) {
        return insured([count] { return std::allocator<T>().allocate(count); });
    }
    void deallocate(T* memory, std::size_t count) { std::allocator<T>().deallocate(memory, count); }
    friend bool operator==(const Insured& /*a*/, const Insured& /*b*/) { return true; }
    friend bool operator!=(const Insured& /*a*/, const Insured& /*b*/) { return false; }
};

/// A vector of small things that a broadcast cannot do without.
template <class T>
using Row = std::vector<T, Insured<T>>;

/// Memory of the size of messages. What it holds is lost when it grows, and what nobody has written to takes no page.
class Room {
  public:
    [[nodiscard]] char* data() { return data_.get(); }
    [[nodiscard]] std::size_t size() const { return size_; }

    /// Has `bytes` at least from now on; may throw std::bad_alloc, and has none then.
    void grow(std::size_t bytes) {
        size_ = 0;
        data_.reset();
        data_.reset(new char[bytes]);
        size_ = bytes;
    }

  private:
    std::unique_ptr<char[]> data_;
    std::size_t size_ = 0;
};

/// Makes it hold `bytes` at least. False if that is refused.
inline bool make_room(Room& memory, std::size_t bytes) {
    if (memory.size() >= bytes) return true;
    try {
        memory.grow(bytes);
    } catch (const std::bad_alloc&) {
        return false;
    }
    return true;
}

/// The same, with the reserve to fall back on.
inline bool make_insured_room(Room& memory, std::size_t bytes) {
    if (make_room(memory, bytes)) return true;
    reserve()->release();
    return make_room(memory, bytes);
}

}  // namespace bcast
